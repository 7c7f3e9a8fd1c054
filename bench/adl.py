"""The eight queries of the ADL benchmark, the same text by serrate and by Awkward with vector."""

import functools
import importlib.util
from pathlib import Path

import awkward
import numpy as np
import vector
from harness import Case, Required, check

import serrate as ak

EVENTS = 50_000
QUERIES = range(1, 9)


def queries_of(array_library):
    """examples/adl.py with this library as `ak`."""
    path = Path(__file__).parents[1] / "examples" / "adl.py"
    spec = importlib.util.spec_from_file_location(f"adl_{array_library.__name__}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.ak = array_library
    return module.QUERIES


@functools.cache
def events():
    """NanoAOD's columns in single precision, with as many jets and leptons as top pairs have."""
    r = np.random.default_rng(7)
    columns = {"MET_pt": r.exponential(30, EVENTS), "MET_phi": r.uniform(-3, 3, EVENTS)}
    columns = {k: ak.Array(v.astype(np.float32)) for k, v in columns.items()}
    for name, mean in (("Jet", 4), ("Muon", 1.2), ("Electron", 1)):
        counts = r.poisson(mean, EVENTS)
        n = int(counts.sum())
        made = {
            "pt": r.exponential(40, n),
            "eta": r.normal(0, 1.2, n),
            "phi": r.uniform(-np.pi, np.pi, n),
            "mass": r.uniform(0.1, 20, n),
        }
        if name == "Jet":
            made["btag"] = r.uniform(0, 1, n)
        made = {k: v.astype(np.float32) for k, v in made.items()}
        if name != "Jet":
            made["charge"] = r.choice([-1, 1], n).astype(np.int32)
        for field, data in made.items():
            columns[f"{name}_{field}"] = ak.unflatten(ak.Array(data), counts)
    return ak.materialize(ak.zip(columns, depth_limit=1))


@functools.cache
def theirs():
    vector.register_awkward()
    return ak.to_awkward(events())


def same(got, want) -> None:
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    for a, b in zip(got, want, strict=True):
        a, b = np.asarray(ak.to_numpy(a)), np.asarray(awkward.to_numpy(b))
        # The nearest to a mass may differ where two are as near but for rounding.
        check(abs(len(a) - len(b)) <= 2, f"{len(a)} values, expected {len(b)}")
        if len(a) == len(b):
            good = np.isclose(a, b, rtol=1e-3, atol=1e-2).mean()
            check(good > 0.99, f"only {good:.2%} of the values are the same")


def query(number: int) -> Case:
    ours, other = queries_of(ak)[number - 1], queries_of(awkward)[number - 1]
    mine, their = events(), theirs()

    def run():
        out = ours(mine)
        ak.compute(*(out if isinstance(out, tuple) else (out,)))
        return out

    contestants = {"serrate": run, "awkward": lambda: other(their)}
    # Query 1 is a column: there is nothing to compute.
    required = [Required("awkward", at_least=10)] if number > 1 else []
    return Case(contestants, same, required)


CASES = {f"adl: query {n}": functools.partial(query, n) for n in QUERIES}
