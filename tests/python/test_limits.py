# Sizes near the limits of integers and memory: exact results, or an error that says what was asked.
import numpy as np
import pytest

import serrate as ak

# Where nothing is stored, a GPU is of no use; and these are the CPU's limits.
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

X = [[1], [2, 3]]
MOST, LEAST = 2**63 - 1, -(2**63)


def repeated(*shape):
    """An array of ones that takes eight bytes."""
    return ak.Array(np.broadcast_to(np.ones(1), shape))


@pytest.mark.parametrize("start", [None, 1, MOST, LEAST])
@pytest.mark.parametrize("stop", [None, MOST, LEAST])
@pytest.mark.parametrize("step", [None, 2**62, LEAST])
def test_slices_beyond_the_ends(start, stop, step):
    where = slice(start, stop, step)
    x = ak.Array(X)
    assert x[:, where].to_list() == [row[where] for row in X]
    assert x[where].to_list() == X[where]
    assert ak.Array(np.array([[1, 2, 3]]))[:, where].to_list() == [[1, 2, 3][where]]


def test_lists_of_more_items_than_32_bits_count():
    x = ak.unflatten(repeated(2**34), np.array([2**33, 0, 2**33]))
    assert ak.num(x).to_list() == [2**33, 0, 2**33]
    assert (x * 2)[2, 2**32].tolist() == 2
    assert ak.local_index(x)[0, -1] == 2**33 - 1
    assert ak.unflatten(repeated(2**40), 2**20)[2**19, 5] == 1
    assert len(ak.concatenate([repeated(2**40)] * 3)) == 3 * 2**40


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ak.pad_none(x, 2**62),
        lambda x: ak.pad_none(x, 2**62, clip=True),
        lambda x: ak.pad_none(x, MOST, axis=0),
        lambda x: ak.unflatten(x[0], [2**62] * 4 + [1]),
        lambda x: ak.unflatten(x[0], np.array([2**64 - 1, 2], "uint64")),
        lambda x: ak.concatenate([ak.pad_none(x, 2**55, axis=0)] * 4),
        lambda x: ak.Array(np.broadcast_to(np.zeros(1, "int8"), (2**31, 2**31))),
        lambda x: ak.combinations(ak.Array([range(100)]), 20),
        lambda x: ak.combinations(ak.to_regular(ak.Array([range(100)])), 20),
        lambda x: ak.combinations(repeated(2, 2**35), 2),
        lambda x: ak.cartesian([ak.Array([range(100)])] * 12),
        lambda x: ak.cartesian([ak.Array(np.arange(2**20))] * 4, axis=0),
    ],
)
def test_too_many_items(call):
    with pytest.raises(ValueError, match=r"too (many|long)|counts"):
        ak.materialize(call(ak.Array(X)))


@pytest.mark.parametrize(
    "call",
    [
        lambda: ak.pad_none(ak.Array(X), 2**50, clip=True),
        lambda: repeated(2**50) + 1,
        lambda: ak.sort(repeated(2**50)),
        lambda: ak.cumsum(repeated(2**50)),
        lambda: ak.histogram(ak.Array([1.0]), 2**45, 0, 1),
    ],
)
def test_too_little_memory(call):
    with pytest.raises((MemoryError, ValueError), match=r"bytes|memory|too many"):
        ak.materialize(call())
    assert ak.sum(ak.Array(X), axis=None) == 6


def test_numbers_of_regular_combinations():
    for n, k in [(5, 2), (5, 5), (5, 6), (64, 62), (1000, 3)]:
        x = ak.to_regular(ak.Array([list(range(n))]))
        pairs = ak.combinations(x, k)
        assert str(pairs.type).startswith(f"1 * {len(pairs[0])} * ")
