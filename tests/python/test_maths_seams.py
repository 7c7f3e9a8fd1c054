"""Angles, powers that leave the range, and functions of float16: special values, borders of the
intervals that formulas have, sizes around steps, scalars on both sides, alone and beside others."""

import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW
from host import in_ram

import serrate as ak

SIZES = (0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65) + (
    () if KERNELS_ARE_SLOW else (4095, 4096, 4097, 100_000)
)
# A GPU's own functions err by up to 4 ULP of float32 and 2.5 of float64.
ON_GPU = ak.default_backend() == "cuda"
WIDER = {"f4": "f8", "f8": "longdouble"}


def errors(got, exact, t):
    """In ULP; what is not finite has to be equal, signs of zeros too."""
    with np.errstate(all="ignore"):
        expected = exact.astype(t)
    assert got.dtype == expected.dtype
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(got), ~numbers)
    np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(expected[numbers]))
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(got[~finite], expected[~finite])
    size = np.spacing(np.abs(expected[finite]))
    return np.max(np.abs(got[finite] - exact[finite]) / size, initial=0)


def ends(t):
    info = np.finfo(t)
    small = [info.smallest_subnormal, 3 * info.smallest_subnormal, info.tiny / 3, info.tiny]
    large = [info.max, info.max / 3, float(info.max) ** 0.6]
    numbers = [*small, *large, 1e-30, 1e-18, 1e30, 1e-5, 0.3, 1, 2, 3, 0, np.inf, np.nan]
    return np.array([s * n for n in numbers for s in (1, -1)]).astype(t)


@pytest.mark.parametrize("t", ["f4", "f8"])
def test_angles_of_ends(t):
    y, x = (m.ravel() for m in np.meshgrid(ends(t), ends(t)))
    with np.errstate(all="ignore"):
        exact = np.arctan2(y.astype(WIDER[t]), x.astype(WIDER[t]))
    got = in_ram(np.arctan2(ak.Array(y), ak.Array(x)))
    tiny = np.abs(exact) < np.finfo(t).tiny
    assert errors(got[~tiny], exact[~tiny], t) <= (4 if ON_GPU else 1)
    atol = 4 * np.finfo(t).smallest_subnormal
    np.testing.assert_allclose(got[tiny], exact[tiny].astype(t), rtol=0, atol=atol)
    for one in (-0.0, 0.0, 1.5, -np.inf, np.finfo(t).tiny):
        number = np.array(one, t)[()]
        for ours, theirs in (((x, number), (x, one)), ((number, x), (one, x))):
            got = in_ram(np.arctan2(*(ak.Array(v) if np.ndim(v) else v for v in ours)))
            with np.errstate(all="ignore"):
                exact = np.arctan2(*(np.asarray(v, WIDER[t]) for v in theirs))
            usual = ~(np.abs(exact) < np.finfo(t).tiny)
            assert errors(got[usual], exact[usual], t) <= (4 if ON_GPU else 1)


@pytest.mark.parametrize("t", ["f4", "f8"])
def test_angles_around_borders(t):
    """Slopes at which another number is looked up, in all eight parts of a turn."""
    rng = np.random.default_rng(5)
    slopes = [k / d for d in (7.9, 7.99, 8, 15.99) for k in range(17) if k <= d]
    slopes = np.array([*slopes, np.sqrt(2) - 1])
    n = 40 if KERNELS_ARE_SLOW else 400
    u = np.repeat(np.exp(rng.normal(size=n) * 4), len(slopes)).astype(t)
    w = u * np.tile(slopes, n) * (1 + rng.normal(size=u.size) * 1e-4 * rng.integers(0, 2, u.size))
    w = w.astype(t)
    for y, x in ((w, u), (u, w)):
        for sy, sx in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            a, b = sy * y, sx * x
            exact = np.arctan2(a.astype(WIDER[t]), b.astype(WIDER[t]))
            got = in_ram(np.arctan2(ak.Array(a), ak.Array(b)))
            assert errors(got, exact, t) <= (4 if ON_GPU else 1)


# SLEEF's tan of float64, of other instruction sets, reduces all of a register as the largest
# number there needs.
ALONE = [(f, t) for f in (np.arctan2, np.power, np.arcsinh, np.arccosh, np.cosh) for t in WIDER]


