# Arrays in kernels of numba.cuda, and kernels launched by serrate.cuda.launch: on a real GPU.
import math

import numpy as np
import pytest
from conftest import HAS_GPU
from host import in_ram

import serrate as ak

if not HAS_GPU:
    pytest.skip("needs a GPU: Numba compiles for nothing else", allow_module_level=True)
if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda 0.30 asks for it
cuda = pytest.importorskip("numba.cuda")

EVENTS = [
    [
        {"pt": 1.5, "q": 1, "name": "a", "hits": [1, 2]},
        {"pt": 2.5, "q": None, "name": "bcd", "hits": []},
    ],
    [],
    [{"pt": 3.0, "q": -1, "name": "", "hits": [7]}],
]


def on_gpu(x):
    return ak.to_backend(x if isinstance(x, ak.Array) else ak.Array(x), "cuda")


@cuda.jit
def of_events(x, out):
    i = cuda.grid(1)
    if i < len(x):
        total = 0.0
        event = x[i]
        for p in event:
            total += p.pt
            q = p.q
            if q is not None:
                total += 10 * q
            total += 100 * len(p.name)
            for h in p.hits:
                total += 1000 * h
        for k in range(len(event)):
            for later in event[k + 1 :]:
                total += later["pt"]
        out[i] = total


EXPECTED = [1.5 + 10 + 100 + 3000 + 2.5 + 300 + 2.5, 0, 3 - 10 + 7000]


def test_nested_arrays_in_a_kernel():
    out = on_gpu(np.zeros(3))
    x = on_gpu(EVENTS)
    of_events[1, 32](x, out)
    assert ak.to_list(out) == EXPECTED
    of_events[1, 32](on_gpu(EVENTS[::-1])[::-1], out)  # evaluated first
    assert ak.to_list(out) == EXPECTED


def test_launch():
    out = on_gpu(np.zeros(3))
    ak.cuda.launch(of_events, 3, on_gpu(EVENTS), out)
    assert ak.to_list(out) == EXPECTED
    with pytest.raises(TypeError, match="takes 2 arguments"):
        ak.cuda.launch(of_events, 3, out)


@pytest.mark.parametrize("nested", [False, True])
def test_flat_and_regular_arrays(nested):
    @cuda.jit
    def scaled(x, by, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i] * by

    @cuda.jit
    def transposed(x, by, out):
        i, j = cuda.grid(1) // x.shape[1], cuda.grid(1) % x.shape[1]
        if i < x.shape[0]:
            out[j, i] = x[i, j] * by

    data = np.arange(6.0).reshape(2, 3) if nested else np.arange(6.0)
    f = transposed if nested else scaled
    expected = data.T * 2 if nested else data * 2
    out = on_gpu(np.zeros(expected.shape))
    f[1, 32](on_gpu(data), 2.0, out)
    np.testing.assert_array_equal(in_ram(out), expected)
    ak.cuda.launch(f, 6, on_gpu(data), 3.0, out)
    np.testing.assert_array_equal(in_ram(out), expected * 1.5)
    ak.cuda.launch(f, 6, on_gpu(data), 1, out)
    np.testing.assert_array_equal(in_ram(out), expected * 0.5)


def test_records_and_other_libraries():
    cupy = pytest.importorskip("cupy")

    @cuda.jit
    def f(r, out):
        i = cuda.grid(1)
        if i < len(r.hits):
            out[i] = r.pt * r.hits[i]

    out = cupy.zeros(2)
    x = on_gpu(EVENTS)
    ak.cuda.launch(f, 2, x[0, 0], out)
    assert out.tolist() == [1.5, 3.0]
    other = cuda.device_array(2)
    ak.cuda.launch(f, 2, x[0, 0], other)
    assert other.copy_to_host().tolist() == [1.5, 3.0]


def test_a_hundred_thousand_skewed_lists():
    rng = np.random.default_rng(2)
    counts = np.where(rng.random(100_000) < 1e-4, 5000, rng.integers(0, 5, 100_000))
    pt, eta = rng.random(counts.sum()), rng.random(counts.sum())
    x = ak.unflatten(ak.zip({"pt": pt, "eta": eta}), counts)

    @cuda.jit
    def heaviest(x, out):
        i = cuda.grid(1)
        if i < len(x):
            best = -1.0
            for p in x[i]:
                best = max(best, p.pt * math.cosh(p.eta))
            out[i] = best

    out = on_gpu(np.zeros(len(x)))
    ak.cuda.launch(heaviest, len(x), on_gpu(x), out)
    expected = ak.fill_none(ak.max(x.pt * np.cosh(x.eta), axis=-1), -1.0)
    np.testing.assert_allclose(in_ram(out), in_ram(expected), rtol=1e-12)


def test_reduce():
    x = on_gpu([[1, 5, 2], [], [7]])
    got = ak.reduce(lambda a, b: a if a > b else b, x, -1, axis=-1)
    assert ak.backend(got) == "cuda"
    assert ak.to_list(got) == [5, -1, 7]
    many = on_gpu(np.arange(1_000_000))
    assert ak.reduce(lambda a, b: a + b, many, 0) == 499999500000


def test_what_kernels_do_not_take():
    numba = pytest.importorskip("numba")
    with pytest.raises(TypeError, match="to_backend"):
        numba.njit(lambda x: len(x))(on_gpu([[1]]))
    with pytest.raises(TypeError, match="on the CPU"):
        ak.cuda.launch(of_events, 3, ak.to_backend(ak.Array(EVENTS), "cpu"), on_gpu(np.zeros(3)))
