"""concatenate of stored arrays of every layout along every axis: memory is copied, run by run."""

import awkward
import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, host, some

import serrate as ak

RNG = np.random.default_rng(23)
ROWS = 60 if KERNELS_ARE_SLOW else 300


def lists(content, rows=None):
    """Skewed lists of what content(n) makes, as Awkward's layout."""
    rows = len(content) if rows is None else rows
    counts = np.minimum(RNG.pareto(1.2, rows) * 1.5, 90).astype("int64")
    return awkward.unflatten(content(int(counts.sum())), counts)


def floats(n):
    return awkward.Array(RNG.integers(-99, 99, n) / 4)


def small(n):
    return awkward.Array(RNG.integers(0, 99, n).astype("int8"))


def records(n):
    return awkward.zip({"x": floats(n), "n": small(n)})


def missing(content):
    return lambda n: awkward.mask(content(n), RNG.random(n) < 0.8)


def words(n):
    return awkward.Array(["", "one", "three", "somewhat longer"])[RNG.integers(0, 4, n)]


def mixed(n):
    tags = awkward.index.Index8(RNG.integers(0, 2, n).astype("int8"))
    index = awkward.index.Index64(np.arange(n))
    members = floats(n).layout, words(n).layout
    return awkward.Array(awkward.contents.UnionArray(tags, index, members))


def wide(n):
    return awkward.zip({f"c{i}": floats(n) for i in range(9)})


def regular(content, size):
    return lambda n: awkward.Array(
        awkward.contents.RegularArray(awkward.to_packed(content(n * size)).layout, size, n)
    )


def nested(content):
    return lambda n: lists(content, n)


CONTENTS = {
    "floats": floats,
    "small": small,
    "records": records,
    "wide records": wide,
    "missing": missing(floats),
    "missing records": missing(records),
    "words": words,
    "mixed": mixed,
    "complex": lambda n: floats(n) + 1j,
}
SHAPES = {
    "lists": lambda c: nested(c)(ROWS),
    "lists of lists": lambda c: nested(nested(c))(ROWS // 2),
    "regular": lambda c: regular(c, 3)(ROWS),
    "regular of lists": lambda c: regular(nested(c), 2)(ROWS),
    "lists of regular": lambda c: nested(regular(c, 2))(ROWS),
    "three": lambda c: nested(nested(nested(c)))(ROWS // 8),
    "a box": lambda c: regular(regular(c, 2), 3)(ROWS),
    "no rows": lambda c: nested(nested(c))(0),
}
PARTS = {
    "twice": lambda x: [x, x],
    "a slice": lambda x: [x[5:], x[:-5], x[5:]],
    "beside computed": lambda x: [x, x[::-1]],
    "one": lambda x: [x],
}


@pytest.mark.parametrize("content", some(CONTENTS, 3))
@pytest.mark.parametrize("shape", some(SHAPES, 3))
def test_as_awkward(shape, content):
    theirs = SHAPES[shape](CONTENTS[content])
    ours = ak.materialize(ak.Array(theirs))
    for name, parts in PARTS.items():
        for axis in (0, 1, 2, -1):
            try:
                expected = awkward.concatenate(parts(theirs), axis=axis)
            except (ValueError, IndexError):
                continue
            got = host(ak.concatenate([ak.materialize(p) for p in parts(ours)], axis=axis))
            assert got.to_list() == expected.to_list(), (name, axis)
            assert str(got.type) == str(expected.type), (name, axis)
            assert ak.is_valid(got)


@pytest.mark.parametrize("axis", [1, 2])
def test_lists_of_unequal_lengths(axis):
    x = ak.materialize(ak.Array([[[1, 2], [3]], [[4]]] * 40))
    y = ak.materialize(ak.Array([[[1, 2], [3]], [[4], [5]]] * 40))
    if axis == 1:
        assert ak.to_list(ak.concatenate([x, y], axis=1))[1] == [[4], [4], [5]]
        return
    with pytest.raises(ValueError, match="lengths 1 and 2 at position 1"):
        host(ak.concatenate([x, y], axis=axis))


def test_columns_of_matrices():
    x = np.arange(3000.0).reshape(1000, 3)
    got = host(ak.concatenate([ak.Array(x), ak.Array(-x), ak.Array(x)], axis=1))
    np.testing.assert_array_equal(ak.to_numpy(got), np.concatenate([x, -x, x], axis=1))
    box = np.arange(3000).reshape(100, 5, 6)
    for axis in (0, 1, 2):
        got = host(ak.concatenate([ak.Array(box), ak.Array(box * 2)], axis=axis))
        np.testing.assert_array_equal(ak.to_numpy(got), np.concatenate([box, box * 2], axis=axis))


MIXED = {
    "widths": lambda x, y: [x, x[:, :1], y[:, :2]],
    "types": lambda x, y: [x, y],
    "types of lists": lambda x, y: [x[:, :, :2] if x.ndim > 2 else x, y],
    "regular and not": lambda x, y: [x, awkward.from_regular(y)],
}


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("shape", [(ROWS, 3), (ROWS // 5, 4, 6), (0, 3)], ids=str)
def test_widths_and_types(shape, name):
    n = int(np.prod(shape))
    x = awkward.Array(RNG.integers(-9, 9, n).reshape(shape) / 2)
    y = awkward.Array(RNG.integers(-9, 9, n).reshape(shape).astype("int16"))
    parts = MIXED[name](x, y)
    for axis in range(1, len(shape)):
        try:
            expected = awkward.concatenate(parts, axis=axis)
        except (ValueError, IndexError):
            continue
        for each in (ak.Array, lambda v: ak.Array(v) * 1, lambda v: ak.materialize(ak.Array(v))):
            got = host(ak.concatenate([each(p) for p in parts], axis=axis))
            assert got.to_list() == expected.to_list(), axis
            if shape[0]:
                assert str(got.type) == str(expected.type), axis


@pytest.mark.parametrize("mergebool", [False, True])
def test_booleans_beside_numbers(mergebool):
    x, y = np.arange(3.0 * ROWS).reshape(ROWS, 3), np.arange(3 * ROWS).reshape(ROWS, 3) % 2 == 0
    expected = awkward.concatenate([x, y], axis=1, mergebool=mergebool)
    got = host(ak.concatenate([ak.Array(x), ak.Array(y)], axis=1, mergebool=mergebool))
    assert got.to_list() == expected.to_list()
    assert str(got.type) == str(expected.type)


def test_regular_lists_of_nothing():
    """As in NumPy; in Awkward there is no row left."""
    x = np.zeros((50, 0))
    got = host(ak.concatenate([ak.Array(x), ak.Array(x)], axis=1))
    assert str(got.type) == "50 * 0 * float64"
    assert got.to_list() == [[]] * 50


@pytest.mark.parametrize("content", CONTENTS)
def test_copies(content):
    theirs = nested(CONTENTS[content])(ROWS)
    for ours in (ak.Array(theirs), ak.materialize(ak.Array(theirs)), ak.Array(theirs)[2:]):
        copy = host(ak.copy(ours))
        assert copy.to_list() == ours.to_list()
        assert str(copy.type) == str(ours.type)
        assert ak.is_valid(copy)
