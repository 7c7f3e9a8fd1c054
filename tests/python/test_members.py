# isin of sets that are hashed, against NumPy and plain Python.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(13)
N = 10_000
SIZES = [0, 1, 3, 70, 5_000]
PAIRS = [
    (a, b)
    for a in ("i8", "i4", "i2", "u8", "f8", "f4", "u1", "?")
    for b in ("i8", "u8", "f8", "i2", "u4", "f4", "?")
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_numbers(a, b):
    for size in SIZES:
        for step in (1, 7919):
            values = (RNG.integers(0, 10_000, N) * step).astype(a)
            among = (RNG.integers(0, 10_000, size) * step).astype(b)
            got = ak.isin(ak.Array(values), among)
            assert np.array_equal(in_ram(got), np.isin(values, among))
            rows = ak.unflatten(values, [0, N - 5, 5])
            assert np.array_equal(ak.flatten(ak.isin(rows, among)), got)
            assert np.array_equal(ak.isin(rows[1:], among, invert=True)[0], ~in_ram(got)[:-5])


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_close_together(kind):
    # Sets of up to 128 integers an item are a table; items around its ends, far from it, unaligned.
    info = np.iinfo(kind)
    for start in (info.min, 0, info.max - 120, max(info.min, -60)):
        among = np.array([start + int(k) for k in RNG.permutation(121)[:100]], kind)
        near = [start + k for k in range(-40, 161) if info.min <= start + k <= info.max]
        values = np.array([*near, info.min, info.max, 0, *near[::-1]], kind)
        far = np.full(53, info.min if start > 0 else info.max, kind)
        for x in (values, values[1:], np.concatenate([far, values, far])[3:]):
            assert np.array_equal(in_ram(ak.isin(ak.Array(x), among)), np.isin(x, among))
            assert np.array_equal(in_ram(ak.isin(ak.Array(x), among[::2])), np.isin(x, among[::2]))
            computed = ak.isin(ak.Array(x) | 1, among)
            assert np.array_equal(in_ram(computed), np.isin(x | np.array(1, kind), among))


@pytest.mark.parametrize(("a", "b"), [("f2", "i1"), ("f2", "f4"), ("i1", "f2"), ("f2", "f2")])
def test_halves(a, b):
    values = RNG.integers(-100, 100, 3_000).astype(a)
    among = RNG.integers(-50, 50, 90).astype(b)
    assert np.array_equal(in_ram(ak.isin(ak.Array(values), among)), np.isin(values, among))


def test_nan_is_in_nothing_and_zeros_are_equal():
    among = np.append(np.arange(1.0, 100.5, 1.25), [np.nan, -0.0])
    x = np.array([np.nan, 0.0, -0.0, 1.0, 2.0, -np.nan, np.inf])
    assert ak.isin(x, among).tolist() == np.isin(x, among).tolist()
    large = np.array([2**63 - 1, -1, 5], "i8")
    among = np.append(np.arange(0, 10**12, 10**10), [2**63 - 1, -1])
    assert ak.isin(large, among).tolist() == [True, True, False]


def test_words():
    words = [("ab" * (i % 23))[: i % 19] + "x" * (i % 3) for i in range(200)]
    x = [words[i] for i in RNG.integers(0, 200, 3_000)]
    for size in SIZES[:4]:
        among = words[:size]
        ours = ak.Array(x)
        assert ak.isin(ours, among).tolist() == [w in among for w in x]
        rows = ak.unflatten(ours, [0, 2_000, 1_000])
        assert ak.isin(rows[2], among).tolist() == [w in among for w in x[2_000:]]
        some = ak.mask(ours, np.arange(3_000) % 3 > 0)
        got = ak.isin(some, among).tolist()
        assert got == [(w in among) if i % 3 > 0 else None for i, w in enumerate(x)]
        assert ak.isin(some, ak.Array([*among, None])).tolist() == got


def test_what_is_not_stored():
    x = ak.Array(RNG.integers(0, 10**6, N) * 1_000_003)
    among = x[:500] * 3
    filtered = x[x % 2 == 0] * 3
    assert ak.isin(filtered, among).tolist() == np.isin(filtered, in_ram(among)).tolist()
    assert ak.sum(ak.isin(x * 3, among)) >= 500
    with pytest.raises(IndexError):
        ak.isin(x[ak.Array([N])], among).tolist()


def test_kinds_that_are_not_comparable():
    assert ak.isin(["a", "b"], np.arange(100)).tolist() == [False, False]
    union = ak.Array([1, "a", 2.5, None])
    assert ak.isin(union, ["a", "b"]).tolist() == [False, True, False, None]
