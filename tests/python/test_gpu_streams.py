# Streams, threads and checks that wait, on a GPU: collected only where there is one, and CuPy.
import threading
from concurrent.futures import ThreadPoolExecutor

import cupy as cp
import numpy as np
import pytest
from gpu import cupy_there, on_gpu

import serrate as ak

N = 1 << 20


@pytest.fixture(autouse=True)
def _on_the_same_gpu():
    with cupy_there():
        yield


class Gate:
    """The stream waits here until the gate is opened: what returns before has not waited.

    Kernels must be loaded before, and CuPy's memory be there: both may wait for the whole GPU.
    """

    def __init__(self, stream):
        self._open = threading.Event()
        self._passed = cp.cuda.Event()
        stream.launch_host_func(lambda _: self._open.wait(10), None)
        self._passed.record(stream)

    def is_closed(self):
        return not self._passed.done

    def open(self):
        self._open.set()


@pytest.fixture
def stream():
    s = cp.cuda.Stream(non_blocking=True)
    with s, ak.cuda.stream(s):
        yield s
    s.synchronize()


def ragged(values, length=4):
    return ak.unflatten(ak.Array(values), np.full(len(values) // length, length))


def test_work_is_on_the_users_stream(stream):
    assert ak.cuda.current_stream() == stream.ptr

    def work():
        a = cp.arange(N, dtype=np.float64)
        y = ak.Array(a) * 3
        ak.compute(y)
        return a, y

    kept = [work(), work()]  # as much memory at once as there will be
    stream.synchronize()
    del kept
    gate = Gate(stream)
    _a, y = work()  # nothing of it is there yet
    assert gate.is_closed()
    gate.open()
    b = cp.asarray(y) + 1  # waits for the stream, as CuPy does for arrays of others
    np.testing.assert_array_equal(b.get(), np.arange(N) * 3 + 1)


def test_a_stream_of_another_library():
    own = cp.cuda.Stream(non_blocking=True)

    class Torch:
        cuda_stream = own.ptr

    with ak.cuda.stream(Torch()):
        assert ak.cuda.current_stream() == Torch.cuda_stream
        x = on_gpu(ak.Array([1, 2, 3])) + 1
        ak.compute(x)
    assert ak.to_list(x) == [2, 3, 4]


def test_memory_that_the_gpu_may_not_read():
    class Host:
        __cuda_array_interface__ = np.arange(5).__array_interface__

    if not cp.cuda.Device().attributes["PageableMemoryAccess"]:
        with pytest.raises(ValueError, match=r"Host says .* no GPU can read it"):
            ak.Array(Host())
    pinned = cp.cuda.alloc_pinned_memory(40)
    values = np.frombuffer(pinned, np.int64, 5)
    values[:] = np.arange(5)

    class Pinned:
        __cuda_array_interface__ = values.__array_interface__
        memory = pinned

    assert ak.to_list(ak.Array(Pinned()) + 1) == [1, 2, 3, 4, 5]


@pytest.mark.skipif(cp.cuda.runtime.getDeviceCount() < 2, reason="there is one GPU")
def test_memory_and_streams_of_another_gpu():
    ours = on_gpu(ak.Array([1, 2])).__dlpack_device__()[1]
    with cp.cuda.Device(1 - ours):
        other, stream = cp.arange(3), cp.cuda.Stream()
        offsets = cp.asarray([0, 1, 3])
    form = {"class": "NumpyArray", "primitive": "int64", "form_key": "x"}
    for use in [
        lambda: ak.Array(other),
        lambda: ak.from_cupy(other),
        lambda: ak.from_dlpack(other),
        lambda: on_gpu(ak.Array([1, 2, 3])) + other,
        lambda: ak.from_buffers(form, 3, {"x-data": other}),
        lambda: ak.unflatten(on_gpu(ak.Array([1, 2, 3])), offsets),
    ]:
        with pytest.raises(ValueError, match=f"is on GPU {1 - ours}, .* GPU {ours}"):
            use()
    with pytest.raises(ValueError, match=f"stream: one of GPU {1 - ours}"):
        ak.cuda.stream(stream).__enter__()
    # Nothing is left behind, and the thread's own GPU is what it was.
    with cp.cuda.Device(1 - ours):
        x = on_gpu(ak.Array([[1, 2], [], [3]]))
        assert ak.to_list(ak.sum(x[x > 1] ** 2, axis=-1)) == [4, 0, 9]
        assert ak.to_list(ak.from_dlpack(x[0])) == [1, 2]
        assert ak.to_cupy(x[0]).device.id == ours
        assert cp.cuda.runtime.getDevice() == 1 - ours
    assert cp.asarray(ak.flatten(x)).device.id == ours


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x * 2.5,
        lambda x: ak.sum(x, axis=-1),
        lambda x: ak.num(ak.combinations(x, 2)),
        lambda x: ak.histogram(x, 10, 0, 10),
        lambda x: x[:, 1],
        lambda x: x + ak.firsts(x),
    ],
)
def test_nothing_waits_until_somebody_looks(stream, work):
    x = on_gpu(ragged(np.arange(N) % 97 / 10))
    want = ak.to_list(work(ak.to_backend(x, "cpu")))
    ak.compute(ak.compute(work(x)) + 1)  # kernels are loaded
    gate = Gate(stream)
    y = work(x)
    ak.compute(y)
    z = ak.compute(y + 1)
    assert gate.is_closed()
    gate.open()
    np.testing.assert_allclose(ak.to_list(y), want)
    np.testing.assert_allclose(ak.to_list(z), np.add(want, 1))


