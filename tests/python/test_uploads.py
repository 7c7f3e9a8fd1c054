"""Partitions that go to a GPU while others are computed: order, bounds, what goes wrong."""

import gc
import os

import gpu  # before arrays are made: it finds a stand-in where there is no GPU
import numpy as np
import pytest
from partitioned import events, same

import serrate as ak
from serrate import _core
from serrate._datasets import ahead
from serrate._datasets.collection import of_source
from serrate._datasets.sources import Source

VALUES_ARE_RIGHT = pytest.mark.skipif(not gpu.REAL, reason="kernels are compiled and never run")
N = 20_000


@pytest.fixture(autouse=True)
def _new_arrays_on_the_gpu(_keep_default_backend):
    ak.set_default_backend("cuda")
    yield
    ak.cuda.set_memory_limit(None)


def first(x):
    """The first row, which does not keep the others."""
    return ak.materialize(x[:1] * 1)


def number(x):
    """Of a partition of Numbers; -1 of an example."""
    return int(ak.to_backend(x[:1], "cpu")[0]) if len(x) == N else -1


def check(found, *values):
    assert len(found) == len(values)
    if gpu.REAL:
        assert found.to_list() == list(map(float, values))


class Numbers(Source):
    """Partitions of N doubles, which are decoded; `begun` says which, in order."""

    what, decodes = "scan", True

    def __init__(self, count, broken=()):
        super().__init__(_core.Array(np.zeros(0)), [f"part {i}" for i in range(count)])
        self.begun, self.broken = [], broken

    def read(self, i, columns, loaded=None):
        self.begun.append(i)
        if i in self.broken:
            raise OSError("the tape is torn")
        return _core.Array(np.full(N, float(i)))


@pytest.fixture
def uploaded(monkeypatch):
    """Where arrays were before they were uploaded, their fields and first items, in order."""
    seen, upload = [], _core._upload

    def spy(array, backend):
        seen.append((ak.backend(array), ak.fields(array), array[:1].to_list()))
        return upload(array, backend)

    monkeypatch.setattr(_core, "_upload", spy)
    return seen


def test_order_and_bound(uploaded):
    source, current = Numbers(9), []

    def look(x):
        if len(x) == N:
            current.append(len(current))
            assert ak.backend(x) == "cuda"
            assert len(source.begun) <= current[-1] + 1 + ahead.AHEAD
            assert len(uploaded) <= current[-1] + 1 + ahead.AHEAD
        return x

    x = of_source(source).map_partitions(look)
    source.begun.clear()
    found = ak.compute(x)
    assert current == list(range(9))
    assert sorted(source.begun) == current
    assert uploaded == [("cpu", [], [float(i)]) for i in range(9)]
    np.testing.assert_array_equal(ak.to_list(found), np.repeat(np.arange(9.0), N))


def test_memory_of_the_gpu_is_that_of_a_few_partitions():
    gc.collect()
    ak.cuda.synchronize()
    before, most = ak.cuda.memory().used, []

    def look(x):
        most.append(ak.cuda.memory().used - before)
        return first(x)

    ak.compute(of_source(Numbers(12)).map_partitions(look))
    assert max(most) < (2 + ahead.AHEAD) * N * 8 + 100_000


def formats(folder, array):
    """Files of all kinds that are scanned."""
    flat = array[["met", "n"]]
    ak.to_parquet(array, folder / "a.parquet", row_group_size=7)
    ak.to_feather(array, folder / "a.feather", chunksize=7)
    ak.to_json(array, folder / "a.json", line_delimited=True)
    rows = "".join(f"{r['met']!r},{r['n']}\n" for r in flat.to_list())
    (folder / "a.csv").write_text("met,n\n" + rows)
    return {
        "parquet": lambda: ak.scan_parquet(folder / "a.parquet"),
        "feather": lambda: ak.scan_feather(folder / "a.feather"),
        "json": lambda: ak.scan_json(folder / "a.json", blocksize=500),
        "csv": lambda: ak.scan_csv(folder / "a.csv", blocksize=100),
    }


@VALUES_ARE_RIGHT
@pytest.mark.parametrize("kind", ["parquet", "feather", "json", "csv"])
def test_as_on_the_cpu(kind, tmp_path):
    ak.set_default_backend("cpu")
    scan = formats(tmp_path, events(40, seed=3))[kind]
    results = {}
    for backend in ("cpu", "cuda"):
        ak.set_default_backend(backend)
        x = scan()
        assert x.npartitions > 3
        made = [x.met * 2, x[x.n > 20].met, ak.sum(x.n), ak.sort(x.n, axis=0)]
        if kind != "csv":
            made += [ak.num(x.muon), x.muon.pt[:, :1], ak.sum(x.muon.charge, axis=-1)]
        results[backend] = ak.compute(*made)
        found = {ak.backend(r) for r in results[backend] if isinstance(r, ak.Array)}
        assert found == {backend}
    ak.set_default_backend("cpu")
    for there, here in zip(results["cuda"], results["cpu"], strict=True):
        there = ak.to_backend(there, "cpu") if isinstance(there, ak.Array) else there
        same(there, here)
        if isinstance(there, ak.Array):
            there, here = (np.asarray(ak.flatten(a, axis=None)) for a in (there, here))
        assert there.tobytes() == here.tobytes()


