"""Functions of users on a GPU: in a fused chain of 1e8 doubles, beside the same in CUDA text, the
table's operations, and a kernel by hand; kernels of one item of what is lazy."""

import functools
import importlib.util

import cupy as cp
import numpy as np
from gpu_timing import RATE, looked

import serrate as ak

ITEMS = 100_000_000
TEXT = "double bent(double x, double y) { return x > y ? x * x + y : x - y * 0.5; }"


def bent(x, y):
    return x * x + y if x > y else x - y * 0.5


@functools.lru_cache(maxsize=1)
def columns():
    random = cp.random.default_rng(5)
    arrays = [random.random(ITEMS) for _ in range(2)]
    return arrays, [ak.Array(x) for x in arrays]


def agree(*results):
    first = cp.asarray(results[0])
    for x in results[1:]:
        cp.testing.assert_allclose(cp.asarray(x), first, rtol=1e-12)


def python_function():
    """A Python function linked into the kernel, and its text."""
    if importlib.util.find_spec("numba_cuda") is None:
        raise ImportError("numba-cuda compiles the function")
    _, (x, y) = columns()
    text = ak.device_function(TEXT)

    def ours():
        return ak.apply(bent, 2 * x, y) + 1

    def in_text():
        return text(2 * x, y) + 1

    agree(ours(), in_text())
    floor = 3 * 8 * ITEMS  # bytes
    return {"ours": looked(ours), "CUDA text": looked(in_text), "than": "CUDA text",
            "within": 1.01, "floor": floor / RATE, "percent": 90}  # fmt: skip


def device_function():
    """CUDA text in a chain, beside a kernel by hand."""
    (a, b), (x, y) = columns()
    text = ak.device_function(TEXT)
    kernel = cp.ElementwiseKernel(
        "T a, T y", "T z", "T x = 2 * a; z = (x > y ? x * x + y : x - y * 0.5) + 1", "by_hand"
    )

    def ours():
        return text(2 * x, y) + 1

    agree(ours(), kernel(a, b))
    return {"ours": looked(ours), "CuPy": lambda: kernel(a, b), "than": "CuPy", "within": 1.05}


def elementwise():
    """A kernel of one item between operations, beside CuPy's, which stores what is between."""
    (a, b), (x, y) = columns()
    operation = "T x", "T s, T c", "sincos(x, &s, &c)", "both"
    mine, theirs = ak.elementwise_kernel(*operation), cp.ElementwiseKernel(*operation)

    def ours():
        s, c = mine(x + y)
        return ak.sum(s * c)

    def by_hand():
        s, c = theirs(a + b)
        return (s * c).sum()

    np.testing.assert_allclose(float(ours()), float(by_hand()), rtol=1e-9)
    return {"ours": looked(ours), "CuPy": by_hand, "slower": "CuPy", "times_slower": 3}


def reduction():
    """A map of what is lazy, beside CuPy's reduction of what it has stored."""
    (a, b), (x, y) = columns()
    text = "T x, T y", "T z", "x * y", "a + b", "z = sqrt(a)", "0", "dot"
    mine, theirs = ak.reduction_kernel(*text), cp.ReductionKernel(*text)

    def ours():
        return mine(x + 1, y * 2)

    def by_hand():
        return theirs(a + 1, b * 2)

    np.testing.assert_allclose(float(ours()), float(by_hand()), rtol=1e-9)
    return {"ours": ours, "CuPy": by_hand, "slower": "CuPy", "times_slower": 1.3}


CASES = {
    "apply_python_1e8": python_function,
    "apply_text_1e8": device_function,
    "apply_elementwise_1e8": elementwise,
    "apply_reduction_1e8": reduction,
}
