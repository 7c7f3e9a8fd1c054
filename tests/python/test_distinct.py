# Different numbers of flat arrays, orders of close integers, small items behind dense masks: on
# both sides of the sizes and ranges at which they are found another way, beside NumPy.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(21)
SIZES = [0, 1, 7, 511, 512, 513, 5001, 100_000]
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def integers(n, dtype, spread):
    limits = np.iinfo(dtype)
    low, high = max(limits.min, -spread // 3), min(limits.max, spread)
    return RNG.integers(low, high, n, dtype=dtype, endpoint=True)


def same(x):
    for values, array in ((x, ak.Array(x)), (x[1:], ak.Array(x)[1:])):
        # NumPy 2.4 leaves some float16 out of order.
        wide = values.astype("f4") if values.dtype == "f2" else values
        want, got = np.unique(wide).astype(values.dtype), in_ram(np.unique(array))
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("spread", [1, 60, 5000, 400_000, 10_000_000, 2**61])
def test_unique_integers(n, spread):
    for dtype in INTEGERS:
        same(integers(n, dtype, spread))
    same(RNG.integers(0, 2, n) > 0)
    same(integers(n, "i8", spread).astype("M8[us]"))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_unique_floats(n, dtype):
    normal = RNG.normal(size=n).astype(dtype)
    few = (integers(n, "i8", 30) / 7).astype(dtype)
    for x in (normal, few):
        same(x)
        if n > 10:
            x[[2, 5, n - 1]] = [np.inf, -np.inf, np.inf]
            same(x)
            x[[1, n - 2]] = np.nan
            same(x)
            x[RNG.integers(0, n, n // 3)] = np.nan
            same(x)


@pytest.mark.parametrize("n", [512, 5001])
def test_unique_zeros_and_times(n):
    """Of both zeros, which are equal, the first one is kept; NaT comes once, at the end."""
    for first in (0.0, -0.0):
        x = RNG.normal(size=n)
        x[RNG.integers(0, n, n // 2)] = -0.0
        x[RNG.integers(0, n, n // 3)] = 0.0
        x[0] = first
        same(x)
        got = in_ram(np.unique(ak.Array(x)))
        assert np.signbit(got[got == 0])[0] == np.signbit(first)
    times = integers(n, "i8", 2**40).astype("M8[s]")
    times[[3, n // 2]] = np.datetime64("NaT")
    same(times)


@pytest.mark.parametrize("n", [1, 511, 512, 4097, 100_000])
@pytest.mark.parametrize("spread", [3, 2**31 - 5, 2**32 - 2, 2**32 + 5, 2**62])
def test_argsort_of_close_integers(n, spread):
    for first in (-(2**62), -7, 2**62):
        x = first + RNG.integers(0, spread, n, endpoint=True)
        x[[0, n // 2, n - 1]] = [first, first + spread // 2, first + spread // 2]
        want = np.argsort(x, kind="stable")
        np.testing.assert_array_equal(in_ram(np.argsort(ak.Array(x))), want)
        down = np.argsort(-1 - x, kind="stable")
        np.testing.assert_array_equal(in_ram(ak.argsort(ak.Array(x), ascending=False)), down)


@pytest.mark.parametrize("n", [10_000, 10_001])
def test_sort_around_what_doubles_end_with(n):
    """Keys of 64 bits are sorted as doubles where they can be."""
    ends = np.array([0x7FF0000000000000, -0x7FF0000000000000, 0, 2**63 - 1, -(2**63)], "i8")
    for some in (ends[:1], ends[:2], ends[2:3], ends):
        x = np.resize(some, n) // 1
        inside = np.clip(x, -(2**63) + 3, 2**63 - 4) + RNG.integers(-3, 4, n)
        for values in (inside, x):
            np.testing.assert_array_equal(
                in_ram(np.sort(ak.Array(values))), np.sort(values, kind="stable")
            )


@pytest.mark.parametrize("part", [0.02, 0.3, 0.5, 0.6, 0.9, 1.0])
def test_masks_of_two_bytes(part):
    for n in (31, 64, 65, 5001, 100_000):
        mask = RNG.random(n) < part
        for dtype in ("i2", "u2", "f2"):
            x = integers(n, "i2", 2**15).astype(dtype)
            np.testing.assert_array_equal(in_ram(ak.Array(x)[mask]), x[mask])
            np.testing.assert_array_equal(in_ram((ak.Array(x) + 1)[mask]), (x + 1)[mask])
            some = RNG.integers(0, n, n)
            np.testing.assert_array_equal(in_ram(ak.Array(x)[some]), x[some])
            near = np.clip(np.arange(n) + RNG.integers(-20, 21, n), 0, n - 1)
            np.testing.assert_array_equal(in_ram(ak.Array(x)[near]), x[near])
