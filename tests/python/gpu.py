# Arrays on the GPU, and memory of other libraries there. Where there is no GPU, its stand-in
# (SERRATE_CUDA=compile-only) holds their data in host memory: so import this first.
import os
from pathlib import Path

import numpy as np

import serrate as ak

EMULATED = "SERRATE_CUDA_PLUGIN" in os.environ  # by tests/emulator
REAL = "SERRATE_CUDA" not in os.environ and (EMULATED or Path("/dev/nvidiactl").exists())
if not REAL:
    os.environ["SERRATE_CUDA"] = "compile-only"

VALUES = {
    "numbers": [1, 2, 3],
    "floats": [1.5, float("inf"), -0.0],
    "ragged": [[1, 2, 3], [], [4]],
    "empty": [],
    "empty lists": [[], []],
    "deep": [[[1], [2, 3]], [], [[]]],
    "missing": [1, None, 3],
    "missing lists": [[1], None, [None, 2]],
    "strings": ["one", "", "th\u00e9"],
    "bytes": [b"a", b"\xff\x00"],
    "records": [{"x": 1, "y": [1.5]}, {"x": 2, "y": []}],
    "tuples": [(1, [2]), (3, [])],
    "union": [1, "two", [3.5], None],
    "bools": [True, False],
    "complex": [1 + 2j, -1j],
    "times": [np.datetime64("2024-02-29"), np.datetime64("1969-12-31")],
}


def on_gpu(values):
    return ak.to_backend(ak.Array(values), "cuda")


def cupy_there():
    """With this, CuPy works where serrate does."""
    import cupy

    return cupy.cuda.Device(on_gpu([1]).__dlpack_device__()[1])


class Foreign:
    """Memory of another library that the GPU can read."""

    def __init__(self, array, **changes):
        if REAL and not EMULATED:
            import cupy

            with cupy_there():
                self.array = cupy.asarray(array)
            self.__cuda_array_interface__ = self.array.__cuda_array_interface__ | changes
        else:
            self.array = array
            i = array.__array_interface__
            self.__cuda_array_interface__ = {
                "shape": i["shape"],
                "typestr": i["typestr"],
                "data": i["data"],
                "strides": i["strides"],
                "version": 3,
                "stream": 1,
            } | changes


def host(gpu_array):
    """The numbers behind __cuda_array_interface__."""
    if REAL and not EMULATED:
        import cupy

        with cupy_there():
            return cupy.asnumpy(cupy.asarray(gpu_array))
    i = dict(gpu_array.__cuda_array_interface__)
    assert i.pop("version") == 3
    assert isinstance(i.pop("stream"), int)
    if REAL:
        ak.cuda.synchronize()
    return np.asarray(type("Host", (), {"__array_interface__": i | {"version": 3}})())
