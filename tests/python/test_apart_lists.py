"""Reducers over lists that do not lie end to end: cut at their ends, chosen, in another order."""

import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak

ROWS = 3000
REDUCERS = ["sum", "prod", "min", "max", "any", "all", "count", "count_nonzero", "argmin", "argmax"]


def numbers(rng, dtype, size):
    if np.dtype(dtype).kind == "c":
        return (rng.integers(-2, 3, size) + 1j * rng.integers(-2, 3, size)).astype(dtype)
    values = rng.integers(0, 2 if dtype == "bool" else 4, size).astype(dtype)
    if np.dtype(dtype).kind == "f":
        values[rng.random(size) < 0.05] = np.nan
    return values


def lists(rng, counts, dtype="float64"):
    """The same lists of Awkward's and ours, behind items and before some that belong to none."""
    offsets = np.concatenate([[0], np.cumsum(counts)])
    theirs = awkward.unflatten(awkward.Array(numbers(rng, dtype, offsets[-1])), counts)
    return theirs, ak.Array(theirs)


SHAPES = {
    "short": lambda rng: rng.poisson(3, ROWS),
    "empty": lambda rng: rng.poisson(0.1, ROWS),
    "tens": lambda rng: rng.poisson(12, ROWS),
    "one": lambda rng: np.array([70000]),
    "skewed": lambda rng: np.where(np.arange(400) % 97 == 5, 9000, rng.poisson(2, 400)),
    "none": lambda rng: np.zeros(50, int),
    "nothing": lambda rng: np.zeros(0, int),
}

CUTS = {
    "[:, 1:]": lambda x, rng: x[:, 1:],
    "[:, :-1]": lambda x, rng: x[:, :-1],
    "[:, 1:-1]": lambda x, rng: x[:, 1:-1],
    "[:, -2:]": lambda x, rng: x[:, -2:],
    "[:, 5:3]": lambda x, rng: x[:, 5:3],
    "[::2]": lambda x, rng: x[::2],
    "[::-1]": lambda x, rng: x[::-1],
    "[::9]": lambda x, rng: x[::9],
    "[mask]": lambda x, rng: x[rng.random(len(x)) < 0.7],
    "[few]": lambda x, rng: x[rng.random(len(x)) < 0.05],
    "[order]": lambda x, rng: x[rng.permutation(len(x))],
    "[mask][:, 1:]": lambda x, rng: x[rng.random(len(x)) < 0.7][:, 1:],
}


def same(got, want):
    assert str(got.type).replace("?", "") == str(want.type).replace("?", "")
    got, want = in_ram(ak.fill_none(got, 99)), awkward.to_numpy(awkward.fill_none(want, 99))
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_reducers(shape, cut):
    rng = np.random.default_rng(3)
    theirs, ours = lists(rng, SHAPES[shape](rng))
    theirs, ours = (CUTS[cut](x, np.random.default_rng(4)) for x in (theirs, ours))
    for reducer in REDUCERS:
        same(getattr(ak, reducer)(ours, axis=-1), getattr(awkward, reducer)(theirs, axis=-1))
    same(ak.sum(ours * ours, axis=-1), awkward.sum(theirs * theirs, axis=-1))
    same(ak.any(ours > 2, axis=-1), awkward.any(theirs > 2, axis=-1))
    same(ak.argmax(-ours, axis=-1), awkward.argmax(-theirs, axis=-1))
    same(ak.sum(ours[ours > 1], axis=-1), awkward.sum(theirs[theirs > 1], axis=-1))
    same(ak.count(ours[ours > 1], axis=-1), awkward.count(theirs[theirs > 1], axis=-1))
    same(
        ak.sum(ours, axis=None) * ak.Array([1]), awkward.sum(theirs, axis=None) * awkward.Array([1])
    )


@pytest.mark.parametrize("cut", ["[:, 1:-1]", "[mask]", "[order]"])
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "uint64", "float32", "complex64", "complex128"]
)
def test_types(dtype, cut):
    rng = np.random.default_rng(5)
    theirs, ours = lists(rng, rng.poisson(4, ROWS), dtype)
    theirs, ours = (CUTS[cut](x, np.random.default_rng(4)) for x in (theirs, ours))
    for reducer in ["sum", "any", "all", "count_nonzero", "max", "argmin"]:
        if dtype.startswith("complex") and reducer in ("max", "argmin"):
            continue
        same(getattr(ak, reducer)(ours, axis=-1), getattr(awkward, reducer)(theirs, axis=-1))


