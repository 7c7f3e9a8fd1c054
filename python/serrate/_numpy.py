"""NumPy's functions on arrays: np.sum(x, axis=-1), np.concatenate([x, y]), ..."""

import numpy as np

from serrate import _core, _histogram


# NumPy's order of arguments, where Awkward's is another one.
def _summed(function):
    def f(a, axis=None, dtype=None, *, keepdims=False, **options):
        return function(_as(a, dtype), axis=axis, keepdims=keepdims, **options)

    return f


def _spread(function):
    def f(a, axis=None, dtype=None, *, ddof=0, keepdims=False):
        return function(_as(a, dtype), axis=axis, ddof=ddof, keepdims=keepdims)

    return f


def _cumsum(a, axis=None, dtype=None):
    return _core.cumsum(_as(a, dtype), axis=axis)


def _cumprod(a, axis=None, dtype=None):
    return _core.cumprod(_as(a, dtype), axis=axis)


def _quantile(function, numpy_function):
    """Of one q or several, which then are the first dimension, as in NumPy."""

    def f(a, q, axis=None, *, keepdims=False, **others):
        if others:  # methods, weights
            return _wrapped(numpy_function(_plain(a), q, axis, keepdims=keepdims, **others))
        if np.ndim(q) == 0:
            return function(a, q, axis=axis, keepdims=keepdims)
        parts = [function(a, part, axis=axis, keepdims=keepdims) for part in q]
        many = all(isinstance(part, _core.Array) for part in parts)
        return _core.concatenate([p[np.newaxis] for p in parts]) if many else _core.Array(parts)

    return f


def _clip(a, a_min=None, a_max=None, *, min=None, max=None):
    return _core.clip(a, a_min if min is None else min, a_max if max is None else max)


def _searchsorted(a, v, side="left", sorter=None):
    return _core.searchsorted(a if sorter is None else a[sorter], v, side)


def _isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    return _core.isin(element, test_elements, invert=invert)


# One stable algorithm, whatever kind is asked for.
def _sort(a, axis=-1, kind=None, *, stable=None):
    return _core.sort(a, axis=axis)


def _argsort(a, axis=-1, kind=None, *, stable=None):
    return _core.argsort(a, axis=axis)


def _unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    parts = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    if axis is None:
        return _core.unique(ar, axis=None, **parts)
    return np.unique(_plain(ar), axis=axis, **parts)  # of rows, which only regular arrays have


def _as(a, dtype):
    return a if dtype is None else _core.values_astype(a, dtype)


def _like(function):
    def like(a, dtype=None, **options):
        return function(a, dtype=dtype, **options)

    return like


def _full_like(a, fill_value, dtype=None):
    return _core.full_like(a, fill_value, dtype=dtype)


_SAME = [
    *("all", "any", "argmax", "argmin", "count_nonzero", "max", "min", "ptp", "ravel"),
    *("nanargmax", "nanargmin", "nanmax", "nanmin", "isclose", "round", "nan_to_num"),
    *("array_equal", "broadcast_arrays", "concatenate", "where", "real", "imag", "angle"),
]
_FUNCTIONS = {getattr(np, name): getattr(_core, name) for name in _SAME}
for _name in ("sum", "prod", "nansum", "nanprod", "mean", "nanmean"):
    _FUNCTIONS[getattr(np, _name)] = _summed(getattr(_core, _name))
for _name in ("quantile", "percentile", "nanquantile", "nanpercentile"):
    _ours, _theirs = getattr(_core, _name), getattr(np, _name)
    _FUNCTIONS[_theirs] = _quantile(_ours, _theirs)
for _name in ("median", "nanmedian"):
    _FUNCTIONS[getattr(np, _name)] = _summed(getattr(_core, _name))
for _name in ("var", "std", "nanvar", "nanstd"):
    _FUNCTIONS[getattr(np, _name)] = _spread(getattr(_core, _name))
_FUNCTIONS |= {
    np.around: _core.round,
    np.clip: _clip,
    np.amax: _core.max,
    np.amin: _core.min,
    np.sort: _sort,
    np.argsort: _argsort,
    np.cumsum: _cumsum,
    np.cumprod: _cumprod,
    np.diff: lambda a, n=1, axis=-1: _core.diff(a, n, axis),
    np.unique: _unique,
    np.zeros_like: _like(_core.zeros_like),
    np.ones_like: _like(_core.ones_like),
    np.full_like: _full_like,
    np.copy: lambda a, order="K", subok=False: _core.copy(a),
    np.searchsorted: _searchsorted,
    np.isin: _isin,
    np.partition: lambda a, kth, axis=-1: _core.partition(a, kth, axis),
    np.argpartition: lambda a, kth, axis=-1: _core.argpartition(a, kth, axis),
    np.bincount: _core._bincount,
    np.histogram: _histogram.numpy_histogram,
    np.histogram2d: _histogram.numpy_histogram2d,
    np.histogramdd: _histogram.numpy_histogramdd,
}


def array_function(self, function, types, args, kwargs):
    """Array.__array_function__: ours where there is one, else NumPy's on rectilinear copies."""
    ours = _FUNCTIONS.get(function)
    if ours is not None:
        return ours(*args, **kwargs)
    return _wrapped(function(*_plain(args), **_plain(kwargs)))


def _wrapped(out):
    if isinstance(out, tuple) and hasattr(out, "_fields"):
        return type(out)(*map(_wrapped, out))
    if type(out) in (tuple, list):
        return type(out)(map(_wrapped, out))
    if type(out) is dict:
        return {key: _wrapped(value) for key, value in out.items()}
    if not isinstance(out, np.ndarray) or out.ndim == 0:
        return out
    return _core.from_numpy(out, regulararray=True)


def _plain(x):
    if isinstance(x, _core.Array):
        return _core.to_numpy(x, copy=False)
    if isinstance(x, dict):
        return {key: _plain(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return type(x)(_plain(value) for value in x)
    return x
