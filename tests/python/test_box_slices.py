"""Slices, broadcasts and updates of regular arrays of several dimensions, beside NumPy's: loads go
list by list, in place, copied or repeated, at sizes around those of blocks."""

import itertools

import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, some

import serrate as ak

RNG = np.random.default_rng(36)
SHAPES = [
    (300, 41),
    (200, 130),
    (7, 5000),
    (1, 3),
    (2500, 3),
    (40, 0),
    (0, 5),
    (30, 40, 17),
    (900, 4, 3),
]
SHAPES += [(4, 60, 90), (3, 4100, 2), (5, 3, 1000), (2, 3, 4, 5), (60, 40, 31)]
if KERNELS_ARE_SLOW:
    SHAPES = [(30, 41), (9, 4, 3), (2, 3, 4, 5), (40, 0)]
TYPES = ["float64", "float32", "int16", "bool", "complex128"]
CUTS = [slice(None), slice(1, None), slice(None, -1), slice(None, None, 2), slice(None, None, -1)]
CUTS += [slice(2, 900, 3), slice(-2, None, -2)]


def numbers(shape, dtype):
    x = RNG.integers(-50, 50, shape)
    return (x + 1j * x[::-1] if dtype.startswith("complex") else x).astype(dtype)


def plain(x):
    return np.asarray(ak.to_numpy(ak.to_backend(x, "cpu")))


def same(got, expected, note):
    got = plain(got)
    assert got.shape == expected.shape, note
    assert got.dtype == expected.dtype, note
    np.testing.assert_array_equal(got, expected, str(note))


def arrays(x):
    """What it may be when it is sliced: stored, an expression, rows of others in another order."""
    yield ak.materialize(ak.Array(x))
    yield ak.Array(np.ascontiguousarray(x[::-1]))[::-1]
    rows = np.arange(len(x))
    yield ak.Array(np.concatenate([x, x]))[rows]


@pytest.mark.parametrize("dtype", some(TYPES, 3))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_slices_with_steps(shape, dtype):
    x = numbers(shape, dtype)
    for a in arrays(x):
        for first, second in itertools.product(CUTS[:5], CUTS):
            same(a[first, second], x[first, second], (first, second))
            same(np.maximum(a[first, second], 0), np.maximum(x[first, second], 0), (first, second))
            same(ak.ones_like(a[first, second]), np.ones_like(x[first, second]), (first, second))
            if len(shape) > 2:
                where = (first, slice(None), second)
                same(np.maximum(a[where], 0), np.maximum(x[where], 0), where)


@pytest.mark.parametrize("dtype", some(TYPES, 3))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_neighbours(shape, dtype):
    x = numbers(shape, dtype)
    for a in arrays(x):
        same(a[1:] * a[:-1], x[1:] * x[:-1], 0)
        same(a[:, 1:] * a[:, :-1], x[:, 1:] * x[:, :-1], 1)
        same(a[..., 1:] * a[..., :-1], x[..., 1:] * x[..., :-1], -1)
        for axis in range(-1, len(shape) - 1):
            same(np.diff(a, axis=axis), np.diff(x, axis=axis), axis)


@pytest.mark.parametrize("dtype", some(TYPES, 3))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_what_repeats(shape, dtype):
    x = numbers(shape, dtype)
    some_item = numbers(shape[1:], dtype)
    inner = numbers(shape[-1:], dtype)
    outer = numbers((shape[0],) + (1,) * (len(shape) - 1), dtype)
    middle = numbers((1,) * (len(shape) - 1) + shape[-1:], dtype)
    for a in arrays(x):
        for y in (some_item, inner, outer, middle):
            b = ak.Array(y)
            same(a * b, x * y, y.shape)
            same(b * a, y * x, y.shape)
            same(a != b, x != y, y.shape)
            same(np.maximum(a, b * b)[..., ::-1], np.maximum(x, y * y)[..., ::-1], y.shape)
        if len(x):
            same(a * a[0], x * x[0], "first")
            same(a[:, None] * a[0], x[:, None] * x[0], "pairs")
    a = ak.materialize(ak.Array(x))
    for ones in itertools.product([False, True], repeat=len(shape)):
        y = numbers(tuple(1 if one else n for one, n in zip(ones, shape, strict=True)), dtype)
        b = ak.Array(y)
        for _ in range(3):  # the last time by a plan that was kept
            same(a * b, x * y, y.shape)
        if len(y):
            same(b[0] * a, y[0] * x, y.shape)
    v = numbers((shape[0],), dtype)
    w = numbers((shape[-1],), dtype)
    same(ak.Array(v)[:, None] * ak.Array(w), v[:, None] * w, "outer product")


