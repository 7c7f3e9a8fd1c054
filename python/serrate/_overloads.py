"""Behaviours: ufuncs, reducers and casts that users define for records and lists of a name."""

import numpy as np

from serrate import _core


def _behaviors(values):
    """The behaviours of these values, those of the first ones first, then the global ones."""
    own = [x.behavior for x in values if isinstance(x, _core.Array | _core.Record)]
    return [*(b for b in own if b), _core.behavior]


def _key(x):
    """What stands for an operand in the key of an overload: a name, or a class."""
    if isinstance(x, _core.Array | _core.Record):
        return _core._overload_key(x)
    if isinstance(x, np.ndarray):
        return x.dtype.type
    return type(x)


def _matches(key, signature):
    return (
        isinstance(key, tuple)
        and len(key) == len(signature)
        and key[0] is signature[0]
        and all(
            k == s or (isinstance(k, type) and isinstance(s, type) and issubclass(s, k))
            for k, s in zip(key[1:], signature[1:], strict=True)
        )
    )


def _find(signature, behaviors):
    if None in signature:
        return None
    for behavior in behaviors:
        if signature in behavior:
            return behavior[signature]
    if all(isinstance(s, str) for s in signature[1:]):
        return None
    for behavior in behaviors:
        for key, custom in behavior.items():
            if _matches(key, signature):
                return custom
    return None


def _rows(inputs):
    """The arguments of an overload: broadcast down to the records; a record is an array of one."""
    where = [i for i, x in enumerate(inputs) if isinstance(x, _core.Array | _core.Record)]
    records = all(isinstance(inputs[i], _core.Record) for i in where)
    arrays = [_core._one(inputs[i]) if records else inputs[i] for i in where]
    if len(arrays) > 1 and not records:
        arrays = _core.broadcast_arrays(*arrays)
    out = list(inputs)
    for i, x in zip(where, arrays, strict=True):
        out[i] = x
    return out, records


def ufunc(function, inputs):
    """What the overload of a ufunc gives, or NotImplemented where there is none."""
    behaviors = _behaviors(inputs)
    signature = (function, *map(_key, inputs))
    custom = _find(signature, behaviors)
    if custom is not None:
        rows, records = _rows(inputs)
        out = custom(*rows)
        return out[0] if records and isinstance(out, _core.Array) else out
    for name in signature[1:]:
        for behavior in behaviors if isinstance(name, str) else []:
            custom = behavior.get((function, name)) or behavior.get((np.ufunc, name))
            if custom is not None:
                return custom(function, "__call__", list(inputs), {})
    return NotImplemented


def reducer(name, array, axis, keepdims, mask_identity):
    """What the overload of a reducer gives: it is called with lists of records."""
    function, record = getattr(_core, name), _core._overload_key(array)
    found = [b[function, record] for b in _behaviors([array]) if (function, record) in b]
    if not found:
        return NotImplemented
    depth = array.ndim
    if axis is None:
        while array.ndim > 1:
            array = _core.flatten(array, axis=1)
        out = found[0](_core._one(array), mask_identity)[0]
        return out
    if axis not in (-1, depth - 1):
        raise TypeError(f"{name}: records are reduced along the innermost axis, not {axis}")
    counts = []
    for _ in range(depth - 2):
        counts.append(_core.num(array, axis=1))
        array = _core.flatten(array, axis=1)
    out = found[0](_core._one(array) if depth == 1 else array, mask_identity)
    if depth == 1:
        return out if keepdims else out[0]
    if keepdims:
        out = out[:, np.newaxis]
    for n in reversed(counts):
        out = _core.unflatten(out, n)
    return out


def cast(value):
    """A foreign object as an array, by a behaviour ("__cast__", its class)."""
    for cls in type(value).__mro__:
        function = _core.behavior.get(("__cast__", cls))
        if function is not None:
            return function(value)
    return NotImplemented
