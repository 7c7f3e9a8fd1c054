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
    assert lines[2:4] == ["backend: cpu", "named axis: a:0, b:1"]
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
