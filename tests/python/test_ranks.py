# Ranks and what is left without repetition, list by list: against plain Python.
import math

import numpy as np
import pytest
from conftest import assert_same_values
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


def test_rank_of_missing():
    assert ak.rank([[3, None, 1]]).tolist() == [[2.0, None, 1.0]]
    assert ak.rank([[3, 4, 1]], ascending=False, method="ordinal").tolist() == [[2, 1, 3]]
    with pytest.raises(ValueError, match="method"):
        ak.rank([1], method="best")
