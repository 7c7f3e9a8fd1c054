"""NumPy's ufuncs on arrays, beyond plain calls: out=, where=, dtype=, reduce, accumulate, at ..."""

import numpy as np

from serrate import _core
from serrate.errors import AxisError


def dispatch(ufunc, method, inputs, kwargs):
    """Array.__array_ufunc__ of whatever is not a plain call."""
    function = _METHODS.get(method)
    if function is None:
        raise TypeError(f"numpy.{ufunc.__name__}.{method}: not supported on arrays")
    outs = kwargs.get("out", ())
    if not all(_is_known(x) for x in (*inputs, *outs)):
        return NotImplemented
    return function(ufunc, *inputs, **kwargs)


def _is_known(x):
    """Not of a library that has ufuncs of its own."""
    own = _core.Array | _core.Record | np.ndarray | np.generic
    return isinstance(x, own) or not hasattr(type(x), "__array_ufunc__")


def _call(
    ufunc,
    *inputs,
    out=None,
    where=True,
    dtype=None,
    casting="same_kind",
    signature=None,
    sig=None,
    order="K",
    subok=True,
):
    del order, subok  # of memory and classes, which arrays here do not have
    signature = sig if signature is None else signature
    if dtype is not None or signature is not None or casting != "same_kind":
        inputs = _as_loop(ufunc, inputs, dtype, signature, casting)
    results = _core._ufunc_call(ufunc, *inputs)
    if results is NotImplemented:
        return results
    many = isinstance(results, tuple)
    results = results if many else (results,)
    outs = (None,) * len(results) if out is None else out
    pairs = zip(results, outs, strict=True)
    results = tuple(_finish(ufunc, r, o, where, casting) for r, o in pairs)
    return results if many else results[0]


def _weak_dtype(x):
    """What ufunc.resolve_dtypes takes for an operand."""
    if isinstance(x, bool):
        return np.dtype(bool)
    return type(x) if isinstance(x, int | float | complex) else _core._leaf_dtype(x)


