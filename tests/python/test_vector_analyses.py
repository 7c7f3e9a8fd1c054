# Analyses with four-vectors: the same code with Awkward and vector, and here; lists beside lists.
import importlib.util
from pathlib import Path

import awkward
import numpy as np
import pytest
import vector
from conftest import assert_same, some

import serrate as ak

FILE = Path(__file__).parents[2] / "examples" / "four_vectors.py"
spec = importlib.util.spec_from_file_location("four_vectors", FILE)
four_vectors = importlib.util.module_from_spec(spec)
spec.loader.exec_module(four_vectors)

BEHAVIOR = vector.backends.awkward.behavior


def both_particles(events, mean, seed, **extra):
    ours = four_vectors.particles(ak, events, mean, seed, **extra)
    theirs = four_vectors.particles(awkward, events, mean, seed, **extra)
    return ours, awkward.Array(theirs, behavior=BEHAVIOR)


def leptons():
    return both_particles(300, 3, 1, charge=four_vectors.charge)


ANALYSES = {
    "z_peak": lambda: (leptons(),),
    "higgs_to_four_leptons": lambda: (both_particles(300, 5, 4, charge=four_vectors.charge),),
    "top_mass": lambda: (both_particles(300, 4, 2, btag=four_vectors.btag),),
    "matched_pt_ratio": lambda: (both_particles(300, 4, 2), both_particles(300, 4, 3)),
}


@pytest.mark.parametrize("name", ANALYSES)
def test_analyses(name):
    analysis = getattr(four_vectors, name)
    arguments = ANALYSES[name]()
    ours = analysis(ak, *(a for a, _ in arguments))
    theirs = analysis(awkward, *(b for _, b in arguments))
    assert len(ak.ravel(ours)) > 20
    assert_same(ours, theirs, rtol=1e-11)


def test_one_pass():
    muons, _ = leptons()
    assert ak.explain(four_vectors.z_peak(ak, muons)).passes == 1
    a, b = ak.unzip(ak.combinations(muons, 2))
    assert ak.explain(ak.max((a + b).mass, axis=1)).passes == 1
    near = ak.min(muons.metric_table(muons), axis=2)
    assert ak.explain(near).passes == 1
    # Only what is asked for is read: no phi in pz.
    assert ak.explain(muons.pz).bytes_read < ak.explain(muons.px + muons.pz).bytes_read


def wrap(d):
    return (d + np.pi) % (2 * np.pi) - np.pi


def distances(jets, leptons):
    """Lists of lists, by loops."""
    return [
        [[np.hypot(j["eta"] - m["eta"], wrap(j["phi"] - m["phi"])) for m in ms] for j in js]
        for js, ms in zip(ak.to_list(jets), ak.to_list(leptons), strict=True)
    ]


def test_tables_of_distances():
    jets, _ = both_particles(some(range(60), 3)[-1] + 1, 2, 5)
    muons, _ = both_particles(len(jets), 1, 6)
    known = distances(jets, muons)
    assert_same(jets.metric_table(muons), ak.Array(known), rtol=1e-12, types=False)
    table, (first, second) = jets.metric_table(muons, return_combinations=True)
    assert_same(table, first.deltaR(second), rtol=0, types=False)
    assert ak.vector.metric_table(jets, jets, axis=None).to_list() == [
        [0.0] * n for n in ak.num(jets).to_list()
    ]
    by_pt = jets.metric_table(muons, metric=lambda a, b: abs(a.pt - b.pt))
    assert_same(by_pt, abs(first.pt - second.pt), types=False)

    for threshold in (None, 1.0):
        found, values = jets.nearest(muons, return_metric=True, threshold=threshold)
        listed = ak.to_list(muons)
        for event, (row, numbers) in enumerate(zip(ak.to_list(found), values, strict=True)):
            for jet, (muon, number) in enumerate(zip(row, numbers, strict=True)):
                near = known[event][jet]
                best = int(np.argmin(near)) if near else None
                if best is None or (threshold and near[best] > threshold):
                    assert (muon, number) == (None, None)
                else:
                    assert muon == listed[event][best]
                    assert number == pytest.approx(near[best], rel=1e-12)
    clean = jets[~jets.overlaps(muons, 0.8)]
    kept = [
        [j for j, near in zip(js, row, strict=True) if not any(d < 0.8 for d in near)]
        for js, row in zip(ak.to_list(jets), known, strict=True)
    ]
    assert clean.to_list() == kept


def test_parents_and_children():
    particles = ak.Array(
        [
            [
                {"pdg": 25, "mother": -1, "daughters": [1, 2]},
                {"pdg": 23, "mother": 0, "daughters": []},
                {"pdg": 22, "mother": 0, "daughters": [9]},
            ],
            [],
        ]
    )
    parents = ak.vector.by_index(particles, particles.mother)
    assert parents.pdg.to_list() == [[None, 25, 25], []]
    children = ak.vector.by_index(particles, particles.daughters)
    assert children.pdg.to_list() == [[[23, 22], [], [None]], []]


def test_children_where_rows_end_with_none():
    items = ak.Array([[10, 20], [30, 40], [], [50]])
    index = ak.Array([[[1], []], [[], [0]], [], [[], []]])
    assert ak.vector.by_index(items, index).to_list() == [[[20], []], [[], [30]], [], [[], []]]


def ancestors(parents, ids):
    """The first ancestor with another id, step by step."""
    found = []
    for i in range(len(parents)):
        j = i
        while parents[j] >= 0 and ids[parents[j]] == ids[i]:
            j = parents[j]
        found.append(parents[j] if parents[j] >= 0 else -1)
    return found


