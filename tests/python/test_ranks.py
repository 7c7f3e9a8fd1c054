# Ranks and what is left without repetition, list by list: against plain Python.
import math

import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, assert_same_values, some
from host import in_ram
from hypothesis import given
from ordering import order, per_list
from strategies import arrays, leaves

import serrate as ak


@given(arrays(leaf=lambda n: leaves(n, ("bool", "int8", "float64"), special=False)))
def test_unique(x):
    ours = ak.from_awkward(x)
    parts = ak.unique(ours, return_index=True, return_inverse=True, return_counts=True)

    def unique(row):
        places = order(row)
        return [row[i] for k, i in enumerate(places) if k == 0 or row[i] != row[places[k - 1]]]

    def inverse(row):
        numbers = {v: i for i, v in enumerate(unique(row))}
        return [numbers[v] for v in row]

    assert_same_values(parts[0], per_list(x, unique))
    assert_same_values(parts[1], per_list(x, lambda row: [row.index(v) for v in unique(row)]))
    assert_same_values(parts[2], per_list(x, inverse))
    assert_same_values(parts[3], per_list(x, lambda row: [row.count(v) for v in unique(row)]))
    distinct = per_list(x, lambda row: len(unique(row)) == len(row))
    if x.ndim > 1:
        assert_same_values(ak.is_unique(ours), distinct)


def test_unique_strings_and_nan():
    words = ak.Array([["b", "a", "b"], [], ["c", None, None]])
    values, counts = ak.unique(words, return_counts=True)
    assert values.tolist() == [["a", "b"], [], ["c", None]]
    assert counts.tolist() == [[1, 2], [], [1, 2]]
    assert_same_values(ak.unique([[math.nan, 1.0, math.nan]]), [[1.0, math.nan]])


@given(arrays(leaf=lambda n: leaves(n, ("int8", "float64"), special=False), optional=False))
@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
def test_rank(method, x):
    def rank(row):
        row = np.array(row)
        less = np.searchsorted(np.sort(row), row)
        last = np.searchsorted(np.sort(row), row, side="right")
        before = [int(np.sum(row[:i] == row[i])) for i in range(len(row))]
        ranks = {
            "average": (less + 1 + last) / 2,
            "min": less + 1,
            "max": last,
            "dense": np.searchsorted(np.unique(row), row) + 1,
            "ordinal": less + 1 + np.array(before, "int64"),
        }
        return ranks[method].tolist()

    assert_same_values(ak.rank(ak.from_awkward(x), method=method), per_list(x, rank))


def ranks_of(values, lists, method):
    """Of numbers, which are in lists of these numbers."""
    order = np.lexsort((values, lists))
    v, of = values[order], lists[order]
    starts = np.append(True, (v[1:] != v[:-1]) | (of[1:] != of[:-1]))
    begins = np.flatnonzero(starts)
    run = np.cumsum(starts) - 1
    first = begins[run]
    last = np.append(begins[1:], len(v))[run]
    before = np.searchsorted(of, of)  # of all lists before
    ranks = np.empty(len(v), "f8")
    ranks[order] = {
        "average": (first + 1 + last) / 2 - before,
        "min": first + 1 - before,
        "max": last - before,
        "dense": run - run[before] + 1,
    }[method]
    return ranks


@pytest.mark.parametrize("method", ["average", "min", "max", "dense"])
def test_rank_of_many(method):
    rng = np.random.default_rng(8)
    lengths = (rng.pareto(1.2, 100_000) * 2).astype(int).clip(0, 30_000)
    values = rng.integers(0, 50, lengths.sum()).astype("f8")
    x = ak.unflatten(values, lengths)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    expected = ranks_of(values, rows, method)
    assert np.array_equal(in_ram(ak.flatten(ak.rank(x, method=method))), expected)
    expected = ranks_of(values, np.zeros(len(values), int), method)
    assert np.array_equal(in_ram(ak.rank(x, axis=None, method=method)), expected)
    columns = np.arange(len(values)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    expected = ranks_of(values, columns, method)
    assert np.array_equal(in_ram(ak.flatten(ak.rank(x, axis=0, method=method))), expected)


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
@pytest.mark.parametrize("t", some(["?", "i1", "u8", "f2", "f4", "f8", "M8[s]"], 3))
def test_ranks_of_many_as_of_few(t, method):
    """Many numbers that are stored are ranked at once, few by an expression."""
    rng = np.random.default_rng(10)
    lengths = rng.integers(0, 9, 200 if KERNELS_ARE_SLOW else 2000)
    numbers = rng.integers(0, 5, lengths.sum())
    values = numbers.astype(t) if t[0] != "u" else numbers.astype(t) + np.uint64(2**63)
    if t[0] == "f":
        values[rng.random(len(values)) < 0.2] = np.nan
        values[rng.random(len(values)) < 0.1] = -0.0
    plain = ak.unflatten(ak.from_numpy(values), lengths)
    some_missing = ak.mask(plain, ak.unflatten(rng.random(len(values)) < 0.8, lengths))
    for x in (plain, some_missing):
        for ascending in (True, False):
            options = {"method": method, "ascending": ascending}
            stored = ak.materialize(x)
            got = ak.rank(stored, **options)
            few = [ak.rank(stored[i : i + 100], **options) for i in range(0, len(x), 100)]
            want = ak.concatenate(few)
            assert str(got.type) == str(want.type)
            assert ak.array_equal(got, want)
            # Behind the first rows, and in a view.
            assert ak.array_equal(ak.rank(stored[50:], **options), want[50:])
            assert ak.array_equal(ak.rank(stored[::-1], **options), want[::-1])


@pytest.mark.parametrize("ascending", [True, False])
def test_rank_of_words_and_nan(ascending):
    numbers = np.random.default_rng(9).integers(0, 7, 5000)
    words = ak.Array(["", "a", "aa", "ab", "b", "ba", "c"])[numbers]
    key = numbers if ascending else -numbers
    expected = ranks_of(key, np.zeros(len(key), int), "average")
    assert np.array_equal(in_ram(ak.rank(words, ascending=ascending)), expected)
    x = ak.Array([[math.nan, 2.0, math.nan, 2.0, None, 1.0], [], [None], [math.nan]])
    ranks = [4.5, 2.5, 4.5, 2.5, None, 1.0] if ascending else [4.5, 1.5, 4.5, 1.5, None, 3.0]
    assert ak.rank(x, ascending=ascending).tolist() == [ranks, [], [None], [1.0]]


def test_rank_of_missing():
    assert ak.rank([[3, None, 1]]).tolist() == [[2.0, None, 1.0]]
    assert ak.rank([[3, 4, 1]], ascending=False, method="ordinal").tolist() == [[2, 1, 3]]
    with pytest.raises(ValueError, match="method"):
        ak.rank([1], method="best")
