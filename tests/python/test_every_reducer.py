# Every reducer, statistic and sort x type of items x nesting x axis x options, beside Awkward.
import math
import os

import awkward
import numpy as np
import pytest
from conftest import assert_same_values, both
from nestings import DTYPES, STRUCTURED, TIMES, along, in_place, nestings

import serrate as ak

REDUCERS = ["sum", "prod", "any", "all", "count", "count_nonzero", "min", "max"]
POSITIONS = ["argmin", "argmax"]
STATISTICS = ["mean", "var", "std", "ptp"]
NAN = ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"]
NAN += ["nanargmin", "nanargmax"]
FLOATS = nestings()
# On a GPU each call is a kernel of its own to be compiled: some of them.
ALL = os.environ.get("SERRATE_BACKEND", "cpu") == "cpu"


def some_of(calls):
    return calls if ALL else list(calls)[:: len(calls) // 5 or 1]


def axes_of(name, x):
    """Positions along an outer axis are not Awkward's: see test_positions_along_outer_axes."""
    return [None, -1] if "arg" in name else [None, 0, 1, 2, -1, -2]


def compare(name, x, rtol=1e-6, types=True, **options):
    both(lambda ak, x: getattr(ak, name)(x, **options), x, rtol=rtol, types=types)


@pytest.mark.parametrize("name", REDUCERS + POSITIONS + STATISTICS + NAN)
def test_nestings_and_axes(name):
    few = ("flat", "opt var opt", "var var", "numpy") if name in NAN else FLOATS
    calls = [(n, axis) for n in few for axis in axes_of(name, FLOATS[n])]
    for nesting, axis in some_of(calls):
        compare(name, FLOATS[nesting], axis=axis)


@pytest.mark.parametrize("dtype", DTYPES + TIMES)
@pytest.mark.parametrize("group", [REDUCERS + POSITIONS, STATISTICS], ids=["reducers", "stats"])
def test_types(group, dtype):
    times, empty = dtype in TIMES, ("no lists", "no items", "none flat", "all missing")
    arrays = nestings(dtype)
    names = ["opt var opt", "all missing", *(["var var", "none flat"] if len(group) > 4 else [])]
    for name in some_of([n for n in group if not (times and n in STATISTICS)]):
        for nesting in names if ALL else names[:1]:
            if times and nesting in empty:
                continue  # Awkward fails, or gives float64
            for axis in axes_of(name, arrays[nesting]):
                if np.dtype(dtype).kind == "c" and name == "std" and axis is not None:
                    continue  # rounded below zero in Awkward
                compare(name, arrays[nesting], rtol=1e-3 if dtype == "float16" else 1e-5, axis=axis)


@pytest.mark.parametrize("name", REDUCERS + POSITIONS + STATISTICS)
def test_options(name):
    calls = [
        (nesting, axis, keepdims, mask)
        for nesting in ("opt var opt", "no items", "numpy")
        for axis in axes_of(name, FLOATS[nesting])
        for keepdims in (False, True)
        for mask in (False, True)
    ]
    for nesting, axis, keepdims, mask in some_of(calls):
        compare(name, FLOATS[nesting], axis=axis, keepdims=keepdims, mask_identity=mask)


@pytest.mark.parametrize("name", REDUCERS + ["mean", "var", "ptp", "sort", "softmax"])
@pytest.mark.parametrize("nesting", STRUCTURED)
def test_structured(name, nesting):
    for axis in (-1,) if name in ("softmax", "sort") else (None, 0, -1):
        compare(name, awkward.Array(STRUCTURED[nesting]), axis=axis)


@pytest.mark.parametrize("name", ["mean", "var", "std", "moment", "covar", "corr", "linear_fit"])
@pytest.mark.parametrize("nesting", ["var", "var opt", "regular", "var var", "numpy"])
def test_weights(name, nesting):
    x, options = FLOATS[nesting], {"moment": {"n": 3}, "var": {"ddof": 1}, "std": {"ddof": 1}}

    def call(ak, x, weight, axis):
        two = [x * x + 1] if name in ("covar", "corr", "linear_fit") else []
        w = abs(x) + 0.5 if weight else None
        return getattr(ak, name)(x, *two, weight=w, axis=axis, **options.get(name, {}))

    for axis in some_of((None, 0, -1, -2)):
        for weight in (False, True):
            both(lambda ak, x, w=weight, a=axis: call(ak, x, w, a), x, rtol=1e-6)


# Lists of Python don't tell their type, nor the size of regular lists in an empty one.
UNKNOWN_TO_PYTHON = ("no lists", "no items", "none flat", "all missing", "var regular")


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_along_outer_axes(name):
    best = {"argmin": min, "argmax": max}[name]

    def position(rows):
        rows = [(v, i) for i, v in rows if v is not None]
        extreme = best((v for v, _ in rows), default=None)
        return next((i for v, i in rows if v == extreme), None)

    names = [n for n, x in FLOATS.items() if x.ndim > 1 and n not in UNKNOWN_TO_PYTHON]
    for nesting in some_of(names):
        x = FLOATS[nesting]
        for axis in range(x.ndim - 1):
            assert_same_values(
                getattr(ak, name)(ak.from_awkward(x), axis=axis), along(x.to_list(), axis, position)
            )


REGULAR = ["regular", "regular opt", "opt regular", "numpy", "regular var", "var regular"]


@pytest.mark.parametrize("ascending", [True, False], ids=["up", "down"])
@pytest.mark.parametrize("dtype", ["float64", "bool", "int8", "uint64", "float32", TIMES[0]])
def test_sort(dtype, ascending):
    arrays = nestings(dtype)
    for nesting in some_of([n for n in arrays if n != "opt var opt var opt"]):
        x = arrays[nesting]
        for axis in range(-min(x.ndim, 2), x.ndim):
            # Awkward forgets that lists were regular.
            types = nesting not in REGULAR
            compare("sort", x, types=types, axis=axis, ascending=ascending)
            if axis in (-1, x.ndim - 1):
                compare("argsort", x, types=types, axis=axis, ascending=ascending)


def sets_of(rows):
    """Distinct values in order, where each stands first, how many there are of each."""
    first, count = {}, {}
    for i, v in rows:
        first.setdefault(v, i)
        count[v] = count.get(v, 0) + 1
    order = sorted(first, key=lambda v: (v is None, v or 0))
    return order, [first[v] for v in order], [count[v] for v in order]


def runs_of(rows):
    lengths, before = [], math.nan
    for _, v in rows:
        if v == before:
            lengths[-1] += 1
        else:
            lengths.append(1)
        before = v
    return lengths


def groups_of(rows):
    """The number of the value of each item."""
    values = sets_of(rows)[0]
    return {i: values.index(v) for i, v in rows}


@pytest.mark.parametrize("dtype", ["float64", "int8", "bool"])
def test_sets_along_every_axis(dtype):
    arrays = nestings(dtype)
    names = [n for n in arrays if n not in UNKNOWN_TO_PYTHON]
    for nesting in some_of(names):
        x, ours = arrays[nesting].to_list(), ak.from_awkward(arrays[nesting])
        for axis in range(ours.ndim):
            values, first, inverse, counts = ak.unique(
                ours, axis=axis, return_index=True, return_inverse=True, return_counts=True
            )
            for k, part in enumerate((values, first, counts)):
                assert_same_values(part, along(x, axis, lambda rows, k=k: sets_of(rows)[k]))
            assert_same_values(inverse, in_place(x, axis, groups_of))
            assert_same_values(
                ak.is_unique(ours, axis=axis),
                along(x, axis, lambda rows: len(sets_of(rows)[0]) == len(rows)),
            )
            assert_same_values(ak.value_counts(ours, axis=axis)["count"], counts.to_list())
            assert_same_values(ak.run_lengths(ours, axis=axis), along(x, axis, runs_of))
