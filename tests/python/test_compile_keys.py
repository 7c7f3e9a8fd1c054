# What the structure of a compiled function's arguments is: what is the same calls nothing, what
# differs calls the function.
import functools
import pickle

import numpy as np
import pytest
from traced import KEEPS, compiled, outcome, shown

import serrate as ak


def test_lists_that_happen_to_be_equal():
    """Offsets are compared when arrays are zipped, which is a look."""
    f = ak.compile(lambda a, b: ak.zip({"a": a, "b": b}))
    first = ak.Array([[1, 2], [3]])
    f(first, ak.Array([[1.5, 2.5], [3.5]]))
    f(first, ak.Array([[1.5, 2.5], [3.5]]))
    with pytest.raises(ValueError):
        ak.to_list(f(first, ak.Array([[1.5], [2.5, 3.5]])))


def test_one_memory_or_two():
    """x - x of one array is no more than that of two."""
    f, counted = compiled(lambda a, b: a - b + a)
    x, y = ak.Array([1.0, 2.0]), ak.Array([5.0, 7.0])
    assert shown(f(x, x)) == shown(x)
    assert shown(f(x, y)) == "[-3.0, -3.0] 2 * float64"
    assert shown(f(y, y)) == shown(y)
    assert counted.was_called(2)


def test_constants_are_part_of_the_structure():
    f, counted = compiled(lambda x, n, **options: (x + n, type(n).__name__, options))
    x = ak.Array([1, 2])
    for n in [1, 1.0, True, 2, 0.0, -0.0, 1j, np.nan]:
        assert shown(f(x, n)[0]) == shown(x + n)
        assert f(x, n)[1:] == (type(n).__name__, {})
    assert str(f(x, 0.0)[0] * 0) == str((x + 0.0) * 0)
    assert f(x, 1, a="b")[2] == {"a": "b"}
    assert f(x, 1, a="c")[2] == {"a": "c"}
    assert counted.calls <= 11 or not KEEPS


def test_what_is_no_constant_is_passed_on():
    f, counted = compiled(lambda x, other: x * other)
    for k in (1, 2):
        assert shown(f(ak.Array([1, 2]), np.array([k, k]))) == shown(ak.Array([k, 2 * k]))
    assert counted.was_called(2)


def test_nested_containers():
    f, counted = compiled(lambda e, *more, key: {"a": [e["x"] + more[0][0]], "b": (key["y"],)})
    for k in (1, 2):
        x = ak.Array([k, k + 1])
        got = f({"x": x}, (x, 1), key={"y": x})
        assert shown(got) == shown({"a": [x + x], "b": (x,)})
    assert counted.was_called(1)
    x = ak.Array([1.5])
    assert shown(f({"x": x}, [x], key={"y": x})) == shown({"a": [x + x], "b": (x,)})
    assert counted.was_called(2)


def test_lengths_of_rows():
    f, counted = compiled(lambda x, y: x + y)
    one, two = ak.Array([10]), ak.Array([1, 2])
    assert shown(f(two, two)) == "[2, 4] 2 * int64"
    assert shown(f(two, one)) == "[11, 12] 2 * int64"
    assert shown(f(one, one)) == "[20] 1 * int64"
    assert counted.was_called(3)
    three = ak.Array([1, 2, 3])
    assert outcome(lambda: f(three, two)) == outcome(lambda: three + two)


def test_behaviors_attributes_and_names():
    class Point:
        @property
        def size(self):
            return np.hypot(self.x, self.y)

    class PointArray(Point, ak.Array):
        pass

    behavior = {("*", "point"): PointArray}
    f, counted = compiled(lambda p: (p, p.size, p * 1 if False else p[1:]))
    for k in (1.0, 2.0):
        p = ak.Array(
            [{"x": 3 * k, "y": 4 * k}, {"x": 0.0, "y": k}],
            with_name="point",
            behavior=behavior,
            attrs={"unit": "m"},
        )
        same, size, rest = f(p)
        assert type(same) is PointArray
        assert type(rest) is PointArray
        assert same.attrs == {"unit": "m"}
        assert shown(size) == shown(p.size)
        assert same.behavior is behavior
    assert counted.was_called(1)
    q = ak.Array(
        [{"x": 1.0, "y": 2.0}] * 2, with_name="point", behavior=behavior, attrs={"unit": "s"}
    )
    assert f(q)[0].attrs == {"unit": "s"}
    named = ak.with_named_axis(ak.Array([[1, 2], [3]]), ("events", "hits"))
    g = ak.compile(lambda x: ak.sum(x, axis="hits"))
    for _ in range(2):
        assert g(named).named_axis == ak.sum(named, axis="hits").named_axis


def test_names_and_parameters_are_part_of_the_structure():
    f = ak.compile(lambda r: ak.fields(r)[0])
    assert f(ak.Array([{"a": 1}])) == "a"
    assert f(ak.Array([{"b": 1}])) == "b"
    g = ak.compile(lambda r: ak.without_parameters(r))
    g(ak.Array([[1, 2]]))
    assert shown(g(ak.Array(["ab"]))) == shown(ak.without_parameters(ak.Array(["ab"])))
    units = ak.compile(lambda t: t + np.timedelta64(1, "s"))
    for unit in ("s", "ms"):
        t = ak.Array(np.array(["2020-01-01"], f"datetime64[{unit}]"))
        assert shown(units(t)) == shown(t + np.timedelta64(1, "s"))


def test_decorated_methods_and_pickles():
    class Analysis:
        @ak.compile
        def twice(self, x):
            """Twice x."""
            return x * 2

    assert shown(Analysis().twice(ak.Array([1]))) == "[2] 1 * int64"
    assert Analysis.twice.__doc__ == "Twice x."
    assert "compiled" in repr(Analysis.twice)
    partial = ak.compile(functools.partial(np.add, 1))
    assert shown(partial(ak.Array([1]))) == "[2] 1 * int64"
    again = pickle.loads(pickle.dumps(ak.compile(np.sqrt)))
    assert shown(again(ak.Array([4.0]))) == "[2.0] 1 * float64"
    with pytest.raises(TypeError, match="compile: expected a function, got int"):
        ak.compile(1)


def test_expressions_as_arguments():
    f, _ = compiled(lambda x: ak.sum(x, axis=-1))
    for k in (1, 2):
        x = ak.Array([[1, 2], [3]]) * k
        assert shown(f(x[x > 1])) == shown(ak.sum(x[x > 1], axis=-1))
    assert shown(f(ak.Array([[]]) + 1)) == shown(ak.sum(ak.Array([[]]) + 1, axis=-1))


def test_many_structures():
    f, counted = compiled(lambda x, n: x + n)
    for n in range(100):
        assert shown(f(ak.Array([n]), n)) == f"[{2 * n}] 1 * int64"
    for n in range(1, 40):
        assert len(f(ak.Array(list(range(n))), 1)) == n
    assert f._kept <= 64 * 16
    assert counted.calls <= 139 or not KEEPS
