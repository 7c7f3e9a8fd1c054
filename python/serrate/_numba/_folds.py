"""Folds by functions of users, on both devices."""

import functools

import numba
import numpy as np
from numba.np.numpy_support import as_dtype, from_dtype

from serrate import _core
from serrate._kernels._reduction import PIECE, cut


def fold(f, data, offsets, identity):
    """f over each list of flat data, or over all of them where there are no offsets."""
    on_gpu = _core.backend(data) == "cuda"
    flat = data if on_gpu else _core.to_numpy(data)
    plain = getattr(f, "py_func", f)
    dtype = _result(plain, _dtype(flat), identity)
    start = dtype.type(identity)
    return (_on_gpu if on_gpu else _on_cpu)(plain, flat, offsets, start)


def _dtype(flat):
    return flat.dtype if isinstance(flat, np.ndarray) else _core._leaf_dtype(flat)


def _result(f, items, identity):
    """The dtype that f keeps: it gives what it takes."""
    dtype = np.result_type(items, identity)
    for _ in range(3):
        compiled = _compiled(f)
        signature = (from_dtype(dtype), from_dtype(items))
        compiled.compile(signature)
        given = as_dtype(compiled.overloads[signature].signature.return_type)
        if given == dtype:
            return dtype
        dtype = np.promote_types(dtype, given)
    raise TypeError(f"reduce: the function gives {given} of {dtype}")


@functools.lru_cache(256)
def _compiled(f):
    return numba.njit(f)


@functools.lru_cache(256)
def _loop(f):
    inner = _compiled(f)

    @numba.njit(nogil=True, parallel=True)
    def loop(offsets, data, start, out):
        for i in numba.prange(len(out)):
            whole = start
            for k in range(offsets[i], offsets[i + 1]):
                whole = inner(whole, data[k])
            out[i] = whole

    return loop


def _on_cpu(f, data, offsets, start):
    if offsets is None:
        ends = np.append(np.arange(0, len(data), PIECE), len(data))
        parts = np.empty(len(ends) - 1, start.dtype)
        _loop(f)(ends, data, start, parts)
        out = np.empty(1, start.dtype)
        _loop(f)(np.array([0, len(parts)]), parts, start, out)
        return out
    out = np.empty(len(offsets) - 1, start.dtype)
    _loop(f)(_core.to_numpy(offsets), data, start, out)
    return out


@functools.lru_cache(256)
def _kernel(f):
    from numba import cuda

    inner = cuda.jit(device=True)(f)

    @cuda.jit
    def kernel(offsets, data, start, out):
        i = cuda.grid(1)
        if i < len(out):
            whole = start
            for k in range(offsets[i], offsets[i + 1]):
                whole = inner(whole, data[k])
            out[i] = whole

    return kernel


def _on_gpu(f, data, offsets, start):
    from serrate.cuda._launch import launch

    if offsets is None:
        offsets = _core.to_backend(_core.Array(np.array([0, len(data)])), "cuda")
    lists = len(offsets) - 1
    pieces = cut(offsets, lists, len(data))
    out = _core._cuda_empty(lists, start.dtype)
    if pieces is None:
        launch(_kernel(f), lists, offsets, data, start, out)
        return out
    inner, outer = pieces
    parts = _core._cuda_empty(len(inner) - 1, start.dtype)
    launch(_kernel(f), len(parts), inner, data, start, parts)
    launch(_kernel(f), lists, outer, parts, start, out)
    return out
