# Behaviours, attributes and names of axes: the same user code with Awkward and here.
import copy
import numbers
import pickle

import awkward
import numpy as np
import pytest

import serrate

DATA = [[{"x": 1, "y": 2.0}, {"x": 3, "y": 4.0}], [], [{"x": 5, "y": 6.0}]]
LIBRARIES = pytest.mark.parametrize("ak", [awkward, serrate], ids=["awkward", "serrate"])


def vectors(ak):
    """A library of two-vectors in a behaviour of its own."""
    behavior = {}

    @ak.mixin_class(behavior)
    class Vec:
        @property
        def length(self):
            return np.sqrt(self.x**2 + self.y**2)

        def scaled(self, k):
            return self * k

        @ak.mixin_class_method(np.add, {"Vec"})
        def add(self, other):
            return ak.zip({"x": self.x + other.x, "y": self.y + other.y}, with_name="Vec")

        @ak.mixin_class_method(np.multiply, {numbers.Number})
        def times(self, k):
            return ak.zip({"x": self.x * k, "y": self.y * k}, with_name="Vec")

        @ak.mixin_class_method(np.absolute)
        def abs(self):
            return self.length

    @ak.mixin_class(behavior, "Momentum")
    class Longer(Vec):
        @ak.mixin_class_method(np.equal, {"Momentum"})
        def same(self, other):
            return (self.x == other.x) & (self.y == other.y)

    def total(array, mask_identity):
        return ak.zip({"x": ak.sum(array.x, axis=1), "y": ak.sum(array.y, axis=1)}, with_name="Vec")

    behavior[ak.sum, "Vec"] = total
    return behavior


def values(x):
    return x.to_list() if hasattr(x, "to_list") else x


CALLS = {
    "property": lambda ak, v: v.length,
    "method": lambda ak, v: v.scaled(2),
    "add": lambda ak, v: v + v,
    "ufunc": lambda ak, v: np.add(v, v),
    "number": lambda ak, v: v * 2,
    "from the left": lambda ak, v: 2 * v,
    "array of numbers": lambda ak, v: v * ak.Array([10, 20, 30]),
    "abs": lambda ak, v: abs(v),
    "record": lambda ak, v: v[0, 0] + v[0, 1],
    "record and array": lambda ak, v: v + v[0, 0],
    "property of a record": lambda ak, v: v[0, 1].length,
    "sum axis 1": lambda ak, v: ak.sum(v, axis=1),
    "sum axis -1": lambda ak, v: ak.sum(v, axis=-1),
    "class stays": lambda ak, v: [type(y).__name__ for y in (v, v[1:], v[v.x > 1], v[0], v[0, 0])],
    "class of a sum": lambda ak, v: type(v + v).__name__,
    "field": lambda ak, v: type(v.x).__name__,
    "with_field": lambda ak, v: type(ak.with_field(v, 1, "z")).__name__,
    "combinations": lambda ak, v: abs(ak.combinations(v, 2, fields=["a", "b"]).a),
}


@pytest.mark.parametrize("name", CALLS)
def test_mixins(name):
    results = []
    for ak in (awkward, serrate):
        v = ak.Array(DATA, with_name="Vec", behavior=vectors(ak))
        results.append(values(CALLS[name](ak, v)))
    assert results[0] == results[1]


@LIBRARIES
def test_inherited_overloads(ak):
    v = ak.Array(DATA, with_name="Momentum", behavior=vectors(ak))
    assert (v == v).to_list() == [[True, True], [], [True]]
    assert (v + v).x.to_list() == [[2, 6], [], [10]]


@LIBRARIES
def test_no_overload(ak):
    v = ak.Array(DATA, with_name="Vec", behavior=vectors(ak))
    with pytest.raises(TypeError):
        v - v
    with pytest.raises(AttributeError):
        _ = v.nothing


@LIBRARIES
def test_classes_by_hand(ak):
    class PointArray(ak.Array):
        def first(self):
            return self.x[:, 0]

    class Both:
        def both(self):
            return self.x + self.y

    class PointRecord(Both, ak.Record):
        pass

    p = ak.Array(DATA[:1], with_name="point")
    assert type(p) is ak.Array
    p.behavior = {("*", "point"): PointArray, "point": PointRecord}
    assert type(p) is PointArray
    assert p.first().to_list() == [1]
    assert p[0, 1].both() == 7
    assert isinstance(p[0, 0], Both)
    assert repr(p).startswith("<PointArray [[{x: 1, y: 2}, ")


