# Arguments in unusual form, as in Awkward: flags that are no bool, single values, large integers.
import awkward
import numpy as np
import pytest
from conftest import assert_same, both

import serrate as ak

LISTS = [[1.5, 2.5, 3.5], [], [4.5, 5.5]]
FLAGS = [1, 0, "yes", "", np.True_, np.False_, [0]]


@pytest.mark.parametrize("flag", FLAGS, ids=repr)
@pytest.mark.parametrize("name", ["sum", "max", "argmin", "mean", "std", "ptp", "nanmax", "count"])
def test_flags_of_reducers(name, flag):
    both(lambda lib, x: getattr(lib, name)(x, axis=-1, keepdims=flag), LISTS)
    both(lambda lib, x: getattr(lib, name)(x, axis=-1, mask_identity=flag), LISTS)
    both(lambda lib, x: getattr(lib, name)(x, axis=-1, mask_identity=None), LISTS)


@pytest.mark.parametrize("flag", FLAGS, ids=repr)
def test_flags(flag):
    both(lambda lib, x: lib.sort(x, ascending=flag), LISTS)
    both(lambda lib, x: lib.pad_none(x, 2, clip=flag), LISTS)
    both(lambda lib, x: lib.combinations(x, 2, replacement=flag), LISTS)
    both(lambda lib, x: lib.concatenate([x, x > 2], mergebool=flag), LISTS)
    both(lambda lib, x: lib.angle(x, deg=flag), LISTS)
    assert isinstance(ak.num(LISTS, highlevel=flag), ak.Array) == bool(flag)


@pytest.mark.parametrize("data", [LISTS, [1.0, 2.0], [[[1.0], []], []], [[1.0, None], None, []]])
def test_softmax_of_nothing_is_missing(data):
    both(lambda lib, x: lib.softmax(x, mask_identity=True), data, rtol=1e-12)
    both(lambda lib, x: lib.softmax(x, mask_identity=False), data, rtol=1e-12)


ONE = {
    "fill_none": lambda lib, x: lib.fill_none(x, 0),
    "isclose": lambda lib, x: lib.isclose(x, x),
    "nan_to_num": lambda lib, x: lib.nan_to_num(x),
    "enforce_type": lambda lib, x: lib.enforce_type(x, "?int64"),
    "broadcast_arrays": lambda lib, x: lib.broadcast_arrays(x, x)[1],
    "to_numpy": lambda lib, x: lib.to_numpy(x),
    "argcartesian": lambda lib, x: lib.argcartesian([x, x]),
    "where": lambda lib, x: lib.where(x, x),
}


@pytest.mark.parametrize("value", [3, 2.5, True, 1j, np.float32(2)], ids=repr)
@pytest.mark.parametrize("name", ONE)
def test_single_numbers_are_arrays_of_one(name, value):
    try:
        theirs = ONE[name](awkward, value)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            ONE[name](ak, value)
    else:
        assert_same(ONE[name](ak, value), theirs)


@pytest.mark.parametrize("data", [{"x": None, "y": [1, None]}, {"x": 1}, {"a": {"b": None}}])
@pytest.mark.parametrize("axis", [-1, 0, None])
def test_records_are_filled(data, axis):
    theirs = awkward.fill_none(awkward.Record(data), 5, axis=axis)
    ours = ak.fill_none(ak.Record(data), 5, axis=axis)
    assert isinstance(ours, ak.Record)
    assert_same(ours, theirs)


def test_records_are_no_factors():
    record = ak.Record({"x": 1})
    for f in (ak.cartesian, ak.argcartesian):
        with pytest.raises(TypeError):
            f([record, record])


@pytest.mark.parametrize("lib", [awkward, ak], ids=["awkward", "serrate"])
def test_types_know_behaviors(lib):
    behavior = {"note": 1}
    assert lib.Array(LISTS).type.behavior is None
    assert lib.Array(LISTS, behavior=behavior).type.behavior == behavior
    assert lib.type(LISTS, behavior=behavior).behavior == behavior
    assert lib.Record({"x": 1}, behavior=behavior).type.behavior == behavior
    number = lib.types.NumpyType("int64")
    assert lib.types.ArrayType(number, 3, behavior=behavior).behavior == behavior
    assert lib.types.ArrayType(number, 3).behavior is None
    assert lib.types.ScalarType(number, behavior).behavior == behavior


LARGE = [2**64, 2**70, -(2**63) - 1, -(2**70)]
WITH_LARGE = {
    "add": lambda x, k: x + k,
    "multiply": lambda x, k: k * x,
    "subtract": lambda x, k: k - x,
    "divide": lambda x, k: x / k,
    "floor_divide": lambda x, k: x // k,
    "power": lambda x, k: x**k,
    "maximum": lambda x, k: np.maximum(x, k),
    "less": lambda x, k: x < k,
    "equal": lambda x, k: x == k,
    "not_equal": lambda x, k: k != x,
    "greater_equal": lambda x, k: k >= x,
}


