# Running sums and the like, differences, runs of equal items: against NumPy and Awkward.
import itertools
import os

import numpy as np
import pytest
from conftest import assert_same_values, both, some
from host import in_ram
from hypothesis import given
from ordering import ALL_TYPES, per_list
from strategies import arrays, floats, leaves

import serrate as ak

ON_GPU = os.environ.get("SERRATE_BACKEND", "cpu") != "cpu"
SCANS = {
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
}


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("dtype", [*ALL_TYPES, "complex64", "complex128"])
def test_scans_of_every_type(name, dtype):
    if dtype.startswith("complex") and name in ("cummax", "cummin"):
        return
    rng = np.random.default_rng(2)
    lengths = [0, 1, 2, 3, 4, 5, 8, 9, 33, 1000]
    if name == "cumsum":
        lengths += [70_000]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    flat = rng.integers(0, 2, offsets[-1]).astype(dtype)
    x = ak.unflatten(ak.from_numpy(flat), lengths)
    ours = ak.to_numpy(ak.to_backend(ak.flatten(getattr(ak, name)(x)), "cpu"))
    rows = [SCANS[name](flat[a:b]) for a, b in itertools.pairwise(offsets)]
    theirs = np.concatenate(rows)
    if dtype == "float16" and name == "cumsum":  # which stops at 2048 where each step rounds
        ours, theirs = ours[:1000], theirs[:1000]
    assert ours.dtype == theirs.dtype
    assert np.allclose(ours, theirs, rtol=1e-6)


# Which zero the minimum of -0.0 and 0.0 is, and where products of huge numbers overflow, depends on
# the order.
@given(arrays(leaf=floats(special=False)))
@pytest.mark.parametrize("name", SCANS)
def test_scans(name, x):
    def scan(row):
        present = np.array([v for v in row if v is not None])
        with np.errstate(all="ignore"):
            done = iter(SCANS[name](present).tolist())
        return [None if v is None else next(done) for v in row]

    ours = getattr(ak, name)(ak.from_awkward(x))
    assert_same_values(ours, per_list(x, scan), rtol=1e-9)


def test_scans_along_outer_axes():
    x = ak.Array([[1, 2], [10], [], [100, 200, 300]])
    assert ak.cumsum(x, axis=0).tolist() == [[1, 2], [11], [], [111, 202, 300]]
    assert ak.cummax(x * ak.Array([1, -1, 0, -1]), axis=0).tolist() == [
        [1, 2],
        [1],
        [],
        [1, 2, -300],
    ]
    regular = np.arange(24).reshape(2, 3, 4)
    for axis in (0, 1, 2):
        ours = ak.cumsum(ak.from_numpy(regular), axis=axis)
        assert ours.tolist() == np.cumsum(regular, axis=axis).tolist()
        assert str(ours.type) == "2 * 3 * 4 * int64"


@given(arrays(leaf=lambda n: leaves(n, ("int8", "float64", "bool")), optional=False))
def test_diff(x):
    def diff(row):
        with np.errstate(all="ignore"):
            return np.diff(np.array(row)).tolist()

    if "int8" not in str(x.type):
        assert_same_values(ak.diff(ak.from_awkward(x)), per_list(x, diff))
    twice = ak.diff(ak.diff(ak.from_awkward(x)))
    assert_same_values(ak.diff(ak.from_awkward(x), 2), twice.tolist())


@given(arrays(leaf=lambda n: leaves(n, ("bool", "int8"), special=False)))
def test_run_lengths(x):
    def runs(row):
        starts = [i for i in range(len(row)) if i == 0 or row[i] != row[i - 1]]
        return np.diff([*starts, len(row)]).tolist()

    assert_same_values(ak.run_lengths(ak.from_awkward(x)), per_list(x, runs))


@pytest.mark.parametrize(
    "data",
    [[1, 1, 2], [[1, 1, 2], [2, 2], []], ["a", "a", "b"], [["a", "a", "b"], ["b"]], [[[1, 1], []]]],
)
def test_run_lengths_as_awkward(data):
    both(lambda ak, x: ak.run_lengths(x), data)


@pytest.mark.parametrize("n", [3, 40, 5000, some([40_000, 300_000], 2)[-1]])
@pytest.mark.parametrize("other", [1e10, -1e10, np.inf, np.nan])
def test_products_behind_a_zero(n, other):
    """Parts of a long list whose product is infinite do not matter there, but infinite items do."""
    x = np.full(n, 1e10)
    x[0], x[n // 2], x[-1] = 0.0, other, -2.0
    with np.errstate(all="ignore"):
        products = [np.cumprod(x).tolist(), np.cumprod(x[1:]).tolist()]
    assert_same_values(ak.cumprod(ak.Array([x, x[1:]])), products, rtol=1e-9)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_products_of_infinite_complex_numbers(dtype):
    """As `*` multiplies them, not as C does, which makes infinities of NaN."""
    large, inf = np.finfo(dtype).max, np.inf
    rows = [[complex(inf, 1), 2 + 3j, complex(0, inf), 1], [2 - 1j, complex(np.nan, 1), 2]]
    if not ON_GPU:  # there parts are multiplied first: which product overflows is another
        rows += [[complex(large, large), complex(large, 1), 1j, 0], [complex(large, 0)] * 70]
    for row in rows:
        x = np.array(row, dtype)
        with np.errstate(all="ignore"):
            want, wide = (np.multiply.accumulate(x.astype(t)) for t in (dtype, "complex128"))
        np.testing.assert_array_equal(in_ram(np.multiply.accumulate(ak.Array(x))), want)
        lists = ak.cumprod(ak.Array([x, x[:2], x]), axis=-1)
        assert_same_values(lists[0], wide.tolist())
        assert_same_values(lists[2], wide.tolist())


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("n", [1, 4, 5, 6, 7, 8, 9, 16_384, 16_385, 40_001])
def test_scans_of_integers_that_wrap_around(dtype, n):
    x = np.random.default_rng(3).integers(0, 250, n).astype(dtype) | np.ones(1, dtype)
    for name in ("cumsum", "cumprod"):
        ours = getattr(ak, name)(ak.from_numpy(x), axis=0)
        want = getattr(np, name)(x)
        np.testing.assert_array_equal(in_ram(ours), want)
