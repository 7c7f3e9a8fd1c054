"""Arrays in partitions, for the tests of what is done partition by partition."""

import itertools

import numpy as np
from conftest import same_values

import serrate as ak


def events(n, seed=0, skew=False):
    """n events of muons with pt, eta, charge; met, a label, a number that may be missing."""
    r = np.random.default_rng(seed)
    counts = r.integers(0, 4, n)
    if skew and n:
        counts[r.integers(0, n)] = 50 * n
    items = int(counts.sum())
    muon = ak.zip(
        {
            "pt": ak.unflatten(ak.Array(np.round(r.exponential(20, items), 3)), counts),
            "eta": ak.unflatten(ak.Array(np.round(r.normal(0, 1, items), 3)), counts),
            "charge": ak.unflatten(ak.Array(r.integers(-1, 2, items)), counts),
        }
    )
    number = ak.Array(r.integers(0, 9, n))
    return ak.zip(
        {
            "muon": muon,
            "met": ak.Array(np.round(r.exponential(10, n), 3)),
            "n": ak.Array(np.arange(n) + 1000 * seed),
            "label": ak.Array([str(x) for x in r.integers(0, 3, n)] + ["z"])[:-1],
            "maybe": ak.mask(number, number > 2),
        },
        depth_limit=1,
    )


def cut(array, lengths):
    """Partitions of these lengths, the last one has the rest."""
    ends = np.cumsum([0, *lengths])
    parts = [array[a:b] for a, b in itertools.pairwise(ends)]
    return [*parts, array[int(ends[-1]) :]]


def as_python(x):
    """Values that can be compared."""
    if isinstance(x, tuple | list):
        return type(x)(map(as_python, x))
    if isinstance(x, ak.PartitionedArray):
        x = x.compute()
    return x.to_list() if isinstance(x, ak.Array | ak.Record) else x


def same(x, y):
    """Equal values, of floats to 1e-12, missing ones where they are missing, and equal types."""
    if isinstance(y, tuple | list):
        assert len(x) == len(y)
        for a, b in zip(x, y, strict=True):
            same(a, b)
        return
    x = x.compute() if isinstance(x, ak.PartitionedArray) else x
    if isinstance(y, ak.Array):
        assert str(x.type) == str(y.type)
    else:
        assert type(x) is type(y)
    assert same_values(as_python(x), as_python(y), 1e-12)
