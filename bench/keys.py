"""Keys and order statistics of 1e6 flat items: groups, sets, selection, products of matrices."""

import data
import numpy as np
from harness import Case, Required, close

N = 1_000_000
RNG = np.random.default_rng(8)


def polars_or_none():
    try:
        import polars
    except ImportError:
        return None
    return polars


def case(ours, rivals, compare, required):
    """Contestants that are installed, ours as f(serrate)."""
    sr = data.serrate_or_none()
    contestants = {"serrate": ours(sr)} if sr else {}
    contestants.update({name: f for name, f in rivals.items() if f})
    return Case(contestants, compare, [Required(r, at_least=x) for r, x in required.items()])


def numbers(compare):
    """Of values alone, whatever holds them."""

    def values(x):
        return np.sort(np.atleast_1d(np.asarray(x)).astype(float))

    return lambda got, want: compare(values(got), values(want))


def keys_of(groups, words):
    keys = RNG.integers(0, groups, N)
    return [f"word{k}" for k in keys] if words else keys * 7919


def sums_of_groups(groups: int, words: bool = False) -> Case:
    keys, x = keys_of(groups, words), RNG.normal(size=N)
    pl = polars_or_none()

    def by_order():
        _, number = np.unique(keys, return_inverse=True)
        return np.bincount(number, x)

    def ours(sr):
        k, v = sr.materialize(sr.Array(keys)), sr.Array(x)
        return lambda: sr.compute(sr.sum(sr.group_by(v, k)[1], axis=-1))

    frame = pl and pl.DataFrame({"k": keys, "x": x})
    rivals = {
        "numpy": by_order,
        "polars": pl and (lambda: frame.group_by("k").agg(pl.col("x").sum())["x"].to_numpy()),
    }
    return case(ours, rivals, numbers(close(1e-9, 1e-9)), {"polars": 1, "numpy": 1})


def value_counts(groups: int, words: bool = False) -> Case:
    keys = keys_of(groups, words)
    pl = polars_or_none()

    def ours(sr):
        k = sr.materialize(sr.Array(keys))
        return lambda: sr.compute(sr.value_counts(k)["count"])

    array = np.array(keys)
    series = pl and pl.Series(keys)
    rivals = {
        "numpy": lambda: np.unique(array, return_counts=True)[1],
        "polars": pl and (lambda: series.value_counts()["count"].to_numpy()),
    }
    return case(ours, rivals, numbers(close(0)), {"polars": 1, "numpy": 1})


def isin(words: bool = False) -> Case:
    values = keys_of(10**6 if not words else 5_000, words)
    among = values[: 100_000 if not words else 50]
    pl = polars_or_none()

    def ours(sr):
        x, s = sr.materialize(sr.Array(values)), sr.materialize(sr.Array(among))
        return lambda: sr.compute(sr.isin(x, s))

    array, some = np.array(values), np.array(among)
    series, part = pl and pl.Series(values), pl and pl.Series(among)
    rivals = {
        "numpy": lambda: np.isin(array, some),
        "polars": pl and (lambda: series.is_in(part.implode()).to_numpy()),
    }
    return case(ours, rivals, close(0), {"polars": 1, "numpy": 1})


def selected(ours, theirs) -> Case:
    x = RNG.normal(size=N)

    def make(sr):
        y = sr.Array(x)
        return lambda: sr.compute(ours(sr, y))

    return case(make, {"numpy": lambda: theirs(x)}, numbers(close(1e-9, 1e-9)), {"numpy": 1})


def product(n: int) -> Case:
    x = RNG.normal(size=(n, n))

    def ours(sr):
        y = sr.Array(x)
        return lambda: sr.compute(y @ y)

    return case(ours, {"numpy": lambda: x @ x}, close(1e-9, 1e-9), {"numpy": 0.8})


CASES = {
    "group_sums_1000": lambda: sums_of_groups(1_000),
    "group_sums_200k": lambda: sums_of_groups(200_000),
    "group_sums_words": lambda: sums_of_groups(5_000, words=True),
    "value_counts_1000": lambda: value_counts(1_000),
    "value_counts_200k": lambda: value_counts(200_000),
    "value_counts_words": lambda: value_counts(5_000, words=True),
    "isin_100k": isin,
    "isin_words": lambda: isin(words=True),
    "median": lambda: selected(lambda ak, x: ak.median(x), np.median),
    "quantile": lambda: selected(lambda ak, x: ak.quantile(x, 0.3), lambda x: np.quantile(x, 0.3)),
    "topk": lambda: selected(
        lambda ak, x: ak.topk(x, 10), lambda x: np.sort(np.partition(x, -10)[-10:])
    ),
    "partition": lambda: selected(
        lambda ak, x: ak.partition(x, N // 2), lambda x: np.partition(x, N // 2)
    ),
    "matmul_64": lambda: product(64),
    "matmul_1000": lambda: product(1_000),
}
