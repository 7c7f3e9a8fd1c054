# What tutorials of vector, Awkward Array and coffea do with vectors: the same code with Awkward and
# the package vector, and here.
import awkward
import numpy as np
import pytest
import vector
from conftest import assert_same, some

import serrate as ak

BEHAVIOR = vector.backends.awkward.behavior


def first_steps(lib):
    """As the documentation of vector begins."""
    array = vector.Array(
        lib.Array(
            [
                [{"x": 1, "y": 1.1, "z": 0.1}, {"x": 2, "y": 2.2, "z": 0.2}],
                [],
                [{"x": 3, "y": 3.3, "z": 0.3}],
                [{"x": 4, "y": 4.4, "z": 0.4}, {"x": 5, "y": 5.5, "z": 0.5}],
            ]
        )
    )
    return [array, array.rho, array.rotateZ(0.1).x, (array + array).y, array.is_parallel(array)]


def extra_fields(lib):
    """A field that is no coordinate goes along."""
    array = vector.zip(
        {
            "px": lib.Array([[1.0, 2.0], [], [3.0]]),
            "py": lib.Array([[1.1, 2.2], [], [3.3]]),
            "wow": lib.Array([["a", "b"], [], ["c"]]),
        }
    )
    return [array.pt, array.wow, array[array.pt > 2].wow]


