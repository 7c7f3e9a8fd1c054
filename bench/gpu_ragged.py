"""Reductions, filters, scans, sorts and histograms of about 1e8 items in lists of every shape."""

import functools

import cupy as cp
import data
import numpy as np
from gpu_timing import RATE, looked

import serrate as ak

ITEMS = 100_000_000

SHAPES = {
    "short": lambda: data.short(ITEMS),
    "long": lambda: data.long(ITEMS),
    "pareto": lambda: data.pareto(ITEMS),
    "giant": lambda: data.giant(ITEMS),
    "empty90": lambda: data.mostly_empty(ITEMS),
    "regular": lambda: data.regular(ITEMS),
}

# Bytes that a reduction writes for a list, and the share of the copy rate that is aimed at.
REDUCERS = {
    "sum": (ak.sum, 8, 80),
    "max": (ak.max, 9, 80),
    "argmax": (ak.argmax, 9, 65),
    "mean": (ak.mean, 8, None),
    "any": (ak.any, 1, None),
}


class Shape:
    """Lists on the GPU, with what bounds a walk over them."""

    def __init__(self, offsets):
        self.items, self.lists = int(offsets[-1]), len(offsets) - 1
        self.offsets = offsets
        self.x = np.random.default_rng(9).normal(size=self.items)
        self.array = ak.to_backend(ak.from_awkward(data.awkward_lists(offsets, x=self.x)), "cuda")

    def seconds(self, for_each_item, for_each_list):
        """Of a copy of as many bytes; the offsets are read besides."""
        return (for_each_item * self.items + (8 + for_each_list) * self.lists) / RATE


@functools.lru_cache(maxsize=1)
def shape(name):
    return Shape(SHAPES[name]())


def reduction(where, name):
    reducer, size, percent = REDUCERS[name]
    s = shape(where)
    case = {"ours": looked(lambda: reducer(s.array, axis=-1)), "percent": percent}
    if name in ("sum", "max"):
        got = np.asarray(ak.to_backend(ak.fill_none(reducer(s.array, axis=-1), 0), "cpu"))
        ufunc = np.add if name == "sum" else np.maximum
        filled = np.diff(s.offsets) > 0
        want = np.zeros(s.lists)
        want[filled] = ufunc.reduceat(s.x, s.offsets[:-1][filled])
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)
    return case | {"floor": s.seconds(8, size)}


def fused(where):
    x = shape(where).array
    y = x * 2

    def both():
        z = x * y + 1
        return ak.sum(z[z > 1], axis=-1)

    ak.compute(y)
    return {
        "ours": looked(both),
        "plain": looked(lambda: ak.sum(x * y, axis=-1)),
        "than": "plain",
        "within": 1.15,
    }


def stored_mask(where):
    s = shape(where)
    x = s.array
    got = ak.to_backend(ak.flatten(x[x > 0]), "cpu")
    kept = s.x[s.x > 0]
    np.testing.assert_array_equal(np.asarray(got), kept)
    floor = s.seconds(8, 8) + 8 * len(kept) / RATE
    return {"ours": looked(lambda: x[x > 0]), "floor": floor, "percent": 45}


def cumsum(where):
    s = shape(where)
    return {
        "ours": looked(lambda: ak.cumsum(s.array)),
        "floor": s.seconds(16, 0),
        "percent": 75,
    }


def sort(where, function):
    s = shape(where)
    flat = cp.asarray(s.x)
    return {
        "ours": looked(lambda: function(s.array)),
        "CUB flat sort": lambda: cp.sort(flat),
        "than": "CUB flat sort",
        "within": 1.5,
    }


def outer_axis():
    offsets = data.short()
    x = np.random.default_rng(9).normal(size=offsets[-1])
    a = ak.to_backend(ak.from_awkward(data.awkward_lists(offsets, x=x)), "cuda")
    return {
        "ours": looked(lambda: ak.sum(a, axis=0)),
        "inner": looked(lambda: ak.sum(a, axis=-1)),
        "than": "inner",
        "within": 3,
    }


def histogram():
    x = np.random.default_rng(9).normal(size=ITEMS)
    a, c = ak.to_backend(ak.Array(x), "cuda"), cp.asarray(x)
    return {
        "ours": looked(lambda: ak.histogram(a, 100, -5, 5)),
        "CuPy": lambda: cp.histogram(c, 100, (-5, 5)),
        "aim_us": 400,
    }


CASES = {}
for _where in SHAPES:
    for _name in REDUCERS:
        CASES[f"{_name}_{_where}"] = functools.partial(reduction, _where, _name)
    CASES[f"fused_{_where}"] = functools.partial(fused, _where)
    CASES[f"stored_mask_{_where}"] = functools.partial(stored_mask, _where)
    CASES[f"cumsum_{_where}"] = functools.partial(cumsum, _where)
    CASES[f"sort_{_where}"] = functools.partial(sort, _where, ak.sort)
    CASES[f"argsort_{_where}"] = functools.partial(sort, _where, ak.argsort)
CASES["sum_axis0"] = outer_axis
CASES["histogram_100"] = histogram
