# Groups along outer axes and of all items, whose parts are made together: against loops by hand.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(31)


def skewed(rows, longest):
    return np.minimum(RNG.zipf(1.8, rows), longest)


KEYS = {
    "few": lambda n: RNG.integers(0, 4, n),
    "bools": lambda n: RNG.random(n) < 0.5,
    "all different": lambda n: RNG.permutation(n).astype("f8"),
    "single": lambda n: RNG.permutation(n).astype("f4"),
}


def by_hand(keys, x):
    """{key: items in their order} of equal keys, in the order of the keys."""
    order = np.argsort(keys, kind="stable")
    values, starts = np.unique(keys[order], return_index=True)
    return values, np.split(x[order], starts[1:]) if len(values) else []


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("rows", [3, 30_000])
def test_group_by_along_axis_0_and_of_all(rows, name):
    lengths = skewed(rows, 40)
    n = int(lengths.sum())
    k, x = KEYS[name](n), np.arange(n)
    keys, items = ak.unflatten(k, lengths), ak.unflatten(x, lengths)
    column = np.arange(n) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    got_keys, groups = ak.group_by(items, keys, axis=0)
    assert len(got_keys) == len(groups) == lengths.max()
    for c in range(lengths.max()):
        here = column == c
        want_keys, want = by_hand(k[here], x[here])
        assert np.array_equal(in_ram(got_keys[c]), want_keys)
        assert np.array_equal(in_ram(ak.num(groups[c])), [len(g) for g in want])
        assert np.array_equal(in_ram(ak.flatten(groups[c])), np.concatenate(want))
    assert str(got_keys.type) == f"{lengths.max()} * var * {keys.type.content.content}"
    all_keys, all_groups = ak.group_by(items, keys, axis=None)
    want_keys, want = by_hand(k, x)
    assert np.array_equal(in_ram(all_keys), want_keys)
    assert np.array_equal(in_ram(ak.num(all_groups)), [len(g) for g in want])
    assert np.array_equal(in_ram(ak.flatten(all_groups)), np.concatenate(want))
    assert in_ram(ak.sum(all_groups, axis=-1)).tolist() == [int(g.sum()) for g in want]


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("n", [8, 100_000])
def test_unique_along_axis_0_and_of_all(n, name):
    lengths = skewed(n // 4, 30)
    x = KEYS[name](int(lengths.sum()))
    rows = ak.unflatten(x, lengths)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    column = np.arange(len(x)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    every = {"return_index": True, "return_inverse": True, "return_counts": True}
    values, index, inverse, counts = ak.unique(rows, axis=0, **every)
    inverse = in_ram(ak.flatten(inverse, axis=None))
    for c in range(lengths.max()):
        here = column == c
        want = np.unique(x[here], **every)
        assert np.array_equal(in_ram(values[c]), want[0])
        assert np.array_equal(in_ram(index[c]), owner[here][want[1]])
        assert np.array_equal(inverse[here], want[2])
        assert np.array_equal(in_ram(counts[c]), want[3])
    for ours, theirs in zip(
        ak.unique(rows, axis=None, **every), np.unique(x, **every), strict=True
    ):
        assert np.array_equal(in_ram(ours), theirs)


def test_missing_and_nothing():
    keys = ak.Array([[1.0, None], [], [None, 2.0, 2.0], [1.0]])
    items = ak.Array([[1, 2], [], [3, 4, 5], [6]])
    got, groups = ak.group_by(items, keys, axis=0)
    assert got.to_list() == [[1.0, None], [2.0, None], [2.0]]
    assert groups.to_list() == [[[1, 6], [3]], [[4], [2]], [[5]]]
    got, groups = ak.group_by(items, keys, axis=None)
    assert got.to_list() == [1.0, 2.0, None]
    assert groups.to_list() == [[1, 6], [4, 5], [2, 3]]
    for axis in (0, None):
        got, groups = ak.group_by(items[:0], keys[:0], axis=axis)
        assert got.to_list() == groups.to_list() == []
    values, counts = ak.unique(keys, axis=0, return_counts=True)
    assert values.to_list() == [[1.0, None], [2.0, None], [2.0]]
    assert counts.to_list() == [[2, 1], [1, 1], [1]]


def test_records_in_columns():
    lengths = skewed(50_000, 9)
    n = int(lengths.sum())
    a, b = RNG.integers(0, 3, n), RNG.normal(size=n).astype("f4")
    x = ak.unflatten(ak.zip({"a": a, "b": b}), lengths)
    keys, groups = ak.group_by(x, x.a, axis=0)
    column = np.arange(n) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    for c in range(9):
        want_keys, want = by_hand(a[column == c], b[column == c])
        assert np.array_equal(in_ram(keys[c]), want_keys)
        assert np.array_equal(in_ram(ak.flatten(groups[c].b)), np.concatenate(want))
        assert in_ram(ak.flatten(groups[c].a)).tolist() == sorted(a[column == c].tolist())
