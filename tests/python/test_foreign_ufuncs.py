# Ufuncs that are not NumPy's: made by np.frompyfunc here, by numba.vectorize and SciPy elsewhere.
import awkward
import numpy as np
import pytest
from conftest import assert_same

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

double = np.frompyfunc(lambda x: 2 * x, 1, 1)
tangle = np.frompyfunc(lambda x, y: 10 * x + y, 2, 1)
both = np.frompyfunc(lambda x: (x + 1, x - 1), 1, 2)

ARRAYS = {
    "flat": [1, 2, 3],
    "lists": [[1, 2], [], [3]],
    "deep": [[[1], []], [], [[2, 3]]],
    "missing": [[1, None], None, [3]],
    "floats": [[1.5], [], [2.5, -1.0]],
    "empty": [[], []],
    "unions": [1, [2, 3]],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_one_argument(name):
    x = ARRAYS[name]
    assert_same(double(ak.Array(x)), awkward.Array(x) * 2)


@pytest.mark.parametrize("name", ["flat", "lists", "deep", "missing", "floats"])
def test_two_arguments(name):
    x = awkward.Array(ARRAYS[name])
    assert_same(tangle(ak.Array(x), ak.Array(x)), 10 * x + x)
    assert_same(tangle(ak.Array(x), 3), 10 * x + 3)
    assert_same(tangle(np.int64(3), ak.Array(x)), 30 + x)


def test_broadcasting():
    x, y = [[1, 2], [], [3]], [4, 5, 6]
    expected = 10 * awkward.Array(x) + awkward.Array(y)
    assert_same(tangle(ak.Array(x), ak.Array(y)), expected)
    assert_same(tangle(ak.Array(x), np.array(y)), expected)
    assert_same(tangle(ak.Array(x), y), expected)
    with pytest.raises(ValueError):
        tangle(ak.Array(x), ak.Array([[1], [2], [3]]))


def test_regular_dimensions():
    x = np.arange(6).reshape(2, 3)
    assert_same(double(ak.Array(x)), awkward.from_numpy(2 * x, regulararray=True))


def test_several_results():
    x = [[1, 2], [], [3]]
    more, less = both(ak.Array(x))
    assert_same(more, awkward.Array(x) + 1)
    assert_same(less, awkward.Array(x) - 1)


def test_expressions_are_looked_at():
    x = ak.Array([[1, 2, 3], [], [4]])
    assert double(x[x > 1] + 1).to_list() == [[6, 8], [], [10]]


def test_out_and_where():
    x = ak.Array([[1, 2], [3]])
    assert double(x, where=x > 1).to_list() == [[None, 4], [6]]
    y = x + 0
    double(x, out=y)
    assert y.to_list() == [[2, 4], [6]]


def test_refused():
    for x in (ak.Array(["a"]), ak.Array([{"a": 1}])):
        with pytest.raises(TypeError):
            double(x)
    whole = np.vectorize(np.sum, signature="(n)->()")  # no ufunc: NumPy makes an array of it
    assert whole(ak.to_regular([[1, 2], [3, 4]])).tolist() == [3, 7]


def test_overloads_come_first():
    behavior = {(double, "Point"): lambda p: "overloaded"}
    x = ak.Array([{"x": 1}], with_name="Point", behavior=behavior)
    assert double(x) == "overloaded"
