"""Names of axes: kept in attrs["__named_axis__"], as positions by name."""

from collections.abc import Mapping

from serrate.errors import AxisError

KEY = "__named_axis__"


def checked(named_axis, ndim):
    """A tuple of names (None: no name) or a mapping as a dict of positions."""
    if isinstance(named_axis, tuple):
        named_axis = {name: i for i, name in enumerate(named_axis) if name is not None}
    if not isinstance(named_axis, Mapping):
        raise TypeError(f"named_axis must be a mapping or a tuple, got {type(named_axis).__name__}")
    for name, axis in named_axis.items():
        if not isinstance(name, str):
            raise ValueError(f"names of axes must be strings, got {name!r}")
        if not isinstance(axis, int):
            raise ValueError(f"positions of named axes must be integers, got {axis!r}")
        if not -ndim <= axis < ndim:
            raise ValueError(f"the axis {name!r} is at {axis}, but there are {ndim} dimensions")
    return dict(named_axis)


def with_names(attrs, named_axis):
    """attrs with these names in place of others; None if nothing is left."""
    out = {key: value for key, value in (attrs or {}).items() if key != KEY}
    if named_axis:
        out[KEY] = named_axis
    return out or None


def names_of(attrs):
    return dict((attrs or {}).get(KEY, {}))


def has(attrs, name):
    return name in names_of(attrs)


def position(attrs, name):
    """The axis of that name."""
    names = names_of(attrs)
    if name not in names:
        raise ValueError(f"axis={name!r} not found in named axes {names}")
    return names[name]


def removed(attrs, axis, ndim):
    """Names after an axis is gone; all of them without an axis."""
    if axis is None:
        return with_names(attrs, None)
    names = names_of(attrs).items()
    left = {name: at for name, at in names if _positive(at, ndim) != _positive(axis, ndim)}
    return with_names(attrs, _moved(left, axis, ndim, -1))


def flattened(attrs, axis, ndim):
    """Names after flatten: along axis 0 only missing items are dropped."""
    if axis is not None and _positive(axis, ndim) == 0:
        return attrs
    return removed(attrs, axis, ndim)


def only(attrs, axis, ndim):
    """Names after an operation that leaves that axis alone."""
    names = names_of(attrs).items()
    same = {name: 0 for name, at in names if _positive(at, ndim) == _positive(axis, ndim)}
    return with_names(attrs, same)


def up_to(attrs, axis, ndim):
    """Names after the axes below that one are gone; the last that is left is still -1, as in
    Awkward."""
    last = _positive(axis, ndim)
    names = names_of(attrs).items()
    return with_names(attrs, {name: at for name, at in names if -last - 1 <= at <= last})


def singled(attrs, axis, ndim):
    """Names after a new axis has come below that one."""
    below = axis + 1 if axis >= 0 else axis
    return with_names(attrs, _moved(names_of(attrs), below, ndim, 1))


def nested(attrs, axis, ndim):
    """Names after a new axis has come in front of that one."""
    return with_names(attrs, _moved(names_of(attrs), axis, ndim, 1))


def broadcast(attrs, ndim, more, right):
    """Names of an array that gets more axes: in front (of regular lists) or behind."""
    names = names_of(attrs)
    for i in range(more):
        names = _moved(names, 0 if right else ndim + i, ndim + i, 1)
    return with_names(attrs, names)


def _positive(axis, ndim):
    return axis + ndim if axis < 0 else axis


def _moved(names, axis, ndim, by):
    """Names after an axis has come (by=1) or gone (by=-1) there: those counted from the same end
    that are behind it move, and those counted from the other end that are before it."""

    def place(at):
        if axis >= 0:
            if at >= axis:
                return at + by
            return at - by if at < 0 and at + ndim < axis else at
        if at <= axis:
            return at - by
        return at + by if at > 0 and at > axis + ndim else at

    return {name: place(at) for name, at in names.items()}


def differ(first, second):
    """Have two arrays axes at the same place with different names?"""
    one, two = ({at: name for name, at in names_of(a).items()} for a in (first, second))
    return any(two.get(at, name) != name for at, name in one.items())


def unified(first, second):
    """The attributes of two arrays that are broadcast together; ValueError where names differ."""
    one, two = ({at: name for name, at in names_of(a).items()} for a in (first, second))
    out = {}
    for at in set(one) | set(two):
        name = one.get(at, two.get(at))
        if two.get(at, name) != name:
            raise ValueError(f"named axes differ: {name!r} and {two[at]!r} for axis {at}")
        out[name] = at
    return {**second, **first, KEY: out}


def positions(attrs, where, ndim):
    """The tuple of slicers that x[{name: slicer}] means."""
    out = [slice(None)] * ndim
    for key, item in where.items():
        at = position(attrs, key) if isinstance(key, str) else key
        if not isinstance(at, int):
            raise TypeError(f"slicers are named by strings or integers, got {key!r}")
        if not -ndim <= at < ndim:
            raise AxisError(f"axis {key!r} is out of range for {ndim} dimensions")
        out[at] = item
    return tuple(out)


def sliced(attrs, where, ndim):
    """Names after x[where]: integers take their axis away, new axes come without a name."""
    if _is_integer(where):
        return removed(attrs, 0, ndim)
    if where is None:
        where = (None,)
    if not isinstance(where, tuple):
        return attrs
    items = [i for i in where if not isinstance(i, str) and not _is_fields(i)]
    used = sum(1 for i in items if i is not None and i is not Ellipsis)
    axis, left = 0, ndim
    for i in items:
        if i is Ellipsis:
            axis += ndim - used
        elif i is None:
            attrs = with_names(attrs, _moved(names_of(attrs), axis, left, 1))
            axis, left = axis + 1, left + 1
        elif _is_integer(i):
            attrs = removed(attrs, axis, left)
            left -= 1
        else:
            axis += 1
    return attrs


def _is_integer(i):
    return hasattr(i, "__index__") and getattr(i, "ndim", 0) == 0


def _is_fields(i):
    return isinstance(i, list) and bool(i) and all(isinstance(x, str) for x in i)