def of_other_vectors(lib):
    """One object beside an array, and a NumPy array of vectors."""
    array = lib.Array(
        [[{"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 4.0}], [], [{"x": 5.0, "y": 6.0}]],
        with_name="Vector2D",
        behavior=BEHAVIOR,
    )
    one = vector.obj(x=1.5, y=2.5)
    many = vector.array({"x": [1.0, 2.0, 3.0], "y": [0.0, 1.0, 2.0]})
    return [array.dot(one), (array + one).x, array.deltaphi(many), (many + array).y]


def dimuon(lib):
    """The mass of two muons, as tutorials of NanoAOD files begin."""
    random = np.random.default_rng(1)
    counts = random.poisson(2, 200)
    n = counts.sum()
    muons = lib.zip(
        {
            "pt": lib.unflatten(random.exponential(30, n), counts),
            "eta": lib.unflatten(random.normal(size=n), counts),
            "phi": lib.unflatten(random.uniform(-np.pi, np.pi, n), counts),
            "mass": lib.unflatten(np.full(n, 0.1057), counts),
            "charge": lib.unflatten(random.choice([-1, 1], n), counts),
        },
        with_name="Momentum4D",
        behavior=BEHAVIOR,
    )
    two = muons[lib.num(muons) == 2]
    opposite = two[lib.sum(two.charge, axis=1) == 0]
    mass = (opposite[:, 0] + opposite[:, 1]).mass
    pairs = lib.combinations(muons, 2, fields=["mu1", "mu2"])
    pairs["p4"] = pairs.mu1 + pairs.mu2
    best = lib.argmin(abs(pairs.p4.mass - 91.2), axis=1, keepdims=True)
    return [mass, lib.flatten(pairs[best].p4.pt), pairs.mu1.deltaR(pairs.mu2)]


def leading_ones(lib):
    """Sorted by pt, padded, the first one of each event with what is nearest to it."""
    events = momenta(lib)
    order = lib.argsort(events.pt, axis=1, ascending=False)
    ordered = events[order]
    padded = lib.pad_none(ordered, 2, clip=True)
    lead, second = padded[:, 0], padded[:, 1]
    return [lead.pt, lead.deltaR(second), lib.fill_none((lead + second).mass, -1)]


def missing_momentum(lib):
    """Transverse mass with a missing momentum, an event's one vector."""
    events = momenta(lib)
    met = lib.zip(
        {"pt": np.arange(len(events)) + 10.0, "phi": np.linspace(-3, 3, len(events))},
        with_name="Momentum2D",
        behavior=BEHAVIOR,
    )
    lead = lib.firsts(events)
    mt = np.sqrt(2 * lead.pt * met.pt * (1 - np.cos(lead.deltaphi(met))))
    return [mt, events.deltaphi(met), lib.sum(events, axis=1).pt]


def momenta(lib, seed=3, rows=100, **columns):
    random = np.random.default_rng(seed)
    counts = random.poisson(2, rows)
    n = counts.sum()
    values = {
        "pt": random.exponential(30, n) + 1,
        "eta": random.normal(size=n),
        "phi": random.uniform(-np.pi, np.pi, n),
        "mass": np.full(n, 10.0),
    } | {name: make(random, n) for name, make in columns.items()}
    lists = {name: lib.unflatten(x, counts) for name, x in values.items()}
    return lib.zip(lists, with_name="Momentum4D", behavior=BEHAVIOR)


def rest_frame(lib):
    """Decay angles: boosted to the rest frame of the pair."""
    events = momenta(lib)
    a, b = lib.unzip(lib.combinations(events, 2))
    pair = a + b
    in_rest = a.boostCM_of_p4(pair)
    beta = pair.to_beta3()
    angle = in_rest.to_Vector3D().dot(beta) / (in_rest.p * beta.mag)
    return [in_rest.E, angle, a.boost_beta3(-beta).p, pair.gamma]


def overlap_removal(lib):
    """Jets that no lepton is near to, by nested pairs."""
    jets, leptons = momenta(lib, 4), momenta(lib, 5)
    j, m = lib.unzip(lib.cartesian([jets, leptons], nested=True))
    near = lib.any(j.deltaR(m) < 0.8, axis=2)
    clean = jets[~near]
    index = lib.argmin(j.deltaR(m), axis=2)
    return [clean.pt, index, lib.min(j.deltaR(m), axis=2), leptons[index].pt]


def parents_by_index(lib):
    """The columns of NanoAOD: indexes of what belongs together, -1 for none."""
    events = momenta(lib, 6, idx=lambda random, n: random.integers(-1, 1, n))
    index = lib.mask(events.idx, events.idx >= 0)
    return [events[index].pt, lib.is_none(events[index], axis=1)]


def conversions(lib):
    events = momenta(lib)
    cartesian = lib.zip(
        {"px": events.px, "py": events.py, "pz": events.pz, "E": events.E},
        with_name="Momentum4D",
        behavior=BEHAVIOR,
    )
    return [
        cartesian.to_rhophietatau().tau,
        cartesian.isclose(events),
        events.to_Vector3D().costheta,
        events.to_2D().phi,
        cartesian.fields,
    ]


STEPS = [
    *(first_steps, extra_fields, of_other_vectors, dimuon, leading_ones, missing_momentum),
    *(rest_frame, overlap_removal, parents_by_index, conversions),
]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize("steps", STEPS, ids=lambda f: f.__name__)
def test_steps_of_tutorials(steps):
    for number, (ours, theirs) in enumerate(zip(steps(ak), steps(awkward), strict=True)):
        if isinstance(theirs, awkward.Array):
            assert isinstance(ours, ak.Array), number
            assert type(ours).__name__ in (type(theirs).__name__, "Array"), number
            if "Array" in type(theirs).__name__ and type(theirs) is not awkward.Array:
                assert type(ours).__name__ == type(theirs).__name__
        assert_same(ours, theirs, rtol=1e-11, types=False)


# ---- Classes of users ----------------------------------------------------------------------------


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize("lib", [ak, awkward])
def test_classes_that_derive_from_the_packages_mixins(lib):
    behavior = dict(BEHAVIOR)

    @lib.mixin_class(behavior)
    class Track(vector.backends.awkward.MomentumAwkward3D):
        @property
        def rho(self):
            return super().rho + 1

        def is_central(self, eta=1.0):
            return abs(self.eta) < eta

    names = globals()
    for where in ("ProjectionClass2D", "ProjectionClass3D", "ProjectionClass4D", "MomentumClass"):
        setattr(names["TrackArray"], where, names["TrackArray"])
        setattr(names["TrackRecord"], where, names["TrackRecord"])
    data = [[{"pt": 1.0, "eta": 0.5, "phi": 1.0}, {"pt": 2.0, "eta": 2.0, "phi": 2.0}], []]
    tracks = lib.Array(data, with_name="Track", behavior=behavior)
    assert type(tracks).__name__ == "TrackArray"
    assert isinstance(tracks, Track)
    assert isinstance(tracks[0, 0], Track)
    assert tracks.is_central().to_list() == [[True, False], []]
    assert lib.to_list(tracks.rho) == [[2.0, 3.0], []]
    assert lib.to_list(tracks.px[0]) == [pytest.approx(np.cos(1)), pytest.approx(2 * np.cos(2))]
    assert tracks[0, 0].pz == pytest.approx(np.sinh(0.5))
    assert lib.to_list(tracks.deltaR(tracks)) == [[0.0, 0.0], []]


def test_classes_that_can_not_work_are_refused():
    with pytest.raises(TypeError, match=r"class Hits.*derive from serrate.vector.Momentum3D"):
        type("Hits", (vector.backends.awkward.MomentumAwkward3D, ak.Array), {})
    assert type("Hits", (ak.vector.Momentum3D, ak.Array), {}).__name__ == "Hits"


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_the_packages_constructors():
    v = momenta(ak)
    plain = ak.zip({f: v[f] for f in ("pt", "eta", "phi", "mass")})
    for make in (vector.Array, vector.awk):
        made = make(plain)
        assert type(made) is ak.vector.MomentumArray4D
        assert made.fields == ["rho", "phi", "eta", "tau"]
        assert_same(made.mass, v.mass)
    assert type(vector.Array([{"x": 1, "y": 2}])).__name__ == "VectorArray2D"
    with pytest.raises(TypeError, match="must be of the type int or float"):
        vector.Array(ak.Array([1.0, 2.0]))
    assert isinstance(plain.type, awkward.types.ArrayType)
    assert isinstance(plain.type, ak.types.ArrayType)


# ---- Vectors of several coordinate systems -------------------------------------------------------

SYSTEMS = {
    "cartesian": {"x": 1.0, "y": 2.0, "z": 3.0, "t": 10.0},
    "collider": {"pt": 1.0, "phi": 2.0, "eta": 0.3, "mass": 10.0},
    "with theta": {"rho": 1.0, "phi": 2.0, "theta": 0.3, "energy": 10.0},
}


def of_system(name, counts, with_name="Momentum4D"):
    one = SYSTEMS[name] | {"charge": 1}
    return ak.Array([[one] * n for n in counts], with_name=with_name)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("first", some(SYSTEMS, 2))
@pytest.mark.parametrize("second", some(SYSTEMS, 2))
def test_unions_of_systems(first, second, axis):
    if first == second:
        return
    a, b = of_system(first, [2, 0, 1]), of_system(second, [1, 1, 0])
    joined = ak.concatenate([a, b], axis=axis)
    assert type(joined).__name__ == "MomentumArray4D"
    for name in ("x", "pt", "eta", "mass", "E", "rapidity"):
        parts = [getattr(a, name), getattr(b, name)]
        assert_same(getattr(joined, name), ak.concatenate(parts, axis=axis), rtol=1e-12)
    assert_same(joined.charge, ak.concatenate([a.charge, b.charge], axis=axis))
    assert_same((joined + joined).pt, 2 * joined.pt, rtol=1e-12)
    assert type(joined + joined).__name__ == "MomentumArray4D"
    assert_same(ak.sum(joined, axis=1).x, ak.sum(joined.x, axis=1), rtol=1e-12)
    assert_same(joined.deltaR(joined), ak.zeros_like(joined.pt), types=False)
    assert (joined.rotateZ(0.5).phi - joined.phi)[0, 0] == pytest.approx(0.5)
    assert joined.rotateZ(0.5).charge.to_list() == joined.charge.to_list()
    assert_same(joined[:, :1].pt, joined.pt[:, :1])
    assert_same(joined.boostX(beta=0).E, joined.E, rtol=1e-12)


def test_unions_of_missing_vectors():
    a = ak.pad_none(of_system("cartesian", [1, 2]), 2)
    b = of_system("collider", [1, 0])
    joined = ak.concatenate([a, b], axis=1)
    assert_same(joined.pt, ak.concatenate([a.pt, b.pt], axis=1), rtol=1e-12)
    assert joined.px[0].to_list()[1] is None


def test_unions_that_are_no_vectors():
    a = of_system("cartesian", [1])
    flat = ak.Array([[{"x": 1.0, "y": 2.0}]], with_name="Momentum2D")
    joined = ak.concatenate([a, flat], axis=1)
    with pytest.raises(TypeError, match="4 and 2 dimensions"):
        ak.vector.Array(joined)
