"""What follows filters, slices and pairs, as of the same arrays stored before.

Of arrays that are large enough sorts and scans go on with stored lists, and concatenate and
searchsorted store what they are given.
"""

import os

import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, assert_as_of_stored, host, some

import serrate as ak

RNG = np.random.default_rng(11)
ROWS = 200 if KERNELS_ARE_SLOW else 6000


def skewed(rows=ROWS):
    counts = np.minimum(RNG.pareto(1.1, rows) * 1.5, 300).astype("int64")
    counts[rows // 2] = 0 if KERNELS_ARE_SLOW else 5000
    items = RNG.integers(-9, 9, counts.sum()) / 4
    items[RNG.random(len(items)) < 0.05] = np.nan
    return ak.unflatten(ak.from_numpy(items), ak.from_numpy(counts))


def deep():
    inner = skewed()
    counts = RNG.multinomial(len(inner), np.ones(ROWS // 2) / (ROWS // 2))
    return ak.unflatten(inner, ak.from_numpy(counts))


X, Z = ak.materialize(skewed()), ak.materialize(deep())
SOME = ak.materialize(ak.mask(X, X > -1))
# Lists of regular lists of numbers and of lists.
COUNTS = RNG.integers(0, 4, ROWS)
PAIRS = ak.unflatten(ak.from_numpy(RNG.integers(-9, 9, (COUNTS.sum(), 2)) / 4), COUNTS)
TWO_LISTS = ak.unflatten(
    ak.to_regular(ak.unflatten(X, 2)), RNG.multinomial(ROWS // 2, [1 / ROWS] * ROWS)
)
DERIVED = {
    "computed": lambda: X * 2 + 1,
    "rows": lambda: X[ak.num(X) > 1],
    "items": lambda: X[X > 0],
    "items of rows": lambda: X[ak.num(X) > 1][X[ak.num(X) > 1] > 0],
    "slices": lambda: X[:, 1:],
    "backwards": lambda: X[::-1, ::-1],
    "masked": lambda: ak.mask(X, X > 0),
    "masked rows": lambda: ak.mask(X, ak.num(X) > 1),
    "filled up": lambda: ak.fill_none(ak.pad_none(X, 2), 7),
    "not missing": lambda: ak.drop_none(SOME),
    "pairs": lambda: np.subtract(*ak.unzip(ak.combinations(X[:, :4], 2))),
    "products": lambda: np.add(*ak.unzip(ak.cartesian([X[:, :3], X[:, :2]]))),
    "rows of lists": lambda: Z[ak.num(Z) > 1],
    "lists of rows": lambda: Z[ak.num(Z, axis=2) > 1],
    "items of lists": lambda: Z[Z > 0],
    "rows of regular": lambda: PAIRS[ak.num(PAIRS) > 1],
    "rows of two lists": lambda: TWO_LISTS[ak.num(TWO_LISTS) > 0],
    "lists of two lists": lambda: TWO_LISTS[ak.any(ak.num(TWO_LISTS, axis=3) > 1, axis=-1)],
    "joined": lambda: ak.flatten(Z[Z > 0], axis=1),
    "in order": lambda: X[ak.argsort(X, axis=-1)],
    "by another": lambda: X[X > 0] * ak.sum(X, axis=-1),
}
FOLLOWING = {
    "sort": lambda d: ak.sort(d, axis=-1),
    "argsort": lambda d: ak.argsort(d, axis=-1, ascending=False),
    "picked": lambda d: d[ak.argsort(d, axis=-1)],
    "scan": lambda d: ak.cummax(d, axis=-1),
    "scan of all": lambda d: ak.cummax(d, axis=None),
    "rank": lambda d: ak.rank(d, axis=-1),
    "rank of all": lambda d: ak.rank(d, axis=None),
    "unique": lambda d: ak.unique(d, axis=-1),
    "median": lambda d: ak.median(d, axis=-1),
    "masked": lambda d: ak.mask(ak.cummax(d, axis=-1), ak.cummax(d, axis=-1) > 0),
    "beside": lambda d: ak.zip({"d": d, "sorted": ak.sort(d, axis=-1)}),
    "places": lambda d: ak.sort(d, axis=-1)[ak.local_index(d, axis=-1) > 1],
    "two": lambda d: ak.sort(d, axis=-1) - ak.cummax(d, axis=-1),
    "around": lambda d: ak.sort(d, axis=0),
    "joined": lambda d: ak.concatenate([d, d], axis=0),
    "lists joined": lambda d: ak.concatenate([d, d * 2], axis=1),
    "looked for": lambda d: ak.searchsorted(ak.from_numpy(np.arange(-4.0, 4.0)), d),
    "flat": lambda d: ak.flatten(d * 2 + 1, axis=1),
    "runs": lambda d: ak.run_lengths(d),
    "softmax": lambda d: np.round(ak.softmax(d, axis=-1), 9),  # sums in another order
    "members": lambda d: ak.isin(d, [0.25, 1.0, -2.0]),
    "largest": lambda d: d[ak.argmax(d, axis=-1, keepdims=True)],
    "largest beside": lambda d: ak.zip(
        {"d": d, "first": ak.firsts(d[ak.argsort(d, axis=-1)], axis=-1)}
    ),
    "topk": lambda d: ak.topk(d, 2, axis=-1),
    "how many": lambda d: ak.sort(d, axis=-1) * ak.num(d, axis=-1),
}


@pytest.mark.parametrize("following", some(FOLLOWING, 4))
@pytest.mark.parametrize("derived", some(DERIVED, 4))
def test_as_of_stored_ones(derived, following):
    assert_as_of_stored(DERIVED[derived], FOLLOWING[following])


def test_two_kinds_of_lists_of_the_same_rows():
    other = ak.unflatten(np.arange(3.0 * ROWS)[::-1] % 7, 3)
    both = ak.zip({"a": X, "b": ak.from_regular(other)}, depth_limit=1)
    few = both[ak.num(X) > 1]
    stored = ak.materialize(few)
    for make in (
        lambda r: ak.zip({"a": ak.sort(r.a), "b": ak.sort(r.b)}, depth_limit=1),
        lambda r: ak.max(ak.cummax(r.a, axis=-1), axis=-1) - ak.max(ak.sort(r.b), axis=-1),
        lambda r: ak.zip({"a": ak.sort(r.a), "b": r.b, "c": ak.sort(r.b)}, depth_limit=1),
    ):
        now, before = host(make(few)), host(make(stored))
        assert str(ak.type(now)) == str(ak.type(before))
        assert ak.array_equal(now, before, equal_nan=True)


# Of large expressions, as nearly all are there, no plans are kept, and nobody asks what they read.
as_it_is = pytest.mark.skipif("SERRATE_SEAMS" in os.environ, reason="other sizes")


@as_it_is
def test_derived_lists_are_not_made_again(new_arrays_on_the_cpu):
    x = ak.unflatten(np.arange(30_000.0), 3)
    text = str(ak.explain(ak.cumsum(x[ak.num(x) > 1], axis=-1)))
    assert text.count("if ") == 1
    assert "is stored already" not in text


@as_it_is
@pytest.mark.parametrize("axis", [0, 1])
def test_copies_of_stored_ones_are_told(axis, new_arrays_on_the_cpu):
    x = ak.from_regular(ak.unflatten(np.arange(30_000.0), 3))
    y = ak.concatenate([x * 2, x[x > 5]] if axis == 0 else [x * 2, x + 1], axis=axis)
    assert "copies of what is stored" in str(ak.explain(y + 1))


def test_what_repeats_little_is_not_stored(new_arrays_on_the_cpu):
    """1e8 pairs of 80 kB."""
    x = ak.unflatten(np.arange(10_000.0), [10_000])
    a, b = ak.unzip(ak.cartesian([x, x]))
    y = ak.concatenate([a + b, a - b], axis=0)
    assert "copies of what is stored" not in str(ak.explain(y))
    assert (y[0, 1], y[1, 1]) == (1, -1)


@pytest.mark.parametrize("t", ["i32", "u32", "i64"])
@pytest.mark.parametrize("axis", [0, 1])
def test_any_offsets(t, axis):
    """Lists of files and of Arrow have 32-bit offsets; they begin anywhere."""
    kind = {"i32": "int32", "u32": "uint32", "i64": "int64"}[t]
    form = {
        "class": "ListOffsetArray",
        "offsets": t,
        "content": {
            "class": "ListOffsetArray",
            "offsets": t,
            "content": "float64",
            "form_key": "b",
        },
        "form_key": "a",
    }
    form["content"]["content"] = {"class": "NumpyArray", "primitive": "float64", "form_key": "c"}
    parts = {
        "a-offsets": np.array([2, 4, 4, 5], kind),
        "b-offsets": np.array([1, 1, 3, 4, 4, 6], kind),
        "c-data": np.arange(9.0),
    }
    x = ak.from_buffers(form, 3, parts)
    lists = [[[3.0], []], [], [[4.0, 5.0]]]
    assert x.to_list() == lists
    want = lists * 2 if axis == 0 else [a + a for a in lists]
    assert ak.concatenate([x, x], axis=axis).to_list() == want
    assert ak.concatenate([x[1:], x[1:]], axis=0).to_list() == lists[1:] * 2
    y = ak.from_iter(lists)
    want = lists + lists if axis == 0 else [a + b for a, b in zip(lists, lists, strict=True)]
    assert ak.concatenate([x, y], axis=axis).to_list() == want
