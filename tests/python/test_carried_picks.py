# What an argmin or argmax picks from lists that are nowhere stored: folds may carry it along.
import awkward
import numpy as np
import pytest
from conftest import assert_same

import serrate as ak

SCHEDULES = ["", "lanes", "lanes2", "lanes8", "lanes32", "warps", "binned", "cut", "memory", "many"]
if ak.default_backend() != "cuda":
    SCHEDULES = [""]
RNG = np.random.default_rng(11)


def records(lengths, **also):
    """Lists of records with ties and NaN among their numbers."""
    n = int(lengths.sum())
    x = RNG.integers(-6, 7, n).astype("f4") / 2
    x[RNG.random(n) < 0.15] = np.nan
    fields = {
        "x": x,
        "y": RNG.normal(size=n),
        "i": RNG.integers(-100, 100, n).astype("i2"),
        "flag": RNG.random(n) < 0.5,
        "z": RNG.normal(size=n) + 1j * RNG.normal(size=n),
        **{k: f(n) for k, f in also.items()},
    }
    return awkward.unflatten(awkward.zip(fields), lengths)


LENGTHS = {
    "short": RNG.integers(0, 6, 400),
    "one giant": np.array([2, 0, 70, 1, 0, 5]),
    "mostly empty": np.where(RNG.random(500) < 0.9, 0, RNG.integers(1, 12, 500)),
    "none": np.zeros(7, int),
    "regular": np.full(100, 4),
}
ARRAYS = {name: records(n) for name, n in LENGTHS.items()}


def best(lib, x, key, name="argmin"):
    return x[getattr(lib, name)(key, axis=-1, keepdims=True)]


def tuples(lib, x, k):
    return lib.unzip(lib.combinations(x, k, axis=x.i.ndim - 1))


def of_filter(lib, x):
    some = x[x.y > -0.5]
    return lib.firsts(best(lib, some, abs(some.x - 1)).y, axis=-1)


def of_pairs(lib, x):
    a, b = tuples(lib, x, 2)
    return lib.firsts(best(lib, a.y - b.y, abs(a.x - b.x)), axis=-1)


def of_some_pairs(lib, x):
    a, b = tuples(lib, x[x.y > -1], 2)
    pairs = lib.zip({"m": a.x + b.x, "p": a.y * b.y, "both": a.flag & b.flag})
    pairs = pairs[a.i + b.i > -20]
    return lib.firsts(best(lib, pairs, abs(pairs.m - 1)), axis=-1)


def of_triples(lib, x):
    a, b, c = tuples(lib, x, 3)
    at = lib.argmax(a.x * b.x + c.x, axis=-1, keepdims=True)
    sums, flags = a.i + b.i + c.i, a.flag | b.flag | c.flag
    return lib.zip([lib.firsts(v[at], axis=-1) for v in (sums, flags, a.z * c.z, b.x)])


def of_products(lib, x):
    a, b = lib.unzip(lib.cartesian([x, x[x.flag]]))
    return lib.firsts(best(lib, b.i - a.i, a.x - b.x, "argmax"), axis=-1)


def of_nested_products(lib, x):
    a, b = lib.unzip(lib.cartesian([x, x[x.flag]], nested=True))
    near = lib.argmin(abs(a.x - b.x), axis=-1, keepdims=True)
    return lib.sum(lib.fill_none(lib.firsts(b.y[near], axis=-1), 7), axis=-1)


def of_missing(lib, x):
    a, b = tuples(lib, x, 2)
    key = lib.mask(a.x + b.x, a.i > b.i - 50)
    return lib.firsts(best(lib, lib.mask(a.y + b.y, b.flag), key), axis=-1)


def both_ends(lib, x):
    a, b = tuples(lib, x, 2)
    key = a.i * 3 - b.i
    ends = [best(lib, b.x, key, f) for f in ("argmin", "argmax")]
    return lib.zip([lib.firsts(v, axis=-1) for v in ends] + [lib.argmin(key, axis=-1)])


def of_items_beside_it(lib, x):
    """What is picked needs a walk of its own."""
    a, b = tuples(lib, x, 2)
    y = a.y + b.y
    return lib.firsts(best(lib, y - lib.mean(y, axis=-1), a.i - b.i), axis=-1)


def then_used(lib, x):
    some = x[x.flag]
    top = lib.firsts(best(lib, some.y, some.i, "argmax"), axis=-1)
    return lib.sum(x.y > lib.fill_none(top, 0), axis=-1)


def of_bounds(lib, x):
    """The pair's own list is looked at."""
    few = lib.zip({"i": x.i, "l": lib.local_index(x.i, axis=-1)})
    some = few[few.i > 0]
    return x.i[lib.fill_none(lib.firsts(best(lib, some.l, some.i, "argmin"), axis=-1), 0) < 2]


CASES = [
    of_filter,
    of_pairs,
    of_some_pairs,
    of_triples,
    of_products,
    of_nested_products,
    of_missing,
    both_ends,
    of_items_beside_it,
    then_used,
    of_bounds,
]


