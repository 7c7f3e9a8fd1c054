# Long lists of all types, one and many, whatever signs zeros and NaN have.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(8)


def numbers(n, dtype, special):
    if np.dtype(dtype).kind != "f":
        limits = np.iinfo(dtype)
        return RNG.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)
    values = RNG.normal(size=n).astype(dtype)
    values[RNG.integers(0, n, n // 10)] = 0.0
    values[RNG.integers(0, n, n // 10)] = -0.0
    values[RNG.integers(0, n, 3)] = [np.inf, -np.inf, np.finfo(dtype).tiny]
    for nan in special:
        values[RNG.integers(0, n, 5)] = nan
    return values


def same_order(got, want):
    """Equal bit by bit, but for those of NaN."""
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)
    if want.dtype.kind == "f":
        is_number = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got[is_number]), np.signbit(want[is_number]))


SPECIAL = [(), (np.nan,), (-np.nan,), (np.nan, -np.nan)]


@pytest.mark.parametrize("special", SPECIAL)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "i8", "u4", "u8", "i2", "u2"])
def test_one_list(dtype, special):
    for n in (512, 513, 1024, 1025, 2048, 2049, 10_000, 100_000):
        values = numbers(n, dtype, special)
        same_order(in_ram(ak.sort(ak.Array(values))), np.sort(values, kind="stable"))
        descending = in_ram(ak.sort(ak.Array(values), ascending=False))
        kept = values[~np.isnan(values)] if values.dtype.kind == "f" else values
        np.testing.assert_array_equal(descending[: len(kept)], np.sort(kept)[::-1])


@pytest.mark.parametrize("special", SPECIAL)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i2", "i4", "i8", "u1", "u4"])
@pytest.mark.parametrize(
    ("lists", "least", "most"),
    [(127, 2040, 2060), (128, 1, 2049), (150, 1, 5000), (300, 900, 2100)],
)
def test_many_lists(dtype, special, lists, least, most):
    lengths = RNG.integers(least, most, lists)
    lengths[lists // 2] = most
    values = numbers(int(lengths.sum()), dtype, special)
    x = ak.unflatten(ak.Array(values), ak.Array(lengths))
    ends = np.cumsum(lengths)
    want = [np.sort(part, kind="stable") for part in np.split(values, ends[:-1])]
    same_order(in_ram(ak.flatten(ak.sort(x))), np.concatenate(want))


@pytest.mark.parametrize("special", SPECIAL)
def test_columns(special):
    values = numbers(3000 * 140, "f8", special).reshape(3000, 140)
    same_order(in_ram(ak.sort(ak.Array(values), axis=0)), np.sort(values, axis=0, kind="stable"))
    same_order(in_ram(ak.sort(ak.Array(values.T))), np.sort(values.T, kind="stable"))


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8"])
def test_columns_of_all_shapes(dtype):
    for rows in (1, 2, 11, 12, 13, 31, 32, 33, 100):
        for columns in (1, 3, 11, 12, 13, 31, 32, 33, 65, 2000):
            values = RNG.integers(0, 100, (rows, columns)).astype(dtype)
            got = ak.sort(ak.Array(values), axis=0)
            same_order(in_ram(got), np.sort(values, axis=0, kind="stable"))
    values = RNG.integers(0, 100, (5, 40, 33)).astype(dtype)
    same_order(in_ram(ak.sort(ak.Array(values), axis=1)), np.sort(values, axis=1, kind="stable"))


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "i4", "i8", "u8"])
def test_order_of_lists_with_missing_items(dtype, ascending):
    """Of narrow ranges and wide ones; none, some, nearly all and all of them are missing."""
    for n in (3, 4095, 4097, 100_000):
        for narrow in (False, True):
            values = numbers(n, dtype, ()) if n > 3 else np.arange(n).astype(dtype)
            if narrow:
                values = RNG.integers(0, 100, n).astype(dtype)
            for part in (0, 0.3, 0.999, 1):
                valid = RNG.random(n) >= part
                x = ak.mask(ak.Array(values), ak.Array(valid))
                key = values if ascending else _turned(values)
                at = np.flatnonzero(valid)
                want = np.concatenate(
                    [at[np.argsort(key[at], kind="stable")], np.flatnonzero(~valid)]
                )
                got = in_ram(ak.argsort(x, ascending=ascending))
                np.testing.assert_array_equal(got, want)


def _turned(values):
    """Keys in the other order, for stable sorts."""
    return -values if values.dtype.kind == "f" else ~values
