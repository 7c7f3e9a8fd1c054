# How many combinations and products lists have: told from their lengths, whatever the tuples are
# of, beside what is made of them.
import math
import os

import numpy as np
import pytest
from conftest import host

import serrate as ak

BACKEND = os.environ.get("SERRATE_BACKEND", "cpu")
RNG = np.random.default_rng(8)
LENGTHS = {
    "short": RNG.integers(0, 6, 200),
    "one": np.array([9]),
    "empty": np.array([0, 0]),
    "skewed": np.where(RNG.random(100_000) < 1e-4, 700, RNG.integers(0, 3, 100_000)),
}


def lists(lengths):
    x = ak.unflatten(np.arange(lengths.sum()), lengths)
    return ak.to_backend(ak.materialize(x), BACKEND)


def number(n, k, replacement):
    return math.comb(n + k - 1, k) if replacement else math.comb(n, k)


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["short", "one", "empty", "skewed"])
def test_combinations(kind, k, replacement):
    n = LENGTHS[kind]
    if kind == "skewed":
        n = np.minimum(n, {1: 700, 2: 700, 3: 60, 4: 20}[k])
    x = lists(n)
    of_length = [number(i, k, replacement) for i in range(n.max(initial=0) + 1)]
    expected = [of_length[i] for i in n]
    tuples = ak.combinations(x, k, replacement=replacement)
    assert host(ak.num(tuples)).to_list() == expected
    assert int(ak.sum(ak.num(tuples), axis=None)) == sum(expected)
    some = ak.combinations(x[x % 2 == 0], k, replacement=replacement)
    left = [len(range(e - i + (e - i) % 2, e, 2)) for i, e in zip(n, np.cumsum(n), strict=True)]
    assert host(ak.num(some)).to_list() == [of_length[i] for i in left]
    # Beside something else that is made of them.
    first = ak.zip({"first": tuples["0"], "more": ak.num(tuples)}, depth_limit=1)
    assert host(ak.num(first.first)).to_list() == host(first.more).to_list() == expected


@pytest.mark.parametrize("kind", ["short", "one", "empty", "skewed"])
def test_products(kind):
    n = np.minimum(LENGTHS[kind], 300)
    m = np.roll(n, 1)
    x, y = lists(n), lists(m)
    pairs = ak.cartesian([x, y])
    assert host(ak.num(pairs)).to_list() == (n * m).tolist()
    three = ak.cartesian([x[:, :3], y[:, :2], x[:, 1:4]])
    expected = np.minimum(n, 3) * np.minimum(m, 2) * np.clip(n - 1, 0, 3)
    assert host(ak.num(three)).to_list() == expected.tolist()
    nested = ak.cartesian([x[:, :5], y[:, :5]], nested=True)
    sums = host(ak.sum(ak.num(nested, axis=2), axis=1)).to_list()
    assert sums == (np.minimum(n, 5) * np.minimum(m, 5)).tolist()


def test_more_than_32_bits_have():
    long = 700 if BACKEND == "reference" else 70_000  # which walks them one by one
    x = lists(np.array([long, 3, 0]))
    assert host(ak.num(ak.combinations(x, 2))).to_list() == [long * (long - 1) // 2, 3, 0]
    assert host(ak.num(ak.cartesian([x, x]))).to_list() == [long**2, 9, 0]
    assert int(ak.sum(ak.num(ak.cartesian([x, x])), axis=None)) == long**2 + 9
