# Maths in functions of users: serrate's own vector functions, those of its operations.
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import serrate as ak

pytest.importorskip("numba", reason="compiles the functions")
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

UNARY = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "exp": np.exp, "expm1": np.expm1, "log": np.log,
    "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
}  # fmt: skip
BINARY = {"pow": np.power, "atan2": np.arctan2, "hypot": np.hypot}


def numbers(dtype, n=2003):
    """Positive ones, to begin with of all sizes; behind them what is special."""
    rng = np.random.default_rng(7)
    x = np.concatenate([rng.random(n // 2), np.exp(rng.normal(scale=3, size=n - n // 2))])
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e30, -3.5, 1e-30]
    return np.concatenate([x, special]).astype(dtype)


def function(name, count):
    env = {"math": math}
    given = "x" if count == 1 else "x, y"
    exec(f"def f({given}): return math.{name}({given})", env)
    return env["f"]


def assert_equal_bits(a, b):
    a, b = ak.to_numpy(a), ak.to_numpy(b)
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(a, b)  # NaN is NaN
    np.testing.assert_array_equal(np.signbit(a)[~np.isnan(a)], np.signbit(b)[~np.isnan(b)])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", UNARY)
def test_one_argument(name, dtype):
    x = ak.Array(numbers(dtype))
    if name in ("sin", "cos", "tan"):  # one large item sends its vector another way
        got, want = ak.apply(function(name, 1), x), UNARY[name](x)
        rtol = 1e-15 if dtype == "float64" else 1e-6
        np.testing.assert_allclose(ak.to_numpy(got), ak.to_numpy(want), rtol=rtol)
        x = x[abs(x) < 10]
    assert_equal_bits(ak.apply(function(name, 1), x), UNARY[name](x))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", BINARY)
def test_two_arguments(name, dtype):
    x = ak.Array(numbers(dtype))
    y = x[::-1]
    got, want = ak.apply(function(name, 2), x, y), BINARY[name](x, y)
    if (name, dtype) == ("pow", "float32"):  # one special item sends its vector another way
        np.testing.assert_allclose(ak.to_numpy(got), ak.to_numpy(want), rtol=2e-7)
    else:
        assert_equal_bits(got, want)


def decay(x, y):
    return math.exp(-x) * math.atan(y) if x > y else math.log(x)


@pytest.mark.parametrize("n", [1, 3, 7, 8, 9, 63, 64, 65, 1000])
def test_rows_do_not_depend_on_what_is_around_them(n):
    x = ak.Array(numbers("float64")[:-10])
    y = x * 0.5
    whole = ak.to_numpy(ak.apply(decay, x, y))
    for begin in (0, 1, 5, 900):
        part = ak.apply(decay, x[begin : begin + n], y[begin : begin + n])
        np.testing.assert_array_equal(ak.to_numpy(part), whole[begin : begin + n])
    lists = ak.unflatten(x, [3, 0, 10, len(x) - 13])
    inner = ak.apply(decay, lists, lists * 0.5)
    np.testing.assert_array_equal(ak.to_numpy(ak.flatten(inner)), whole)


def test_missing_and_branches():
    x = ak.Array(numbers("float64")[:-10])
    some = ak.mask(x, x > 0.5)
    whole = ak.apply(decay, x, x * 2)
    got = ak.apply(decay, some, x * 2)
    assert ak.all(ak.is_none(got) == (x <= 0.5))
    assert_equal_bits(ak.drop_none(got), whole[x > 0.5])


def test_loops_and_errors_are_right_as_well():
    def repeated(x):
        total, k = 0.0, 0
        while total < x and k < 20:
            total += math.exp(-k * x)
            k += 1
        return total + math.log1p(x)

    def checked(x):
        if x < 0:
            raise ValueError("negative", x)
        return math.log(x + 1)

    x = ak.Array(numbers("float64")[:100])
    want = [repeated(v) for v in x.to_list()]
    np.testing.assert_allclose(ak.to_numpy(ak.apply(repeated, x)), want, rtol=1e-14)
    np.testing.assert_allclose(ak.to_numpy(ak.apply(checked, x)), np.log(x + 1), rtol=1e-14)
    with pytest.raises(ValueError, match="negative"):
        ak.apply(checked, x - 0.01).to_list()


def compiled_block(f, types):
    from serrate._apply import cpu, results, wrap
    from serrate._apply.numba import compiled
    from serrate._apply.scalar import numba_type

    nb_types = [numba_type(t) for t in types]
    dispatcher, result = compiled(f, nb_types)
    shape = results.shape_of(result, "f")
    flat = wrap.flat(dispatcher, shape, nb_types)
    return cpu.block(flat, nb_types, shape.outputs(), wrap.can_fail(flat, nb_types)).inspect_llvm()


def test_loops_over_blocks_are_of_vectors():
    def many(x):
        for _ in range(8):
            x = math.log(1.0 + x)
        return x

    assert "@sr_f64x" in compiled_block(decay, ["float64", "float64"])
    assert "@sr_f32x" in compiled_block(function("sin", 1), ["float32"])
    assert compiled_block(many, ["float64"]).count("@sr_f64x") > 8  # too long to be inlined unasked

    def series(x, n):
        total = 0.0
        for k in range(n):
            total += math.exp(-k * x)
        return total

    text = compiled_block(series, ["float64", "int64"])  # one item at a time: the C library's
    assert "@sr_f64" not in text
    assert "@llvm.exp.f64" in text


@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
def test_each_instruction_set(isa, tmp_path):
    """Also that code on disk is not that of another one."""
    program = """
import math, sys
import numpy as np
import serrate as ak
def f(x): return math.exp(-x) * math.tanh(x)
x = ak.Array(np.linspace(0.01, 3, 1003))
print(ak.all(ak.apply(f, x) == np.exp(-x) * np.tanh(x)))
"""

    def run(isa):
        env = os.environ | {
            "SERRATE_CACHE_DIR": str(tmp_path), "SERRATE_BACKEND": "cpu", "SERRATE_ISA": isa,
        }  # fmt: skip
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=env, capture_output=True, text=True)

    first = run(isa)
    if "not available on this CPU" in first.stderr or "expected baseline" in first.stderr:
        pytest.skip(f"this CPU has no {isa}")
    assert first.stdout == "True\n", first.stderr
    assert run(isa).stdout == "True\n"
    assert run("baseline").stdout == "True\n"
