"""sort, argsort, cumsum of about 1e7 float64 in lists of every shape; sets of as many items."""

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


def ordered(name: str, offsets: np.ndarray) -> Case:
    """sort or argsort."""
    _, theirs, ours, sr = lists(offsets)
    contestants = {
        "serrate": lambda: sr.compute(getattr(sr, name)(ours)),
        "awkward": lambda: getattr(ak, name)(theirs),
    }
    return Case(contestants, same(), [Required("awkward", at_least=3)])


def sort_columns(offsets: np.ndarray) -> Case:
    """axis=0: the j-th items of all lists."""
    _, theirs, ours, sr = lists(offsets)
    contestants = {
        "serrate": lambda: sr.compute(sr.sort(ours, axis=0)),
        "awkward": lambda: ak.sort(theirs, axis=0),
    }
    return Case(contestants, same(), [Required("awkward", at_least=1)])


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


def group_by(items: int = 10_000_000) -> Case:
    """Items by one of about 1000 keys; NumPy's users sort the keys and split at their ends."""
    random = np.random.default_rng(7)
    keys, x = random.integers(0, 1000, items), random.normal(size=items)
    sr = data.serrate_or_none()
    ours = (sr.from_numpy(x), sr.from_numpy(keys)) if sr else None

    def by_sorting():
        order = np.argsort(keys, kind="stable")
        ends = np.flatnonzero(np.diff(keys[order])) + 1
        return np.split(x[order], ends)

    def compare(got, want):
        if not isinstance(got, list):
            got = np.asarray(sr.flatten(got[1]))
        close(0)(got if not isinstance(got, list) else np.concatenate(got), np.concatenate(want))

    contestants = {
        "serrate": lambda: sr.compute(*sr.group_by(*ours)),
        "numpy": by_sorting,
    }
    return Case(contestants, compare, [Required("numpy", at_least=1.5)])


def isin(items: int = 10_000_000) -> Case:
    random = np.random.default_rng(8)
    x, some = random.integers(0, 100_000, items), random.integers(0, 100_000, 1000)
    sr = data.serrate_or_none()
    ours = sr.from_numpy(x) if sr else None
    contestants = {
        "serrate": lambda: sr.compute(sr.isin(ours, some)),
        "numpy": lambda: np.isin(x, some, kind="sort"),
        "numpy, table": lambda: np.isin(x, some, kind="table"),
    }
    return Case(contestants, same(), [Required("numpy", at_least=1.5)])


def searchsorted(items: int = 10_000_000) -> Case:
    random = np.random.default_rng(9)
    a, v = np.sort(random.normal(size=1000)), random.normal(size=items)
    sr = data.serrate_or_none()
    ours = (sr.from_numpy(a), sr.from_numpy(v)) if sr else None
    contestants = {
        "serrate": lambda: sr.compute(sr.searchsorted(*ours)),
        "numpy": lambda: np.searchsorted(a, v),
    }
    return Case(contestants, same(), [Required("numpy", at_least=1.5)])


SHAPES = {"short": data.short, "long": data.long, "pareto": data.pareto, "giant": data.giant}
CASES = {
    **{
        f"{name}_{shape}": lambda name=name, make=make: ordered(name, make())
        for name in ("sort", "argsort")
        for shape, make in SHAPES.items()
    },
    **{f"cumsum_{name}": lambda make=make: cumsum(make()) for name, make in SHAPES.items()},
    "sort_axis0": lambda: sort_columns(data.short()),
    "unique_flat": unique,
    "group_by_flat": group_by,
    "isin_flat": isin,
    "searchsorted_flat": searchsorted,
    "sort_giant_threads": lambda: ordered("sort", data.giant()),
}
# Timed with as many threads as there are cores.
ALL_THREADS = ("sort_giant_threads",)
