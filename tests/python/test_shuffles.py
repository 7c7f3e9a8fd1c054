"""Sorts and groups of rows in partitions: as of the whole, a range at a time."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from partitioned import cut, events, same

import serrate as ak

SORTS = {
    "numbers": lambda x: ak.sort(x.met, axis=0),
    "last axis": lambda x: ak.sort(x.met),
    "down": lambda x: ak.sort(x.met, axis=0, ascending=False),
    "strings": lambda x: ak.sort(x.label, axis=0),
    "missing": lambda x: ak.sort(x.maybe, axis=0),
    "records by a field": lambda x: ak.sort(x, axis=0, by="label"),
    "records by fields": lambda x: ak.sort(x, axis=0, by=["label", "met"], ascending=False),
    "a field of sorted records": lambda x: ak.sort(x, axis=0, by="met").muon.pt,
    "two fields of sorted records": lambda x: (
        ak.sort(x, axis=0, by="met").n + ak.sort(x, axis=0, by="met").met
    ),
    "positions": lambda x: ak.argsort(x.maybe, axis=0, ascending=False),
    "in order": lambda x: x[ak.argsort(x.label, axis=0)].muon.eta,
    "another in order": lambda x: x.n[ak.argsort(x.met, axis=0)],
    "filtered": lambda x: ak.sort(x[x.met > 5].met, axis=0),
    "sorted twice": lambda x: ak.sort(-ak.sort(x.met, axis=0), axis=0),
    "filtered later": lambda x: ak.sort(x, axis=0, by="met")[ak.sort(x.met, axis=0) > 5].n,
    "head": lambda x: ak.sort(x.met, axis=0)[:5],
    "tail": lambda x: ak.sort(x.met, axis=0)[-5:],
    "computed": lambda x: ak.sort(x.met * 2 - ak.mean(x.met), axis=0),
    "merged": lambda x: ak.sum(ak.sort(x.n, axis=0)),
    "group_by": lambda x: ak.group_by(x.muon.pt, x.label, axis=0),
    "group_by missing": lambda x: ak.group_by(x.n, x.maybe),
    "sums of groups": lambda x: ak.sum(ak.group_by(x.n, x.label)[1], axis=-1),
    "unique missing": lambda x: ak.unique(x.maybe),
    "value_counts missing": lambda x: ak.value_counts(x.maybe),
    "local_index": lambda x: ak.local_index(x.muon, axis=0),
}
LENGTHS = {"one": [], "several": [5, 3, 0, 7, 12], "single rows": [1] * 38, "empty": [0, 0, 40]}


@pytest.mark.parametrize("known", [True, False], ids=["known", "not counted"])
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
@pytest.mark.parametrize("f", SORTS.values(), ids=SORTS)
def test_as_of_the_whole(f, lengths, known):
    whole = events(40, seed=4)
    parts = cut(whole, lengths)
    x = ak.scan(parts if known else [lambda p=p: p for p in parts], example=whole[:0])
    same(f(x), f(whole))


@pytest.mark.parametrize("f", SORTS.values(), ids=SORTS)
def test_on_dask(f, new_arrays_on_the_cpu):
    pytest.importorskip("dask")
    whole = events(40, seed=4)
    made = f(ak.scan(cut(whole, LENGTHS["several"])))
    made = made if isinstance(made, tuple) else (made,)
    found = ak.compute(*made, scheduler="synchronous")
    same(found if len(made) > 1 else (found,), f(whole) if len(made) > 1 else (f(whole),))


def test_numbers_that_have_no_order():
    r = np.random.default_rng(3)
    x = r.choice([np.nan, 0.0, -0.0, 1.0, np.inf, -np.inf, 2.0], 500)
    whole = ak.Array(x)
    parts = ak.scan([whole[a : a + 41] for a in range(0, 500, 41)])
    for ascending in (True, False):
        order = ak.compute(ak.argsort(parts, axis=0, ascending=ascending))
        assert order.to_list() == ak.argsort(whole, axis=0, ascending=ascending).to_list()
        found = ak.compute(ak.sort(parts, axis=0, ascending=ascending))
        expected = ak.sort(whole, axis=0, ascending=ascending)
        bits, wanted = (np.asarray(ak.to_backend(x, "cpu")).tobytes() for x in (found, expected))
        assert bits == wanted


@pytest.mark.parametrize("values", [1, 3, 10**9], ids=["equal", "three", "different"])
def test_ranges_are_about_equal(values):
    """Also of equal keys: they are cut between partitions."""
    r = np.random.default_rng(5)
    whole = ak.Array(r.integers(0, values, 20_000))
    x = ak.scan([whole[a : a + 1000] for a in range(0, 20_000, 1000)])
    y = ak.sort(x, axis=0)
    lengths = [len(y.partitions[i].compute()) for i in range(y.npartitions)]
    assert sum(lengths) == 20_000
    assert max(lengths) <= 2 * 20_000 / len(lengths)


def test_ranges_of_partitions_that_are_alike():
    part = ak.Array(np.random.default_rng(8).exponential(size=2000))
    y = ak.sort(ak.scan([part] * 32), axis=0)
    lengths = [len(y.partitions[i].compute()) for i in range(y.npartitions)]
    assert sum(lengths) == 64_000
    assert max(lengths) <= 2 * 64_000 / len(lengths)


def test_rows_come_in_ranges_that_are_not_all_held(tmp_path):
    """What is sorted can be written range by range, and looks at a head read one range."""
    whole = events(200, seed=6)
    ak.to_parquet(whole, tmp_path / "in.parquet", row_group_size=20)
    x = ak.scan_parquet(tmp_path / "in.parquet")
    y = ak.sort(x, axis=0, by="met")
    assert y.npartitions == 10
    made = ak.to_parquet(y[["met", "label"]], tmp_path / "out.parquet")
    assert made.num_row_groups >= 9
    same(ak.from_parquet(tmp_path / "out.parquet").label, ak.sort(whole, axis=0, by="met").label)
    text = str(ak.explain(y.n))
    assert "on disk" in text
    assert "met, n" in text


def test_sorted_rows_are_pickled(new_arrays_on_the_cpu):
    whole = events(40, seed=4)
    y = ak.sort(ak.scan(cut(whole, [9, 20])), axis=0, by="met")
    same(pickle.loads(pickle.dumps(y)), ak.sort(whole, axis=0, by="met"))
    kept = y.n
    same(kept, ak.sort(whole, axis=0, by="met").n)
    same(pickle.loads(pickle.dumps(kept)), ak.sort(whole, axis=0, by="met").n)


FULL = """
import resource, signal
import numpy as np
import serrate as ak

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
x = ak.scan([ak.Array(np.arange(10_000.0))] * 4)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    ak.compute(ak.sort(x, axis=0))
except OSError as error:
    assert "TMPDIR" in str(error) and "sort" in str(error), error
    assert isinstance(ak.compute(ak.sum(x)), float)
    print("named")
"""


def test_a_full_disk():
    done = subprocess.run(
        [sys.executable, "-c", FULL],
        env=os.environ | {"SERRATE_BACKEND": "cpu"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "named\n", done.stderr
