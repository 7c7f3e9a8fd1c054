"""The queries of the ADL benchmark from Parquet and ROOT, beside loops over events."""

import importlib.util
import itertools
import math
from pathlib import Path

import gpu  # before arrays are made
import numpy as np
import pytest

import serrate as ak

FILE = Path(__file__).parents[2] / "examples" / "adl.py"
spec = importlib.util.spec_from_file_location("adl", FILE)
adl = importlib.util.module_from_spec(spec)
spec.loader.exec_module(adl)

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")
EVENTS = 120


@pytest.fixture(scope="module")
def events():
    before = ak.default_backend()
    ak.set_default_backend("cpu")
    yield adl.made_up_events(EVENTS, np.float64)
    ak.set_default_backend(before)


@pytest.fixture(scope="module")
def parquet(events, tmp_path_factory):
    file = tmp_path_factory.mktemp("adl") / "events.parquet"
    ak.to_parquet(events, file, row_group_size=37)
    return lambda: ak.scan_parquet(file)


@pytest.fixture(scope="module")
def root(events, tmp_path_factory):
    uproot = pytest.importorskip("uproot")
    path = tmp_path_factory.mktemp("adl") / "events.root"
    with uproot.recreate(path) as file:
        file["Events"] = {k: ak.to_awkward(events[k]) for k in events.fields}
    return lambda: ak.scan_root(path, "Events", step_size=37)


class Vector:
    def __init__(self, p):
        self.__dict__ |= p
        self.x, self.y = p["pt"] * math.cos(p["phi"]), p["pt"] * math.sin(p["phi"])
        self.z = p["pt"] * math.sinh(p["eta"])
        self.e = math.sqrt(self.x**2 + self.y**2 + self.z**2 + p["mass"] ** 2)


def mass(*parts):
    e, x, y, z = (sum(getattr(p, k) for p in parts) for k in "exyz")
    return math.sqrt(max(e * e - x * x - y * y - z * z, 0))


def pt(*parts):
    return math.hypot(sum(p.x for p in parts), sum(p.y for p in parts))


def near(a, b):
    turn = (a.phi - b.phi + math.pi) % (2 * math.pi) - math.pi
    return math.hypot(a.eta - b.eta, turn) <= 0.4


def each_event(events):
    for row in ak.to_list(events):
        out = {"met": row["MET_pt"], "met_phi": row["MET_phi"]}
        for name in ("Jet", "Muon", "Electron"):
            fields = [k for k in row if k.startswith(name + "_")]
            made = zip(*(row[k] for k in fields), strict=True)
            names = [k.partition("_")[2] for k in fields]
            out[name] = [Vector(dict(zip(names, values, strict=True))) for values in made]
        yield out


def loop5(e):
    for a, b in itertools.combinations(e["Muon"], 2):
        if a.charge != b.charge and 60 < mass(a, b) < 120:
            return [e["met"]]
    return []


def best_top(e):
    threes = list(itertools.combinations(e["Jet"], 3))
    return min(threes, key=lambda t: abs(mass(*t) - adl.TOP_MASS)) if threes else None


def loop7(e):
    leptons = [p for p in (*e["Muon"], *e["Electron"]) if p.pt > 10]
    far = [j.pt for j in e["Jet"] if j.pt > 30 and not any(near(j, p) for p in leptons)]
    return [sum(far)] if far else []


def loop8(e):
    leptons = [(p, 0) for p in e["Electron"]] + [(p, 1) for p in e["Muon"]]
    pairs = [
        (a, b)
        for a, b in itertools.combinations(leptons, 2)
        if a[1] == b[1] and a[0].charge != b[0].charge
    ]
    if len(leptons) < 3 or not pairs:
        return []
    best = min(pairs, key=lambda p: abs(mass(p[0][0], p[1][0]) - adl.Z_MASS))
    other = max((p[0] for p in leptons if p not in best), key=lambda p: p.pt)
    return [math.sqrt(2 * other.pt * e["met"] * (1 - math.cos(other.phi - e["met_phi"])))]


LOOPS = [
    lambda e: [e["met"]],
    lambda e: [j.pt for j in e["Jet"]],
    lambda e: [j.pt for j in e["Jet"] if abs(j.eta) < 1],
    lambda e: [e["met"]] if sum(j.pt > 40 for j in e["Jet"]) >= 2 else [],
    loop5,
    lambda e: [pt(*best)] if (best := best_top(e)) else [],
    loop7,
    loop8,
]


def columns(name, *more):
    """A direction, and more."""
    return {f"{name}_{field}" for field in ("pt", "eta", "phi", *more)}


COLUMNS = [
    {"MET_pt"},
    {"Jet_pt"},
    {"Jet_pt", "Jet_eta"},
    {"Jet_pt", "MET_pt"},
    {"MET_pt", *columns("Muon", "charge", "mass")},
    columns("Jet", "btag", "mass"),
    columns("Jet") | columns("Muon") | columns("Electron"),
    {"MET_pt", "MET_phi"}
    | columns("Muon", "charge", "mass")
    | columns("Electron", "charge", "mass"),
]


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("kind", ["parquet", "root"])
def test_query(kind, number, request, events):
    query = adl.QUERIES[number]
    found = query(request.getfixturevalue(kind)())
    in_memory = query(events)
    if number == 5:
        (found, tags), (in_memory, _) = found, in_memory
        best = [max(j.btag for j in best_top(e)) for e in each_event(events) if best_top(e)]
        np.testing.assert_allclose(np.asarray(tags.compute()), best)
    expected = [x for e in each_event(events) for x in LOOPS[number](e)]
    assert len(expected) > 5
    np.testing.assert_allclose(np.asarray(found.compute()), expected, rtol=1e-9)
    np.testing.assert_array_equal(np.asarray(found.compute()), np.asarray(in_memory))
    assert set(ak.explain(found).columns) == COLUMNS[number]


@pytest.mark.parametrize("number", range(8))
def test_on_dask(number, parquet, events):
    pytest.importorskip("dask")
    query = adl.QUERIES[number]
    found = query(parquet())
    of_all = query(events)
    for here, there in [(of_all, found)] if number != 5 else zip(of_all, found, strict=True):
        made = ak.compute(there, scheduler="threads")
        np.testing.assert_array_equal(np.asarray(made), np.asarray(here))


@pytest.mark.skipif(not gpu.REAL, reason="runs kernels: on a GPU or an emulated one")
@pytest.mark.parametrize("number", range(8))
def test_on_a_gpu(number, parquet, events):
    query = adl.QUERIES[number]
    of_all = query(events)
    ak.set_default_backend("cuda")
    found = query(parquet())
    for here, there in [(of_all, found)] if number != 5 else zip(of_all, found, strict=True):
        made = there.compute()
        assert ak.backend(made) == "cuda"
        on_cpu = np.asarray(ak.to_backend(made, "cpu"))
        np.testing.assert_allclose(on_cpu, np.asarray(here), rtol=1e-9)


def test_the_program(tmp_path, events, capsys):
    ak.to_parquet(events, tmp_path / "events.parquet")
    adl.main(str(tmp_path / "events.parquet"))
    assert "Jet_eta, Jet_pt" in capsys.readouterr().out
    adl.main()
    assert "entries of columns in memory" in capsys.readouterr().out
