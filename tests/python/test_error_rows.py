"""Errors of data say the row of the array that was asked for, however it was made, and the same as
step by step. Kernels on a GPU may know another row only."""

import random

import awkward
import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW

import serrate as ak

X = [[1, 2], [3], [4, 5, 6], [], [7], [8, 9]]
Y = [[1, 2], [3], [4, 5], [6], [7], [8, 9, 1]]
DEEP = [[[1, 2], [3]], [], [[4, 5, 6], [], [7]], [[8, 9]]]


def arrays():
    return ak.Array(X), ak.Array(Y)


def second(lists):
    """Of lists, of which the first that has no second item is too short."""
    row = next(i for i, v in enumerate(lists) if len(v) < 2)
    return f"index 1 is out of range for the list at position {row}"


def filtered(mask):
    x, y = arrays()
    return x[mask] + y[mask]


def pairs(k, n, **options):
    return ak.combinations(ak.Array(X), k, axis=0, **options)[str(n)][:, 1]


def paired():
    x, y = arrays()
    return ak.cartesian([x, y], axis=0)


CASES = {
    "filtered": (lambda: filtered(ak.num(ak.Array(X)) > 1), "lengths 3 and 2 at position 1"),
    "filtered again": (
        lambda: filtered(ak.num(ak.Array(X)) != 3)[ak.Array([True, False, False, True, True])],
        "lengths 0 and 1 at position 2",
    ),
    "reduced": (
        lambda: ak.sum(filtered(ak.num(ak.Array(X)) != 3)),
        "lengths 0 and 1 at position 2",
    ),
    "sliced": (
        lambda: (
            arrays()[0][1:][[True, False, True, True, True]]
            + arrays()[1][1:][[True, False, True, True, True]]
        ),
        "lengths 0 and 1 at position 1",
    ),
    "joined": (
        lambda: ak.flatten(ak.Array(DEEP))[:, 1],
        second([[1, 2], [3]]),
    ),
    "joined and filtered": (
        lambda: (lambda x: x[ak.num(x, axis=1) < 3][:, 1])(ak.flatten(ak.Array(DEEP))),
        second([[1, 2], [3]]),
    ),
    "items of lists of lists": (
        lambda: ak.Array(DEEP)[:, :, 0],
        "index 0 is out of range for the list at position 2",
    ),
    "pairs": (lambda: pairs(2, 0), second([X[0]] * 5 + [X[1]])),
    "pairs of all": (lambda: ak.sum(pairs(2, 0)), second([X[0]] * 5 + [X[1]])),
    "threes": (lambda: pairs(3, 2), second([X[2], X[3]])),
    "pairs with themselves": (lambda: pairs(2, 1, replacement=True), second(X)),
    "pairings": (lambda: paired()["1"][:, 1], second(Y)),
    "filtered pairings": (
        lambda: (lambda c: c[ak.num(c["0"], axis=1) > 1]["1"][:, 1])(paired()),
        second(Y),
    ),
    "pairs of lists": (
        lambda: ak.flatten(ak.combinations(ak.Array(DEEP), 2, axis=1))["0"][:, 1],
        second([[1, 2], [4, 5, 6], [4, 5, 6], []]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_row(name):
    call, expected = CASES[name]
    for _ in range(2):  # by the kept plan, too
        with pytest.raises((ValueError, IndexError)) as e:
            ak.to_list(call())
        assert expected in str(e.value)


def test_a_failed_array_fails_again():
    x = filtered(ak.num(ak.Array(X)) > 1)
    texts = []
    for look in (ak.to_list, repr, ak.to_list, lambda v: ak.to_list(v + 1)):
        with pytest.raises(ValueError, match="lengths 3 and 2 at position 1") as e:
            look(x)
        texts.append(str(e.value))
    assert len(set(texts[:3])) == 1


def test_categories_and_strings_beside_what_fails():
    mask = ak.num(ak.Array(X)) > 1
    x = ak.zip({"text": ak.Array(list("abcdef")), "x": ak.Array(X)}, depth_limit=1)[mask]
    kinds = ak.Array(awkward.str.to_categorical(list("aabbcc")))[mask]
    y = ak.Array(Y)[mask]
    with pytest.raises(ValueError, match="lengths 3 and 2 at position 1"):
        ak.to_list(ak.zip({"sum": x.x + y, "text": x.text, "kind": kinds}, depth_limit=1))


# -- checks whose results nobody reads there ---------------------------------------------------


def pairs_of(x):
    return ak.combinations(x, 2)


def products(x):
    c = ak.cartesian([x, x])
    return c["0"] * c["1"] * x[:, 0]


# Of an empty list there is no first item, though nothing of that list is left to be computed.
FIRST_ITEMS = {
    "beside items": lambda x: x[:, 0] + x,
    "sum": lambda x: ak.sum(x[:, 0] + x),
    "sums": lambda x: ak.sum(x[:, 0] + x, axis=1),
    "sums of lists of lists": lambda x: ak.sum(ak.sum(x[:, np.newaxis] * x[:, 0], axis=2), axis=1),
    "columns": lambda x: ak.sum(x * x[:, 0], axis=0),
    "largest": lambda x: ak.argmax(x + x[:, 0], axis=1),
    "pairs": lambda x: pairs_of(x - x[:, 0])["0"],
    "sums of pairs": lambda x: ak.sum(pairs_of(x)["0"] * x[:, 0], axis=1),
    "sum of products": lambda x: ak.sum(products(x)),
    "mask": lambda x: x[x > x[:, 0]],
    "sums under a mask": lambda x: ak.sum(x[x > x[:, 0]], axis=1),
    "sort": lambda x: ak.sort(x + x[:, 0]),
    "joined": lambda x: ak.flatten(x + x[:, 0]),
    "record": lambda x: ak.zip({"a": x, "b": x + x[:, 0]}),
    "broadcast": lambda x: ak.broadcast_arrays(x[:, 0], x)[0],
    "chosen": lambda x: ak.where(x > 2, x[:, 0], x),
    "lists": lambda x: ak.cartesian([x, x], nested=True)["0"][:, 0],
    "filtered": lambda x: x[:, 0][ak.num(x) > 0],
    "sum of filtered": lambda x: ak.sum(x[:, 0][ak.num(x) > 0]),
    "not missing": lambda x: ak.drop_none(ak.mask(x[:, 0], ak.num(x) > 0)),
    "sum of not missing": lambda x: ak.sum(ak.mask(x[:, 0], ak.num(x) > 0)),
    "filtered lists": lambda x: (x - x[:, 0])[ak.num(x) > 0],
    "end to end": lambda x: ak.concatenate([x[:, 0][ak.num(x) > 0], [3]]),
}
FEW = [[1], [], [2, 3]]
MORE = [[1, 2]] * 40 + [[]] + [[3, 4]] * 290 + [list(range(40))]


@pytest.mark.parametrize("schedule", ["", "many", "lanes8", "binned", "warps", "cut"])
@pytest.mark.parametrize("lists", [FEW, MORE], ids=["few", "more"])
def test_every_check_is_made(lists, schedule, monkeypatch):
    monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", schedule)
    x = ak.Array(lists)
    for name, call in FIRST_ITEMS.items():
        with pytest.raises(IndexError) as e:
            ak.to_list(call(x))
        expected = f"index 0 is out of range for the list at position {lists.index([])}"
        assert expected in str(e.value), name


def test_what_is_made_of_what_is_wrong_is_wrong():
    x = ak.Array(FEW)
    for made in (
        lambda: ak.zip({"a": x[:, 0], "b": ak.num(x)}).b,
        lambda: x[:, 0][[0, 2]],
        lambda: x[:, 0][::2],
    ):
        with pytest.raises(IndexError, match="index 0 is out of range for the list at position 1"):
            ak.to_list(made())


# -- random chains ----------------------------------------------------------------------------

CHANGES = [
    lambda x, r: x[ak.num(x, axis=1) != r.randint(0, 3)],
    lambda x, r: x[::-1],
    lambda x, r: x[r.randint(0, 3) :],
    lambda x, r: x[x != r.randint(0, 9)],
    lambda x, r: ak.combinations(x[:6], 2, axis=0)[r.choice("01")],
    lambda x, r: ak.cartesian([x, x[:3]], axis=0)[r.choice("01")],
    lambda x, _: ak.concatenate([x, x[1:]]),
    lambda x, _: ak.sort(x, axis=1),
    lambda x, _: ak.combinations(x, 2, axis=1)["0"],
    lambda x, _: ak.flatten(x[np.newaxis] + 0, axis=1),
    lambda x, _: ak.flatten(ak.combinations(x[np.newaxis], 2, axis=1)["1"], axis=1),
    lambda x, _: ak.drop_none(ak.mask(x, ak.num(x, axis=1) != 2), axis=0),
]
LOOKS = [
    lambda x, r: x[:, r.randint(0, 2)],
    lambda x, r: x[:, -r.randint(1, 2)],
    lambda x, r: x + x[x != r.randint(0, 9)],
    lambda x, r: ak.sum(x[:, r.randint(0, 1)]),
    lambda x, r: ak.argmax(x[:, r.randint(0, 1)], axis=0),
    lambda x, _: x[:, 0][x[:, 0] > 2],
    lambda x, r: ak.zip([x, x[x != r.randint(0, 9)]]),
    lambda x, _: ak.sort(x, axis=1)[:, 1],
]


def outcome(number, each):
    r = random.Random(number)
    rows = [[r.randint(0, 9) for _ in range(r.randint(1, 3))] for _ in range(r.randint(1, 9))]
    try:
        x = ak.Array(rows)
        for _ in range(r.randint(1, 3)):
            x = each(r.choice(CHANGES)(x, r))
        return ak.to_list(r.choice(LOOKS)(x, r))
    except (ValueError, IndexError) as e:
        return str(e)


def test_chains():
    failed = 0
    for number in range(150):
        fused = outcome(number, lambda x: x)
        assert fused == outcome(number, ak.materialize), number
        failed += isinstance(fused, str)
    assert failed > 40


# -- many rows, of which one of the last is wrong ------------------------------------------------

ROWS = 700 if KERNELS_ARE_SLOW else 60_000


def long_lists():
    """Lists of 2 to 6, one of 400, and a list of one item far behind."""
    counts = np.random.default_rng(5).integers(2, 7, ROWS)
    counts[ROWS // 2], counts[-ROWS // 10] = 400, 1
    return ak.materialize(ak.unflatten(np.arange(counts.sum()), counts))


def twos(n):
    return ak.from_regular(ak.unflatten(np.tile([1, 0], n), 2))


MANY = {
    "rows": lambda x: x[ak.num(x) != 3],
    "rows twice": lambda x: (lambda y: y[ak.num(y) != 5])(x[ak.num(x) != 3]),
    "few rows": lambda x: x[(x[:, 0] % 64 == 0) | (ak.num(x) == 1)],
    "no rows at first": lambda x: x[x[:, 0] > 2 * ROWS],
    "turned round": lambda x: x[::-1][::-1][ak.num(x) != 3],
    "joined": lambda x: ak.flatten(x[np.newaxis] + 0, axis=1)[ak.num(x) != 4],
    "joined lists": lambda x: ak.flatten(
        ak.unflatten(x, np.full(ROWS // 2, 2))[ak.Array(np.arange(ROWS // 2) % 3 != 1)], axis=1
    ),
    "not missing": lambda x: ak.drop_none(ak.mask(x, ak.num(x) != 3), axis=0),
    "in order": lambda x: ak.sort(x[ak.num(x) != 3], axis=1),
}
ONES = {
    "second": lambda x: x[:, 1],
    "sum of seconds": lambda x: ak.sum(x[:, 1]),
    "picked": lambda x: x[twos(len(x))],
    "beside lists": lambda x: x[:, :2] + twos(len(x)),
    "largest": lambda x: ak.argmax(x[:, 1], axis=0),
}


@pytest.mark.parametrize("change", MANY)
def test_rows_behind_many_blocks(change):
    x = long_lists()
    for name, look in ONES.items():
        texts = []
        for each in (lambda a: a, ak.materialize):
            try:
                ak.to_backend(ak.materialize(look(each(MANY[change](x)))), "cpu")
                texts.append("")
            except (ValueError, IndexError) as e:
                texts.append(str(e))
        assert texts[0] == texts[1], name
        assert "position" in texts[0], name
