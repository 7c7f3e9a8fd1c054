# Categoricals in operations: beside Awkward, values and types.
import awkward
import numpy as np
import pytest
from conftest import assert_same, both

import serrate as ak

nan = np.nan


def categorical(index, content):
    return awkward.Array(
        awkward.contents.IndexedArray(
            awkward.index.Index64(index),
            awkward.to_layout(content),
            parameters={"__array__": "categorical"},
        )
    )


DATA = {
    "words": awkward.str.to_categorical(["one", "two", "one", "three"]),
    "digits": awkward.str.to_categorical(["1", "2", "1", "3"]),
    "missing": awkward.str.to_categorical([["1", "2"], ["1", None], ["3"]]),
    "numbers": categorical([0, 1, 0, 2], np.array([1.5, nan, 3.0])),
    "lists": categorical([0, 1, 0], awkward.Array([[1, 2], [3]])),
}
TYPES = ["string", "bytes", "float32", "int64", "var * int64", "categorical[type=string]"]
TYPES += ["categorical[type=float32]", "var * ?string", "var * ?categorical[type=bytes]"]
CASES = {
    **{f"as {t}": lambda ak, x, t=t: ak.enforce_type(x, t) for t in TYPES},
    "nan_to_none": lambda ak, x: ak.nan_to_none(x),
    "chosen from one": lambda ak, x: ak.where(ak.local_index(x, axis=0) > 1, x, x),
    "broadcast": lambda ak, x: ak.broadcast_arrays(x, 1)[0],
    "broadcast with itself": lambda ak, x: ak.broadcast_arrays(x, x)[1],
    "slice": lambda ak, x: x[[2, 0, 0]],
    "masked": lambda ak, x: ak.mask(x, ak.local_index(x, axis=0) > 1),
    "padded": lambda ak, x: ak.pad_none(x, 5, axis=0),
    "packed": lambda ak, x: ak.to_packed(x),
    "categories": lambda ak, x: ak.categories(x),
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_same(case, name):
    both(case, DATA[name])


NUMBERS = {
    "nan_to_num": lambda ak, x: ak.nan_to_num(x, nan=7.0),
    "round": lambda ak, x: ak.round(x),
    "maximum": lambda ak, x: ak.max(x, axis=-1),
    "plus": lambda ak, x: x + 1,
}


@pytest.mark.parametrize("case", NUMBERS.values(), ids=NUMBERS)
def test_of_numbers(case):
    x = categorical([0, 1, 0, 2], np.array([1.5, 2.5, 3.0]))
    both(case, x)
    both(lambda ak, x: case(ak, ak.unflatten(x, [2, 2])), x)


def test_parsed():
    for name in ["digits", "missing"]:
        both(lambda ak, x: ak.strings_astype(x, "int64"), DATA[name])


def test_reducers_go_through_lists():
    # Awkward's see the categories, not the items.
    x = ak.from_awkward(DATA["lists"])
    assert ak.sum(x, axis=-1).tolist() == [3, 3, 3]
    assert ak.count(x, axis=-1).tolist() == [2, 1, 2]


def test_an_option_of_unknown_is_missing():
    for data in [[1.5, None], [[1, 2], [3]], ["a"], [{"x": 1}], [1, "a"]]:
        both(lambda ak, x: ak.enforce_type(x, "?unknown"), awkward.Array(data))
    both(lambda ak, x: ak.enforce_type(x, "{x: ?unknown}"), awkward.Array([{"x": 1}]))


def test_through_buffers():
    for x in map(ak.from_awkward, DATA.values()):
        where = {"backend": ak.backend(x)}
        y = ak.from_buffers(*ak.to_buffers(x, **where), **where)
        assert str(y.type) == str(x.type)
        assert_same(y, ak.to_list(x), types=False)
