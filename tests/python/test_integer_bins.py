# Histograms of integers, whose bins are looked up where an axis spans few of them.
import boost_histogram as bh
import numpy as np
import pytest
from host import in_ram

import serrate as ak
from serrate import axis

RANDOM = np.random.default_rng(12)
TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
# On both sides of the seam, ends between integers and on them, far from 0.
RANGES = [(-3, 3), (-3.5, 2.25), (0, 1), (0.25, 0.75), (0, 511), (0, 511.5), (0, 512), (-100, 500)]
RANGES += [(1 << 40, (1 << 40) + 100), (-127, 0), (-10, 117), (100, 126), (100, 127)]
RANGES += [(-32767, -32500), (32300, 32766), (32300, 32767), ((1 << 31) - 90, (1 << 31) - 2)]


def integers(t, n=3000):
    """Around 0, beyond any range, and the ends of the type."""
    info = np.iinfo(t)
    near = RANDOM.integers(max(-9, info.min), 9, n, dtype=t)
    far = RANDOM.integers(max(-700, info.min), min(700, info.max), n, dtype=t)
    ends = np.array([info.min, info.min + 1, info.max - 1, info.max], t)
    large = np.array([(1 << k) + d for k in (40, 60) for d in range(-2, 200)])
    large = large[large <= info.max].astype(t)
    return np.concatenate([near, far, ends, large])


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("bins", [1, 7, 100, 1000])
def test_as_numpy(t, bins):
    x = integers(t)
    for ends in RANGES:
        got, edges = np.histogram(ak.Array(x), bins, ends)
        want, their_edges = np.histogram(x, bins, ends)
        np.testing.assert_array_equal(in_ram(got), want)
        np.testing.assert_array_equal(in_ram(edges), their_edges)


@pytest.mark.parametrize("t", ["i2", "i8", "u8"])
@pytest.mark.parametrize("flow", [(True, True), (True, False), (False, True), (False, False)])
def test_axes_as_boost_histogram(t, flow):
    x = integers(t)
    options = {"underflow": flow[0], "overflow": flow[1]}
    weights = RANDOM.integers(0, 8, len(x)) / 4
    for lo, hi in RANGES:
        edges = [lo, lo + (hi - lo) / 3, (lo + hi) / 2, hi]
        for one in (axis.Regular(13, lo, hi, **options), axis.Variable(edges, **options)):
            theirs = bh.Histogram(axis.to_boost(one), storage=bh.storage.Weight())
            theirs.fill(x, weight=weights)
            ours = ak.Histogram(one, weighted=True).fill(ak.Array(x), weight=ak.Array(weights))
            np.testing.assert_array_equal(ours.values(flow=True), theirs.values(flow=True))


def test_skewed_lists():
    counts = np.minimum(RANDOM.pareto(1, 100_000).astype(int), 1000)
    x = RANDOM.integers(-5, 50, counts.sum())
    lists = ak.unflatten(ak.Array(x), counts)
    np.testing.assert_array_equal(
        in_ram(ak.histogram(lists, 20, 0, 40)), np.histogram(x[x < 40], 20, (0, 40))[0]
    )