@pytest.mark.parametrize("shape", SHAPES)
def test_what_items_are_computed_with(shape):
    """Numbers of their owners, their own indexes, what is looked up by these."""
    rng = np.random.default_rng(6)
    theirs, ours = lists(rng, SHAPES[shape](rng))
    numbers_of_lists = np.arange(len(theirs)) % 7

    def results(f, x):
        inner = x[:, 1:]
        yield f.sum(inner * numbers_of_lists, axis=-1)
        yield f.sum(inner * f.local_index(inner), axis=-1)
        yield f.max(abs(x[:, 1:] - x[:, :-1]), axis=-1)
        yield f.sum(x[:, 2:] + x[:, 1:-1] * x[:, :-2], axis=-1)
        yield f.sum(x[:, 1:][f.local_index(inner)], axis=-1)
        yield f.sum(inner - f.mean(inner, axis=-1), axis=-1)
        yield f.num(inner[inner == inner])

    for got, want in zip(results(ak, ours), results(awkward, theirs), strict=True):
        same(got, want)


def test_differences_are_stored():
    rng = np.random.default_rng(7)
    theirs, ours = lists(rng, rng.poisson(5, ROWS))
    for cut in CUTS.values():
        a, b = (cut(x, np.random.default_rng(4)) for x in (ours, theirs))
        got, want = a * 2 + 1, b * 2 + 1
        assert ak.num(got).to_list() == awkward.num(want).to_list()
        same(ak.flatten(got), awkward.flatten(want))
    got, want = ours[:, 1:] - ours[:, :-1], theirs[:, 1:] - theirs[:, :-1]
    assert ak.num(got).to_list() == awkward.num(want).to_list()
    same(ak.flatten(got), awkward.flatten(want))


def test_missing_items_and_lists():
    rng = np.random.default_rng(8)
    theirs, _ = lists(rng, rng.poisson(4, ROWS))
    for made in (
        awkward.mask(theirs, theirs > 1),
        awkward.mask(theirs, rng.random(ROWS) < 0.6),
        awkward.mask(awkward.mask(theirs, theirs > 1), rng.random(ROWS) < 0.6),
    ):
        ours = ak.Array(made)
        for cut in ("[:, 1:]", "[::2]", "[mask]", "[order]"):
            a, b = (CUTS[cut](x, np.random.default_rng(4)) for x in (ours, made))
            for reducer in REDUCERS:
                got = ak.fill_none(getattr(ak, reducer)(a, axis=-1), 99)
                want = awkward.fill_none(getattr(awkward, reducer)(b, axis=-1), 99)
                np.testing.assert_allclose(in_ram(got), awkward.to_numpy(want))


def test_lists_without_items_may_be_anywhere():
    """Starts of empty lists point to no memory."""
    starts = np.array([10**12, 1, 10**12, 4, 9, 10**12])
    stops = np.array([10**12, 3, 10**12, 6, 9, 10**12])
    content = np.arange(10.0)
    layout = awkward.contents.ListArray(
        awkward.index.Index64(np.where(starts == stops, 0, starts)),
        awkward.index.Index64(np.where(starts == stops, 0, stops)),
        awkward.contents.NumpyArray(content),
    )
    made = awkward.Array(layout)
    for x in (made, made[::-1], made[[3, 1, 0]]):
        assert ak.sum(ak.Array(x), axis=-1).to_list() == awkward.sum(x, axis=-1).to_list()
        assert ak.sum(ak.Array(x)[:, 1:] ** 2, axis=-1).to_list() == (
            awkward.sum(x[:, 1:] ** 2, axis=-1).to_list()
        )


def test_strings():
    words = ["", "serrate", "a", "longer than a vector of the machine has bytes, and longer", "b"]
    x = ak.Array(words * 300)
    for y in (x[::2], x[::-1], x[ak.Array([True, False, True, True, False] * 300)]):
        assert (y == ak.Array(y.to_list())).to_list() == [True] * len(y)


def test_a_hundred_thousand_skewed_lists():
    rng = np.random.default_rng(9)
    counts = np.minimum((rng.pareto(1.1, 100_000) * 2).astype(int), 200_000)
    theirs, ours = lists(rng, counts, "int64")
    order, mask = rng.permutation(len(counts)), rng.random(len(counts)) < 0.5

    def cuts(x):
        yield from (x[:, 1:], x[:, 1:-1], x[::2], x[order], x[mask], x[:, 1:] - x[:, :-1])

    for a, b in zip(cuts(ours), cuts(theirs), strict=True):
        for reducer in ("sum", "max", "any", "argmax"):
            same(getattr(ak, reducer)(a, axis=-1), getattr(awkward, reducer)(b, axis=-1))


def test_empty_lists_begin_beside_memory():
    """A domain that begins before its memory: lists that start late."""
    rng = np.random.default_rng(10)
    theirs, ours = lists(rng, rng.poisson(3, ROWS))
    for begin in (0, 1, 100, ROWS - 2, ROWS):
        a, b = ours[begin:], theirs[begin:]
        same(ak.sum(a[:, 1:], axis=-1), awkward.sum(b[:, 1:], axis=-1))
        same(ak.sum((a * 2)[:, 1:], axis=-1), awkward.sum((b * 2)[:, 1:], axis=-1))
        same(ak.sum(ak.materialize(a * 2)[::2], axis=-1), awkward.sum((b * 2)[::2], axis=-1))
        same(ak.max(a[::-1] * 2, axis=-1), awkward.max(b[::-1] * 2, axis=-1))
