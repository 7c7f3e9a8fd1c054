# Arrays that are not on the default device: what belongs to them is made where they are.
# With SERRATE_BACKEND=cuda they are in RAM, and the other way round where there is a GPU; where
# there is none the reference evaluator has them.
import os

import numpy as np
import pytest
from conftest import HAS_GPU

import serrate as ak

HERE = os.environ.get("SERRATE_BACKEND", "cpu")
THERE = "cpu" if HERE != "cpu" else "cuda" if HAS_GPU else "reference"
ROWS = ak.to_backend(ak.to_regular(ak.Array([[3, 1], [2, 4], [1, 2]])), THERE)
NUMBERS = ak.to_backend(ak.Array([[1.5, 2], [], [3]]), THERE)


@pytest.mark.parametrize(
    ("made", "values"),
    [
        (lambda: ak.sort(ROWS, axis=0), [[1, 1], [2, 2], [3, 4]]),
        (lambda: ak.argsort(ROWS, axis=0), [[2, 0], [1, 2], [0, 1]]),
        (lambda: ak.materialize(ak.sort(ROWS, axis=0)) + 1, [[2, 2], [3, 3], [4, 5]]),
        (lambda: ak.max(ak.sort(ROWS[:0], axis=0), axis=None), None),
        (lambda: ak.sort(ROWS[:0], axis=0), []),
        (lambda: ak.local_index(ROWS) + ROWS, [[3, 2], [2, 5], [1, 3]]),
        (lambda: ak.rank(ROWS, axis=0), [[3, 1], [2, 3], [1, 2]]),
        (lambda: ak.cumsum(ROWS, axis=0), [[3, 1], [5, 5], [6, 7]]),
    ],
)
def test_regular_lists(made, values):
    result = made()
    assert ak.to_list(result) == values
    assert not isinstance(result, ak.Array) or ak.backend(result) == THERE


def test_items_are_set():
    x = NUMBERS[:]
    x[x > 1.8] = 0
    assert ak.to_list(x) == [[1.5, 0], [], [0]]
    y = ak.flatten(NUMBERS)
    np.add.at(y, [0, 0, 2], [10, 20, 30])
    assert ak.to_list(y) == [31.5, 2, 33]
    assert ak.backend(y) == THERE


def test_text_beside_arrays():
    words = ak.to_backend(ak.Array(["a", "bb", None]), THERE)
    pairs = ak.broadcast_arrays(words, "c")
    assert [ak.to_list(p) for p in pairs] == [["a", "bb", None], ["c", "c", None]]
    assert ak.to_list(ak.fill_none(words, "c")) == ["a", "bb", "c"]
    with pytest.raises(TypeError):
        NUMBERS[:][0] = "x"
