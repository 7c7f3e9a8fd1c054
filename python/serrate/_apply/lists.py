"""apply of functions of one list: each gets the views that functions of Numba's have of arrays."""

import functools
import operator

import numpy as np

from serrate import _core
from serrate._apply import looks, results, wrap, yields
from serrate._apply.known_lists import remember
from serrate._apply.list_errors import FailedRow, raise_again
from serrate._apply.numba import check_function, compiled, numba, python_function
from serrate._apply.running import run
from serrate.errors import AxisError

_SCALARS = bool | int | float | complex | np.generic
_MISSING = ('["opt"', '["all"', '["none"')  # forms
_BLOCK = 4096  # lists for which another thread is worth it


def apply_lists(function, arrays, axis, given=None):
    """apply with an axis: evaluated when it is written. `given`: the function as users know it."""
    numba()
    check_function(function, "apply")
    if not any(isinstance(x, _core.Array) for x in arrays):
        raise TypeError("apply: with an axis an argument must be an array")
    arrays = [_core.materialize(x) if isinstance(x, _core.Array) else x for x in arrays]
    place = _axis_of(axis, arrays)
    try:
        found = _of_axis(function, arrays, place)
    except FailedRow as error:
        failed = error
    else:
        if place == 1:
            _remember(given or function, function, arrays, axis)
        return found
    raise_again(function, failed)


def _remember(given, function, arrays, axis):
    """Calls of rows of arrays on a GPU, whose forms say all there is to look at."""
    ours = [x for x in arrays if isinstance(x, _core.Array)]
    if _core.backend(*ours) != "cuda" or any(map(_may_be_missing, ours)):
        return
    if any(_depth_of(_core._numba_form(x)) is None for x in ours):
        return
    from serrate._apply.list_kernels import kernels_of

    remember(given, arrays, axis, kernels_of(function, arrays))


def _of_axis(function, arrays, axis):
    if axis == 1:
        return _of_rows(function, arrays)
    inner = _core.broadcast_arrays(*arrays, depth_limit=axis)
    inner = [a if isinstance(a, _SCALARS) else b for a, b in zip(arrays, inner, strict=True)]
    first = next(x for x in inner if isinstance(x, _core.Array))
    items = [
        x if isinstance(x, _SCALARS) else _core.materialize(_core.flatten(x, axis=1)) for x in inner
    ]
    counts = _core.num(first, axis=1)
    try:
        found = _of_axis(function, items, axis - 1)
    except FailedRow as failed:
        raise failed.inside(counts) from None
    return _core.unflatten(found, counts)


def _axis_of(axis, arrays):
    axis = operator.index(axis)
    depth = max(_depth(x) for x in arrays if isinstance(x, _core.Array))
    found = axis + depth if axis < 0 else axis
    if not 1 <= found < depth:
        raise AxisError(f"apply: axis {axis} has no lists; the deepest argument has {depth} levels")
    return found


def _depth(x):
    """How many levels the deepest part of an array has."""
    return _depth_of(_core._numba_form(x)) or x.layout.minmax_depth[1]


@functools.lru_cache(4096)
def _depth_of(form):
    """By the text of a form; None if that does not say it."""
    from serrate._numba import _forms

    def depth(item):
        if item[0] in ("rec", "tuple"):
            return max(map(depth, item[2]), default=0)
        if item[0] in ("opt", "all", "cat"):
            return depth(item[-1])
        if item[0] == "no":
            raise LookupError
        return 1 + depth(item[2]) if item[0] == "list" else 0

    try:
        return 1 + depth(_forms.parse(form))
    except LookupError:
        return None


def _of_rows(function, arrays):
    """The function of row i of each array, and of the scalars."""
    _check_lengths(arrays)
    missing = [_core.is_none(x) for x in arrays if _may_be_missing(x)]
    if not missing:
        return _present_rows(function, arrays)
    there = ~functools.reduce(operator.or_, missing)
    rows = [x if isinstance(x, _SCALARS) else _core.drop_none(x[there], axis=0) for x in arrays]
    place = _core.cumsum(_core.values_astype(there, "int64"), axis=0) - 1
    try:
        rows = [_core.materialize(x) if isinstance(x, _core.Array) else x for x in rows]
        return _present_rows(function, rows)[_core.mask(place, there)]
    except FailedRow as failed:
        raise failed.among(there) from None


def _may_be_missing(x):
    return isinstance(x, _core.Array) and _core._numba_form(x).startswith(_MISSING)


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
    try:
        return made.ragged(arrays, n) if made.yields else made.of_rows(arrays, n)
    except FailedRow as failed:
        raise failed.of_arguments(arrays) from None


