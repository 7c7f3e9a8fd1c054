# Code that is written for the package vector: its registration, constructors, objects; own classes.
import copy
import pickle
import subprocess
import sys

import awkward
import numpy as np
import pytest
import vector
from conftest import assert_same

import serrate as ak

DATA = [
    [
        {"pt": 10.0, "eta": 1.0, "phi": 0.3, "mass": 0.1, "charge": 1},
        {"pt": 20.0, "eta": -1.0, "phi": -3.0, "mass": 0.1, "charge": -1},
    ],
    [],
    [{"pt": 30.0, "eta": 0.5, "phi": 2.0, "mass": 0.1, "charge": 1}],
]


def momenta(library=ak, **options):
    return library.Array(DATA, with_name="Momentum4D", **options)


CALLS = {
    "sum of two": lambda ak, v: (v + v)[["rho", "phi", "eta"]],
    "sum of many": lambda ak, v: ak.sum(v, axis=1),
    "sum of all": lambda ak, v: ak.sum(v, axis=0).x,
    "difference": lambda ak, v: (v - v[:, ::-1]).pt,
    "product": lambda ak, v: v.dot(v[:, ::-1]),
    "ufunc": lambda ak, v: np.add(v, v).energy,
    "scaled": lambda ak, v: 2 * v,
    "divided": lambda ak, v: v / 2,
    "by an array": lambda ak, v: (v * ak.Array([1.0, 2.0, 3.0])).pt,
    "turned round": lambda ak, v: (-v).px,
    "absolute": lambda ak, v: abs(v),
    "power": lambda ak, v: v**2,
    "square": lambda ak, v: np.square(v),
    "root": lambda ak, v: np.sqrt(v),
    "equal": lambda ak, v: v == v[:, ::-1],
    "count": lambda ak, v: ak.count(v, axis=1),
    "nonzero": lambda ak, v: ak.count_nonzero(v, axis=1),
    "record": lambda ak, v: v[0, 0] + v[0, 1],
    "record's mass": lambda ak, v: (v[0, 0] + v[0, 1]).mass,
    "record and array": lambda ak, v: v.deltaR(v[0, 1]),
    "extra fields": lambda ak, v: v.rotateZ(0.1).charge,
    "names of fields": lambda ak, v: v.scale3D(2).fields,
    "all close": lambda ak, v: v.allclose(v),
    "like": lambda ak, v: v.like(v.to_2D()),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_with_awkward(name):
    call = CALLS[name]
    theirs = call(awkward, momenta(awkward, behavior=vector.backends.awkward.behavior))
    for options in ({}, {"behavior": vector.backends.awkward.behavior}):
        ours = call(ak, momenta(**options))
        if name == "sum of many":  # of fields in another order
            theirs, ours = theirs[["x", "y", "z", "t"]], ours[["x", "y", "z", "t"]]
        if isinstance(theirs, awkward.Array | awkward.Record):
            assert type(ours).__name__ == type(theirs).__name__
        assert_same(ours, theirs, rtol=1e-12, types=False)


def test_text_of_arrays():
    v = momenta()
    assert repr(v).startswith("<MomentumArray4D [[{pt: 10, ")
    assert repr(v[0, 0]).startswith("<MomentumRecord4D {pt: 10, ")
    assert isinstance(v, ak.vector.Momentum4D)
    assert isinstance(v, ak.vector.Vector4D)
    assert not isinstance(v, ak.vector.Vector3D)
    assert "deltaR" in dir(v)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_its_constructor():
    v = momenta()
    flat = vector.zip({"px": v.px, "py": v.py, "charge": v.charge})
    assert type(flat) is ak.vector.MomentumArray2D
    assert flat.fields == ["x", "y", "charge"]
    named = awkward.zip({"pt": v.pt, "phi": v.phi}, with_name="Momentum2D")
    assert type(named) is ak.vector.MomentumArray2D
    ours = ak.vector.zip({"px": v.px, "py": v.py, "charge": v.charge})
    assert_same(flat.pt, ours.pt)


def test_its_objects():
    v = momenta()
    one = vector.obj(px=1.0, py=2.0, pz=3.0, E=10.0)
    for got in (v + one, one + v):
        assert type(got) is ak.vector.MomentumArray4D
        assert got.x.to_list() == (v.px + 1).to_list()
    first = {name: DATA[0][0][name] for name in ("pt", "eta", "phi", "mass")}
    assert v[0, 0].deltaR(one) == pytest.approx(vector.obj(**first).deltaR(one), rel=1e-12)
    many = vector.array({"pt": [1.0, 2.0, 3.0], "phi": [0.0, 1.0, 2.0], "eta": [0.0, 0.5, 1.0]})
    assert len(v.deltaR(many)) == 3
    assert type(ak.firsts(v).to_3D() + many) is ak.vector.MomentumArray3D
    assert type(many + ak.firsts(v).to_3D()) is ak.vector.MomentumArray3D
    geometric = vector.obj(x=1.0, y=2.0)
    assert type(ak.vector.zip({"x": [1.0], "y": [2.0]}) - geometric) is ak.vector.VectorArray2D


def test_its_arrays():
    theirs = vector.zip({"pt": awkward.Array([1.0, 2.0]), "phi": awkward.Array([2.0, 3.0])})
    ours = ak.Array(theirs)
    assert type(ours) is ak.vector.MomentumArray2D
    assert_same((ours + ours).x, (theirs + theirs).x, rtol=1e-15)
    back = ak.to_awkward(ak.to_backend(ours, "cpu"))
    assert_same(
        ours.x, awkward.with_name(back, "Momentum2D", behavior=vector.backends.awkward.behavior).x
    )


def test_nothing_is_imported():
    code = """
import sys
import serrate as ak
v = ak.Array([{"pt": 3.0, "phi": 0.0, "eta": 0.0, "mass": 4.0}], with_name="Momentum4D")
assert (v + v).energy[0] == 10
assert "vector" not in sys.modules and "awkward" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_own_classes():
    behavior = {}

    @ak.mixin_class(behavior)
    class Lepton(ak.vector.Momentum4D):
        @property
        def pt(self):
            return super().pt + 1

        def opposite(self, other):
            return self.charge * other.charge < 0

        @ak.mixin_class_method(np.subtract, {"Lepton"})
        def difference(self, other):
            return self.energy - other.energy

    v = ak.with_name(momenta(), "Lepton", behavior=behavior)
    plain = momenta()
    assert type(v).__name__ == "LeptonArray"
    assert v.pt.to_list() == [[11, 21], [], [31]]
    assert v[0, 0].pt == 11
    assert v.px.to_list() == plain.px.to_list()
    assert v.opposite(v[:, ::-1]).to_list() == [[True, True], [], [False]]
    assert (v - v).to_list() == [[0, 0], [], [0]]
    assert type(v + v) is ak.vector.MomentumArray4D
    assert type(v + plain) is ak.vector.MomentumArray4D
    assert type(2 * v).__name__ == type(v.rotateX(1)).__name__ == "LeptonArray"
    assert type(v.to_3D()) is ak.vector.MomentumArray3D
    assert v.deltaR(plain).to_list() == [[0, 0], [], [0]]
    assert type(v[0, 0] + v[0, 1]) is ak.vector.MomentumRecord4D


def test_classes_of_users_come_first():
    class Own(ak.Array):
        mass = 7

    v = momenta(behavior={("*", "Momentum4D"): Own})
    assert type(v) is Own
    assert v.mass == 7
    w = momenta(behavior={(np.add, "Momentum4D", "Momentum4D"): lambda a, b: a.pt})
    assert (w + w).to_list() == [[10, 20], [], [30]]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_copies():
    v = momenta()
    for w in (copy.copy(v), copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert type(w) is type(v)
        assert w.to_list() == v.to_list()


ERRORS = {
    "two dimensions": (lambda v: v + v.to_2D(), TypeError, "4 and 2 dimensions; a.like"),
    "no vector": (lambda v: v.deltaR(v.pt), TypeError, "expected vectors"),
    "a number": (lambda v: v + 1, TypeError, "Momentum4D"),
    "two vectors": (lambda v: v * v, TypeError, "Momentum4D"),
    "coordinates": (
        lambda v: ak.vector.zip({"x": [1], "rho": [2]}),
        TypeError,
        "x= or rho=, but not",
    ),
    "names of one": (lambda v: ak.vector.zip({"x": [1], "px": [2]}), TypeError, "duplicate coord"),
    "too few": (lambda v: ak.vector.zip({"x": [1]}), TypeError, "are no vector: x"),
    "strings": (lambda v: ak.vector.zip({"x": ["a"], "y": [1]}), TypeError, "must be integers"),
    "of three": (lambda v: v.cross(v), TypeError, "a vector of 3 dimensions"),
    "boost": (lambda v: v.boostX(), TypeError, "expected beta or gamma"),
    "order": (lambda v: v.rotate_euler(1, 2, 3, order="xx"), ValueError, 'got "xx"'),
    "name": (lambda v: v.to_2D(eta=1), TypeError, "eta is no coordinate"),
    "fields": (
        lambda v: ak.with_name(v[["pt", "phi"]], "Momentum4D"),
        TypeError,
        r"MomentumArray4D with fields \['pt', 'phi'\]: these are .* of a 2D vector, not of a 4D",
    ),
    "attribute": (lambda v: v.nothing, AttributeError, "no field or attribute 'nothing'"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    call, error, text = ERRORS[name]
    with pytest.raises(error, match=text):
        call(momenta())


# ---- Fields that are no vector's are refused where records get the name -------------------------

NAMES = [f"{flavor}{n}D" for flavor in ("Vector", "Momentum") for n in (2, 3, 4)]
FIELDS = [
    *(("x", "y"), ("px", "py"), ("px", "y"), ("pt", "phi"), ("rho", "phi"), ("x", "phi"), ("x",)),
    *(("x", "y", "z"), ("x", "y", "pz"), ("pt", "phi", "eta"), ("rho", "phi", "theta", "eta")),
    *(("x", "y", "z", "t"), ("x", "y", "z", "E"), ("pt", "phi", "eta", "mass"), ("x", "y", "t")),
    *(("pt", "rho", "phi"), ("pt", "phi", "eta", "mass", "energy"), ("x", "y", "z", "tau", "m")),
]


@pytest.mark.parametrize("fields", FIELDS, ids="-".join)
@pytest.mark.parametrize("name", NAMES)
def test_names_and_fields(fields, name):
    columns = {field: [1.0] for field in (*fields, "charge")}

    def refused(library, **options):
        try:
            x = library.zip(columns, with_name=name, **options)
        except TypeError:
            return True
        assert x.x[0] is not None
        return False

    assert refused(ak) == refused(awkward, behavior=vector.backends.awkward.behavior)


def test_fields_are_not_taken_away():
    v = ak.vector.zip({"pt": [1.0], "phi": [2.0], "charge": [1]})
    with pytest.raises(TypeError, match="duplicate coordinates: rho and pt"):
        v["pt"] = [3.0]
    with pytest.raises(TypeError, match=r"MomentumArray2D with fields \['rho', 'charge'\]"):
        del v["phi"]
    with pytest.raises(TypeError, match="MomentumRecord2D with fields"):
        del v[0]["rho"]
    del v["charge"]
    assert v.to_list() == [{"rho": 1.0, "phi": 2.0}]


def test_fields_of_own_classes():
    behavior = {}

    @ak.mixin_class(behavior)
    class Track(ak.vector.Momentum3D):
        pass

    @ak.mixin_class(behavior)
    class Hit(ak.vector.Momentum3D):
        def __awkward_validation__(self):
            """Has its z from elsewhere."""

    columns = {"px": [1.0], "py": [2.0]}
    with pytest.raises(TypeError, match=r"TrackArray with fields \['px', 'py'\]"):
        ak.zip(columns, with_name="Track", behavior=behavior)
    assert ak.zip(columns, with_name="Hit", behavior=behavior).px.to_list() == [1.0]


def test_each_kind_of_records_in_a_union():
    good = ak.vector.zip({"px": [[1.0]], "py": [[2.0]]})
    other = ak.with_name(ak.zip({"pt": [[1.0]], "phi": [[2.0]]}), "Momentum2D")
    assert ak.concatenate([good, other], axis=1).pt.to_list() == [[5**0.5, 1.0]]
    wrong = ak.with_name(ak.zip({"pt": [[1.0]]}), "Momentum2D", highlevel=False)
    with pytest.raises(TypeError, match=r"with fields \['pt'\]"):
        ak.concatenate([good, wrong], axis=1)