@LIBRARIES
def test_global_behavior(ak):
    class Named(ak.Array):
        pass

    ak.behavior["*", "only in this test"] = Named
    try:
        assert type(ak.Array([{"x": 1}], with_name="only in this test")) is Named
        assert type(ak.with_name([{"x": 1}], "only in this test")) is Named
    finally:
        del ak.behavior["*", "only in this test"]
    assert type(ak.Array([{"x": 1}], with_name="only in this test")) is ak.Array


def test_casts_of_foreign_objects():
    class Foreign:
        def __init__(self, n):
            self.n = n

    serrate.behavior["__cast__", Foreign] = lambda f: serrate.Array(list(range(f.n)))
    try:
        assert (serrate.Array([10, 20]) + Foreign(2)).to_list() == [10, 21]
        assert serrate.sum(Foreign(4)) == 6
    finally:
        del serrate.behavior["__cast__", Foreign]


@LIBRARIES
def test_lists_with_a_name(ak):
    class Hits(ak.Array):
        def most(self):
            return ak.max(self, axis=-1)

    x = ak.with_parameter([[1, 2], [3]], "__list__", "hits", behavior={"hits": Hits})
    assert type(x) is Hits
    assert x.most().to_list() == [2, 3]


@LIBRARIES
@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_attrs(ak):
    x = ak.Array([1, 2, 3], attrs={"a": 1, "@passing": 2})
    for y in (x + 1, x[1:], ak.zip({"x": x}), ak.concatenate([x, x]), copy.copy(x), np.sqrt(x)):
        assert dict(y.attrs) == {"a": 1, "@passing": 2}
    assert dict(pickle.loads(pickle.dumps(x)).attrs) == {"a": 1}
    y = ak.Array([1, 2, 3], attrs={"a": 5, "b": 6})
    assert dict((x + y).attrs) == {"a": 1, "b": 6, "@passing": 2}
    assert dict(ak.drop_none(x, attrs={"c": 1}).attrs) == {"c": 1}
    x.attrs = {"new": 1}
    assert dict(x.attrs) == {"new": 1}
    assert dict(ak.Array([1]).attrs or {}) == {}
    with pytest.raises(TypeError):
        ak.Array([1], attrs={1: 2})


@LIBRARIES
@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_pickles(ak):
    v = ak.Array(DATA, with_name="Vec", attrs={"a": [1]})
    for protocol in range(2, 6):
        w = pickle.loads(pickle.dumps(v, protocol=protocol))
        assert w.to_list() == DATA
        assert str(w.type) == str(v.type)
        assert dict(w.attrs) == {"a": [1]}
    outside = []
    small = pickle.dumps(v, protocol=5, buffer_callback=outside.append)
    assert len(outside) >= 3
    assert pickle.loads(small, buffers=outside).to_list() == DATA
    assert pickle.loads(pickle.dumps(v[0, 1])).to_list() == DATA[0][1]
    assert copy.deepcopy(v).to_list() == DATA


@LIBRARIES
def test_attributes(ak):
    x = ak.Array(DATA)
    x._private = 5
    assert x._private == 5
    for name in ("x", "anything"):
        with pytest.raises(AttributeError):
            setattr(x, name, 1)


@LIBRARIES
def test_shown(ak):
    x = ak.Array([[1.5, 2.25], [], [4.0]], named_axis=("a", "b"))
    assert repr(x) == "<Array [[1.5, 2.25], [], [4]] a:0,b:1 type='3 * var * float64'>"
    lines = x.show(all=True, stream=None).split("\n")
    assert lines[0] == "type: 3 * var * float64"
    assert lines[2:4] == [f"backend: {ak.backend(x)}", "named axis: a:0, b:1"]
    assert x.show(formatter={"float": "<{}>".format}, stream=None).startswith("[[<1.5>, <2.25>]")
    bundle = x._repr_mimebundle_()
    assert bundle["text/plain"] == repr(x)
    assert "type: 3 * var * float64</pre>" in bundle["text/html"]


