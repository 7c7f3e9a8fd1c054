# Places in one sorted array, of stored numbers of all types and wherever they are, beside NumPy.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(6)
TYPES = ["bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]


def numbers(n, dtype):
    if dtype[0] == "f":
        values = (RNG.normal(size=n) * 40).round().astype(dtype)
        values[RNG.random(n) < 0.05] = np.nan
        values[RNG.random(n) < 0.02] = np.inf
        return values
    return RNG.integers(0, 2 if dtype == "bool" else 100, n).astype(dtype)


@pytest.mark.parametrize("items", TYPES)
@pytest.mark.parametrize("table", TYPES)
def test_all_types(table, items):
    if {table, items} == {"i8", "u8"}:
        return  # compared as float64 by NumPy
    for size, n in ((0, 3), (1, 20), (70, 1023), (70, 1025)):
        edges, x = np.sort(numbers(size, table), kind="stable"), numbers(n, items)
        for side in ("left", "right"):
            got = in_ram(ak.searchsorted(ak.Array(edges), ak.Array(x), side))
            np.testing.assert_array_equal(got, np.searchsorted(edges, x, side))


@pytest.mark.parametrize("items", ["c8", "c16", "f4", "f8"])
@pytest.mark.parametrize("table", ["c8", "c16", "f4", "f8", "i2"])
def test_complex_numbers(table, items):
    def parts(n, t):
        x = RNG.choice([0.0, -0.0, 1.5, -3.0, 7.0, np.inf, -np.inf], n)
        return x if t[0] == "f" else np.clip(x, -50, 50)

    for size, n in ((0, 3), (1, 20), (70, 1025), (5_000, 5_000)):
        edges, x = parts(size, table).astype(table), parts(n, items).astype(items)
        for values in (edges, x):
            if values.dtype.kind == "c":
                values.imag = RNG.choice([0.0, -0.0, 1.0, 2.0, np.inf], len(values))
                values.real += np.where(RNG.random(len(values)) < 0.5, 0, 0.25)
        edges.sort()
        for side in ("left", "right"):
            got = in_ram(ak.searchsorted(ak.Array(edges), ak.Array(x), side))
            np.testing.assert_array_equal(got, np.searchsorted(edges, x, side))


@pytest.mark.parametrize("side", ["left", "right"])
def test_lists_and_parts_of_arrays(side):
    edges = np.sort(RNG.normal(size=1000))
    counts = RNG.poisson(3, 100_000)
    counts[7] = 50_000
    values = RNG.normal(size=counts.sum())
    x = ak.unflatten(ak.Array(values), ak.Array(counts))
    ends = np.cumsum(counts)
    want = np.searchsorted(edges, values, side)
    got = ak.searchsorted(ak.Array(edges), x, side)
    np.testing.assert_array_equal(in_ram(ak.flatten(got)), want)
    assert ak.array_equal(ak.num(got), ak.num(x))
    part = ak.searchsorted(ak.Array(edges)[100:900], x[500:70_000], side)
    np.testing.assert_array_equal(
        in_ram(ak.flatten(part)),
        np.searchsorted(edges[100:900], values[ends[499] : ends[69_999]], side),
    )
    masked = ak.searchsorted(ak.Array(edges), ak.mask(x, x > 0), side)
    np.testing.assert_array_equal(
        in_ram(ak.flatten(ak.fill_none(masked, -1, axis=-1))), np.where(values > 0, want, -1)
    )
    strided = ak.searchsorted(ak.Array(edges[::2]), ak.Array(values)[::-3] * 2, side)
    np.testing.assert_array_equal(
        in_ram(strided), np.searchsorted(edges[::2], values[::-3] * 2, side)
    )


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2"])
def test_small_types_are_looked_up(dtype):
    info = np.iinfo(dtype) if dtype != "?" else None
    for n in (1023, 1024, 4 << 16, (4 << 16) - 1):
        x = (
            RNG.random(n) < 0.5
            if info is None
            else RNG.integers(info.min, info.max, n).astype(dtype)
        )
        edges = np.sort(RNG.integers(-40_000, 70_000, 333))
        got = ak.searchsorted(ak.Array(edges), ak.Array(x))
        np.testing.assert_array_equal(in_ram(got), np.searchsorted(edges, x))


def test_what_is_looked_for_later_is_another():
    edges = np.arange(5.0)
    find = ak.compile(lambda x: ak.searchsorted(edges, x) + 1)
    for k in range(4):
        x = np.arange(5.0) + k
        np.testing.assert_array_equal(in_ram(find(ak.Array(x))), np.searchsorted(edges, x) + 1)
