"""Functions of users: in a fused chain against a loop in C++, of lists against a loop by hand."""

import data
import loops
import numba
import numpy as np
from harness import Case, Required, close


def bent(x, y):
    return x * x + y if x > y else x - y * 0.5


def peaks(wave, least):
    for k in range(1, len(wave) - 1):
        if wave[k] > wave[k - 1] and wave[k] > wave[k + 1] and wave[k] > least:
            yield wave[k]


@numba.njit
def peaks_by_hand(offsets, y, least):
    lengths = np.zeros(len(offsets) - 1, np.int64)
    values = np.empty(len(y))
    n = 0
    for i in range(len(lengths)):
        for k in range(offsets[i] + 1, offsets[i + 1] - 1):
            if y[k] > y[k - 1] and y[k] > y[k + 1] and y[k] > least:
                values[n] = y[k]
                lengths[i] += 1
                n += 1
    return values[:n], lengths


def chain(n: int) -> Case:
    random = np.random.default_rng(5)
    x, y = random.random(n), random.random(n)
    sr = data.serrate_or_none()
    mine = [sr.from_numpy(a) for a in (x, y)] if sr else []

    def loop():
        out = np.empty(n)
        loops.call("bent", n, x, y, out)
        return out

    contestants = {
        "serrate": lambda: sr.compute(sr.apply(bent, 2 * mine[0], mine[1]) + 1),
        "C++ fused, new result": loop,
    }
    required = [Required("C++ fused, new result", at_most=1.2)]
    return Case(contestants, close(rtol=1e-12), required)


def waves(n: int) -> Case:
    random = np.random.default_rng(1)
    counts = random.integers(0, 20, n)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    y = random.random(offsets[-1])
    sr = data.serrate_or_none()
    mine = sr.unflatten(sr.from_numpy(y), sr.from_numpy(counts)) if sr else None
    contestants = {
        "serrate": lambda: sr.flatten(sr.apply(peaks, mine, 0.1, axis=1)),
        "njit by hand": lambda: peaks_by_hand(offsets, y, 0.1)[0],
    }
    return Case(contestants, close(rtol=0), [Required("njit by hand", at_most=1.1)])


CASES = {
    "apply_chain_1e6": lambda: chain(1_000_000),
    "apply_chain_1e7": lambda: chain(10_000_000),
    "apply_peaks_1e6": lambda: waves(1_000_000),
}
