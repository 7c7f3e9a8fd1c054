# What ufuncs offer besides a call: out=, where=, dtype=, reduce, accumulate, outer, reduceat, at.
import numpy as np
import pytest
from conftest import assert_same_values

import serrate as ak

LISTS = [[7, 1, 2], [], [4], [1, 3, 5, 2, 6]]
BINARY = [
    *("add", "subtract", "multiply", "divide", "logaddexp", "logaddexp2", "floor_divide"),
    *("power", "float_power", "remainder", "fmod", "gcd", "lcm", "arctan2", "hypot", "maximum"),
    *("minimum", "fmax", "fmin", "copysign", "nextafter", "heaviside", "bitwise_and"),
    *("bitwise_or", "bitwise_xor", "left_shift", "right_shift", "logical_and", "logical_or"),
    "logical_xor",
]
INTEGERS = ("gcd", "lcm", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")


def host(x):
    return ak.to_backend(x, "cpu").to_numpy() if isinstance(x, ak.Array) else np.asarray(x)


def lists_for(name):
    return LISTS if name in INTEGERS else [[x / 2 for x in items] for items in LISTS]


def folded(ufunc, items):
    """One after the other: NumPy's own reduce is wrong for power and arctan2 in some versions."""
    return ufunc.accumulate(items)[-1] if len(items) else ufunc.identity


def close(ours, theirs):
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)


@pytest.mark.parametrize("name", BINARY)
def test_reduce_of_lists(name):
    ufunc = getattr(np, name)
    lists = lists_for(name)
    ours = ak.to_list(ufunc.reduce(ak.Array(lists), axis=1))
    for got, items in zip(ours, lists, strict=True):
        if items or ufunc.identity is not None:
            np.testing.assert_allclose(got, folded(ufunc, np.array(items, type(lists[0][0]))))
        else:
            assert got is None


@pytest.mark.parametrize("name", BINARY)
def test_accumulate_of_lists(name):
    ufunc = getattr(np, name)
    lists = lists_for(name)
    ours = ufunc.accumulate(ak.Array(lists), axis=-1)
    theirs = [ufunc.accumulate(np.array(items)) for items in lists if items]
    close(host(ak.flatten(ours)), np.concatenate(theirs))
    assert ak.to_list(ak.num(ours)) == [3, 0, 1, 5]


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("axis", [0, 1])
def test_reduce_of_a_matrix(name, axis):
    ufunc = getattr(np, name)
    x = np.array([[3, 1, 2], [5, 9, 2]])
    x = x if name in INTEGERS else x / 2
    theirs = np.array([folded(ufunc, items) for items in (x.T if axis == 0 else x)])
    close(host(ak.drop_none(ufunc.reduce(ak.Array(x), axis=axis))), theirs)
    close(host(ufunc.accumulate(ak.Array(x), axis=axis)), ufunc.accumulate(x, axis=axis))


def test_reduce_along_columns_of_lists():
    x = ak.Array([[10, 3, 2], [], [4, 1]])
    assert_same_values(np.subtract.reduce(x, axis=0), [6, 2, 2])
    assert_same_values(np.subtract.accumulate(x, axis=0), [[10, 3, 2], [], [6, 2]])


def test_reduce_over_all_and_over_several_axes():
    x = ak.Array([[1.0, 2.0], [], [4.0]])
    assert np.add.reduce(x, axis=None) == 7
    assert np.hypot.reduce(x, axis=None) == pytest.approx(np.sqrt(21))
    cube = np.arange(1.0, 25).reshape(2, 3, 4)
    for axes in ((0, 1), (1, 2), (0, 2), (0, 1, 2), (-1,)):
        ours = np.multiply.reduce(ak.Array(cube), axis=axes)
        np.testing.assert_allclose(host(ours), np.multiply.reduce(cube, axis=axes))
    with pytest.raises(ValueError, match="twice"):
        np.add.reduce(ak.Array(cube), axis=(0, -3))


