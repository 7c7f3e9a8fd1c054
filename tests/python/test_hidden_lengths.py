"""Lists of any length by their type that are regular in memory: nothing tells them from others."""

import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, some

import serrate as ak

# Of any length: one level, both, or a level of two.
LEVELS = {"outer": [1], "inner": [2], "both": [2, 1], "deep": [1, 2, 3]}
# What is left of them, looked at now or later.
LEFT = {
    "all": lambda x: x,
    "none": lambda x: x[:0],
    "no row": lambda x: x[np.zeros(len(x), bool)],
    "one row": lambda x: x[np.arange(len(x)) == 1],
    "no list": lambda x: x[:, :0],
    "some lists": lambda x: x[ak.num(x, axis=1) < ak.local_index(x, axis=0)],
    "missing rows": lambda x: ak.mask(x, np.arange(len(x)) < 0),
}
REDUCERS = ["sum", "prod", "count", "count_nonzero", "any", "all", "min", "max", "argmin", "argmax"]
REDUCERS += ["mean", "std", "ptp", "median", "nansum", "is_unique"]
ALONG = ["sort", "argsort", "cumsum", "cummax", "rank", "unique", "value_counts", "run_lengths"]
ALONG += ["diff", "flatten", "num", "local_index", "pad", "pairs", "joined", "topk", "kept"]
OTHERS = {
    "pad": lambda x, axis: ak.pad_none(x, 3, axis=axis),
    "pairs": lambda x, axis: ak.combinations(x, 2, axis=axis),
    "joined": lambda x, axis: ak.concatenate([x, x], axis=axis),
    "topk": lambda x, axis: ak.topk(x, 2, axis=axis),
    "kept": lambda x, axis: ak.sum(x, axis=axis, keepdims=True),
}


def made(levels, depth):
    """3 rows of lists of 2, of which these levels are of any length."""
    x = ak.Array(np.arange(3.0 * 2 ** (depth - 1)).reshape(3, *[2] * (depth - 1)))
    for axis in levels:
        x = ak.from_regular(x, axis=axis)
    return x


def outcome(f, x, axis):
    try:
        r = f(x, axis=axis)
        parts = r if isinstance(r, tuple) else (r,)
        return [(str(ak.type(p)), repr(ak.to_list(p))) for p in parts]
    except (ValueError, TypeError, IndexError) as e:
        return type(e)


@pytest.mark.parametrize("left", some(LEFT, 3))
@pytest.mark.parametrize("levels", some(LEVELS, 2))
@pytest.mark.parametrize("name", some(REDUCERS + ALONG, 9))
def test_lists_that_are_regular_in_memory_only(name, levels, left):
    f = OTHERS.get(name) or getattr(ak, name)
    depth = max(3, max(LEVELS[levels]) + 1)
    x = LEFT[left](made(LEVELS[levels], depth))
    there = ak.from_buffers(*ak.to_buffers(ak.to_backend(x, "cpu")))
    other = ak.to_backend(there, ak.backend(x))
    assert str(ak.type(x)) == str(ak.type(other))
    for axis in (0, -2) if KERNELS_ARE_SLOW else [*range(depth), *range(-depth, 0)]:
        assert outcome(f, x, axis) == outcome(f, other, axis), axis


@pytest.mark.parametrize("axis", [0, 1])
def test_no_row_has_no_columns(axis):
    x = made([1, 2], 3)[:0]
    assert str(ak.type(ak.sum(x, axis=axis))) == "0 * var * float64"
    assert ak.to_list(ak.max(x, axis=axis)) == []
