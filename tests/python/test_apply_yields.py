# Generators of lists that yield records: dicts, tuples and named tuples, one in another, with what
# is missing at any place, beside plain Python. Arrays on a GPU are in test_apply_lists_gpu.py.
from collections import namedtuple

import numpy as np
import pytest

import serrate as ak

pytest.importorskip("numba", reason="compiles the functions")
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

Pair = namedtuple("Pair", "a b")


def records(y):
    for k in range(len(y)):
        yield {"k": k, "v": y[k], "is_large": y[k] > 0.5}


def missing_numbers(y):
    for k in range(len(y)):
        if k % 2:
            yield None
        else:
            yield y[k]


def missing_tuples(y):
    for k in range(len(y)):
        yield None if k % 3 == 1 else (k, y[k])


def missing_in_tuples(y):
    for k in range(len(y)):
        if k % 2:
            yield k, None
        elif k % 3:
            yield None, y[k]
        else:
            yield k, y[k]


def missing_records(y):
    for k in range(len(y)):
        if k == 0:
            yield None
        else:
            yield {"k": k, "v": None if k == 1 else y[k]}


def nested(y):
    for k in range(len(y)):
        yield Pair(k, Pair((y[k], k % 2 == 0), None if k % 3 else 2.5))


def records_in_records(y):
    for k in range(len(y)):
        if k != 2:
            yield {"k": k, "v": {"a": y[k], "b": (k, None if k else 1.0)}, "w": {"n": len(y)}}
        yield {"k": k, "v": None, "w": None if k == 1 else {"n": k}}


def tuples_of_records(y):
    for k in range(len(y)):
        yield ({"a": k}, {"b": y[k], "c": Pair(k, 1.5)}) if k % 2 else ({"a": -1}, None)


def other_order(y):
    for k in range(len(y)):
        yield {"a": k, "b": {"c": y[k], "d": k > 1}}
        yield {"b": {"d": False, "c": 0.5}, "a": None}


def of_two_types(y):
    yield {"n": len(y)}
    yield {"n": 1.5}


GENERATORS = {
    records: "{k: int64, v: float64, is_large: bool}",
    missing_numbers: "?float64",
    missing_tuples: "?(int64, float64)",
    missing_in_tuples: "(?int64, ?float64)",
    missing_records: "?{k: int64, v: ?float64}",
    nested: "{a: int64, b: {a: (float64, bool), b: ?float64}}",
    records_in_records: "{k: int64, v: ?{a: float64, b: (int64, ?float64)}, w: ?{n: int64}}",
    tuples_of_records: "({a: int64}, ?{b: float64, c: {a: int64, b: float64}})",
    other_order: "{a: ?int64, b: {c: float64, d: bool}}",
    of_two_types: "{n: float64}",
}


def plain(x):
    """As to_list gives it."""
    if isinstance(x, Pair):
        return {k: plain(v) for k, v in x._asdict().items()}
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return tuple(map(plain, x)) if isinstance(x, tuple) else x


def expected(f, x):
    return [None if y is None else [plain(v) for v in f(y)] for y in x.to_list()]


def lists():
    rng = np.random.default_rng(4)
    counts = rng.poisson(2.5, 400)
    counts[[3, 5]] = 700, 0
    return ak.unflatten(rng.random(counts.sum()), counts)


@pytest.mark.parametrize("f", GENERATORS, ids=lambda f: f.__name__)
def test_what_is_yielded(f):
    x = lists()
    got = ak.apply(f, x, axis=1)
    assert got.to_list() == expected(f, x)
    assert str(got.type) == f"400 * var * {GENERATORS[f]}"
    empty = ak.apply(f, x[:0], axis=1)
    assert empty.to_list() == []
    assert str(empty.type) == f"0 * var * {GENERATORS[f]}"


def test_missing_lists_and_deeper_axes():
    x = ak.Array([[[1.0, 4.0], []], [None, [3.0, 0.5, 0.1]], []])
    got = ak.apply(missing_records, x, axis=2)
    assert got.to_list() == [expected(missing_records, y) for y in x]
    assert ak.sum(got.k, axis=-1).to_list() == [[1, 0], [None, 3], []]


def test_functions_that_return_tuples_of_tuples():
    def ends(y):
        return None if len(y) == 0 else (len(y), Pair(y[0], (y[-1], None if len(y) < 2 else y[1])))

    x = lists()
    got = ak.apply(ends, x, axis=1)
    assert got.to_list() == [plain(ends(y)) for y in x.to_list()]
    assert str(got.type) == "400 * ?(int64, {a: float64, b: (float64, ?float64)})"


def test_values_are_computed_in_the_order_of_the_text():
    def counted(y):
        at = np.zeros(1, np.int64)

        def following():
            at[0] += 1
            return at[0]

        yield {"a": following(), "b": following()}
        yield {"b": following(), "a": following()}

    got = ak.apply(counted, ak.Array([[1.0]]), axis=1)
    assert got.to_list() == [[{"a": 1, "b": 2}, {"a": 4, "b": 3}]]


def two_kinds(y):
    yield {"a": 1}
    yield {"b": 1}


def dict_and_tuple(y):
    yield (1, {"a": 1})
    yield (1, (2,))


def no_name(y):
    yield {"a": {"not a name": 1}}


def computed(y):
    name = "a"
    yield {name: 1}


def others(y):
    d = {"a": 1}
    yield {**d, "b": 2}


@pytest.mark.parametrize(
    ("function", "line", "said"),
    [
        (two_kinds, 2, r"different keys \(a, b\)"),
        (dict_and_tuple, 2, "dicts beside other values"),
        (no_name, 1, "'not a name'"),
        (computed, 2, "keys are texts"),
        (others, 2, "keys are texts"),
    ],
)
def test_dicts_that_are_no_records(function, line, said):
    at = function.__code__.co_firstlineno + line
    with pytest.raises(TypeError, match=rf"{function.__name__} \(.*yields\.py:{at}\).*{said}"):
        ak.apply(function, lists(), axis=1)


def only_none(y):
    yield None


def text(y):
    yield {"a": "text"}


def whole_lists(y):
    yield y


def tuple_of_nothing(y):
    yield 1, ()


@pytest.mark.parametrize("function", [only_none, text, whole_lists, tuple_of_nothing])
def test_what_no_items_are_made_of(function):
    with pytest.raises(TypeError, match=f"{function.__name__}: gives "):
        ak.apply(function, lists(), axis=1)
