"""The heaviest electron pair of each event; the same of muon pairs after cuts, with a histogram."""

import awkward as ak
import data
import loops
import numpy as np
from harness import Case, Required, check, close, flat

BINS, LOW, HIGH = 120, 60.0, 180.0


def masses(library, electrons):
    first, second = library.unzip(library.combinations(electrons, 2))
    angle = np.cosh(first.eta - second.eta) - np.cos(first.phi - second.phi)
    return first, second, np.sqrt(2 * first.pt * second.pt * angle)


def heaviest(library, electrons):
    return library.max(masses(library, electrons)[2], axis=-1)


def selected(library, muons):
    first, second, mass = masses(library, muons)
    return mass[(first.charge != second.charge) & (mass > 60)]


def same_mass(got, want) -> None:
    """cosh - cos cancels at small angles: an error of float32 relative to pt, not to the mass."""
    got, want = flat(got), flat(want)
    close(rtol=1e-5, atol=0.05)(got, want)
    far = want > 10
    close(rtol=1e-4)(got[far], want[far])


def pairs(events: int, mean: float, required: list[Required]) -> Case:
    p = data.particles(events, mean)
    del p["charge"]
    theirs = data.awkward_lists(**p)
    ours, sr = data.serrate_lists(theirs)
    out, valid = np.empty(events, np.float32), np.empty(events, bool)

    def loop():
        loops.call("max_pair_mass", events, *p.values(), out, valid)
        return np.ma.MaskedArray(out, ~valid)

    return Case(
        {
            "serrate": lambda: sr.compute(heaviest(sr, ours)),
            "awkward": lambda: heaviest(ak, theirs),
            "C++ scalar": loop,
        },
        same_mass,
        required,
    )


def dielectron_300k() -> Case:
    required = [Required("awkward", at_least=8), Required("C++ scalar", at_least=1)]
    return pairs(300_000, 1.5, required)


def dielectron_dense() -> Case:
    required = [Required("awkward", at_least=12), Required("C++ scalar", at_least=3.5)]
    return pairs(300_000, 12, required)


def same_selection(got, want) -> None:
    """A mass within rounding of a cut or of a bin's edge may fall on either side."""
    names = ("max", "count", "histogram")
    for name, g, w in zip(names, got, want, strict=True):
        g, w = flat(g), flat(w)
        check(g.shape == w.shape, f"{name}: shape {g.shape}, expected {w.shape}")
        if name == "histogram":
            differ = int(abs(g - w).sum())
        else:
            differ = int((~np.isclose(g, w, rtol=1e-4, equal_nan=True)).sum())
        check(differ <= 10, f"{name}: {differ} differences are more than rounding")


def filtered(events: int, mean: float, required: list[Required]) -> Case:
    import boost_histogram as bh

    p = data.particles(events, mean)
    theirs = data.awkward_lists(**p)
    ours, sr = data.serrate_lists(theirs)

    def with_serrate():
        mass = selected(sr, ours)
        counts = sr.histogram(mass, BINS, LOW, HIGH)
        return sr.compute(sr.max(mass, axis=-1), sr.num(mass), counts)

    def with_awkward():
        mass = selected(ak, theirs)
        histogram = bh.Histogram(bh.axis.Regular(BINS, LOW, HIGH))
        histogram.fill(ak.to_numpy(ak.flatten(mass)))
        return ak.max(mass, axis=-1), ak.num(mass), histogram.values()

    def loop():
        out, valid = np.empty(events, np.float32), np.empty(events, bool)
        count, histogram = np.empty(events, np.int64), np.zeros(BINS, np.int64)
        results = (out, valid, count, histogram)
        loops.call("filtered_pairs", events, *p.values(), BINS, LOW, HIGH, *results)
        return np.ma.MaskedArray(out, ~valid), count, histogram

    return Case(
        {
            "serrate": with_serrate,
            "serrate, max alone, no cuts": lambda: sr.compute(heaviest(sr, ours)),
            "awkward": with_awkward,
            "C++ scalar": loop,
        },
        same_selection,
        required,
        apart=("serrate, max alone, no cuts",),
    )


def dimuon_filtered() -> Case:
    required = [
        Required("serrate, max alone, no cuts", at_most=1.5),
        Required("awkward", at_least=8),
    ]
    return filtered(300_000, 1.5, required)


CASES = {
    "dielectron_300k": dielectron_300k,
    "dielectron_dense": dielectron_dense,
    "dimuon_filtered": dimuon_filtered,
}
