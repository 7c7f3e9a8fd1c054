# Every scan and rank x nesting x axis, against plain Python; of every type, against NumPy.
import operator
import os

import numpy as np
import pytest
from conftest import assert_same_values
from nestings import DTYPES, in_place, items, nestings, scanned

import serrate as ak

SCANS = {"cumsum": operator.add, "cumprod": operator.mul, "cummin": min, "cummax": max}
NUMPY = {
    "cumsum": np.add,
    "cumprod": np.multiply,
    "cummin": np.minimum,
    "cummax": np.maximum,
}
# Lists of Python don't tell their type.
NAMES = [n for n in nestings() if n not in ("no lists", "no items", "none flat", "all missing")]
# On a GPU each call is a kernel of its own to be compiled: some of them.
if os.environ.get("SERRATE_BACKEND", "cpu") != "cpu":
    NAMES = NAMES[::7]


@pytest.mark.parametrize("nesting", NAMES)
@pytest.mark.parametrize("name", SCANS)
def test_scans(name, nesting):
    x = nestings("int64")[nesting]
    ours = ak.from_awkward(x)
    for axis in range(ours.ndim):
        want = in_place(x.to_list(), axis, scanned(SCANS[name]))
        assert_same_values(getattr(ak, name)(ours, axis=axis), want)
        assert_same_values(getattr(ak, name)(ours, axis=axis - ours.ndim), want)


def ranked(rows):
    """Competition ranks of what is not missing."""
    values = sorted(v for _, v in rows if v is not None)
    return {i: None if v is None else values.index(v) + 1 for i, v in rows}


@pytest.mark.parametrize("nesting", NAMES)
def test_rank(nesting):
    x = nestings("int8")[nesting]
    ours = ak.from_awkward(x)
    for axis in range(ours.ndim):
        got = ak.rank(ours, axis=axis, method="min")
        assert_same_values(got, in_place(x.to_list(), axis, ranked))


@pytest.mark.parametrize("dtype", [d for d in DTYPES if not d.startswith("complex")])
@pytest.mark.parametrize("name", SCANS)
def test_types(name, dtype):
    x = items(dtype)
    got = ak.to_backend(getattr(ak, name)(x), "cpu").to_numpy()
    small = name in ("cumsum", "cumprod") and got.dtype.kind in "iu"
    want = NUMPY[name].accumulate(x, dtype=got.dtype if small else x.dtype)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=2e-3 if dtype == "float16" else 1e-5)
    if small:
        assert got.dtype == getattr(np, name)(x).dtype