def test_reduce_options():
    x = ak.Array([[5, 1, 2], [], [7]])
    assert_same_values(np.subtract.reduce(x, axis=1, keepdims=True), [[2], [None], [7]])
    assert_same_values(np.subtract.reduce(x, axis=1, initial=100), [92, 100, 93])
    assert_same_values(np.maximum.reduce(x, axis=1, initial=6), [6, 6, 7])
    where = ak.Array([[True, False, True], [], [False]])
    assert_same_values(np.add.reduce(x, axis=1, where=where), [7, 0, 0])
    assert_same_values(np.subtract.reduce(x, axis=1, where=where), [3, None, None])
    assert str(np.add.reduce(x, axis=1, dtype="float32").type) == "3 * float32"
    out = ak.Array([0.5, 0.5, 0.5])
    assert np.add.reduce(x, axis=1, out=out) is out
    assert_same_values(out, [8.0, 0.0, 7.0])


def test_reduce_leaves_missing_items_out():
    x = ak.Array([[8, None, 2], None, [None], [3]])
    assert_same_values(np.subtract.reduce(x, axis=1), [6, None, None, 3])
    assert_same_values(np.bitwise_or.reduce(x, axis=1), [10, None, 0, 3])
    assert_same_values(np.subtract.accumulate(x, axis=1), [[8, None, 6], None, [None], [3]])


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_reduce_types(dtype):
    x = np.array([1, 0, 1, 1], dtype)
    for name in ("add", "multiply", "maximum", "logical_and", "logical_xor"):
        ufunc = getattr(np, name)
        ours = host(ak.drop_none(ufunc.reduce(ak.Array(x[None]), axis=1)))[0]
        theirs = ufunc.reduce(x)
        assert (ours.dtype, ours) == (theirs.dtype, theirs), name


@pytest.mark.parametrize("dtype", ["f4", "f8", "m8[s]", "M8[D]"])
def test_maximum_and_fmax_of_nan(dtype):
    nan = np.array(np.nan).astype(dtype)
    two = np.array([1, 3], "i8").astype(dtype)
    x = ak.Array(np.array([[*two], [two[0], nan], [nan, nan]], dtype))
    for name in ("maximum", "minimum", "fmax", "fmin"):
        ours = host(ak.drop_none(getattr(np, name).reduce(x, axis=1)))
        theirs = getattr(np, name).reduce(host(x), axis=1)
        np.testing.assert_array_equal(ours, theirs)


def test_long_lists():
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 40, 300)
    flat = rng.integers(0, 1000, counts.sum())
    x = ak.unflatten(ak.Array(flat), counts)
    pieces = np.split(flat, np.cumsum(counts)[:-1])
    ours = ak.to_list(np.subtract.reduce(x, axis=1))
    assert ours == [int(np.subtract.reduce(p)) if len(p) else None for p in pieces]
    ours = host(ak.flatten(np.bitwise_xor.accumulate(x, axis=1)))
    np.testing.assert_array_equal(
        ours, np.concatenate([np.bitwise_xor.accumulate(p) for p in pieces if len(p)])
    )


def test_of_expressions():
    x = ak.Array([[1, 5, 2, 4], [], [3]])
    y = x[x > 1] * 2
    assert_same_values(np.subtract.accumulate(y, axis=1), [[10, 6, -2], [], [6]])
    assert_same_values(np.subtract.reduce(y, axis=1), [-2, None, 6])


def test_outer():
    a, b = np.array([1, 2, 3]), np.array([[10, 20], [30, 40]])
    np.testing.assert_array_equal(host(np.add.outer(ak.Array(a), ak.Array(b))), np.add.outer(a, b))
    np.testing.assert_array_equal(host(np.add.outer(a, ak.Array(b))), np.add.outer(a, b))
    assert_same_values(
        np.multiply.outer(ak.Array([[1, 2], []]), ak.Array([[3], [4, 5]])),
        [[[[3], [4, 5]], [[6], [8, 10]]], []],
    )
    assert_same_values(np.subtract.outer(ak.Array([1, None]), [1, 2]), [[0, -1], None])
    ours = np.add.outer(ak.Array(a), 1.5, dtype="float32")
    assert str(ours.type) == "3 * float32"


