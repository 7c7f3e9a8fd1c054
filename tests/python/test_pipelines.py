# Whole analyses in one pass: the plan is checked, and the values against Awkward's.
import awkward
import numpy as np
import pytest
from conftest import assert_same

import serrate as ak


def events(n=700, seed=11):
    """Electrons, muons and jets, some events empty, in both libraries."""
    rng = np.random.default_rng(seed)

    def collection(mean):
        counts = rng.poisson(mean, n)
        total = int(counts.sum())
        fields = {
            "pt": rng.exponential(20.0, total).astype(np.float32) + 5,
            "eta": rng.normal(size=total).astype(np.float32),
            "phi": rng.uniform(-np.pi, np.pi, total).astype(np.float32),
            "charge": rng.choice([-1, 1], total),
        }
        return awkward.unflatten(awkward.zip(fields), counts)

    theirs = awkward.zip(
        {
            "electron": collection(1.5),
            "muon": collection(2.5),
            "jet": collection(4.0),
            "weight": rng.uniform(0.5, 2.0, n),
        },
        depth_limit=1,
    )
    return ak.from_awkward(theirs), theirs


OURS, THEIRS = events()


def mass(a, b):
    return np.sqrt(2 * a.pt * b.pt * (np.cosh(a.eta - b.eta) - np.cos(a.phi - b.phi)))


def dielectron(lib, e):
    a, b = lib.unzip(lib.combinations(e.electron, 2))
    return np.max(mass(a, b), axis=-1)


def dimuon_filtered(lib, e):
    a, b = lib.unzip(lib.combinations(e.muon, 2))
    m = mass(a, b)
    return np.max(m[(a.charge != b.charge) & (m > 20)], axis=-1)


def sum_of_two_leading(lib, e):
    return lib.sum(e.jet.pt[:, :2], axis=-1)


def isolated_jets(lib, e):
    """Number of jets with no electron near."""
    jet, electron = lib.unzip(lib.cartesian([e.jet, e.electron], nested=True))
    d2 = (jet.eta - electron.eta) ** 2 + (jet.phi - electron.phi) ** 2
    return lib.sum(~lib.any(d2 < 0.5, axis=-1), axis=-1)


def mean_of_filtered(lib, e):
    good = e.jet[np.abs(e.jet.eta) < 1.2]
    return lib.mean(good.pt, axis=-1)


def charge_of_leading(lib, e):
    return lib.firsts(e.muon.charge[lib.argmax(e.muon.pt, axis=-1, keepdims=True)])


def three_body_mass(lib, e):
    a, b, c = lib.unzip(lib.combinations(e.muon, 3))
    return lib.max(mass(a, b) + mass(b, c) + mass(a, c), axis=-1)


def event_level_cut(lib, e):
    """A value per event decides about its jets."""
    return lib.sum(e.jet.pt[e.jet.pt > 20 * e.weight], axis=-1)


def third_or_none(lib, e):
    return lib.pad_none(e.jet.pt, 3)[:, 2]


def two_masks(lib, e):
    corrected = lib.where(
        e.jet.eta > 1, e.jet.pt * 1.1, lib.where(e.jet.eta < -1, e.jet.pt * 0.9, e.jet.pt)
    )
    return lib.sum(corrected, axis=-1)


def filtered_twice(lib, e):
    jets = e.jet[e.jet.pt > 10]
    return lib.num(jets[np.abs(jets.eta) < 1.0], axis=1)


def spread(lib, e):
    """Distance from the mean of the list, then its largest value."""
    d = e.jet.pt - lib.mean(e.jet.pt, axis=-1)
    return lib.max(np.abs(d), axis=-1)


PIPELINES = [
    dielectron,
    dimuon_filtered,
    sum_of_two_leading,
    isolated_jets,
    mean_of_filtered,
    charge_of_leading,
    three_body_mass,
    event_level_cut,
    third_or_none,
    two_masks,
    filtered_twice,
    spread,
]


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda f: f.__name__)
def test_one_pass(pipeline):
    ours = pipeline(ak, OURS)
    plan = ak.explain(ours)
    assert plan.passes == 1, str(plan)
    assert plan.bytes_read > 0
    # Not evaluated by being explained, and the same when looked at.
    assert_same(ours, pipeline(awkward, THEIRS), rtol=1e-5)


def test_flatten_then_histogram():
    pts = ak.flatten(OURS.jet.pt[OURS.jet.pt > 10])
    counts = ak.histogram(pts, 30, 0.0, 90.0, flow=True)
    assert ak.explain(counts).passes == 1, str(ak.explain(counts))
    want = np.asarray(awkward.flatten(THEIRS.jet.pt[THEIRS.jet.pt > 10]), dtype=np.float64)
    edges = np.concatenate([[-np.inf], np.linspace(0, 90, 31), [np.inf]])
    assert ak.to_list(counts) == np.histogram(want, edges)[0].tolist()


def test_outputs_share_a_pass():
    a, b = ak.unzip(ak.combinations(OURS.muon, 2))
    m = mass(a, b)
    good = m[(a.charge != b.charge) & (m > 20)]
    outputs = (
        ak.max(good, axis=-1),
        ak.num(good, axis=1),
        ak.histogram(good, 120, 0.0, 120.0, flow=True),
    )
    assert ak.explain(*outputs).passes == 1, str(ak.explain(*outputs))
    best, count, counts = ak.compute(*outputs)
    x, y = awkward.unzip(awkward.combinations(THEIRS.muon, 2))
    n = mass(x, y)
    kept = n[(x.charge != y.charge) & (n > 20)]
    assert_same(best, awkward.max(kept, axis=-1), rtol=1e-5)
    assert_same(count, awkward.num(kept, axis=1))
    assert sum(ak.to_list(counts)) == awkward.count(kept)
