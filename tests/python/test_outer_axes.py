"""Sets, places and differences along outer axes of ragged arrays, beside loops over plain lists."""

import random

import awkward
import numpy as np
import pytest
from conftest import both

import serrate as ak


def ragged(rng, depth, rows, missing=0.0):
    if depth == 0:
        return None if rng.random() < missing else rng.randrange(5)
    inner = [rng.randrange(4) for _ in range(rows)]
    lists = [ragged(rng, depth - 1, n, missing) for n in inner]
    return [x if depth == 1 or rng.random() >= missing else None for x in lists]


def items(x, depth, path=()):
    """Paths and values, missing ones too."""
    if depth == 0 or x is None:
        return [(path, x)] if depth == 0 else []
    return [p for i, v in enumerate(x) for p in items(v, depth - 1, (*path, i))]


def without(path, axis):
    return path[:axis] + path[axis + 1 :]


def column(values, depth, axis, path):
    key = without(path, axis)
    return [v for p, v in items(values, depth) if without(p, axis) == key and v is not None]


def rebuilt(x, depth, f, path=()):
    if x is None or depth == 0:
        return None if x is None else f(path, x)
    return [rebuilt(v, depth - 1, f, (*path, i)) for i, v in enumerate(x)]


@pytest.mark.parametrize(("depth", "axis"), [(2, 0), (3, 0), (3, 1)])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_isin_and_searchsorted(depth, axis, missing):
    rng = random.Random(depth + axis)
    for _ in range(10):
        x = ragged(rng, depth, 4, missing)
        values = ragged(rng, depth, 4)
        if axis == 1:
            values = [ragged(rng, depth - 1, 3) for _ in x]
        got = ak.isin(ak.Array(x), ak.Array(values), axis=axis)
        assert got.to_list() == rebuilt(
            x, depth, lambda p, v, of=values: v in column(of, depth, axis, p)
        )
        in_order = ak.sort(ak.Array(values), axis=axis)
        got = ak.searchsorted(in_order, ak.Array(x), axis=axis - depth)
        assert got.to_list() == rebuilt(
            x, depth, lambda p, v, of=values: sum(w < v for w in column(of, depth, axis, p))
        )


def test_without_the_axis_a_value_for_each_column():
    a = ak.Array([[1, 5], [3], [7, 9]])
    assert ak.searchsorted(a, 4, axis=0).tolist() == [2, 0]
    assert ak.searchsorted(a, [4, 9], "right", axis=0).tolist() == [2, 2]
    assert ak.isin(3, a, axis=0).tolist() == [True, False]
    words = ak.Array([["a", "b"], ["c"]])
    assert ak.isin([["b", "c"], ["c", "b", "a"]], words, axis=0).tolist() == [
        [False, False],
        [True, True, False],
    ]
    regular = np.arange(12).reshape(4, 3)
    assert ak.searchsorted(regular, [[1, 1, 6]], axis=0).tolist() == [[1, 0, 2]]
    with pytest.raises(ak.errors.AxisError):
        ak.searchsorted(a, a, axis=2)


def differences(x, depth, axis):
    """Each item less the one before it in its column; the first ones and the first row are gone."""
    last = {}

    def walk(x, depth, path):
        if x is None and depth > 0:
            return None
        if depth > 0:
            kept = [walk(v, depth - 1, (*path, i)) for i, v in enumerate(x)]
            return [v for v in kept if v is not last] if depth == 1 else kept
        key = without(path, axis)
        before = last.get(key, last)
        last[key] = x
        if before is last:
            return last
        return None if x is None or before is None else x - before

    def cut(x, axis):
        if x is None or axis == 0:
            return x and x[1:]
        return [cut(v, axis - 1) for v in x]

    return cut(walk(x, depth, ()), axis)


@pytest.mark.parametrize(("depth", "axis"), [(2, 0), (3, 0), (3, 1)])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_diff(depth, axis, missing):
    rng = random.Random(depth + axis)
    for _ in range(10):
        x = ragged(rng, depth, 4, missing)
        got = ak.diff(ak.Array(x), axis=axis)
        assert got.to_list() == differences(x, depth, axis)
    sums = ak.cumsum(ak.Array([[1, 2], [5], [7, 9, 4]]), axis=0)
    assert ak.diff(sums, axis=0).tolist() == [[5], [7, 9]]


def test_diff_again():
    assert ak.diff([[1, 2], [5], [7, 9, 4]], 2, axis=0).tolist() == [[-2]]
    cubes = np.arange(12).reshape(4, 3) ** 3
    got = ak.diff(cubes, 2, axis=0)
    assert str(got.type) == "2 * 3 * int64"
    assert got.to_list() == np.diff(cubes, 2, axis=0).tolist()


@pytest.mark.parametrize("inner", ["regular", "ragged"])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("after", ["flatten", "ravel"])
def test_joined_lists_of_reductions_of_what_is_filtered(inner, axis, after):
    x = awkward.Array([[[2, 5], [3, 1]], [[1, 7], [0, 0], [4, 4]], [], [[9, 8]]])
    if inner == "regular":
        x = awkward.to_regular(x, axis=2)
    for keepdims in (False, True):
        if (axis, keepdims) == (2, False):
            continue

        def reduced(lib, x, keepdims=keepdims):
            kept = x[lib.num(x) > 1]
            small = lib.min(kept, axis=axis, keepdims=keepdims)
            return getattr(lib, after)(small), getattr(lib, after)(small * 2 + 1)

        both(reduced, x)


@pytest.mark.parametrize("n", [5, 600, 700, 3000])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(ak.sort, np.sort), (ak.argsort, np.argsort), (ak.cumsum, np.cumsum), (ak.diff, np.diff)],
)
def test_columns_in_rows_of_several_blocks(n, ours, theirs):
    a = np.random.default_rng(n).permutation(9 * n).reshape(n, 3, 3)
    got = ours(ak.from_regular(ak.Array(a), axis=None), axis=1)
    assert got.to_list() == theirs(a, axis=1).tolist()
