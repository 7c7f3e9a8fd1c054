# Vectors against scikit-hep's vector: every number and every method in every system of coordinates.
import numpy as np
import pytest
import vector
from conftest import some
from vector_cases import MOMENTUM, OF_TWO, SYSTEMS, columns, names_of, special

import serrate as ak

IDS = [" ".join(s) for s in SYSTEMS]
systems = pytest.mark.parametrize("system", some(SYSTEMS, 7), ids=some(IDS, 7))


def theirs_of(cols):
    return vector.array({k: np.asarray(v) for k, v in cols.items()})


def rolled(cols, by=1):
    return {k: np.roll(v, by) for k, v in cols.items()}


def together(numbers):
    """Many arrays of numbers, computed in one pass."""
    stored = ak.to_backend(ak.zip(dict(numbers)), "cpu")
    return {name: ak.to_numpy(stored[name]) for name in stored.fields}


def plain(x):
    return ak.to_numpy(ak.to_backend(x, "cpu"))


def assert_close(ours, theirs, what, rtol=1e-12, atol=0.0):
    theirs = np.asarray(theirs)
    with np.errstate(all="ignore"):
        near = (
            np.abs(ours - theirs) <= atol + rtol * np.abs(theirs) if ours.dtype != bool else False
        )
    ok = (ours == theirs) | near
    if ours.dtype != bool:
        ok |= np.isnan(ours) & np.isnan(theirs)
    i = np.argmin(ok)
    assert ok.all(), (what, int(i), ours[i], theirs[i])


@systems
@pytest.mark.parametrize("momentum", [False, True], ids=["geometric", "momentum"])
def test_numbers_of_one(system, momentum):
    cols = columns(system, momentum=momentum)
    v, w = ak.vector.zip(cols), theirs_of(cols)
    got = together((name, getattr(v, name)) for name in names_of(len(system), momentum))
    for name, numbers in got.items():
        assert_close(numbers, getattr(w, name), name)


@systems
def test_numbers_of_two(system):
    cols = columns(system)
    for other_system in some([s for s in SYSTEMS if len(s) == len(system)], 7):
        other = columns(other_system, seed=2)
        v, a = ak.vector.zip(cols), theirs_of(cols)
        w, b = ak.vector.zip(other), theirs_of(other)
        names = [name for d, many in OF_TWO.items() if d <= len(system) for name in many]
        got = together((name, getattr(v, name)(w)) for name in names)
        for name, numbers in got.items():
            # Products and differences may nearly vanish.
            scale = np.max(np.abs(numbers)) if numbers.dtype != bool else 0
            assert_close(numbers, getattr(a, name)(b), name, atol=1e-13 * scale)


