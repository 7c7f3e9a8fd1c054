# Functions of users of arrays in partitions: as of the whole array, here and in other processes.
import math
import os
from collections import namedtuple

import pytest
from partitioned import cut, events, same

import serrate as ak

pytest.importorskip("numba", reason="compiles the functions")
# Python's threads and arrays on a GPU that is emulated go together; other processes have the CPU.
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

Parts = namedtuple("Parts", "low high")


def bent(x, y):
    return math.sqrt(x * y) if x > y else x - y


def parts(x):
    return Parts(x, x * 2) if x > 5 else None


def peaks(y, least):
    for k in range(len(y)):
        if y[k] > least:
            yield y[k]


def heaviest(muons):
    best = 0.0
    for one in muons:
        best = max(best, one.pt * math.cosh(one.eta))
    return best


def doubled(limit):
    return ak.elementwise(lambda x: 2 * x if x < limit else limit)


soft = ak.device_function(
    "double soft(double x) { return x < 9 ? x : 9; }", cpu=lambda x: x if x < 9 else 9.0
)

CASES = {
    "numbers": lambda x: ak.apply(bent, x.met, x.n),
    "broadcast": lambda x: ak.apply(bent, x.muon.pt, x.met),
    "with a number": lambda x: ak.apply(bent, x.met, 3.5),
    "with a sum": lambda x: ak.apply(bent, x.met, ak.sum(x.met) / 40),
    "fused and summed": lambda x: ak.sum(ak.apply(bent, 2 * x.met, x.n) + 1),
    "as a mask": lambda x: x[ak.apply(lambda v: v > 5, x.met)].label,
    "records": lambda x: ak.apply(parts, x.met).high,
    "missing": lambda x: ak.apply(bent, x.maybe, 1),
    "closure": lambda x: doubled(8.5)(x.met),
    "text and Python": lambda x: soft(x.muon.pt) * 2,
    "generator": lambda x: ak.apply(peaks, x.muon.pt, 10.0, axis=1),
    "of records": lambda x: ak.apply(heaviest, x.muon, axis=-1),
}


@pytest.fixture
def whole():
    return events(40, seed=2)


@pytest.fixture
def x(whole):
    return ak.scan(cut(whole, [7, 0, 9, 1, 1]))


@pytest.mark.parametrize("f", CASES.values(), ids=CASES)
def test_as_of_the_whole_array(f, x, whole):
    made = f(x)
    assert isinstance(made, ak.PartitionedArray)
    same(made, f(whole))


@pytest.fixture
def file(tmp_path, whole):
    ak.to_parquet(whole, tmp_path / "a.parquet", row_group_size=7)
    return ak.scan_parquet(tmp_path / "a.parquet")


def test_columns_of_files(file, whole):
    made = ak.sum(ak.apply(bent, file.met, 2.0))
    assert "columns: met\n" in str(ak.explain(made)) + "\n"
    same(made, ak.sum(ak.apply(bent, whole.met, 2.0)))
    same(ak.apply(peaks, file.muon.pt, 10.0, axis=1), ak.apply(peaks, whole.muon.pt, 10.0, axis=1))


def test_errors(x):
    def positive(v):
        if v > 1020:
            raise ValueError("large", v)
        return v

    made = ak.apply(positive, x.n - 1000 * 2 + 1000)
    with pytest.raises(ValueError, match="large"):
        ak.compute(made)
    with pytest.raises(TypeError, match="called with numbers"):
        ak.apply(bent, x.label, 1)
    with pytest.raises(TypeError, match="can't be compiled"):
        ak.apply(lambda v: v.nothing, x.met)
    with pytest.raises(TypeError, match="expected float64, got no numbers"):
        soft(x.label)


def test_in_other_processes(monkeypatch, x, whole):
    """Functions of this file and those without a name go by cloudpickle, are compiled there."""
    pytest.importorskip("dask")
    monkeypatch.setitem(os.environ, "SERRATE_BACKEND", "cpu")
    limit = 7.5

    def clipped(v):
        return v if v < limit else limit

    makes = (
        lambda x: ak.apply(clipped, x.met),
        lambda x: ak.sum(soft(x.muon.pt), axis=-1),
        lambda x: ak.apply(peaks, x.muon.pt, 10.0, axis=1),
        lambda x: ak.sum(ak.apply(bent, x.met, x.n)),
    )
    made = ak.compute(*(f(x) for f in makes), scheduler="processes")
    same(made, tuple(f(whole) for f in makes))


def test_in_a_cluster(monkeypatch, x, whole):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setitem(os.environ, "SERRATE_BACKEND", "cpu")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        made = ak.compute(doubled(8.5)(x.met), ak.sum(soft(x.met)), scheduler=client)
        same(made, (doubled(8.5)(whole.met), ak.sum(soft(whole.met))))

        def refused(v):
            if v > 5:
                raise KeyError("refused")
            return v

        with pytest.raises(KeyError, match="refused"):
            ak.compute(ak.apply(refused, x.met), scheduler=client)