@pytest.mark.parametrize("name", WITH_LARGE)
@pytest.mark.parametrize("values", [[1.5, -2], [1, 2**64 - 1], [True], [1j, 2]], ids=str)
def test_integers_that_no_type_holds(name, values):
    """As NumPy: beside numbers with a point they have a value, beside others an order."""
    kinds = {
        float: ["f2", "f4", "f8"],
        int: ["u8", "i8", "u1"],
        bool: ["?"],
        complex: ["c8", "c16"],
    }
    for dtype in kinds[type(values[0])]:
        limit = np.iinfo(dtype).max if dtype[0] in "iu" else None
        x = np.array([min(v, limit) if limit else v for v in values], dtype)
        for k in LARGE:
            try:
                with np.errstate(all="ignore"):
                    theirs = WITH_LARGE[name](x, k)
            except (OverflowError, TypeError):
                with pytest.raises((OverflowError, TypeError)):
                    WITH_LARGE[name](ak.Array(x), k)
            else:
                got = ak.to_backend(WITH_LARGE[name](ak.Array(x), k), "cpu")
                assert got.to_numpy().dtype == theirs.dtype
                np.testing.assert_allclose(got.to_numpy(), theirs, rtol=1e-3)


def test_large_integers_elsewhere():
    for call in (
        lambda: ak.where([True], [1], 2**70),
        lambda: ak.fill_none([None, 1], 2**70),
        lambda: ak.from_iter([2**70]),
    ):
        with pytest.raises((ValueError, OverflowError), match="does not fit"):
            call()


def test_bytes_of_single_values():
    record = ak.Array([{"x": 1, "y": [1, 2]}, {"x": 2, "y": []}])[0]
    assert record.nbytes >= 24
    assert record.y.nbytes >= 16


@pytest.mark.parametrize("f", [np.amax, np.amin])
def test_old_names_of_reducers(f):
    assert_same(f(ak.Array(LISTS), axis=-1), f(awkward.Array(LISTS), axis=-1))
    assert f(ak.Array(LISTS)) == f(awkward.Array(LISTS))


LIBRARIES = pytest.mark.parametrize("lib", [awkward, ak], ids=["awkward", "serrate"])


@LIBRARIES
def test_casts_of_an_arrays_own_behavior(lib):
    class Foreign:
        pass

    x = lib.Array([1, 1], behavior={("__cast__", Foreign): lambda _: lib.Array([1, 2])})
    assert lib.to_list(x + Foreign()) == [2, 3]
    assert lib.to_list(np.add(x, Foreign())) == [2, 3]
    with pytest.raises((TypeError, AssertionError)):
        lib.Array([1, 1]) + Foreign()


@LIBRARIES
def test_fields_that_take_over(lib):
    class Foreign:
        def __awkward_function__(self, function, array_likes, args, kwargs):
            return function.__name__, len(array_likes)

    assert lib.zip({"a": Foreign()}) == ("zip", 1)
    assert lib.cartesian({"a": Foreign(), "b": Foreign()}) == ("cartesian", 2)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@LIBRARIES
def test_buffers_that_are_not_there(lib):
    form, length, _ = lib.to_buffers(lib.Array(LISTS))
    with pytest.raises(KeyError, match="node0-offsets"):
        lib.from_buffers(form, length, {})


@pytest.mark.parametrize("target", [-1, -5])
@pytest.mark.parametrize("data", [LISTS, [1, 2], np.zeros((2, 2))], ids=str)
def test_padding_to_less_than_nothing(data, target):
    for axis in (0, 1):
        both(lambda lib, x, axis=axis: lib.pad_none(x, target, axis=axis), data)
        with pytest.raises(ValueError):
            ak.pad_none(data, target, axis=axis, clip=True)


@pytest.mark.parametrize("axis", [1, 3, -2, -4])
@pytest.mark.parametrize("name", ["sum", "max", "count", "argmin", "mean", "all"])
@pytest.mark.parametrize("data", [["a", "b"], [{"x": 1}, {"x": 2}], [{}], [(1, 2)]], ids=str)
def test_an_axis_that_is_nowhere_comes_before_other_errors(data, name, axis):
    with pytest.raises(np.exceptions.AxisError):
        getattr(ak, name)(data, axis=axis)


@LIBRARIES
def test_fields_of_a_record_may_be_none(lib):
    record = lib.Record({"x": 1})
    record["y"] = None
    assert record.to_list() == {"x": 1, "y": None}
    assert str(record.type) == "{x: int64, y: ?unknown}"
