"""Ufuncs of other libraries as operations: their inner loops, or what Numba made them of."""

import ctypes
import functools
import sys

import numpy as np

from serrate import _core
from serrate._apply.scalar import apply_scalar

_SCALARS = bool | int | float | complex | np.generic


def fused(ufunc, inputs):
    """The result, lazily; None where it can't be: loops over objects and times, another device."""
    if ufunc.signature is not None:
        return None
    if hasattr(ufunc, "_dispatcher"):  # numba.vectorize
        return _of_numba(ufunc, inputs)
    if not isinstance(ufunc, np.ufunc):
        return None
    types = _types(inputs)
    made = types and (_cuda if _on_gpu(inputs) else _loop)(ufunc, types)
    if not made:
        return None
    result = _core._apply(made, tuple(inputs), None)
    return _core.unzip(result) if ufunc.nout > 1 else result


def _on_gpu(inputs):
    arrays = [x for x in inputs if not isinstance(x, _SCALARS)]
    return _core.backend(*arrays) == "cuda"


def _types(inputs):
    """As resolve_dtypes takes them; None where there are no numbers."""
    out = []
    for x in inputs:
        if isinstance(x, bool):
            out.append(np.dtype(bool))
        elif isinstance(x, int | float | complex):
            out.append(type(x))
        else:
            t = _core._leaf_dtype(x)
            if t is None or t.kind not in "biufc":
                return None
            out.append(t)
    return tuple(out)


# CUDA's names of what scipy.special has; of float32 they end in f.
_OF_CUDA = {name: name for name in ("erf", "erfc", "erfcx", "erfinv", "erfcinv", "exp10")}
_OF_CUDA |= {name: name for name in ("j0", "j1", "y0", "y1", "expm1", "log1p", "cbrt", "exp2")}
_OF_CUDA |= {"gamma": "tgamma", "gammaln": "lgamma", "ndtr": "normcdf", "ndtri": "normcdfinv"}
_OF_CUDA |= {"i0": "cyl_bessel_i0", "i1": "cyl_bessel_i1"}


@functools.lru_cache(1024)
def _cuda(ufunc, types):
    """The same function of CUDA's; None if it has none."""
    from serrate._kernels import _text

    special = sys.modules.get("scipy.special")
    name, resolved = ufunc.__name__, _resolved(ufunc, types)
    if name not in _OF_CUDA or getattr(special, name, None) is not ufunc or resolved is None:
        return None
    chars = "".join(t.char for t in resolved)
    if chars not in ("dd", "ff"):
        return None
    called = _OF_CUDA[name] + ("f" if chars == "ff" else "")
    t = resolved[0].name
    return _text.made(name, _text.statement(f"sr_{name}", [(t, "x")], [(t, "y")],
                                            f"y = {called}(x)"))  # fmt: skip


def _resolved(ufunc, types):
    try:
        return ufunc.resolve_dtypes(types + (None,) * ufunc.nout)
    except TypeError:
        return None


@functools.lru_cache(1024)
def _loop(ufunc, types):
    """The loop for these types as a function; None if there is none of numbers."""
    resolved = _resolved(ufunc, types)
    if resolved is None:
        return None
    chars = "".join(t.char for t in resolved)
    wanted = f"{chars[: ufunc.nin]}->{chars[ufunc.nin :]}"
    if wanted not in ufunc.types or any(t.kind not in "biufc" for t in resolved):
        return None
    if any(t.name in ("longdouble", "clongdouble", "float128", "complex256") for t in resolved):
        return None
    k = ufunc.types.index(wanted)
    base = id(ufunc) + object.__basicsize__ + 16
    functions, data = (ctypes.c_void_p.from_address(base + i).value for i in (0, 8))
    size = ctypes.sizeof(ctypes.c_void_p)
    loop = ctypes.c_void_p.from_address(functions + k * size).value
    own = ctypes.c_void_p.from_address(data + k * size).value if data else None
    results = [(t.name, False, "") for t in resolved[ufunc.nin :]]
    return _core._loop_function(
        name=ufunc.__name__,
        arguments=[t.name for t in resolved[: ufunc.nin]],
        results=results,
        shape="number" if ufunc.nout == 1 else "tuple",
        loop=loop,
        data=own or 0,
        owner=ufunc,
    )


def _of_numba(ufunc, inputs):
    """What numba.vectorize was given; of the types that it was made for, if there are some."""
    if _types(inputs) is None:
        return None
    function = ufunc._dispatcher.py_func
    if not ufunc._frozen:
        return apply_scalar(function, tuple(inputs))
    given = [np.dtype(t) if isinstance(t, type) else t for t in _types(inputs)]
    for loop in ufunc.types:
        types, result = loop.split("->")
        wanted = [np.dtype(t) for t in types]
        if all(np.can_cast(a, b, "safe") for a, b in zip(given, wanted, strict=True)):
            out = apply_scalar(function, tuple(inputs), tuple(t.name for t in wanted))
            return _core.values_astype(out, np.dtype(result))
    return None
