# Arrays on the GPU: moving, looking, refusing; its memory; where new arrays are.
import awkward
import numpy as np
import pytest
from conftest import plain
from gpu import REAL, VALUES, on_gpu

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


@pytest.fixture(params=VALUES, ids=str)
def values(request):
    return VALUES[request.param]


def test_there_and_back(values):
    x = ak.Array(values)
    there = ak.to_backend(x, "cuda")
    assert ak.backend(there) == "cuda"
    assert ak.backend(x) == "cpu"
    assert str(there.type) == str(x.type)
    back = ak.to_backend(there, "cpu")
    assert ak.backend(back) == "cpu"
    assert back.to_list() == x.to_list()
    assert str(back.type) == str(x.type)


def test_what_is_there_already_stays():
    there = on_gpu(np.arange(5))
    before = ak.cuda.memory().used
    again = ak.to_backend(there, "cuda")
    assert ak.cuda.memory().used == before
    assert again.__cuda_array_interface__["data"] == there.__cuda_array_interface__["data"]


def test_only_what_is_used_moves():
    x = ak.Array([[i] * 3 for i in range(1000)])[400:402]
    before = ak.cuda.memory().used
    there = ak.to_backend(x, "cuda")
    assert ak.cuda.memory().used - before < 200
    assert there.to_list() == [[400] * 3, [401] * 3]
    assert ak.to_backend(there, "cpu").to_list() == x.to_list()


def test_fields_share_their_offsets():
    lists = [[1, 2], [], [3]] * 100
    x = ak.zip({"a": lists, "b": lists})
    before = ak.cuda.memory().used
    there = ak.to_backend(x, "cuda")
    moved = ak.cuda.memory().used - before
    assert moved <= 8 * (301 + 2 * 300)
    assert there["b"].to_list() == lists


def test_memory_comes_back():
    before = ak.cuda.memory().used
    x = on_gpu(np.arange(1000.0))
    assert ak.cuda.memory().used == before + 8000
    assert ak.cuda.memory().used_high >= before + 8000
    del x
    assert ak.cuda.memory().used == before
    ak.cuda.trim_memory()


def test_memory_limit():
    used = ak.cuda.memory().used
    ak.cuda.set_memory_limit(used + 10_000)
    try:
        x = on_gpu(np.zeros(1000))
        with pytest.raises(MemoryError, match="asked for 8000 bytes"):
            on_gpu(np.ones(1000))
        del x
        assert on_gpu(np.ones(1000)).to_list() == [1.0] * 1000
    finally:
        ak.cuda.set_memory_limit(None)


def test_where_memory_is_short_the_host_waits():
    numbers = ak.unflatten(np.arange(100_000.0), [60_000, 40_000])
    x = on_gpu(ak.zip(dict.fromkeys("abcde", numbers)))
    assert ak.explain(x[x.a > 99_990]).waits == 0
    # Too little for as many items as there are; enough to count them, in pieces of two, too.
    ak.cuda.set_memory_limit(ak.cuda.memory().used + 2_000_000)
    try:
        left = x[x.a > 99_990]
        ak.compute(left)
    finally:
        ak.cuda.set_memory_limit(None)
    assert left.e.to_list() == [[], [float(v) for v in range(99_991, 100_000)]]


@pytest.mark.skipif(not REAL, reason="kernels do not run: nothing is held for them")
def test_where_memory_is_short_runs_give_up_what_they_hold():
    x = on_gpu(ak.unflatten(np.arange(20_000.0), np.full(10_000, 2)))
    # Two checks: what they look at is held, as long as nobody knows whether they pass.
    sums = x[:, 0] + x[:, 1]
    ak.compute(sums)
    del x
    ak.cuda.trim_memory()
    ak.cuda.set_memory_limit(ak.cuda.memory().used + 10_000)
    try:
        y = on_gpu(np.arange(0, 20_000, 2.0))
    finally:
        ak.cuda.set_memory_limit(None)
    assert y.to_list() == [2.0 * i for i in range(10_000)]
    assert sums.to_list() == [4.0 * i + 1 for i in range(10_000)]


