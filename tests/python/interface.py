# Arrays and calls for test_interface.py: the same function with many arguments on many structures.
import awkward
import numpy as np

nan = np.nan

DATA = {
    "flat": [3.5, 1.25, -2.0, 1.25],
    "ints": [3, 1, 2, 2],
    "lists": [[1.5, 2.5, 3.5], [], [4.5, 5.5]],
    "int lists": [[3, 1, 2], [], [5, 5]],
    "bools": [[True, False], [], [True]],
    "nans": [[1.0, nan, 3.0], [], [nan], [4.0, np.inf]],
    "deep": [[[1, 2], []], [], [[3], [4, 5, 6]]],
    "missing": [[1.5, None, 3.5], None, [4.5], []],
    "missing flat": [1, None, 3, None],
    "all missing": [None, None],
    "deep missing": [[[1, None], None], None, [[], [3]]],
    "regular": np.arange(24).reshape(2, 3, 4),
    "matrix": np.array([[1.0, 2.0, 4.0], [3.0, 5.0, 9.0]]),
    "strings": [["one", "two"], [], ["", "three"]],
    "words": ["one", "two", "two", "three"],
    "bytes": [b"one", b"two"],
    "missing words": ["one", None, "three"],
    "records": [[{"x": 1, "y": [1.1]}, {"x": 2, "y": []}], [], [{"x": 3, "y": [3.3, 4.4]}]],
    "flat records": [{"x": 1, "y": 1.5}, {"x": 2, "y": 2.5}],
    "missing records": [{"x": 1, "y": 1.5}, None, {"x": 2, "y": 2.5}],
    "nested records": [{"a": {"b": 1, "c": [2]}, "d": 3}, {"a": {"b": 4, "c": []}, "d": 5}],
    "tuples": [[(1, 2.5), (3, 4.5)], [], [(5, 6.5)]],
    "union": [1, "two", [3, 4], None],
    "union of records": [{"a": 1}, {"b": "x"}, {"a": 2}],
    "complex": [[1 + 2j, 3 - 4j], [], [5j]],
    "times": np.array(["2020-01-01", "2021-06-05"], "datetime64[s]"),
    "empty": [],
    "empty lists": [[], []],
    "empty deep": [[[]], []],
    "int8": np.array([1, -2, 3], "int8"),
    "float32": np.array([[1.5, 2.5], [3.5, 4.5]], "float32"),
}


def theirs(name):
    """The data as Awkward's array; "sliced" ones start inside their buffers."""
    if name == "sliced":
        return awkward.Array([[9.0], [1.5, 2.5, 3.5], [], [4.5, 5.5], [8.0]])[1:-1]
    if name == "categorical":
        return awkward.str.to_categorical(["one", "two", "one"])
    return awkward.Array(DATA[name])


NUMBERS = ["flat", "ints", "lists", "int lists", "deep", "missing", "regular", "matrix", "sliced"]
NUMBERS += ["missing flat", "bools", "int8", "float32", "empty", "empty lists"]
LISTS = ["lists", "deep", "missing", "deep missing", "regular", "strings", "records", "tuples"]
LISTS += ["sliced", "empty lists"]
EVERY = [*DATA, "sliced"]


def grid(**options):
    """All combinations of keyword arguments, as dicts."""
    out = [{}]
    for name, values in options.items():
        out = [{**o, name: v} for o in out for v in values]
    return out
