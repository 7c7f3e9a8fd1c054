# Sorts and scans along the outer axes of regular arrays, which a CPU transposes, against NumPy.
import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(23)
SHAPES = [(1, 1), (5, 3), (37, 65), (64, 64), (3, 1000), (1000, 3), (4, 7, 5), (3, 2, 40, 3)]
TYPES = ["f8", "f4", "f2", "i1", "u2", "i8", "u8", "?", "c16"]


def values(shape, dtype):
    if dtype == "?":
        return RNG.random(shape) < 0.5
    return (RNG.normal(size=shape) * 50).round().astype(dtype)


def axes(x):
    return [(axis, axis - x.ndim) for axis in range(x.ndim)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", TYPES)
def test_scans_and_sorts_of_columns(shape, dtype):
    x = values(shape, dtype)
    ours = ak.Array(x)
    for axis, negative in axes(x):
        with np.errstate(all="ignore"):
            got, want = ak.cumsum(ours, axis=axis), np.cumsum(x, axis=axis)
        if dtype == "f2":  # NumPy rounds each sum
            moved = ak.Array(np.ascontiguousarray(np.moveaxis(x, axis, -1)))
            want = np.moveaxis(in_ram(ak.cumsum(moved, axis=-1)), -1, axis)
        assert np.allclose(in_ram(got), want)
        # Signs: of others products overflow, in an order that a GPU chooses.
        signs = np.where(x > 0, x.dtype.type(1), x.dtype.type(-1 if x.dtype.kind in "fic" else 0))
        assert np.array_equal(in_ram(ak.cumprod(signs, axis=axis)), np.cumprod(signs, axis=axis))
        if dtype == "c16":
            continue
        assert np.array_equal(
            in_ram(ak.sort(ours, axis=negative)), np.sort(x, axis=axis, kind="stable")
        )
        order = np.argsort(x, axis=axis, kind="stable")
        assert np.array_equal(in_ram(ak.argsort(ours, axis=axis)), order)
        descending = in_ram(ak.sort(ours, axis=axis, ascending=False))
        assert np.array_equal(descending, np.flip(np.sort(x, axis=axis, kind="stable"), axis))


FOLDS = ["prod", "min", "max", "argmin", "argmax", "any", "all"]


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("shape", [*SHAPES, (7, 1025), (2, 300, 2)], ids=str)
def test_reducers_of_columns(shape, name):
    for dtype in TYPES:
        if dtype in ("c16", "f2") and name != "prod":
            continue  # in the order of pairs; tests of reducers have them
        x = values(shape, dtype) if name != "prod" else np.sign(values(shape, "i1")).astype(dtype)
        ours = ak.Array(x)
        for axis, negative in axes(x):
            got = getattr(ak, name)(ours, axis=negative, mask_identity=False)
            want = getattr(np, name)(x, axis=axis)
            assert np.array_equal(in_ram(got), want), dtype
            # Of what is not stored, and of some rows.
            some = ours[1:] if shape[0] > 1 else ours
            got = getattr(ak, name)(some, axis=negative, mask_identity=False)
            want = getattr(np, name)(x[1:] if shape[0] > 1 else x, axis=axis)
            assert np.array_equal(in_ram(got), want), dtype
            if dtype in ("f8", "i8"):
                got = ak.fill_none(getattr(ak, name)(ours * 2 - 1, axis=axis), 0)
                assert np.allclose(in_ram(got), getattr(np, name)(x * 2 - 1, axis=axis))


def test_columns_with_nan():
    x = np.exp2(RNG.integers(-3, 4, (40, 6)))  # products are exact
    x[3, 1] = x[0, 2] = x[39, 3] = np.nan
    x[:, 4] = np.nan
    lists = [[row[c] for row in x.tolist()] for c in range(6)]
    for name in FOLDS:
        f = getattr(ak, name)
        of_lists = f(ak.Array(lists), axis=-1)  # each column as a list
        got = f(ak.Array(x), axis=0)
        assert str(got.to_list()) == str(of_lists.to_list()), name
        assert got.type == of_lists.type


@pytest.mark.parametrize("name", FOLDS)
def test_columns_of_no_rows(name):
    f = getattr(ak, name)
    x = ak.Array(np.zeros((0, 3)))
    assert f(x, axis=0).to_list() == [f(ak.Array(np.zeros(0)), axis=0)] * 3
    assert f(ak.Array(np.zeros((3, 0))), axis=0).to_list() == []


@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
def test_types_are_those_of_awkward(shape):
    x = values(shape, "f4")
    for axis in range(x.ndim):
        assert str(ak.sort(x, axis=axis).type) == str(
            awkward.sort(awkward.Array(x), axis=axis).type
        )
        got = ak.argsort(x, axis=axis)
        assert str(got.type) == str(awkward.argsort(awkward.Array(x), axis=axis).type)


def test_slices_and_what_is_made_of_matrices():
    x = values((60, 41, 4), "i8")
    ours = ak.Array(x)
    for part in (slice(7, 50), slice(None, None, -2), slice(3, 3)):
        for axis in (0, 1):
            got = ak.cumsum(ours[part] * 2, axis=axis)
            assert np.array_equal(in_ram(got), np.cumsum(x[part] * 2, axis=axis))
    got = ak.sort(ours[:, 3:17], axis=0)[:, 1:]
    assert np.array_equal(in_ram(got), np.sort(x[:, 3:17], axis=0)[:, 1:])
    total = ak.sum(ak.cumsum(ours, axis=0) - ours, axis=-1)
    assert np.array_equal(in_ram(total), (np.cumsum(x, axis=0) - x).sum(axis=-1))


def test_times_and_missing_items():
    x = values((50, 33), "i8")
    times = ak.Array(x.astype("M8[s]"))
    assert np.array_equal(in_ram(ak.sort(times, axis=0)), np.sort(x, axis=0).astype("M8[s]"))
    assert np.array_equal(in_ram(ak.argsort(times, axis=0)), np.argsort(x, axis=0, kind="stable"))
    some = ak.mask(ak.Array(x), x > 0)
    assert (
        in_ram(ak.sum(ak.cumsum(some, axis=0))) == np.cumsum(np.where(x > 0, x, 0), 0)[x > 0].sum()
    )
    floats = np.where(x > 20, np.nan, x.astype("f8"))
    assert np.array_equal(in_ram(ak.sort(floats, axis=0)), np.sort(floats, axis=0), equal_nan=True)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (2, 0, 3), (2, 3, 0)], ids=str)