def test_sizes_that_are_bounded():
    x = on_gpu([[1, 2, 3], [], [4]])
    several = [ak.combinations(x, 2), ak.cartesian([x, x]), ak.cartesian([x, x], nested=True)]
    for y in (*several, ak.pad_none(x, 2), x[:, :2]):
        assert ak.explain(y).waits == 0
    assert ak.explain(ak.drop_none(on_gpu([[1, None], [None]]), axis=1)).waits == 0


@pytest.mark.parametrize("size", [0, 1, 100, 600])
def test_several_buffers_come_together(size):
    lists = [[k] * (k % 3) for k in range(size)]
    x = ak.zip({"a": lists, "b": lists, "c": np.arange(size)}, depth_limit=1)
    for part in (x, x[size // 2 :], x[["c", "a"]]):
        assert ak.to_backend(on_gpu(part), "cpu").to_list() == part.to_list()
    second = on_gpu([*lists, [1]])[:, 1]
    with pytest.raises(IndexError):
        ak.to_backend(ak.zip({"first": on_gpu(np.arange(size + 1)), "second": second}), "cpu")


def test_looking(values):
    x, there = ak.Array(values), on_gpu(values)
    assert ak.to_list(there) == ak.to_list(x)
    assert repr(there) == repr(x)
    assert there.show(stream=None) == x.show(stream=None)
    assert len(there) == len(x)
    assert [plain(v) for v in there] == [plain(v) for v in x]


def test_mixing_devices():
    x, y = ak.Array([1, 2]), on_gpu([3, 4])
    for mix in [lambda: x + y, lambda: ak.concatenate([x, y]), lambda: ak.where(y > 3, x, y)]:
        with pytest.raises(ValueError, match="to_backend"):
            ak.to_list(mix())
    with pytest.raises(ValueError, match="CPU and on the GPU"):
        ak.backend(x, y)


def test_backend_of():
    assert ak.backend(on_gpu([1])) == "cuda"
    assert ak.backend(on_gpu([1]), on_gpu(["a"])) == "cuda"
    assert ak.backend([1, 2]) == "cpu"
    assert ak.backend(1) == "cpu"


def test_backend_argument(values):
    x = ak.Array(values, backend="cuda")
    assert ak.backend(x) == "cuda" or len(x) == 0
    assert ak.backend(ak.Array(x, backend="cpu")) == "cpu"
    assert ak.to_list(ak.from_iter(values, backend="cuda")) == ak.to_list(ak.Array(values))
    for make in [ak.Array, ak.from_iter]:
        with pytest.raises(ValueError, match="tpu"):
            make([1], backend="tpu")


def test_default_backend():
    assert ak.default_backend() == "cpu"
    ak.set_default_backend("cuda")
    try:
        assert ak.default_backend() == "cuda"
        makers = [
            lambda: ak.Array([1, 2]),
            lambda: ak.Array({"x": [1, 2]}),
            lambda: ak.from_iter([[1], []]),
            lambda: ak.from_numpy(np.arange(3)),
            lambda: ak.from_awkward(awkward.Array([[1], []])),
            lambda: ak.Array(np.arange(3)),
        ]
        for make in makers:
            assert ak.backend(make()) == "cuda"
        b = ak.ArrayBuilder()
        b.append([1])
        assert ak.backend(b.snapshot()) == "cuda"
        assert ak.backend(ak.Array([1], backend="cpu")) == "cpu"
    finally:
        ak.set_default_backend("cpu")
    assert ak.backend(ak.Array([1])) == "cpu"
    with pytest.raises(ValueError, match="tpu"):
        ak.set_default_backend("tpu")


def test_lists_are_literals_in_slices():
    x = on_gpu([[1, 2], [], [3]])
    positions = [[0, 2], [True, False, True], [[1], [], [0]], np.array([0, 2])]
    for made in [*(x[p] for p in positions), x[[0, 2], [0, 0]]]:
        assert ak.backend(made) == "cuda"


def test_an_array_of_numpy_is_in_ram():
    x = on_gpu([[1, 2], [], [3]])
    ak.set_default_backend("cpu")
    with pytest.raises(ValueError, match="to_backend"):
        ak.to_list(x + np.array([1, 2, 3]))


def test_strings_are_literals_on_any_device():
    x = on_gpu(["one", "two"])
    for made in [x == "one", ak.fill_none(x, "none"), ak.where(on_gpu([True, False]), x, "no")]:
        assert ak.backend(made) == "cuda"