def test_checks_wait_until_somebody_looks(stream):
    rows = [4] * 1000
    rows[617] = 2
    host = ak.unflatten(np.arange(sum(rows)), rows)
    x = on_gpu(host)
    with pytest.raises(IndexError) as right:
        ak.to_list(host[:, 3])
    whole = on_gpu(ragged(np.arange(4000)))
    ak.compute(ak.compute(whole[:, 3]) * 2)  # kernels are loaded
    ak.compute(whole[:, 1])
    gate = Gate(stream)
    third = x[:, 3]
    ak.compute(third)
    later = third * 2
    ak.compute(later)
    fine = x[:, 1]
    ak.compute(fine)
    assert gate.is_closed()
    gate.open()
    for bad in (third, later, third, later + 1):
        with pytest.raises(IndexError) as error:
            ak.to_list(bad)
        assert str(error.value).split(": index")[1] == str(right.value).split(": index")[1]
    with pytest.raises(IndexError):
        ak.sum(later)
    with pytest.raises(IndexError):
        cp.asarray(third)
    with pytest.raises(IndexError):
        ak.to_list(ak.sort(third))
    assert ak.to_list(fine) == ak.to_list(host[:, 1])


def test_lengths_are_compared_before_anybody_relies_on_them():
    a = on_gpu(ak.Array([[1, 2], [3], [4, 5]]))
    b = on_gpu(ak.Array([[1, 2], [3], [4]]))
    for bad in (lambda: a + b, lambda: (a + b)[a > 1], lambda: ak.flatten(a * b)):
        with pytest.raises(ValueError, match="lengths 2 and 1 at position 2"):
            ak.to_list(bad())
    assert ak.to_list(a + a) == [[2, 4], [6], [8, 10]]


def test_many_checks_that_nobody_looks_at():
    x = on_gpu(ragged(np.arange(400)))
    y = x[:, 0]
    for i in range(1500):  # more than there are words for
        y = ak.compute(x[:, i % 4] * 1) if i % 100 else ak.compute(y + x[:, 1])
    assert ak.to_list(y) == ak.to_list(ak.to_backend(x, "cpu")[:, 1499 % 4])


def test_threads_use_the_library_at_once():
    host = ak.to_backend(ragged(np.random.default_rng(1).random(40_000)), "cpu")
    x = on_gpu(host)
    tasks = {
        "sum": lambda a, c: ak.sum(a * c, axis=-1),
        "mask": lambda a, c: a[a > c / 20],
        "pairs": lambda a, c: ak.max(heights(a) + c, axis=-1),
        "item": lambda a, c: a[:, c % 4],
        "sorted": lambda a, c: ak.sort(a * c, axis=-1),
    }

    def heights(a):
        first, second = ak.unzip(ak.combinations(a, 2))
        return np.sqrt(first * second)

    def work(i):
        with cupy_there():
            return work_there(i)

    def work_there(i):
        own = cp.cuda.Stream(non_blocking=True) if i % 2 else None
        name, task = list(tasks.items())[i % len(tasks)]
        if own is None:
            return i, name, ak.to_backend(task(x, i % 7), "cpu")
        with own, ak.cuda.stream(own):
            return i, name, ak.to_backend(task(x, i % 7), "cpu")

    with ThreadPoolExecutor(8) as pool:
        for i, name, got in pool.map(work, range(60)):
            want = tasks[name](host, i % 7)
            if want.ndim > 1:
                np.testing.assert_array_equal(ak.num(got), ak.num(want))
            numbers = [np.asarray(ak.drop_none(ak.flatten(a, axis=None))) for a in (got, want)]
            np.testing.assert_allclose(*numbers, rtol=1e-12)
            np.testing.assert_array_equal(ak.is_none(got), ak.is_none(want))


def test_arrays_go_from_stream_to_stream():
    x = on_gpu(ak.Array(np.arange(N, dtype=np.float64)))
    for _ in range(20):
        s = cp.cuda.Stream(non_blocking=True)
        with s, ak.cuda.stream(s):
            x = x + 1
            ak.compute(x)
    np.testing.assert_array_equal(ak.to_numpy(ak.to_backend(x, "cpu")), np.arange(N) + 20.0)
