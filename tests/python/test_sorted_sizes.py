# Sorts of lists of every size at which registers, our quicksort and the library take turns.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(47)
SIZES = [2, 8, 9, 16, 17, 33, 64, 65, 127, 128, 129, 255, 256, 257, 300, 511, 512, 513, 1000]
LONG = [4095, 4096, 4097, 10_000, 65_535, 65_536, 65_537, 150_000]


def kinds(t, n):
    """Random, few different, in order, backwards, all equal, a saw, the ends of the type."""
    x = RNG.normal(size=n) * 1e6
    if t[0] == "f":
        odd = x.copy()
        odd[RNG.random(n) < 0.1] = np.nan
        odd[RNG.random(n) < 0.1] = -np.inf
        yield odd.astype(t)
        yield np.where(RNG.random(n) < 0.5, 0.0, -0.0).astype(t)
    else:
        info = np.iinfo(t)
        yield RNG.choice(np.array([info.min, info.max, 0], t), n)
    x = np.abs(x).astype(t)
    yield x
    yield x % np.array(7, t)
    yield np.sort(x)
    yield np.sort(x)[::-1].copy()
    yield np.full(n, 3, t)
    yield (np.arange(n) % 100).astype(t)


@pytest.mark.parametrize("t", ["f4", "f8", "i4", "i8", "u4", "u8"])
def test_rows(t):
    for n in SIZES:
        rows = list(kinds(t, n))
        x = np.stack(rows)
        got = in_ram(ak.sort(ak.Array(x), axis=1))
        np.testing.assert_array_equal(got, np.sort(x, axis=1))
        down = in_ram(ak.sort(ak.Array(x), axis=1, ascending=False))
        if not np.any(np.isnan(x)):
            np.testing.assert_array_equal(down, np.sort(x, axis=1)[:, ::-1])


@pytest.mark.parametrize("t", ["f4", "f8", "i4", "i8"])
@pytest.mark.parametrize("n", LONG)
def test_long(t, n):
    for x in kinds(t, n):
        np.testing.assert_array_equal(in_ram(np.sort(ak.Array(x))), np.sort(x))


@pytest.mark.parametrize("t", ["f4", "f8"])
def test_skewed_lists(t):
    counts = np.minimum(RNG.pareto(0.7, 100_000).astype(int), 9000)
    x = RNG.normal(size=counts.sum()).astype(t)
    owner = np.repeat(np.arange(len(counts)), counts)
    got = in_ram(ak.flatten(ak.sort(ak.unflatten(ak.Array(x), counts), axis=1)))
    np.testing.assert_array_equal(got, x[np.lexsort((x, owner))])
