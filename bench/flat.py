"""Flat and regular arrays of 1e6 numbers beside NumPy: columns, groups of small integers, parts of
complex numbers, runs, neighbours, words."""

import data
import numpy as np
from harness import Case, Required, close

N = 1_000_000
RNG = np.random.default_rng(17)


def beside(x, ours, theirs, at_least) -> Case:
    """ours(serrate, array) and theirs(x) of the same numbers; results are flat or regular."""
    sr = data.serrate_or_none()
    contestants = {"numpy": lambda: theirs(x)}
    if sr:
        array = sr.materialize(sr.Array(x))
        contestants["serrate"] = lambda: sr.compute(ours(sr, array))

    def same(got, want):
        close(1e-9, 1e-9)(got if isinstance(got, np.ndarray) else sr.to_numpy(got), want)

    return Case(contestants, same, [Required("numpy", at_least=at_least)])


def column(name: str, rows: int, at_least: float) -> Case:
    x = RNG.normal(size=(rows, N // rows))
    return beside(
        x,
        lambda sr, a: getattr(sr, name)(a, axis=0),
        lambda x: getattr(np, name)(x, axis=0),
        at_least,
    )


def sums_of_small_keys(groups: int, at_least: float) -> Case:
    keys = np.concatenate([np.arange(groups), RNG.integers(0, groups, N - groups)])

    def ours(sr, a):
        return sr.sum(sr.group_by(a, keys_of(sr))[1], axis=-1)

    kept = []

    def keys_of(sr):
        if not kept:
            kept.append(sr.materialize(sr.Array(keys)))
        return kept[0]

    return beside(RNG.normal(size=N), ours, lambda x: np.bincount(keys, x), at_least)


def parts_of_complex(ours, theirs, at_least) -> Case:
    return beside(RNG.normal(size=N) + 1j * RNG.normal(size=N), ours, theirs, at_least)


def run_lengths(x):
    return np.diff(np.r_[0, np.flatnonzero(x[1:] != x[:-1]) + 1, len(x)])


SHAPES = (10, 1_000, 100_000)
CASES = {
    **{
        f"{name}_{rows}_rows": lambda name=name, rows=rows: column(name, rows, 1)
        for name in ("cumsum", "sort", "mean")
        for rows in SHAPES
    },
    **{
        f"sums_of_{groups}_small_keys": lambda groups=groups: sums_of_small_keys(groups, 0.5)
        for groups in (10, 1_000, 200_000)
    },
    "abs_complex": lambda: parts_of_complex(lambda sr, a: abs(a), np.abs, 0.5),
    "angle_complex": lambda: parts_of_complex(lambda sr, a: np.angle(a), np.angle, 1),
    "square_complex": lambda: parts_of_complex(lambda sr, a: a**2, lambda x: x**2, 0.8),
    "diff": lambda: beside(RNG.normal(size=N), lambda sr, a: sr.diff(a), np.diff, 0.8),
    "run_lengths": lambda: beside(
        RNG.integers(0, 3, N), lambda sr, a: sr.run_lengths(a), run_lengths, 1
    ),
    "concatenate_types": lambda: beside(
        RNG.normal(size=N),
        lambda sr, a: sr.concatenate([a, integers(sr)]),
        lambda x: np.concatenate([x, INTEGERS]),
        0.8,
    ),
}
INTEGERS = RNG.integers(0, 100, N).astype("i4")
KEPT = []


def integers(sr):
    if not KEPT:
        KEPT.append(sr.materialize(sr.Array(INTEGERS)))
    return KEPT[0]