# Where vector says NaN, 6e-17 or nothing, and there is an answer.
BETTER = {
    "costheta": "cos of a right angle is 0",
    "cottheta": "the same",
    "deltaangle": "vectors at the end of an axis",
    "dot": "the same",
    "rapidity": "0 of infinite energy, infinite where E = pz",
    "deltaRapidityPhi": "the same",
    "deltaRapidityPhi2": "the same",
    **dict.fromkeys(
        ["tau", "tau2", "M", "m", "mass", "M2", "m2", "mass2"], "t of no vector along the axis"
    ),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@systems
def test_unusual_values(system):
    cols = special(system, momentum=True)
    if not any(name in cols for name in MOMENTUM.values()):
        cols = special(system)
    v, a = ak.vector.zip(cols), theirs_of(cols)
    w, b = ak.vector.zip(rolled(cols, 7)), theirs_of(rolled(cols, 7))
    momentum = type(v).__name__.startswith("Momentum")
    names = names_of(len(system), momentum)
    pairs = [name for d, many in OF_TWO.items() if d <= len(system) for name in many]
    got = together(
        [(name, getattr(v, name)) for name in names]
        + [(name, getattr(v, name)(w)) for name in pairs]
    )
    for name, numbers in got.items():
        theirs = np.asarray(getattr(a, name)(b) if name in pairs else getattr(a, name))
        if name in BETTER:
            known = ~np.isnan(theirs) & (np.abs(theirs) > 1e-15)
            if name in ("dot", "deltaangle", "rapidity", "deltaRapidityPhi", "deltaRapidityPhi2"):
                known &= np.isfinite(numbers) & (theirs != 0)
            numbers, theirs = numbers[known], theirs[known]
        if len(numbers):
            assert_close(numbers, theirs, name, atol=1e-7 if name == "deltaangle" else 0)


MATRIX = {a + b: 0.1 * i - 0.4 for i, (a, b) in enumerate((a, b) for a in "xyzt" for b in "xyzt")}
TO_VECTORS = {
    2: {
        "unit": lambda v, w: v.unit(),
        "add": lambda v, w: v.add(w),
        "subtract": lambda v, w: v.subtract(w),
        "scale": lambda v, w: v.scale(-2.5),
        "scale2D": lambda v, w: v.scale2D(0.5),
        "neg2D": lambda v, w: v.neg2D,
        "rotateZ": lambda v, w: v.rotateZ(0.7),
        "transform2D": lambda v, w: v.transform2D(MATRIX),
        "to_2D": lambda v, w: v.to_2D(),
        "to_rhophi": lambda v, w: v.to_rhophi(),
        "to_pxpy": lambda v, w: v.to_pxpy(),
        "like": lambda v, w: v.like(w),
    },
    3: {
        "scale3D": lambda v, w: v.scale3D(-0.5),
        "neg3D": lambda v, w: v.neg3D,
        "rotateX": lambda v, w: v.rotateX(0.7),
        "rotateY": lambda v, w: v.rotateY(-0.7),
        "rotate_axis": lambda v, w: v.rotate_axis(w.to_3D(), 1.2),
        "rotate_euler": lambda v, w: v.rotate_euler(0.1, 0.2, 0.3),
        "rotate_euler zyx": lambda v, w: v.rotate_euler(0.1, -0.2, 0.3, order="zyx"),
        "rotate_nautical": lambda v, w: v.rotate_nautical(0.1, 0.2, 0.3),
        "rotate_quaternion": lambda v, w: v.rotate_quaternion(0.5, 0.5, -0.5, 0.5),
        "transform3D": lambda v, w: v.transform3D(MATRIX),
        "to_3D": lambda v, w: v.to_3D(),
        "to_xytheta": lambda v, w: v.to_xytheta(),
        "to_ptphieta": lambda v, w: v.to_ptphieta(),
    },
    4: {
        "scale4D": lambda v, w: v.scale4D(-0.5),
        "neg4D": lambda v, w: v.neg4D,
        "to_beta3": lambda v, w: v.to_beta3(),
        "boost_p4": lambda v, w: v.boost_p4(w),
        "boost_beta3": lambda v, w: v.boost_beta3(w.to_beta3()),
        "boost": lambda v, w: v.boost(w),
        "boostCM_of_p4": lambda v, w: v.boostCM_of_p4(w),
        "boostCM_of_beta3": lambda v, w: v.boostCM_of_beta3(w.to_beta3()),
        "boostCM_of": lambda v, w: v.boostCM_of(w.to_beta3()),
        "boostX": lambda v, w: v.boostX(beta=0.5),
        "boostY": lambda v, w: v.boostY(gamma=-1.5),
        "boostZ": lambda v, w: v.boostZ(0.3),
        "transform4D": lambda v, w: v.transform4D(MATRIX),
        "to_4D": lambda v, w: v.to_4D(),
        "to_xyzt": lambda v, w: v.to_xyzt(),
        "to_rhophithetatau": lambda v, w: v.to_rhophithetatau(),
        "to_ptphietaenergy": lambda v, w: v.to_ptphietaenergy(),
    },
}
ADDED = {
    2: {
        "to_Vector3D": lambda v: v.to_Vector3D(eta=1.5),
        "to_4D": lambda v: v.to_4D(pz=1.5, mass=2),
        "to_xyz": lambda v: v.to_xyz(z=3),
        "to_xyzt": lambda v: v.to_xyzt(),
    },
    3: {
        "to_4D": lambda v: v.to_4D(mass=2),
        "to_xyzt": lambda v: v.to_xyzt(t=3),
        "to_Vector4D": lambda v: v.to_Vector4D(),
    },
    4: {},
}


GENERIC = {momentum: name for name, momentum in MOMENTUM.items()}


def same_vectors(got, theirs, what):
    """The same coordinates by the same names, and the same vectors by x, y, z, t."""
    generic = {name: GENERIC.get(name, name) for name in got.fields}
    assert list(generic.values()) == list(theirs.dtype.names), what
    numbers = together((generic[name], got[name]) for name in got.fields)
    for name in generic.values():
        wanted = np.asarray(theirs[name])
        scale = np.max(np.abs(wanted))
        if name == "phi":  # -pi is pi
            turns = (numbers[name] - wanted) / (2 * np.pi)
            assert_close(turns - np.rint(turns), 0 * turns, (what, name), atol=1e-13)
        elif name == "tau":
            assert_close(numbers[name], wanted, (what, name), atol=1e-8 * scale)
        else:
            assert_close(numbers[name], wanted, (what, name), atol=1e-13 * scale, rtol=1e-11)


@systems
@pytest.mark.parametrize("momentum", [False, True], ids=["geometric", "momentum"])
def test_vectors(system, momentum):
    cols, others = columns(system, momentum=momentum), columns(system, seed=3)
    v, a = ak.vector.zip(cols), theirs_of(cols)
    w, b = ak.vector.zip(others), theirs_of(others)
    calls = [(k, f) for d, fs in TO_VECTORS.items() if d <= len(system) for k, f in fs.items()]
    for name, call in some(calls, 4):
        got, wanted = call(v, w), call(a, b)
        kind = type(wanted).__name__.replace("Numpy", "Array")
        assert type(got).__name__ == kind, name
        same_vectors(got, wanted, name)
    for name, call in some(ADDED[len(system)].items(), 4):
        same_vectors(call(v), call(a), name)


@pytest.mark.parametrize("system", some([s for s in SYSTEMS if len(s) == 3], 7), ids=" ".join)
def test_cross(system):
    cols = columns(system)
    v, a = ak.vector.zip(cols), theirs_of(cols)
    w, b = ak.vector.zip(rolled(cols)), theirs_of(rolled(cols))
    same_vectors(v.cross(w), a.cross(b), "cross")
    with pytest.raises(TypeError, match="cross: expected a vector of 3 dimensions"):
        v.cross(ak.vector.obj(x=1, y=2))


def test_coordinates_of_mixed_sums():
    for s in some([s for s in SYSTEMS if len(s) == 4], 5):
        for other in some([s for s in SYSTEMS if len(s) == 4], 5):
            one, two = columns(s, n=3), columns(other, n=3, seed=2)
            same_vectors(
                ak.vector.zip(one) + ak.vector.zip(two),
                theirs_of(one) + theirs_of(two),
                (s, other),
            )


def test_float32_stays():
    cols = {k: v.astype(np.float32) for k, v in columns(("rho", "phi", "eta", "tau")).items()}
    v = ak.vector.zip(cols)
    exact = ak.vector.zip({k: v.astype(np.float64) for k, v in cols.items()})
    names = names_of(4, False)
    got = together((name, getattr(v, name)) for name in names)
    wanted = together((name, getattr(exact, name)) for name in names)
    for name in names:
        assert got[name].dtype == np.float32, name
        scale = np.abs(wanted["t2" if name == "tau2" else name])
        assert np.all(np.abs(got[name] - wanted[name]) <= 2e-5 * scale), name


def test_integers():
    v = ak.Array([{"x": 3, "y": 4, "z": 12, "t": 20}], with_name="Vector4D")
    assert v.mag[0] == 13
    assert v.tau2[0] == 231
    assert (v + v).x[0] == 6
    assert v.unit().x[0] == pytest.approx(3 / 231**0.5)


LONG = np.longdouble


@pytest.mark.skipif(LONG(1) + LONG(1e-19) == 1, reason="needs longer numbers")
def test_light_fast_particles():
    """Masses, rapidities and angles to digits that the plain formulas lose."""
    rng = np.random.default_rng(7)
    n = 1000
    x, y = rng.normal(0, 1, (2, n))
    z = rng.choice([-1, 1], n) * 10 ** rng.uniform(1, 4, n)
    t = np.sqrt(x**2 + y**2 + z**2 + 0.5**2)
    cols = {"px": x, "py": y, "pz": z, "E": t}
    ours, theirs = ak.vector.zip(cols), vector.array(cols)
    X, Y, Z, T = (c.astype(LONG) for c in (x, y, z, t))
    exact = {
        "mass": np.sqrt((T - Z) * (T + Z) - X * X - Y * Y),
        "rapidity": np.log((T + Z) / (T - Z)) / 2,
        "theta": np.arctan2(np.sqrt(X * X + Y * Y), Z),
    }
    bounds = {"mass": 2e-14, "rapidity": 2e-15, "theta": 2e-15}
    for name, wanted in exact.items():
        error = np.abs(plain(getattr(ours, name)) - wanted) / np.abs(wanted)
        before = np.abs(getattr(theirs, name) - wanted) / np.abs(wanted)
        assert error.max() < bounds[name], name
        assert error.max() <= max(before.max(), 2e-16), name


def test_nearly_equal_angles():
    near = 1e-9
    v = ak.vector.zip({"rho": [1.0, 1.0], "phi": [1.0, np.pi], "eta": [0.5, 0.5]})
    w = ak.vector.zip({"rho": [1.0, 1.0], "phi": [1.0 - near, near - np.pi], "eta": [0.5, 0.5]})
    assert plain(v.deltaphi(w)) == pytest.approx([near, -near], rel=1e-6)
    assert v.deltaphi(w)[0] == 1.0 - (1.0 - near)  # all its digits
    assert plain(v.deltaangle(w)) == pytest.approx(near / np.cosh(0.5), rel=1e-6)
    assert ak.to_list(v.deltaphi(v)) == [0, 0]


def test_eta_at_the_beam():
    v = ak.vector.zip({"x": [0.0, 0.0, 0.0], "y": [0.0, 0.0, 0.0], "z": [5.0, -5.0, 0.0]})
    assert ak.to_list(v.eta) == [np.inf, -np.inf, 0]
    assert ak.to_list(v.theta) == [0, np.pi, 0]
