# Loops whose step uses an array at several positions: each step is done once, so that 64 of them
# take 64 times what one takes, and give what Awkward gives.
import os

import awkward
import numpy as np
import pytest
from conftest import same_values, some

import serrate as ak

STEPS = 64
RNG = np.random.default_rng(17)
FLAT = RNG.normal(size=90)
ORDER = RNG.permutation(90)
COUNTS = RNG.poisson(3, 40)
JAGGED = RNG.normal(size=int(COUNTS.sum()))
MATRIX = RNG.normal(size=(70, 9))

LOOPS = {}


def loop(step):
    LOOPS[step.__name__] = step
    return step


class Inputs:
    def __init__(self, lib):
        self.lib = lib
        self.flat = lib.Array(FLAT)
        self.order = lib.Array(ORDER)
        self.lists = lib.unflatten(lib.Array(JAGGED), COUNTS)
        self.matrix = lib.Array(MATRIX)
        self.items = lib.Array(awkward.argsort(awkward.unflatten(JAGGED, COUNTS)).to_list())


def repeat(a, step):
    for _ in range(STEPS):
        a = step(a)
    return a


@loop
def stencil(lib, x):
    return repeat(x.flat, lambda a: (a[1:] + a[:-1]) / 2)


@loop
def stencil_of_lists(lib, x):
    return repeat(x.lists, lambda a: (lib.concatenate([a[:, 1:], a[:, :1]], axis=1) + a) / 2)


@loop
def stencil_of_rows(lib, x):
    return repeat(x.matrix, lambda a: (a[1:] + a[:-1]) / 2)


@loop
def stencil_of_two_axes(lib, x):
    def step(a):
        turned = lib.concatenate([a[:, 1:], a[:, :1]], axis=1)
        return (lib.concatenate([a[1:], a[:1]]) + turned + a) / 3

    return repeat(x.matrix, step)


@loop
def gather(lib, x):
    return repeat(x.flat, lambda a: (a + a[x.order]) / 2)


@loop
def gather_in_lists(lib, x):
    return repeat(x.lists, lambda a: (a + a[x.items]) / 2)


@loop
def gather_of_lists(lib, x):
    order = lib.Array(np.argsort(np.arange(40) * 7 % 40))
    return repeat(x.lists, lambda a: lib.concatenate([a[order][:, :1], a[:, 1:]], axis=1))


@loop
def reversed_rows(lib, x):
    return repeat(x.flat, lambda a: (a + a[::-1] * 0.5) / 2)


@loop
def concatenated(lib, x):
    return repeat(x.lists, lambda a: lib.concatenate([a, a], axis=1)[:, 1:3])


@loop
def filtered(lib, x):
    return repeat(abs(x.flat), lambda a: a[a > 0] * 0.4 + a[a > -1] * 0.5)


@loop
def filtered_lists(lib, x):
    return repeat(abs(x.lists), lambda a: a[a > 0] * 0.4 + a[a > -1] * 0.5)


@loop
def filtered_rows(lib, x):
    def step(a):
        n = lib.num(a, axis=1)
        return a[n > -1] * 0.5 + a[n > -2] * 0.3

    return repeat(x.lists, step)


@loop
def chosen_of_filtered(lib, x):
    return repeat(abs(x.flat), lambda a: lib.where(a > 0, a[a > 0], a[a > 0]))


@loop
def chosen_of_filtered_lists(lib, x):
    return repeat(abs(x.lists), lambda a: lib.where(a > 0, a[a > 0], a[a > -1]))


@loop
def filled(lib, x):
    return repeat(x.lists, lambda a: lib.fill_none(lib.pad_none(a[:, 1:], 3), 0.5) * 0.9)


@loop
def dropped(lib, x):
    def step(a):
        some = lib.drop_none(lib.mask(a, a > -3), axis=1)
        return some * 0.5 + lib.drop_none(lib.mask(a, a > -4), axis=1) * 0.4

    return repeat(x.lists, step)


@loop
def missing(lib, x):
    return repeat(lib.mask(x.lists, x.lists > 0), lambda a: (a[:, ::-1] + a) / 2)


@loop
def sorted_lists(lib, x):
    return repeat(x.lists, lambda a: (lib.sort(a) + a) / 2)


@loop
def sorted_flat(lib, x):
    return repeat(x.flat, lambda a: (lib.sort(a) + a) / 2)


@loop
def ordered(lib, x):
    return repeat(x.lists, lambda a: (a[lib.argsort(a)] + a) / 2)


@loop
def ordered_flat(lib, x):
    return repeat(x.flat, lambda a: (a[lib.argsort(a)] + a) / 2)


@loop
def centred(lib, x):
    return repeat(x.lists, lambda a: a - lib.mean(a, axis=1) * 0.1)


@loop
def normalised(lib, x):
    def step(a):
        return a / lib.max(a, axis=1) + lib.where(a > lib.mean(a, axis=1), a, 0.0)

    return repeat(abs(x.lists) + 1, step)


@loop
def pairs(lib, x):
    def step(a):
        c = lib.combinations(a, 2)
        return (c["0"] + c["1"])[:, :3] / 2

    return repeat(x.lists[:, :3], step)


