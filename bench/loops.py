"""Compiles loops.cpp once per machine and text, and calls it with NumPy arrays."""

import ctypes
import functools
import hashlib
import os
import subprocess
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
# -fno-math-errno: without it sqrt keeps the loops from being vectorised. Nothing is reassociated.
FLAGS = [
    "-std=c++20",
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fopenmp-simd",
    "-shared",
    "-fPIC",
]


@functools.cache
def library() -> ctypes.CDLL:
    source = HERE / "loops.cpp"
    compiler = os.environ.get("CXX", "c++")
    native = subprocess.run(
        [compiler, "-march=native", "-Q", "--help=target"], capture_output=True, text=True
    ).stdout
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    key = hashlib.sha256((source.read_text() + native + version + str(FLAGS)).encode()).hexdigest()
    path = HERE.parent / "build" / "loops" / f"{key[:16]}.so"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")  # two runs may compile at once
        subprocess.run([compiler, *FLAGS, str(source), "-o", str(part)], check=True)
        part.replace(path)
    return ctypes.CDLL(str(path))


def call(name: str, *args) -> None:
    """Integers go as int64, floats as double, arrays as pointers."""
    converted = []
    for a in args:
        if isinstance(a, np.ndarray):
            assert a.flags.c_contiguous
            converted.append(ctypes.c_void_p(a.ctypes.data))
        else:
            converted.append((ctypes.c_int64 if isinstance(a, int) else ctypes.c_double)(a))
    getattr(library(), name)(*converted)
