# median, quantile, percentile of lists, list by list against NumPy's; clip.
import awkward
import numpy as np
import pytest
from conftest import assert_same

import serrate as ak

rng = np.random.default_rng(7)
LENGTHS = [3, 0, 1, 2, 31, 32, 33, 0, 1000]
FLAT = rng.normal(size=sum(LENGTHS)).round(2)
X = awkward.unflatten(FLAT, LENGTHS)


def by_numpy(q, lists=X):
    return [float(np.quantile(np.asarray(x), q)) if len(x) else np.nan for x in lists]


@pytest.mark.parametrize("q", [0, 0.1, 0.25, 0.5, 0.75, 0.999, 1])
def test_of_each_list(q):
    found = ak.quantile(X, q, axis=-1)
    assert str(found.type) == "9 * float64"
    np.testing.assert_allclose(found.to_list(), by_numpy(q), rtol=1e-14)
    np.testing.assert_allclose(ak.percentile(X, 100 * q, axis=1).to_list(), by_numpy(q), rtol=1e-12)


def test_median():
    np.testing.assert_allclose(ak.median(X, axis=-1).to_list(), by_numpy(0.5), rtol=1e-14)
    assert ak.median(X) == np.median(FLAT)
    assert ak.median([5]) == 5
    assert np.isnan(ak.median(ak.Array([1.0])[:0]))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "bool", "float16"])
def test_types(dtype):
    x = np.array([1, 0, 3, 2, 1, 0], dtype).reshape(2, 3)
    found = ak.median(ak.Array(x), axis=1)
    assert str(found.type) == "2 * float64"
    assert found.to_list() == np.median(x.astype(float), axis=1).tolist()


def test_axes():
    x = rng.normal(size=(4, 5, 6))
    for axis in (0, 1, 2, -1, -2, -3):
        for keepdims in (False, True):
            found = ak.quantile(ak.Array(x), 0.3, axis=axis, keepdims=keepdims)
            expected = np.quantile(x, 0.3, axis=axis, keepdims=keepdims)
            np.testing.assert_allclose(found.to_list(), expected, rtol=1e-14)
    columns = ak.median(ak.Array([[1, 2, 3], [], [5, 4]]), axis=0)
    assert columns.to_list() == [3, 3, 3]
    deep = ak.median(ak.Array([[[1, 9], [3]], [], [[5]]]), axis=1)
    assert deep.to_list() == [[2, 9], [], [5]]


