# ak.reduce: compared with functools.reduce in Python.
import functools

import numpy as np
import pytest

import serrate as ak

numba = pytest.importorskip("numba")
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


def larger(a, b):
    return a if a > b else b


def plus(a, b):
    return a + b


def last(a, b):
    return b


def test_each_list():
    x = ak.Array([[1, 5, 2], [], [7]])
    assert ak.to_list(ak.reduce(larger, x, -1, axis=-1)) == [5, -1, 7]
    assert ak.reduce(larger, x, -1) == 7
    assert ak.to_list(ak.reduce(plus, x, 0, axis=1)) == [8, 0, 7]
    assert ak.to_list(ak.reduce(numba.njit(plus), x, 0, axis=-1)) == [8, 0, 7]
    assert str(ak.type(ak.reduce(plus, x, 0.5, axis=-1))) == "3 * float64"
    deep = ak.Array([[[1.5], [2.0, 3.0]], [], [[]]])
    assert ak.to_list(ak.reduce(plus, deep, 0, axis=-1)) == [[1.5, 5.0], [], [0]]
    assert ak.reduce(plus, deep, 0) == 6.5


def test_types():
    small = ak.Array(np.array([100, 100], np.int8))
    assert ak.reduce(plus, small, 0) == 200
    assert ak.reduce(larger, small, 0) == 100
    assert ak.reduce(lambda a, b: a or b, ak.Array([False, True]), False)
    with pytest.raises(TypeError, match="expected numbers"):
        ak.reduce(plus, ak.Array(["a"]), 0, axis=-1)


def test_missing_items_are_left_out():
    x = ak.Array([[1, None, 2], None, [None]])
    assert ak.to_list(ak.reduce(plus, x, 0, axis=-1)) == [3, None, 0]
    assert ak.reduce(plus, x, 0) == 3


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_regular_arrays_along_any_axis(axis):
    data = np.arange(24.0).reshape(2, 3, 4)
    got = ak.reduce(plus, ak.Array(data), 0, axis=axis)
    np.testing.assert_array_equal(ak.to_numpy(got), data.sum(axis=axis))


def test_axes_that_are_not_there():
    x = ak.Array([[1, 2], []])
    with pytest.raises(ValueError, match="innermost"):
        ak.reduce(plus, x, 0, axis=0)
    with pytest.raises(ValueError, match="axis=2 exceeds"):
        ak.reduce(plus, x, 0, axis=2)


def test_random():
    rng = np.random.default_rng(5)
    counts = np.where(rng.random(100_000) < 1e-4, 3000, rng.integers(0, 4, 100_000))
    data = rng.integers(-9, 9, counts.sum())
    x = ak.unflatten(data, counts)
    parts = np.split(data, np.cumsum(counts)[:-1])
    got = ak.reduce(last, x, 99, axis=-1)
    assert ak.to_list(got) == [p[-1] if len(p) else 99 for p in parts]
    assert ak.reduce(last, x, 99) == data[-1]
    assert ak.reduce(plus, x, 0) == functools.reduce(plus, data.tolist(), 0)
