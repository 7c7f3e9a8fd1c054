"""The eight queries of the ADL benchmark, the same text by serrate and by Awkward with vector."""

import functools
import importlib.util
from pathlib import Path

import awkward
import numpy as np
import vector
from harness import Case, Required, check

import serrate as ak

EVENTS = 1_000_000
QUERIES = range(1, 9)


def example(array_library=ak):
    """examples/adl.py with this library as `ak`."""
    path = Path(__file__).parents[1] / "examples" / "adl.py"
    spec = importlib.util.spec_from_file_location(f"adl_{array_library.__name__}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.ak = array_library
    return module


@functools.cache
def events():
    return example().made_up_events(EVENTS)


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


def computed(query, events) -> tuple:
    out = query(events)
    out = out if isinstance(out, tuple) else (out,)
    ak.compute(*out)
    return out


def query(number: int) -> Case:
    ours, other = example().QUERIES[number - 1], example(awkward).QUERIES[number - 1]
    mine, their = events(), theirs()

    contestants = {"serrate": lambda: computed(ours, mine), "awkward": lambda: other(their)}
    # Query 1 is a column: there is nothing to compute.
    required = [Required("awkward", at_least=10)] if number > 1 else []
    return Case(contestants, same, required)


CASES = {f"adl: query {n}": functools.partial(query, n) for n in QUERIES}
