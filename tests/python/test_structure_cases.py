# Structure, case by case, beside Awkward: values and types, or errors of the same family.
import copy
import datetime
import pickle

import awkward
import numpy as np
import pytest
from conftest import assert_same, both

import serrate as ak

ONE, TWO, THREE = [1.1, 2.2, 3.3], [100, 200], ["a", "b", "c", "d"]
LISTS = {"x": [1, 2], "y": [3]}
OTHERS = {"y": [10], "x": [30]}
XY = {"x": [1, 2, 3], "y": [4, 5, 6]}
MIXED = [1, {"x": 2, "y": [3, 4]}, None, [5, [6]], 7]


class Sized:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)


class Second:
    def __index__(self):
        return 1


def cross(nested):
    return lambda ak: ak.cartesian([ONE, TWO, THREE], axis=0, nested=nested)


def appended(ak, x):
    b = ak.ArrayBuilder()
    b.append(x)
    return b.snapshot()


SAME = {
    "groups of the first": cross([0]),
    "groups of the second": cross([1]),
    "groups of both": cross([0, 1]),
    "positions in groups": lambda ak: ak.argcartesian([ONE, TWO, THREE], axis=0, nested=[0]),
    "pairs of a missing item": lambda ak: ak.cartesian([ak.Array([1, None]), [[2, 3], [4]]]),
    "pairs with a missing item": lambda ak: ak.cartesian([[[2, 3], [4]], ak.Array([1, None])]),
    "records joined": lambda ak: ak.concatenate([ak.Array([LISTS]), ak.Array([OTHERS])], axis=1),
    "joined inside": lambda ak: ak.concatenate([ak.Array([LISTS]), ak.Array([OTHERS])], axis=-1),
    "tuples joined": lambda ak: ak.concatenate([ak.Array([([1], [2])])] * 2, axis=1),
    "records and a number": lambda ak: ak.concatenate([ak.Array([LISTS]), 5], axis=1),
    "ravel in order": lambda ak: ak.ravel(MIXED),
    "flatten in order": lambda ak: ak.flatten(MIXED, axis=None),
    "ravel of nested unions": lambda ak: ak.ravel([[1, [2]], [[[3]], 4], []]),
    "ravel of missing records": lambda ak: ak.ravel([{"x": 1}, None, {"x": 2}]),
    "ravel of records": lambda ak: ak.ravel([{"x": [1], "y": 2}, None]),
    "ravel of no fields": lambda ak: ak.ravel([{}, None]),
    "ravel of an empty union": lambda ak: ak.ravel(ak.Array([1, "s"])[:0]),
    "flatten of an empty union": lambda ak: ak.flatten(ak.Array([[1, "s"], []])[1:], axis=None),
    "ravel of one member": lambda ak: ak.ravel(ak.Array([1, "s", 2.5])[[0, 2]]),
    "no member": lambda ak: ak.flatten(ak.Array([1, [2, 3]])[:0], axis=None),
    "a missing field": lambda ak: ak.with_field([{"x": 1}, {"x": 2}], None, "y"),
    "a missing field in lists": lambda ak: ak.with_field([[{"x": 1}], []], None, "y"),
    "a missing field of one": lambda ak: ak.with_field(ak.Record({"x": 1}), None, "y"),
    "fill with a list": lambda ak: ak.fill_none([1, None], [0, 5]),
    "fill with lists": lambda ak: ak.fill_none([1, None], np.array([[0]])),
    "fill with nothing": lambda ak: ak.fill_none([1, None], ak.Array([])),
    "full of text": lambda ak: ak.full_like([[1.5, 2], [], [3]], "5.5"),
    "full of integers as text": lambda ak: ak.full_like([[1, 2], []], "5"),
    "full of truth": lambda ak: ak.full_like([[True, False], []], b"0"),
    "full of values": lambda ak: ak.full_like(ak.Array([[1.0, 1.0]] * 2), 2.5),
    "full of a time": lambda ak: ak.full_like(
        np.array(["2020-01-01T00:00:00"], "datetime64[s]"), "2020-07-27T10:41:11"
    ),
    "words of two dimensions": lambda ak: ak.Array(np.array([["ab", "c"], ["d", "e"]])),
    "no words of two dimensions": lambda ak: ak.from_numpy(np.zeros((2, 0), "U3")),
    "a record of JSON text": lambda ak: ak.Record('{"a": [1], "b": {"c": [[1]]}}'),
    "differences as times": lambda ak: ak.values_astype(
        ak.Array(np.array([3, 1], "m8[s]")), "datetime64[ms]"
    ),
    "times as differences": lambda ak: ak.values_astype(
        ak.Array(np.array([3, 1], "M8[s]")), "timedelta64[D]"
    ),
    "appended times": lambda ak: appended(ak, np.array([1, 2], "M8[ns]")),
    "appended time differences": lambda ak: appended(ak, ak.Array(np.array([1], "m8[s]"))),
    "a range": lambda ak: ak.Array([1, [2, 3], 4]) + range(3),
    "a range first": lambda ak: range(3) - ak.Array([1, 2, 3]),
    "sized slicer": lambda ak: ak.Array([5, 6, 7])[Sized([2, 0])],
    "sized fields": lambda ak: ak.Array([{"x": 1, "y": 2}])[Sized(["y"])],
    "range slicer": lambda ak: ak.Array([5, 6, 7])[range(2)],
    "set slicer": lambda ak: ak.Array([5, 6, 7])[{1}],
    "index slicer": lambda ak: ak.Array([[5, 6], [7, 8]])[:, Second()],
    "an array inside a record": lambda ak: ak.Array([XY])[0, [1, 0]],
    "an array inside lists": lambda ak: ak.Array([[XY]])[0, 0, [1, 0]],
    "an array and an integer": lambda ak: ak.Array([{"x": [[1, 2], [3]]}])[0, [1, 0], 0],
    "a record of lists": lambda ak: ak.Record({"a": [1, 2], "b": np.ones((2, 3)), "c": "x"}),
    "a record of anything": lambda ak: ak.Record(
        {"a": 1.5, "b": None, "c": {"d": [1]}, "e": ak.Array([[1], []]), "f": (1, 2)}
    ),
    "time of the day": lambda ak: ak.from_iter([datetime.time(1, 2, 3)]),
    "places in records": lambda ak: ak.local_index([[{"x": 1, "y": [1.1, 2.2]}], []]),
    "places in unions": lambda ak: ak.local_index([1, [2, 3]]),
    "places in lists of unions": lambda ak: ak.local_index([[1, [2, 3]], [], [[]]]),
    "casts of nothing": lambda ak: ak.nan_to_num([[]]),
    "fields of tuples": lambda ak: ak.broadcast_fields([(1, 2.5)], [(3,)]),
    "real parts of nothing": lambda ak: ak.real([[]]),
    "imaginary parts of nothing": lambda ak: ak.imag([[None]]),
    "below the deepest axis": lambda ak: ak.drop_none([[1, None], None], axis=-3),
    "sorted fields": lambda ak: ak.sort([{"x": 3, "y": [3, 1]}, {"x": 1, "y": []}]),
    "sorted slots": lambda ak: ak.sort(ak.Array([[(3, [2, 1])], [(1, [])]], with_name="P")),
    "sorted regular lists": lambda ak: ak.sort(np.array([[3, 1, 2], [4, 6, 5]])),
    "order of regular lists": lambda ak: ak.argsort(np.arange(8).reshape(2, 2, 2), axis=1),
    "no notes of nothing": lambda ak: ak.with_parameter([], "x", 1),
}


