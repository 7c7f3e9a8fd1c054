# Lists that each item of another list looks at again: nested products and what is folded in them.
import os

import awkward
import numpy as np
import pytest
from conftest import assert_same, some

import serrate as ak


def lists(seed, rows, mean, missing=False):
    random = np.random.default_rng(seed)
    counts = random.poisson(mean, rows)
    x = awkward.unflatten(random.normal(size=counts.sum()).round(2), counts)
    if missing:
        x = awkward.mask(x, awkward.local_index(x) % 3 != 1)
        x = awkward.mask(x, np.arange(rows) % 7 != 2)
    return x


def pairs(lib, a, b):
    return lib.unzip(lib.cartesian([a, b], nested=True))


def three(lib, a, b, reducer):
    x, y, z = lib.unzip(lib.cartesian([a, b, b * 2], nested=True))
    return reducer(x * y + z, axis=-1)


def of_combinations(lib, a, b):
    couples = lib.combinations(a, 2, fields=["one", "two"])
    c, y = pairs(lib, couples, b)
    return lib.min(abs(c.one + c.two - y), axis=2)


# What is said of the items of b alone is asked for in many ways.
FOLDS = {
    "smallest": lambda lib, a, b: (lambda x, y: lib.min(abs(x - y), axis=2))(*pairs(lib, a, b)),
    "least distance": lambda lib, a, b: (
        lambda x, y: lib.min(np.sqrt((x - y) ** 2 + abs(y)), axis=2)
    )(*pairs(lib, a, b)),
    "of one side": lambda lib, a, b: lib.sum(np.exp(pairs(lib, a, b)[1]), axis=2),
    "of the other": lambda lib, a, b: lib.sum(pairs(lib, a, b)[0], axis=2),
    "where": lambda lib, a, b: (lambda x, y: lib.argmin(abs(x - y), axis=2))(*pairs(lib, a, b)),
    "how many": lambda lib, a, b: lib.num(lib.cartesian([a, b], nested=True), axis=2),
    "any": lambda lib, a, b: (lambda x, y: lib.any(x > y, axis=2))(*pairs(lib, a, b)),
    "turned round": lambda lib, a, b: (lambda x, y: lib.max(x * y, axis=2))(
        *pairs(lib, a, b[:, ::-1])
    ),
    "cut": lambda lib, a, b: (lambda x, y: lib.max(x * y, axis=2))(*pairs(lib, a, b[b > 0])),
    "both cut": lambda lib, a, b: (lambda x, y: lib.max(x * y, axis=2))(
        *pairs(lib, a[a < 1], b[b > 0])
    ),
    "cut before and behind": lambda lib, a, b: (
        lambda x, y: lib.count((x * y)[(y > -0.5) & (x > y)], axis=2)
    )(*pairs(lib, a, b[b > -1])),
    "first ones": lambda lib, a, b: (lambda x, y: lib.sum(x - y, axis=2))(*pairs(lib, a, b[:, :2])),
    "twice": lambda lib, a, b: (
        lambda x, y: lib.min(abs(x - y), axis=2) + lib.max(abs(x - y), axis=2)
    )(*pairs(lib, a, b)),
    "from the mean": lambda lib, a, b: (lambda x, y: lib.max(x + y, axis=2))(
        *pairs(lib, a, b - lib.sum(b, axis=1))
    ),
    "all of it": lambda lib, a, b: (lambda x, y: x * 10 + y)(*pairs(lib, a, b)),
    "places": lambda lib, a, b: (lambda x, y: x * 10 + y)(
        *lib.unzip(lib.argcartesian([a, b], nested=True))
    ),
    "least of all": lambda lib, a, b: (lambda x, y: lib.min(lib.max(abs(x - y), axis=2), axis=1))(
        *pairs(lib, a, b)
    ),
    "three": lambda lib, a, b: three(lib, a, b, lib.min),
    "three, of three": lambda lib, a, b: three(lib, a, b, lambda x, axis: lib.sum(x, axis=3)),
    "three, at once": lambda lib, a, b: three(lib, a, b, lambda x, axis: x),
    "couples": of_combinations,
}
DATA = {
    "short": (lists(1, 300, 1.5), lists(2, 300, 1.5)),
    "longer": (lists(3, 40, 6), lists(4, 40, 9)),
    "few and many": (lists(5, 60, 0.3), lists(6, 60, 20)),
    "missing": (lists(7, 60, 2, missing=True), lists(8, 60, 2)),
    "missing ones": (lists(9, 60, 2), lists(10, 60, 2, missing=True)),
    "of itself": (lists(11, 60, 2),) * 2,
    "none": (lists(12, 0, 2), lists(13, 0, 2)),
    "empty": (lists(14, 20, 0), lists(15, 20, 2)),
}
CALLS = [(d, f) for d in DATA for f in FOLDS]


