"""Reducers of regular arrays of several dimensions along each axis, beside NumPy's: of many items
their columns are folded row by row."""

import os

import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, some

import serrate as ak

RNG = np.random.default_rng(31)
SHAPES = [(40, 50, 60), (3, 200, 7, 9), (1, 700, 3, 50), (70, 1, 900), (2, 3, 4), (50, 0, 40)]
if KERNELS_ARE_SLOW:
    SHAPES = [(4, 5, 6), (3, 20, 7, 2), (5, 0, 4)]
TYPES = ["float64", "float32", "int8", "uint8", "int32", "uint64", "bool", "complex128"]
EXACT = ["sum", "prod", "any", "all", "count_nonzero", "argmax", "argmin"]


def numbers(shape, dtype):
    x = RNG.integers(-5, 5, shape)
    if dtype.startswith(("float", "complex")):
        x = x / 4
    return (x + 1j * x[::-1] if dtype.startswith("complex") else x).astype(dtype)


def plain(x):
    return np.asarray(ak.to_numpy(ak.to_backend(ak.materialize(x), "cpu")))


def computed(x):
    """The same as an expression, of what is stored in another order."""
    return ak.Array(np.ascontiguousarray(x[::-1]))[::-1] if len(x) else ak.Array(x)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of means of nothing
@pytest.mark.parametrize("dtype", some(TYPES, 3))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_as_numpy(shape, dtype):
    x = numbers(shape, dtype)
    for array in (ak.materialize(ak.Array(x)), computed(x), ak.Array(x) * np.ones((), dtype)):
        for name in EXACT + ["mean", "std", "max", "min"]:
            for axis in range(-1, len(shape) - 1):
                try:
                    expected = getattr(np, name)(x, axis=axis)
                except (TypeError, ValueError):
                    continue  # NumPy has no extremes of nothing
                if name.startswith("arg") and dtype.startswith("complex"):
                    continue
                got = plain(getattr(ak, name)(array, axis=axis))
                assert got.shape == expected.shape, (name, axis)
                if name in EXACT and name != "prod":
                    np.testing.assert_array_equal(got, expected, str((name, axis)))
                else:
                    np.testing.assert_allclose(got, expected, 1e-5, 1e-8, err_msg=str((name, axis)))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("name", ["sum", "mean", "any"])
def test_keepdims_and_types(name, axis):
    x = numbers((8, 30, 40), "float32")
    kept = getattr(ak, name)(ak.materialize(ak.Array(x)), axis=axis, keepdims=True)
    expected = getattr(np, name)(x, axis=axis, keepdims=True)
    assert plain(kept).shape == expected.shape
    one = getattr(ak, name)(ak.from_regular(ak.Array(x), axis=None), axis=axis)
    np.testing.assert_allclose(ak.to_list(one), getattr(np, name)(x, axis=axis), 1e-5, 1e-6)


@pytest.mark.skipif(ak.default_backend() != "cpu", reason="GPUs add float32 as it is")
def test_sums_that_need_double_precision():
    x = np.full((2, 50_000, 3), 0.1, "float32")
    got = plain(ak.sum(ak.materialize(ak.Array(x)), axis=1))
    np.testing.assert_allclose(got, x.astype("float64").sum(axis=1), 1e-6)


def test_traced_functions_of_boxes():
    f = ak.compile(lambda x: ak.sum(x * 2, axis=1) + ak.std(x, axis=1))
    for k in range(3):
        x = numbers((5, 40, 60), "float64") + k
        np.testing.assert_allclose(plain(f(ak.Array(x))), (x * 2).sum(1) + x.std(1), 1e-12, 1e-12)


def with_nan(shape, dtype):
    x = RNG.integers(-2, 3, shape).astype(dtype)
    chance = RNG.random(shape)
    if dtype.startswith("complex"):
        x = x + (1j * RNG.integers(-2, 3, shape)).astype(dtype)
        x.real[chance < 0.3] = np.nan
        x.imag[chance > 0.7] = np.nan
    elif dtype.startswith("float"):
        x[chance < 0.4] = np.nan
        x[..., 0] = np.nan
        x[..., -1] = np.inf
    return x


def in_innermost_lists(x, axis):
    return ak.Array(np.ascontiguousarray(np.moveaxis(x, axis, -1)))


def numbers_and_missing(x):
    x = ak.to_backend(ak.materialize(x), "cpu")
    return plain(ak.is_none(x, axis=-1)), plain(ak.fill_none(x, 0))


