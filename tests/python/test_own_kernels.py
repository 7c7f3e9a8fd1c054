# Kernels that users write in CUDA C++, compared with NumPy, on a GPU or an emulated one.
import os

import numpy as np
import pytest
from host import in_ram

import serrate as ak

needs_gpu = pytest.mark.skipif(
    os.environ.get("SERRATE_BACKEND") != "cuda" or "SERRATE_CUDA" in os.environ,
    reason="runs kernels: on a GPU or an emulated one",
)

ADD = r"""
// a kernel(of the page), and one more
extern "C" __global__ void __launch_bounds__(256)
add(const double* __restrict__ x, const double* y, double* out, int64_t n) {
  const int64_t i = blockIdx.x * 256l + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}
extern "C" __global__ void scale(float* x, float by, int n, bool twice) {
  const int i = threadIdx.x;
  if (i < n) x[i] *= twice ? 2 * by : by;
}
extern "C" __global__ void where(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * 24 + thread] = 1000 * block + thread;
}
"""


def on_gpu(x):
    return ak.to_backend(ak.Array(x), "cuda")


@needs_gpu
def test_raw_kernel():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=1000), rng.normal(size=1000)
    out = on_gpu(np.zeros(1000))
    before = out[:]
    add = ak.raw_kernel(ADD, "add")
    assert add((4,), (256,), (on_gpu(x), on_gpu(y) * 1, out, 1000)) is None
    np.testing.assert_array_equal(in_ram(out), x + y)
    np.testing.assert_array_equal(in_ram(before), np.zeros(1000))  # it had the same memory
    add.launch(1000, on_gpu(x), on_gpu(x), out, 1000)
    np.testing.assert_array_equal(in_ram(out), x + x)
    assert repr(add) == "<RawKernel add>"


@needs_gpu
def test_raw_module_and_numbers():
    module = ak.raw_module(ADD)
    assert module.names == ["add", "scale", "where"]
    scale = module.get_function("scale")
    assert module.get_function("scale") is scale
    x = on_gpu(np.arange(6, dtype=np.float32).reshape(2, 3))
    scale(1, 32, (x, 1.5, np.int64(5), True))
    assert str(ak.type(x)) == "2 * 3 * float32"
    np.testing.assert_array_equal(in_ram(x), np.array([[0, 3, 6], [9, 12, 5]], np.float32))


TURN = r"""
inline __device__ int* room() {
  __shared__ int items[%d];
  return items;
}
extern "C" __global__ void turn(int* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) room()[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = room()[n - 1 - i];
}
"""


@needs_gpu
def test_shared_memory_of_a_function_is_each_kernels_own():
    for n in (2, 12_000, 300):
        x = on_gpu(np.arange(n, dtype="i4"))
        ak.raw_kernel(TURN % n, "turn")(1, 32, (x, n))
        np.testing.assert_array_equal(in_ram(x), np.arange(n)[::-1])


NUMBERS = r"""
extern "C" __global__ void numbers(double a, int64_t b, int c, float d, uint64_t e, bool f,
                                   double* out) {
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f;
}
"""


@needs_gpu
def test_numbers_of_each_type():
    kernel = ak.raw_kernel(NUMBERS, "numbers")
    out = on_gpu(np.zeros(6))
    for given in [
        (1.5, 2, -3, 0.25, 5, True),
        (1, 2**62, 2**31 - 1, 4, 2**53, False),
        (np.float32(0.5), np.int8(-2), True, np.float64(0.125), np.uint64(7), np.bool_(True)),
        (True, -(2**53), -(2**31), -1.0, 0, True),
    ]:
        kernel(1, 1, (*given, out))
        assert in_ram(out).tolist() == [float(x) for x in given]
    for k, bad in [(2, 2**31), (2, -(2**31) - 1), (1, 2**63), (1, 1.5), (4, -1), (0, 1j), (0, "1")]:
        given = [1.5, 2, -3, 0.25, 5, True, out]
        given[k] = bad
        with pytest.raises((TypeError, ValueError, OverflowError)):
            kernel(1, 1, tuple(given))
    assert in_ram(out).tolist()[:1] == [1.0]  # as the last good launch left it


