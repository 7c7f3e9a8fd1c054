"""Flat arrays and matrices on a GPU beside CuPy's."""

import functools

import cupy as cp
import numpy as np
from gpu_timing import looked

import serrate as ak

N, ROWS = 10_000_000, 1000


def numbers(*shape):
    return np.random.default_rng(5).normal(size=shape or N)


def beside(call, make=numbers):
    """call(module, array) of ours and of CuPy's, which must give the same."""
    here = make()
    x, y = ak.Array(here, backend="cuda"), cp.asarray(here)

    def ours():
        return call(np, x)

    made = ours()
    got = ak.to_numpy(ak.to_backend(made, "cpu")) if isinstance(made, ak.Array) else made
    np.testing.assert_allclose(got, cp.asnumpy(call(cp, y)), rtol=1e-9, atol=1e-9)
    return {"ours": looked(ours), "CuPy": lambda: call(cp, y), "than": "CuPy", "within": 1.0}


def update(place):
    """x[place(x)] = 0 of an array of one's own, again and again."""
    here = numbers()
    x, y = ak.Array(here, backend="cuda"), cp.asarray(here)
    places = place(here)
    at, there = ak.Array(places, backend="cuda"), cp.asarray(places)

    def ours():
        x[at] = 0
        return ak.compute(x)

    def theirs():
        y[there] = 0

    ours(), theirs()
    assert np.array_equal(ak.to_numpy(ak.to_backend(x, "cpu")), cp.asnumpy(y))
    return {"ours": ours, "CuPy": theirs, "than": "CuPy", "within": 1.0}


def some(x):
    return np.random.default_rng(6).integers(0, len(x), len(x) // 10)


WORK = {
    "power": lambda m, x: abs(x) ** 0.5,
    "mask": lambda m, x: x[x > 0.5],
    "sort": lambda m, x: m.sort(x),
    "unique": lambda m, x: m.unique(x),
    "sum": lambda m, x: m.sum(x),
    "cumsum": lambda m, x: m.cumsum(x),
    "searchsorted": lambda m, x: m.searchsorted(x[:1000] * 0 + 0.5, x),
}
CASES = {f"flat_{k}_1e7": functools.partial(beside, f) for k, f in WORK.items()}
square = functools.partial(numbers, ROWS, ROWS)
CASES["flat_sort_columns_1e7"] = functools.partial(
    beside, lambda m, x: m.sort(x, axis=0), functools.partial(numbers, 10_000, ROWS)
)
CASES |= {
    "flat_matmul_1000": functools.partial(beside, lambda m, x: x @ x, square),
    "flat_matvec_1000": functools.partial(beside, lambda m, x: x @ x[0], square),
    "flat_matmul_100x100x100": functools.partial(
        beside, lambda m, x: x @ x, functools.partial(numbers, 100, 100, 100)
    ),
    "flat_update_mask_1e7": functools.partial(update, lambda x: x > 0),
    "flat_update_places_1e7": functools.partial(update, some),
}
