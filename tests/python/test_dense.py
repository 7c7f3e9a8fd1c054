# Matrices and boxes beside NumPy: expressions of their slices, which are computed as flat arrays
# where they are small, broadcasts that are written down without a walk, values written to boxes.
import itertools

import numpy as np
import pytest
from conftest import host, some

import serrate as ak

SHAPES = [(5, 4), (1, 4), (4, 1), (2, 3, 4), (5, 1, 3), (4, 3, 2, 2), (7,), (21, 21, 22), (0, 3)]
SLICES = [
    slice(None),
    slice(1, None),
    slice(None, -1),
    slice(None, None, -1),
    slice(None, None, 2),
    0,
    -1,
    None,
]
TYPES = ["f8", "f4", "i4", "bool", "c16", "m8[s]"]


def numbers(shape, dtype="f8"):
    values = np.random.default_rng(3).normal(size=shape) * 10
    return values.astype("i8").astype(dtype) if dtype == "m8[s]" else values.astype(dtype)


def same(got, expected):
    got = np.asarray(host(ak.compute(got)))
    assert got.shape == np.shape(expected)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def slices(x):
    """Slices of an array of NumPy's that it has."""
    for where in itertools.product(SLICES, repeat=min(x.ndim, 2)):
        try:
            part = x[where]
        except IndexError:
            continue
        if np.ndim(part) > 0:
            yield where, part


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_expressions_of_slices(shape, dtype):
    x = numbers(shape, dtype)
    y = ak.Array(x)
    for where, part in some(slices(x), 7):
        for f in (lambda z: z + z, lambda z: z == z, np.abs) if dtype != "bool" else (np.isnan,):
            same(f(y[where]), f(part))


@pytest.mark.parametrize("shape", [s for s in SHAPES if 0 not in s and len(s) < 4], ids=str)
def test_broadcasts_of_slices(shape):
    x = numbers(shape)
    y = ak.Array(x)
    parts = [(where, part) for where, part in slices(x) if 0 not in part.shape]
    for (a, left), (b, right) in some(list(itertools.product(parts, parts))[::5], 40):
        try:
            expected = left - right
        except ValueError:
            with pytest.raises((ValueError, IndexError)):
                ak.compute(y[a] - y[b])
            continue
        same(y[a] - y[b], expected)
        same(ak.where(y[a] > y[b], y[a], y[b]), np.where(left > right, left, right))


# Slices of as many bytes are copied to be flat (seams().dense), and not one more.
@pytest.mark.parametrize("rows", [1023, 1024, 1025])
def test_slices_around_the_seam(rows):
    x = numbers((rows, 33))
    y = ak.Array(x)
    same(y[:, 1:] * 2, x[:, 1:] * 2)
    same(y[:, :-1] - y[:, 1:], x[:, :-1] - x[:, 1:])
    box, its = ak.Array(x[:, :32].reshape(rows, 8, 4)), x[:, :32].reshape(rows, 8, 4)
    same(box + box[0], its + its[0])
    same(box[:, 1:, ::-1] + box[:, :1, :1], its[:, 1:, ::-1] + its[:, :1, :1])


def test_large_matrices():
    x = numbers((1000, 300))
    y = ak.Array(x)
    same(y + y[0], x + x[0])
    same(y - y[:, 0][:, None], x - x[:, 0][:, None])
    same(y[:, 0][:, None] * y[0], x[:, 0][:, None] * x[0])
    same(y[::2, ::-1] * y[::2], x[::2, ::-1] * x[::2])


def test_types_and_lists_stay():
    x = ak.Array(numbers((3, 4), "m8[s]"))
    assert str(ak.compute(x[:, 1:] + x[:, 1:]).type) == "3 * 3 * timedelta64[s]"
    lists = ak.Array([[1.5, 2.5], [], [3.5]])
    for y in (lists * 2 + lists, ak.compute(lists[1:]) * 2, ak.compute(lists)[1:] + lists[1:]):
        assert str(ak.compute(y).type) == f"{len(y)} * var * float64"
    assert ak.to_list(lists[1:] * 2) == [[], [7.0]]
    deep = ak.Array([[[1, 2], []], [], [[3]]])
    assert ak.to_list(deep * deep) == [[[1, 4], []], [], [[9]]]
    assert ak.to_list((deep + 1)[1:] * 2) == [[], [[8]]]
    assert ak.to_list(ak.Array([[], []]) + 1) == [[], []]
    assert ak.to_list(ak.Array([[1, None], [3]]) * 2) == [[2, None], [6]]


