"""apply of functions of one list: each gets the views that functions of Numba's have of arrays."""

import functools
import operator

import numpy as np

from serrate import _core
from serrate._apply import results, yields
from serrate._apply.list_errors import FailedRow, raise_again
from serrate._apply.numba import check_function, compiled, numba, python_function
from serrate._apply.wrap import flat_source, helpers
from serrate.errors import AxisError

_SCALARS = bool | int | float | complex | np.generic
_BLOCK = 4096  # lists between two looks at signals


def apply_lists(function, arrays, axis):
    """apply with an axis: evaluated when it is written."""
    check_function(function, "apply")
    if not any(isinstance(x, _core.Array) for x in arrays):
        raise TypeError("apply: with an axis an argument must be an array")
    try:
        return _of_axis(function, arrays, _axis_of(axis, arrays))
    except FailedRow as found:
        failed = found
    raise_again(function, failed)


def _of_axis(function, arrays, axis):
    if axis == 1:
        return _of_rows(function, arrays)
    inner = _core.broadcast_arrays(*arrays, depth_limit=axis)
    inner = [a if isinstance(a, _SCALARS) else b for a, b in zip(arrays, inner, strict=True)]
    first = next(x for x in inner if isinstance(x, _core.Array))
    items = [x if isinstance(x, _SCALARS) else _core.flatten(x, axis=1) for x in inner]
    counts = _core.num(first, axis=1)
    try:
        found = _of_axis(function, items, axis - 1)
    except FailedRow as failed:
        raise failed.inside(counts) from None
    return _core.unflatten(found, counts)


def _axis_of(axis, arrays):
    axis = operator.index(axis)
    depth = max(x.layout.minmax_depth[1] for x in arrays if isinstance(x, _core.Array))
    found = axis + depth if axis < 0 else axis
    if not 1 <= found < depth:
        raise AxisError(f"apply: axis {axis} has no lists; the deepest argument has {depth} levels")
    return found


def _of_rows(function, arrays):
    """The function of row i of each array, and of the scalars."""
    arrays = [_core.materialize(x) if isinstance(x, _core.Array) else x for x in arrays]
    _check_lengths(arrays)
    missing = [_core.is_none(x) for x in arrays if _may_be_missing(x)]
    if not missing:
        return _present_rows(function, arrays)
    there = ~functools.reduce(operator.or_, missing)
    rows = [x if isinstance(x, _SCALARS) else _core.drop_none(x[there], axis=0) for x in arrays]
    place = _core.cumsum(_core.values_astype(there, "int64"), axis=0) - 1
    try:
        return _present_rows(function, rows)[_core.mask(place, there)]
    except FailedRow as failed:
        raise failed.among(there) from None


def _may_be_missing(x):
    return isinstance(x, _core.Array) and str(x.type.content).startswith(("?", "option"))


def _check_lengths(arrays):
    lengths = {len(x) for x in arrays if isinstance(x, _core.Array)}
    if len(lengths) > 1:
        raise ValueError(f"apply: arrays of different lengths: {sorted(lengths)}")


def _present_rows(function, arrays):
    n = next(len(x) for x in arrays if isinstance(x, _core.Array))
    if _core.backend(*(x for x in arrays if isinstance(x, _core.Array))) == "cuda":
        from serrate._apply.list_kernels import rows_on_gpu

        try:
            return rows_on_gpu(function, arrays, n)
        except FailedRow as failed:
            raise failed.of_arguments(arrays) from None
    types = tuple(numba().typeof(x) for x in arrays)
    made = _prepared(function, types)
    if made.yields:
        return _ragged(made, arrays, n)
    outs = made.buffers(n)
    for begin in range(0, n, _BLOCK):
        made.drive(begin, min(n, begin + _BLOCK), outs, *arrays)
    return made.array(outs)


