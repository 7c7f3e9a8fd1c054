"""Four analyses with vectors: Z peak, Higgs to four leptons, top mass of three jets, matching.

Each is a function of a library (serrate, or awkward with vector registered) and of its arrays:
lists of records named Momentum4D for each event.

    python examples/four_vectors.py
"""

import numpy as np

Z_MASS = 91.1876  # GeV


def z_peak(ak, leptons):
    """Masses of all pairs of leptons of opposite charge."""
    a, b = ak.unzip(ak.combinations(leptons, 2))
    opposite = a.charge + b.charge == 0
    return (a + b).mass[opposite]


def higgs_to_four_leptons(ak, leptons):
    """Mass of the four leptons with the largest pt, of events with two of each charge and a Z."""
    order = ak.argsort(leptons.pt, axis=1, ascending=False)
    four = leptons[order][:, :4]
    a, b = ak.unzip(ak.combinations(four, 2))
    pair_mass = (a + b).mass[a.charge + b.charge == 0]
    near_z = ak.any(abs(pair_mass - Z_MASS) < 15, axis=1)
    good = (ak.num(four) == 4) & (ak.sum(four.charge, axis=1) == 0) & near_z
    four = four[good]
    return (four[:, 0] + four[:, 1] + four[:, 2] + four[:, 3]).mass


def top_mass(ak, jets):
    """Mass of the three jets with the largest common pt, one of which at least is a b."""
    j1, j2, j3 = ak.unzip(ak.combinations(jets, 3))
    together = j1 + j2 + j3
    b_tagged = np.maximum(np.maximum(j1.btag, j2.btag), j3.btag) > 0.5
    pt, mass = together.pt[b_tagged], together.mass[b_tagged]
    return ak.firsts(mass[ak.argmax(pt, axis=1, keepdims=True)], axis=1)


def matched_pt_ratio(ak, jets, truth):
    """pt of each jet over that of the nearest true one, if this is nearer than 0.4."""
    jet, true = ak.unzip(ak.cartesian([jets, truth], nested=True))
    distance = jet.deltaR(true)
    nearest = ak.argmin(distance, axis=2, keepdims=True)
    near = ak.firsts(distance[nearest], axis=2) < 0.4
    ratio = jets.pt / ak.firsts(true[nearest], axis=2).pt
    return ratio[ak.fill_none(near, False)]


def particles(ak, events, mean, seed, **extra):
    """Random lists of particles: pt, eta, phi, mass and what `extra` makes of their number."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(mean, events)
    n = counts.sum()
    columns = {
        "pt": rng.exponential(30, n) + 5,
        "eta": rng.normal(0, 1.5, n),
        "phi": rng.uniform(-np.pi, np.pi, n),
        "mass": rng.uniform(0.1, 10, n),
    }
    columns |= {name: make(rng, n) for name, make in extra.items()}
    lists = {name: ak.unflatten(column, counts) for name, column in columns.items()}
    return ak.zip(lists, with_name="Momentum4D")


def charge(rng, n):
    return rng.choice([-1, 1], n)


def btag(rng, n):
    return rng.random(n)


if __name__ == "__main__":
    import serrate

    leptons = particles(serrate, 10_000, 3, seed=1, charge=charge)
    jets = particles(serrate, 10_000, 4, seed=2, btag=btag)
    truth = particles(serrate, 10_000, 4, seed=3)
    print("Z:", z_peak(serrate, leptons))
    print("H:", higgs_to_four_leptons(serrate, leptons))
    print("top:", top_mass(serrate, jets))
    print("matched:", matched_pt_ratio(serrate, jets, truth))
