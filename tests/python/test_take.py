# x[places] by NumPy's arrays, which are read at once instead of being copied.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(4)
INDEXES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4"]
TYPES = ["bool", "i1", "u2", "i4", "f2", "f4", "f8", "c8", "c16", "M8[s]", "m8[ns]"]


def numbers(dtype, n):
    return RNG.integers(0, 2 if dtype == "bool" else 100, n).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("index", INDEXES)
def test_every_type(dtype, index):
    for n, count in ((1, 3), (120, 0), (120, 511), (120, 513), (120, 100_000)):
        x = numbers(dtype, n)
        places = RNG.integers(0 if index[0] == "u" else -n, n, count).astype(index)
        got = ak.Array(x)[places]
        want = x[places]
        assert str(got.type) == f"{count} * {ak.type(ak.Array(x)).content}"
        assert in_ram(got).dtype == want.dtype
        np.testing.assert_array_equal(in_ram(got), want)
        np.testing.assert_array_equal(in_ram(ak.Array(x)[places[::2]]), want[::2])


def test_what_comes_later_changes_nothing():
    x, places = np.arange(1000.0), RNG.integers(-1000, 1000, 5000)
    got = ak.Array(x)[places]
    want = x[places]
    places[:] = 0
    np.testing.assert_array_equal(in_ram(got), want)
    np.testing.assert_array_equal(in_ram(got + 1), want + 1)
    doubled = (ak.Array(x) * 2)[places]  # not stored
    places[:] = 1
    assert np.all(in_ram(doubled) == 0)


@pytest.mark.parametrize("bad", [1000, -1001, 2**62, -(2**63)])
def test_places_that_are_none(bad):
    x = ak.Array(np.arange(1000.0))
    places = RNG.integers(-1000, 1000, 700)
    places[650] = bad
    got = x[places]  # as of other arrays, the error is the value's
    with pytest.raises(IndexError, match="getitem"):
        in_ram(got)
    with pytest.raises(IndexError):
        in_ram(ak.Array(np.zeros(0))[np.zeros(1, int)])
    assert in_ram(ak.Array(np.zeros(0))[np.zeros(0, int)]).tolist() == []


def test_what_is_asserted_stays_so():
    x = ak.compute(ak.Array([[1.0, 2.0], [3.0]]))[:, 1]
    got = x[np.array([0])]
    with pytest.raises(IndexError):
        in_ram(got)


def test_parameters_and_functions():
    x = ak.with_parameter(ak.Array(np.arange(9.0)), "unit", "m")
    assert ak.parameters(x[np.array([1, -1])]) == ak.parameters(x[ak.Array([1, -1])])
    places = np.array([3, 1, -1])
    picked = ak.compile(lambda a: a[places] * 2)
    for k in range(3):
        a = np.arange(9.0) + k
        np.testing.assert_array_equal(in_ram(picked(ak.Array(a))), a[places] * 2)


@pytest.mark.parametrize("t", ["f8", "i8", "u8", "f4", "i2"])
@pytest.mark.parametrize("n", [0, 1, 63, 1000, 100_000])
def test_masks_that_are_true_in_runs(t, n):
    x = np.arange(n).astype(t)
    for every in (1, 2, 9, 70, 1000):  # is false
        mask = np.arange(n) % every != every - 1
        for a, m in ((x, mask), (x[1:], mask[:-1])):
            np.testing.assert_array_equal(in_ram(ak.Array(a)[ak.Array(m)] * 1), a[m])
            np.testing.assert_array_equal(in_ram(ak.Array(a)[ak.Array(~m)]), a[~m])