def test_reduceat():
    a = np.arange(8)
    for indices in ([0, 4, 1, 5, 2, 6, 3, 7], [0, 3], [5], [7, 0]):
        for ufunc in (np.add, np.subtract, np.maximum):
            ours = ufunc.reduceat(ak.Array(a), indices)
            theirs = ufunc.reduceat(a, indices)
            assert (str(ours.type.content), ak.to_list(ours)) == ("int64", theirs.tolist())
    matrix = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(
        host(np.add.reduceat(ak.Array(matrix), [0, 3, 1])), np.add.reduceat(matrix, [0, 3, 1])
    )
    ragged = ak.Array([[1, 2], [3], [], [4, 5, 6]])
    assert_same_values(np.add.reduceat(ragged, [0, 2]), [[4, 2], [4, 5, 6]])
    with pytest.raises(IndexError):
        np.add.reduceat(ak.Array(a), [0, 8])
    cube = np.arange(24).reshape(2, 3, 4)
    for axis in (1, 2, -2):
        np.testing.assert_array_equal(
            host(np.add.reduceat(ak.Array(cube), [0, 2, 1], axis=axis)),
            np.add.reduceat(cube, [0, 2, 1], axis=axis),
        )
    for wrong, axis in ((IndexError, 1), (ValueError, 2)):
        with pytest.raises(wrong):
            np.add.reduceat(ragged, [0, 1], axis=axis)


def test_at():
    for ufunc, values in ((np.add, [10, 20, 30]), (np.subtract, [1, 2, 3]), (np.maximum, 2)):
        a = np.array([1, 2, 3, 4])
        x = ak.Array(a.copy())
        ufunc.at(x, [0, 0, 2], values)
        ufunc.at(a, [0, 0, 2], values)
        assert ak.to_list(x) == a.tolist()
    a, x = np.array([1, 2, 3]), ak.Array([1, 2, 3])
    np.negative.at(a, [0, 2, 2])
    np.negative.at(x, [0, 2, 2])
    assert ak.to_list(x) == a.tolist()
    y = ak.Array([[1.0, 2.0], [], [3.0]])
    other = y[:]
    np.add.at(y, ak.Array([[1, 1], [], [0]]), 10)
    assert_same_values(y, [[1.0, 22.0], [], [13.0]])
    assert_same_values(other, [[1.0, 2.0], [], [3.0]])
    a = np.zeros(3)
    np.add.at(a, ak.to_backend(ak.Array([1, 1]), "cpu"), 1.0)
    assert a.tolist() == [0, 2, 0]


def test_out_and_where():
    x = ak.Array([[1, 2], [], [3]])
    out = ak.Array([[0.5, 0.5], [], [0.5]])
    alias = out
    assert np.add(x, 1, out=out) is out
    assert_same_values(alias, [[2.0, 3.0], [], [4.0]])
    mask = ak.Array([[True, False], [], [True]])
    np.multiply(x, 100, out=out, where=mask)
    assert_same_values(out, [[100.0, 3.0], [], [300.0]])
    assert_same_values(np.multiply(x, 100, where=mask), [[100, None], [], [300]])
    plain = np.zeros(3)
    flat = ak.to_backend(ak.Array([1, 2, 3]), "cpu")
    assert np.add(flat, 1, out=plain) is plain
    assert plain.tolist() == [2, 3, 4]
    whole, part = ak.Array([0.0]), ak.Array([0.0])
    got = np.modf(ak.Array([2.5]), out=(part, whole))
    assert got == (part, whole) or got[0] is part
    assert_same_values(part, [0.5])
    assert_same_values(whole, [2.0])
    with pytest.raises(TypeError, match="cast"):
        np.true_divide(x, 2, out=ak.Array([[0, 0], [], [0]]))
    np.true_divide(x, 2, out=(ints := ak.Array([[0, 0], [], [0]])), casting="unsafe")
    assert_same_values(ints, [[0, 1], [], [1]])


