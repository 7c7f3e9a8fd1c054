"""sum(x * x, axis=-1) of about 1e7 float64 in lists of every shape."""

import awkward as ak
import data
import loops
import numpy as np
from harness import Case, Required, close


def sums(offsets: np.ndarray) -> Case:
    x = np.random.default_rng(4).normal(size=offsets[-1])
    theirs = data.awkward_lists(offsets, x=x)
    ours, sr = data.serrate_lists(theirs)
    lists = len(offsets) - 1
    out = np.empty(lists)

    def loop():
        loops.call("sum_of_squares", lists, offsets, x, out)
        return out

    contestants = {
        "serrate": lambda: sr.compute(sr.sum(ours * ours, axis=-1)),
        "awkward": lambda: ak.sum(theirs * theirs, axis=-1),
        "C++": loop,
    }
    if data.polars_counts():
        contestants["polars"] = with_polars(theirs)
    # Long sums in another order: the error grows with the number of items.
    return Case(contestants, close(rtol=1e-10), [Required("awkward", at_least=2)])


def with_polars(array):
    import polars as pl

    frame = pl.from_arrow(
        ak.to_arrow_table(ak.zip({"x": array}, depth_limit=1), extensionarray=False)
    )
    squares = (pl.col("x") * pl.col("x")).list.sum()
    return lambda: frame.select(squares)["x"]


CASES = {
    "ragged_sum_short": lambda: sums(data.short()),
    "ragged_sum_long": lambda: sums(data.long()),
    "ragged_sum_pareto": lambda: sums(data.pareto()),
    "ragged_sum_giant": lambda: sums(data.giant()),
    "ragged_sum_giant_threads": lambda: sums(data.giant()),
}
# Timed with as many threads as there are cores.
ALL_THREADS = ("ragged_sum_giant_threads",)
