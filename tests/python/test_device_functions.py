# Functions in CUDA text as operations: values beside NumPy's, types, errors, on both devices.
import math
import os

import numpy as np
import pytest
from host import in_ram

import serrate as ak

needs_gpu = pytest.mark.skipif(
    os.environ.get("SERRATE_BACKEND") != "cuda" or "SERRATE_CUDA" in os.environ,
    reason="runs kernels: on a GPU or an emulated one",
)

BENT = "double bent(double x, double y) { return x > y ? x * x + y : x - y * 0.5; }"
POLAR = """
#define SQUARED(v) ((v) * (v))
__device__ double length(double x, double y) { return sqrt(SQUARED(x) + SQUARED(y)); }
void polar(double x, double y, double* r, bool* up, float* phi) {
  *r = length(x, y);  // of the plane {x, y}
  *up = y > 0;
  *phi = atan2(y, x);
}
"""
X = [[1.5, -2.0, 3.0], [], [0.25], [7.0, None]]


def bent(x, y):
    return x * x + y if x > y else x - y * 0.5


def polar(x, y):
    return math.sqrt(x * x + y * y), y > 0, math.atan2(y, x)


def on_gpu(x):
    return ak.to_backend(ak.Array(x), "cuda")


def of_items(f, x, *more):
    return [[None if v is None else f(v, *more) for v in row] for row in x]


@needs_gpu
def test_in_a_fused_expression():
    f = ak.device_function(BENT)
    x = on_gpu(X)
    y = f(2 * x, 1) * 2 + 1
    assert "1 pass" in str(ak.explain(y))
    assert "bent(" in str(ak.explain(y))
    assert y.to_list() == of_items(lambda v: bent(2 * v, 1) * 2 + 1, X)
    assert ak.sum(f(x, x), axis=-1).to_list() == [
        sum(bent(v, v) for v in row if v is not None) for row in X
    ]
    of_lists = f(x, on_gpu([1.0, 2.0, 3.0, 4.0]))
    want = [of_items(bent, [row], k)[0] for row, k in zip(X, [1.0, 2.0, 3.0, 4.0], strict=True)]
    assert of_lists.to_list() == want
    a, b = ak.unzip(ak.combinations(ak.drop_none(x), 2))
    assert ak.max(f(a, b), axis=-1).to_list() == [0.25, None, None, None]
    assert str(y.type) == "4 * var * ?float64"
    assert repr(f) == "<device_function bent>"


@needs_gpu
def test_several_results():
    f = ak.device_function(POLAR)
    x, y = on_gpu([[3.0, -1.0], []]), on_gpu([4.0, 1.0])
    got = f(x, y)
    assert str(got.type) == "2 * var * {r: float64, up: bool, phi: float32}"
    assert got.r.to_list() == [[5.0, math.sqrt(17)], []]
    assert got.up.to_list() == [[True, True], []]
    one = ak.device_function("void halves(int64_t n, bool* odd) { *odd = n % 2; }")
    assert one(on_gpu([1, 2])).to_list() == [True, False]


@needs_gpu
def test_of_many():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=200_000), rng.normal(size=200_000)
    got = in_ram(ak.device_function(BENT)(on_gpu(x), on_gpu(y)))
    # on a GPU products and sums are one operation
    np.testing.assert_allclose(got, np.where(x > y, x * x + y, x - y * 0.5), 1e-14, 1e-15)


@needs_gpu
@pytest.mark.parametrize("type", ["bool", "char", "uint8_t", "short", "unsigned", "long", "float"])
def test_types(type):
    f = ak.device_function(f"{type} same(const {type} x) {{ return x; }}")
    x = on_gpu(np.array([0, 1, 1], f._arguments[0][1]))
    got = f(x)
    assert got.type == x.type
    assert got.to_list() == x.to_list()


@pytest.mark.skipif(os.environ.get("SERRATE_CUDA") != "compile-only", reason="compiles kernels")
@pytest.mark.parametrize("text", [BENT, POLAR])
def test_the_texts_compile(text):
    f, x = ak.device_function(text), on_gpu(X)
    with pytest.raises(TypeError, match="has no code for CPUs"):  # which compute what it compiled
        ak.compute(f(x, 1))
    k = ak.elementwise_kernel("T x, int8 n", "T y, bool b", "b = x > n; y = x + 1", "k", f)
    with pytest.raises(TypeError, match="has no code for CPUs"):
        ak.compute(*k(x, 1))
    with pytest.raises(RuntimeError, match=r"1[):].*(\n.*)*nothing"):
        ak.compute(ak.device_function("double f(double x) { return nothing; }")(x))


@needs_gpu
def test_errors_have_the_users_line():
    f = ak.device_function("double broken(double x) {\n  double y = 2 * x;\n  return nothing; }")
    y = f(on_gpu([1.0]))
    with pytest.raises(RuntimeError, match=r"broken[:(]3.*(\n.*)*nothing"):
        y.to_list()
    assert ak.device_function(BENT)(on_gpu([1.0]), 0).to_list() == [1.0]


