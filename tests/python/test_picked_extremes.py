# x[argmin(y, keepdims=True)]: an index that is known to be in range is not checked, any other is.
import awkward
import numpy as np
import pytest
from conftest import assert_same

import serrate as ak

X = awkward.Array([[3.0, 1.0, 2.0], [], [5.0], [4.0, 4.0]])
Y = awkward.Array([[1, 3, 2], [], [0], [7, 7]])
MISSING = awkward.Array([[3.0, None, 2.0], None, [None], []])
NESTED = awkward.Array([[[3, 1], []], [], [[2]], [[], [5, 6, 4]]])


def picked(lib, x, y, name, **options):
    return x[getattr(lib, name)(y, axis=-1, keepdims=True, **options)]


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@pytest.mark.parametrize("x", [X, MISSING, NESTED], ids=["lists", "missing", "nested"])
def test_extremes_are_picked(name, x):
    for y in (x, -x, x * 0):
        got, want = (picked(lib, lib.Array(x), lib.Array(y), name) for lib in (ak, awkward))
        assert_same(got, want)
    got = ak.firsts(picked(ak, ak.Array(x), ak.Array(x), name), axis=-1)
    assert_same(got, awkward.firsts(picked(awkward, x, x, name), axis=-1))


def test_other_arrays_of_the_same_lists():
    x = ak.zip({"x": X, "y": Y})
    assert picked(ak, x.x, x.y, "argmax").to_list() == [[1.0], [None], [5.0], [4.0]]
    assert picked(ak, x, x.y, "argmin").x.to_list() == [[3.0], [None], [5.0], [4.0]]
    a, b = ak.unzip(ak.combinations(ak.Array(X), 2))
    assert picked(ak, a, abs(a - b), "argmax").to_list() == [[3.0], [None], [None], [4.0]]
    some = ak.Array(X)[ak.Array(X) > 2]
    assert picked(ak, some, -some, "argmin").to_list() == [[3.0], [None], [5.0], [4.0]]


def test_no_check_is_left_of_the_lists_own_extremes():
    x = ak.materialize(ak.Array(X))
    own = ak.firsts(x[ak.argmax(x, axis=-1, keepdims=True)])
    assert "less(argmax" not in ak.explain(own).text
    other = x[ak.argmax(ak.materialize(ak.Array(Y)) * 1, axis=-1, keepdims=True)]
    assert other.to_list() == [[1.0], [None], [5.0], [4.0]]


def test_indexes_of_other_lists_are_checked():
    x, longer = ak.Array([[1.0], [2.0, 3.0]]), ak.Array([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(IndexError):
        picked(ak, x, longer, "argmax").to_list()


def without_none(y):
    """Lists of one index; -1 of no item."""
    return ak.from_regular(ak.argmax(y, axis=-1, keepdims=True, mask_identity=False))


def test_of_no_item_without_none():
    x = ak.Array([[1.0, 2.0], []])
    with pytest.raises(IndexError):
        x[without_none(x)].to_list()
    # -1 of items that do not take part is the last one.
    y = ak.mask(x[:1], [[False, False]])
    assert x[:1][without_none(y)].to_list() == [[2.0]]


@pytest.mark.parametrize("dtype", ["i1", "u4", "i8", "?"])
def test_integers_are_finite(dtype):
    x = np.array([0, 1, 1, 0]).astype(dtype)
    for f in (np.isnan, np.isinf, np.isfinite):
        got = f(ak.Array(x))
        assert got.type == ak.Array(f(x)).type
        assert got.to_list() == f(x).tolist()
        assert f(ak.Array([x, []])).to_list() == [f(x).tolist(), []]
        assert ak.sum(f(ak.Array([x, []])), axis=-1).to_list() == [int(f(x).sum()), 0]


def test_extremes_of_booleans():
    x = [[True, False], [], [False, None], [True], None]
    for f in ("max", "min"):
        for options in ({}, {"mask_identity": False}):
            got, want = (getattr(lib, f)(lib.Array(x), axis=-1, **options) for lib in (ak, awkward))
            assert_same(got, want)
        assert getattr(ak, f)(ak.Array(x), axis=None) == getattr(awkward, f)(x, axis=None)
    flat = ak.Array([True, True, False])
    assert (ak.max(flat), ak.min(flat)) == (True, False)
    assert ak.max(ak.Array(np.zeros(0, bool)), axis=None) is None