NAN = ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nanargmin"]
PLAIN = ["min", "max", "argmin", "argmax", "sum", "prod", "mean", "std", "var"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "dtype", some(["complex64", "float32", "complex128", "float64", "int8"], 3)
)
@pytest.mark.parametrize("shape", some([(40, 300), (1, 5), (70, 40, 30), (600, 1), (3, 70_000)], 2))
def test_columns_give_what_lists_give(shape, dtype):
    """Columns with NaN, and of complex numbers, beside the same numbers in innermost lists."""
    if KERNELS_ARE_SLOW:
        shape = tuple(min(n, 9) for n in shape)
    x = with_nan(shape, dtype)
    names = PLAIN if dtype.startswith("complex") else PLAIN + NAN + ["ptp"]
    for axis in range(len(shape) - 1):
        columns, lists = ak.materialize(ak.Array(x)), in_innermost_lists(x, axis)
        for name in names:
            for masked in (False, True):
                f = getattr(ak, name)
                a = f(columns, axis=axis, mask_identity=masked)
                b = f(lists, axis=-1, mask_identity=masked)
                assert str(a.type) == str(b.type), name
                both = zip(numbers_and_missing(a), numbers_and_missing(b), strict=True)
                for got, expected in both:
                    close = 1e-4 if "32" in dtype or dtype == "complex64" else 1e-9
                    np.testing.assert_allclose(got, expected, close, close, err_msg=name)


@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_computed_of_columns_that_are_folded(axis):
    x = RNG.normal(size=(30, 40, 50) if not KERNELS_ARE_SLOW else (3, 4, 5))
    a = ak.Array(x)
    spread = (a - ak.mean(a, axis=axis, keepdims=True)) / ak.std(a, axis=axis, keepdims=True)
    expected = (x - x.mean(axis=axis, keepdims=True)) / x.std(axis=axis, keepdims=True)
    np.testing.assert_allclose(plain(spread), expected, 1e-9, 1e-12)
    for ddof in (0, 1):
        np.testing.assert_allclose(plain(ak.var(a, axis=axis, ddof=ddof)), x.var(axis, ddof=ddof))


ORDERED = {
    "sort": {},
    "argsort": {},
    "cumsum": {},
    "cumprod": {},
    "median": {},
    "quantile": {"q": 0.3},
    "rank": {},
    "softmax": {},
    "topk": {"k": 3},
}


@pytest.mark.parametrize("dtype", some(["float64", "int8", "bool", "float32", "complex128"], 3))
@pytest.mark.parametrize("shape", [(300, 401), (70, 60, 31), (9, 5, 3001), (30_001, 5)], ids=str)
def test_columns_in_order(shape, dtype):
    """Columns that are transposed some at a time, beside the same numbers in innermost lists."""
    if KERNELS_ARE_SLOW or "SERRATE_SEAMS" in os.environ:  # of tiny bands there are many
        shape = tuple(min(n, 19) for n in shape)
    x = numbers(shape, dtype)
    valid = RNG.random(shape) < 0.8
    for axis in range(len(shape) - 1):
        for name, options in ORDERED.items():
            if dtype.startswith("complex") and name in ("median", "quantile", "rank", "softmax"):
                continue
            if dtype == "bool" and name in ("median", "quantile", "softmax", "cumprod"):
                continue
            f = getattr(ak, name)
            q = [options["q"]] if "q" in options else []
            more = {k: v for k, v in options.items() if k != "q"}
            got = plain(f(ak.materialize(ak.Array(x)), *q, axis=axis, **more))
            expected = plain(f(in_innermost_lists(x, axis), *q, axis=-1, **more))
            if got.ndim == x.ndim and name != "topk":  # whose lists are the columns
                expected = np.moveaxis(expected, -1, axis)
            np.testing.assert_allclose(got, expected, 1e-6, err_msg=f"{name} {axis}")
            if name in ("topk", "softmax", "rank"):
                continue
            missing = ak.mask(ak.Array(x), valid)
            lists = ak.mask(in_innermost_lists(x, axis), np.moveaxis(valid, axis, -1))
            a, b = f(missing, *q, axis=axis), f(lists, *q, axis=-1)
            if name in ("median", "quantile"):
                assert str(a.type).split("*")[-1] == str(b.type).split("*")[-1]
                np.testing.assert_allclose(plain(ak.fill_none(a, -1)), plain(ak.fill_none(b, -1)))
