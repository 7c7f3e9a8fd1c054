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
        raise TypeError(f"{name}: works on whole dimensions, which arrays of lists do not have")
    if (result := fused(ufunc, inputs)) is not None:
        return result
    scalars = bool | int | float | complex | np.generic
    places = [i for i, x in enumerate(inputs) if not isinstance(x, scalars)]
    arrays = [inputs[i] for i in places]
    if _core.backend(*arrays) == "cuda":
        raise TypeError(
            f"{name} computes on the CPU: bring its arguments there by to_backend, or write it as "
            "a device_function"
        )

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


def _plain(x):
    """What np.frompyfunc gives, objects of Python, as numbers."""
    return np.asarray(x.tolist()) if x.dtype == object else x