def test_one_long_dimension():
    x = np.arange(24.0)
    for shape in ((1, 24), (24, 1), (1, 24, 1)):
        y = ak.Array(x.reshape(shape))
        same(y[..., ::-1] + 1, x.reshape(shape)[..., ::-1] + 1)
        same(y + ak.Array(x[: shape[-1]]), x.reshape(shape) + x[: shape[-1]])


BOXES = [*SLICES[:-1], slice(3, 1), slice(-2, None), slice(None, None, -2), 1, 7]


@pytest.mark.parametrize("dtype", ["f8", "i2", "bool", "c16"])
@pytest.mark.parametrize("shape", [(5, 4), (2, 3, 4), (4, 3, 2, 2), (1, 1), (2, 0, 3)], ids=str)
def test_values_written_to_boxes(shape, dtype):
    rng = np.random.default_rng(5)
    for number in range(some(range(61), 12)[-1]):
        where = tuple(
            BOXES[k] for k in rng.integers(0, len(BOXES), rng.integers(1, len(shape) + 2))
        )
        expected = numbers(shape, dtype)
        y = ak.Array(expected.copy())
        before = ak.copy(y) if number % 2 else y[:]
        try:
            expected[where] = 1
        except IndexError:
            with pytest.raises(IndexError):
                y[where] = 1
        else:
            y[where] = 1
        same(y, expected)
        same(before, numbers(shape, dtype))


def test_values_written_to_what_is_no_box():
    y = ak.Array(np.zeros((3, 4)))
    y[1:, 2] = [5.0, 6.0]
    y[:, 0] = 1
    assert ak.to_list(y) == [[1, 0, 0, 0], [1, 0, 5, 0], [1, 0, 6, 0]]
    ragged = ak.Array([[1, 2, 3], [4, 5]])
    ragged[:, 0] = 0
    assert ak.to_list(ragged) == [[0, 2, 3], [0, 5]]
    y[..., -1] = 7
    assert ak.to_list(y[:, -1]) == [7, 7, 7]


# Short arrays of indexes are looked at while x[indexes] is written down (seams().looked_at).
@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u1", "u8"])
@pytest.mark.parametrize("count", [1, 7, 8, 9, 4095, 4096, 4097])
def test_items_at_indexes(count, dtype):
    x = numbers((7, 5))
    rng = np.random.default_rng(6)
    least = 0 if dtype.startswith("u") else -5
    rows, columns = rng.integers(least, 5, (2, count)).astype(dtype)
    y, its_rows, its_columns = ak.Array(x), ak.Array(rows), ak.Array(columns)
    same(y[its_rows], x[rows])
    same(y[its_rows, its_columns], x[rows, columns])
    same(y[its_rows, 1:], x[rows, 1:])
    same(y[1, its_columns], x[1, columns])
    same(y[:, its_columns], x[:, columns])
    same(y[its_rows, 0], x[rows, 0])
    box = numbers((6, 5, 4))
    same(ak.Array(box)[its_rows, its_columns], box[rows, columns])
    lists = ak.unflatten(ak.Array(x.ravel()), [0, 3, 10, 2, 20])
    same(ak.num(lists[its_rows]), np.array([0, 3, 10, 2, 20])[rows])


@pytest.mark.parametrize("count", [3, 8, 9, 4096, 4097])
def test_indexes_out_of_range(count):
    y = ak.Array(numbers((7, 5)))
    good = np.zeros(count, "i8")
    for bad in (7, -8, 2**62, -(2**63)):
        wrong = good.copy()
        wrong[-1] = bad
        for where in ((wrong,), (wrong, good), (good, wrong), (slice(None), wrong)):
            with pytest.raises(IndexError):
                ak.to_list(y[tuple(ak.Array(k) if k is wrong or k is good else k for k in where)])
    two = ak.Array([[1, 2, 3], [4, 5]])
    assert ak.to_list(two[:, ak.Array([-1, 0])]) == [[3, 1], [5, 4]]
    with pytest.raises(IndexError):
        ak.to_list(two[:, ak.Array([2, 0])])
    union = ak.concatenate([ak.Array(numbers((2, 3))), ak.Array([["a", "b"], ["c", "d"]])])
    assert ak.to_list(union[:, ak.Array([-1])])[2:] == [["b"], ["d"]]
    assert ak.to_list(union[ak.Array([-1, 0])])[0] == ["c", "d"]
