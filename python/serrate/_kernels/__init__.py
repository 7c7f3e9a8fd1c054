"""Kernels that users write: in CUDA C++, in CuPy's argument style; folds by Python functions."""

from serrate._kernels._device_function import device_function
from serrate._kernels._elementwise import elementwise_kernel
from serrate._kernels._raw import RawKernel, RawModule, raw_kernel, raw_module
from serrate._kernels._reduce import reduce
from serrate._kernels._reduction import reduction_kernel

__all__ = [
    "RawKernel",
    "RawModule",
    "device_function",
    "elementwise_kernel",
    "raw_kernel",
    "raw_module",
    "reduce",
    "reduction_kernel",
]
