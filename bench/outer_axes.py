"""Reducers, sorts and scans along the outer axes of lists of lists of 1M lists, of all shapes, and
views of whole arrays. Awkward Array's take as long as lists times the longest one where one list
holds most of it: there the promise is about seconds."""

import awkward as ak
import data
import numpy as np
from harness import Case, Required, close

LISTS = 1_000_000


def lengths(shape: str, lists: int = LISTS) -> tuple[np.ndarray, np.ndarray]:
    """How many lists each list has, and how many items these."""
    random = np.random.default_rng(5)

    def some(mean: float, n: int) -> np.ndarray:
        if shape == "regular":
            return np.full(n, 3)
        many = random.poisson(mean, n)
        return np.where(random.random(n) < 0.9, 0, many) if shape == "empty" else many

    outer = some(1 if shape == "giant" else 3, lists)
    if shape == "giant":
        outer[lists // 2] = lists
    return outer, some(3, outer.sum())


def array(shape: str, lists: int = LISTS) -> ak.Array:
    outer, inner = lengths(shape, lists)
    values = np.random.default_rng(6).normal(size=inner.sum())
    two = ak.contents.ListOffsetArray(
        ak.index.Index64(data.offsets_of(inner)), ak.contents.NumpyArray(values)
    )
    return ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(data.offsets_of(outer)), two))


def inputs(shape: str, lists: int = LISTS):
    theirs = array(shape, lists)
    return theirs, *data.serrate_lists(theirs)


def same_items(sr):
    def same(got, want):
        close(1e-8, 1e-8)((sr or ak).ravel(got), ak.ravel(want))

    return same


def along(function: str, shape: str, axis: int) -> Case:
    theirs, ours, sr = inputs(shape)
    contestants = {"serrate": lambda: sr.compute(getattr(sr, function)(ours, axis=axis))}
    if shape == "giant":
        return Case(contestants, None, [Required(at_most=1)])
    contestants["awkward"] = lambda: getattr(ak, function)(theirs, axis=axis)
    return Case(contestants, same_items(sr), [Required("awkward", at_most=1)])


def view(*where) -> Case:
    theirs, ours, sr = inputs("poisson")
    contestants = {
        "serrate": lambda: sr.compute(ours[where]),
        "awkward": lambda: theirs[where],
    }
    return Case(contestants, same_items(sr), [Required(at_most=50e-6)])


SHAPES = ("poisson", "giant", "empty", "regular")
REDUCERS = ("sum", "max", "argmax", "any", "count", "prod", "var")
CASES = {
    **{
        f"{function}_3_{shape}": lambda function=function, shape=shape: along(function, shape, 0)
        for function in REDUCERS
        for shape in SHAPES
        if function != "argmax" or shape == "giant"  # Awkward's are wrong
    },
    **{f"sum_3_axis1_{shape}": lambda shape=shape: along("sum", shape, 1) for shape in SHAPES},
    "sort_3_poisson": lambda: along("sort", "poisson", 0),
    "sort_3_giant": lambda: along("sort", "giant", 0),
    "cumsum_3_giant": lambda: along("cumsum", "giant", 0),
    "median_3_giant": lambda: along("median", "giant", 0),
    "newaxis": lambda: view(None),
    "newaxis_inside": lambda: view(slice(None), None),
}
