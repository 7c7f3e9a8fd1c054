# argmax and argmin of booleans: the first one that is true or false; and what leaves its argument
# as it is.
import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.98, 1.0])
@pytest.mark.parametrize("length", [1, 3, 8, 9, 40, 3000])
def test_lists(share, length):
    rng = np.random.default_rng(length)
    counts = rng.integers(0, length + 1, 20_000 // length + 3)
    values = rng.random(counts.sum()) < share
    theirs = awkward.unflatten(values, counts)
    ours = ak.Array(theirs)
    some = rng.random(len(values)) < 0.7
    gaps = awkward.unflatten(awkward.mask(awkward.Array(values), some), counts)
    for name in ("argmax", "argmin"):
        f, g = getattr(ak, name), getattr(awkward, name)
        for axis in (-1, 0):
            assert f(ours, axis=axis).to_list() == g(theirs, axis=axis).to_list()
        assert f(ak.Array(gaps), axis=-1).to_list() == g(gaps, axis=-1).to_list()
        assert f(ours[1:, 1:], axis=-1).to_list() == g(theirs[1:, 1:], axis=-1).to_list()
        picked = ours[f(ours, axis=-1, keepdims=True)]
        assert ak.to_list(picked) == theirs[g(theirs, axis=-1, keepdims=True)].to_list()


# Of long lists a few items decide, and others are not looked at.
@pytest.mark.parametrize("dtype", ["?", "i2", "u4", "f4", "f8", "c16", "M8[s]"])
@pytest.mark.parametrize("length", [63, 64, 65, 130, 1087, 1088, 1089, 5000, 70_000])
def test_any_and_all_of_long_lists(dtype, length):
    rng = np.random.default_rng(length)
    places = {0, 7, 8, 63, 64, length // 2, length - 65, length - 64, length - 1}
    places = sorted(p for p in places if 0 <= p < length)
    lengths = [length, 0, length] * len(places) + [3, length]
    for rare in (True, False):
        values = np.full(sum(lengths), not rare)
        starts = np.cumsum([0, *lengths])
        for k, at in enumerate(places):
            values[starts[3 * k] + at] = rare
        x = values.astype("i8").astype(dtype)
        if dtype == "f8":
            x[values & (rng.random(len(x)) < 0.5)] = np.nan
        ours = ak.unflatten(ak.Array(x), lengths)
        parts = np.split(values, starts[1:-1])
        assert ak.any(ours, axis=-1).to_list() == [bool(p.any()) for p in parts]
        assert ak.all(ours, axis=-1).to_list() == [bool(p.all()) for p in parts]
        gaps = ak.mask(ours, ak.local_index(ours, axis=-1) != places[0])
        left = [np.delete(p, places[0]) if len(p) else p for p in parts]
        assert ak.any(gaps, axis=-1).to_list() == [bool(p.any()) for p in left]


@pytest.mark.parametrize("n", [1, 7, 4095, 4097, 70_000, 200_001])
def test_flat(n):
    for at in {0, 1 % n, n // 2, n - 1}:
        x = np.zeros(n, bool)
        x[at] = True
        for y in (x, ~x, x & False, x | True):
            ours = ak.Array(y)
            assert (ak.argmax(ours, axis=None), ak.argmin(ours, axis=None)) == (
                y.argmax(),
                y.argmin(),
            )
            assert ak.argmax(ours + 0 > 0, axis=0) == y.argmax()


@pytest.mark.parametrize("share", [0.5, 0.999, 1.0])
def test_products(share):
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 7, 3000)
    values = rng.random(counts.sum()) < share
    theirs = awkward.unflatten(
        awkward.mask(awkward.Array(values), rng.random(len(values)) < 0.9), counts
    )
    for x in (theirs, awkward.unflatten(values, counts), awkward.unflatten(values[:900], 3)):
        ours = ak.Array(x)
        for axis in (None, 0, -1):
            got, want = ak.prod(ours, axis=axis), awkward.prod(x, axis=axis)
            assert ak.to_list(got) == awkward.to_list(want)
        assert ak.prod(ours, axis=-1).type.content == ak.types.NumpyType("int64")
    assert ak.prod(ak.Array(values), axis=None) == values.prod()
    assert ak.prod(ak.Array([True]), axis=None, initial=3) == 3
    assert ak.prod(ak.Array(values[:0]), axis=None) == 1


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_angles_of_real_numbers(dtype):
    x = np.array([1, -1, 0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1e-7, -3], dtype)
    got = in_ram(ak.angle(ak.Array(x)))
    assert got.dtype == np.angle(x).dtype
    np.testing.assert_allclose(got, np.angle(x), rtol=1e-3 if dtype == "f2" else 1e-7)
    lists = ak.Array([[1.5, -2.5], [], [0.0]])
    assert ak.angle(lists).to_list() == [[0.0, np.pi], [], [0.0]]


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "i8", "u8"])
def test_whole_numbers_are_left_as_they_are(dtype):
    x = np.arange(-3, 60).astype(dtype)
    ours = ak.Array(x)
    same = [np.floor, np.ceil, np.trunc]
    same += [np.absolute] * (dtype in ("?", "u1", "u8"))
    same += [np.positive, np.conjugate] * (dtype != "?")
    for f in same:
        assert ak.explain(f(ours)).passes == 0
        got = in_ram(f(ours))
        assert got.dtype == x.dtype
        assert got.tolist() == x.tolist()
    # A result of its own: x stays as it was.
    y = np.floor(ours)
    y[0] = 1
    assert in_ram(ours).tolist() == x.tolist()
