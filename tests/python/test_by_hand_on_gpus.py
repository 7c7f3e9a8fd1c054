# What tutorials on GPU kernels do by hand, and the one line that it is here (docs/kernels.md).
import importlib.util
import os

import numpy as np
import pytest
from host import in_ram

import serrate as ak

pytest.importorskip("numba", reason="compiles the functions")
pytestmark = pytest.mark.skipif(
    os.environ.get("SERRATE_BACKEND") != "cuda" or "SERRATE_CUDA" in os.environ,
    reason="runs kernels: on a GPU or an emulated one",
)

TEXT = r"""
extern "C" __global__ void add(const double* x, const double* y, double* out, int64_t n) {
  const int64_t i = blockIdx.x * 256l + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}
"""


class ByHand:
    """Memory of the device that somebody manages: to_device, device_array, copy_to_host."""

    def __init__(self, x):
        self.array = ak.to_backend(ak.Array(x), "cuda")
        self.__cuda_array_interface__ = self.array.__cuda_array_interface__

    def copy_to_host(self):
        return in_ram(ak.Array(self))


@pytest.mark.parametrize("n", [1, 255, 256, 257, 1000])
def test_manual_transfer(n):
    x, y = np.arange(n) * 0.5, np.arange(n) + 1.0
    kernel = ak.raw_kernel(TEXT, "add")
    d_x, d_y, d_out = ByHand(x), ByHand(y), ByHand(np.zeros(n))
    threads = 256
    kernel(((n + threads - 1) // threads,), (threads,), (d_x, d_y, d_out, n))
    by_hand = d_out.copy_to_host()

    one_line = ak.apply(lambda a, b: a + b, *(ak.to_backend(v, "cuda") for v in (x, y)))
    assert ak.backend(one_line) == "cuda"
    np.testing.assert_array_equal(in_ram(one_line), by_hand)


@pytest.mark.parametrize("shape", [(3, 4), (2, 300), (5, 1), (2, 3, 4)])
def test_reduction_of_several_dimensions(shape):
    x = np.random.default_rng(1).integers(0, 100, shape).astype(float)
    d_x = ak.to_backend(ak.Array(x), "cuda")
    rows = x.reshape(-1, shape[-1])
    # By hand: a fold of each row, one after the other, of a flat array.
    by_hand = []
    for k in range(len(rows)):
        total = 0.0
        for v in rows[k]:
            total = total + v
        by_hand.append(total)
    total = ak.reduction_kernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    one_lines = [(total(d_x, axis=-1), total(d_x))]
    if importlib.util.find_spec("numba_cuda"):
        one_lines += [[ak.reduce(lambda a, b: a + b, d_x, 0.0, axis=axis) for axis in (-1, None)]]
    for of_rows, of_all in one_lines:
        np.testing.assert_array_equal(in_ram(of_rows).reshape(-1), by_hand)
        assert float(of_all) == x.sum()


@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is not None, reason="it is there")
def test_what_is_missing_is_said():
    with pytest.raises(ImportError, match="pip install numba-cuda"):
        ak.reduce(lambda a, b: a + b, ak.to_backend(ak.Array([1.0]), "cuda"), 0.0)


def test_offsets_and_content():
    lists = [[1.0, 5.0], [], [2.0]]
    x = ak.to_backend(ak.Array(lists), "cuda")
    offsets, content = [0, 2, 2, 3], [1.0, 5.0, 2.0]
    by_hand = [max(content[offsets[k] : offsets[k + 1]], default=0.0) for k in range(3)]

    def largest(items):
        best = 0.0
        for v in items:
            best = max(best, v)
        return best

    assert in_ram(ak.apply(largest, x, axis=1)).tolist() == by_hand
