# Every way to share the items of lists among threads, on every distribution of lengths. On a CPU
# there is but one, its own.

import functools
import itertools

import numpy as np
import pytest
from conftest import plain, same_values

import serrate as ak

SCHEDULES = [
    "lanes",
    "lanes2",
    "lanes4",
    "lanes8",
    "lanes16",
    "lanes32",
    "warps",
    "binned",
    "memory",
    "many",
]
if ak.default_backend() != "cuda":
    SCHEDULES = [""]
RNG = np.random.default_rng(5)
# Rows on both sides of a warp's 256, and many.
FILTERED = [1, 31, 32, 255, 256, 257, 5000, 100_003]
LENGTHS = {
    "short": RNG.integers(0, 5, 900),
    "long": RNG.integers(200, 400, 12),
    "pareto": np.minimum(RNG.pareto(0.8, 250) * 2, 3000).astype(int),
    "giant": np.array([2, 0, 1, 40_000, 3, 0, 7, 300]),
    "mostly empty": np.where(RNG.random(900) < 0.9, 0, RNG.integers(1, 40, 900)),
    "regular": np.full(300, 8),
}
ROWS = {
    name: [row.tolist() for row in np.split(RNG.integers(-50, 50, n.sum()), n.cumsum()[:-1])]
    for name, n in LENGTHS.items()
}
# Of lists that are not too long, a few at each end.
PAIRED = {name: [row for row in rows if len(row) < 50][:30] for name, rows in ROWS.items()}
PAIRED["long"] = [row[:40] for row in ROWS["long"][:9]]


def sums_of_pairs(row):
    return [a + b for i, a in enumerate(row) for b in row[i + 1 :]]


def best(row):
    return max(row) if row else None


def above_mean(row):
    mean = sum(row) / max(len(row), 1)
    return sum(v for v in row if v > mean)


# name: (of an array, of the rows it holds)
CASES = {
    "sum": (lambda x: ak.sum(x * x, axis=-1), lambda rows: [sum(v * v for v in r) for r in rows]),
    "several": (
        lambda x: ak.zip([ak.sum(x, axis=-1), ak.max(x, axis=-1), ak.num(x)]),
        lambda rows: [(sum(r), best(r), len(r)) for r in rows],
    ),
    "argmax": (
        lambda x: ak.argmax(x, axis=-1),
        lambda rows: [r.index(max(r)) if r else None for r in rows],
    ),
    "sum of floats": (
        lambda x: ak.sum(ak.values_astype(x, "float64") / 2, axis=-1),
        lambda rows: [sum(r) / 2 for r in rows],
    ),
    "mask": (lambda x: x[x > 0], lambda rows: [[v for v in r if v > 0] for r in rows]),
    "masked sum": (
        lambda x: ak.sum(x[x > 0], axis=-1),
        lambda rows: [sum(v for v in r if v > 0) for r in rows],
    ),
    "two walks": (
        lambda x: ak.sum(x[x > ak.mean(x, axis=-1)], axis=-1),
        lambda rows: [above_mean(r) for r in rows],
    ),
    "of everything": (
        lambda x: ak.sum(ak.sum(x, axis=-1), axis=None),
        lambda rows: sum(sum(r) for r in rows),
    ),
    "of chosen lists": (
        lambda x: ak.sum(ak.sum(x, axis=-1)[ak.sum(x, axis=-1) > 5], axis=None),
        lambda rows: sum(sum(r) for r in rows if sum(r) > 5),
    ),
    "best of all": (
        lambda x: ak.max(ak.sum(x, axis=-1), axis=None),
        lambda rows: max(sum(r) for r in rows),
    ),
    "histogram": (
        lambda x: ak.sum(ak.histogram(ak.sum(x, axis=-1), 7, -99.5, 99.5)),
        lambda rows: sum(-99.5 <= sum(r) < 99.5 for r in rows),
    ),
}
PAIRS = {
    "best pair": (
        lambda x: ak.max(pairs(x), axis=-1),
        lambda rows: [best(sums_of_pairs(r)) for r in rows],
    ),
    "which pair": (
        lambda x: ak.argmin(pairs(x), axis=-1),
        lambda rows: [first_lowest(sums_of_pairs(r)) for r in rows],
    ),
    "pairs": (lambda x: pairs(x), lambda rows: [sums_of_pairs(r) for r in rows]),
    "all pairs": (
        lambda x: ak.sum(pairs(x), axis=None),
        lambda rows: sum(sum(sums_of_pairs(r)) for r in rows),
    ),
    "pairs of chosen ones": (
        lambda x: ak.sum(pairs(x[x > 10]), axis=-1),
        lambda rows: [sum(sums_of_pairs([v for v in r if v > 10])) for r in rows],
    ),
    "best triple": (
        lambda x: ak.max(triples(x), axis=-1),
        lambda rows: [best(sums_of_triples(r)) for r in rows],
    ),
    "which triple": (
        lambda x: ak.argmax(triples(x), axis=-1),
        lambda rows: [first_lowest([-v for v in sums_of_triples(r)]) for r in rows],
    ),
    "triples": (lambda x: triples(x[:7]), lambda rows: [sums_of_triples(r) for r in rows[:7]]),
    "items near others": (
        lambda x: ak.sum(x[ak.any(abs(differences(x)) == 3, axis=-1)], axis=-1),
        lambda rows: [sum(v for v in r if v - 3 in r or v + 3 in r) for r in rows],
    ),
    "nested folds": (
        lambda x: ak.max(ak.sum(differences(x), axis=-1), axis=-1),
        lambda rows: [best([sum(v - w for w in r) for v in r]) for r in rows],
    ),
}


