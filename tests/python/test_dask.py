"""PartitionedArrays on Dask: the same as in one process, on all of its schedulers."""

import os

import dask
import numpy as np
import pytest
from partitioned import cut, events, same
from test_datasets import ROWS, VALUES

import serrate as ak
import serrate.dask

# Python's threads and arrays on a GPU that is emulated go together; other processes have the CPU.
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


@pytest.fixture(scope="module", autouse=True)
def _other_processes_on_the_cpu():
    before = os.environ.get("SERRATE_BACKEND")
    os.environ["SERRATE_BACKEND"] = "cpu"
    yield
    if before is None:
        del os.environ["SERRATE_BACKEND"]
    else:
        os.environ["SERRATE_BACKEND"] = before


@pytest.fixture(scope="module")
def cluster():
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def whole():
    return events(40, seed=2)


@pytest.fixture
def x(whole):
    return ak.scan(cut(whole, [7, 0, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1]))


CASES = {**{k: ROWS[k] for k in list(ROWS)[::3]}, **{k: VALUES[k] for k in list(VALUES)[::3]}}


@pytest.mark.parametrize("f", CASES.values(), ids=CASES)
@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_as_in_one_process(f, scheduler, x, whole):
    made = f(x)
    if isinstance(made, ak.PartitionedArray):
        made = ak.compute(made, scheduler=scheduler)
    same(made, f(whole))


def test_processes(x, whole):
    made = ak.compute(ak.sum(x.muon.pt, axis=0), x[x.met > 5].n, scheduler="processes")
    same(made, (ak.sum(whole.muon.pt, axis=0), whole[whole.met > 5].n))


def test_cluster(cluster, x, whole):
    found = ak.compute(
        ak.mean(x.met),
        ak.sum(x[x.met > ak.mean(x.met)].muon.pt),
        x.muon.pt[:, :1],
        ak.sort(x.met, axis=0)[:3],
        scheduler=cluster,
    )
    expected = (
        ak.mean(whole.met),
        ak.sum(whole[whole.met > ak.mean(whole.met)].muon.pt),
        whole.muon.pt[:, :1],
        ak.sort(whole.met, axis=0)[:3],
    )
    same(found, expected)


def test_the_same_bits(cluster):
    x = ak.scan([events(30, seed=i).met for i in range(70)])
    here = ak.compute(ak.sum(x), ak.std(x))
    there = ak.compute(ak.sum(x), ak.std(x), scheduler=cluster)
    assert here == there


def test_client_is_the_scheduler_while_it_is_open(x, whole):
    with serrate.dask.client(n_workers=1, processes=False, dashboard_address=None):
        same(ak.sum(x.muon.pt, axis=-1), ak.sum(whole.muon.pt, axis=-1))


def test_collections_of_dask(cluster, x, whole):
    y, total = x.met * 2, ak.sum(x.met)
    assert dask.is_dask_collection(y)
    same(dask.compute(y, total, scheduler="synchronous"), (whole.met * 2, ak.sum(whole.met)))
    kept = cluster.persist(y)
    assert kept.npartitions == y.npartitions
    same(ak.compute(ak.sum(kept), scheduler=cluster), ak.sum(whole.met * 2))
    same(kept + 1, whole.met * 2 + 1)
    parts = serrate.dask.to_delayed(y)
    assert len(parts) == y.npartitions
    again = serrate.dask.from_delayed(parts)
    same(again, whole.met * 2)


def test_graphs_are_small_and_quick():
    x = ak.scan([lambda: ak.Array([1.0])] * 10_000, example=ak.Array([1.0]))
    graph = ak.sum(x * 2).__dask_graph__()
    partitions = [k for k in graph if isinstance(k, tuple) and "partition" in k[0]]
    assert len(partitions) == 10_000
    assert len(graph) < 12_000


def test_a_bad_partition_is_named(cluster, tmp_path):
    ak.to_parquet(events(20), tmp_path / "a.parquet", row_group_size=5)
    x = ak.scan_parquet(tmp_path)
    ak.to_parquet(events(3), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet.*has changed"):
        ak.compute(ak.sum(x.met), scheduler=cluster)
    report = ak.Report()
    ak.compute(ak.sum(x.met), scheduler=cluster, on_error="skip", report=report)
    assert len(report.skipped) == 4


class DiesOnce:
    """A partition whose reader ends the process the first time."""

    def __init__(self, path):
        self.path = path

    def __call__(self):
        if not os.path.exists(self.path):
            open(self.path, "w").close()
            os._exit(1)
        return ak.Array([1, 2, 3])


class Dies:
    def __call__(self):
        os._exit(1)


def test_a_worker_that_is_killed(cluster, tmp_path):
    x = ak.scan([ak.Array([1]), DiesOnce(tmp_path / "died"), ak.Array([5])], example=ak.Array([1]))
    assert ak.compute(ak.sum(x), scheduler=cluster) == 12
    import distributed

    x = ak.scan([Dies()], example=ak.Array([1]))
    with pytest.raises(distributed.KilledWorker, match="serrate-partition"):
        ak.compute(ak.sum(x), scheduler=cluster)


def test_schedulers_that_are_none(x):
    with pytest.raises(ValueError, match="Expected one of"):
        ak.compute(ak.sum(x.met), scheduler="nothing")
    assert np.isfinite(ak.compute(ak.sum(x.met)))