@needs_gpu
def test_arrays_as_they_lie():
    """Slices begin elsewhere; an array that is computed only now is computed first."""
    add = ak.raw_kernel(ADD, "add")
    x = on_gpu(np.arange(10.0))
    out = on_gpu(np.zeros(4))
    before = out[1:]
    add((1,), (256,), (x[3:7], x[6:] * 2, out, 4))
    np.testing.assert_array_equal(in_ram(out), np.arange(3.0, 7) + 2 * np.arange(6.0, 10))
    np.testing.assert_array_equal(in_ram(before), np.zeros(3))
    for wrong in (ak.values_astype(x, "float32"), on_gpu([1.0, None]), on_gpu(["text"])):
        with pytest.raises(TypeError, match=r"argument 'x'|kernel add"):
            add((1,), (256,), (wrong, x, out, 1))
    with pytest.raises(TypeError, match="on the CPU"):
        add((1,), (256,), (ak.to_backend(x, "cpu"), x, out, 1))


@needs_gpu
def test_grids_of_three_dimensions():
    out = on_gpu(np.zeros(24 * 24, np.int32))
    ak.raw_kernel(ADD, "where")((2, 3, 4), (4, 3, 2), (out,))
    expected = (1000 * np.arange(24)[:, None] + np.arange(24)).ravel()
    np.testing.assert_array_equal(in_ram(out), expected)


@needs_gpu
def test_what_does_not_fit():
    add, scale = ak.raw_kernel(ADD, "add"), ak.raw_kernel(ADD, "scale")
    x = on_gpu([1.0, 2.0])
    for args, message in [
        ((x, x, x), "takes 4 arguments, got 3"),
        ((x, x, x, 2.5), "argument 'n': the number does not fit int64"),
        ((x, x, x, None), "argument 'n': expected a number"),
        ((x, on_gpu([1, 2]), x, 2), "argument 'y': expected float64, got int64"),
        ((x, ak.to_backend(x, "cpu"), x, 2), "argument 'y': the array is on the CPU"),
        ((x, [1.0], x, 2), "argument 'y': expected an array on the GPU"),
        ((x, on_gpu([[1.0], []]), x, 2), "regular lists"),
    ]:
        with pytest.raises(TypeError, match=message):
            add(1, 256, args)
    with pytest.raises(TypeError, match="does not fit int32"):
        scale(1, 32, (on_gpu(np.zeros(1, np.float32)), 1, 2**40, True))
    for grid, block, message in [
        (0, 256, "a grid of 0 x 1 x 1"),
        (1, 2048, "2048 threads"),
        ((1, 70000), 1, "a grid of 1 x 70000"),
        ((1, 1, 1, 1), 1, "three dimensions"),
    ]:
        with pytest.raises(ValueError, match=message):
            add(grid, block, (x, x, x, 2))
    with pytest.raises(ValueError, match="shared memory"):
        add(1, 256, (x, x, x, 2), shared_mem=1 << 30)
    np.testing.assert_array_equal(in_ram(x), [1, 2])


def test_what_no_kernel_is():
    with pytest.raises(ValueError, match="found add, scale, where"):
        ak.raw_kernel(ADD, "nothing")
    with pytest.raises(TypeError, match="dim3 x"):
        ak.raw_kernel('extern "C" __global__ void f(dim3 x) {}', "f")


