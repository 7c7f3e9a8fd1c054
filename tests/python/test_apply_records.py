# Functions of users that give dicts: records, and dicts that are none.
import gc
import os
import weakref

import pytest

import serrate as ak
from serrate._apply import records

pytest.importorskip("numba", reason="compiles the functions")
if os.environ.get("SERRATE_CUDA") == "compile-only":  # Numba compiles for a GPU that is there
    pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

X = [[1.0, 4.0], [], [9.0]]
LIMIT = 3.0


def bounds(x):
    if x > LIMIT:
        return {"low": x - 1, "is_large": True}
    return {"is_large": False, "low": x}


def sums(items):
    total = 0.0
    for x in items:
        total += x
    return {"total": total, "n": len(items)}


def test_records():
    out = ak.apply(bounds, ak.Array(X))
    assert out.fields == ["low", "is_large"]
    expected = [[bounds(x) for x in row] for row in X]
    assert out.to_list() == expected
    assert ak.elementwise(bounds)(ak.Array(X)).to_list() == expected
    assert ak.sum(out.low, axis=1).to_list() == [4.0, 0.0, 8.0]


def test_closures_lambdas_and_what_may_be_missing():
    limit, factor = 5.0, 2.0

    def near(x):
        return {"x": x, "y": factor * x} if x < limit else None

    expected = [[{"x": 1.0, "y": 2.0}, {"x": 4.0, "y": 8.0}], [], [None]]
    assert ak.apply(near, ak.Array(X)).to_list() == expected
    twice = lambda x: {"x": x, "y": factor * x}  # noqa: E731
    assert ak.apply(twice, ak.Array(X)).y.to_list() == [[2.0, 8.0], [], [18.0]]
    got = ak.apply(lambda v: {"one": v, "two": v > limit}, ak.Array(X))
    assert got.two.to_list() == [[False, False], [], [True]]


def test_of_lists():
    got = ak.apply(sums, ak.Array(X), axis=1)
    assert got.to_list() == [{"total": 5.0, "n": 2}, {"total": 0.0, "n": 0}, {"total": 9.0, "n": 1}]


def test_errors_are_those_of_the_function():
    def checked(x):
        if x > 5:
            raise ValueError("too large", x)
        return {"x": x}

    with pytest.raises(ValueError, match="too large") as caught:
        ak.apply(checked, ak.Array(X)).to_list()
    assert "item [2, 0]" in caught.value.__notes__[0]


def computed(x):
    name = "x"
    return {name: x}


def two_kinds(x):
    if x > 1:
        return {"a": x}
    return {"a": x, "b": x}


def no_name(x):
    return {"not a name": x}


def nothing(x):
    return {}


def again(x):
    return {"a": x, "a": x}  # noqa: F601


def inner(x):
    return {"a": {"b": x}}


def kept(x):
    d = {"a": x}
    return d


@pytest.mark.parametrize(
    ("function", "line", "said"),
    [
        (computed, 2, "keys are texts"),
        (two_kinds, 3, r"different keys \(b\)"),
        (no_name, 1, "'not a name'"),
        (nothing, 1, "no keys"),
        (again, 1, "a key twice"),
    ],
)
def test_dicts_that_are_no_records(function, line, said):
    at = function.__code__.co_firstlineno + line
    name = function.__name__
    with pytest.raises(TypeError, match=rf"{name} \(test_apply_records\.py:{at}\).*{said}"):
        ak.apply(function, ak.Array(X))


@pytest.mark.parametrize("function", [inner, kept])
def test_dicts_that_are_something_else(function):
    with pytest.raises(TypeError, match=r"gives .*return \{\"x\": x\}"):
        ak.apply(function, ak.Array(X))


def test_functions_with_other_dicts_are_not_kept():
    def looks_up(x):
        return {1: x}[1]

    assert records.with_records(looks_up) is looks_up
    seen = weakref.ref(looks_up)
    del looks_up
    gc.collect()
    assert seen() is None


def test_lambdas_that_can_not_be_told_apart():
    both = [lambda x: {"a": x}, lambda x: {"b": x}]
    with pytest.raises(TypeError, match="one of several lambdas"):
        ak.apply(both[1], ak.Array(X))
