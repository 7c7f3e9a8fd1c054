"""sort, argsort, cumsum, unique of about 1e7 float64 in lists of every shape."""

import awkward as ak
import data
import numpy as np
from harness import Case, Required, close


def lists(offsets: np.ndarray):
    x = np.random.default_rng(5).normal(size=offsets[-1])
    theirs = data.awkward_lists(offsets, x=x)
    return x, theirs, *data.serrate_lists(theirs)


def same(rtol: float = 0, atol: float = 0):
    """The items of all lists."""
    compare = close(rtol, atol)

    def items(array):
        if isinstance(array, np.ndarray):
            return array
        return (ak if isinstance(array, ak.Array) else data.serrate_or_none()).flatten(
            array, axis=None
        )

    return lambda got, want: compare(items(got), items(want))


def sort(offsets: np.ndarray) -> Case:
    _, theirs, ours, sr = lists(offsets)
    contestants = {
        "serrate": lambda: sr.compute(sr.sort(ours)),
        "awkward": lambda: ak.sort(theirs),
    }
    return Case(contestants, same(), [Required("awkward", at_least=3)])


def argsort(offsets: np.ndarray) -> Case:
    _, theirs, ours, sr = lists(offsets)
    contestants = {
        "serrate": lambda: sr.compute(sr.argsort(ours)),
        "awkward": lambda: ak.argsort(theirs),
    }
    return Case(contestants, same(), [Required("awkward", at_least=3)])


def cumsum(offsets: np.ndarray) -> Case:
    """NumPy has no lists: all items as one list, and what Awkward Array's users do with that."""
    x, _, ours, sr = lists(offsets)
    lengths = np.diff(offsets)

    def per_list():
        sums = np.cumsum(x)
        before = np.concatenate([[0.0], sums])[offsets[:-1]]
        return sums - np.repeat(before, lengths)

    contestants = {
        "serrate": lambda: sr.compute(sr.cumsum(ours)),
        "numpy, per list": per_list,
        "numpy, one list": lambda: np.cumsum(x),
    }
    return Case(
        contestants,
        same(rtol=1e-9, atol=1e-8),
        [Required("numpy, one list", at_least=1.5)],
        apart=("numpy, one list",),
    )


def unique(items: int = 10_000_000) -> Case:
    """One list of integers with about 1000 values."""
    x = np.random.default_rng(6).integers(0, 1000, items)
    sr = data.serrate_or_none()
    ours = sr.from_numpy(x) if sr else None
    contestants = {
        "serrate": lambda: sr.compute(sr.unique(ours)),
        "numpy": lambda: np.unique(x),
    }
    return Case(contestants, same(), [Required("numpy", at_least=1.5)])


SHAPES = {"short": data.short, "long": data.long, "pareto": data.pareto, "giant": data.giant}
CASES = {
    **{f"sort_{name}": lambda shape=shape: sort(shape()) for name, shape in SHAPES.items()},
    **{f"argsort_{name}": lambda shape=shape: argsort(shape()) for name, shape in SHAPES.items()},
    **{f"cumsum_{name}": lambda shape=shape: cumsum(shape()) for name, shape in SHAPES.items()},
    "unique_flat": unique,
    "sort_giant_threads": lambda: sort(data.giant()),
}
# Timed with as many threads as there are cores.
ALL_THREADS = ("sort_giant_threads",)