@loop
def products(lib, x):
    def step(a):
        c = lib.cartesian([a, a])
        return (c["0"] + c["1"])[:, :2] / 2

    return repeat(x.lists[:, :2], step)


@loop
def flattened(lib, x):
    return repeat(x.lists, lambda a: lib.unflatten(lib.flatten(a) * 0.9, COUNTS))


@loop
def first_items(lib, x):
    return repeat(x.lists, lambda a: (a + lib.fill_none(lib.firsts(a), 0)) / 2)


@loop
def largest_first(lib, x):
    def step(a):
        largest = a[lib.argmax(a, axis=1, keepdims=True)]
        return lib.concatenate([lib.drop_none(largest, axis=1), a[:, 1:]], axis=1)

    return repeat(x.lists, step)


@loop
def records(lib, x):
    def step(r):
        return lib.zip({"x": (r.x[1:] + r.y[:-1]) / 2, "y": (r[1:].y + r[:-1].x) / 2})

    return repeat(lib.zip({"x": x.flat, "y": x.flat * 2}), step)


@loop
def records_in_lists(lib, x):
    def step(r):
        s = r[:, ::-1]
        return lib.zip({"x": (r.x + s.y) / 2, "y": (s.x + r.y) / 2})

    return repeat(lib.zip({"x": x.lists, "y": x.lists * 2}), step)


@loop
def older_iterate(lib, x):
    a, b = x.flat, x.flat * 2
    for _ in range(STEPS):
        a, b = b, (a + b[x.order]) / 2
    return b


@loop
def oldest_iterates(lib, x):
    all_of_them = [x.flat]
    for i in range(STEPS):
        all_of_them.append((all_of_them[-1][::-1] + all_of_them[i // 2]) / 2)
    return all_of_them[-1]


@loop
def three_levels(lib, x):
    a = lib.Array([[[1.0, 2.0], [3.0]], [], [[], [4.0, 5.0, 6.0]], [[7.0]]])
    return repeat(a, lambda a: (a[:, ::-1, ::-1][:, ::-1, ::-1] + a) / 2)


@loop
def squares(lib, x):
    return repeat(x.flat / 2, lambda a: a * a)


@loop
def roots(lib, x):
    return repeat(repeat(repeat(abs(x.flat), root), root), root)


def root(a):
    return (a + np.sqrt(a)) / 2


@pytest.mark.parametrize("name", some(LOOPS, 6))
@np.errstate(under="ignore")
def test_loops_are_linear_and_right(name):
    found = LOOPS[name](ak, Inputs(ak))
    expected = LOOPS[name](awkward, Inputs(awkward))
    assert same_values(found.to_list(), expected.to_list(), 1e-9)


def test_running_sums():
    found = repeat(ak.unflatten(ak.Array(JAGGED), COUNTS), lambda a: ak.cumsum(a) * 0.4 + a * 0.2)
    lists = np.split(JAGGED, np.cumsum(COUNTS)[:-1])
    expected = [repeat(x, lambda a: np.cumsum(a) * 0.4 + a * 0.2).tolist() for x in lists]
    assert same_values(found.to_list(), expected, 1e-9)


def test_turned_lists_of_strings():  # Awkward's get twice as large with each step
    a = [["a", "bb"], [], ["c", "dd", "e"]]
    turned = repeat(ak.Array(a), lambda a: ak.concatenate([a[:, 1:], a[:, :1]], axis=1))
    assert turned.to_list() == repeat(a, lambda a: [x[1:] + x[:1] for x in a])


def test_explain_says_what_was_stored_and_why():
    a = ak.Array(FLAT)
    for _ in range(2):
        a = (a[1:] + a[:-1]) / 2
    if "SERRATE_SEAMS" not in os.environ:  # computing it again is cheaper
        assert "materialised" not in str(ak.explain(a))
    for _ in range(20):
        a = (a[1:] + a[:-1]) / 2
    assert "materialised (test_loops.py:" in str(ak.explain(a))
    assert "additions an item would be made again at other positions" in str(ak.explain(a))
    # What is made of it says so, too.
    assert "materialised" in str(ak.explain(a[::-1] + 1))


LISTS = ak.unflatten(ak.Array(np.arange(1_000_000) % 7), [5000] * 200)
SUMS = np.sum(np.reshape(np.arange(1_000_000) % 7, (200, 5000)), axis=1)
ROWS = np.arange(300_000) * 7 % 200


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda s: s[ROWS], lambda s: s[ROWS]),
        (lambda s: (s + 1)[ROWS], lambda s: s[ROWS] + 1),
        (
            lambda s: ak.fill_none(s[ak.mask(ak.Array(ROWS), ROWS > 0)], -1),
            lambda s: np.where(ROWS > 0, s[ROWS], -1),
        ),
        (lambda s: ak.zip({"a": s, "b": s})[ROWS]["b"], lambda s: s[ROWS]),
        (
            lambda s: ak.unflatten(s, [100, 100])[
                ak.unflatten(ak.Array(ROWS % 100), [150_000] * 2)
            ],
            lambda s: np.stack([s[:100][ROWS[:150_000] % 100], s[100:][ROWS[150_000:] % 100]]),
        ),
        (lambda s: ak.num(LISTS[LISTS >= 0], axis=1)[ROWS], lambda s: np.full(len(ROWS), 5000)),
        (lambda s: s[np.newaxis] + np.zeros((1500, 1)), lambda s: s + np.zeros((1500, 1))),
        (lambda s: s + np.zeros((1500, 1)), lambda s: s + np.zeros((1500, 1))),
        (
            lambda s: ak.broadcast_arrays(
                ak.unflatten(s, 100)[:, np.newaxis], np.zeros((2, 900, 1))
            )[0],
            lambda s: np.broadcast_to(s.reshape(2, 1, 100), (2, 900, 100)),
        ),
        (
            lambda s: ak.to_regular(s[np.newaxis]) @ np.ones((200, 1500)),
            lambda s: np.full((1, 1500), s.sum()),
        ),
    ],
)
def test_what_repeats_items_reduces_lists_once(made, expected):
    sums = ak.sum(LISTS, axis=1)
    result = made(sums)
    assert np.array_equal(ak.to_numpy(ak.to_backend(result, "cpu")), expected(SUMS))


