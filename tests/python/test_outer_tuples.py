"""Tuples along axis 0 of arrays that nothing is stored of, beside itertools. On a GPU all threads
share them, and must know which are theirs."""

from itertools import combinations, combinations_with_replacement, islice, product

import pytest

import serrate as ak

LISTS = [[1, 2, 3], [], [4, 5], [6]]
DEEP = [[[1, 2], [3]], [], [[4]]]


def x():
    return ak.Array(LISTS)


def filtered_sums():
    return ak.sum(x()[x() > 1], axis=1)[ak.num(x()) > 0]


BASES = {
    "joined": lambda: ak.flatten(x() + 1),
    "filtered": lambda: ak.flatten(x())[ak.flatten(x()) > 1],
    "joined and filtered": lambda: ak.flatten(x() + 1)[ak.flatten(x()) > 3],
    "filtered and joined": lambda: ak.flatten(x()[x() > 1]),
    "joined twice": lambda: ak.flatten(ak.flatten(ak.Array(DEEP) + 1)),
    "joined beside filtered": lambda: ak.flatten(x()[x() > 1]) + ak.flatten(x() + 1)[1:],
    "sliced": lambda: (ak.flatten(x()) + 1)[1:],
    "reversed": lambda: ak.flatten(x() + 1)[::-1],
    "not missing": lambda: ak.drop_none(ak.Array([1, None, 2, 3, None])),
    "reduced": lambda: ak.sum(x(), axis=0),
    "reduced and filtered": filtered_sums,
    "end to end": lambda: ak.concatenate([ak.flatten(x() + 1), ak.flatten(x()[x() > 2])]),
    "lists": lambda: x() + 1,
    "filtered lists": lambda: (x() + 1)[ak.num(x()) > 0],
    "pairs": lambda: ak.combinations(ak.flatten(x())[:4] + 1, 2, axis=0),
    "pairings": lambda: ak.cartesian([ak.flatten(x())[:3] + 1, [1, 2]], axis=0),
    "pairs of lists": lambda: ak.flatten(ak.combinations(x(), 2)),
    "none": lambda: ak.flatten(x())[ak.flatten(x()) > 9],
}


def pairs(base):
    return ak.combinations(base, 2, axis=0)


def some(tuples):
    """Every other one, by its place."""
    return tuples[ak.local_index(tuples, axis=0) % 2 == 0]


def places(tuples):
    return ak.local_index(tuples, axis=0)


def count(tuples):
    return list(range(len(list(tuples))))


CALLS = {
    "2": (pairs, lambda b: combinations(b, 2)),
    "3": (lambda b: ak.combinations(b, 3, axis=0), lambda b: combinations(b, 3)),
    "2 again": (
        lambda b: ak.combinations(b, 2, axis=0, replacement=True),
        lambda b: combinations_with_replacement(b, 2),
    ),
    "3 again": (
        lambda b: ak.combinations(b, 3, axis=0, replacement=True),
        lambda b: combinations_with_replacement(b, 3),
    ),
    "arg": (
        lambda b: ak.argcombinations(b, 2, axis=0),
        lambda b: combinations(range(len(b)), 2),
    ),
    "before": (lambda b: ak.cartesian([b, [7, 8]], axis=0), lambda b: product(b, [7, 8])),
    "behind": (lambda b: ak.cartesian([[7, 8], b], axis=0), lambda b: product([7, 8], b)),
    "itself": (lambda b: ak.cartesian([b, b], axis=0), lambda b: product(b, b)),
    "arg before": (
        lambda b: ak.argcartesian([b, [7, 8]], axis=0),
        lambda b: product(range(len(b)), range(2)),
    ),
    "arg behind": (
        lambda b: ak.argcartesian([[7, 8], b], axis=0),
        lambda b: product(range(2), range(len(b))),
    ),
    "places of 2": (lambda b: places(pairs(b)), lambda b: count(combinations(b, 2))),
    "places of 3": (
        lambda b: places(ak.combinations(b, 3, axis=0)),
        lambda b: count(combinations(b, 3)),
    ),
    "places of 3 again": (
        lambda b: places(ak.combinations(b, 3, axis=0, replacement=True)),
        lambda b: count(combinations_with_replacement(b, 3)),
    ),
    "places of pairings": (
        lambda b: places(ak.cartesian([b, [7, 8], b], axis=0)),
        lambda b: count(product(b, [7, 8], b)),
    ),
    "some of 2": (
        lambda b: some(pairs(b)),
        lambda b: islice(combinations(b, 2), 0, None, 2),
    ),
    "some of 3": (
        lambda b: some(ak.combinations(b, 3, axis=0)),
        lambda b: islice(combinations(b, 3), 0, None, 2),
    ),
    "some of some": (
        lambda b: some(some(pairs(b))),
        lambda b: islice(combinations(b, 2), 0, None, 4),
    ),
    "last": (lambda b: pairs(b)[-1:], lambda b: list(combinations(b, 2))[-1:]),
}


