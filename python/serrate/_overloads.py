"""Behaviours: ufuncs, reducers and casts that users define for records and lists of a name."""

from serrate import _core, types
from serrate.errors import AxisError


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


def called(custom, inputs):
    """The overload of a ufunc, called with rows, also where records are missing."""
    rows, records = _rows(inputs)
    out = _without_missing(custom, rows)
    return out[0] if records and isinstance(out, _core.Array) else out


def of_any_ufunc(custom, ufunc):
    """The overload of all ufuncs as that of one."""
    return lambda *inputs: custom(ufunc, "__call__", list(inputs), {})


def by_member(function, inputs, i, members):
    """function of a union of named records: of each member for itself."""
    inputs = list(inputs)
    *before, (_, inputs[i]) = members
    out = function(*inputs)
    for here, inputs[i] in reversed(before):
        out = _core.where(here, function(*inputs), out)
    return out


def _without_missing(custom, inputs):
    """custom(*inputs), called as if no record were missing; the results of those are."""
    keep = None
    inputs = list(inputs)
    for i, x in enumerate(inputs):
        if isinstance(x, _core.Array):
            inputs[i], valid = _core._without_missing(x)
            if valid is not None:
                keep = valid if keep is None else keep & valid
    out = _core._settled(custom(*inputs), tuple(inputs))
    return out if keep is None or out is NotImplemented else _core.mask(out, keep)


def reduced(custom, name, array, axis, keepdims, mask_identity):
    """What the overload of a reducer gives: it is called with lists of records."""
    record = _core._overload_key(array)
    positional = name in ("argmin", "argmax")

    def lists(x, rows):
        """One result for each list of x, whose items stood at `rows` of what is reduced."""
        out = _core._settled(custom(x, mask_identity and not positional), ())
        if positional:
            out = _moved(record, out, x, rows)
            return out if mask_identity else _core.fill_none(out, -1, axis=0)
        if mask_identity and isinstance(out, _core.Array):
            out = _core.mask(out, _core.num(x, axis=1) > 0)
        return out

    depth = array.ndim
    if axis is None:
        array = _present(array, range(depth - 1))
        while array.ndim > 1:
            array = _core.flatten(array, axis=1)
        array = _core._one(array)
        return _reduced(array, 0, lists, _places(array) if positional else None)[0]
    if isinstance(axis, str):
        axis = array.named_axis[axis]
    if not -depth <= axis < depth:
        raise AxisError(f"{name}: axis={axis} exceeds the depth of the array ({depth})")
    axis %= depth
    array = _core.without_named_axis(array)
    outer = []
    for _ in range(axis - 1):  # all lists above those that are reduced, as one
        array, there = _filled(array)
        outer.append((_core.num(array, axis=1), there))
        array = _core.flatten(array, axis=1)
    there = None
    if axis == 0:
        array = _core._one(array)
    else:
        array, there = _filled(array)
    rows = _places(array) if positional else None
    out = _reduced(array, max(depth - axis - 1, 0), lists, rows)
    if keepdims:
        out = _core.unflatten(out, 1)
    if there is not None:
        out = _core.mask(out, there)
    for counts, there in reversed(outer):
        out = _core.unflatten(out, counts)
        if there is not None:
            out = _core.mask(out, there)
    return out[0] if axis == 0 else out


def _present(array, axes):
    """Without what is missing at these axes."""
    for axis in axes:
        array = _core.drop_none(array, axis=axis)
    return array


def _filled(array):
    """Missing lists as empty ones, and where lists are not missing (None: everywhere)."""
    missing = _core.is_none(array, axis=0)
    if not _core.any(missing, axis=None):
        return _core.drop_none(array, axis=0), None
    return _core.fill_none(array, [], axis=0), ~missing


def _moved(name, out, x, rows):
    """Positions among the items that are there as positions among all; none for empty lists."""
    if str(out.type.content).startswith("?"):
        raise TypeError(f"the positional reducer for {name!r} returned an option")
    out = _core.mask(out, _core.num(x, axis=1) > 0)
    return _core.firsts(rows[_core.singletons(out)], axis=1)


def _places(array):
    return _core.local_index(array, axis=1)


def _reduced(array, below, lists, rows):
    """The lists of an array of lists, folded; items with `below` levels in them, place by place.

    `rows` are their places, where these are asked for.
    """
    missing = _core.is_none(array, axis=1)
    if not missing.fields:  # those of records that cannot be missing
        array = _core.drop_none(array, axis=1)
        if rows is not None:
            rows = _core.drop_none(_core.mask(rows, ~missing), axis=1)
    if below == 0:
        return lists(array, rows)
    if rows is not None:
        rows = _core.broadcast_arrays(rows, _core.local_index(array, axis=2))[0]
        rows = _core.flatten(rows, axis=2)
    place = _core.flatten(_core.local_index(array, axis=2), axis=2)
    items = _core.flatten(array, axis=2)
    order = _core.argsort(place, axis=1)
    columns = _core.run_lengths(place[order])
    counts = _core.flatten(columns)

    def column_by_column(x):
        return (
            None if x is None else _core.flatten(_core.unflatten(x[order], counts, axis=1), axis=1)
        )

    out = _reduced(column_by_column(items), below - 1, lists, column_by_column(rows))
    return _core.unflatten(out, _core.num(columns, axis=1))


def cast(value, own=()):
    """A foreign object as an array, by a behaviour ("__cast__", its class), of operands first."""
    for behavior in (*own, _core.behavior):
        for cls in type(value).__mro__:
            function = behavior.get(("__cast__", cls))
            if function is not None:
                return function(value)
    return NotImplemented


def listed(x):
    """to_list of what has classes with a __getitem__ of their own, which is asked for each item."""
    if isinstance(x, _core.Array):
        # As in Awkward, records are asked themselves, and arrays about lists and numbers.
        records = isinstance(x.type.content, types.RecordType)
        item = _core.Array.__getitem__ if records else _getitem(x, _core.Array)
        return [listed(item(x, i)) for i in range(len(x))]
    if isinstance(x, _core.Record):
        item = _getitem(x, _core.Record)
        values = {name: listed(item(x, name)) for name in x.fields}
        return tuple(values.values()) if x.is_tuple else values
    return x.tolist() if hasattr(x, "tolist") else x


def _getitem(x, base):
    own = type(x).__getitem__
    return base.__getitem__ if getattr(own, "ignore_in_to_list", False) else own
