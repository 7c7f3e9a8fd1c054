"""Ufuncs that serrate has no loop for: SciPy's, Numba's (numba.vectorize), Python's
(np.frompyfunc)."""

import numpy as np

from serrate import _core
from serrate._apply.ufuncs import fused
from serrate._broadcast_step import is_text
from serrate._transform import transform
from serrate.contents import NumpyArray


def call(ufunc, inputs):
    """The ufunc as an operation; where it has no loop for that, of the numbers in the leaves,
    which are looked at."""
    name = f"numpy.{ufunc.__name__}" if hasattr(np, ufunc.__name__) else ufunc.__name__
    if ufunc.signature is not None:
        return _of_dimensions(ufunc, name, inputs)
    if (result := fused(ufunc, inputs)) is not None:
        return result
    scalars = bool | int | float | complex | np.generic
    places = [i for i, x in enumerate(inputs) if not isinstance(x, scalars)]
    arrays = [inputs[i] for i in places]
    _check_on_cpu(name, arrays)

    def leaves(layouts, **_):
        layouts = layouts if isinstance(layouts, tuple) else (layouts,)
        for x in layouts:
            if x.is_record or is_text(x):
                what = "records" if x.is_record else "strings"
                raise TypeError(f"{name} is not defined for {what}")
        if not all(x.is_numpy or x.is_unknown for x in layouts):
            return None
        operands = list(inputs)
        for i, x in zip(places, layouts, strict=False):
            operands[i] = x.data if x.is_numpy else np.empty(0)
        results = ufunc(*operands)
        many = isinstance(results, tuple)
        out = tuple(NumpyArray(_plain(x)) for x in (results if many else (results,)))
        return out if many else out[0]

    # Of several arrays, which this one is twice then, there may be several results.
    return transform(leaves, *(arrays * 2 if len(arrays) == 1 < ufunc.nout else arrays))


def _check_on_cpu(name, arrays):
    if _core.backend(*arrays) == "cuda":
        raise TypeError(
            f"{name} computes on the CPU: bring its arguments there by to_backend, or write it as "
            "a device_function"
        )


def _of_dimensions(ufunc, name, inputs):
    """A generalized ufunc (numba.guvectorize) of flat and regular arrays, which it reads where they
    lie."""
    arrays = [x for x in inputs if isinstance(x, _core.Array)]
    _check_on_cpu(name, arrays)
    try:
        given = [
            _core.to_numpy(x, allow_missing=False, copy=False) if isinstance(x, _core.Array) else x
            for x in inputs
        ]
    except ValueError:
        raise TypeError(
            f"{name}: works on whole dimensions, which arrays of lists do not have"
        ) from None
    results = ufunc(*given)
    return tuple(map(_array, results)) if isinstance(results, tuple) else _array(results)


def _array(x):
    return _core.Array(x) if isinstance(x, np.ndarray) else x


def _plain(x):
    """What np.frompyfunc gives, objects of Python, as numbers."""
    return np.asarray(x.tolist()) if x.dtype == object else x
