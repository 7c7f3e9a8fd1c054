"""Operations of complex numbers, alone and in programs: what is special in either part, numbers on
both sides, sizes around registers, steps and blocks, beside NumPy."""

import itertools

import numpy as np
import pytest
from conftest import HAS_GPU, KERNELS_ARE_SLOW, some

import serrate as ak

TYPES = ("complex64", "complex128")
SIZES = (0, 1, 7, 8, 9, 63, 64, 65) + (() if KERNELS_ARE_SLOW else (4095, 4096, 4097, 100_000))
UNARY = (
    np.negative,
    np.conjugate,
    np.isnan,
    np.isinf,
    np.isfinite,
    np.logical_not,
    np.rint,
    np.real,
    np.imag,
)
COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
LOGICAL = (np.logical_and, np.logical_or, np.logical_xor)
EXTREMES = (np.maximum, np.minimum, np.fmax, np.fmin)
SPECIAL = (0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan)


def special(dtype):
    top = np.finfo(dtype).max
    parts = (*SPECIAL, top, -top, np.finfo(dtype).smallest_subnormal)
    return np.array([complex(*p) for p in itertools.product(parts, parts)], dtype)


def numbers(n, dtype, seed=0):
    """Special numbers, and in between others."""
    rng = np.random.default_rng(n + seed)
    x = (rng.normal(size=n) + 1j * rng.normal(size=n)).astype(dtype)
    chosen = rng.random(n) < 0.5
    x[chosen] = rng.choice(special(dtype), chosen.sum())
    return x


def host(x):
    return np.asarray(ak.to_backend(x, "cpu")) if isinstance(x, ak.Array) else np.asarray(x)


def parts_of(x):
    return x.view(x.real.dtype) if x.dtype.kind == "c" else x


def check(ours, expected, zeros=True):
    """Equal part by part: infinities, NaN and, if asked for, signs of zeros, too."""
    ours = host(ours)
    assert ours.dtype == expected.dtype
    a, b = parts_of(ours), parts_of(expected)
    np.testing.assert_array_equal(a, b)
    if zeros and a.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(a[a == 0]), np.signbit(b[a == 0]))


def check_rounded(ours, expected, size):
    """As check(); on a GPU, whose products and sums fuse, within a few units of the last place of
    numbers of this size, where these and the result are neither too large nor too small."""
    if not HAS_GPU:
        return check(ours, expected)
    limits = np.finfo(expected.dtype)
    near = np.isfinite(expected) & (size < limits.max / 8) & (size > limits.tiny / limits.eps)
    far = np.abs(host(ours)[near] - expected[near])
    assert (far <= 8 * limits.eps * np.broadcast_to(size, expected.shape)[near]).all()


def by_parts(a, b):
    """The product without fused operations, which NumPy's loops have on some CPUs."""
    re = a.real * b.real - a.imag * b.imag
    im = a.real * b.imag + a.imag * b.real
    return np.stack(np.broadcast_arrays(re, im), -1).copy().view(re.dtype.char.upper())[..., 0]


@pytest.mark.parametrize("dtype", TYPES)
@np.errstate(all="ignore")
def test_sizes(dtype):
    for n in SIZES:
        a, b = numbers(n, dtype), numbers(n, dtype, seed=1)
        x, y = ak.Array(a), ak.Array(b)
        for f in some(UNARY, 4):
            check(f(x), f(a))
        check_rounded(np.sign(x), np.sign(a), np.where(np.abs(a) < np.finfo(dtype).max / 2, 1, 0))
        for f in some((np.add, np.subtract, *COMPARISONS, *LOGICAL), 5):
            check(f(x, y), f(a, b))
        for f in some(EXTREMES, 2):
            check(f(x, y), f(a, b), zeros=False)
        check_rounded(x * y, by_parts(a, b), np.abs(a) * np.abs(b))
        check_rounded(np.square(x), by_parts(a, a), np.abs(a) ** 2)
        if n > 1:
            check(x[1:] - y[:-1], a[1:] - b[:-1])


