"""Results whose size is not known when they are made: on a GPU the host learns it later."""

import awkward
import numpy as np
import pytest
from conftest import assert_same

import serrate as ak

RNG = np.random.default_rng(11)
COUNTS = RNG.poisson(2.5, 300)
LISTS = awkward.unflatten(RNG.normal(size=COUNTS.sum()), COUNTS)
NESTED = awkward.unflatten(LISTS, RNG.multinomial(300, np.ones(40) / 40))
MISSING = awkward.mask(LISTS, LISTS > -0.5)

MADE = {
    "mask": (LISTS, lambda lib, x: x[x > 0.3]),
    "nothing left": (LISTS, lambda lib, x: x[x > 100]),
    "all left": (LISTS, lambda lib, x: x[x > -100]),
    "pairs": (LISTS, lambda lib, x: lib.combinations(x, 2)),
    "triples": (LISTS, lambda lib, x: lib.combinations(x, 3)),
    "pairs again": (LISTS, lambda lib, x: lib.combinations(x, 2, replacement=True)),
    "cartesian": (LISTS, lambda lib, x: lib.cartesian([x, x[x > 0]])),
    "pad_none": (LISTS, lambda lib, x: lib.pad_none(x, 3)),
    "pad_none of what is left": (LISTS, lambda lib, x: lib.pad_none(x[x > 0], 2)),
    "drop_none": (MISSING, lambda lib, x: lib.drop_none(x)),
    "singletons": (LISTS, lambda lib, x: lib.singletons(lib.firsts(x))),
    "slice": (LISTS, lambda lib, x: x[:, 1:3]),
    "steps": (LISTS, lambda lib, x: x[:, ::-2]),
    "concatenate": (LISTS, lambda lib, x: lib.concatenate([x, x[x > 0]], axis=1)),
    "axis 0": (LISTS, lambda lib, x: x[lib.num(x) > 2]),
    "lists of lists": (NESTED, lambda lib, x: x[x > 0.3]),
    "pairs of lists": (NESTED, lambda lib, x: lib.combinations(x, 2, axis=2)),
    "fewer lists": (NESTED, lambda lib, x: x[lib.num(x, axis=2) > 2]),
}


def numbers(lib, x):
    return lib.unzip(x)[-1] if x.fields else x


THEN = {
    "as it is": lambda lib, x: x,
    "times": lambda lib, x: x * 2,
    "sum": lambda lib, x: lib.sum(x, axis=-1),
    "count": lambda lib, x: lib.num(x, axis=1),
    "mask": lambda lib, x: x[x > 0.5],
    "later rows": lambda lib, x: x[20:] + 1,
    "first items": lambda lib, x: x[:, :1] * 3,
    "flatten": lambda lib, x: lib.flatten(x) * 1,
    "sort": lambda lib, x: lib.sort(x, axis=-1),
    "columns": lambda lib, x: lib.count(x, axis=0),
}


@pytest.mark.parametrize("then", THEN)
@pytest.mark.parametrize("made", MADE)
def test_what_comes_after(made, then):
    data, make = MADE[made]
    right = THEN[then](awkward, numbers(awkward, make(awkward, data)))
    ours = make(ak, ak.from_awkward(data))
    ak.compute(ours)
    assert_same(THEN[then](ak, numbers(ak, ours)), right, rtol=1e-12)


@pytest.mark.parametrize("longest", [4, 9000])
@pytest.mark.parametrize("f", [ak.sort, ak.argsort, ak.cumsum])
def test_later_rows_of_lists_that_are_zipped(f, longest):
    """Their stored forms begin behind the items of the rows before."""
    counts = np.array([2, 0, 3, 1, longest, 0, 2])
    x, y = (ak.unflatten(ak.Array(RNG.normal(size=counts.sum())), counts) for _ in range(2))
    rows = ak.zip({"of": ak.zip({"x": x, "y": y}), "n": np.arange(7)}, depth_limit=1)
    for first in (0, 2, 4):
        expected = [f(ak.Array(row), axis=0).to_list() for row in x.to_list()[first:]]
        assert ak.to_list(f(rows.of.x[first:])) == expected
        assert ak.to_list(f(rows[first:].of.x)) == ak.to_list(f(rows.of.x[first:]))


@pytest.mark.parametrize("made", ["mask", "pairs", "pad_none", "lists of lists"])
def test_what_is_held(made):
    data, make = MADE[made]
    ours = make(ak, ak.from_awkward(data))
    on_cpu = make(ak, ak.to_backend(ak.from_awkward(data), "cpu"))
    assert ours.nbytes == on_cpu.nbytes
    assert ak.to_list(ak.to_backend(ours, "cpu")) == ak.to_list(on_cpu)
    assert str(ours.type) == str(on_cpu.type)


@pytest.mark.parametrize("n", [0, 1, 33, 199, 200, 255, 256, 300])
def test_lists_that_a_block_counts_and_more(n):
    rng = np.random.default_rng(n)
    rows = [rng.integers(0, 9, k).tolist() for k in rng.integers(0, 4, n)]
    x = ak.Array([*rows, [5, 5, 1]])[:n]
    some = [i % 3 for i in range(n)]
    flat = ak.Array([*some, 1])[:n]
    assert x[x > 3].to_list() == [[v for v in r if v > 3] for r in rows]
    assert x[flat > 1].to_list() == [r for r, k in zip(rows, some, strict=True) if k > 1]
    assert ak.concatenate([x, x[::-1]], axis=0).to_list() == rows + rows[::-1]
    assert ak.concatenate([x, x], axis=1).to_list() == [r + r for r in rows]
    at = list(range(0, n, 2))
    assert x[at].to_list() == [rows[i] for i in at]
    keys, groups = ak.group_by(x, x)
    assert keys.to_list() == [sorted(set(r)) for r in rows]
    assert groups.to_list() == [[[v] * r.count(v) for v in sorted(set(r))] for r in rows]
    counts = ak.num(groups, axis=2)
    assert counts.to_list() == [[r.count(v) for v in sorted(set(r))] for r in rows]
    pairs = ak.argcartesian([x, x], axis=1)
    assert ak.num(pairs).to_list() == [len(r) ** 2 for r in rows]
