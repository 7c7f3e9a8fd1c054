"""sum, max, argmax, mean, any of about 1e7 items in lists of every shape, fused with what makes the
items, and along axis 0; what a mask leaves, stored."""

import awkward as ak
import data
import numpy as np
from harness import Case, Required, close

FUNCTIONS = ("sum", "max", "argmax", "mean", "any")
POLARS = {"argmax": "arg_max"}


def inputs(function: str, offsets: np.ndarray):
    x = np.random.default_rng(4).normal(size=offsets[-1])
    theirs = data.awkward_lists(offsets, x=x > 2 if function == "any" else x)
    return theirs, *data.serrate_lists(theirs)


def per_list(function: str, offsets: np.ndarray) -> Case:
    theirs, ours, sr = inputs(function, offsets)
    contestants = {
        "serrate": lambda: sr.compute(getattr(sr, function)(ours, axis=-1)),
        "awkward": lambda: getattr(ak, function)(theirs, axis=-1),
    }
    if data.polars_counts():
        contestants["polars"] = with_polars(function, theirs)
    required = [Required("awkward", at_least=3), Required("polars", at_least=1.5)]
    return Case(contestants, close(rtol=1e-8, atol=1e-8), required, apart=("polars",))


def with_polars(function: str, array):
    import polars as pl

    frame = pl.from_arrow(
        ak.to_arrow_table(ak.zip({"x": array}, depth_limit=1), extensionarray=False)
    )
    reduced = getattr(pl.col("x").list, POLARS.get(function, function))()
    return lambda: frame.select(reduced)["x"]


def fused(offsets: np.ndarray) -> Case:
    """A sum behind x * y + 1 and a filter, beside the sum of x * y."""
    theirs, ours, sr = inputs("sum", offsets)
    y = theirs * 2
    our_y = sr.from_awkward(y) if sr else None

    def work(library, x, y):
        z = x * y + 1
        return library.sum(z[z > 1], axis=-1)

    contestants = {
        "serrate": lambda: sr.compute(work(sr, ours, our_y)),
        "awkward": lambda: work(ak, theirs, y),
        "serrate, plain": lambda: sr.compute(sr.sum(ours * our_y, axis=-1)),
    }
    required = [Required("awkward", at_least=3), Required("serrate, plain", at_most=1.3)]
    return Case(contestants, close(rtol=1e-8, atol=1e-8), required, apart=("serrate, plain",))


def mask(offsets: np.ndarray) -> Case:
    theirs, ours, sr = inputs("sum", offsets)
    contestants = {
        "serrate": lambda: sr.compute(ours[ours > 0]),
        "awkward": lambda: theirs[theirs > 0],
    }

    def same(got, want):
        close(0)((sr or ak).num(got), ak.num(want))
        close(0)((sr or ak).flatten(got), ak.flatten(want))

    return Case(contestants, same, [Required("awkward", at_least=4)])


def columns(function: str, offsets: np.ndarray) -> Case:
    theirs, ours, sr = inputs(function, offsets)
    contestants = {
        "serrate": lambda: sr.compute(getattr(sr, function)(ours, axis=0)),
        "awkward": lambda: getattr(ak, function)(theirs, axis=0),
    }
    same = close(rtol=1e-8, atol=1e-8)
    return Case(contestants, same, [Required("awkward", at_least=5)])


SHAPES = {
    "short": data.short,
    "long": data.long,
    "pareto": data.pareto,
    "giant": data.giant,
    "empty": data.mostly_empty,
    "regular": data.regular,
}
CASES = {
    **{f"fused_{shape}": lambda make=make: fused(make()) for shape, make in SHAPES.items()},
    **{f"mask_{shape}": lambda make=make: mask(make()) for shape, make in SHAPES.items()},
    **{
        f"{function}_{shape}": lambda function=function, make=make: per_list(function, make())
        for function in FUNCTIONS
        for shape, make in SHAPES.items()
    },
    **{
        f"{function}_axis0": lambda function=function: columns(function, data.short())
        for function in FUNCTIONS
    },
}