def pairs(x):
    a, b = ak.unzip(ak.combinations(x, 2))
    return a + b


def triples(x):
    a, b, c = ak.unzip(ak.combinations(x, 3))
    return a - 2 * b + c


def sums_of_triples(row):
    return [a - 2 * b + c for a, b, c in itertools.combinations(row, 3)]


def differences(x):
    a, b = ak.unzip(ak.cartesian([x, x], nested=True))
    return a - b


def first_lowest(row):
    return row.index(min(row)) if row else None


@functools.cache
def expected(lists, name):
    if name in CASES:
        return CASES[name][1](ROWS[lists])
    return PAIRS[name][1](PAIRED[lists])


@pytest.mark.parametrize("lists", LENGTHS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_schedule(schedule, lists, monkeypatch):
    monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", schedule)
    for cases, rows in ((CASES, ROWS[lists]), (PAIRS, PAIRED[lists])):
        x = ak.Array(rows)
        for name, (ours, _) in cases.items():
            assert same_values(plain(ours(x)), expected(lists, name), 1e-12), name


@pytest.mark.parametrize("n", FILTERED)
@pytest.mark.parametrize("kept", [0.0, 0.01, 0.5, 1.0])
def test_filtered_rows(n, kept):
    rng = np.random.default_rng(n)
    x, mask = rng.integers(-99, 99, n), rng.random(n) < kept
    a, m = ak.Array(x), ak.Array(mask)
    got = ak.zip({"x": a, "y": a * 0.5})[m]
    assert plain(got.x) == x[mask].tolist()
    assert plain(got.y) == (x[mask] * 0.5).tolist()
    total, some = ak.compute(ak.sum(a[m], axis=-1, keepdims=True), a[m & (a > 0)])
    assert plain(total) == [int(x[mask].sum())]
    assert plain(some) == x[mask & (x > 0)].tolist()
    index = ak.local_index(a)
    assert plain(ak.local_index(a[m])) == list(range(int(mask.sum())))
    assert plain(index[m]) == np.flatnonzero(mask).tolist()


@pytest.mark.parametrize("name", ["short", "long", "pareto", "giant", "regular"])
def test_parts_of_lists(name):
    """Neighbours, whose lists are parts of stored ones."""
    rows, x = ROWS[name], ak.to_backend(ak.Array(ROWS[name]), ak.default_backend())
    steps = abs(x[:, 1:] - x[:, :-1])
    want = [[abs(b - a) for a, b in itertools.pairwise(r)] for r in rows]
    assert plain(ak.max(steps, axis=-1)) == [max(s) if s else None for s in want]
    assert plain(ak.sum(steps, axis=-1)) == [sum(s) for s in want]
    assert plain(ak.sum(x[:, 1:3], axis=-1)) == [sum(r[1:3]) for r in rows]
    best_of_rest = [int(np.argmax(r[2:])) if r[2:] else None for r in rows]
    assert plain(ak.argmax(x[:, 2:], axis=-1)) == best_of_rest


@pytest.mark.skipif(ak.default_backend() != "cuda", reason="kernels of a GPU")
def test_parts_of_long_lists_have_lanes():
    x = ak.to_backend(ak.Array([list(range(40))] * 100, backend="cpu"), "cuda")
    text = ak.explain(ak.max(abs(x[:, 1:] - x[:, :-1]), axis=-1), kernels=True).text
    assert "threadIdx.x & 3" in text
