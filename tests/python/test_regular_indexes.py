# Indexes in regular lists, which are copies of one list's, beside NumPy's broadcast of arange.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

SHAPES = [(1000, 3), (5, 7), (0, 3), (3, 0), (1, 100_000), (70_000, 1), (1025, 1024), (30, 5000)]


@pytest.mark.parametrize("shape", SHAPES)
def test_local_index(shape):
    values = np.arange(np.prod(shape), dtype="f8").reshape(shape)
    x = ak.from_numpy(values, regulararray=True)
    for first in (0, 1):
        y = x[first:]
        expected = np.broadcast_to(np.arange(shape[1]), (len(y), shape[1]))
        index = ak.local_index(y)
        assert np.array_equal(in_ram(index), expected)
        assert np.array_equal(in_ram(index * 2 + y), expected * 2 + values[first:])
        assert ak.sum(index) == expected.sum()
        assert np.array_equal(in_ram(ak.sum(index * y, axis=1)), (expected * values[first:]).sum(1))
        some = ak.count(ak.mask(index, index > 1), axis=1)
        assert np.array_equal(in_ram(some), (expected > 1).sum(1))


def test_local_index_of_inner_axes():
    x = ak.from_numpy(np.zeros((50, 4, 3)), regulararray=True)
    assert np.array_equal(in_ram(ak.local_index(x)), np.broadcast_to(np.arange(3), (50, 4, 3)))
    assert np.array_equal(in_ram(ak.local_index(x, axis=1)), np.broadcast_to(np.arange(4), (50, 4)))
    some = x[:, ::2]
    assert np.array_equal(in_ram(ak.local_index(some)), np.broadcast_to(np.arange(3), (50, 2, 3)))
    ragged = ak.unflatten(x[:, 0], [20, 0, 30])
    lists = [[[0, 1, 2]] * 20, [], [[0, 1, 2]] * 30]
    assert ak.local_index(ragged).tolist() == lists
    assert ak.local_index(ragged[1:]).tolist() == lists[1:]


@pytest.mark.parametrize("lists", [1, 3, 1025, 100_000])
def test_equal_arrays_of_lists(lists):
    rng = np.random.default_rng(lists)
    lengths = (rng.pareto(1.2, lists) * 2).astype(int).clip(0, 20_000)
    values = rng.normal(size=lengths.sum() + 1)
    x = ak.unflatten(values[:-1], lengths)
    for place in (0, len(values) // 2, len(values) - 2):
        other = values.copy()
        other[place] = np.nan if place else -1.0
        y = ak.unflatten(other[:-1], lengths)
        assert ak.array_equal(x, x * 1)
        assert ak.array_equal(x, y) == (len(values) == 1)
        assert ak.array_equal(y, y * 1) == (place == 0)
        assert ak.array_equal(y, y * 1, equal_nan=True)
        assert not ak.almost_equal(ak.unflatten(x, [lists]), ak.unflatten(y, [lists]))
        assert ak.array_equal(ak.unflatten(x, [lists]), ak.unflatten(x + 0, [lists]))
