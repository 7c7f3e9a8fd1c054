# Lists made of the items of others: where they begin is a sum, whatever these are and start at.
import awkward
import numpy as np
import pytest
from conftest import assert_same
from host import in_ram

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


def nested(kind, lengths, seed):
    """Lists of that many items, which are lists, missing or both."""
    random = np.random.default_rng(seed)
    total = int(sum(lengths))
    if kind == "words":
        words = awkward.Array(
            ["", "one", "a somewhat longer word", "f\u00fcnf", "of 32 bytes".ljust(32)]
        )
        items = words[random.integers(0, 5, total)]
    elif kind == "missing numbers":
        items = awkward.mask(awkward.Array(random.random(total)), random.random(total) < 0.6)
    elif kind == "regular":
        items = awkward.from_numpy(random.random((total, 2)).astype("f4"), regulararray=True)
    elif kind == "complex":
        items = awkward.Array(random.random(total) + 1j)
    else:
        sizes = np.minimum(random.zipf(1.6, total), 300) - 1
        items = awkward.unflatten(awkward.Array(random.random(int(sizes.sum())) > 0.5), sizes)
        if kind == "missing lists":
            items = awkward.mask(items, random.random(total) < 0.6)
    return awkward.unflatten(awkward.to_packed(items), lengths)


@pytest.mark.parametrize("n", [0, 1, 60, 2_000])
@pytest.mark.parametrize(
    "kind", ["lists", "words", "missing numbers", "missing lists", "regular", "complex"]
)
def test_joined_of_lists(kind, n):
    random = np.random.default_rng(9)
    lengths = [np.minimum(random.zipf(1.7, n), 50) - 1 for _ in range(2)]
    if n == 60:
        lengths[1][:] = 0
    a, b = (nested(kind, lengths[k], k) for k in range(2))
    x, y = ak.from_awkward(a), ak.from_awkward(b)
    assert_same(ak.concatenate([x, y], axis=1), awkward.concatenate([a, b], axis=1))
    assert_same(ak.concatenate([y, x, y], axis=1), awkward.concatenate([b, a, b], axis=1))
    # Lists whose first items are not those of the memory, and those that lie apart.
    half = n // 2
    for part in (slice(half, None), slice(None, half), slice(None, None, 2)):
        want = awkward.concatenate([b[part], a[part]], axis=1)
        assert_same(ak.concatenate([y[part], x[part]], axis=1), want)
        stored = [ak.compute(y[part]), ak.compute(x[part])]
        assert_same(ak.concatenate(stored, axis=1), want)


def test_joined_of_many_skewed_lists():
    random = np.random.default_rng(11)
    a, b = (nested("lists", np.minimum(random.zipf(2, 100_000), 2_000) - 1, k) for k in range(2))
    x, y = ak.from_awkward(a), ak.from_awkward(b)
    joined, want = ak.concatenate([x, y], axis=1), awkward.concatenate([a, b], axis=1)
    for axis in (1, 2):
        counts = in_ram(ak.flatten(ak.num(joined, axis=axis), axis=None))
        assert np.array_equal(counts, awkward.flatten(awkward.num(want, axis=axis), axis=None))
    items = in_ram(ak.flatten(joined, axis=None))
    assert np.array_equal(items, awkward.flatten(want, axis=None))


def test_joined_of_several_depths():
    a = awkward.Array([[[[1, 2], []], [None]], [], [[[3]], [], None]])
    b = awkward.Array([[[], None], [[[4, 5, 6]]], [[[7]]]])
    x, y = ak.from_awkward(a), ak.from_awkward(b)
    assert_same(ak.concatenate([x, y], axis=1), awkward.concatenate([a, b], axis=1))
    for axis in (1, 2, -1):
        want = awkward.concatenate([a, a], axis=axis)
        assert_same(ak.concatenate([x, x], axis=axis), want)
    # Of other types, and of another number of lists.
    assert_same(ak.concatenate([x, y * 0.5], axis=1), awkward.concatenate([a, b * 0.5], axis=1))
    with pytest.raises(ValueError):
        ak.concatenate([x, y[:2]], axis=1).to_list()


def test_joined_with_regular():
    a = lists([2, 0, 3], 4, np.int64)
    b = awkward.Array(np.ones((3, 2), np.float32))
    x, y = ak.from_awkward(a), ak.from_awkward(b)
    assert_same(ak.concatenate([x, y], axis=1), awkward.concatenate([a, b], axis=1))
    assert_same(ak.concatenate([y, x, y], axis=1), awkward.concatenate([b, a, b], axis=1))


def parts(kind, n):
    for k in range(n):
        if kind == "regular":
            yield awkward.from_numpy(np.arange(k, k + 12).reshape(2, 2, 3), regulararray=True)
        elif kind == "lists":
            yield awkward.Array([[k], [], [1.5, 2.5]])[::-1]
        elif kind == "missing":
            yield awkward.Array([k, None, 3])
        elif kind == "records":
            yield awkward.Array([{"x": k, "y": np.ones(2) * k}])
        else:
            yield awkward.Array([[k, 2], [2.5], [1, None], [True]][k % 4])


@pytest.mark.parametrize("kind", ["regular", "lists", "missing", "records", "different"])
@pytest.mark.parametrize("n", [2, 17, 140])
def test_many_arrays(kind, n):
    # Arrays of one kind are copied end to end, stored ones and (where they are many) expressions.
    theirs = list(parts(kind, n))
    ours = [ak.from_awkward(x) for x in theirs]
    want = awkward.concatenate(theirs)
    assert_same(ak.concatenate(ours), want)
    reversed_parts = awkward.concatenate([x[::-1] for x in theirs])
    assert_same(ak.concatenate([x[::-1] for x in ours]), reversed_parts)
    if kind == "regular":
        assert_same(ak.concatenate([x[:1] + 1 for x in ours]), want[::2] + 1)


@pytest.mark.parametrize("fields", [3, 50])
def test_all_values_of_many_fields(fields):
    columns = {f"f{i}": np.arange(4).astype(["i8", "f4", "?"][i % 3]) for i in range(fields)}
    theirs = awkward.zip(columns, depth_limit=1)
    ours = ak.from_awkward(theirs)
    assert_same(ak.flatten(ours, axis=None), awkward.flatten(theirs, axis=None))
    assert_same(ak.ravel(ours[::-1]), awkward.ravel(theirs[::-1]))


@pytest.mark.parametrize("n", [3, 6_000])
@pytest.mark.parametrize("types", ["f8 i4", "i1 u1 i8", "f4 c8 f4", "? i2", "u8 i8", "f2 ? f8"])
def test_many_items_of_several_types(types, n):
    rng = np.random.default_rng(n)
    flat = [(rng.random(n) * 5).astype(t) for t in types.split()]
    nested = [awkward.unflatten(x, rng.multinomial(n, np.ones(7) / 7)) for x in flat]
    regular = [x.reshape(-1, 3) for x in flat]
    missing = [awkward.mask(awkward.Array(x), rng.random(n) < 0.5) for x in flat]
    records = [awkward.zip({"x": x, "y": awkward.Array(["a", "bc"])[[0] * n]}) for x in flat]
    for parts in (flat, nested, regular, missing, records):
        for mergebool in (True, False):
            theirs = awkward.concatenate(parts, mergebool=mergebool)
            ours = ak.concatenate([ak.Array(p) for p in parts], mergebool=mergebool)
            assert_same(ours, theirs)
