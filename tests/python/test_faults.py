"""What goes wrong on the way ends right, or names the partition; nothing is silently missing."""

import os
import subprocess
import sys

import numpy as np
import pytest
from partitioned import cut, events, same

import serrate as ak

FULL = """
import os, resource, signal, sys
import numpy as np
import serrate as ak

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
out = sys.argv[1]
x = ak.scan([ak.Array(np.random.default_rng(i).normal(size=10_000)) for i in range(4)])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    ak.to_parquet(x * 2, out)
except OSError as error:
    print("not written:", type(error).__name__)
print("left:", os.path.exists(out))
print("rows:", ak.compute(ak.count(x)))
"""


def test_a_full_disk_leaves_no_file_that_looks_whole(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "out.parquet")],
        env=os.environ | {"SERRATE_BACKEND": "cpu"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "not written: OSError\nleft: False\nrows: 40000\n", done.stderr


def test_what_fails_in_the_midst_of_writing(tmp_path):
    def broken():
        raise RuntimeError("the detector was off")

    x = ak.scan([ak.Array([1.5]), ak.Array([2.5]), broken], example=ak.Array([1.5]))
    with pytest.raises(RuntimeError, match="the detector was off"):
        ak.to_parquet(x, tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()
    # What only could not be computed is never left out.
    report = ak.Report()
    with pytest.raises(RuntimeError, match="the detector was off"):
        ak.compute(ak.sum(x), on_error="skip", report=report)


@pytest.mark.parametrize("scheduler", [None, "synchronous"])
def test_a_partition_that_is_missing_from_a_sort_is_named(
    tmp_path, scheduler, new_arrays_on_the_cpu
):
    if scheduler:
        pytest.importorskip("dask")
    ak.to_parquet(events(20), tmp_path / "a.parquet", row_group_size=5)
    ak.to_parquet(events(20, seed=1), tmp_path / "b.parquet", row_group_size=5)
    x = ak.scan_parquet(tmp_path)
    whole = events(20)
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"b\.parquet"):
        ak.compute(ak.sort(x.met, axis=0))
    report = ak.Report()
    how = {"on_error": "skip", "report": report, "scheduler": scheduler}
    kept = ak.compute(ak.sort(x.met, axis=0), **how)
    names = [name.rpartition("/")[2] for name, _ in report.skipped]
    assert names == [f"b.parquet#{i}" for i in range(4)]
    same(kept, ak.sort(whole.met, axis=0))


def test_a_file_that_is_cut_while_it_is_read(tmp_path):
    path = tmp_path / "a.parquet"
    ak.to_parquet(events(4000), path, row_group_size=500)
    x = ak.scan_parquet(path)
    parts = iter(ak.scan_parquet(path).partitions[:1])
    next(parts)
    with open(path, "r+b") as file:
        file.truncate(1000)
    with pytest.raises(ValueError, match=r"a\.parquet"):
        ak.compute(ak.sum(x.met))


def test_memory_that_runs_out_names_the_partition():
    def too_much(x):
        if len(x) and x[0] == 2:
            raise MemoryError("cuda: out of memory: asked for 9 bytes")
        return x

    x = ak.scan([ak.Array([1]), ak.Array([2]), ak.Array([3])])
    with pytest.raises(MemoryError, match="partition 1 was computed"):
        ak.compute(ak.sum(x.map_partitions(too_much)))
    assert ak.compute(ak.sum(x)) == 6


class DiesOnce:
    """A partition whose reader ends the process the first time."""

    def __init__(self, path, rows):
        self.path, self.rows = path, rows

    def __call__(self):
        if not os.path.exists(self.path):
            open(self.path, "w").close()
            os._exit(1)
        return self.rows


def test_a_worker_that_is_killed_in_a_sort(tmp_path, monkeypatch, new_arrays_on_the_cpu):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("SERRATE_BACKEND", "cpu")  # of the workers
    whole = events(40, seed=7).met
    parts = cut(whole, [10, 10, 10])
    parts[2] = DiesOnce(tmp_path / "died", ak.materialize(parts[2]))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        y = ak.sort(ak.scan(parts, example=whole[:0]), axis=0)
        found = ak.compute(y, scheduler=client)
    assert (tmp_path / "died").exists()
    assert np.asarray(found).tobytes() == np.asarray(ak.sort(whole, axis=0)).tobytes()
