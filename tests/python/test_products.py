# cartesian and argcartesian of every two kinds of lists, beside Awkward: values and types.
import awkward
import numpy as np
import pytest
from conftest import both

REGULAR = awkward.Array(np.array([[1, 2], [3, 4]]))
LISTS = {
    "lists": awkward.Array([[1, 2], [3]]),
    "missing last": awkward.Array([[1, 2], None]),
    "missing first": awkward.Array([None, [3]]),
    "missing inside": awkward.Array([[1, None], [3]]),
    "regular": REGULAR,
    "regular, missing": awkward.mask(REGULAR, [False, True]),
    "words": awkward.Array([["a"], ["b", "c"]]),
    "words, missing": awkward.Array([["a"], None]),
    "records": awkward.Array([[{"x": 1}], [{"x": 2}]]),
    "unions": awkward.Array([[1], [2, "a"]]),
}
ITEMS = {"numbers": awkward.Array([1, 2]), "numbers, missing": awkward.Array([1, None])}
OPTIONS = {
    "flat": {},
    "nested": {"nested": True},
    "axis 0": {"axis": 0},
    "named": {"axis": -1, "with_name": "P"},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("name", LISTS)
def test_two(name, options):
    for other in LISTS.values():
        both(lambda ak, x, y: ak.cartesian([x, y], **options), LISTS[name], other)
        both(lambda ak, x, y: ak.argcartesian({"a": x, "b": y}, **options), LISTS[name], other)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("name", ITEMS)
def test_lists_and_items(name, options):
    for lists in LISTS.values():
        both(lambda ak, x, y: ak.cartesian([x, y], **options), lists, ITEMS[name])
    for lists in ["lists", "missing first", "words", "records", "unions"]:
        both(lambda ak, x, y: ak.cartesian([x, y], **options), ITEMS[name], LISTS[lists])


@pytest.mark.parametrize("nested", [None, [0], [1], [0, 1]], ids=str)
def test_three(nested):
    x, y, z = (LISTS[name] for name in ["missing last", "missing first", "words"])
    for arrays in [(x, y, z), (z, y, x), (y, z, x), (z, x, z)]:
        both(lambda ak, *a: ak.cartesian(list(a), nested=nested), *arrays)