def test_only_columns_that_are_needed_go_up(tmp_path, uploaded):
    ak.to_parquet(ak.to_backend(events(30), "cpu"), tmp_path / "a.parquet", row_group_size=10)
    x = ak.scan_parquet(tmp_path)
    ak.compute(x.met)
    assert [fields for _, fields, _ in uploaded] == [["met"]] * 3
    assert {backend for backend, _, _ in uploaded} == {"cpu"}


def test_explain_says_it(tmp_path):
    ak.to_parquet(ak.to_backend(events(30), "cpu"), tmp_path / "a.parquet", row_group_size=10)
    plan = ak.explain(ak.scan_parquet(tmp_path).met)
    assert plan.passes[0]["uploads"]
    assert "copied to the GPU beside its kernels, at most 2 partitions ahead" in plan.text
    assert not ak.explain(ak.scan([ak.Array([1.0])])).passes[0]["uploads"]
    ak.set_default_backend("cpu")
    assert "GPU" not in ak.explain(ak.scan_parquet(tmp_path).met).text


def test_a_gpu_that_has_room_for_one_partition():
    """Those that do not fit ahead go there when it is their turn."""
    x = of_source(Numbers(6)).map_partitions(first)
    gc.collect()
    ak.cuda.synchronize()
    ak.cuda.set_memory_limit(ak.cuda.memory().used + N * 8 + 10_000)
    check(ak.compute(x), *range(6))


def test_what_waits_on_the_gpu_makes_room():
    def needs_much(x):
        held = [x * 1.0 for _ in range(3)] if number(x) == 1 else []
        ak.compute(*held)
        return first(x)

    x = of_source(Numbers(6)).map_partitions(needs_much)
    gc.collect()
    ak.cuda.synchronize()
    ak.cuda.set_memory_limit(ak.cuda.memory().used + 4 * N * 8 + 10_000)
    check(ak.compute(x), *range(6))


def test_out_of_memory_names_the_partition():
    x = of_source(Numbers(3)).map_partitions(first)
    gc.collect()
    ak.cuda.synchronize()
    ak.cuda.set_memory_limit(ak.cuda.memory().used + N * 8 - 1000)
    with pytest.raises(MemoryError, match=r"out of memory.* when part 0 was computed"):
        ak.compute(x)
    ak.cuda.set_memory_limit(None)
    check(ak.compute(x), 0, 1, 2)


def test_a_partition_that_is_damaged_is_named():
    x = of_source(Numbers(6, broken=(3,)))[:1]
    assert ak.compute(x).to_list() == [0.0]
    x = of_source(Numbers(6, broken=(3,))).map_partitions(first)
    with pytest.raises(ValueError, match="part 3: the tape is torn"):
        ak.compute(x)
    report = ak.Report()
    kept = ak.compute(x, on_error="skip", report=report)
    check(kept, 0, 1, 2, 4, 5)
    assert [name for name, _ in report.skipped] == ["part 3"]


def test_a_pass_that_is_given_up():
    gc.collect()
    ak.cuda.synchronize()
    before = ak.cuda.memory().used
    for _ in range(3):
        parts = iter(of_source(Numbers(8)).partitions)
        assert len(next(parts).compute()) == N

        def stop(x):
            if number(x) == 2:
                raise RuntimeError("enough")
            return x

        with pytest.raises(RuntimeError, match="enough"):
            ak.compute(of_source(Numbers(8)).map_partitions(stop))
    del parts
    gc.collect()
    # What was on its way may arrive later.
    ahead._pool("upload", 1, None).submit(lambda: None).result()
    gc.collect()
    ak.cuda.synchronize()
    assert ak.cuda.memory().used - before < 4 * N * 8


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_partitions_that_are_passes_themselves(backend):
    """Who reads ahead does not wait for threads that do."""
    ak.set_default_backend(backend)

    def rows(i):
        return lambda: ak.compute(ak.scan([np.full(2, i), np.full(1, -i)]))

    x = ak.scan([rows(i) for i in range(5)], example=ak.Array(np.zeros(0, np.int64)))
    assert ak.compute(x).to_list() == [v for i in range(5) for v in (i, i, -i)]


def test_what_is_computed_for_a_partition_is_computed_there():
    """A function that makes a partition is called by who computes."""
    made = []

    def rows():
        made.append(ak.default_backend())
        return ak.Array([1.5])

    ak.compute(ak.scan([rows, rows], example=ak.Array([1.5])))
    assert made == ["cuda", "cuda"]


def test_a_reading_thread_makes_arrays_in_ram():
    _core._default_backend_of_thread("cpu")
    try:
        assert ak.default_backend() == "cpu"
        assert ak.backend(ak.Array([1.0])) == "cpu"
    finally:
        _core._default_backend_of_thread(None)
    assert ak.default_backend() == "cuda"
    assert os.environ.get("SERRATE_BACKEND", "cpu") in ("cpu", "cuda")
