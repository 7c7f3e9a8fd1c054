# Several results of several lists in one evaluation, with every way to share items among threads.
import numpy as np
import pytest
from conftest import plain, same_values
from test_schedules import LENGTHS, ROWS, SCHEDULES

import serrate as ak


def chosen(low):
    return (lambda x: x[x > low]), (lambda rows: [[v for v in r if v > low] for r in rows])


def both(x, y):
    return ak.concatenate([x[x > 0], y[y > -9]], axis=1)


ABOVE, MORE = chosen(0), chosen(-9)
TOTAL = (lambda x: ak.sum(x, axis=-1)), (lambda rows: [sum(r) for r in rows])
TWICE = (lambda x: x * 2), (lambda rows: [[2 * v for v in r] for r in rows])
# Of two arrays: of which and what.
TOGETHER = {
    "two filters": [(0, ABOVE), (1, MORE)],
    "filters of one and of the other": [(0, ABOVE), (1, ABOVE), (0, MORE)],
    "a filter and sums": [(0, ABOVE), (1, TOTAL)],
    "filters and sums": [(1, ABOVE), (0, MORE), (0, TOTAL), (1, TOTAL)],
    "filters and items": [(0, TWICE), (1, ABOVE), (0, ABOVE), (1, TWICE)],
}


def two(lists):
    rows = ROWS[lists]
    return rows, rows[::-1]


@pytest.mark.parametrize("lists", LENGTHS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_results_of_two_arrays(schedule, lists, monkeypatch):
    monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", schedule)
    rows = two(lists)
    arrays = [ak.Array(r) for r in rows]
    for name, parts in TOGETHER.items():
        made = ak.zip([f(arrays[i]) for i, (f, _) in parts], depth_limit=1)
        got = ak.unzip(ak.to_backend(ak.materialize(made), "cpu"))
        for (i, (_, expected)), part in zip(parts, got, strict=True):
            assert same_values(plain(part), expected(rows[i]), 1e-12), name


@pytest.mark.parametrize("lists", LENGTHS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_joined_filters(schedule, lists, monkeypatch):
    monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", schedule)
    rows = two(lists)
    x, y = (ak.Array(r) for r in rows)
    expected = [
        [v for v in a if v > 0] + [v for v in b if v > -9] for a, b in zip(*rows, strict=True)
    ]
    assert same_values(plain(both(x, y)), expected, 1e-12)
    records = [ak.zip({"a": v, "b": v - 1}) for v in (x, y)]
    joined = ak.concatenate([records[0][x > 0], records[1][y > -9]], axis=1)
    assert same_values(plain(joined.b + 1), expected, 1e-12)
    order = ak.argsort(joined.a, axis=-1)
    assert same_values(plain(joined[order].a), [sorted(r) for r in expected], 1e-12)


def test_filters_of_many_arrays():
    counts = np.random.default_rng(3).integers(0, 60, (7, 90))
    items = [np.arange(c.sum()) % 11 for c in counts]
    arrays = [ak.unflatten(i, c) for i, c in zip(items, counts, strict=True)]
    made = ak.zip([x[x > 4] for x in arrays], depth_limit=1)
    for part, x, i in zip(ak.unzip(ak.materialize(made)), arrays, items, strict=True):
        assert plain(ak.num(part)) == plain(ak.sum(x > 4, axis=-1))
        np.testing.assert_array_equal(plain(ak.flatten(part)), i[i > 4])