def test_cycles_are_collected():
    import gc
    import weakref

    x = serrate.Array([1, 2], attrs={"self": None})
    x.attrs["self"] = x
    gone = weakref.ref(x)
    del x
    serrate.Array([1])  # what the last call gave to its result is forgotten by the next one
    gc.collect()
    assert gone() is None


DEEP = [[[{"x": 1, "y": 2.0}, {"x": 3, "y": 4.0}], [{"x": 7, "y": 1.0}]], [], [[], [DATA[2][0]]]]
GAPS = [[{"x": 1, "y": 2.0}, None], [], None, [{"x": 3, "y": 4.0}]]


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3, None, 3])
@pytest.mark.parametrize("options", [{}, {"keepdims": True}, {"mask_identity": True}], ids=str)
def test_reducers_along_any_axis(axis, options):
    results = []
    for ak in (awkward, serrate):
        for data in (DEEP, DATA, GAPS):
            v = ak.Array(data, with_name="Vec", behavior=vectors(ak))
            if axis is None and "keepdims" in options:
                continue
            if not -v.ndim <= (axis or 0) < v.ndim:
                with pytest.raises(ValueError):
                    ak.sum(v, axis=axis, **options)
                continue
            out = ak.sum(v, axis=axis, **options)
            results.append((ak.__name__, values(out), type(out).__name__, str(out.type)))
    half = len(results) // 2
    assert [r[1:] for r in results[:half]] == [r[1:] for r in results[half:]]


@LIBRARIES
def test_positions_count_missing_records(ak):
    def smallest(array, mask):
        assert not mask
        return ak.argmin(array.x, axis=-1, mask_identity=mask)

    data = [[None, {"x": 3}, {"x": 1}], [], [None], None, [{"x": 2}, None, {"x": 0}]]
    v = ak.Array(data, with_name="V", behavior={(ak.argmin, "V"): smallest})
    assert ak.argmin(v, axis=1).to_list() == [2, None, None, None, 2]
    assert ak.argmin(v, axis=1, mask_identity=False).to_list() == [2, -1, -1, None, 2]
    v = ak.Array(
        data, with_name="V", behavior={(ak.argmin, "V"): lambda a, _: ak.argmin(a.x, axis=-1)}
    )
    with pytest.raises(TypeError, match="'V' returned an option"):
        ak.argmin(v, axis=1)


def test_positions_along_outer_axes():
    def largest(array, mask):
        return serrate.argmax(array.x, axis=-1, mask_identity=mask)

    x = [[1, None, 3], None, [2, 5], [], [None, 4]]
    data = [None if r is None else [None if i is None else {"x": i} for i in r] for r in x]
    v = serrate.Array(data, with_name="V", behavior={(serrate.argmax, "V"): largest})
    for axis in (0, None):
        assert serrate.to_list(serrate.argmax(v, axis=axis)) == serrate.to_list(
            serrate.argmax(serrate.Array(x), axis=axis)
        )


@LIBRARIES
def test_missing_records_are_not_shown_to_overloads(ak):
    v = ak.Array(GAPS, with_name="Vec", behavior=vectors(ak))
    w = v + v
    assert str(w.type) == "4 * option[var * ?Vec[x: int64, y: float64]]"
    assert w.to_list() == [[{"x": 2, "y": 4.0}, None], [], None, [{"x": 6, "y": 8.0}]]
    assert abs(v).to_list()[0][1] is None


@LIBRARIES
def test_names_of_types(ak):
    behavior = {("__typestr__", "N"): "number", ("__typestr__", "L"): "hits"}
    x = ak.Array([[{"x": 1}], []], with_name="N", behavior=behavior)
    assert str(x.type) == x.typestr == "2 * var * number"
    assert repr(x) == "<Array [[{x: 1}], []] type='2 * var * number'>"
    assert str(x[0, 0].type) == "number"
    assert str(ak.type(x)) == "2 * var * number"
    assert x.show(stream=None, type=True).startswith("type: 2 * var * number\n")
    y = ak.with_parameter([[1], [2, 3]], "__list__", "L", behavior=behavior)
    assert str(y.type) == "2 * hits"


@LIBRARIES
def test_validation(ak):
    class Checked(ak.Array):
        def __awkward_validation__(self):
            if "x" not in self.fields:
                raise ValueError("no x")

    behavior = {("*", "checked"): Checked}
    assert ak.Array([{"x": 1}], with_name="checked", behavior=behavior).x.to_list() == [1]
    with pytest.raises(ValueError, match="no x"):
        ak.Array([{"y": 1}], with_name="checked", behavior=behavior)


