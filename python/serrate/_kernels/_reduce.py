"""ak.reduce: a function of two values folds lists."""

import importlib

import numpy as np

from serrate import _core
from serrate._transform import transform
from serrate.contents import NumpyArray


def reduce(f, x, identity, axis=None):
    """f(f(f(identity, x0), x1), ...) of each list along `axis`, of all items with None.

    `f` is a Python function of two numbers, or one that numba.njit compiled; Numba compiles it
    once for each type. Long lists are cut, and what f gives of their parts goes into f again: f
    must be associative, f(identity, v) must be v. Empty lists give the identity. Missing items
    are left out. `axis` is None or the innermost one (-1); of regular arrays any.

    The result has the type that f gives, which may be wider than the items'. TypeError for what
    are no numbers, ImportError without Numba.

    >>> reduce(lambda a, b: max(a, b), x, 0, axis=-1)  # doctest: +SKIP
    """
    x = x if isinstance(x, _core.Array) else _core.Array(x)
    folds = importlib.import_module("serrate._numba._folds")
    if axis is None or x.ndim == 1:
        if axis not in (None, 0, -1):
            raise ValueError(f"reduce: axis={axis} exceeds the depth of this array (1)")
        flat = _core.drop_none(_core.ravel(x), axis=0)
        _numbers(flat.layout)
        return folds.fold(f, flat, None, identity)[0]
    if axis not in (-1, x.ndim - 1):
        x = _turned(x, axis)
    x = _core.drop_none(x, axis=-1)

    def lists(layout, **_):
        if layout.is_record or layout.parameter("__array__") in ("string", "bytestring"):
            raise TypeError("reduce: expected numbers")
        if not (layout.is_list and (layout.content.is_numpy or layout.content.is_unknown)):
            return None
        _numbers(layout.content)
        plain = layout.to_ListOffsetArray64(True)
        data = _core.Array(plain.content.data)
        return NumpyArray(folds.fold(f, data, _core.Array(plain.offsets.data), identity))

    return transform(lists, x)


def _numbers(layout):
    if not (layout.is_numpy or layout.is_unknown):
        raise TypeError("reduce: expected numbers")


def _turned(x, axis):
    """A regular array with this axis innermost."""
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"reduce: axis={axis} exceeds the depth of this array ({x.ndim})")
    try:
        flat = _core.to_numpy(_core.to_backend(x, "cpu"), allow_missing=False)
    except ValueError:
        raise ValueError(
            f"reduce: axis={axis}: lists of different lengths are reduced along the innermost "
            "axis or axis=None"
        ) from None
    turned = _core.Array(np.ascontiguousarray(np.moveaxis(flat, axis, -1)))
    return _core.to_backend(turned, _core.backend(x))
