# Arrays that are not on the default device: what belongs to them is made where they are.
# With SERRATE_BACKEND=cuda they are in RAM, and the other way round where there is a GPU; where
# there is none the reference evaluator has them.
import contextlib
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


FLAT = ak.to_backend(ak.Array([1.5, 2, 3]), THERE)
NO_BUFFERS = {
    "local_index": lambda x: ak.local_index(x, axis=0),
    "zeros_like": ak.zeros_like,
    "ones of a part": lambda x: ak.ones_like(x[1:]),
    "full_like": lambda x: ak.full_like(x, 7),
    "of another": lambda x: ak.zeros_like(x) + 1,
    "twice": lambda x: ak.local_index(ak.local_index(x, axis=0), axis=0) * 2,
    "nothing": lambda x: ak.local_index(x[:0], axis=0),
    "padded": lambda x: ak.pad_none(ak.local_index(x[:0], axis=0), 3, axis=0),
    "lists": lambda x: ak.local_index(x[:, np.newaxis]),
    "count": lambda x: ak.count(x, axis=None, keepdims=True),
}


@pytest.mark.parametrize("name", NO_BUFFERS)
def test_what_has_no_buffers_is_where_its_operands_are(name):
    made = NO_BUFFERS[name]
    here = made(ak.to_backend(FLAT, HERE))
    looked, lazy = made(FLAT), made(FLAT)
    assert ak.backend(lazy) == THERE
    assert ak.to_list(looked) == ak.to_list(here)
    assert ak.backend(looked) == THERE
    assert ak.backend(here) == HERE
    for x in looked, lazy:
        joined = ak.concatenate([x, ak.firsts(FLAT[np.newaxis])])
        assert ak.to_list(joined) == ak.to_list(here) + [1.5]
        assert ak.backend(joined) == THERE
    other, again = made(FLAT), made(FLAT)
    numbers = ak.Array([[1, 2], [3]])
    ak.compute(other, numbers, again)
    assert [ak.backend(other), ak.backend(numbers), ak.backend(again)] == [THERE, HERE, THERE]
    back = ak.to_backend(made(FLAT), HERE)
    assert ak.backend(back) == ak.backend(back[:0]) == HERE


def test_indexes_without_buffers():
    nothing = ak.is_none(FLAT)  # all False
    assert ak.to_list(FLAT[nothing[nothing]]) == []
    assert ak.to_list(FLAT[nothing]) == []
    odd = ak.isin(ak.local_index(FLAT, axis=0)[::-1], [1, 5])
    both = ak.concatenate([FLAT, odd])
    assert ak.to_list(both) == [1.5, 2, 3, 0, 1, 0]
    assert ak.backend(odd) == ak.backend(both) == THERE


def test_errors_of_evaluated_arrays_belong_to_what_is_made_of_them():
    x = ak.to_backend(ak.Array([-9, 0]), THERE)
    for look in (ak.materialize, len, lambda d: ak.zip({"a": d})):
        wrong = x[x]
        with contextlib.suppress(IndexError):  # a GPU may say so later
            look(wrong)
        for made in (
            ak.zeros_like(wrong),
            ak.broadcast_arrays(wrong, x)[1],
            x + ak.ones_like(wrong),
        ):
            with pytest.raises(IndexError, match="out of range"):
                ak.to_list(made)
    right = ak.materialize(x[[1, 1]])
    assert ak.to_list(ak.zeros_like(right)) == [0, 0]
    assert ak.to_list(ak.zeros_like(right)) == [0, 0]