@LIBRARIES
def test_functions_that_others_take_over(ak):
    class Mine:
        def __awkward_function__(self, function, array_likes, args, kwargs):
            return function.__name__, len(array_likes), len(args), sorted(kwargs)

    class No:
        def __awkward_function__(self, *_):
            return NotImplemented

    assert ak.sum(Mine()) == ("sum", 1, 1, [])
    assert ak.num(Mine(), axis=1) == ("num", 1, 1, ["axis"])
    assert ak.concatenate([Mine(), Mine()]) == ("concatenate", 2, 1, [])
    for call, count in {
        lambda x: ak.fill_none(x, 0): 2,
        lambda x: ak.corr(x, [1, 2]): 3,
        lambda x: ak.mean(x, axis=1): 2,
        lambda x: ak.nan_to_num(x): 4,
        lambda x: ak.where(x, 1, 2): 3,
        lambda x: ak.where([True], x, 2): 3,
        lambda x: ak.zip({"a": [1], "b": x}): 2,
        lambda x: ak.cartesian([x, [1]], axis=0): 2,
        lambda x: ak.broadcast_arrays(1, x, [2]): 3,
        lambda x: ak.mask(x, [True], valid_when=False): 2,
        lambda x: ak.with_field(x, 1, "new"): 2,
        lambda x: ak.unflatten(x, 2): 2,
        lambda x: ak.isclose(x, x, rtol=1): 2,
        lambda x: ak.combinations(x, 2): 1,
        lambda x: ak.full_like(x, 1): 2,
    }.items():
        assert call(Mine())[1] == count
    with pytest.raises(NotImplementedError):
        ak.sum(No())
    assert ak.sum([[1, 2]], axis=1).to_list() == [3]
    with pytest.raises(TypeError):
        ak.sum(object())


@LIBRARIES
def test_attributes_of_the_first_win(ak):
    x = ak.Array([1, 2, 3], attrs={"a": 1})
    y = ak.Array([1, 2, 3], attrs={"a": 2, "b": 3})
    both = {"a": 1, "b": 3}
    assert dict(ak.where(x > 1, x, y).attrs) == both
    assert dict(ak.with_field(ak.zip({"x": x}), y, "y").attrs) == both
    assert dict(ak.broadcast_arrays(x, y)[1].attrs) == {"a": 2, "b": 3}
    lists, weights = (ak.Array([[1, 2], [3]], attrs=dict(z.attrs)) for z in (x, y))
    for weighted in (ak.mean, ak.std, ak.nanvar):
        assert dict(weighted(lists, weight=weights, axis=-1).attrs) == both
    for wrong in (lambda: ak.Array([1], behavior=5), lambda: ak.ArrayBuilder(behavior=5)):
        with pytest.raises(TypeError):
            wrong()


def test_names_of_modules():
    assert serrate.behaviors.mixins.mixin_class is serrate.mixin_class
    assert serrate.highlevel.Array is serrate.Array
    assert pickle.loads(pickle.dumps(serrate.sum)) is serrate.sum


@pytest.mark.parametrize("ak", [awkward, serrate], ids=["awkward", "serrate"])
def test_overloads_of_unions(ak):
    behavior = {}

    @ak.mixin_class(behavior)
    class Point:
        @ak.mixin_class_method(np.add, {"Point"})
        def point_add(self, other):
            return ak.zip({"x": self.x + other.x}, with_name="Point", behavior=behavior)

    @ak.mixin_class(behavior)
    class Other(Point):
        pass

    def made(name):
        return ak.zip({"x": [[1, 2], [3]]}, with_name=name, behavior=behavior)

    mixed = ak.concatenate([made("Other"), made("Point")], axis=1)
    alone = ak.zip({"x": [10, 20]}, with_name="Point", behavior=behavior)
    for total in (alone + mixed, mixed + alone):
        assert total.x.to_list() == [[11, 12, 11, 12], [23, 23]]
        assert "Point[x: int64]" in str(total.type)
    assert (mixed + mixed).x.to_list() == [[2, 4, 2, 4], [6, 6]]