def _blocks(n):
    """Ranges of lists for threads: few are one range."""
    threads = _core._num_threads()
    size = max(_BLOCK, -(-n // (4 * threads))) if threads > 1 else max(n, 1)
    return [(begin, min(n, begin + size)) for begin in range(0, n, size)] or [(0, 0)]


def _items(x):
    """A guess of how much is yielded: an item of the list each."""
    return int(_core.sum(_core.num(x, axis=1), axis=None)) if x.ndim > 1 else len(x)


class _Driver:
    """Compiled loops over lists, and what their results are."""

    def __init__(self, drive, shape, is_generator):
        self._drive, self.shape, self.yields = drive, shape, is_generator

    def _buffers(self, n):
        return tuple(np.empty(n, t) for t in self.shape.outputs())

    def _call(self, begin, end, outs, *more):
        """Lists begin ... end; results go to the outs."""
        place = np.array([begin])
        addresses = tuple(x.ctypes.data for x in (*outs, place))
        try:
            return self._drive(begin, end, addresses, *more)
        except looks.Stopped:
            raise KeyboardInterrupt from None
        except Exception as error:
            raise FailedRow(int(place[0]), error) from None

    def of_rows(self, arrays, n):
        outs = self._buffers(n)
        run([functools.partial(self._call, *block, outs, *arrays) for block in _blocks(n)])
        return self.shape.array([_core.Array(x) for x in outs])

    def ragged(self, arrays, n):
        """Values of all lists one behind the other."""
        lengths = np.empty(n, np.int64)
        blocks = _blocks(n)
        items = max(_items(x) for x in arrays if isinstance(x, _core.Array))
        each = functools.partial(self._block, arrays, lengths, items / max(n, 1))
        found = run([functools.partial(each, *block) for block in blocks])
        if len(found) == 1:
            outs = found[0]
        else:
            outs = [np.concatenate(x) for x in zip(*found, strict=True)]
        return _core.unflatten(
            self.shape.array([_core.Array(x) for x in outs]), _core.Array(lengths)
        )

    def _block(self, arrays, lengths, guess, begin, end):
        """What some lists yield; once more where the first room was too small."""
        room = max(64, int((end - begin) * max(1.0, guess)))
        while True:
            outs = self._buffers(room)
            total = self._call(begin, end, outs, room, lengths, *arrays)
            if total <= room:
                return [x[:total] for x in outs]
            room = total


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
        probe, names = yields.probing(plain)
        result = compiled(probe, items)[1]
        shape = results.shape_of_yielded(result, plain.__name__, names)
        stored = _compiled_store(plain, shape, result)
        return _Driver(_drive_generator(stored, shape, types), shape, True)
    dispatcher, result = compiled(plain, items, {"pipeline_class": looks.pipeline()})
    shape = results.shape_of_lists(result, plain.__name__)
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


def _pointers(shape):
    """pointers(addresses): a tuple of what is at the addresses of the outputs. Loops get these, and
    no arrays, whose owners are counted at every call."""
    names = ["uint8" if t == "bool" else t for t in shape.outputs()]
    env = {f"at{k}": wrap.pointer_at(getattr(numba().types, t)) for k, t in enumerate(names)}
    parts = "".join(f"at{k}(addresses[{k}]), " for k in range(len(names)))
    exec(f"def pointers(addresses):\n    return ({parts})", env)
    return numba().njit(env["pointers"])


def _place_at():
    """To the number of the list that a loop is at."""
    return wrap.pointer_at(numba().types.int64)


def _drive(dispatcher, shape, types):
    names = ", ".join(f"a{k}" for k in range(len(types)))
    h = wrap.helpers()
    env = {"f": dispatcher, "value": h.value, "present": h.present}
    exec(wrap.flat_source(shape, len(types)), env)
    jit = functools.partial(numba().njit, error_model="numpy", nogil=True)
    env = {"flat": jit(env["flat"]), "pointers": _pointers(shape), "place_at": _place_at()}
    lines = [f"def drive(begin, end, addresses, {names}):", "    outs = pointers(addresses)"]
    lines += ["    place = place_at(addresses[-1])", "    for i in range(begin, end):"]
    lines += ["        place[0] = i", f"        r = flat({_given(types)})"]
    lines += [f"        outs[{k}][i] = r[{k}]" for k in range(len(shape.outputs()))]
    exec("\n".join(lines), env)
    return _compiled_drive(env["drive"], shape, (), types)


def _compiled_store(function, shape, result):
    """The generator as a function that stores what it yields: see yields.py."""
    from numba.extending import intrinsic

    h = wrap.helpers()
    jit = functools.partial(numba().njit, error_model="numpy", boundscheck=True, nogil=True)
    put = wrap.put_of(shape, result, intrinsic, h.value, h.present, jit)
    return jit(yields.storing(function, put), pipeline_class=looks.pipeline())


def _drive_generator(store, shape, types):
    names = ", ".join(f"a{k}" for k in range(len(types)))
    source = f"""
def drive(begin, end, addresses, room, lengths, {names}):
    outs, place, at = pointers(addresses), place_at(addresses[-1]), 0
    for i in range(begin, end):
        place[0] = i
        n = store(outs, at, room, {_given(types)})
        lengths[i] = n
        at += n
    return at
"""
    env = {"store": store, "pointers": _pointers(shape), "place_at": _place_at()}
    exec(source, env)
    more = (numba().int64, numba().int64[::1])  # room, lengths
    return _compiled_drive(env["drive"], shape, more, types)


def _compiled_drive(drive, shape, more, types):
    """Compiled here, before threads call it."""
    int64 = numba().int64
    addresses = numba().types.UniTuple(int64, len(shape.outputs()) + 1)
    drive = numba().njit(error_model="numpy", nogil=True)(drive)
    drive.compile((int64, int64, addresses, *more, *map(numba().types.unliteral, types)))
    return drive