def test_missing_and_nan():
    x = ak.Array([[1, None, 3], [None], [2.0, np.nan]])
    assert ak.median(x, axis=-1).to_list()[0] == 2
    assert np.isnan(ak.median(x, axis=-1).to_list()[1:]).all()
    assert ak.nanmedian(x, axis=-1).to_list() == [2, None, 2]
    assert ak.median(x, axis=-1, mask_identity=True).to_list()[1] is None
    assert ak.nanquantile(x, 0.5, axis=-1).to_list() == [2, None, 2]
    assert ak.nanpercentile(x, 50, axis=-1).to_list() == [2, None, 2]
    assert ak.median([[np.inf, np.inf], [-np.inf, 1, np.inf]], axis=-1).to_list() == [np.inf, 1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_is_left_out(dtype):
    flat = np.where(rng.random(FLAT.size) < 0.3, np.nan, FLAT).astype(dtype)
    lists = awkward.unflatten(flat, LENGTHS)
    x, kept = ak.Array(lists), [np.asarray(y)[~np.isnan(y)].astype(float) for y in lists]
    for q in (0, 0.3, 0.5, 1):
        expected = [float(np.quantile(y, q)) if len(y) else None for y in kept]
        found = ak.nanquantile(x, q, axis=-1)
        assert str(found.type) == "9 * ?float64"
        assert [v is None for v in found.to_list()] == [v is None for v in expected]
        for a, b in zip(found.to_list(), expected, strict=True):
            assert a is b or a == pytest.approx(b, rel=1e-14)
        assert ak.nanquantile(x, q) == pytest.approx(np.nanquantile(flat.astype(float), q))
        assert np.isnan(ak.quantile(x, q))
        with_nan = [np.isnan(np.asarray(y)).any() or len(y) == 0 for y in lists]
        assert np.isnan(ak.to_list(ak.quantile(x, q, axis=-1))).tolist() == with_nan
    # Missing items beside NaN, the largest and the smallest numbers.
    y = ak.Array(
        [[np.inf, None, np.nan, 1, np.inf], [None, np.nan], [-np.inf, np.nan, 2, None, np.inf]]
    )
    assert ak.nanmedian(y, axis=-1).to_list() == [np.inf, None, 2]
    assert np.isnan(ak.median(y, axis=-1).to_list()).all()
    assert ak.nanmedian(y[0]) == np.inf
    assert ak.nanmedian(y[2]) == 2
    columns = ak.nanmedian(ak.Array([[1, np.nan, 3], [], [5, np.nan]]), axis=0)
    assert columns.to_list() == [3, None, 3]


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint16", "bool", "float16"])
def test_missing_beside_the_largest_and_smallest(dtype):
    low, high = (
        (0, 1)
        if dtype == "bool"
        else (-1, 1)
        if dtype == "float16"
        else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    )
    numbers = np.array([high, low, 0, high, low, 0], dtype)
    x = ak.mask(ak.Array(numbers.reshape(2, 3)), [[True, True, False], [True, False, True]])
    expected = [np.median(numbers[:2].astype(float)), np.median(numbers[[3, 5]].astype(float))]
    assert ak.median(x, axis=-1).to_list() == expected
    down, up = ak.sort(x, ascending=False, axis=-1).to_list(), ak.sort(x, axis=-1).to_list()
    assert up == [[*sorted(numbers[:2].tolist()), None], [*sorted(numbers[[3, 5]].tolist()), None]]
    assert down == [[*r[1::-1], None] for r in up]


def test_by_numpy_names():
    x = ak.Array(X)
    assert np.median(x, axis=-1).to_list()[0] == ak.median(x, axis=-1).to_list()[0]
    assert np.quantile(x, 0.25) == np.quantile(FLAT, 0.25)
    assert np.percentile(x, 25) == np.percentile(FLAT, 25)
    several = np.quantile(x, [0.25, 0.75], axis=-1)
    assert str(several.type) == "2 * 9 * float64"
    np.testing.assert_allclose(several[1].to_list(), by_numpy(0.75), rtol=1e-14)
    assert np.quantile(x, [0.25, 0.75]).to_list() == np.quantile(FLAT, [0.25, 0.75]).tolist()
    # Another method: NumPy's own, of what is in RAM.
    y = ak.to_backend(ak.Array(np.arange(6.0).reshape(2, 3)), "cpu")
    assert np.quantile(y, 0.3, axis=1, method="lower").to_list() == [0, 3]


def test_refused():
    for q in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError):
            ak.quantile(X, q)
    with pytest.raises(TypeError):
        ak.median(["a"])
    with pytest.raises(TypeError):
        ak.median([1j])
    with pytest.raises(ValueError):
        ak.median(X, axis=2)


def test_fused_with_what_is_below():
    x = ak.Array(X)
    expected = by_numpy(0.5, [[v for v in np.asarray(y) if v > 0] for y in X])
    np.testing.assert_allclose(ak.median(x[x > 0], axis=-1).to_list(), expected, rtol=1e-14)


def test_clip():
    x = awkward.Array([[1, 5, 9], [], [2, None]])
    assert_same(ak.clip(x, 2, 6), awkward.Array([[2, 5, 6], [], [2, None]]))
    assert_same(np.clip(ak.Array(x), None, 6), awkward.Array([[1, 5, 6], [], [2, None]]))
    raised = np.clip(ak.Array(x), a_min=2, a_max=None)
    assert_same(raised, awkward.Array([[2, 5, 9], [], [2, None]]))
    assert_same(ak.clip(x, [3, 0, 0]), awkward.Array([[3, 5, 9], [], [2, None]]))
    assert np.isnan(ak.clip([np.nan, 1.0], 0, 2).to_list()[0])
    assert str(ak.clip(np.array([1, 9], "float32"), 2, 6).type) == "2 * float32"
    with pytest.raises(ValueError):
        ak.clip(x)
