"""Single operations, conversions and constants of whole arrays: sizes around steps, blocks and
tasks, all types, beside NumPy and Awkward."""

import os
import platform

import awkward
import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, assert_same, some
from host import in_ram

import serrate as ak

ON_GPU = os.environ.get("SERRATE_BACKEND", "cpu") != "cpu"
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


def around_powers_of_two(dtype):
    """Numbers next to those at which conversions take another way, or round to even."""
    out = []
    for k in range(65):
        for m in (1, 3):
            out += [m * 2**k + d for d in (-2049, -2048, -1025, -1024, -3, -1, 0, 1, 2, 1024, 1025)]
    out = np.array([v for v in out if 0 <= v < 2**64], "uint64")
    if np.dtype(dtype).kind == "u":
        return np.concatenate([out, np.random.default_rng(4).integers(0, 2**64, 5000, "uint64")])
    out = out[out < 2**63].astype(dtype)  # beyond, processors differ
    out = np.concatenate([out, -out, out + dtype(0.5), -out - dtype(0.75)])
    return np.concatenate([out, np.full(64, 5.25, dtype)])


@np.errstate(all="ignore")
def test_conversions_are_rounded_once():
    a = around_powers_of_two("uint64")
    x = ak.Array(a)
    for to in ("float32", "float64", "complex64", "complex128"):
        check(ak.values_astype(x, to), a.astype(to))
    check(x / 3, a / 3)
    check(np.signbit(x), np.signbit(a))
    signed = a[a < 2**63].astype("int64")
    signed = np.concatenate([signed, -signed, [np.iinfo("int64").min]])
    for part in (signed, signed[abs(signed) < 2**31], signed[::7], signed[:33]):
        for to in ("float32", "float64", "complex64", "complex128"):
            check(ak.values_astype(ak.Array(part), to), part.astype(to))
    f = np.array([0.5, -0.0, np.nan, np.inf] * 99, "f")
    check(ak.values_astype(ak.Array(f), "complex64"), f.astype("complex64"))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="as processors of this kind do it")
@pytest.mark.skipif(ON_GPU, reason="as CPUs do it")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@np.errstate(all="ignore")
def test_conversions_to_unsigned_numbers(dtype):
    a = around_powers_of_two(dtype)
    held = a[(a > -1) & (a < 2**32)]  # all of it; others between, and alone
    for part in (held, a, np.append(held, [np.nan, 1.5])):
        for n in (len(part), 63, 64, 129):
            expected = part[:n].astype("int64").astype("uint32")
            check(ak.values_astype(ak.Array(part[:n]), "uint32"), expected)


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


ALL = (*TYPES, "int16", "uint8", "float16", "complex64", "complex128")


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_conversions_between_all_types(dtype):
    for n in (0, 1, 65, *SIZES[5:]):
        a = np.abs(numbers(n, "float64")).clip(0, 90)
        a = np.nan_to_num(a).astype(dtype)
        if a.dtype.kind == "c":
            a += 1j * (np.arange(n) % 3).astype(a.real.dtype)
            a[::5] = 0
        x = ak.Array(a)
        for to in some(ALL, 5):
            if not (a.dtype.kind == "c" and np.dtype(to).kind in "iuf"):
                check(ak.values_astype(x, to), a.astype(to))
                check(ak.values_astype(x[1:], to), a[1:].astype(to))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_special_numbers_as_other_types(dtype):
    special = [np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0, 6e-8, 65504, 1e-45, 1.5]
    a = np.resize(np.array(special, dtype), 200)
    for to in ("bool", "float16", "float32", "float64", "complex64", "complex128"):
        with np.errstate(all="ignore"):
            want = a.astype(to)
        got = ak.values_astype(ak.Array(a), to)
        check(got, want)
        if to != "bool":
            there = ~np.isnan(want.real)
            got = in_ram(got)
            assert np.array_equal(np.signbit(got.real[there]), np.signbit(want.real[there]))


def chains(x, y, one):
    """Expressions of a few operations, and of more than are loops."""
    yield "scaled", (x + one) * one
    yield "twice", x * x + x
    yield "between", (x > one) & (x < y)
    yield "outside", np.logical_not((x > one) & (x != y) & (y < one))
    yield "clipped", np.minimum(np.maximum(x, -one), one)
    yield "counted", (x == y) * one + (y > one)
    total = x
    for k in range(40):  # exact in float32, however products and sums are rounded
        total = total + x if k % 8 else total * one - y
    yield "long", total


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float32", "float64"])
def test_several_operations(dtype):
    for n in (*SIZES, 511, 513, 1023, 2049):
        a, b = numbers(n, dtype), numbers(n, dtype, seed=1)
        one = a.dtype.type(3)
        x, y = ak.Array(a), ak.Array(b)
        with np.errstate(all="ignore"):
            expected = dict(chains(a, b, one))
        for name, ours in chains(x, y, one):
            check(ours, expected[name])
        # Both results at once.
        ours = (x + y) * one, (x < y) | (y > one)
        ak.compute(*ours)
        with np.errstate(all="ignore"):
            check(ours[0], (a + b) * one)
        check(ours[1], (a < b) | (b > one))


def test_what_is_never_true_or_seldom():
    n = 3000 if KERNELS_ARE_SLOW else 150_000
    rng = np.random.default_rng(5)
    a, b, c = rng.random(n).astype("f4"), rng.random(n), rng.integers(0, 100, n).astype("i2")
    x, y, z = ak.Array(a), ak.Array(b), ak.Array(c)
    mask = np.sort(a) > 0.99
    for least in (-1, 0.5, 0.99, 0.9999, 2):
        check((x > least) & (y > 0.5) & (z < 50), (a > np.float32(least)) & (b > 0.5) & (c < 50))
        check(ak.Array(mask) & (y > least), mask & (b > least))
        check(x[(x > least) & (y > 0.5)], a[(a > np.float32(least)) & (b > 0.5)])
        assert ak.sum((x > least) & (z < 50)) == ((a > np.float32(least)) & (c < 50)).sum()


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