def test_dtype_and_casting():
    a = np.array([1, 2], "i2")
    x = ak.Array(a)
    cases = [
        lambda v: np.add(v, v, dtype="f4"),
        lambda v: np.add(v, 1, dtype="i8"),
        lambda v: np.sqrt(v, dtype="f8"),
        lambda v: np.add(v, 1.5, dtype="c8"),
        lambda v: np.less(v, 2, dtype=bool),
        lambda v: np.add(v, v, signature="dd->d"),
        lambda v: np.add(v, v, casting="no"),
    ]
    for call in cases:
        ours, theirs = host(call(x)), call(a)
        assert (ours.dtype, ours.tolist()) == (theirs.dtype, theirs.tolist())
    for call in (
        lambda v: np.add(v, 1.5, dtype="i2"),
        lambda v: np.add(v, np.float64(2), casting="no"),
        lambda v: np.sqrt(v, casting="no"),
    ):
        with pytest.raises(TypeError):
            call(a)
        with pytest.raises(TypeError):
            call(x)


def test_in_place_operators():
    x = ak.Array([[1, 2], [], [3]])
    alias, copy = x, x[:]
    x += 1
    x *= ak.Array([10, 20, 30])
    assert x is alias
    assert_same_values(x, [[20, 30], [], [120]])
    assert_same_values(copy, [[1, 2], [], [3]])
    x -= 1
    x //= 2
    x %= 7
    x **= 2
    x <<= 1
    x >>= 1
    x |= 1
    x &= 7
    x ^= 1
    flat = np.array([20, 30, 120])
    flat -= 1
    flat //= 2
    flat %= 7
    flat **= 2
    flat |= 1
    flat &= 7
    flat ^= 1
    assert_same_values(ak.flatten(x), flat.tolist())
    with pytest.raises(TypeError, match="cast"):
        x /= 2
    with pytest.raises(ValueError):
        x += ak.Array([[[1], [2]], [], [[3]]])
    y = ak.Array([[1.5], []])
    y /= 2
    assert_same_values(y, [[0.75], []])
    f = ak.Array(np.array([1, 2], "f4"))
    f += np.float64(1)
    assert str(f.type) == "2 * float32"
    z = ak.Array([{"a": 1}, {"a": 2}])
    z["a"] += 10
    assert_same_values(z, [{"a": 11}, {"a": 12}])


def test_items_are_set():
    x = ak.Array([[1, 2, 3], [], [4, 5]])
    x[0, 1] = 20
    assert_same_values(x, [[1, 20, 3], [], [4, 5]])
    x[x > 4] = 0
    assert_same_values(x, [[1, 0, 3], [], [4, 0]])
    x[2] = [7, 8]
    x[:1, -1] += 100
    assert_same_values(x, [[1, 0, 103], [], [7, 8]])
    x[...] *= 2
    assert_same_values(x, [[2, 0, 206], [], [14, 16]])
    x = ak.Array([[], [1, 2], [3]])
    x[1:2, -1] = 9
    assert_same_values(x, [[], [1, 9], [3]])
    a, y = np.zeros(5), ak.Array(np.zeros(5))
    for v in (a, y):
        v[1:4:2] = [5, 6]
        v[np.array([0, 0])] = [1, 2]
        v[[True, False, False, False, True]] = 9
    assert ak.to_list(y) == a.tolist()
    with pytest.raises(TypeError):
        ak.Array(["one"])[0] = "two"
    with pytest.raises(IndexError):
        y[7] = 1


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32"])
@pytest.mark.parametrize(
    "name", ["less", "greater_equal", "equal", "not_equal", "logical_and", "logical_xor"]
)
def test_truth_at(name, dtype):
    """Results that are not what the operation takes go on as numbers of the array's type."""
    ufunc = getattr(np, name)
    a = np.array([1, 0, 3, 0, 2]).astype(dtype)
    x = ak.Array(a)
    values = np.array([2, 1, 0, 3, 1]).astype(dtype)
    want = a.copy()
    ufunc.at(want, [0, 0, 2, 4, 0], values)
    ufunc.at(x, [0, 0, 2, 4, 0], values)
    assert str(x.type) == f"5 * {dtype}"
    assert x.to_list() == want.tolist()
    ufunc.at(x, [], values[:0])
    assert x.to_list() == want.tolist()
