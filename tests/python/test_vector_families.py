# Families of classes that derive from vectors: what their sums and projections are called.
import awkward
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

FAMILY = {
    "sum": lambda lib, v: v.add(v),
    "difference": lambda lib, v: v.subtract(v.rotateZ(1)),
    "scaled": lambda lib, v: v.scale(2),
    "turned": lambda lib, v: v.rotateX(1),
    "plane": lambda lib, v: v.to_2D(),
    "space": lambda lib, v: v.to_3D(),
    "from the plane": lambda lib, v: v.to_2D().to_4D(),
    "like": lambda lib, v: v.like(vector.obj(x=1, y=2, z=3)),
    "velocity": lambda lib, v: v.to_beta3(),
    "boosted": lambda lib, v: v.boost(v.to_beta3()),
    "other coordinates": lambda lib, v: v.to_xyzt(),
    "with a plain one": lambda lib, v: v.add(plain_of(lib, v)),
    "plain with one": lambda lib, v: plain_of(lib, v).add(v),
}


def plain_of(lib, v):
    return lib.with_name(v, "Momentum4D", behavior=vector.backends.awkward.behavior)


def family(lib, **projections):
    behavior = dict(vector.backends.awkward.behavior)
    names = {2: "Flat", 3: "Spatial", 4: "Lorentz"}
    for n, name in names.items():
        mixin = getattr(vector.backends.awkward, f"MomentumAwkward{n}D")
        lib.mixin_class(behavior, name)(type(name, (mixin,), {"__module__": __name__}))
    for name in names.values():
        for kind in ("Array", "Record"):
            cls = globals()[name + kind]
            cls.MomentumClass = cls
            for n, of in names.items():
                projection = projections.get(f"to_{n}", globals()[of + kind])
                setattr(cls, f"ProjectionClass{n}D", projection)
    return lib.Array(DATA, with_name="Lorentz", behavior=behavior)


@pytest.mark.parametrize("name", FAMILY)
def test_families_of_classes(name):
    ours = FAMILY[name](ak, family(ak))
    theirs = FAMILY[name](awkward, family(awkward))
    assert type(ours).__name__ == type(theirs).__name__
    assert_same(ours, theirs, rtol=1e-9, types=False)


def test_families_with_classes_that_are_built_in():
    v = family(ak, to_3=ak.vector.MomentumArray3D)
    assert type(v.to_3D()) is ak.vector.MomentumArray3D
    assert type(v.to_2D()).__name__ == "FlatArray"
    assert type(v[0, 0].add(v[0, 1])).__name__ == "LorentzRecord"
    assert type(ak.sum(v, axis=1)).__name__ == "LorentzArray"


def test_a_class_that_says_nothing_of_its_results():
    behavior = {}

    @ak.mixin_class(behavior)
    class Alone(ak.vector.Momentum4D):
        pass

    v = ak.Array(DATA, with_name="Alone", behavior=behavior)
    assert type(v.scale(2)).__name__ == "AloneArray"
    assert type(v.add(v)) is ak.vector.MomentumArray4D
    assert type(v.to_2D()) is ak.vector.MomentumArray2D
