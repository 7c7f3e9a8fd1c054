# Few long lists: a GPU shares each among many blocks, whatever is asked of it.
import functools
import os

import numpy as np
import pytest
from conftest import host

import serrate as ak

SMALL = "SERRATE_SEAMS" in os.environ
ITEMS = 600 if SMALL else 20_000
BACKEND = os.environ.get("SERRATE_BACKEND", "cpu")


def numbers(n, seed, nan=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).round(1)
    x[rng.random(n) < nan] = np.nan
    return x


def there(x):
    return ak.to_backend(ak.materialize(x), BACKEND)


@functools.cache
def lists(kind):
    """Lists, and the same as NumPy's arrays."""
    n = ITEMS
    lengths = {
        "one": [n],
        "few": [n // 2, 0, n, 3, n // 3],
        "skewed": [*([2] * 200), n, *([1] * 100)],
        "equal": [n // 4] * 4,
        "regular": [n // 3] * 3,
    }[kind]
    x = numbers(sum(lengths), 5, nan=0.01)
    parts = np.split(x, np.cumsum(lengths)[:-1])
    nested = ak.unflatten(ak.Array(x), lengths)
    return there(ak.to_regular(nested) if kind == "regular" else nested), parts


KINDS = ["one", "few", "skewed", "equal", "regular"]


def those_that(taken, x):
    """What a filter leaves, in lists also where these were regular."""
    return ak.drop_none(ak.mask(x, taken))


def first_or_best(x, best):
    """argmax or argmin of what is left of a list, by its indexes: a NaN in front stays."""
    index = np.flatnonzero(~np.isnan(x[1]) & x[0])
    taken = np.flatnonzero(x[0])
    if len(taken) == 0:
        return None
    if np.isnan(x[1][taken[0]]):
        return taken[0]
    return index[best(x[1][index])]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("front", ["nan", "number", "none", "nothing"])
def test_positions_of_extremes_of_those_that_take_part(kind, name, front):
    _, parts = lists(kind)
    rng = np.random.default_rng(7)
    takes, expected = [], []
    for p in parts:
        t = rng.random(len(p)) < 0.8
        if len(p) > 2 and front == "none":
            t[:2] = False
        elif front == "nothing":
            t[:] = False
        takes.append(t)
    flat = np.concatenate(parts).copy()
    starts = np.cumsum([0] + [len(p) for p in parts[:-1]])
    for s, t in zip(starts, takes, strict=True):
        taken = np.flatnonzero(t)
        if len(taken) and front in ("nan", "number"):
            flat[s + taken[0]] = np.nan if front == "nan" else -0.5
    parts = [flat[s : s + len(p)] for s, p in zip(starts, parts, strict=True)]
    for p, t in zip(parts, takes, strict=True):
        expected.append(first_or_best((t, p), getattr(np, name)))
    lengths = [len(p) for p in parts]
    y = there(ak.unflatten(ak.Array(flat), lengths))
    mask = there(ak.unflatten(ak.Array(np.concatenate(takes)), lengths))
    got = getattr(ak, name)(ak.mask(y, mask), axis=-1)
    assert host(got).to_list() == expected


def columns(x, parts):
    longest = max(len(p) for p in parts)
    return [np.array([p[j] for p in parts if len(p) > j]) for j in range(longest)]


def by_column(f):
    return lambda parts: [f(c) for c in columns(None, parts)]


STATISTICS = {
    "std": np.std,
    "var": np.var,
    "mean": np.mean,
    "ptp": np.ptp,
    "nanstd": np.nanstd,
    "nanvar": np.nanvar,
    "nanmean": np.nanmean,
}


@functools.cache
def rows(nan):
    """Many lists of up to five items."""
    n = ITEMS // 2
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 6, n)
    x = numbers(lengths.sum(), 6, nan=0.01 if nan else 0)
    return there(ak.unflatten(ak.Array(x), lengths)), np.split(x, np.cumsum(lengths)[:-1])


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics_of_columns(name):
    x, parts = rows(name.startswith("nan"))
    expected = [STATISTICS[name](c) for c in columns(x, parts)]
    for _ in range(3):
        got = host(getattr(ak, name)(x, axis=0))
        np.testing.assert_allclose(ak.to_numpy(got), expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["corr", "covar"])
def test_statistics_of_two_columns(name):
    x, parts = rows(False)
    y = x * x + 1
    for _ in range(2):
        got = ak.to_numpy(host(getattr(ak, name)(x, y, axis=0)))
        for g, c in zip(got, columns(x, parts), strict=True):
            m = np.cov(c, c * c + 1, bias=True)
            expected = m[0, 1] if name == "covar" else m[0, 1] / np.sqrt(m[0, 0] * m[1, 1])
            assert g == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin", "argmax", "argmin"])
def test_positions_in_columns(name):
    x, parts = rows(name.startswith("nan"))
    got = host(getattr(ak, name)(x, axis=0)).to_list()
    where = [[i for i, p in enumerate(parts) if len(p) > j] for j in range(5)]
    plain = getattr(np, name)
    assert got == [where[j][plain(c)] for j, c in enumerate(columns(x, parts))]


def runs(p):
    """Where runs of equal numbers begin; no NaN is equal to another one."""
    return np.flatnonzero(np.concatenate([[True], p[1:] != p[:-1]])[: len(p)])


@pytest.mark.parametrize("kind", KINDS)
def test_run_lengths(kind):
    x, parts = lists(kind)
    got = host(ak.run_lengths(x)).to_list()
    assert got == [np.diff([*runs(p), len(p)]).tolist() for p in parts]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", [False, True])
def test_groups(kind, missing):
    x, parts = lists(kind)
    x = ak.nan_to_num(x)
    parts = [np.nan_to_num(p) for p in parts]
    if missing:
        x = there(ak.mask(x, x < 1))
        parts = [[v if v < 1 else None for v in p] for p in parts]

    def key(v):
        return (v is None, 0 if v is None else v)

    counts = host(ak.value_counts(x)).to_list()
    for got, p in zip(counts, parts, strict=True):
        expected = {}
        for v in sorted(p, key=key):
            expected[v] = expected.get(v, 0) + 1
        assert [(g["value"], g["count"]) for g in got] == list(expected.items())
    unique = [[g["value"] for g in c] for c in counts]
    assert host(ak.unique(x)).to_list() == unique
    index = ak.local_index(x, axis=-1)
    keys, groups = (host(part).to_list() for part in ak.group_by(index, x))
    assert keys == unique
    for p, k, g in zip(parts, keys, groups, strict=True):
        places = {}
        for i, v in enumerate(p):
            places.setdefault(v, []).append(i)
        assert g == [places[v] for v in k]


@pytest.mark.parametrize("name", ["group_by", "value_counts", "run_lengths"])
def test_groups_in_columns(name):
    x, parts = rows(False)
    of = columns(x, parts)
    if name == "run_lengths":
        got = host(ak.run_lengths(x, axis=0)).to_list()
        assert got == [np.diff([*runs(c), len(c)]).tolist() for c in of]
        return
    expected = [np.unique(c, return_counts=True) for c in of]
    if name == "value_counts":
        got = host(ak.value_counts(x, axis=0)).to_list()
        counts = [[g["count"] for g in c] for c in got]
        values = [[g["value"] for g in c] for c in got]
    else:
        keys, groups = ak.group_by(x, x, axis=0)
        values = host(keys).to_list()
        counts = host(ak.num(groups, axis=-1)).to_list()
    assert values == [v.tolist() for v, _ in expected]
    assert counts == [n.tolist() for _, n in expected]


@pytest.mark.parametrize("kind", KINDS)
def test_views_of_long_lists(kind):
    x, parts = lists(kind)
    x = ak.nan_to_num(x)
    parts = [np.nan_to_num(p) for p in parts]
    places = np.arange(len(parts))[::-1]
    views = {
        "reversed": (x[::-1], parts[::-1]),
        "gathered": (x[places], parts[::-1]),
        "tails": (x[:, 1:], [p[1:] for p in parts]),
        "heads": (x[:, :-2], [p[:-2] for p in parts]),
    }
    for name, (y, expected) in views.items():
        for computed in (False, True):
            if computed:
                ak.compute(y)
            sums = ak.to_numpy(host(ak.sum(y, axis=-1)))
            np.testing.assert_allclose(sums, [p.sum() for p in expected], atol=1e-9, err_msg=name)
            most = host(ak.argmax(y, axis=-1)).to_list()
            assert most == [int(p.argmax()) if len(p) else None for p in expected], name
            spread = ak.fill_none(host(ak.var(y, axis=-1)), np.nan)
            of = [p.var() if len(p) else np.nan for p in expected]
            np.testing.assert_allclose(ak.to_numpy(spread), of, rtol=1e-10, err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
def test_indexes_in_what_a_filter_leaves(kind):
    x, parts = lists(kind)
    kept = [p[p > 0.3] for p in parts]
    for name in ("argmax", "argmin"):
        got = host(getattr(ak, name)(those_that(x > 0.3, x), axis=-1)).to_list()
        assert got == [int(getattr(np, name)(p)) if len(p) else None for p in kept]
    some = those_that(x > 0.3, x)
    assert host(some).to_list() == [p.tolist() for p in kept]
    index = ak.local_index(some, axis=-1)
    assert host(index).to_list() == [list(range(len(p))) for p in kept]
    assert host(some[index < 2]).to_list() == [p[:2].tolist() for p in kept]
    best = some[ak.argmax(some, axis=-1, keepdims=True)]
    assert host(ak.drop_none(best)).to_list() == [
        p[p.argmax()][None].tolist() if len(p) else [] for p in kept
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_reductions_along_axis_0(kind):
    x, parts = lists(kind)
    ends = {n + d for p in parts for n in [len(p)] for d in (-1, 0, 1)}
    longest = max(map(len, parts))
    chosen = sorted({c for c in {*ends, *range(0, longest, 97)} if 0 <= c < longest})
    columns = [np.array([p[c] for p in parts if len(p) > c]) for c in chosen]
    rows = [[i for i, p in enumerate(parts) if len(p) > c] for c in chosen]
    results = {n: host(getattr(ak, n)(x, axis=0)) for n in ("count", "argmax", "argmin")}
    assert all(len(r) == longest for r in results.values())
    assert results["count"][chosen].to_list() == [len(c) for c in columns]
    for name in ("argmax", "argmin"):
        f = getattr(np, "nan" + name)
        expected = [
            r[0] if np.isnan(c[0]) or np.isnan(c).all() else r[f(c)]
            for c, r in zip(columns, rows, strict=True)
        ]
        assert results[name][chosen].to_list() == expected, name
    of = x * 2  # not stored
    for name, scale in (("nansum", 2), ("nanmax", 2), ("nanmin", 2), ("nanmean", 2)):
        for y, by in ((x, 1), (of, scale)):
            got = host(getattr(ak, name)(y, axis=0))[chosen]
            with np.errstate(all="ignore"):
                expected = [
                    getattr(np, name)(c) * by if not np.isnan(c).all() else np.nan for c in columns
                ]
            got = ak.to_numpy(ak.fill_none(got, np.nan))
            some = ~np.isnan(expected)
            np.testing.assert_allclose(got[some], np.array(expected)[some], atol=1e-9)
    spread = ak.to_numpy(host(ak.var(ak.nan_to_num(x), axis=0)))[chosen]
    expected = [np.var(np.nan_to_num(c)) for c in columns]
    np.testing.assert_allclose(spread, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.skipif(BACKEND != "cuda" or SMALL, reason="kernels of a GPU, of many items")
def test_each_walk_is_shared_by_many_blocks():
    x, _ = rows(True)
    one, _ = lists("one")
    for y in (
        ak.argmax(x, axis=0),
        ak.nanargmin(one, axis=-1),
        ak.sum(one[::-1], axis=-1),
    ):
        text = str(ak.explain(y, kernels=True))
        assert "sr_fold_split" in text or "sr_fold_staged" in text
    assert "2 steps" in str(ak.explain(ak.std(x, axis=0)))


@functools.cache
def words():
    n = ITEMS // 4
    rng = np.random.default_rng(8)
    lengths = rng.integers(0, 4, n)
    texts = np.array(["one", "two", "three", "", "a somewhat longer word"])
    x = texts[rng.integers(0, len(texts), lengths.sum())]
    lists = ak.unflatten(ak.Array(x.tolist()), lengths)
    parts = [p.tolist() for p in np.split(x, np.cumsum(lengths)[:-1])]
    return there(lists), parts, [[p[j] for p in parts if len(p) > j] for j in range(3)]


@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_of_words_in_columns(name):
    x, parts, of = words()
    best = {"min": min, "max": max}[name]
    assert host(getattr(ak, name)(x, axis=0)).to_list() == [best(c) for c in of]
    rows_of = [[i for i, p in enumerate(parts) if len(p) > j] for j in range(3)]
    first = [r[c.index(best(c))] for r, c in zip(rows_of, of, strict=True)]
    assert host(getattr(ak, "arg" + name)(x, axis=0)).to_list() == first


def test_groups_of_words_in_columns():
    x, _, of = words()
    counted = [sorted({w: c.count(w) for w in c}.items()) for c in of]
    got = host(ak.value_counts(x, axis=0)).to_list()
    assert [[(g["value"], g["count"]) for g in c] for c in got] == counted
    keys, groups = ak.group_by(x, x, axis=0)
    assert host(keys).to_list() == [[w for w, _ in c] for c in counted]
    assert host(ak.num(groups, axis=-1)).to_list() == [[n for _, n in c] for c in counted]
    begins = [[i for i, w in enumerate(c) if i == 0 or c[i - 1] != w] for c in of]
    want = [np.diff([*b, len(c)]).tolist() for b, c in zip(begins, of, strict=True)]
    assert host(ak.run_lengths(x, axis=0)).to_list() == want


@pytest.mark.parametrize("axis", [None, 0])
def test_groups_of_all_words(axis):
    x, parts, _ = words()
    flat = ak.flatten(x, axis=1)
    texts = [w for p in parts for w in p]
    keys, groups = ak.group_by(flat, flat, axis=axis)
    assert host(keys).to_list() == sorted(set(texts))
    assert host(groups).to_list() == [[w] * texts.count(w) for w in sorted(set(texts))]


@functools.cache
def matrix():
    x = numbers(3 * 30_000, 12).reshape(-1, 3)
    return there(ak.Array(x)), x.T


@pytest.mark.parametrize(
    "name", ["unique", "is_unique", "run_lengths", "value_counts", "group_by", "topk", "argtopk"]
)
def test_columns_of_matrices(name):
    x, of = matrix()
    if name.endswith("topk"):
        order = [np.argsort(-c, kind="stable")[:5] for c in of]
        want = order if name == "argtopk" else [c[o] for c, o in zip(of, order, strict=True)]
        got = getattr(ak, name)(x, 5, axis=0)
        assert host(got).to_list() == np.transpose(want).tolist() or (
            host(got).to_list() == [w.tolist() for w in want]
        )
        return
    if name == "run_lengths":
        want = [np.diff([*runs(c), len(c)]).tolist() for c in of]
    elif name == "is_unique":
        want = [False] * 3
    else:
        want = [np.unique(c).tolist() for c in of]
    if name == "group_by":
        got, groups = ak.group_by(x, x, axis=0)
        sums = [[np.abs(c[c == v]).sum() for v in w] for c, w in zip(of, want, strict=True)]
        of_groups = host(ak.sum(abs(groups), axis=-1))
        for a, b in zip(of_groups.to_list(), sums, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-9)
    else:
        got = getattr(ak, name)(x, axis=0)
    got = host(got)
    if name == "value_counts":
        counts = [[int((c == v).sum()) for v in w] for c, w in zip(of, want, strict=True)]
        assert ak.to_list(got.count) == counts
        got = got.value
    assert ak.to_list(got) == want


@pytest.mark.parametrize("name", ["isin", "searchsorted", "rank", "cumsum", "argsort"])
def test_items_of_columns_of_matrices(name):
    x, of = matrix()
    some = there(ak.Array(np.sort(of.T[:7000] + 0.1, axis=0)))
    keys = np.sort(of.T[:7000] + 0.1, axis=0).T
    if name in ("rank", "cumsum", "argsort"):
        got = host(getattr(ak, name)(x, axis=0))
        order = [np.argsort(c, kind="stable") for c in of]
        if name == "argsort":
            want = order
        elif name == "cumsum":
            want = [np.cumsum(c) for c in of]
        else:
            want = [
                np.searchsorted(np.sort(c), c) + np.searchsorted(np.sort(c), c, "right") for c in of
            ]
            want = [(w + 1) / 2 for w in want]
        np.testing.assert_allclose(ak.to_numpy(got), np.transpose(want), atol=1e-6)
        return
    if name == "isin":
        got = host(ak.isin(x, some, axis=0))
        want = [np.isin(c, k) for c, k in zip(of, keys, strict=True)]
    else:
        got = host(ak.searchsorted(some, x, axis=0))
        want = [np.searchsorted(k, c) for c, k in zip(of, keys, strict=True)]
    assert ak.to_numpy(got).tolist() == np.transpose(want).tolist()