@pytest.mark.parametrize(("f", "t"), [*ALONE, (np.tan, "f4")])
def test_no_number_depends_on_its_neighbours(f, t):
    rng = np.random.default_rng(6)
    usual = rng.normal(size=100_000 if not KERNELS_ARE_SLOW else 500).astype(t)
    for n in SIZES:
        args = [np.resize(usual[k:], n) for k in range(f.nin)]
        if f is np.arccosh:
            args = [1 + np.abs(args[0])]
        with np.errstate(all="ignore"):
            alone = in_ram(f(*(ak.Array(a) for a in args)))
            spoiled = [a.copy() for a in args]
            special = rng.choice([np.nan, np.inf, 0, 1e38, 1e-44], n).astype(t)
            changed = rng.random(n) < 0.2
            for a in spoiled:
                a[changed] = special[changed]
            beside = in_ram(f(*(ak.Array(a) for a in spoiled)))
            shifted = in_ram(f(*(ak.Array(np.resize(a, n + 3))[3:] for a in args)))
        np.testing.assert_array_equal(beside[~changed], alone[~changed])
        again = in_ram(f(*(ak.Array(np.resize(a, n + 3)[3:]) for a in args)))
        np.testing.assert_array_equal(shifted, again)


def test_powers_beyond_the_range():
    rng = np.random.default_rng(7)
    n = 500 if KERNELS_ARE_SLOW else 20_000
    x = rng.integers(-100, 10**6, n)
    y = rng.integers(-200, 10**6, n)
    with np.errstate(all="ignore"):
        expected = np.float_power(x, y)
    got = in_ram(np.float_power(ak.Array(x), ak.Array(y)))
    np.testing.assert_allclose(got, expected, rtol=1e-15)
    base = rng.uniform(0.1, 1e6, n)
    for logarithm in (-746, -745, -740, -708, -700, 699, 705, 709, 709.7, 750, 1e6, 1e15):
        exponent = (logarithm + rng.random(n)) / np.log(base)
        with np.errstate(all="ignore"):
            exact = np.power(base.astype("longdouble"), exponent.astype("longdouble"))
            got = in_ram(np.power(ak.Array(base), ak.Array(exponent)))
        assert errors(got, exact, "f8") <= (8 if ON_GPU else 1)


HALVES = np.arange(65536, dtype=np.uint16).view(np.float16)
HALVES = np.where(np.isnan(HALVES), np.float16(np.nan), HALVES)  # no signalling ones
OF_HALVES = [np.exp, np.exp2, np.expm1, np.log, np.log1p, np.sin, np.cos, np.tan, np.tanh]
OF_HALVES += [np.sinh, np.cosh, np.arcsinh, np.arccosh, np.arctan, np.arcsin, np.cbrt, np.sqrt]
OF_HALVES += [np.absolute, np.negative, np.square, np.rint, np.reciprocal, np.log2, np.log10]


def as_halves(x):
    with np.errstate(all="ignore"):
        return np.asarray(x).astype(np.float16)


@pytest.mark.parametrize("f", OF_HALVES)
def test_functions_of_all_halves(f):
    with np.errstate(all="ignore"):
        exact = f(HALVES.astype("f8"))
        got = in_ram(f(ak.Array(HALVES)))
    expected = as_halves(exact)
    assert got.dtype == np.float16
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(got), ~numbers)
    finite = np.isfinite(expected) & np.isfinite(got)
    # Rounded once more: half a unit, and what a float32 may err.
    with np.errstate(all="ignore"):
        size = np.spacing(np.abs(expected[finite])).astype("f8")
    assert np.max(np.abs(got[finite] - exact[finite]) / size) <= 0.502
    np.testing.assert_array_equal(got[numbers & ~finite], expected[numbers & ~finite])
    zero = numbers & (expected == 0)
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))
    for n in SIZES:
        part = np.resize(HALVES[12_345:], n)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(in_ram(f(ak.Array(part))), np.resize(got[12_345:], n))
            both = in_ram(-f(ak.Array(part)))  # of steps, not of one loop
        np.testing.assert_array_equal(both, -np.resize(got[12_345:], n))


@pytest.mark.parametrize("f", [np.add, np.divide, np.maximum, np.arctan2, np.hypot, np.power])
def test_two_halves(f):
    rng = np.random.default_rng(8)
    for n in SIZES:
        a, b = (HALVES[rng.integers(0, 65536, n)] for _ in range(2))
        for x, y in ((a, b), (a, np.float16(3)), (np.float16(-0.7), b), (a, np.float16(-0.0))):
            with np.errstate(all="ignore"):
                exact = f(np.asarray(x, "f8"), np.asarray(y, "f8"))
                ours = [ak.Array(v) if np.ndim(v) else v for v in (x, y)]
                got = in_ram(f(*ours))
                steps = in_ram(-f(*ours))
                expected = exact.astype("f4").astype("f2")
            assert got.dtype == np.float16
            np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
            finite = np.isfinite(expected) & np.isfinite(got)
            with np.errstate(all="ignore"):
                size = np.spacing(np.abs(expected[finite])).astype("f8")
            error = np.abs(got[finite] - exact[finite]) / size
            assert np.max(error, initial=0) <= 0.502
            np.testing.assert_array_equal(steps, -got)
