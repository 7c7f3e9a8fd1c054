"""Single operations, conversions and constants of whole arrays: sizes around steps, blocks and
tasks, all types, beside NumPy and Awkward."""

import awkward
import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, assert_same, some
from host import in_ram

import serrate as ak

SIZES = (0, 1, 15, 64, 65, 4097) + (() if KERNELS_ARE_SLOW else (8191, 8192, 8193, 70_001))
TYPES = ("bool", "int8", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
UNARY = (np.negative, np.absolute, np.square, np.sign, np.isnan, np.isfinite, np.logical_not)
BINARY = (np.add, np.subtract, np.maximum, np.fmin, np.less, np.not_equal, np.logical_or)


def numbers(n, dtype, seed=0):
    rng = np.random.default_rng(n + seed)
    x = rng.integers(-100, 100, n)
    if dtype == "bool":
        return x > 0
    x = np.abs(x).astype(dtype) if dtype[0] == "u" else x.astype(dtype)
    if dtype[0] == "f":
        x[rng.random(n) < 0.1] = np.nan
        x[rng.random(n) < 0.1] = np.inf
    return x


def check(ours, expected):
    if isinstance(ours, ak.Array):
        ours = ak.to_backend(ours, "cpu")
    ours = np.asarray(ours)
    assert ours.dtype == expected.dtype
    np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("dtype", TYPES)
@np.errstate(all="ignore")
def test_operations(dtype):
    for n in SIZES:
        a, b = numbers(n, dtype), numbers(n, dtype, seed=1)
        x, y = ak.Array(a), ak.Array(b)
        one = a.dtype.type(3)
        for f in some(UNARY, 4):
            if dtype == "bool" and f in (np.negative, np.sign, np.square):
                continue
            check(f(x), f(a))
        for f in some(BINARY, 4):
            if dtype == "bool" and f is np.subtract:
                continue
            check(f(x, y), f(a, b))
            check(f(x, x), f(a, a))
            check(f(x, one), f(a, one))
            check(f(one, x), f(one, a))
            check(f(x[1:], y[:-1]), f(a[1:], b[:-1]))


@pytest.mark.parametrize("dtype", TYPES)
def test_conversions_and_constants(dtype):
    for n in SIZES:
        a = numbers(n, dtype)
        finite = np.where(np.isfinite(a), a, a.dtype.type(0))
        x = ak.Array(finite)
        for to in some(("bool", "int16", "int64", "float16", "float32", "float64"), 3):
            check(ak.values_astype(x, to), finite.astype(to))
        check(ak.zeros_like(x), np.zeros_like(finite))
        check(ak.full_like(x, 1), np.full_like(finite, 1))
        check(ak.full_like(x, -77.5, dtype="float64"), np.full(n, -77.5))
        check(ak.max(x) if n else x, finite.max() if n else finite)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float64"])
def test_lists_and_missing_items(dtype):
    rng = np.random.default_rng(3)
    rows = 500 if KERNELS_ARE_SLOW else 100_000
    counts = np.minimum(rng.pareto(1.0, rows), 2000).astype(int)
    counts[rng.random(rows) < 0.3] = 0
    lists = awkward.unflatten(numbers(counts.sum(), dtype), counts)
    x = ak.from_awkward(lists)
    assert_same(x[:300] == x[:300], lists[:300] == lists[:300])
    check(ak.sum(x == x, axis=1), awkward.to_numpy(awkward.sum(lists == lists, axis=1)))
    flat = awkward.to_numpy(awkward.flatten(lists))
    check(ak.flatten(np.logical_not(x)), np.logical_not(flat))
    check(ak.flatten(ak.values_astype(x, "float32")), flat.astype("float32"))
    check(ak.flatten(ak.isnan(x)), np.isnan(flat))
    options, theirs = ak.firsts(x)[:2000], awkward.firsts(lists)[:2000]
    assert_same(np.logical_not(options), np.logical_not(theirs))
    assert_same(ak.ones_like(options), awkward.ones_like(theirs))


def test_differences_of_booleans():
    for n in (*SIZES[:6], 9000):
        a = numbers(n, "bool")
        for k in (1, 2, 3):
            check(ak.diff(ak.Array(a), n=k), np.diff(a, n=k))
    m = numbers(600, "bool").reshape(20, 30)
    for axis in (0, 1, -1):
        assert ak.diff(ak.Array(m), axis=axis).to_list() == np.diff(m, axis=axis).tolist()


@pytest.mark.parametrize(("name", "bound"), [("exp", 104), ("tanh", 9)])
def test_functions_far_beyond_their_ends(name, bound):
    """Bounds that arguments of float32 are cut to."""
    edge = np.float32(bound)
    near = [edge, np.nextafter(edge, np.float32(0)), np.nextafter(edge, np.float32(np.inf))]
    far = np.array([*near, 88.7, 88.8, 8.6, 8.7, 1e4, 3e38, np.inf, np.nan, 0.0, -0.0], "f4")
    x = np.resize(np.concatenate([far, -far]), 500)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x.astype("f8")).astype("f4")
    got = in_ram(getattr(np, name)(ak.Array(x)))
    np.testing.assert_allclose(got, want, rtol=4e-7, atol=1e-44)
    assert np.array_equal(np.signbit(got[~np.isnan(x)]), np.signbit(want[~np.isnan(x)]))