@pytest.mark.parametrize("case", SAME.values(), ids=SAME)
def test_same(case):
    assert_same(case(ak), case(awkward))


def twice(ak, f):
    x = f(ak.Array({"a": [1, 2, 3], "b": [1, 2, 3]})[["a", "a"]])
    assert x.to_list() == [{"a": 1}, {"a": 2}, {"a": 3}]
    return x


PLAIN = {
    "tuples and records": lambda ak: ak.is_tuple(ak.concatenate([[(1,)], [{"x": 1}]])),
    "tuples": lambda ak: ak.Array([(1, 2)]).is_tuple,
    "dimensions of records": lambda ak: ak.Array([[{"x": [1]}]]).ndim,
    "dimensions of unions": lambda ak: (ak.Array([1, [2]]).ndim, ak.Array([[1], [[2]]]).ndim),
    "item by index": lambda ak: int(ak.Array([5, 6])[Second()]),
    "masked fields": lambda ak: ak.to_numpy(ak.Array({"a": [1, 2], "b": [4, None]})).tolist(),
    "mask of fields": lambda ak: ak.to_numpy(ak.Array([(1, None), (2, 3)])).mask.tolist(),
    "containers of Python": lambda ak: ak.to_list(
        [1, 1.5, (2,), {"a": ak.Array([1]), "b": None}, {3: datetime.time(1)}, np.array([[1]])]
    ),
    "a generator as a list": lambda ak: ak.to_list(i for i in range(3)),
    "dimensions through records": lambda ak: ak.Array([{"x": [1]}]).positional_axis,
    "two fields of a name": lambda ak: str(twice(ak, lambda x: x).type),
    "two fields in a pickle": lambda ak: str(
        twice(ak, lambda x: pickle.loads(pickle.dumps(x))).type
    ),
    "a member more": lambda ak: ak.array_equal(
        ak.Array([1, "a", True])[:2], ak.Array([True, 1, "a"])[1:]
    ),
    "notes of lists whose fields are taken": lambda ak: [
        str(x.type)
        for y in [ak.with_parameter(ak.Array([[{"x": 1, "y": [2]}], []]), "note", 1)]
        for x in [y, y["x"], y[["y", "x"]], y[:, ["x"]], ak.with_name(y, "P")]
    ],
    "notes of lists of categoricals": lambda ak: ak.parameters([["a"]]),
    "in a notebook": lambda ak: ak.Array([])._repr_mimebundle_(),
}


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize("case", PLAIN.values(), ids=PLAIN)
def test_same_value(case):
    assert case(ak) == case(awkward)


