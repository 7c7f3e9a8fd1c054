"""Nested arrays into functions of Numba's, beside Awkward Array's; on a GPU what a launch costs.

    python bench/own_kernels.py

Microseconds on the host: the best of several rounds, calls take turns. Of a call and of an array's
first use; loops over all items in nanoseconds an item. Launches of a kernel with three arrays are
timed where there is a GPU, beside numba.cuda's own and CuPy's, without waiting for the kernel.
"""

import importlib.util
import time

import awkward
import numba
import numpy as np

import serrate as ak


def best(calls, number, rounds=7):
    """Seconds a call of each; they take turns."""
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(number):
                call()
            times[name].append((time.perf_counter() - start) / number)
    return {name: min(t) for name, t in times.items()}


def line(what, times, unit, scale):
    ours = times["ours"]
    others = "  ".join(
        f"{name} {t * scale:.2f} ({t / ours:.1f}x)" for name, t in times.items() if name != "ours"
    )
    print(f"{what:28} ours {ours * scale:.2f} {unit}  {others}", flush=True)


@numba.njit
def length(x):
    return len(x)


@numba.njit
def products(x):
    total = 0.0
    for event in x:
        for p in event:
            total += p.pt * p.eta
    return total


@numba.njit
def by_hand(offsets, pt, eta):
    total = 0.0
    for i in range(len(offsets) - 1):
        for k in range(offsets[i], offsets[i + 1]):
            total += pt[k] * eta[k]
    return total


def columns(rows=200_000):
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 5, rows)
    return counts, rng.random(counts.sum()), rng.random(counts.sum())


def on_the_cpu():
    counts, pt, eta = columns()
    x = ak.unflatten(ak.zip({"pt": pt, "eta": eta}), counts)
    theirs = awkward.unflatten(awkward.zip({"pt": pt, "eta": eta}), counts)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    assert np.isclose(products(x), products(theirs))
    assert length(x) == length(theirs)
    assert np.isclose(products(x), by_hand(offsets, pt, eta))
    calls = {"ours": lambda: length(x), "Awkward": lambda: length(theirs)}
    calls["NumPy's array"] = lambda: length(offsets)
    length(offsets)
    line("a call", best(calls, 20_000), "us", 1e6)
    ours, others = ([a[i:] for i in range(2000)] for a in (x, theirs))
    ak.compute(*ours)
    calls = {
        "ours": lambda i=iter(ours): length(next(i)),
        "Awkward": lambda i=iter(others): length(next(i)),
    }
    line("an array's first use", best(calls, 200), "us", 1e6)
    calls = {"ours": lambda: products(x), "Awkward": lambda: products(theirs)}
    calls["by hand"] = lambda: by_hand(offsets, pt, eta)
    line("loop over lists of records", best(calls, 20), "ns an item", 1e9 / len(pt))


ADD = """extern "C" __global__ void add(const double* x, const double* y, double* out, int64_t n) {
  const int64_t i = blockIdx.x * 256l + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}"""


def launches():
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 asks for it
    import cupy
    from numba import cuda

    @cuda.jit
    def add(x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i] + y[i]

    @cuda.jit
    def of_lists(x, out):
        i = cuda.grid(1)
        if i < len(x):
            total = 0.0
            for p in x[i]:
                total += p.pt * p.eta
            out[i] = total

    n = 1000
    arrays = [cupy.random.rand(n) for _ in range(3)]
    x, y = (ak.Array(a) for a in arrays[:2])
    out = arrays[2]
    # Of its own, so that it is written where it lies.
    own = ak.to_backend(ak.Array(np.zeros(n)), "cuda")
    raw, theirs = ak.raw_kernel(ADD, "add"), cupy.RawKernel(ADD.replace("int64_t", "long"), "add")
    numbas = [cuda.as_cuda_array(a) for a in arrays]
    z = ak.to_backend(ak.Array(np.zeros(n)), "cuda")
    counts, pt, eta = columns(1000)
    nested = ak.to_backend(ak.unflatten(ak.zip({"pt": pt, "eta": eta}), counts), "cuda")
    result = ak.to_backend(ak.Array(np.zeros(1000)), "cuda")
    calls = {
        "ours": lambda: ak.cuda.launch(add, n, x, y, z),
        "numba.cuda, its arrays": lambda: add[4, 256](*numbas),
        "numba.cuda, CuPy's": lambda: add[4, 256](*arrays),
        "numba.cuda, ours": lambda: add[4, 256](x, y, z),
    }
    for call in calls.values():
        call()
    line("launch of a Numba kernel", best(calls, 2000), "us", 1e6)
    calls = {
        "ours": lambda: raw((4,), (256,), (x, y, own, n)),
        "ours, into CuPy's": lambda: raw((4,), (256,), (x, y, out, n)),
        "CuPy": lambda: theirs((4,), (256,), (*arrays, n)),
    }
    for call in calls.values():
        call()
    line("launch of a raw kernel", best(calls, 2000), "us", 1e6)
    calls = {
        "ours": lambda: ak.cuda.launch(of_lists, 1000, nested, result),
        "numba.cuda": lambda: of_lists[4, 256](nested, result),
    }
    for call in calls.values():
        call()
    line("launch with a nested array", best(calls, 2000), "us", 1e6)


if __name__ == "__main__":
    on_the_cpu()
    if ak.cuda.is_available() and importlib.util.find_spec("cupy"):
        launches()