@pytest.mark.parametrize(("data", "name"), some(CALLS, 5))
def test_folds_of_products(data, name):
    a, b = DATA[data]
    call = FOLDS[name]
    try:
        theirs = call(awkward, a, b)
    except ValueError:  # it picks from what is missing, or lists of nothing
        theirs = None
    ours = call(ak, ak.from_awkward(a), ak.from_awkward(b))
    if theirs is None:
        assert len(ours) == len(a)
    else:
        assert_same(ours, theirs, rtol=1e-12)


def test_lists_anywhere_in_memory():
    # Built alike but for where lists are: one plan may not stand for the other.
    values = np.arange(12.0)
    content = awkward.contents.NumpyArray(values)
    follow = awkward.contents.ListOffsetArray(awkward.index.Index64([0, 3, 3, 5, 12]), content)
    starts = awkward.index.Index64([7, 0, 2, 1])
    stops = awkward.index.Index64([12, 3, 2, 4])
    spread = awkward.contents.ListArray(starts, stops, content)
    regular = awkward.contents.RegularArray(content, 3)
    left = awkward.Array([[1.0, 10.0], [100.0], [], [1000.0, 5.0, 7.0]])
    for right in (follow, spread, regular, follow, spread):
        theirs = awkward.Array(right)
        for name in ("smallest", "all of it", "turned round", "of one side"):
            ours = FOLDS[name](ak, ak.from_awkward(left), ak.from_awkward(theirs))
            assert_same(ours, FOLDS[name](awkward, left, theirs), rtol=1e-12)


def test_one_list_for_many():
    # Along axis 0 all look at one list, and a long one at each other's items.
    x = awkward.Array(np.arange(300.0))
    for call in (
        lambda lib, x: lib.min(abs(np.subtract(*pairs_of_rows(lib, x)) + 0.5), axis=1),
        lambda lib, x: lib.sum(np.subtract(*pairs(lib, x[np.newaxis], x[np.newaxis, ::2])), axis=2),
    ):
        assert_same(call(ak, ak.from_awkward(x)), call(awkward, x), rtol=1e-12)


def pairs_of_rows(lib, x):
    return lib.unzip(lib.cartesian([x, x], axis=0, nested=True))


def test_deeper_lists():
    random = np.random.default_rng(5)
    flat = random.normal(size=600).round(2)
    deep = awkward.unflatten(awkward.unflatten(flat, [4, 0, 3, 1, 2] * 60), [3, 0, 2] * 60)
    other = deep[:, ::-1]
    for axis in (1, 2):
        x, y = (
            lib.unzip(lib.cartesian([d, o], axis=axis, nested=True))
            for lib, d, o in (
                (awkward, deep, other),
                (ak, ak.from_awkward(deep), ak.from_awkward(other)),
            )
        )
        theirs, ours = (awkward, x), (ak, y)
        results = [
            lib.sum(a * 2 + b if axis == 2 else b, axis=axis + 1) for lib, (a, b) in (ours, theirs)
        ]
        assert_same(*results, rtol=1e-12)


@pytest.mark.parametrize("name", ["smallest", "where", "cut", "from the mean"])
def test_many_rows_of_any_length(name):
    random = np.random.default_rng(3)
    rows = some([3_000, 100_000], 2)[-1]
    counts = [np.minimum(random.geometric(0.5, rows) - 1, 30) for _ in range(2)]
    for c in counts:
        c[random.integers(0, rows, 5)] = 200
    a, b = (awkward.unflatten(random.normal(size=c.sum()), c) for c in counts)
    call = FOLDS[name]
    ours = call(ak, ak.from_awkward(a), ak.from_awkward(b))
    assert_same(ours, call(awkward, a, b), rtol=1e-12)


def test_a_pair_of_long_lists():
    # More pairs than a block has, and one that is walked in parts.
    a, b = np.arange(1500.0), np.arange(1200.0)[::-1].copy()
    ours = [ak.Array([a.tolist(), [1.0], []]), ak.Array([b.tolist(), [], [2.0]])]
    x, y = pairs(ak, *ours)
    nearest = ak.min(abs(x * 2 - y), axis=2)
    expected = np.where(a < 600, np.abs(2 * a - np.round(2 * a).clip(0, 1199)), 2 * a - 1199)
    assert nearest[0].to_list() == expected.tolist()
    assert nearest[1:].to_list() == [[None], []]
    assert ak.sum(np.sin(y), axis=2)[0].to_list() == [pytest.approx(np.sin(b).sum())] * 1500


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_what_is_walked():
    a, b = (ak.from_awkward(x) for x in DATA["short"])
    x, y = pairs(ak, a, np.exp(b))
    plan = ak.explain(ak.min(abs(x - y), axis=2))
    if "SERRATE_SEAMS" not in os.environ:  # exp(b) may be stored before, else
        assert "for each item of its owner's list" in plan.text
        assert plan.passes == 1
