"""Histograms of 1e8 float64: few bins, many bins, weighted in two dimensions."""

import boost_histogram as bh
import data
import numpy as np
from harness import Case, Required, check

ITEMS = 100_000_000


def values(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=ITEMS)


def same(got, want):
    got, want = (x if isinstance(x, np.ndarray) else np.asarray(x) for x in (got, want))
    check(bool(np.allclose(got, want, rtol=1e-9)), "bins differ")


def one_axis(bins: int) -> Case:
    x = values(1)
    sr = data.serrate_or_none()
    ours = sr.from_numpy(x) if sr else None

    def theirs():
        h = bh.Histogram(bh.axis.Regular(bins, -4, 4), storage=bh.storage.Int64())
        return h.fill(x).values()

    contestants = {
        "serrate": lambda: sr.compute(sr.histogram(ours, bins, -4, 4)),
        "boost-histogram": theirs,
        "numpy": lambda: np.histogram(x, bins, (-4, 4))[0],
    }
    required = [Required("boost-histogram", at_least=1.5)]
    return Case(contestants, same, required, apart=("numpy",))


def weighted_2d() -> Case:
    x, y, w = (values(seed) for seed in (2, 3, 4))
    sr = data.serrate_or_none()
    ours = [sr.from_numpy(v) for v in (x, y, w)] if sr else None

    def with_serrate():
        axes = sr.axis.Regular(50, -3, 3), sr.axis.Regular(50, -3, 3)
        h = sr.Histogram(*axes, weighted=True).fill(*ours[:2], weight=ours[2])
        return np.stack([h.values(), h.variances()])

    def theirs():
        h = bh.Histogram(*[bh.axis.Regular(50, -3, 3)] * 2, storage=bh.storage.Weight())
        h.fill(x, y, weight=w)
        return np.stack([h.values(), h.variances()])

    contestants = {"serrate": with_serrate, "boost-histogram": theirs}
    return Case(contestants, same, [Required("boost-histogram", at_least=1.5)])


CASES = {
    "histogram_100": lambda: one_axis(100),
    "histogram_1200": lambda: one_axis(1200),
    "histogram_weighted_2d": weighted_2d,
}