@pytest.mark.parametrize("dtype", TYPES)
@np.errstate(all="ignore")
def test_numbers_on_either_side(dtype):
    a = np.concatenate([special(dtype), numbers(65, dtype)])
    x = ak.Array(a)
    for one in some(special(dtype), 17):
        for f in some((np.add, np.subtract, *COMPARISONS, *LOGICAL), 5):
            check(f(x, one), f(a, one))
            check(f(one, x), f(one, a))
        for f in some(EXTREMES, 2):
            check(f(x, one), f(a, one), zeros=False)
            check(f(one, x), f(one, a), zeros=False)
        check_rounded(x * one, by_parts(a, one), np.abs(a) * np.abs(one))
        check_rounded(one * x, by_parts(one, a), np.abs(a) * np.abs(one))


@pytest.mark.parametrize("dtype", TYPES)
@np.errstate(all="ignore")
def test_quotients(dtype):
    a = np.concatenate([special(dtype), numbers(200, dtype)])
    b = np.roll(a, 13)
    x, y = ak.Array(a), ak.Array(b)
    check_rounded(x / y, a / b, np.abs(a) / np.abs(b))
    check_rounded(np.reciprocal(x), np.reciprocal(a), 1 / np.abs(a))
    for one in some(special(dtype), 17):
        check_rounded(x / one, a / one, np.abs(a) / np.abs(one))
        check_rounded(one / x, one / a, np.abs(one) / np.abs(a))


@pytest.mark.parametrize("dtype", TYPES)
def test_powers(dtype):
    rng = np.random.default_rng(5)
    a = (rng.normal(size=1001) + 1j * rng.normal(size=1001)).astype(dtype)
    a[::100] = 0
    x = ak.Array(a)
    rtol = 1e-4 if dtype == "complex64" else 1e-12
    for k in some((0, 1, 2, 3, 4, 7, 0.5, 1 + 1j), 3):
        exponent = a.dtype.type(k)
        np.testing.assert_allclose(host(x**exponent), np.power(a, exponent), rtol)
    for k in some((-1, -2, -5), 2):
        exponent = a.dtype.type(k)
        ours = host(x**exponent)
        np.testing.assert_allclose(ours[a != 0], np.power(a[a != 0], exponent), rtol)
        assert np.isnan(ours[a == 0]).all()


@pytest.mark.parametrize("dtype", TYPES)
@np.errstate(all="ignore")
def test_programs_of_several(dtype):
    for n in some(SIZES, 3):
        a, b = numbers(n, dtype), numbers(n, dtype, seed=1)
        x, y = ak.Array(a), ak.Array(b)
        one = a.dtype.type(2 - 1j)
        difference = by_parts(a, b) - one
        check_rounded(x * y - one, difference, np.abs(a) * np.abs(b) + np.abs(one))
        if not HAS_GPU:
            check(np.conjugate(x * y - one) < y, np.conjugate(difference) < b)
        check(np.isnan(x + y) | (x == one), np.isnan(a + b) | (a == one))
        check(np.maximum(x - y, one), np.maximum(a - b, one), zeros=False)
        check(ak.real(x - y) + ak.imag(y), (a - b).real + b.imag)
        check((x - y) ** a.dtype.type(2), host(ak.Array(a - b) ** a.dtype.type(2)))


@pytest.mark.parametrize("dtype", TYPES)
def test_lists_and_mixed_types(dtype):
    rng = np.random.default_rng(7)
    counts = rng.integers(0, 9, 50)
    a = numbers(counts.sum(), dtype)
    a[np.isnan(a)] = 1
    x = ak.unflatten(ak.Array(a), counts)
    reals = rng.normal(size=len(a)).astype("float32")
    y = ak.unflatten(ak.Array(reals), counts)
    check(ak.flatten(x + y), a + reals)
    check(ak.flatten(x >= y), a >= reals)
    check(ak.flatten(np.subtract(y, x)), reals - a)