def _ragged(made, arrays, n):
    """Values of all lists one behind the other; once more where the first room was too small."""
    lengths = np.zeros(n, np.int64)
    room = max(64, n, *(_items(x) for x in arrays if isinstance(x, _core.Array)))
    while True:
        outs, total = made.buffers(room), 0
        for begin in range(0, n, _BLOCK):
            end = min(n, begin + _BLOCK)
            total = made.drive(begin, end, outs, total, room, lengths, *arrays)
        if total <= room:
            break
        room = total
    values = made.array([x[:total] for x in outs])
    return _core.unflatten(values, _core.Array(lengths))


def _items(x):
    """A guess of how much is yielded: an item of the list each."""
    return int(_core.sum(_core.num(x, axis=1), axis=None)) if x.ndim > 1 else len(x)


class _Driver:
    """Compiled loops over lists, and what their results are."""

    def __init__(self, drive, shape, is_generator):
        self.drive, self.shape, self.yields = drive, shape, is_generator

    def buffers(self, n):
        return tuple(np.empty(n, t) for t in self.shape.outputs())

    def array(self, outs):
        return self.shape.array([_core.Array(x) for x in outs])


_drivers = {}


def _prepared(function, types):
    key = (function, types)
    if key not in _drivers:
        if len(_drivers) > 1024:
            _drivers.clear()
        _drivers[key] = _make(function, types)
    return _drivers[key]


def _make(function, types):
    plain = python_function(function)[0]
    items = [_item_type(t) for t in types]
    if yields.is_generator(plain):
        result = compiled(plain, items)[1].yield_type
        shape = results.shape_of(result, plain.__name__)
        stored = compiled_store(plain, shape)
        return _Driver(_drive_generator(stored, types), shape, True)
    dispatcher, result = compiled(plain, items)
    shape = results.shape_of(result, plain.__name__)
    return _Driver(_drive(dispatcher, shape, types), shape, False)


def _item_type(t):
    """What the function gets: a row of an array, a scalar itself."""
    if not hasattr(t, "form") and not isinstance(t, numba().types.IterableType):
        return numba().types.unliteral(t)
    return compiled(lambda a: a[0], (t,))[1]


def _given(types):
    """The arguments of the function in a loop over i."""
    scalar = [isinstance(t, numba().types.Number | numba().types.Boolean) for t in types]
    return ", ".join(f"a{k}" if s else f"a{k}[i]" for k, s in enumerate(scalar))


def _drive(dispatcher, shape, types):
    names = ", ".join(f"a{k}" for k in range(len(types)))
    h = helpers()
    env = {"f": dispatcher, "value": h.value, "present": h.present}
    exec(flat_source(shape, len(types)), env)
    env = {"flat": numba().njit(error_model="numpy", nogil=True)(env["flat"])}
    lines = [f"def drive(begin, end, outs, {names}):", "    for i in range(begin, end):"]
    lines += [f"        r = flat({_given(types)})"]
    lines += [f"        outs[{k}][i] = r[{k}]" for k in range(len(shape.outputs()))]
    exec("\n".join(lines), env)
    return numba().njit(error_model="numpy", nogil=True)(env["drive"])


def _same(x):
    return x


def compiled_store(function, shape):
    """The generator as a function that stores what it yields: see yields.py."""
    h = helpers()
    same = numba().njit(_same)
    env = {"f": same, "value": h.value, "present": h.present}
    exec(flat_source(shape, 1), env)
    jit = functools.partial(numba().njit, error_model="numpy", boundscheck=True, nogil=True)
    put_env = {"flat": jit(env["flat"])}
    lines = ["def put(outs, k, v):", "    r = flat(v)"]
    lines += [f"    outs[{k}][k] = r[{k}]" for k in range(len(shape.outputs()))]
    exec("\n".join(lines), put_env)
    return jit(yields.storing(function, jit(put_env["put"])))


def _drive_generator(store, types):
    names = ", ".join(f"a{k}" for k in range(len(types)))
    source = f"""
def drive(begin, end, outs, at, room, lengths, {names}):
    for i in range(begin, end):
        n = store(outs, at, room, {_given(types)})
        lengths[i] = n
        at += n
    return at
"""
    env = {"store": store}
    exec(source, env)
    return numba().njit(error_model="numpy", nogil=True)(env["drive"])