def test_matrices_of_nothing(shape):
    x = np.zeros(shape)
    for axis in range(x.ndim - 1):
        for f in (ak.sort, ak.argsort, ak.cumsum):
            assert f(x, axis=axis).to_list() == x.tolist()


def test_lists_of_regular_lists():
    x = ak.unflatten(ak.Array(values((60, 5), "i8")), [0, 7, 1, 50, 2])
    for f in (ak.sort, ak.cumsum):
        want = [f(ak.Array(rows), axis=0).to_list() if rows else [] for rows in x.to_list()]
        assert f(x, axis=1).to_list() == want


def test_means_and_extremes_of_columns():
    x = values((120, 45), "f8")
    for name in ("sum", "mean", "var", "std", "min", "max", "any", "all"):
        got = in_ram(getattr(ak, name)(ak.Array(x), axis=0))
        assert np.allclose(got, getattr(np, name)(x, axis=0))
    assert str(ak.max(x, axis=0).type) == "45 * ?float64"
    assert in_ram(ak.count(ak.Array(x), axis=0)).tolist() == [120] * 45
    none = ak.Array(np.zeros((0, 3)))
    assert (
        ak.max(none, axis=0).to_list()
        == awkward.max(awkward.Array(np.zeros((0, 3))), axis=0).to_list()
    )
    assert ak.count(none, axis=0).to_list() == [0, 0, 0]


@pytest.mark.parametrize("t", ["f4", "f8", "i4", "i8"])
def test_sums_of_columns_of_all_shapes(t):
    """Rows are added four and eight at a time, wide ones in parts of eight; floats as float64."""
    shapes = [(n, c) for n in (1, 2, 3, 4, 5, 8, 9, 31) for c in (1, 8, 16, 17, 25, 1000)]
    shapes += [(70, 1000), (9, 3000), (10, 20_000), (33, 2049), (5000, 20)]
    for n, c in shapes:
        x = RNG.normal(size=(n, c)) * 100
        x = x.astype(t)
        ours = ak.Array(x)
        total, most = ak.sum(ours, axis=0), ak.mean(ours, axis=0)
        assert in_ram(total).dtype == np.sum(x, axis=0, dtype=None if t[0] == "f" else "i8").dtype
        wide = x.astype("f8")
        np.testing.assert_allclose(in_ram(total), wide.sum(axis=0), rtol=2e-6, atol=1e-3)
        np.testing.assert_allclose(in_ram(most), wide.mean(axis=0), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(
            in_ram(ak.sum(ours + 1, axis=0)), (wide + 1).sum(axis=0), rtol=2e-6, atol=1e-3
        )


def test_sums_of_columns_of_skewed_lists():
    counts = np.minimum(RNG.pareto(1, 100_000).astype(int), 3000)
    x = RNG.normal(size=counts.sum()).astype("f4")
    lists = ak.unflatten(ak.Array(x), counts)
    place = np.arange(len(x)) - np.repeat(np.cumsum(counts) - counts, counts)
    want = np.bincount(place, x.astype("f8"))
    np.testing.assert_allclose(in_ram(ak.sum(lists, axis=0)), want, rtol=1e-6, atol=1e-4)
    for f, at in ((ak.max, np.maximum), (ak.min, np.minimum)):
        want = np.full(counts.max(), -np.inf if f is ak.max else np.inf, "f4")
        at.at(want, place, x)
        np.testing.assert_array_equal(in_ram(f(lists, axis=0)), want)