@pytest.mark.parametrize("kinds", [1, 2, 5])
@pytest.mark.parametrize("length", [3, 70])
def test_families_of_particles(kinds, length):
    random = np.random.default_rng(length + kinds)
    counts = random.poisson(length, 40)
    # Each one's parent is near before it: long chains, with and without a change of name.
    parents = [[int(i) - int(random.integers(1, 4)) for i in range(n)] for n in counts]
    ids = [random.integers(0, kinds, n).tolist() for n in counts]
    index = ak.vector.distinct_parent_index(ak.Array(parents), ak.Array(ids))
    assert index.to_list() == [ancestors(p, i) for p, i in zip(parents, ids, strict=True)]
    children = ak.vector.children_index(ak.Array(parents))
    assert ak.explain(children).passes == 1
    assert children.to_list() == [
        [[j for j, of in enumerate(row) if of == i] for i in range(len(row))] for row in parents
    ]
    particles = ak.zip({"id": ids, "at": ak.local_index(ak.Array(ids))})
    again = ak.vector.by_index(particles, children)
    assert again.at.to_list() == children.to_list()
    other = ak.vector.by_index(particles, index).id != particles.id
    assert ak.all(ak.fill_none(other, True), axis=None)


def test_parents_that_are_none():
    index = ak.Array([[None, 0, 7, 1], []])
    assert ak.vector.children_index(index).to_list() == [[[1], [3], [], []], []]
    ids = ak.Array([[1, 1, 1, 2], []])
    assert ak.vector.distinct_parent_index(index, ids).to_list() == [[-1, -1, -1, 1], []]


@pytest.mark.parametrize("circle", [[0], [1, 0], [1, 2, 0], [1, 2, 3, 0], [-1, 2, 3, 4, 5, 1]])
def test_parents_in_circles(circle):
    with pytest.raises(ValueError, match="distinct_parent_index: an item is its own ancestor"):
        ak.vector.distinct_parent_index([circle], [[5] * len(circle)])


def test_parents_that_are_no_lists():
    with pytest.raises(TypeError, match="children_index: expected lists of positions"):
        ak.vector.children_index([1, 2])
    with pytest.raises(ValueError, match="lengths 1 and 2"):
        ak.vector.distinct_parent_index([[0]], [[1, 2]])


def test_vectors_that_are_missing():
    v = ak.vector.zip({"px": [[3.0], [], [1.0, 2.0]], "py": [[4.0], [], [1.0, 2.0]]})
    first = ak.firsts(v)
    assert first.pt.to_list() == [5, None, pytest.approx(2**0.5)]
    assert (first + first).to_list()[1] is None
    assert first.to_rhophi()[1] is None
    assert ak.sum(v, axis=1, mask_identity=True)[1] is None
    padded = ak.pad_none(v, 2)
    assert padded.rotateZ(0).to_list()[0][1] is None


def test_the_nearest_of_missing_ones():
    jets, _ = both_particles(40, 2, 5)
    muons, _ = both_particles(40, 2, 6)
    known = distances(jets, muons)
    rows = np.arange(40) % 3 != 1
    for a, b, there in (
        (ak.mask(jets, rows), muons, rows),
        (jets, ak.mask(muons, rows), rows),
        (ak.mask(jets, rows), ak.mask(muons, rows[::-1]), rows & rows[::-1]),
    ):
        found, values = a.nearest(b, return_metric=True)
        for event in range(40):
            near = [min(row, default=-1) for row in known[event]]
            if there[event]:
                listed = ak.fill_none(values[event], -1).to_list()
                assert listed == pytest.approx(near, rel=1e-12)
                best = [int(np.argmin(row)) if row else None for row in known[event]]
                pts = muons[event].pt.to_list()
                assert found[event].pt.to_list() == [None if i is None else pts[i] for i in best]
            else:
                assert ak.to_list(values[event]) in (None, [None] * len(near))


def test_the_nearest_of_deeper_lists():
    jets, _ = both_particles(30, 2, 5)
    muons, _ = both_particles(30, 2, 6)
    groups = [2, 1, 0, 3] * 5
    deep = [ak.unflatten(x, groups) for x in (jets, muons)]
    found, values = deep[0].nearest(deep[1], axis=2, return_metric=True)
    flat, plain = jets.nearest(muons, return_metric=True)
    assert_same(ak.flatten(values, axis=1), plain)
    assert_same(ak.flatten(found, axis=1).pt, flat.pt)
    rows, first = ak.firsts(jets), ak.firsts(muons)
    near = ak.drop_none(rows).nearest(ak.drop_none(first), axis=0)
    assert len(near) == len(ak.drop_none(rows))


def test_names_of_coffea():
    jets, _ = both_particles(20, 2, 5)
    assert_same(jets.boostvec, jets.to_beta3())
    assert_same(jets.pvec.p, jets.p, rtol=1e-12, types=False)
    assert type(jets.pvec) is ak.vector.MomentumArray3D
    at_rest = jets.boost(-jets.boostvec)
    assert ak.max(at_rest.p / jets.p, axis=None) < 1e-6
    assert_same(jets.delta_r(jets[:, ::-1]), jets.deltaR(jets[:, ::-1]))
    assert_same(jets.delta_phi(jets[:, ::-1]), jets.deltaphi(jets[:, ::-1]))
    assert jets.metric_table(jets, axis=None).to_list() == ak.zeros_like(jets.pt).to_list()