@needs_gpu
def test_errors_have_the_users_line():
    text = 'extern "C" __global__ void broken(double* x) {\n  x[0] = 1;\n  x[1] = nothing;\n}'
    with pytest.raises(RuntimeError, match=r"broken[:(]3.*(\n.*)*nothing"):
        ak.raw_kernel(text, "broken").compile()
    f = ak.elementwise_kernel("T x", "T y", "y = 2 * x;\ny = nothing", "doubled")
    with pytest.raises(RuntimeError, match=r"doubled[:(]2.*(\n.*)*nothing"):
        f(on_gpu([1.0])).to_list()


@needs_gpu
def test_elementwise():
    f = ak.elementwise_kernel("T x, T y, float64 k", "T z", "z = x * y + (T)k", "fused")
    x = on_gpu([[1.0, 2.0], [], [3.0]])
    assert ak.to_list(f(x, x, 0.5)) == [[1.5, 4.5], [], [9.5]]
    assert str(ak.type(f(x, x, 1))) == "3 * var * float64"
    small = ak.values_astype(x, "float32")
    assert str(ak.type(f(small, small, 1))) == "3 * var * float32"
    per_list = on_gpu([10.0, 20.0, 30.0])
    assert ak.to_list(f(x, per_list, 0)) == [[10, 20], [], [90]]
    missing = on_gpu([[1.0, None], None])
    assert ak.to_list(f(missing, missing, 1)) == [[2, None], None]
    assert ak.to_list(f(x[::-1], x[::-1] + 1, 0)) == [[12], [], [2, 6]]
    regular = on_gpu(np.arange(6.0).reshape(2, 3))
    assert str(ak.type(f(regular, regular, 0))) == "2 * 3 * float64"


@needs_gpu
def test_elementwise_of_many():
    rng = np.random.default_rng(3)
    counts = np.where(rng.random(100_000) < 1e-4, 5000, rng.integers(0, 3, 100_000))
    data = rng.normal(size=counts.sum())
    x = on_gpu(ak.to_backend(ak.unflatten(data, counts), "cpu"))
    f = ak.elementwise_kernel("T x", "T s, bool b", "s = x * x; b = x > 0")
    s, b = f(x)
    np.testing.assert_array_equal(in_ram(ak.flatten(s)), data * data)
    np.testing.assert_array_equal(in_ram(ak.flatten(b)), data > 0)
    assert str(ak.type(b)) == "100000 * var * bool"


@needs_gpu
def test_raw_parameters():
    f = ak.elementwise_kernel("T x, raw T all", "T y", "y = x + all[n - 1 - i]")
    x = on_gpu([[1.0, 2.0], [4.0]])
    assert ak.to_list(f(x, ak.ravel(x))) == [[5, 4], [5]]


@needs_gpu
def test_elementwise_refuses():
    f = ak.elementwise_kernel("T x, T y", "T z", "z = x + y", "plus")
    x = on_gpu([1.0])
    with pytest.raises(TypeError, match="plus takes 2 arguments, got 1"):
        f(x)
    with pytest.raises(TypeError, match="expected float64, got int64"):
        f(x, on_gpu([1]))
    with pytest.raises(TypeError, match="strings"):
        f(on_gpu(["a"]), x)
    with pytest.raises(TypeError, match="computes on a GPU"):
        f(ak.to_backend(x, "cpu"), x)
    with pytest.raises(TypeError, match="no type 'quaternion'"):
        ak.elementwise_kernel("quaternion x", "T y", "y = x")