REFUSED = {
    "None + x": (TypeError, lambda ak: None + ak.Array([1])),
    "x == None": (TypeError, lambda ak: ak.Array([1]) == None),  # noqa: E711
    "ufunc of None": (TypeError, lambda ak: np.add(ak.Array([1]), None)),
    "zip of None": (TypeError, lambda ak: ak.zip({"x": [1], "y": None})),
    "where of None": (TypeError, lambda ak: ak.where([True], [1], None)),
    "fill_none with None": (TypeError, lambda ak: ak.fill_none([1, None], None)),
    "concatenate of None": (TypeError, lambda ak: ak.concatenate([[1], None])),
    "record of a tuple": (TypeError, lambda ak: ak.Record((1, 2))),
    "record of a list": (TypeError, lambda ak: ak.Record([1, 2])),
    "fields that differ": (
        ValueError,
        lambda ak: ak.unzip(ak.concatenate([[{"x": 1}], [{"x": 1, "y": 2}]])),
    ),
    "a number of a union of records": (
        ValueError,
        lambda ak: ak.count_nonzero([[{"x": 3.0}], [True, True]], axis=-1),
    ),
    "sorted fields of other depths": (
        ValueError,
        lambda ak: ak.sort([{"x": 3, "y": [3, 1]}], axis=0),
    ),
    "lengths of a scalar": (TypeError, lambda ak: ak.num(5)),
    "lengths of a record": (TypeError, lambda ak: ak.num(ak.Record({"x": [1]}))),
    "all of a record": (TypeError, lambda ak: ak.ravel(ak.Record({"x": [1]}))),
    "pairs of a scalar": (TypeError, lambda ak: ak.combinations(np.float64(1.5), 2)),
    "correlation of texts": (TypeError, lambda ak: ak.corr(["a", "b"], ["a", "b"], axis=-1)),
    "correlation of records": (TypeError, lambda ak: ak.covar([{"x": 1}], [{"x": 1}])),
    "a dict is no array": (ValueError, lambda ak: ak.num({"a": [1, 2]}, axis=0)),
    "dicts are no arrays": (ValueError, lambda ak: ak.concatenate([{"a": [1]}, [1]])),
    "nothing in numbers": (ValueError, lambda ak: [] in ak.Array([1, 2])),
    "a structure as no records": (
        TypeError,
        lambda ak: ak.from_numpy(np.zeros(2, [("a", "i4")]), recordarray=False),
    ),
    "times and differences": (
        TypeError,
        lambda ak: ak.to_numpy(ak.Array([np.datetime64("2020"), np.timedelta64(1, "s")])),
    ),
    "a named record and a text": (TypeError, lambda ak: ak.with_name([{"x": 1}], "P") == "a"),
    "closeness of texts": (ValueError, lambda ak: ak.isclose(["a"], ["a"])),
    "products of numbers": (ValueError, lambda ak: ak.cartesian([[1], [2]])),
    "products of text": (ValueError, lambda ak: ak.cartesian([[[1]], ["ab"]])),
    "positions of numbers": (ValueError, lambda ak: ak.argcartesian([[[1]], [2]])),
    "full of lists": (ValueError, lambda ak: ak.full_like(ak.Array([[1, 2], [3]]), [5, 6])),
    "full of words": (ValueError, lambda ak: ak.full_like([1, 2], "five")),
}


