# Lists of lists that are joined, and flat ones that are split: of stored arrays no item moves.
import awkward
import numpy as np
import pytest
from conftest import assert_same

import serrate as ak

RNG = np.random.default_rng(14)


def nested(depth):
    """Lists in lists, some of them empty."""
    x = awkward.Array(RNG.normal(size=240))
    counts = [3, 0, 5, 4]
    while depth > 1:
        n = len(x)
        lengths = np.resize(counts, n)
        lengths = lengths[: np.searchsorted(np.cumsum(lengths), n)]
        x = awkward.unflatten(x, np.append(lengths, n - lengths.sum()))
        depth -= 1
    return x


def address(x):
    """Of the first number's memory."""
    buffers = ak.to_buffers(x)[2]
    return next(b.ctypes.data for name, b in buffers.items() if name.endswith("-data"))


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_joined_lists_are_views(depth):
    theirs = nested(depth)
    x = ak.materialize(ak.from_awkward(theirs))
    for f in (lambda ak, x: ak.ravel(x), lambda ak, x: ak.flatten(x, axis=None)):
        assert_same(f(ak, x), f(awkward, theirs))
        assert_same(f(ak, x[1:-1]), f(awkward, theirs[1:-1]))
        assert_same(f(ak, x[::-1]), f(awkward, theirs[::-1]))
        assert_same(f(ak, x[x > 0]), f(awkward, theirs[theirs > 0]))
    inner = x
    for _ in range(depth - 1):
        inner = ak.flatten(inner)
    assert_same(ak.ravel(x), awkward.Array(inner.to_list()))
    if ak.backend(x) == "cpu":
        assert address(ak.ravel(x)) == address(x)


def test_joined_lists_of_missing_ones_words_and_records():
    x = [[[1, None], None, []], None, [[2], [3, 4]]]
    assert_same(ak.flatten(ak.Array(x), axis=None), awkward.flatten(awkward.Array(x), axis=None))
    words = [[["a", "bc"], []], [], [["", "d"]]]
    assert ak.ravel(ak.Array(words)).tolist() == ["a", "bc", "", "d"]
    assert ak.ravel(ak.Array(words)[2:]).tolist() == ["", "d"]
    records = [[[{"x": 1, "y": [2]}], []], [[{"x": 3, "y": [4, 5]}]]]
    got = ak.flatten(ak.Array(records), axis=None)
    assert_same(got, awkward.flatten(awkward.Array(records), axis=None))


@pytest.mark.parametrize("t", ["i8", "i4", "u1"])
def test_counts_are_added_up(t):
    counts = RNG.poisson(2, 5_000).astype(t)
    items = RNG.normal(size=int(counts.sum()))
    got = ak.unflatten(items, counts)
    assert_same(got, awkward.unflatten(items, counts))
    assert ak.num(got).tolist() == counts.tolist()
    # Counts from the midst of others, computed ones, missing ones.
    more = ak.Array(np.concatenate([counts, counts]))
    assert ak.unflatten(items, more[5_000:]).tolist() == got.tolist()
    assert ak.unflatten(items, more[:5_000] + 0).tolist() == got.tolist()
    some = ak.mask(more[:5_000], counts > 0)
    assert ak.unflatten(items, some).tolist() == [row or None for row in got.tolist()]
    with pytest.raises(ValueError, match="add up"):
        ak.unflatten(items, counts[:-10])
    with pytest.raises(ValueError, match=r"negative.* at 1"):
        ak.unflatten(items, [1, -1])


@pytest.mark.parametrize("offsets", ["int64", "int32"])
@pytest.mark.parametrize("depth", [2, 3, 4])
def test_one_axis_of_stored_lists(depth, offsets):
    theirs = nested(depth)
    if offsets == "int32":
        form, length, buffers = awkward.to_buffers(theirs)
        form = form.to_json().replace('"offsets": "i64"', '"offsets": "i32"')
        narrow = {k: b.astype("i4") if k.endswith("-offsets") else b for k, b in buffers.items()}
        theirs = awkward.from_buffers(form, length, narrow)
    empty = theirs[:1][:, :0] if depth > 1 else theirs[:0]
    for array in (theirs, theirs[:0], theirs[2:-1], theirs[::2], empty, theirs[[0, 0, 1]]):
        x = ak.materialize(ak.from_awkward(array))
        for axis in range(1, depth):
            joined = ak.flatten(x, axis=axis)
            assert_same(joined, awkward.flatten(array, axis=axis))
            assert_same(ak.flatten(x * 2, axis=axis), awkward.flatten(array * 2, axis=axis))
            assert_same(ak.max(joined, axis=-1), awkward.max(awkward.flatten(array, axis=axis), -1))
            assert_same(joined[1:], awkward.flatten(array, axis=axis)[1:])
    x = ak.materialize(ak.from_awkward(theirs))
    if ak.backend(x) == "cpu":
        for axis in range(1, depth):
            assert address(ak.flatten(x, axis=axis)) == address(x)
    items = ak.zip({"a": x, "b": x * 2})
    want = awkward.zip({"a": theirs, "b": theirs * 2})
    for axis in range(1, depth):
        assert_same(ak.flatten(ak.materialize(items), axis=axis), awkward.flatten(want, axis=axis))