@needs_gpu
def test_in_an_elementwise_kernel():
    f = ak.device_function(BENT)
    more = "__device__ double twice(double x) { return 2 * x; }"
    k = ak.elementwise_kernel("T x", "T y", "y = twice(bent(x, 1))", "k", preamble=[f, more])
    assert k(on_gpu(X)).to_list() == of_items(lambda v: 2 * bent(v, 1), X)


def test_what_no_function_is():
    for text in ("", "int x;", "double f(double x);", "double f(double x) { return x;", "{}"):
        with pytest.raises(ValueError, match="expected the text of a function"):
            ak.device_function(text)
    for text, message in [
        ("double f(quaternion x) { }", "parameter 'quaternion x'"),
        ("quaternion f(double x) { }", "no type 'quaternion'"),
        ("void f(double x, const double* y) { }", "pointers are to results"),
    ]:
        with pytest.raises(TypeError, match=message):
            ak.device_function(text)
    for text, message in [
        ("void f(double x) { }", "gives nothing"),
        ("double f() { return 1; }", "has an argument"),
        ("void f(double* y, double x) { }", "last parameters"),
        ("double f(double x, double* y) { }", "returned, or all"),
    ]:
        with pytest.raises(ValueError, match=message):
            ak.device_function(text)
    with pytest.raises(TypeError, match="written in Python"):
        ak.device_function(BENT, cpu=math.sqrt)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_arguments_are_looked_at():
    f = ak.device_function("float f(float x, int8_t n, bool up) { return up ? x + n : x; }")
    x = ak.Array(np.zeros(2, np.float32))
    for args, message in [
        ((x,), "f takes 3 arguments, got 1"),
        ((ak.Array([1.0]), 1, True), "argument 'x': expected float32, got float64"),
        ((1j, 1, True), "argument 'x': expected float32, got complex"),
        ((x, 1.5, True), "argument 'n': expected int8, got float"),
        ((x, 200, True), "argument 'n': expected int8, got int"),
        ((x, 2**90, True), "argument 'n': expected int8, got int"),
        ((x, 1, 1), "argument 'up': expected bool, got int"),
        ((x, 1, ak.Array(["a"])), "argument 'up': expected bool, got no numbers"),
        ((ak.Array([{"x": 1}]), 1, True), "argument 'x': expected float32, got no numbers"),
    ]:
        with pytest.raises(TypeError, match=message):
            f(*args)
    with pytest.raises(TypeError, match="CUDA text and the arrays are on the CPU: to_backend"):
        f(x, 1, True)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_a_function_for_the_cpu():
    pytest.importorskip("numba", reason="compiles the functions")
    f = ak.device_function(BENT, cpu=bent)
    x = ak.Array(X)
    assert (f(x, 1) * 2).to_list() == of_items(lambda v: 2 * bent(v, 1), X)
    assert f(2, True) == bent(2.0, 1.0)
    assert f([1, 5], np.float32(2)).to_list() == [0, 27]
    g = ak.device_function(POLAR, cpu=polar)
    got = g(x, 1)
    assert str(got.type) == "4 * var * ?{r: float64, up: bool, phi: float32}"
    assert got.up.to_list() == of_items(lambda v: True, X)
    floor = ak.device_function("int floored(float x) { return (int)x; }", cpu=lambda x: x)
    assert floor(ak.Array(np.array([1.75], np.float32))).to_list() == [1]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_errors_of_the_function_for_the_cpu():
    pytest.importorskip("numba", reason="compiles the functions")

    def positive(x):
        if x < 0:
            raise ValueError("negative", x)
        return x

    text = "double positive(double x) { return x < 0 ? 0 : x; }"
    y = ak.device_function(text, cpu=positive)(ak.Array([[1.0], [-2.0]]))
    with pytest.raises(ValueError, match="negative") as caught:
        y.to_list()
    assert caught.value.args == ("negative", -2.0)
    for function, message in [
        (lambda x: (x, x), "the text gives float64; cpu=<lambda> gives"),
        (lambda x: x.nothing, r"<lambda> \(test_device_functions.py:\d+\) can't be compiled"),
    ]:
        with pytest.raises(TypeError, match=message):
            ak.device_function(text, cpu=function)(ak.Array([1.0]))


@needs_gpu
def test_on_both_devices():
    pytest.importorskip("numba", reason="compiles the functions")
    f = ak.device_function(POLAR, cpu=polar)
    x = on_gpu([[3.0, -1.0], []])
    here, there = f(ak.to_backend(x, "cpu"), 4), f(x, 4)
    assert ak.backend(there) == "cuda"
    assert here.type == there.type
    np.testing.assert_allclose(in_ram(ak.ravel(here.r)), in_ram(ak.ravel(there.r)))
