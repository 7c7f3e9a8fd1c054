"""Functions of lists on a GPU beside kernels that were written by hand for CuPy.

    python bench/gpu_apply_lists.py

Milliseconds of a call with its synchronisation, the median; calls take turns. `pairs` is a number
for each of 3M lists of records (the largest product of two), `peaks` the local maxima of 1e8
numbers: by hand a kernel that counts, CuPy's scan, and a kernel that stores.
"""

import statistics
import sys
import time

import cupy as cp
import numpy as np

import serrate as ak

PAIRS = r"""
extern "C" __global__ void pairs(const long long* offsets, const double* pt, const double* eta,
                                 double* out, long long n) {
  const long long i = blockIdx.x * 128ll + threadIdx.x;
  if (i >= n) return;
  const long long begin = offsets[i], end = offsets[i + 1];
  double best = 0;
  for (long long j = begin; j < end; ++j)
    for (long long k = j + 1; k < end; ++k) {
      const double d = eta[j] - eta[k], m = 2 * pt[j] * pt[k] * (1 + 0.5 * d * d);
      if (m > best) best = m;
    }
  out[i] = best;
}"""

PEAKS = r"""
extern "C" __global__ void count(const long long* offsets, const double* y, double least,
                                 long long* counts, long long n) {
  const long long i = blockIdx.x * 128ll + threadIdx.x;
  if (i >= n) return;
  const long long end = offsets[i + 1];
  long long found = 0;
  for (long long k = offsets[i] + 1; k < end - 1; ++k)
    if (y[k] > y[k - 1] && y[k] > y[k + 1] && y[k] > least) ++found;
  counts[i] = found;
}
extern "C" __global__ void store(const long long* offsets, const double* y, double least,
                                 const long long* ends, const long long* counts, double* out,
                                 long long n) {
  const long long i = blockIdx.x * 128ll + threadIdx.x;
  if (i >= n) return;
  const long long end = offsets[i + 1];
  long long at = ends[i] - counts[i];
  for (long long k = offsets[i] + 1; k < end - 1; ++k)
    if (y[k] > y[k - 1] && y[k] > y[k + 1] && y[k] > least) out[at++] = y[k];
}"""


def pairs(event):
    best = 0.0
    for j in range(len(event)):
        for k in range(j + 1, len(event)):
            a, b = event[j], event[k]
            d = a.eta - b.eta
            best = max(best, 2 * a.pt * b.pt * (1 + 0.5 * d * d))
    return best


def peaks(wave, least):
    for k in range(1, len(wave) - 1):
        if wave[k] > wave[k - 1] and wave[k] > wave[k + 1] and wave[k] > least:
            yield wave[k]


def medians(calls, seconds=1.0):
    """Milliseconds of each."""
    times = {name: [] for name in calls}
    for call in calls.values():
        for _ in range(3):
            call()
    cp.cuda.Device().synchronize()
    stop = time.perf_counter() + seconds * len(calls)
    while time.perf_counter() < stop:
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            cp.cuda.Device().synchronize()
            times[name].append(time.perf_counter() - begin)
    return {name: 1e3 * statistics.median(t) for name, t in times.items()}


def shown(what, times, asked):
    ours, rival = times["serrate"], times["by hand"]
    said = "  ".join(f"{name} {t:.3f} ms" for name, t in times.items())
    print(f"{what:22} {said}  {ours / rival:.2f}x, asked {asked}", flush=True)


def arrays(counts, **columns):
    offsets = np.concatenate([[0], np.cumsum(counts)])
    there = {name: cp.asarray(x) for name, x in columns.items()}
    items = (
        ak.Array(there["y"]) if "y" in there else ak.zip({k: ak.Array(v) for k, v in there.items()})
    )
    return (
        ak.materialize(ak.unflatten(items, ak.Array(cp.asarray(counts)))),
        cp.asarray(offsets),
        there,
    )


def of_pairs(n, mean):
    rng = np.random.default_rng(1)
    counts = rng.poisson(mean, n)
    size = counts.sum()
    x, offsets, c = arrays(counts, pt=rng.random(size), eta=rng.random(size))
    kernel = cp.RawKernel(PAIRS, "pairs")

    def by_hand():
        out = cp.empty(n)
        kernel(((n + 127) // 128,), (128,), (offsets, c["pt"], c["eta"], out, n))
        return out

    calls = {"serrate": lambda: ak.apply(pairs, x, axis=1), "by hand": by_hand}
    assert np.allclose(cp.asnumpy(by_hand()), ak.to_numpy(ak.to_backend(calls["serrate"](), "cpu")))
    shown(f"pairs, {n:.0e} lists of {mean}", medians(calls), "1.2x")


def of_peaks(items, mean):
    rng = np.random.default_rng(2)
    n = items // mean
    counts = rng.integers(0, 2 * mean, n)
    x, offsets, c = arrays(counts, y=rng.random(counts.sum()))
    count, store = (cp.RawKernel(PEAKS, name) for name in ("count", "store"))
    blocks = ((n + 127) // 128,)

    def by_hand():
        counts = cp.empty(n, cp.int64)
        count(blocks, (128,), (offsets, c["y"], 0.9, counts, n))
        ends = cp.cumsum(counts)
        out = cp.empty(int(ends[-1]))
        store(blocks, (128,), (offsets, c["y"], 0.9, ends, counts, out, n))
        return out

    calls = {"serrate": lambda: ak.apply(peaks, x, 0.9, axis=1), "by hand": by_hand}
    ours = ak.to_numpy(ak.to_backend(ak.flatten(calls["serrate"]()), "cpu"))
    assert np.array_equal(cp.asnumpy(by_hand()), ours)
    shown(f"peaks, {items:.0e} by {mean}", medians(calls), "1.3x")


def first_use():
    def fresh(wave):
        for v in wave:
            if v > 0.25:
                yield 3 * v

    x = ak.to_backend(ak.Array([[0.5], [], [0.1, 0.7]]), "cuda")
    begin = time.perf_counter()
    ak.apply(fresh, x, axis=1)
    print(f"first use of a generator {1e3 * (time.perf_counter() - begin):.0f} ms")
    times = medians({"small": lambda: ak.apply(fresh, x, axis=1)}, 0.3)
    print(f"the same, three lists, again {1e3 * times['small']:.0f} us")


if __name__ == "__main__":
    small = len(sys.argv) > 1
    of_pairs(3_000 if small else 3_000_000, 3)
    for mean in (10, 100):
        of_peaks(10_000 if small else 100_000_000, mean)
    first_use()
