"""What depends on whole lists, reduced along an axis around them: each list is looked at once.

Of lists of 60,000 items a list made for each item would be 30 GB and minutes.
"""

import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, some

import serrate as ak

RNG = np.random.default_rng(5)
LONG = 300 if KERNELS_ARE_SLOW else 60_000
WHOLE = {
    "cumsum": lambda x: ak.cumsum(x, axis=-1),
    "sort": lambda x: ak.sort(x, axis=-1),
    "rank": lambda x: ak.rank(x, axis=-1),
    "less the mean": lambda x: x - ak.mean(x, axis=-1, keepdims=True),
    "softmax": lambda x: ak.softmax(x, axis=-1),
    "in order": lambda x: x[ak.argsort(x, axis=-1)],
    "unique": lambda x: ak.unique(x, axis=-1),
    "last of few": lambda x: x * ak.fill_none(ak.firsts(x[x > 1], axis=-1), 0)[..., np.newaxis],
}
REDUCED = {
    "max": lambda y, axis: ak.max(y, axis=axis),
    "sum": lambda y, axis: ak.sum(y, axis=axis),
    "argmin": lambda y, axis: ak.argmin(y, axis=axis),
    "median": lambda y, axis: ak.median(y, axis=axis),
    "all": lambda y, axis: ak.all(y > 0, axis=axis),
    "kept": lambda y, axis: ak.mean(y, axis=axis, keepdims=True),
}
KINDS = ["regular", "regular lists", "any length", "missing rows"]


def lists(kind):
    """Rows of lists of lists, of which one is long."""
    if kind == "regular":
        return ak.from_numpy(RNG.normal(size=(2, 1, LONG)))
    if kind == "regular lists":
        return ak.from_regular(lists("regular"), axis=2)
    inner = np.array([2, LONG, 0, 3, 1, 40])
    x = ak.unflatten(ak.from_numpy(RNG.normal(size=inner.sum())), ak.from_numpy(inner))
    x = ak.unflatten(x, ak.from_numpy(np.array([2, 0, 3, 1])))
    return x if kind == "any length" else ak.mask(x, np.array([True, True, False, True]))


@pytest.mark.parametrize("kind", some(KINDS, 2))
@pytest.mark.parametrize("reduced", some(REDUCED, 3))
@pytest.mark.parametrize("whole", some(WHOLE, 3))
def test_around_whole_lists(whole, reduced, kind):
    x = ak.materialize(lists(kind))
    before = ak.materialize(WHOLE[whole](x))
    for axis in (0, -2) if KERNELS_ARE_SLOW else (0, 1, -3, -2):
        now = REDUCED[reduced](WHOLE[whole](x), axis)
        want = REDUCED[reduced](before, axis)
        assert str(ak.type(now)) == str(ak.type(want))
        assert ak.array_equal(now, want, equal_nan=True), axis
