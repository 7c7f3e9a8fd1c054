# Lengths of (x, y): special numbers, and numbers whose squares are too large or too small.
import os

import numpy as np
import pytest

import serrate as ak

ON_GPU = os.environ.get("SERRATE_BACKEND", "cpu") != "cpu"
SEAM = 2.0**120  # beyond it, and below its reciprocal, both numbers are scaled first


def on_host(x):
    return ak.to_numpy(ak.to_backend(x, "cpu"))


def numbers(dtype):
    info = np.finfo(dtype)
    # CUDA's is a ULP or two too large next to the largest number.
    largest = info.max / 2 if ON_GPU else info.max
    ends = [largest, info.tiny, info.smallest_subnormal, np.sqrt(info.max), np.sqrt(info.tiny)]
    seams = [np.nextafter(s, t) for s in (SEAM, 1 / SEAM) for t in (0.0, s, np.inf)]
    seams = [x for x in seams if info.tiny < x < info.max]
    some = np.array([0.0, 1.0, 3.0, 4.0, np.pi, np.inf, np.nan, *ends, *seams], dtype)
    return np.concatenate([some, -some])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_numbers(dtype):
    x, y = (a.ravel() for a in np.meshgrid(numbers(dtype), numbers(dtype)))
    with np.errstate(all="ignore"):
        want = np.hypot(x.astype(np.longdouble), y.astype(np.longdouble))
        got = on_host(np.hypot(ak.Array(x), ak.Array(y)))
        want = want.astype(dtype)
    assert got.dtype == dtype
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(want))
    finite = np.isfinite(want)
    np.testing.assert_array_almost_equal_nulp(got[finite], want[finite], 2)


@pytest.mark.parametrize("size", [1, 7, 63, 64, 65, 1000])
def test_neighbours_change_nothing(size):
    rng = np.random.default_rng(size)
    x, y = rng.normal(size=size), rng.normal(size=size)
    alone = on_host(np.hypot(ak.Array(x), ak.Array(y)))
    x2, y2 = np.repeat(x, 3), np.repeat(y, 3)
    x2[::3], y2[1::3] = np.inf, 1e300  # not x2[2::3], y2[2::3]
    np.testing.assert_array_equal(on_host(np.hypot(ak.Array(x2), ak.Array(y2)))[2::3], alone)


def test_absolute_values_of_complex_numbers():
    z = np.array([3 + 4j, -5e-324j, 1e200 + 1e200j, complex(np.inf, np.nan), 0, 1e-200 + 1e-200j])
    np.testing.assert_allclose(on_host(abs(ak.Array(z))), np.abs(z), rtol=2.3e-16)