@needs_gpu
def test_reduction():
    norm = ak.reduction_kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    x = on_gpu([[3.0, 4.0], [], [5.0]])
    assert ak.to_list(norm(x, axis=-1)) == [5, 0, 5]
    assert norm(x) == pytest.approx(np.sqrt(50))
    deep = on_gpu([[[3.0, 4.0], []], [], [[1.0]]])
    assert ak.to_list(norm(deep, axis=-1)) == [[5, 0], [], [1]]
    assert str(ak.type(norm(deep, axis=-1))) == "3 * var * float64"
    dot = ak.reduction_kernel("T x, T y, T k", "T z", "k * x * y", "a + b", "z = a", "0", "dot")
    assert ak.to_list(dot(x, on_gpu([1.0, 2.0, 3.0]), 2.0, axis=-1)) == [14, 0, 30]
    count = ak.reduction_kernel(
        "T x", "int64 n", "x > 3 ? 1 : 0", "a + b", "n = a", "0", "count", reduce_type="int"
    )
    assert ak.to_list(count(x, axis=-1)) == [1, 0, 1]
    with pytest.raises(TypeError, match="missing"):
        norm(on_gpu([[1.0, None]]), axis=-1)
    with pytest.raises(ValueError, match="axis=0"):
        norm(x, axis=0)


@needs_gpu
@pytest.mark.parametrize("lengths", ["short", "middle", "one giant", "skewed"])
def test_reduction_of_many(lengths):
    rng = np.random.default_rng(4)
    counts = {
        "short": rng.integers(0, 4, 5000),
        "middle": rng.integers(0, 200, 300),
        "one giant": np.array([40_000]),
        "skewed": np.append(rng.integers(0, 3, 1000), [0, 50_000, 1]),
    }[lengths]
    data = rng.integers(-1000, 1000, counts.sum())
    x = on_gpu(ak.to_backend(ak.unflatten(data, counts), "cpu"))
    largest = ak.reduction_kernel("T x", "T y", "x", "a > b ? a : b", "y = a", "-100000", "largest")
    expected = [max(part, default=-100_000) for part in np.split(data, np.cumsum(counts)[:-1])]
    assert ak.to_list(largest(x, axis=-1)) == expected
    assert largest(x) == data.max()


@needs_gpu
def test_elementwise_is_fused():
    f = ak.elementwise_kernel("T x", "T s, bool b", "s = x * x; b = x > 0", "squared")
    x = on_gpu([[1.0, -2.0], [], [3.0]])
    s, b = f(2 * x)
    assert "1 pass" in str(ak.explain(ak.sum(s[b], axis=-1)))
    assert ak.to_list(ak.sum(s[b], axis=-1)) == [4, 0, 36]
    places = ak.elementwise_kernel("T x", "int64 y", "y = n - i", "places")
    assert ak.to_list(places(2 * x)) == [[3, 2], [], [1]]
    macro = ak.elementwise_kernel("T x", "T y", "y = K * x", "macro", preamble="#define K 3")
    other = ak.elementwise_kernel("T x", "T y", "y = K * x", "macro", preamble="#define K 4")
    assert ak.to_list(macro(x) + other(x)) == [[7, -14], [], [21]]


@needs_gpu
def test_reduction_of_what_is_lazy():
    x = on_gpu([[3.0, 4.0], [], [5.0]])
    norm = ak.reduction_kernel(
        "T x, T k", "T y", "k * x * x", "a + b", "y = sqrt((T)a)", "0", "norm"
    )
    assert ak.to_list(norm(2 * x, 1.0, axis=-1)) == [10, 0, 10]
    assert norm(2 * x, 4.0) == pytest.approx(4 * np.sqrt(50))
    assert ak.to_list(norm(x + 0, on_gpu([1.0, 2.0, 4.0]), axis=-1)) == [5, 0, 10]
    assert ak.to_list(norm(ak.values_astype(2 * x, "float32"), 1, axis=-1)) == [10, 0, 10]
    count = ak.reduction_kernel(
        "T x", "int64 n", "x > 3 ? 1 : 0", "a + b", "n = a", "0", "count", reduce_type="int"
    )
    assert ak.to_list(count(x - 1, axis=-1)) == [0, 0, 1]
    with pytest.raises(TypeError, match="missing"):
        norm(on_gpu([[1.0, None]]) * 2, 1.0, axis=-1)
    with pytest.raises(TypeError, match="strings"):
        norm(on_gpu(["a"])[::-1], 1.0, axis=-1)
