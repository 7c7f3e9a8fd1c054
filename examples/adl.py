"""The eight queries of the ADL benchmark, each of events as serrate reads or scans them.

Events are records with NanoAOD's columns: MET_pt, Jet_pt, Muon_charge ... Each query gives what its
histogram is filled with. https://github.com/iris-hep/adl-benchmarks-index

    python examples/adl.py FILE.parquet
    python examples/adl.py FILE.root
    python examples/adl.py              # of events that are made up
"""

import sys

import numpy as np

import serrate as ak

Z_MASS, TOP_MASS = 91.2, 172.5  # GeV


def particles(events, name, fields=("pt", "eta", "phi")):
    """Columns NAME_FIELD as vectors, with an energy if there is a mass."""
    columns = {field: events[f"{name}_{field}"] for field in fields}
    return ak.zip(columns, with_name="Momentum4D" if "mass" in fields else "Momentum3D")


def jets_of(events, *more):
    return particles(events, "Jet", ("pt", "eta", "phi", "mass", *more))


def muons_of(events):
    return particles(events, "Muon", ("pt", "eta", "phi", "mass", "charge"))


def electrons_of(events):
    return particles(events, "Electron", ("pt", "eta", "phi", "mass", "charge"))


def query1(events):
    """Missing transverse energy of all events."""
    return events.MET_pt


def query2(events):
    """pt of all jets."""
    return ak.flatten(events.Jet_pt)


def query3(events):
    """pt of jets with |eta| < 1."""
    return ak.flatten(events.Jet_pt[abs(events.Jet_eta) < 1])


def query4(events):
    """Missing energy of events with two jets of more than 40 GeV."""
    return events.MET_pt[ak.sum(events.Jet_pt > 40, axis=1) >= 2]


def query5(events):
    """Missing energy of events with two muons of opposite charge and a mass of 60 to 120 GeV."""
    first, second = ak.unzip(ak.combinations(muons_of(events), 2))
    mass = (first + second).mass
    good = (first.charge != second.charge) & (mass > 60) & (mass < 120)
    return events.MET_pt[ak.any(good, axis=1)]


def query6(events):
    """pt of the three jets whose mass is the nearest to the top quark's, and their largest b
    tag."""
    one, two, three = ak.unzip(ak.combinations(jets_of(events, "btag"), 3))
    together = one + two + three
    best = ak.argmin(abs(together.mass - TOP_MASS), axis=1, keepdims=True)
    tag = np.maximum(np.maximum(one.btag, two.btag), three.btag)
    return ak.drop_none(ak.firsts(together.pt[best])), ak.drop_none(ak.firsts(tag[best]))


def query7(events):
    """Sum of the pt of jets of more than 30 GeV that no lepton of more than 10 GeV is near to."""
    jets = particles(events, "Jet")
    far = jets.pt > 30
    for leptons in (particles(events, "Muon"), particles(events, "Electron")):
        leptons = leptons[leptons.pt > 10]
        pairs = ak.cartesian([jets, leptons], nested=True)
        far = far & ak.all(pairs["0"].deltaR(pairs["1"]) > 0.4, axis=2)
    sums = ak.sum(jets.pt[far], axis=1)
    return sums[sums > 0]


def query8(events):
    """Transverse mass of the missing energy and the hardest lepton that is in none of the best
    pairs of equal flavour and opposite charge, of events with three leptons."""
    leptons = ak.concatenate(
        [
            ak.with_field(electrons_of(events), 0, "flavour"),
            ak.with_field(muons_of(events), 1, "flavour"),
        ],
        axis=1,
    )
    leptons = ak.with_field(leptons, ak.local_index(leptons), "place")
    enough = ak.num(leptons) >= 3
    leptons, events = leptons[enough], events[enough]
    one, two = ak.unzip(ak.combinations(leptons, 2))
    fits = (one.flavour == two.flavour) & (one.charge != two.charge)
    one, two = one[fits], two[fits]
    best = ak.argmin(abs((one + two).mass - Z_MASS), axis=1, keepdims=True)
    first, second = ak.firsts(one.place[best]), ak.firsts(two.place[best])
    other = leptons[(leptons.place != first) & (leptons.place != second)]
    hardest = ak.firsts(other[ak.argmax(other.pt, axis=1, keepdims=True)])
    angle = np.cos(hardest.phi - events.MET_phi)
    return ak.drop_none(np.sqrt(2 * hardest.pt * events.MET_pt * (1 - angle)))


QUERIES = (query1, query2, query3, query4, query5, query6, query7, query8)


def made_up_events(count, dtype=np.float32):
    """Events with NanoAOD's columns, and as many jets and leptons as top pairs have."""
    r = np.random.default_rng(7)
    columns = {"MET_pt": r.exponential(30, count), "MET_phi": r.uniform(-3, 3, count)}
    columns = {name: ak.Array(data.astype(dtype)) for name, data in columns.items()}
    for name, mean in (("Jet", 4), ("Muon", 1.2), ("Electron", 1)):
        counts = r.poisson(mean, count)
        n = int(counts.sum())
        made = {
            "pt": r.exponential(40, n).astype(dtype),
            "eta": r.normal(0, 1.2, n).astype(dtype),
            "phi": r.uniform(-np.pi, np.pi, n).astype(dtype),
            "mass": r.uniform(0.1, 20, n).astype(dtype),
        }
        if name == "Jet":
            made["btag"] = r.uniform(0, 1, n).astype(dtype)
        else:
            made["charge"] = r.choice([-1, 1], n).astype(np.int32)
        for field, data in made.items():
            columns[f"{name}_{field}"] = ak.unflatten(ak.Array(data), counts)
    return ak.materialize(ak.zip(columns, depth_limit=1))


def read(path):
    return ak.scan_root(path) if path.endswith(".root") else ak.scan_parquet(path)


def main(path=None):
    events = read(path) if path else made_up_events(10_000)
    for query in QUERIES:
        found = query(events)
        found = found if isinstance(found, tuple) else (found,)
        histograms = [ak.boost_histogram(x, 100, 0, 200) for x in found]
        columns = ", ".join(ak.explain(*found).columns) if path else "columns in memory"
        print(query.__doc__.strip())
        print(f"  {histograms[0].sum():.0f} entries of {columns}")


if __name__ == "__main__":
    main(*sys.argv[1:])
