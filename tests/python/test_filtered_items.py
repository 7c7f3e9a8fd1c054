# What filters leave, of few and of nearly all items: flat arrays, lists, records, filters again.
import gpu
import numpy as np
import pytest
from host import in_ram

import serrate as ak

N = 3_000 if gpu.EMULATED else 100_000
TYPES = ["?", "u1", "i2", "f4", "f8", "c16"]
# Around an eighth, where items that are dropped are no longer read.
PARTS = [0, 0.001, 0.11, 0.125, 0.14, 0.5, 0.999, 1]


def numbers(dtype, n=N):
    values = np.random.default_rng(n).integers(-100, 100, n)
    return (values > 0) if dtype == "?" else values.astype(dtype)


def mask_of(part, n=N):
    return np.random.default_rng(int(1000 * part)).random(n) < part


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_flat(dtype, part):
    x, mask = numbers(dtype), mask_of(part)
    kept = in_ram(ak.Array(x)[mask])
    assert kept.dtype == x.dtype
    np.testing.assert_array_equal(kept, x[mask])
    # Computed, and beside what is computed of what is left.
    np.testing.assert_array_equal(in_ram((ak.Array(x) * 2)[mask]), (x * 2)[mask])
    y = ak.Array(x)[mask]
    both = ak.zip({"kept": y, "twice": y + y})
    np.testing.assert_array_equal(in_ram(both.kept), x[mask])
    np.testing.assert_array_equal(in_ram(both.twice), (x + x)[mask])


@pytest.mark.parametrize("part", PARTS)
def test_parts_that_change(part):
    # Blocks of which all, none or some items are left.
    at = np.arange(N)
    mask = np.where(
        at // 5_000 % 3 == 0, True, np.where(at // 5_000 % 3 == 1, False, mask_of(part))
    )
    for dtype in TYPES:
        x = numbers(dtype)
        np.testing.assert_array_equal(in_ram(ak.Array(x)[mask]), x[mask])


@pytest.mark.parametrize("part", PARTS)
def test_skewed_lists(part):
    counts = np.minimum(np.random.default_rng(3).zipf(1.6, N // 5) - 1, 5_000)
    n = int(counts.sum())
    x, y, mask = numbers("f8", n), numbers("i2", n), mask_of(part, n)
    lists = ak.unflatten(ak.zip({"x": x, "y": y}), counts)
    kept = lists[ak.unflatten(mask, counts)]
    left = np.add.reduceat(np.append(mask, 0), np.cumsum(counts) - counts) * (counts > 0)
    np.testing.assert_array_equal(in_ram(ak.num(kept)), left)
    np.testing.assert_array_equal(in_ram(ak.flatten(kept.x)), x[mask])
    np.testing.assert_array_equal(in_ram(ak.flatten(kept.y)), y[mask])
    again = kept[kept.x > 0]
    np.testing.assert_array_equal(in_ram(ak.flatten(again.y)), y[mask & (x > 0)])
    rows = lists[mask[: len(counts)]]
    of_rows = np.repeat(mask[: len(counts)], counts)
    np.testing.assert_array_equal(in_ram(ak.flatten(rows.x)), x[of_rows])


def test_what_is_missing_and_text():
    x, mask = numbers("f8", 1_000), mask_of(0.5, 1_000)
    some = ak.mask(x, x > 0)[mask]
    assert some.to_list() == [v if v > 0 else None for v in x[mask].tolist()]
    words = ak.Array([str(v) for v in x[:50].tolist()])
    assert words[mask[:50]].to_list() == [str(v) for v in x[:50][mask[:50]].tolist()]