@pytest.mark.parametrize("base", BASES)
def test_tuples(base):
    values = BASES[base]().to_list()
    for name, (call, expected) in CALLS.items():
        assert call(BASES[base]()).to_list() == list(expected(values)), name


def test_pairs_of_pairs():
    base = ak.flatten(x()[x() > 2]) + 1
    inner = list(combinations(base.to_list(), 2))
    assert pairs(pairs(base)).to_list() == list(combinations(inner, 2))
    assert places(pairs(pairs(base))).to_list() == count(combinations(inner, 2))


def test_numbers_of_pairs():
    base = ak.flatten(x() + 1)
    values = base.to_list()
    sums = [a + b for a, b in combinations(values, 2)]
    of = pairs(base)
    assert int(ak.sum(of["0"] + of["1"])) == sum(sums)
    assert int(ak.num(of, axis=0)) == len(sums)
    assert int(ak.argmax(of["0"] * of["1"], axis=0)) == len(sums) - 1
    cart = ak.cartesian([base, [3, 1]], axis=0)
    assert ak.sort(cart["0"] * cart["1"], axis=0).to_list() == sorted(
        a * b for a, b in product(values, [3, 1])
    )


def test_tuples_of_lists_whose_items_are_looked_up():
    lists = [[3, 1, 1, 2], [], [2, 2], [5, 0, 4]]
    filtered = [sorted(v for v in row if v > 0) for row in lists]
    for k in (2, 3):
        expected = [list(combinations(row, k)) for row in filtered]
        base = ak.Array(lists)
        assert ak.combinations(ak.sort(base[base > 0]), k).to_list() == expected
        again = ak.combinations(ak.sort(base[base > 0]), k, replacement=True)
        assert again.to_list() == [list(combinations_with_replacement(r, k)) for r in filtered]
    runs = [[1, 2, 1], [], [2], [1, 1, 1]]
    assert pairs(ak.run_lengths(ak.Array(lists)))[:3].to_list() == list(combinations(runs, 2))[:3]
    assert ak.combinations(ak.run_lengths(ak.Array(lists)), 2).to_list() == [
        list(combinations(row, 2)) for row in runs
    ]


@pytest.mark.parametrize("schedule", ["", "many"])
def test_nested_products_of_records_with_lists(schedule, monkeypatch):
    monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", schedule)
    lists = [[{"x": 6, "y": [9, 2]}], [], [{"x": 2, "y": [7, 6, 1]}, {"x": 1, "y": [5]}]]
    in_order = [
        [{"x": x, "y": r["y"]} for x, r in zip(sorted(r["x"] for r in row), row, strict=True)]
        for row in lists
    ]
    for r in [r for row in in_order for r in row]:
        r["y"] = sorted(r["y"])
    both = ak.sort(ak.Array(lists), axis=-1)
    product = ak.cartesian([both, both], axis=1, nested=True)
    assert product["1"].to_list() == [[row] * len(row) for row in in_order]
    assert product["0"].to_list() == [[[r] * len(row) for r in row] for row in in_order]


@pytest.mark.parametrize("schedule", ["", "many"])
def test_sorted_first_records_in_reverse(schedule, monkeypatch):
    monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", schedule)
    firsts = ak.Array([[{"x": 4, "y": [1]}], [{"x": 2, "y": [6, 3]}]])[:, 0]
    expected = [{"x": 4, "y": [3, 6]}, {"x": 2, "y": [1]}]
    assert ak.sort(firsts, axis=-1)[::-1].to_list() == expected