@pytest.mark.parametrize(("error", "case"), REFUSED.values(), ids=REFUSED)
def test_refused(error, case):
    for m in (awkward, ak):
        with pytest.raises(error):
            case(m)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize("how", [copy.deepcopy, ak.copy, np.copy], ids=lambda f: f.__module__)
def test_copies_have_memory_of_their_own(how):
    numbers = np.array([1.0, 2.0])
    x = ak.Array({"a": numbers, "b": ["p", "q"]}, copy=False)
    whole, shared = how(x), copy.copy(x)
    one = how(x[0]) if how is not np.copy else whole[0]
    numbers[0] = 9
    assert whole.tolist() == [{"a": 1.0, "b": "p"}, {"a": 2.0, "b": "q"}]
    assert one.tolist() == {"a": 1.0, "b": "p"}
    assert shared.a.tolist() == [9.0, 2.0]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_no_copy():
    x = ak.Array(np.array([1.0, 2.0]))
    assert np.asarray(x, dtype="float64", copy=False).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError):
        np.asarray(x, dtype="float32", copy=False)


def test_notes_belong_to_one_array():
    for m in (awkward, ak):
        x = m.Array([1])
        x.attrs["a"] = 1
        y, z = m.copy(x), x[:1]
        y.attrs["a"] = z.attrs["a"] = 2
        assert (x.attrs["a"], y.attrs["a"], z.attrs["a"]) == (1, 2, 2)
        with pytest.raises(TypeError):
            x.attrs[1] = 2
        at_rest = m.to_backend(x, "cpu")
        assert dict(pickle.loads(pickle.dumps(at_rest)).attrs) == {"a": 1}


def test_containers_of_numpy():
    point = np.unique_counts(ak.to_backend(ak.Array([1, 1, 2]), "cpu"))  # a named tuple
    assert isinstance(point.counts, ak.Array)
    assert point.counts.tolist() == [2, 1]


def test_builder_contexts():
    builder = ak.ArrayBuilder()
    assert repr(builder.record()).startswith("<ArrayBuilder.record")
    assert repr(builder.list()).startswith("<ArrayBuilder.list")
    with builder.record("P") as b:
        b.field("x")
        with b.tuple(1):
            b.index(0).integer(1)
    assert builder.to_list() == [{"x": (1,)}]


@pytest.mark.parametrize("where", [(0, [0, 0]), (1, [0, 1]), (1, [0]), (-1, [0, 0]), (0, [1], 0)])
@pytest.mark.parametrize(
    "data",
    [[[1, 2], None, [3]], [None, [1, 2]], [[[1, 2], [3]], None], [[None, [1, 2]], [[3], []]]],
    ids=str,
)
def test_an_integer_beside_an_array_is_an_array(data, where):
    both(lambda ak, x: x[where], data)
    both(lambda ak, x: x[(slice(None), *where)], [data])
