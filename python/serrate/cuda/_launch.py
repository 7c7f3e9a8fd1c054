"""Kernels launched without a grid: ak.cuda.launch."""

import importlib
import weakref

from serrate._kernels import RawKernel

_LAUNCHERS = weakref.WeakKeyDictionary()  # of a kernel of numba.cuda, one for each signature


def launch(kernel, n, *args, block=256):
    """Runs at least n threads of a kernel, in blocks of `block`, on this thread's stream.

    `kernel` is a raw_kernel, or a kernel of numba.cuda.jit, which is compiled for the types of
    the arguments at their first use. Flat and regular arrays are device arrays in it, nested ones
    views; CuPy's and Numba's arrays and numbers go along. Nothing waits, nothing is copied.

    >>> ak.cuda.launch(kernel, len(x), x, out)  # doctest: +SKIP
    """
    if n <= 0:
        return
    blocks = (n + block - 1) // block
    if isinstance(kernel, RawKernel):
        kernel((blocks,), (block,), args)
        return
    known = _LAUNCHERS.setdefault(kernel, [])
    for launcher in known:
        try:
            return launcher.launch(blocks, block, 0, args)
        except TypeError:  # of other types
            continue
    launcher = importlib.import_module("serrate._numba._launchers").launcher_of(kernel, args)
    launcher.launch(blocks, block, 0, args)
    known.append(launcher)
