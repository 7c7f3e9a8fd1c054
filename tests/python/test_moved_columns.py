"""Columns of an outer axis of many lists of very different lengths, beside a loop over the columns:
items are moved to their columns and back."""

import os

import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak

ON_GPU = os.environ.get("SERRATE_BACKEND", "cpu") != "cpu"
RNG = np.random.default_rng(29)
ROWS = 1_000 if ON_GPU else 100_000
CUMULATIVE = {"cumsum": np.cumsum, "cummax": np.maximum.accumulate, "sort": np.sort}


def counts_of(n):
    counts = np.minimum(RNG.pareto(1.2, n) * 2, 200).astype(int)
    counts[: n // 10] = 0
    counts[n // 2] = 300
    return counts


def places(counts):
    """Of each item: its index in its list."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def by_column(values, column, f):
    out = np.empty_like(values)
    for c in np.unique(column):
        of = column == c
        out[of] = f(values[of])
    return out


COUNTS = counts_of(ROWS)
VALUES = RNG.integers(-50, 50, COUNTS.sum())
TYPES = ["int8", "int16", "float32", "float64", "int64"]


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("name", CUMULATIVE)
def test_back_where_they_were(name, t):
    values = VALUES.astype(t)
    x = ak.unflatten(ak.Array(values), ak.Array(COUNTS))
    got = getattr(ak, name)(x, axis=0)
    as_ours = values.astype("int64") if name == "cumsum" and t in ("int8", "int16") else values
    if name == "cumsum" and t == "float32":  # exact all the same: integers
        as_ours = values
    expected = by_column(as_ours, places(COUNTS), CUMULATIVE[name])
    assert np.array_equal(in_ram(ak.flatten(got)), expected)
    assert np.array_equal(in_ram(ak.num(got)), COUNTS)


def test_rows_of_places():
    x = ak.unflatten(ak.Array(VALUES), ak.Array(COUNTS))
    row, column = np.repeat(np.arange(ROWS), COUNTS), places(COUNTS)
    expected = np.empty_like(VALUES)
    for c in np.unique(column):
        of = column == c
        expected[of] = row[of][np.argsort(VALUES[of], kind="stable")]
    assert np.array_equal(in_ram(ak.flatten(ak.argsort(x, axis=0))), expected)


def test_missing_items_are_in_no_column():
    there = RNG.random(len(VALUES)) > 0.3
    x = ak.unflatten(ak.mask(ak.Array(VALUES), ak.Array(there)), ak.Array(COUNTS))
    got = ak.flatten(ak.cumsum(x, axis=0))
    expected = np.zeros_like(VALUES)
    expected[there] = by_column(VALUES[there], places(COUNTS)[there], np.cumsum)
    assert np.array_equal(in_ram(ak.is_none(got)), ~there)
    assert np.array_equal(in_ram(ak.fill_none(got, 0)), expected)


def test_columns_of_lists_of_lists():
    outer = counts_of(ROWS // 3)
    outer[-1] += len(COUNTS)
    outer = outer[: np.searchsorted(np.cumsum(outer), len(COUNTS), "right")]
    outer = np.append(outer, len(COUNTS) - outer.sum())
    x = ak.unflatten(ak.unflatten(ak.Array(VALUES), ak.Array(COUNTS)), ak.Array(outer))
    list_in_row, item = places(outer), places(COUNTS)
    column = np.repeat(list_in_row, COUNTS) * 1000 + item
    got = ak.flatten(ak.cumsum(x, axis=0), axis=None)
    assert np.array_equal(in_ram(got), by_column(VALUES, column, np.cumsum))
    rows = np.repeat(np.repeat(np.arange(len(outer)), outer), COUNTS)
    column = rows * 1000 + item
    order = np.argsort(column, kind="stable")
    expected = np.empty_like(VALUES)
    sums = np.cumsum(VALUES[order])
    first = np.flatnonzero(np.r_[True, np.diff(column[order]) != 0])
    before = np.repeat(np.r_[0, sums][first], np.diff(np.r_[first, len(order)]))
    expected[order] = sums - before
    assert np.array_equal(in_ram(ak.flatten(ak.cumsum(x, axis=1), axis=None)), expected)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_few_lists(n):
    x = awkward.Array([[3, 1, 2], [], [0, 5], [9], [1, 1, 1, 1]][:n])
    x = awkward.values_astype(x, "int64") if n else awkward.Array([[1]])[:0]
    for name in ("sort", "argsort"):
        ours = getattr(ak, name)(ak.Array(x), axis=0)
        assert ours.to_list() == getattr(awkward, name)(x, axis=0).to_list()
    assert ak.median(ak.Array(x), axis=0).to_list() == [
        float(np.median([one[c] for one in x.to_list() if len(one) > c]))
        for c in range(max(map(len, x.to_list()), default=0))
    ]


def lists_of_shape(shape):
    """Counts of the lists of each owner and of the items of each list: what is moved some columns
    at a time."""
    fewer = 50 if ON_GPU or "SERRATE_SEAMS" in os.environ else 1
    if shape == "few long lists":
        lengths = np.array([18_000, 450, 20_050, 0, 16_000, 16_000, 350])
        return np.array([3, 0, 4]), lengths // fewer
    if shape == "one owner of long lists":
        lists = 2_000 // fewer
        return np.array([lists]), RNG.poisson(60, lists)
    owners = 7_000 // fewer
    lists = RNG.poisson(3, owners)
    return lists, RNG.poisson(4, lists.sum())


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("shape", ["few long lists", "one owner of long lists", "many owners"])
def test_some_columns_at_a_time(shape, missing):
    lists, items = lists_of_shape(shape)
    values = RNG.integers(-500, 500, items.sum()) / 8
    there = RNG.random(len(values)) > 0.2 if missing else np.ones(len(values), bool)
    leaf = ak.mask(ak.Array(values), ak.Array(there)) if missing else ak.Array(values)
    x = ak.unflatten(ak.unflatten(leaf, ak.Array(items)), ak.Array(lists))
    owner = np.repeat(np.repeat(np.arange(len(lists)), lists), items)
    row = np.repeat(np.concatenate([np.arange(n) for n in lists]), items)
    # Column by column, in the order of the lists.
    order = np.lexsort((row, places(items), owner))
    begins = np.flatnonzero(np.diff(owner[order] * 2**32 + places(items)[order], prepend=-1))
    pieces = [piece[there[piece]] for piece in np.split(order, begins)[1:]]

    def each(name, f):
        got = getattr(ak, name)(x, axis=1)
        got = in_ram(ak.ravel(ak.fill_none(got, 0)))
        for piece in pieces:
            assert np.array_equal(got[piece], f(values[piece])), name

    each("cumsum", np.cumsum)
    each("cummin", np.minimum.accumulate)
    if not missing:
        each("sort", np.sort)
        got = in_ram(ak.ravel(ak.argsort(x, axis=1)))
        for piece in pieces:
            assert np.array_equal(got[piece], row[piece][np.argsort(values[piece], kind="stable")])
    results = {"median": np.median, "prod": lambda v: np.prod(1 + v / 1e6)}
    if not missing:
        results["is_unique"] = lambda v: len(np.unique(v)) == len(v)
    for name, f in results.items():
        of = 1 + x / 1e6 if name == "prod" else x
        got = in_ram(ak.ravel(ak.fill_none(getattr(ak, name)(of, axis=1), 0)))
        nothing = np.nan if name == "median" else 1
        expected = [f(values[piece]) if len(piece) else nothing for piece in pieces]
        np.testing.assert_allclose(got, expected, rtol=1e-12, err_msg=name)
