# Lists made of the items of others: where they begin is a sum, whatever these are and start at.
import awkward
import numpy as np
import pytest
from conftest import assert_same

import serrate as ak


def lists(lengths, start, index):
    offsets = (start + np.concatenate([[0], np.cumsum(lengths)])).astype(index)
    items = np.arange(offsets[-1] + 3, dtype=np.float32)
    kind = awkward.index.Index64 if index == np.int64 else awkward.index.Index32
    content = awkward.contents.NumpyArray(items)
    return awkward.Array(awkward.contents.ListOffsetArray(kind(offsets), content))


def cases():
    random = np.random.default_rng(7)
    for n, mean in [(0, 0), (1, 3), (70, 0), (70, 0.05), (900, 2.5), (200, 12)]:
        yield random.poisson(mean, n), random.poisson(mean, n)
    giant = np.zeros(400, int)
    giant[[17, 399]] = 4500, 1
    yield giant, random.poisson(1, 400)


@pytest.mark.parametrize("index", [np.int64, np.int32])
@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("lengths", list(cases()), ids=lambda c: f"{len(c[0])}-{sum(c[0])}")
def test_joined(lengths, start, index):
    a, b = lists(lengths[0], start, index), lists(lengths[1], 0, np.int64)
    x, y = ak.from_awkward(a), ak.from_awkward(b)
    joined, want = ak.concatenate([x, y], axis=1), awkward.concatenate([a, b], axis=1)
    assert_same(joined, want)
    assert_same(ak.num(joined), awkward.num(want))
    if len(want):
        assert int(ak.max(ak.num(joined))) == int(awkward.max(awkward.num(want)))
    # Of results, of slices, and of what is no sum.
    assert_same(ak.concatenate([joined, x], axis=1), awkward.concatenate([want, a], axis=1))
    assert_same(ak.concatenate([x[1:], y[1:]], axis=1), awkward.concatenate([a[1:], b[1:]], axis=1))
    assert_same(ak.concatenate([x[x > 2], y], axis=1), awkward.concatenate([a[a > 2], b], axis=1))
    assert_same(ak.cartesian([x, y], nested=True), awkward.cartesian([a, b], nested=True))


def test_joined_below():
    random = np.random.default_rng(8)
    a, b = (lists(random.poisson(2, 500), s, np.int64) for s in (3, 0))
    outer = [100, 0, 250, 150]
    a, b = awkward.unflatten(a, outer), awkward.unflatten(b, outer)
    x, y = ak.from_awkward(a), ak.from_awkward(b)
    assert_same(ak.concatenate([x, y], axis=2), awkward.concatenate([a, b], axis=2))
    assert_same(ak.concatenate([x[2:], y[2:]], axis=2), awkward.concatenate([a[2:], b[2:]], axis=2))


def test_joined_with_regular():
    a = lists([2, 0, 3], 4, np.int64)
    b = awkward.Array(np.ones((3, 2), np.float32))
    x, y = ak.from_awkward(a), ak.from_awkward(b)
    assert_same(ak.concatenate([x, y], axis=1), awkward.concatenate([a, b], axis=1))
    assert_same(ak.concatenate([y, x, y], axis=1), awkward.concatenate([b, a, b], axis=1))
