# The bounds of docs/accuracy.md, with the measure's own code and fewer arguments.
import importlib.util
import pathlib

import numpy as np
import pytest
from host import in_ram

import serrate as ak

ROOT = pathlib.Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("accuracy", ROOT / "bench" / "accuracy.py")
accuracy = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(accuracy)
accuracy.SIZE = 20_000

EXACT = ("sqrt", "reciprocal", "divide")
FAST = ("sin", "cos", "sinh", "cosh", "tanh")
# A GPU's own functions have bounds of their own (CUDA's programming guide): at most 2 for float64,
# 4 for float32, 8 where it divides by powers.
OTHER = {"logaddexp": 6, "logaddexp2": 6, "deg2rad": 1.5, "rad2deg": 1.5, "remainder": 0.51}
GPU = {"float32": 4, "float64": 2.5}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", accuracy.NAMES)
def test_error_is_bounded(name, dtype):
    import serrate as ak

    bound = 0.501 if name in EXACT else 0 if name == "fmod" else OTHER.get(name, 1.0)
    if name in FAST and dtype == "float32":
        bound = 3.5
    if name == "tan" and dtype == "float32":
        bound = 1.2
    if ak.default_backend() == "cuda" and name not in EXACT and name != "fmod":
        bound = max(bound, GPU[dtype])
    assert accuracy.error(name, dtype) <= bound


# Where formulas change, and where their steps would overflow or lose all digits.
ENDS = [
    0.0,
    5e-324,
    1e-310,
    2.3e-308,
    1e-160,
    1e-30,
    2.0**-27,
    2.0**-8,
    0.1733,
    0.3466,
    0.5,
    0.7071,
    1.0,
]
ENDS += [
    1.4143,
    2.0,
    9.1,
    18.42,
    19.1,
    22.0,
    22.1,
    36.8,
    37.5,
    88.8,
    709.5,
    709.79,
    710.4,
    710.5,
    711.0,
]
ENDS += [2.0**30, 2.0**30 + 1, 1e16, 1e154, 1e160, 1e300, 1.7976931348623157e308, np.inf, np.nan]


@pytest.mark.parametrize(
    "name",
    ["arcsinh", "arccosh", "arctanh", "log1p", "expm1", "cbrt", "sinh", "cosh", "tanh"],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ends_of_what_a_function_takes(name, dtype):
    import serrate as ak

    with np.errstate(over="ignore"):
        x = np.array(ENDS + [-e for e in ENDS]).astype(dtype)
    # A whole vector of each: no number may depend on its neighbours.
    x = np.concatenate([x, np.repeat(x, 16)])
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x)
    got = np.asarray(ak.to_backend(getattr(np, name)(ak.Array(x)), "cpu"))
    info = np.finfo(dtype)
    np.testing.assert_allclose(got, want, rtol=5 * info.eps, atol=5 * info.smallest_subnormal)
    zero = want == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]))


def test_powers_of_all_kinds():
    import serrate as ak

    rng = np.random.default_rng(7)
    x = np.concatenate(
        [ENDS, [-e for e in ENDS], rng.normal(size=30), 1 + rng.normal(size=30) / 99]
    )
    odd = [2.0**49 + 1, -(2.0**49) - 1, 2.0**50 + 1, -(2.0**50) - 1, 2.0**52 + 1]
    y = [-3, -2.5, -1, -0.0, 0.5, 1, 2, 7, 1e3, 1e5, -1e16, 2.0**53 + 2]
    y = np.concatenate([y, odd, ENDS])
    x, y = (a.ravel() for a in np.meshgrid(x, y))
    with np.errstate(all="ignore"):
        want = np.power(x, y)
        exact = np.power(x.astype(np.longdouble), y.astype(np.longdouble)).astype(float)
    got = np.asarray(ak.to_backend(np.power(ak.Array(x), ak.Array(y)), "cpu"))
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_array_equal(
        np.signbit(got) & ~np.isnan(got), np.signbit(want) & ~np.isnan(want)
    )
    usual = (np.abs(exact) > 2.3e-308) & np.isfinite(exact)
    np.testing.assert_allclose(got[usual], exact[usual], rtol=5e-16)
    np.testing.assert_array_equal(got[x == 0], want[x == 0])
    np.testing.assert_array_equal(got[~np.isfinite(exact)], exact[~np.isfinite(exact)])