def test_few_items_of_reductions_are_reduced_where_they_are_asked_for():
    sums = ak.sum(LISTS, axis=1)
    assert "reduced again" not in str(ak.explain(sums[[3, 5]] + 1))
    best = LISTS[ak.argmax(LISTS, axis=1, keepdims=True)]
    assert "reduced again" not in str(ak.explain(best, LISTS - ak.mean(LISTS, axis=1)))
    assert ak.explain(LISTS - ak.mean(LISTS, axis=1, keepdims=True)).passes == 1


@pytest.mark.parametrize("axis", [1, 2, None])
def test_joined_lists_do_not_make_their_owners_lists_again(axis):
    # Items of lists of a filter's rows look into what it leaves, a list that axis 0 owns.
    rows = ak.unflatten(np.arange(300_000.0), np.arange(200_000) % 4)
    kept = rows[ak.num(rows, axis=1) < 3]
    nested = ak.unflatten(kept[: len(kept) // 2 * 2], 2)[np.newaxis]
    numbers = np.arange(300_000.0)[np.arange(200_000).repeat(np.arange(200_000) % 4) % 4 != 3]
    joined = ak.flatten(nested, axis=axis)
    assert np.array_equal(ak.to_numpy(ak.to_backend(ak.ravel(joined), "cpu")), numbers)
    plan = str(ak.explain(ak.flatten(ak.unflatten(kept, 1), axis=1)))
    assert "materialised" not in plan


def test_one_look_at_a_long_formula_computes_one_item():
    x = ak.Array(np.arange(1.0, 1001.0))
    y = x
    for i in range(60):
        y = np.sqrt(y * y + i) + x
    plan = str(ak.explain(y[7], y[8]))
    assert "materialised" not in plan
    assert "for each of 1000 rows" not in plan
    z = y[::2] * 2
    assert "materialised" not in str(ak.explain(z[5] + 1))
    assert "all values are stored" not in str(ak.explain(y))


def test_a_formula_of_filters_pairs_and_reductions_is_not_stored_on_the_way():
    x = ak.unflatten(ak.Array(JAGGED), COUNTS)
    events = ak.zip({"pt": abs(x) + 1, "eta": x, "phi": x * 2, "charge": ak.where(x > 0, 1, -1)})
    chosen = events[(events.pt > 1.1) & (abs(events.eta) < 2.4)]
    first, second = ak.unzip(ak.combinations(chosen, 2))
    opposite = first.charge != second.charge
    mass = np.sqrt(
        2
        * first.pt
        * second.pt
        * (np.cosh(first.eta - second.eta) - np.cos(first.phi - second.phi))
    )
    best = ak.max(mass[opposite & (mass > 0.1)], axis=1)
    plan = ak.explain(best, ak.sum(mass[opposite], axis=1))
    assert plan.passes == 1
    assert "materialised" not in str(plan)


def test_shared_subexpressions_are_walked_once():
    x = ak.Array(FLAT / 10)
    y = x
    for _ in range(150):
        y = y * y
    assert ak.explain(y).passes == 1
    assert len(str(ak.explain(y))) < 1000
    y += 1  # looks whether anything may fail
    assert same_values(y.to_list(), [1.0] * len(FLAT), 1e-9)
    # Equal, and made one by one.
    a, b = (repeat(ak.unflatten(ak.Array(JAGGED), COUNTS), lambda a: a[a == a]) for _ in range(2))
    assert same_values((a - b).to_list(), [[0.0] * n for n in COUNTS], 0)


@pytest.mark.parametrize("deeper", [lambda a: a[np.newaxis], lambda a: ak.singletons(a, axis=0)])
def test_thousands_of_levels_are_refused_early(deeper):
    def thousands_of_times(a):
        for _ in range(5000):
            a = deeper(a)

    with pytest.raises(ValueError, match="levels"):
        thousands_of_times(ak.Array([1, 2, 3]))