@pytest.mark.parametrize("case", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", list(LENGTHS))
def test_picks_of_extremes(case, name):
    x = ARRAYS[name]
    if case is of_triples and name == "one giant":
        x = x[:2]
    with np.errstate(all="ignore"):
        assert_same(case(ak, ak.Array(x)), case(awkward, x), rtol=1e-6, types=False)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("case", CASES, ids=lambda f: f.__name__)
def test_picks_in_every_schedule(case, schedule, monkeypatch):
    monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", schedule)
    x = ARRAYS["short"][:150]
    assert_same(case(ak, ak.Array(x)), case(awkward, x), rtol=1e-6, types=False)


TYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16", "M8[s]", "m8[ms]"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("schedule", ["", "lanes", "lanes8", "warps"])
def test_values_of_every_type(dtype, schedule, monkeypatch):
    if ak.default_backend() == "cuda":
        monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", schedule)
    x = ARRAYS["short"][:60]
    values = (RNG.integers(0, 100, int(awkward.count(x.i))) % 90).astype(dtype)
    lists = awkward.unflatten(values, awkward.num(x))

    def picked(lib, lists, x):
        a, b = lib.unzip(lib.combinations(lists, 2))
        c, d = lib.unzip(lib.combinations(x.i, 2))
        at = lib.argmax(c - d, axis=-1, keepdims=True)
        some = x.i > 0
        filtered = best(lib, lists[some], x.i[some])
        return lib.firsts(a[at]), lib.firsts(b[at]), lib.firsts(filtered)

    got, want = picked(ak, ak.Array(lists), ak.Array(x)), picked(awkward, lists, x)
    for ours, theirs in zip(got, want, strict=True):
        assert_same(ours, theirs)


def test_picked_lists_strings_and_records():
    words = awkward.Array([["a", "bc", "", "def"], [], ["x", "yz"]])
    key = awkward.Array([[3, 1, 1, 2], [], [5, 4]])
    inner = awkward.Array([[[1, 2], [], [3], [4, 5, 6]], [], [[7], [8, 9]]])
    x = awkward.zip({"word": words, "key": key, "inner": inner}, depth_limit=2)

    def picked(lib, x):
        some = x[x.key < 5]
        for name in ("argmin", "argmax"):
            one = lib.firsts(best(lib, some, some.key, name))
            yield from (one.word, one.inner, one.key, lib.sum(one.inner, axis=-1), one)

    for got, want in zip(picked(ak, ak.Array(x)), picked(awkward, x), strict=True):
        assert_same(got, want, types=False)


def test_of_deeper_lists():
    x = ARRAYS["short"][:120]
    deep = awkward.unflatten(x, np.full(40, 3))
    for case in (of_filter, of_pairs, of_some_pairs, of_missing, both_ends, then_used):
        assert_same(case(ak, ak.Array(deep)), case(awkward, deep), rtol=1e-6, types=False)


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@pytest.mark.parametrize("first", [np.nan, 1.0])
def test_a_nan_in_front_stays(name, first):
    x = awkward.Array([[first, 2.0, np.nan, 0.5], [np.nan], [], [3.0, np.nan, 3.0]])
    tags = awkward.local_index(x) * 10

    def picked(lib, x, tags):
        some = tags >= 0
        return lib.firsts(best(lib, tags[some], x[some], name), axis=-1)

    assert_same(picked(ak, ak.Array(x), ak.Array(tags)), picked(awkward, x, tags))


def test_the_first_of_equals():
    x = ak.Array([[1, 1, 1, 0, 0], [2, 2]])
    tags = ak.Array([[1, 2, 3, 4, 5], [6, 7]])
    for name, want in (("argmin", [4, 6]), ("argmax", [1, 6])):
        some = tags > 0
        assert ak.firsts(best(ak, tags[some], x[some], name)).to_list() == want


def test_many_skewed_lists():
    lengths = np.minimum(RNG.pareto(1.2, 100_000) * 1.5, 300).astype(int)
    n = int(lengths.sum())
    x, y = RNG.random(n).astype("f4"), RNG.integers(0, 1 << 30, n)
    keep = y % 3 > 0
    lists = ak.unflatten(ak.zip({"x": x, "y": y, "keep": keep}), lengths)
    some = lists[lists.keep]
    picked = ak.fill_none(ak.firsts(best(ak, some.y, some.x)), -1)
    got = ak.to_numpy(ak.to_backend(picked, "cpu"))
    # The first item of each list by x, by NumPy.
    owner = np.repeat(np.arange(len(lengths)), lengths)[keep]
    order = np.lexsort((x[keep], owner))
    first = np.unique(owner[order], return_index=True)
    want = np.full(len(lengths), -1)
    want[first[0]] = y[keep][order][first[1]]
    np.testing.assert_array_equal(got, want)


def test_many_picks_of_one_index():
    x = ak.Array(ARRAYS["short"])
    a, b = ak.unzip(ak.combinations(x, 2))
    at = ak.argmax(a.i - b.i, axis=-1, keepdims=True)
    firsts = [ak.firsts((a.y * k + b.y)[at], axis=-1) for k in range(12)]
    for k, got in enumerate(ak.to_list(ak.zip(firsts))):
        want = ak.to_list(firsts[0])[k]
        assert (got is None) == (want is None) or want is None
    for k in (1, 7):
        fresh = ak.firsts((a.y * k + b.y)[at], axis=-1)
        assert_same(ak.zip(firsts)[str(k)], awkward.Array(ak.to_list(fresh)), types=False)
