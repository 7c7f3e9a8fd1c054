# Reductions, filters and copies of lists inside of lists: a GPU shares the innermost ones among
# lanes, warps or blocks as it does those of an array, whatever lists are around them.
import functools
import os

import numpy as np
import pytest
from conftest import host

import serrate as ak

SMALL = "SERRATE_SEAMS" in os.environ
BACKEND = os.environ.get("SERRATE_BACKEND", "cpu")
LONG = 300 if SMALL else 20_000
MANY = 50 if SMALL else 2_000


def there(x):
    return ak.to_backend(ak.materialize(x), BACKEND)


@functools.cache
def nested(kind):
    """Lists of lists, how many of these each row has, and the innermost ones as NumPy's arrays."""
    rng = np.random.default_rng(4)
    lengths, rows = {
        "few long": ([LONG, 0, LONG // 2, 3, LONG, 1], [2, 0, 4]),
        "one": ([LONG], [1]),
        "regular": ([LONG] * 6, [3, 3]),
        "many short": (rng.integers(0, 4, MANY), [2] * (MANY // 2)),
        "many": (rng.integers(0, 80, MANY), [MANY - 10, *[1] * 8, 0, 2]),
        "skewed": ([*rng.integers(0, 4, MANY), LONG, 0], [MANY // 2, MANY // 2, 2]),
        "regular short": ([30] * MANY, [10] * (MANY // 10)),
    }[kind]
    x = rng.normal(size=int(np.sum(lengths))).round(1)
    parts = np.split(x, np.cumsum(lengths)[:-1])
    y = ak.unflatten(ak.unflatten(ak.Array(x), lengths), rows)
    if kind.startswith("regular"):
        y = ak.to_regular(ak.to_regular(y, axis=1), axis=2)
    return there(y), rows, parts


KINDS = ["few long", "one", "regular", "many short", "many", "skewed", "regular short"]


def cases(kind):
    """The lists and, where there are several rows, those behind the first."""
    y, rows, parts = nested(kind)
    yield y, rows, parts
    if len(rows) > 1:
        yield y[1:], rows[1:], parts[rows[0] :]


def by_rows(values, rows):
    ends = np.cumsum(rows)
    return [values[e - n : e] for n, e in zip(rows, ends, strict=True)]


def or_none(f):
    return lambda p: f(p).item() if len(p) else None


@pytest.mark.parametrize("kind", KINDS)
def test_extremes_and_their_positions(kind):
    for y, rows, parts in cases(kind):
        for name in ("max", "min", "argmax", "argmin"):
            expected = by_rows([or_none(getattr(np, name))(p) for p in parts], rows)
            assert host(getattr(ak, name)(y, axis=-1)).to_list() == expected, name


@pytest.mark.parametrize("kind", KINDS)
def test_sums_of_what_the_rows_have(kind):
    for y, rows, parts in cases(kind):
        factors = np.arange(len(rows)) + 1.0
        of_each = np.repeat(factors, rows)
        expected = [(p * f).sum() for p, f in zip(parts, of_each, strict=True)]
        if kind.startswith("regular"):  # NumPy's broadcasting begins at the last axis
            factors = factors[:, None, None]
        for x in (y * factors, y * there(ak.Array(factors))):
            sums = host(ak.sum(x, axis=-1))
            assert ak.num(sums).to_list() == list(rows)
            np.testing.assert_allclose(
                ak.to_numpy(ak.flatten(sums)), np.array(expected, float), atol=1e-9
            )
        deviations = ak.to_numpy(ak.fill_none(ak.flatten(host(ak.std(y, axis=-1))), np.nan))
        of = [p.std() if len(p) else np.nan for p in parts]
        np.testing.assert_allclose(deviations, of, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_levels(kind):
    for y, rows, parts in cases(kind):
        best = ak.max(ak.sum(y, axis=-1), axis=-1)
        sums = by_rows([p.sum() for p in parts], rows)
        got = ak.to_numpy(ak.fill_none(host(best), np.nan))
        np.testing.assert_allclose(got, [max(s) if s else np.nan for s in sums], atol=1e-9)
        assert int(ak.count_nonzero(y > 0, axis=None)) == sum(int((p > 0).sum()) for p in parts)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_filter_leaves(kind):
    for y, rows, parts in cases(kind):
        kept = [p[p > 0.3] for p in parts]
        left = ak.drop_none(ak.mask(y, y > 0.3), axis=-1)
        assert host(left).to_list() == by_rows([p.tolist() for p in kept], rows)
        # Their numbers alone, with others, and where indexes in them are asked for.
        assert host(ak.num(left, axis=-1)).to_list() == by_rows([len(p) for p in kept], rows)
        pairs = ak.zip({"x": left, "place": ak.local_index(left, axis=-1)})
        assert host(pairs.place).to_list() == by_rows([list(range(len(p))) for p in kept], rows)
        assert host(ak.argmax(left, axis=-1)).to_list() == by_rows(
            [or_none(np.argmax)(p) for p in kept], rows
        )


@pytest.mark.parametrize("kind", KINDS)
def test_less_the_mean(kind):
    for y, rows, parts in cases(kind):
        less = host(y - ak.mean(y, axis=-1, keepdims=True))
        assert ak.num(less, axis=1).to_list() == list(rows)
        expected = [p - p.mean() for p in parts if len(p)]
        np.testing.assert_allclose(
            ak.to_numpy(ak.flatten(less, axis=None)), np.concatenate(expected or [[]]), atol=1e-9
        )


@pytest.mark.parametrize("kind", KINDS)
def test_sets(kind):
    for y, rows, parts in cases(kind):
        expected = [np.unique(p, return_counts=True) for p in parts]
        values = by_rows([v.tolist() for v, _ in expected], rows)
        assert host(ak.unique(y, axis=-1)).to_list() == values
        counted = host(ak.value_counts(y, axis=-1))
        assert counted.value.to_list() == values
        assert counted["count"].to_list() == by_rows([n.tolist() for _, n in expected], rows)
        assert host(ak.is_unique(y, axis=-1)).to_list() == by_rows(
            [len(v) == len(p) for (v, _), p in zip(expected, parts, strict=True)], rows
        )


@pytest.mark.parametrize("kind", KINDS)
def test_derived_lists_are_walked_for_more_than_their_items(kind):
    # For filters, for lists inside of what filters leave, and again for a mean.
    for y, rows, parts in cases(kind):
        spread = ak.to_numpy(ak.flatten(host(ak.var(y[::-1], axis=-1))))
        expected = [p.var() if len(p) else np.nan for r in by_rows(parts, rows)[::-1] for p in r]
        np.testing.assert_allclose(spread, expected, rtol=1e-10, atol=1e-12)
        if kind.startswith("regular"):
            continue
        # A filter and then a slice of its lists: what is left is over parts of lists.
        inner, kept = y[y > 0.3], by_rows([p[p > 0.3].tolist() for p in parts], rows)
        behind = [r[1:] for r in kept]
        assert host(inner[:, 1:]).to_list() == behind
        numbers = host(ak.num(inner[:, 1:], axis=-1)).to_list()
        assert numbers == [[len(p) for p in r] for r in behind]
        assert host(inner[::-1]).to_list() == kept[::-1]
        largest = host(ak.max(inner[:, :-1], axis=-1)).to_list()
        assert largest == [[max(p, default=None) for p in r[:-1]] for r in kept]
        steps = host(ak.diff(y, axis=1)).to_list()
        assert steps == [columns_of_differences(r) for r in by_rows(parts, rows)]


def columns_of_differences(lists):
    """Each item less the last one before at its place in an earlier list; none of the first."""
    last, out = {}, []
    for p in lists:
        row = []
        for j, v in enumerate(p.tolist()):
            if j in last:
                row.append(v - last[j])
            last[j] = v
        out.append(row)
    return out[1:]


@pytest.mark.skipif(
    BACKEND != "cuda" or SMALL,
    reason="a GPU's kernels; schedule_test.cpp looks at plans everywhere",
)
def test_few_long_ones_are_shared_by_many_blocks():
    for kind in ("one", "regular"):
        y = nested(kind)[0]
        for x in (ak.sum(y, axis=-1), ak.argmax(y, axis=-1), ak.any(y > 2, axis=-1)):
            text = str(ak.explain(x, kernels=True))
            assert "sr_fold_split" in text or "sr_fold_staged" in text, kind


def as_lists(rows, parts):
    return by_rows([p.tolist() for p in parts], rows)


@pytest.mark.parametrize("kind", KINDS)
def test_chosen_rows(kind):
    y, rows, parts = nested(kind)
    whole = by_rows(parts, rows)
    n = len(rows)
    places = np.arange(n)[::-1].repeat(2)[: n + 1]
    mask = np.arange(n) % 3 != 1
    for name, x, chosen in (
        ("reversed", y[::-1], whole[::-1]),
        ("places", y[places], [whole[i] for i in places]),
        ("mask", y[there(ak.Array(mask))], [r for r, m in zip(whole, mask, strict=True) if m]),
        ("long", y[ak.num(y, axis=1) > 1], [r for r in whole if len(r) > 1]),
        ("twice", ak.concatenate([y, y[:1]]), [*whole, whole[0]]),
    ):
        expected = [[p.tolist() for p in r] for r in chosen]
        assert host(x).to_list() == expected, name
        total = sum(p.sum() for r in chosen for p in r)
        np.testing.assert_allclose(float(ak.sum(x, axis=None)), total, atol=1e-6)
    for i in (-1, n // 2):
        assert host(ak.materialize(y[i] * 1)).to_list() == [p.tolist() for p in whole[i]]
        assert host(ak.max(y[i], axis=-1)).to_list() == [or_none(np.max)(p) for p in whole[i]]


@pytest.mark.parametrize("kind", KINDS)
def test_chosen_lists(kind):
    for y, rows, parts in cases(kind):
        whole = by_rows(parts, rows)
        turned = host(y[:, ::-1]).to_list()
        assert turned == [[p.tolist() for p in r[::-1]] for r in whole]
        assert host(y[:, 1:]).to_list() == [[p.tolist() for p in r[1:]] for r in whole]
        index = ak.local_index(y, axis=1)
        left = y[index > 0]
        if kind.startswith("regular"):  # a mask of NumPy's kind: what it leaves is one list
            assert host(left).to_list() == [p.tolist() for r in whole for p in r[1:]]
        else:
            assert host(left).to_list() == [[p.tolist() for p in r[1:]] for r in whole]


@pytest.mark.parametrize("kind", KINDS)
def test_joined(kind):
    for y, rows, parts in cases(kind):
        whole = by_rows(parts, rows)
        beside = host(ak.concatenate([y, -y], axis=1)).to_list()
        assert beside == [[p.tolist() for p in [*r, *(-q for q in r)]] for r in whole]
        inside = host(ak.concatenate([y, -y], axis=-1)).to_list()
        assert inside == as_lists(rows, [np.concatenate([p, -p]) for p in parts])
        joined = host(ak.flatten(y, axis=-1)).to_list()
        assert joined == [np.concatenate(r).tolist() if r else [] for r in whole]


@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_and_padding(kind):
    for y, rows, parts in cases(kind):
        assert host(ak.diff(y, axis=-1)).to_list() == as_lists(rows, [np.diff(p) for p in parts])
        padded = host(ak.pad_none(y, 2, axis=-1)).to_list()
        assert padded == by_rows([[*p.tolist(), None, None][: max(2, len(p))] for p in parts], rows)
        first = host(ak.pad_none(y, len(rows) + 1, axis=0)).to_list()
        assert first == [*as_lists(rows, parts), None]


@pytest.mark.parametrize("kind", KINDS)
def test_along_the_lists(kind):
    for y, rows, parts in cases(kind):
        whole = by_rows(parts, rows)
        columns = [
            [[p[j] for p in r if len(p) > j] for j in range(max(map(len, r), default=0))]
            for r in whole
        ]
        assert host(ak.max(y, axis=1)).to_list() == [[max(c) for c in r] for r in columns]
        assert host(ak.count(y, axis=1)).to_list() == [[len(c) for c in r] for r in columns]
        sums = ak.flatten(host(ak.sum(y, axis=1)), axis=None)
        np.testing.assert_allclose(
            ak.to_numpy(sums), [sum(c) for r in columns for c in r], atol=1e-9
        )
        spread = ak.flatten(host(ak.var(y, axis=1)), axis=None)
        np.testing.assert_allclose(
            ak.to_numpy(spread), [np.var(c) for r in columns for c in r], atol=1e-9
        )
        best = host(ak.argmax(y, axis=1)).to_list()
        in_lists = [
            [
                max((p[j], -i) for i, p in enumerate(r) if len(p) > j)[1] * -1
                for j in range(max(map(len, r), default=0))
            ]
            for r in whole
        ]
        assert best == in_lists


@pytest.mark.skipif(
    BACKEND != "cuda" or SMALL,
    reason="a GPU's steps; outer_lists_test.cpp looks at trees everywhere",
)
def test_few_outer_lists_are_stored_before():
    y = nested("few long")[0]
    for x in (ak.sum(y[::-1], axis=-1), ak.concatenate([y, y], axis=1)):
        assert "2 steps" in str(ak.explain(x))
