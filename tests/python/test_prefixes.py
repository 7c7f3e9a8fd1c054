"""Running sums, products and extremes along axis 0, partition by partition."""

import numpy as np
import pytest
from partitioned import cut, same

import serrate as ak

SCANS = [ak.cumsum, ak.cumprod, ak.cummax, ak.cummin]
LENGTHS = [[4, 0, 3, 1], [0, 0, 5], [10], [1] * 9, []]


@pytest.mark.parametrize("scan", SCANS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["int64", "int8", "uint16", "bool", "float64"])
def test_as_of_the_whole(scan, dtype):
    whole = ak.Array(np.array([1, 3, 0, 2, 1, 1, 2, 5, 1, 2]).astype(dtype))
    for lengths in LENGTHS:
        x = ak.scan(cut(whole, lengths))
        made = scan(x, axis=0)
        assert isinstance(made, ak.PartitionedArray)
        same(made, scan(whole, axis=0))
    same(scan(ak.scan([whole[:0]]), axis=0), scan(whole[:0], axis=0))


def test_values_that_are_no_numbers_and_times():
    whole = ak.Array([2.0, -1.0, float("nan"), 3.0, float("inf"), -5.0])
    times = ak.Array(np.array(["2024-01-02", "2023-05-01", "2025-02-03"], "datetime64[D]"))
    for scan in SCANS:
        same(scan(ak.scan(cut(whole, [1, 1, 2])), axis=0), scan(whole, axis=0))
    same(ak.cummax(ak.scan(cut(times, [1, 1])), axis=0), ak.cummax(times, axis=0))


def test_floats_are_those_of_the_whole_to_rounding():
    whole = ak.Array(np.random.default_rng(3).normal(size=1000))
    x = ak.scan(cut(whole, [300, 1, 0, 500]))
    np.testing.assert_allclose(
        ak.to_list(ak.compute(ak.cumsum(x, axis=0))), ak.to_list(ak.cumsum(whole)), atol=1e-12
    )


def test_rows_go_together_and_nothing_is_held():
    whole = ak.Array(np.arange(20))
    x = ak.scan(cut(whole, [7, 2, 6]))
    same(ak.cumsum(x, axis=0) - x, ak.cumsum(whole) - whole)
    same(ak.sum(ak.cumsum(x * 2, axis=0)), ak.sum(ak.cumsum(whole * 2)))
    same(ak.cumsum(x[x > 3], axis=0), ak.cumsum(whole[whole > 3]))
    plan = ak.explain(ak.cumsum(x, axis=0))
    assert "held together" not in str(plan.passes[0]["makes"])
    assert "rows before each partition" in plan.text
    assert ak.cumsum(x, axis=0).npartitions == 4


def test_rows_go_together_on_dask():
    pytest.importorskip("dask")
    whole = ak.Array(np.arange(20))
    x = ak.scan(cut(whole, [7, 2, 6]))
    same(ak.compute(ak.cumsum(x, axis=0), scheduler="synchronous"), ak.cumsum(whole))


def test_others_are_gathered():
    whole = ak.Array([[1, 2], [3], [], [4, 5, 6]])
    missing = ak.Array([1, None, 3])
    same(ak.cumsum(ak.scan(cut(whole, [1, 2])), axis=0), ak.cumsum(whole, axis=0))
    same(ak.cumsum(ak.scan(cut(missing, [1])), axis=0), ak.cumsum(missing, axis=0))
    same(ak.cumsum(ak.scan(cut(whole, [1, 2]))), ak.cumsum(whole))