def _as_loop(ufunc, inputs, dtype, signature, casting):
    """The operands as the types that NumPy would compute with."""
    given = [_weak_dtype(x) for x in inputs]
    if None in given:
        raise TypeError(f"numpy.{ufunc.__name__}: dtype=, casting= and signature= are of numbers")
    if isinstance(signature, str) and "->" not in signature:
        signature = None if dtype is not None else (None,) * ufunc.nin + (signature,) * ufunc.nout
    if dtype is not None:
        signature = (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
    wanted = {} if signature is None else {"signature": signature}
    loop = ufunc.resolve_dtypes((*given, *(None,) * ufunc.nout), casting=casting, **wanted)
    return [_cast(x, t) for x, t in zip(inputs, loop, strict=False)]


def _cast(x, dtype):
    if isinstance(x, int | float | complex) and not isinstance(x, np.generic):
        return dtype.type(x)
    return x if _core._leaf_dtype(x) == dtype else _core.values_astype(x, dtype)


def _finish(ufunc, result, out, where, casting):
    if isinstance(out, np.ndarray):
        mask = where if isinstance(where, bool) else np.asarray(_host(where))
        np.copyto(out, np.asarray(_host(result)), casting=casting, where=mask)
        return out
    if out is None:
        return result if where is True else _core.mask(result, where)
    dtype = _core._leaf_dtype(out)
    if dtype is None and _core._leaf_dtype(result) is not None:
        raise TypeError(f"numpy.{ufunc.__name__}: out= is not of numbers, but {out.type}")
    if dtype is not None and isinstance(result, _core.Array | np.generic):
        result = _like(ufunc, result, out, dtype, casting)
        if where is not True:
            result = _core.where(where, result, out)
    _core._replace(out, result)
    return out


def _like(ufunc, result, out, dtype, casting):
    """The result with the structure and the type of `out`."""
    got = _core._leaf_dtype(result)
    if got is not None and not np.can_cast(got, dtype, casting):
        raise TypeError(
            f"numpy.{ufunc.__name__}: cannot cast from {got} to {dtype} with casting {casting!r}"
        )
    depth = result.ndim
    result = _core.broadcast_arrays(result, out)[0]
    if depth > out.ndim or result.ndim != out.ndim:
        raise ValueError(
            f"numpy.{ufunc.__name__}: the result, {result.type}, does not fit into {out.type}"
        )
    return result if got == dtype else _core.values_astype(result, dtype)


def _host(x):
    return _core.to_numpy(_core.to_backend(x, "cpu")) if isinstance(x, _core.Array) else x


def _reduce(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if where is not True:
        array = _core.mask(array, where)
    if dtype is not None:
        array = _core.values_astype(array, dtype)
    if isinstance(axis, tuple):
        result = _over_axes(ufunc, array, axis, keepdims, initial)
    else:
        result = _core._ufunc_reduce(ufunc, array, axis, bool(keepdims), initial)
    return _finish(ufunc, result, out[0] if out else None, True, "same_kind")


def _over_axes(ufunc, array, axes, keepdims, initial):
    """Several axes, the innermost first."""
    depth = array.ndim
    places = sorted({axis + depth if axis < 0 else axis for axis in axes}, reverse=True)
    if len(places) < len(axes):
        raise ValueError(f"numpy.{ufunc.__name__}: an axis comes twice in {axes}")
    for i, axis in enumerate(places):
        first = initial if i == len(places) - 1 else None
        array = _core._ufunc_reduce(ufunc, array, axis, bool(keepdims), first)
    return array


def _accumulate(ufunc, array, axis=0, dtype=None, out=None):
    if dtype is not None:
        array = _core.values_astype(array, dtype)
    result = _core._ufunc_accumulate(ufunc, array, axis)
    return _finish(ufunc, result, out[0] if out else None, True, "same_kind")


def _reduceat(ufunc, array, indices, axis=0, dtype=None, out=None):
    if dtype is not None:
        array = _core.values_astype(array, dtype)
    depth = array.ndim
    if not -depth <= axis < depth:
        raise AxisError(f"numpy.{ufunc.__name__}.reduceat: axis={axis} of {depth} dimensions")
    axis %= depth
    if axis == 0:
        result = _core._ufunc_reduceat(ufunc, array, indices)
    else:
        parts = list(_parts_at(ufunc, array, _host(indices), axis))
        result = _core.concatenate(parts, axis=axis)
    return _finish(ufunc, result, out[0] if out else None, True, "same_kind")


def _parts_at(ufunc, array, indices, axis):
    """The results of reduceat along an inner axis, each as lists of one."""
    every = (slice(None),) * axis
    for begin, end in zip(indices, [*indices[1:], None], strict=True):
        one = end is not None and end <= begin
        part = array[(*every, slice(begin, begin + 1 if one else end))]
        if not _core.all(_core.num(part, axis=axis) > 0, axis=None):
            raise IndexError(f"numpy.{ufunc.__name__}.reduceat: index {begin} is out of range")
        yield part if one else _core._ufunc_reduce(ufunc, part, axis, True, None)


def _outer(ufunc, left, right, out=None, where=True, dtype=None, casting="same_kind", **options):
    if dtype is not None or casting != "same_kind":
        left, right = _as_loop(ufunc, (left, right), dtype, None, casting)
    for name in options:
        if name not in ("order", "subok"):
            raise TypeError(f"numpy.{ufunc.__name__}.outer: {name}= is not supported")
    result = _core._ufunc_outer(ufunc, left, right)
    return _finish(ufunc, result, out[0] if out else None, where, casting)


def _at(ufunc, array, indices, values=None):
    if isinstance(array, np.ndarray):
        rest = () if ufunc.nin == 1 else (_host(values),)
        ufunc.at(array, _host(indices), *rest)
        return
    if ufunc.nin == 2:
        result = (
            _core._update_at(array, indices, values, ufunc) if _is_array(indices, "iu") else None
        )
        if result is None:
            places = _core._leaf_positions(array)[indices]
            result = _core._ufunc_at(ufunc, array, places, values)
        _core._replace(array, result)
        return
    places = _core._leaf_positions(array)[indices]
    # Once for each time that a place comes.
    nothing = _core.full_like(array, 0, dtype="int64")
    times = _core._ufunc_at(np.add, nothing, places, 1)
    result = array
    for k in range(int(_core.max(times, axis=None, mask_identity=False, initial=0))):
        changed = _core.values_astype(ufunc(result), _core._leaf_dtype(array))
        result = _core.where(times > k, changed, result)
    _core._replace(array, result)


def _is_array(x, kinds):
    """Of numbers of these kinds."""
    dtype = x.dtype if isinstance(x, np.ndarray) else None
    if isinstance(x, _core.Array):
        dtype = _core._leaf_dtype(x)
    return dtype is not None and dtype.kind in kinds


_METHODS = {
    "__call__": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "reduceat": _reduceat,
    "outer": _outer,
    "at": _at,
}
