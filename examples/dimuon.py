"""The masses of all pairs of muons with opposite charges: the peak at 91 GeV is the Z boson.

Reads examples/data/HZZ.root, checks the numbers, prints the plan and the time beside
Awkward Array's, the same on a GPU where there is one, and draws dimuon.png. With --write-columns,
writes the columns that dimuon.cpp reads instead.
"""

import argparse
import pathlib
import time

import awkward
import numpy as np
import uproot

import serrate as ak

DATA = pathlib.Path(__file__).parent / "data"
COLUMNS = {
    "px": "Muon_Px",
    "py": "Muon_Py",
    "pz": "Muon_Pz",
    "E": "Muon_E",
    "charge": "Muon_Charge",
}


def pair_masses(ak, muons):
    """Masses of all pairs in GeV and whether charges are opposite; ak may be either library."""
    a, b = ak.unzip(ak.combinations(muons, 2))
    p2 = (a.px + b.px) ** 2 + (a.py + b.py) ** 2 + (a.pz + b.pz) ** 2
    return np.sqrt(np.maximum(0, (a.E + b.E) ** 2 - p2)), a.charge != b.charge


def heaviest_pairs(ak, muons):
    """The heaviest pair with opposite charges of each event."""
    mass, opposite = pair_masses(ak, muons)
    return ak.max(mass[opposite], axis=1)


def read_muons():
    with uproot.open(DATA / "HZZ.root") as file:
        columns = file["events"].arrays(list(COLUMNS.values()), library="ak")
    numbers = {name: ak.Array(columns[branch]) for name, branch in COLUMNS.items()}
    doubles = {
        name: ak.values_astype(x, "float64") for name, x in numbers.items() if name != "charge"
    }
    # Computed here, so that all columns share one list structure.
    return ak.compute(ak.zip({**doubles, "charge": numbers["charge"]}, with_name="Muon"))


def check(what, found, expected, tolerance=0.0):
    ok = abs(found - expected) <= tolerance
    print(f"  {what:<42}{found:>16,.10g}   {'ok' if ok else f'WRONG: expected {expected}'}")
    if not ok:
        raise SystemExit(1)


def milliseconds(f, repeats=20):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return sorted(times)[repeats // 2] * 1e3


def draw(mass):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    counts = ak.boost_histogram(mass, 60, 0, 150)
    _, axes = plt.subplots(figsize=(7, 4.5))
    axes.stairs(counts.values(), counts.axes[0].edges, fill=True, color="tab:blue", alpha=0.7)
    axes.set_xlabel("mass of pairs of muons with opposite charges [GeV]")
    axes.set_ylabel("pairs per 2.5 GeV")
    axes.set_title("Z boson to two muons (simulated)")
    plt.tight_layout()
    plt.savefig("dimuon.png", dpi=120)
    print("\nwrote dimuon.png")


def write_columns():
    with uproot.open(DATA / "HZZ.root") as file:
        columns = file["events"].arrays(list(COLUMNS.values()), library="ak")
    folder = DATA / "hzz_muons"
    folder.mkdir(exist_ok=True)
    offsets = np.cumsum([0, *awkward.num(columns["Muon_Px"])])
    offsets.astype("<i4").tofile(folder / "offsets.bin")
    for name, branch in COLUMNS.items():
        flat = awkward.to_numpy(awkward.flatten(columns[branch]))
        flat.astype("<i4" if name == "charge" else "<f4").tofile(folder / f"{name}.bin")


def main():
    muons = read_muons()
    mass, opposite = pair_masses(ak, muons)
    heaviest = heaviest_pairs(ak, muons)
    print("muons:                   ", muons.type)
    print("heaviest pair per event: ", heaviest.type)
    print("\nThe plan, before anything is computed:\n")
    print(ak.explain(heaviest))
    print()
    heaviest.show(limit_rows=8)

    print("\nChecks")
    check("events", len(heaviest), 2421)
    check("pairs", ak.count(mass), 1521)
    check("pairs with opposite charges", ak.count(mass[opposite]), 1464)
    check("sum of the masses of all pairs [GeV]", ak.sum(mass), 137047.226, 2e-3)
    reference = ak.to_awkward(muons)
    theirs = heaviest_pairs(awkward, reference)
    check("events with such a pair", ak.count(heaviest), int(awkward.count(theirs)))
    check("sum of the heaviest [GeV]", ak.sum(heaviest), float(awkward.sum(theirs)), 2e-3)

    muons = ak.Array(reference)
    ours = milliseconds(lambda: ak.compute(heaviest_pairs(ak, muons)))
    other = milliseconds(lambda: heaviest_pairs(awkward, reference))
    print(
        f"\nserrate {ours:.2f} ms, Awkward Array {other:.2f} ms: {other / ours:.0f} times as fast"
    )
    if ak.doctor().ok:
        on_a_gpu(ak.to_backend(muons, "cuda"), theirs)
    else:
        print("no GPU here: serrate doctor says why")
    draw(mass[opposite])


def on_a_gpu(muons, expected):
    """The same program: its arrays are on the GPU, so it runs there."""
    check(
        "heaviest on the GPU, sum [GeV]",
        ak.sum(heaviest_pairs(ak, muons)),
        float(awkward.sum(expected)),
        2e-3,
    )

    def run():
        ak.compute(heaviest_pairs(ak, muons))
        ak.cuda.synchronize()

    print(f"on the GPU {milliseconds(run):.2f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write-columns", action="store_true")
    if parser.parse_args().write_columns:
        write_columns()
    else:
        main()
