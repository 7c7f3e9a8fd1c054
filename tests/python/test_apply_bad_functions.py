# What functions of users may do wrong, as a table: of numbers, of lists, generators; on both
# devices. Each is an error that says what and where, and leaves all else as it was.
import os
import re

import numpy as np
import pytest
from host import in_ram

import serrate as ak

pytest.importorskip("numba", reason="compiles the functions")
if os.environ.get("SERRATE_CUDA") == "compile-only":  # Numba compiles for a GPU that is there
    pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

X = [[1.0, 4.0], [], [9.0, 2.0, 5.0]]


class Foreign:
    pass


THING = Foreign()


def unknown_attribute(x):
    y = 1
    return x.nothing + y


def unknown_name(x):
    return no_such_function(x)  # noqa: F821


def object_of_a_class(x):
    y = THING
    return y


def two_types(x):
    if x > 1:
        return "text"
    return 1.0


def text(x):
    return "text"


def two_lengths(x):
    if x > 1:
        return 1, 2
    return 1, 2, 3


def recursion_without_end(x):
    return recursion_without_end(x)


def opens_a_file(x):
    with open("file") as f:
        return len(f.read())


def too_many_arguments(x, y):
    return x + y


def beyond_a_table(x):
    return (1.0, 2.0)[int(x)]


def raises(x):
    if x > 8:
        raise KeyError("too large")
    return x


# line: of the function's text, the first is 0; None: that of `def`, or none is said
COMPILED = [
    (unknown_attribute, 2),
    (unknown_name, 1),
    (object_of_a_class, 1),
    (two_types, None),
    (text, None),
    (two_lengths, None),
    (recursion_without_end, None),
    (opens_a_file, 0),
    (too_many_arguments, 0),
]


def name_of(case):
    return case.__name__ if callable(case) else None


def whole(x, before):
    """Nothing is lost: the array is what it was, and so is what is made of it."""
    assert x.to_list() == before
    assert ak.apply(lambda v: v + 1, x).to_list() == [[v + 1 for v in row] for row in before]


@pytest.mark.parametrize(("function", "line"), COMPILED, ids=name_of)
def test_functions_of_numbers_that_do_not_compile(function, line):
    x = ak.Array(X)
    with pytest.raises(TypeError) as caught:
        ak.apply(function, x)
    said = str(caught.value)
    assert function.__name__ in said
    if line is not None:
        at = function.__code__.co_firstlineno + line
        assert f"test_apply_bad_functions.py:{at})" in said
    whole(x, X)


@pytest.mark.parametrize(
    ("function", "error", "place"),
    [
        (beyond_a_table, IndexError, "[0, 1]"),
        (raises, KeyError, "[2, 0]"),
    ],
    ids=name_of,
)
def test_functions_of_numbers_that_fail(function, error, place):
    x = ak.Array(X)
    y = ak.apply(function, x)
    with pytest.raises(error) as caught:
        y.to_list()
    assert place in caught.value.__notes__[0]
    # In Python it fails there, too: the line is the traceback's.
    assert caught.traceback[-1].name == function.__name__
    whole(x, X)


def beyond_the_list(y):
    return y[len(y)]


def before_the_list(y):
    return y[-len(y) - 1]


def first_of_all(y):
    return y[0]


def field_that_is_none(y):
    return y.pt


def raises_in_a_list(y):
    for v in y:
        if v > 8:
            raise ValueError("too large", 9)
    return 1


def yields_beyond(y):
    for k in range(len(y)):
        yield y[k + 1]


def yields_and_raises(y):
    for v in y:
        if v > 8:
            raise ValueError("too large", 9)
        yield v


def yields_text(y):
    for _ in y:
        yield "text"


def yields_two_types(y):
    for _ in y:
        yield 1
        yield 1, 2


def yields_inside(y):
    z = yield 1
    return z


@pytest.mark.parametrize(
    ("function", "error", "place"),
    [
        (beyond_the_list, IndexError, 0),
        (before_the_list, IndexError, 0),
        (first_of_all, IndexError, 1),
        (raises_in_a_list, ValueError, 2),
        (yields_beyond, IndexError, 0),
        (yields_and_raises, ValueError, 2),
    ],
    ids=name_of,
)
def test_functions_of_lists_that_fail(function, error, place):
    x = ak.Array(X)
    with pytest.raises(error) as caught:
        ak.apply(function, x, axis=1)
    assert re.search(rf"\b{place}\b", caught.value.__notes__[0])
    whole(x, X)


@pytest.mark.parametrize(
    "function", [field_that_is_none, yields_text, yields_two_types, yields_inside], ids=name_of
)
def test_functions_of_lists_that_do_not_compile(function):
    x = ak.Array(X)
    with pytest.raises(TypeError) as caught:
        ak.apply(function, x, axis=1)
    assert function.__name__ in str(caught.value)
    whole(x, X)


def test_what_is_no_number():
    x = ak.Array(X)
    union = ak.Array([1.5, "two", 3])
    for bad in (union, ak.Array(["a"]), ak.Array([{"x": 1}]), ak.Array([b"a"])):
        with pytest.raises(TypeError, match="called with numbers"):
            ak.apply(raises, bad)
    with pytest.raises(TypeError, match="values of several types"):
        ak.apply(first_of_all, ak.Array([[1.5, "two"], [3]]), axis=1)
    with pytest.raises(ValueError, match="broadcast"):
        ak.apply(too_many_arguments, x, ak.Array([[1.0], [2.0], [3.0]])).to_list()
    whole(x, X)


def test_errors_do_not_reach_other_results():
    """Two results of one pass: one fails, the other is there all the same."""
    x = ak.Array(X)
    good, bad = ak.apply(lambda v: v * 2, x), ak.apply(raises, x)
    with pytest.raises(KeyError):
        bad.to_list()
    assert good.to_list() == [[2.0, 8.0], [], [18.0, 4.0, 10.0]]
    np.testing.assert_array_equal(in_ram(ak.flatten(ak.apply(raises, x[x < 8]))), [1, 4, 2, 5])
