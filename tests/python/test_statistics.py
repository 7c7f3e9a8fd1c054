# Statistics beside Awkward's: values, types and families of errors, every function with many
# arguments on arrays of every nesting and type.
import awkward
import numpy as np
import pytest
from conftest import both, plain
from interface import DATA
from nestings import DTYPES, TIMES, nestings

import serrate as ak

ARRAYS = nestings() | {name: awkward.Array(data) for name, data in DATA.items()}
ARRAYS |= {f"{t}, {n}": nestings(t)[n] for t in DTYPES + TIMES for n in ("flat", "var opt")}

# Where Awkward has no answer, or another one.
REASONS = {
    "float16": "no kernels for it",
    "union": "irreducible unions; here those of numbers are numbers",
    "words": "the text of strings is taken for numbers",
    "strings": "the same",
    "bytes": "the same",
    "time": "no kernels, or a union of times and NaN",
    "late": "no kernels for 32-bit offsets",
    "all missing": "nothing divided by nothing",
}


def options(axes, masks):
    keepdims = [False, True]
    return [
        {"axis": a, "keepdims": k, "mask_identity": m}
        for a in axes
        for k in keepdims
        for m in masks
    ]


# A sum of nothing that is missing can not be divided there: TypeError.
OPTIONS = options([None], [False]) + options([0, 1, -1], [False, True])
CALLS = {
    "mean": lambda ak, x, o: ak.mean(x, **o),
    "mean, weighted": lambda ak, x, o: ak.mean(x, weight=x * x + 1, **o),
    "nanmean": lambda ak, x, o: ak.nanmean(x, **o),
    "var": lambda ak, x, o: ak.var(x, **o),
    "var, ddof": lambda ak, x, o: ak.var(x, ddof=1, **o),
    "nanvar": lambda ak, x, o: ak.nanvar(x, **o),
    "std": lambda ak, x, o: ak.std(x, **o),
    "nanstd, ddof": lambda ak, x, o: ak.nanstd(x, ddof=1, **o),
    "moment": lambda ak, x, o: ak.moment(x, 2, **o),
    "moment, weighted": lambda ak, x, o: ak.moment(x, 3, weight=x * x + 1, **o),
    "covar": lambda ak, x, o: ak.covar(x, x, **o),
    "corr, weighted": lambda ak, x, o: ak.corr(x, x, weight=x * x + 1, **o),
    "linear_fit": lambda ak, x, o: ak.linear_fit(x, x, **o),
    "ptp": lambda ak, x, o: ak.ptp(x, **o),
    "nansum": lambda ak, x, o: ak.nansum(x, **o),
    "nanprod": lambda ak, x, o: ak.nanprod(x, **o),
    "nanmin": lambda ak, x, o: ak.nanmin(x, **o),
    "nanmax": lambda ak, x, o: ak.nanmax(x, **o),
}


def tolerance(name):
    return 2e-3 if "16" in name else 1e-5 if "32" in name or "64" in name else 1e-9


@pytest.mark.parametrize("call", CALLS)
def test_statistics(call):
    start = list(CALLS).index(call)
    for i, (name, x) in enumerate(ARRAYS.items()):
        if (i + start) % 3 or any(word in name for word in REASONS):
            continue
        o = OPTIONS[(start * 7 + i * 5) % len(OPTIONS)]
        with np.errstate(all="ignore"):
            both(lambda lib, y, o=o: CALLS[call](lib, y, o), x, rtol=tolerance(name))


# Sums of rows against columns, no kernels, nothing in place of NaN, no answer for nothing.
NO_SOFTMAX = [
    "record",
    "matrix",
    "regular",
    "bool",
    "int8",
    "numpy",
    "float32",
    "nans",
    "none flat",
]


@pytest.mark.parametrize("options", [{}, {"keepdims": True}, {"mask_identity": True}], ids=str)
def test_softmax(options):
    no = [*REASONS, *NO_SOFTMAX] + ["all missing", "empty"] * ("mask_identity" in options)
    for name, x in ARRAYS.items():
        if not any(word in name for word in no):
            with np.errstate(all="ignore"):
                both(lambda lib, y: lib.softmax(y, axis=-1, **options), x, rtol=tolerance(name))


def test_softmax_of_other_numbers():
    small = ak.softmax(np.array([1, 3], "int8"))
    assert str(small.type) == "2 * float16"
    np.testing.assert_allclose(plain(small), [0.1192, 0.8808], rtol=2e-3)
    x = np.array([1 + 2j, 3 - 1j])
    np.testing.assert_allclose(plain(ak.softmax(x)), np.exp(x) / np.exp(x).sum(), rtol=1e-12)
    masked = ak.softmax([[1.0], []], keepdims=True, mask_identity=True)
    assert str(masked.type) == "2 * var * ?float64"
    assert str(ak.softmax([[], None]).type) == "2 * option[var * float64]"


def test_times_are_numbers_where_squares_are_asked_for():
    # Awkward rounds the mean to whole milliseconds, and has no kernels with an axis.
    x = ak.Array(np.array([[1, 2], [3, 7]], "timedelta64[ms]"))
    assert ak.var(x, axis=-1).tolist() == [0.25, 4.0]
    assert ak.std(x, axis=-1).tolist() == [0.5, 2.0]
    assert ak.moment(x, 2) == 15.75
    assert str(ak.mean(x, axis=-1).type) == "2 * timedelta64[ms]"
    for f in (ak.var, ak.mean, ak.std):
        with pytest.raises(ValueError, match="datetime64"):
            f(np.array([1], "datetime64[s]"))


@pytest.mark.parametrize("longest", [1, 4, 30, 3_000])
def test_means_of_float32_add_up_float64(longest):
    # The same bits as of numbers that are converted before; all of one list, and of many.
    rng = np.random.default_rng(longest)
    counts = rng.integers(0, longest + 1, 300_000 // longest)
    x = ak.unflatten(rng.normal(size=counts.sum()).astype("f4"), counts)
    wide = ak.values_astype(x, "f8")
    for f in (ak.mean, ak.var):
        for axis in (None, -1):
            np.testing.assert_array_equal(plain(f(x, axis=axis)), plain(f(wide, axis=axis)))
    some, same = x[x > 0], wide[wide > 0]
    np.testing.assert_array_equal(plain(ak.mean(some, axis=-1)), plain(ak.mean(same, axis=-1)))


def test_two_of_mixed_lists():
    # Numbers beside lists have no pairs.
    x = ak.Array([1, [2, 3]])
    for f in (ak.covar, ak.corr, ak.linear_fit):
        with pytest.raises(ValueError, match="union"):
            f(x, x)
    with pytest.raises(ValueError, match="x: int64"):
        ak.mean([{"x": 1}], weight=[2])
