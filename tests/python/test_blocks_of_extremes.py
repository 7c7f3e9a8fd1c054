# Extremes and their places, whose blocks are as long as tasks, and which are looked for 64 items at
# a time, against NumPy.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(31)
TYPES = ["f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]
SIZES = [1, 15, 16, 63, 64, 65, 127, 128, 129, 2047, 2048, 2049, 4097, 65_537, 150_000]


def numbers(t, n):
    x = RNG.normal(size=n) * 1000
    return x > 500 if t == "?" else x.astype("i8").astype(t)


@pytest.mark.parametrize("t", TYPES)
def test_flat(t):
    for n in SIZES:
        x = numbers(t, n)
        for place in {0, n // 3, n // 64 * 64 - 1, n - 1}:
            for best in (False, True) if t == "?" else (x.min(), x.max()):
                y = x.copy()
                y[place] = best  # where it may be the first, or not
                ours = ak.Array(y)
                for f in (np.argmax, np.argmin, np.max, np.min, np.any, np.all):
                    assert f(ours) == f(y), (f, n, place)


@pytest.mark.parametrize("t", ["i2", "i8", "u4"])
def test_sums_of_integers(t):
    for n in SIZES:
        x = numbers(t, n)
        assert np.sum(ak.Array(x)) == np.sum(x)
        assert np.count_nonzero(ak.Array(x)) == np.count_nonzero(x)


@pytest.mark.parametrize("t", TYPES)
def test_rows(t):
    for n in (16, 17, 64, 100, 128, 130, 1000, 2100):
        x = numbers(t, 20 * n).reshape(20, n)
        x[3] = x[3, 0]
        x[4] = np.sort(x[4])
        x[5] = np.sort(x[5])[::-1]
        ours = ak.Array(x)
        for f in (ak.argmax, ak.argmin):
            want = getattr(np, f.__name__)(x, axis=1)
            np.testing.assert_array_equal(in_ram(f(ours, axis=1)), want)


def test_nan_and_skewed_lists():
    counts = np.minimum(RNG.pareto(1, 100_000).astype(int), 5000) + 1
    x = RNG.normal(size=counts.sum()).astype("f4")
    x[RNG.random(len(x)) < 0.05] = np.nan
    starts = np.cumsum(counts) - counts
    x[starts] = 0
    got = in_ram(ak.argmax(ak.unflatten(ak.Array(x), counts), axis=1))
    want = [np.nanargmax(x[s : s + n]) for s, n in zip(starts, counts, strict=True)]
    np.testing.assert_array_equal(got, want)