@pytest.mark.parametrize("t", ["f4", "f8"])
@pytest.mark.parametrize("f", [np.arctan, np.cbrt])
def test_ends_and_seams_of_arctan_and_cbrt(f, t):
    """At which the formula changes, and where there are no digits to speak of."""
    info = np.finfo(t)
    seams = [0.41421356237309503, 2.414213562373095, 0.5, 1, 2, 4, 8, 1 / 8]
    ends = [0.0, np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal, info.eps]
    near = [np.nextafter(np.array(s, t), np.array(e, t)) for s in seams for e in (0, 9)]
    x = np.array([*seams, *ends, *near, *(8.0**k for k in range(-40, 40))], t)
    for sign in (x, -x):
        got = in_ram(f(ak.Array(sign)))
        assert got.dtype == sign.dtype
        expected = f(sign.astype("longdouble"))
        numbers = ~np.isnan(sign)  # whose sign nobody promises
        np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(expected[numbers]))
        with np.errstate(all="ignore"):
            error = np.abs(got - expected) / np.spacing(np.abs(expected).astype(t))
        finite = np.isfinite(sign) & (sign != 0)
        assert error[finite].max() <= 3  # a GPU's; on a CPU 1, as of random numbers
        np.testing.assert_array_equal(got[~finite], expected[~finite].astype(t))


SEAMS = {
    np.tan: [30000, *(k * np.pi / 4 for k in range(1, 40)), *(k * np.pi / 2 for k in (1e3, 1e4))],
    np.tanh: [0.125, 9.01, 9.2, *(2.0**k * (1 + j / 4) for k in range(-3, 4) for j in range(4))],
    np.arctan: [1, *(k / 15.99 for k in range(1, 16)), *(15.99 / k for k in range(1, 16))],
    np.cbrt: [2.0**k * (1 + j / 8) for k in (-2, -1, 0, 1, 126) for j in range(8)],
    np.log: [0.75, 1.5, *(k / 16 + 1 / 32 for k in range(11, 25))],
    np.log1p: [0.75, 1, 1.5, *(abs(k / 16 - 31 / 32) for k in range(1, 25))],
    np.expm1: [k * np.log(2) / 2 for k in (1, 3, 47, 49, 51, 253, 255, 256)],
    np.exp: [*(k * np.log(2) / 2 for k in (1, 3, 251, 253, 255)), 88.72, 89, 104],
    np.exp2: [0.5, 1.5, 64.5, 126, 127.5, 127.99, 128, 129, 149, 151],
    np.log2: [0.75, 1.5, *(k / 16 + 1 / 32 for k in range(11, 25)), 2, 8, 1024],
    np.log10: [0.75, 1.5, *(k / 16 + 1 / 32 for k in range(11, 25)), 10, 1000],
    np.sinh: [*(k * np.log(2) / 2 for k in (1, 3, 47, 255, 257)), 89.4, 89.7, 90],
    np.cosh: [*(k * np.log(2) / 2 for k in (1, 3, 47, 255, 257)), 89.4, 89.7, 90],
    np.arcsinh: [0.0625, 0.125, 0.25, 0.5, 0.75, 1, 4096, 2.0**30, 2.0**60, 2.0**63, 2.0**64],
    np.arccosh: [1, 1.0625, 1.25, 2, 3, 4096, 2.0**30, 2.0**60, 2.0**63, 2.0**64],
}


