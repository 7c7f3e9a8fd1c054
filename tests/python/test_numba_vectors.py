# Vectors in functions that Numba compiles: what a record has not as a field the package vector has.
import numba
import numpy as np
import pytest
import vector

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

SYSTEMS = [
    ("Vector2D", {"x": 1.5, "y": -2.0}),
    ("Momentum2D", {"pt": 2.5, "phi": 0.5}),
    ("Vector3D", {"rho": 1.5, "phi": 3.0, "z": 1.0}),
    ("Momentum3D", {"px": 1.5, "py": 2.0, "theta": 0.3}),
    ("Vector4D", {"x": 1.0, "y": 2.0, "z": 3.0, "tau": 0.5}),
    ("Momentum4D", {"pt": 10.0, "eta": 0.3, "phi": 0.7, "mass": 0.1}),
    ("Momentum4D", {"px": 1.0, "py": 2.0, "pz": 3.0, "E": 9.0}),
]


def two(name, first):
    second = {k: 0.75 * v for k, v in first.items()}
    return ak.Array([[first | {"charge": 1}, second | {"charge": -1}], []], with_name=name)


@pytest.mark.parametrize(("name", "coordinates"), SYSTEMS)
def test_systems(name, coordinates):
    x = two(name, coordinates)

    @numba.njit
    def f(lists):
        a, b = lists[0][0], lists[0][1]
        return a.rho, a.deltaphi(b), (a + b).rho, (a - b).x, a.dot(b), a.charge + b.charge

    a, b = x[0, 0], x[0, 1]
    want = (a.rho, a.deltaphi(b), (a + b).rho, (a - b).x, a.dot(b), 0)
    assert np.allclose(f(x), want, rtol=1e-12)


def test_masses_of_all_pairs():
    x = two("Momentum4D", SYSTEMS[5][1])

    @numba.njit
    def masses(lists):
        out = []
        for v in lists:
            for i in range(len(v)):
                for j in range(i + 1, len(v)):
                    out.append((v[i] + v[j]).mass)
        return out

    a, b = ak.unzip(ak.combinations(x, 2))
    assert np.allclose(masses(x), ak.flatten((a + b).mass).to_list(), rtol=1e-12)


def test_names_that_derive_from_them():
    behavior = {}

    @ak.mixin_class(behavior)
    class Jet(ak.vector.Momentum4D):
        pass

    x = ak.Array(two("Jet", SYSTEMS[5][1]), behavior=behavior)
    assert numba.njit(lambda a: a[0][0].pz)(x) == pytest.approx(x[0, 0].pz)


def test_results_are_objects_of_the_package():
    x = two("Momentum4D", SYSTEMS[6][1])

    @numba.njit
    def f(a):
        return a[0][0] + a[0][1]

    got = f(x)
    assert isinstance(got, vector.MomentumObject4D)
    assert got.mass == pytest.approx((x[0, 0] + x[0, 1]).mass)

    @numba.njit
    def first(a):
        return a[0][0]

    assert isinstance(first(x), ak.Record)
    assert first(x).charge == 1


def test_what_a_vector_has_not():
    x = two("Vector2D", SYSTEMS[0][1])
    with pytest.raises(numba.TypingError, match="nothing"):
        numba.njit(lambda a: a[0][0].nothing)(x)
    with pytest.raises(numba.TypingError, match="eta"):
        numba.njit(lambda a: a[0][0].eta)(x)
    plain = ak.Array([{"x": 1.0, "y": 2.0}])
    with pytest.raises(numba.TypingError, match="rho"):
        numba.njit(lambda a: a[0].rho)(plain)
