"""Arrow's arrays in and out, beside Awkward Array: what it costs to hand over a whole table."""

import functools

import awkward
import numpy as np
import pyarrow as pa
from harness import Case, Required, check

import serrate as ak

ROWS = 100_000


@functools.cache
def columns() -> pa.Table:
    """Ten columns of numbers, some of which are missing."""
    r = np.random.default_rng(1)
    made = {f"x{i}": pa.array(r.normal(size=ROWS)) for i in range(8)}
    made["missing"] = pa.array(r.integers(0, 9, ROWS), mask=r.random(ROWS) < 0.1)
    made["flag"] = pa.array(r.random(ROWS) < 0.5)
    return pa.table(made).combine_chunks()


@functools.cache
def lists() -> pa.Array:
    r = np.random.default_rng(2)
    offsets = np.concatenate([[0], np.cumsum(r.poisson(3, ROWS))])
    return pa.LargeListArray.from_arrays(offsets, pa.array(r.normal(size=offsets[-1])))


def same(got, want) -> None:
    check(len(got) == len(want), f"{len(got)} rows, expected {len(want)}")
    check(ak.to_list(got[:50]) == want[:50].to_list(), "values differ")


def imported(make) -> Case:
    a = make()
    contestants = {
        "serrate": lambda: ak.from_arrow(a),
        "awkward": lambda: awkward.from_arrow(a),
    }
    return Case(contestants, same, [Required("awkward", at_least=20)])


def exported(make) -> Case:
    ours, theirs = ak.materialize(ak.from_arrow(make())), awkward.from_arrow(make())
    contestants = {
        "serrate": lambda: ak.to_arrow(ours),
        "serrate capsules": lambda: ours.__arrow_c_array__(),
        "awkward": lambda: awkward.to_arrow(theirs),
    }
    return Case(contestants, None, [Required("awkward", at_least=20)])


CASES = {
    "arrow table in": functools.partial(imported, columns),
    "arrow lists in": functools.partial(imported, lists),
    "arrow table out": functools.partial(exported, columns),
    "arrow lists out": functools.partial(exported, lists),
}