@pytest.mark.parametrize("dtype", some(["float64", "int8", "bool"], 2))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_items_by_index(shape, dtype):
    x = numbers(shape, dtype)
    rows = RNG.integers(0, shape[0], 2 * shape[0]) if shape[0] else np.zeros(0, int)
    columns = RNG.integers(-shape[1], shape[1], 9) if shape[1] else np.zeros(0, int)
    chosen, which = RNG.random(shape[0]) < 0.5, RNG.random(shape[1]) < 0.5
    for a in arrays(x):
        single = np.arange(shape[1]) == shape[1] // 2
        for where in (
            rows,
            chosen,
            (slice(None), columns),
            (slice(None), which),
            (slice(None), single),
        ):
            same(a[where], x[where], where)
        same(np.maximum(a[rows], 0), np.maximum(x[rows], 0), "rows")
        same(a[rows][:, ::-1], x[rows][:, ::-1], "rows, backwards")
        same(a[chosen][:, 1:] * a[chosen][:, :-1], x[chosen][:, 1:] * x[chosen][:, :-1], "mask")


def test_outputs_of_known_places_in_parallel_tasks():
    """Regular lists of a slice are written by tasks to where they go."""
    x = RNG.normal(size=(40_000, 9) if not KERNELS_ARE_SLOW else (400, 9))
    a = ak.Array(x)
    same(a[:, 1:] * 2, x[:, 1:] * 2, "")
    same(a[5:][:, ::-1] + 1, x[5:][:, ::-1] + 1, "")
    same(ak.sum(a[:, ::2] > 0, axis=1), (x[:, ::2] > 0).sum(axis=1), "")
    both = ak.zip({"x": a[:, 1:4], "y": a[:, ::4]})
    same(both.x * both.y, x[:, 1:4] * x[:, ::4], "")


def test_regular_lists_below_others():
    """Under lists of any length, and where some are missing."""
    x = RNG.normal(size=(3000, 7))
    counts = RNG.integers(0, 5, 2000)
    counts = counts[np.cumsum(counts) <= len(x)]
    x = x[: counts.sum()]
    ragged = ak.unflatten(ak.Array(x), counts)
    for cut in CUTS:
        expected = x[:, cut] * 2
        same(ak.flatten(ragged[:, :, cut] * 2), expected, cut)
        row = np.arange(expected.shape[1])
        same(ak.flatten(ragged[:, :, cut] + row[None, None]), x[:, cut] + row, cut)
    valid = RNG.random(len(x)) < 0.6
    masked = ak.mask(ak.Array(x), valid)
    assert str((masked[:, ::-1] * 2).type) == f"{len(x)} * option[7 * float64]"
    same(ak.drop_none(masked[:, ::-1] * np.arange(7)), x[valid][:, ::-1] * np.arange(7), "")


WHERE = [0, -1, 2, slice(1, 3), slice(None, None, 2), slice(None, None, -1), slice(3, 1)]
WHERE += [[0, 2], [1, 1, -1], np.zeros(0, int), (slice(None), 0), (slice(None), slice(1, None))]
WHERE += [(Ellipsis, 0), (Ellipsis, slice(None, None, 2)), (1, Ellipsis), (0, Ellipsis, -1)]
WHERE += [(0, 0), (slice(None), -1), ([0, 1], [0, 0]), (slice(1, None), [0, 1]), Ellipsis]


@pytest.mark.parametrize("dtype", some([*TYPES, "int8"], 3))
@pytest.mark.parametrize(
    "shape", [(6, 4), (5, 3, 2), (300, 50), (70, 20, 9), (5, 4, 3, 2)], ids=str
)
def test_updates(shape, dtype):
    x = numbers(shape, dtype)
    for where in WHERE:
        target = x[where]
        values = [1, x.flat[3]]
        if np.ndim(target):
            values += [target * 2, x.flat[: target.shape[-1]]]
            values += [numbers(target.shape, dtype), np.flip(target)]
        for value in values:
            a, want = ak.copy(ak.Array(x)), x.copy()
            view = a[:]
            a[where] = value
            want[where] = value
            same(a, want, where)
            same(view, x, where)


def test_updates_of_what_overlaps():
    x = numbers((50, 8), "float64")
    for into, of in [(slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))]:
        a, want = ak.copy(ak.Array(x)), x.copy()
        a[into] = a[of]
        want[into] = x[of]
        same(a, want, into)
    a, want = ak.copy(ak.Array(x)), x.copy()
    a[[0, 1]] = a[[1, 0]]
    want[[0, 1]] = x[[1, 0]]
    same(a, want, "swapped")


@pytest.mark.parametrize("where", [0, slice(1, 3), [0, 1, 2], (slice(None), 1)], ids=str)
def test_more_values_than_places(where):
    x = numbers((6, 4), "float64")
    for value in (np.ones((6, 6, 4)), np.ones((5, 4)), np.ones((6, 3))):
        a = ak.Array(x)
        with pytest.raises(ValueError):
            a[where] = value
        same(a, x, where)