@pytest.mark.parametrize("f", SEAMS)
def test_seams_of_functions_of_float32(f):
    """Between intervals that have a polynomial each, and where a function is another one."""
    points = np.array(SEAMS[f], "f4")
    x = np.concatenate([points, *(np.nextafter(points, np.float32(e)) for e in (0, np.inf))])
    ends = [0, np.inf, np.nan, *(getattr(np.finfo("f4"), n) for n in ("max", "tiny", "eps"))]
    x = np.concatenate([x, ends, [np.finfo("f4").smallest_subnormal]]).astype("f4")
    for sign in (x, -x):
        with np.errstate(all="ignore"):
            exact = f(sign.astype("f8"))
            expected = exact.astype("f4")
        got = in_ram(f(ak.Array(sign)))
        assert got.dtype == np.float32
        usual = np.isfinite(expected) & (np.abs(expected) >= np.finfo("f4").tiny)
        error = np.abs(got[usual] - exact[usual]) / np.spacing(np.abs(expected[usual]))
        assert np.max(error, initial=0) <= 4  # a GPU's, and those of tanh, sinh and cosh
        if f is np.tanh:
            assert np.all(np.abs(got[np.abs(sign) > 9.2]) == 1)
        np.testing.assert_array_equal(got[~np.isfinite(expected)], expected[~np.isfinite(expected)])
        zero = expected == 0
        np.testing.assert_allclose(got[zero], 0, atol=3e-45)
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))


SEAMS_OF_FLOAT64 = {
    np.tanh: [*(k * np.log(2) / 64 for k in range(1, 200, 2)), 18.5, 18.7, 19.06, 21.9, 22],
    np.arctan: [1, *(k / 7.99 for k in range(1, 8)), *(7.99 / k for k in range(1, 8)), 1e300],
    np.cbrt: [2.0**k * (1 + j / 4) for k in (-1021, -2, -1, 0, 1, 1022) for j in range(4)],
    np.cosh: [
        *(k * np.log(2) / 32 for k in range(1, 99, 2)),
        345,
        355,
        709.8,
        710.475,
        710.476,
        711,
    ],
    np.exp: [*(k * np.log(2) / 32 for k in range(1, 99, 2)), 707, 708.3, 709.4, 709.78, 710, 746],
    np.exp2: [*(k / 32 for k in range(1, 99, 2)), 1021.9, 1022, 1023.97, 1024, 1025, 1074, 1080],
    np.expm1: [*(k * np.log(2) / 32 for k in range(1, 99, 2)), 37, 40, 709.4, 709.78, 710],
    np.log: [0.75, 1.5, *(k / 16 + 1 / 32 for k in range(11, 25))],
    np.log2: [0.75, 1.5, *(k / 16 + 1 / 32 for k in range(11, 25)), 2, 8, 1024],
    np.log10: [0.75, 1.5, *(k / 16 + 1 / 32 for k in range(11, 25)), 10, 1000, 1e22],
    np.log1p: [0.75, 1, 1.5, *(abs(k / 16 - 31 / 32) for k in range(1, 25))],
    np.tan: [*(k * np.pi / 32 for k in range(1, 99)), *(k * np.pi / 2 for k in (1e3, 1e8)), 1e9],
}


@pytest.mark.parametrize("f", SEAMS_OF_FLOAT64)
def test_seams_of_functions_of_float64(f):
    points = np.array(SEAMS_OF_FLOAT64[f])
    near = [np.nextafter(points, e) for e in (0, np.inf)]
    x = np.concatenate([points, *near, points * (1 + 1e-5), points * (1 - 1e-5)])
    ends = [0, np.inf, np.nan, *(getattr(np.finfo("f8"), n) for n in ("max", "tiny", "eps"))]
    x = np.concatenate([x, ends, [5e-324, 1e-310, 2e-308]])
    for sign in (x, -x):
        got = in_ram(f(ak.Array(sign)))
        with np.errstate(all="ignore"):
            exact = f(sign.astype("longdouble"))
            expected = exact.astype("f8")
        usual = np.isfinite(expected) & (np.abs(expected) >= np.finfo("f8").tiny)
        error = np.abs(got[usual] - exact[usual]) / np.spacing(np.abs(expected[usual]))
        assert np.max(error, initial=0) <= 2.5  # a GPU's; on a CPU 1
        np.testing.assert_allclose(got[~usual], expected[~usual], rtol=0, atol=2e-323)
        zero = expected == 0
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))
