# Extremes of floating numbers, which tell in the same pass whether NaN, or a number, is among them.
import warnings

import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(41)
SIZES = [1, 2, 63, 64, 65, 255, 257, 2049, 4095, 4096, 4097, 16385, 65535, 65536, 65537, 200_000]
NAMES = {"f4": "float32", "f8": "float64", "f2": "float16"}
BOTH = ["max", "min", "ptp"]
PASSED_OVER = ["nanmax", "nanmin"]


def one(x):
    """The only number of a result."""
    return float(x if np.isscalar(x) else in_ram(x).reshape(-1)[0])


def same(ours, want):
    assert np.array_equal(ours, float(want), equal_nan=True)


def with_nan_at(x, where):
    x = x.copy()
    if where is not None:
        x[where] = np.nan
    return x


@pytest.mark.parametrize("t", ["f4", "f8", "f2"])
@pytest.mark.parametrize("n", SIZES)
def test_flat(t, n):
    plain = (RNG.normal(size=n) * 100).astype(t)
    for where in (None, 0, n // 2, n - 1, slice(None, None, 3), slice(1, None)):
        x = with_nan_at(plain, where)
        if np.isnan(x).all():
            continue
        ours = ak.Array(x)
        for name in BOTH + PASSED_OVER:
            assert str(getattr(ak, name)(ours, keepdims=True).type).endswith(NAMES[t])
        for name in BOTH:
            same(one(getattr(ak, name)(ours)), getattr(np, name)(x))
        for name in PASSED_OVER:
            same(one(getattr(ak, name)(ours)), getattr(np, name)(x))
        if t != "f2":
            same(one(ak.max(ours * 2 + 1)), np.max(x * x.dtype.type(2) + x.dtype.type(1)))
            same(one(ak.nanmin(ours - 1)), np.nanmin(x - x.dtype.type(1)))


@pytest.mark.parametrize("t", ["f4", "f8"])
@pytest.mark.parametrize("n", [1, 64, 300, 5000])
def test_nothing_but(t, n):
    """Of infinities the extreme is that of nothing, of NaN there is none."""
    for value in (np.inf, -np.inf):
        x = np.full(n, value, t)
        same(one(ak.max(ak.Array(x))), x[0])
        same(one(ak.nanmax(ak.Array(x))), x[0])
        same(one(ak.nanmin(ak.Array(x))), x[0])
        x[-1] = np.nan
        assert np.isnan(one(ak.max(ak.Array(x))))
        assert np.isnan(one(ak.min(ak.Array(x))))
        if n > 1:
            same(one(ak.nanmax(ak.Array(x))), x[0])
    x = ak.Array(np.full(n, np.nan, t))
    assert ak.nanmax(x) is None
    assert ak.nanmin(x) is None
    assert one(ak.nanmax(x, mask_identity=False)) == -np.inf
    assert one(ak.nanmin(x, mask_identity=False)) == np.inf
    assert one(ak.nanmax(x, initial=3, mask_identity=False)) == 3


def test_empty():
    x = ak.Array(np.array([], "f4"))
    assert ak.max(x) is None
    assert ak.nanmax(x) is None
    assert ak.nanmin(x) is None
    assert one(ak.max(x, mask_identity=False)) == -np.inf
    assert one(ak.nanmin(x, mask_identity=False)) == np.inf


def ragged(rows, skewed=False):
    sizes = np.zeros(rows, int) if skewed else RNG.integers(0, 5, rows)
    if skewed:
        sizes[rows // 3] = 70_000
    items = RNG.normal(size=sizes.sum())
    items[RNG.random(len(items)) < 0.1] = np.nan
    return awkward.unflatten(items, sizes)


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("rows", [3, 64, 5000, 100_000])
def test_lists(rows, skewed):
    theirs = ragged(rows, skewed)
    ours = ak.Array(theirs)
    items = awkward.to_numpy(awkward.flatten(theirs))
    if len(items) == 0:
        return
    for name in BOTH:
        same(one(getattr(ak, name)(ours, axis=None)), getattr(np, name)(items))
    for name in PASSED_OVER:
        same(one(getattr(ak, name)(ours, axis=None)), getattr(np, name)(items))
    same(
        one(ak.max(ours[:, :1], axis=None)),
        np.max(awkward.to_numpy(awkward.flatten(theirs[:, :1]))),
    )
    some = items[items > 0.5]
    if len(some):
        same(one(ak.max(ours[ours > 0.5], axis=None)), some.max())
        same(one(ak.nanmax(ours[ours > 0.5], axis=None)), some.max())
    for axis in (0, 1):
        for name in ("nanmax", "nanmin", "max", "min"):
            got = awkward.Array(ak.to_list(getattr(ak, name)(ours, axis=axis)))
            want = getattr(awkward, name)(theirs, axis=axis)
            assert awkward.to_list(awkward.is_none(got)) == awkward.to_list(awkward.is_none(want))
            assert np.array_equal(awkward.drop_none(got), awkward.drop_none(want), equal_nan=True)


@pytest.mark.parametrize("t", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 70), (70, 3), (65, 1000), (1000, 65)])
def test_matrices(t, shape):
    x = RNG.normal(size=shape).astype(t)
    x[x > 1] = np.nan
    x[0, 0] = 0
    ours = ak.Array(x)
    for name in ("max", "min"):
        same(one(getattr(ak, name)(ours, axis=None)), getattr(np, name)(x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in PASSED_OVER:
            same(one(getattr(ak, name)(ours, axis=None)), getattr(np, name)(x))
            for axis in (0, 1):
                got = ak.to_list(getattr(ak, name)(ours, axis=axis))
                want = getattr(np, name)(x, axis=axis)
                assert [np.nan if v is None else v for v in got] == pytest.approx(
                    want.astype("f8"), abs=0, rel=0, nan_ok=True
                )


@pytest.mark.parametrize("n", [5, 64, 4097, 65537])
def test_missing(n):
    x = RNG.normal(size=n)
    x[::5] = np.nan
    there = RNG.random(n) < 0.7
    there[:2] = True
    ours = ak.mask(ak.Array(x), ak.Array(there))
    assert np.isnan(one(ak.max(ours))) == np.isnan(x[there]).any()
    same(one(ak.nanmax(ours)), np.nanmax(x[there]))
    same(one(ak.nanmin(ours)), np.nanmin(x[there]))
    assert ak.nanmax(ak.mask(ak.Array(x), ak.Array(np.zeros(n, bool)))) is None


def test_together():
    """Both extremes, and what else is asked of the same items, in one expression."""
    x = RNG.normal(size=70_000)
    for where in (None, 69_999):
        y = with_nan_at(x, where)
        a = ak.Array(y)
        nan = ak.any(np.isnan(a), axis=None)
        same(one(ak.max(a) - ak.min(a) + ak.nanmax(a)), np.max(y) - np.min(y) + np.nanmax(y))
        assert bool(one(nan)) == (where is not None)
        assert bool(one(ak.any(~np.isnan(a), axis=None)))
        same(one(ak.max(a) + ak.sum(np.isnan(a))), np.max(y) + np.isnan(y).sum())
