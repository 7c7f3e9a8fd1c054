"""Names of axes: kept in attrs["__named_axis__"], as positions by name."""

from collections.abc import Mapping

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
    gone = axis % ndim if ndim else 0
    out = {}
    for name, at in names_of(attrs).items():
        where = at % ndim if ndim else at
        if where == gone:
            continue
        if at >= 0:
            out[name] = at - (where > gone)
        else:
            out[name] = at + (where < gone)
    return with_names(attrs, out)


def only(attrs, axis, ndim):
    """Names after an operation that leaves that axis alone."""
    names = names_of(attrs).items()
    return with_names(attrs, {name: 0 for name, at in names if at % ndim == axis % ndim})


def up_to(attrs, axis, ndim):
    """Names after the axes below that one are gone."""
    names = names_of(attrs).items()
    return with_names(attrs, {name: at for name, at in names if at % ndim <= axis % ndim})


def inserted(attrs, axis, ndim):
    """Names after a new axis has come below that one."""
    out = {name: at + (at > axis) if at >= 0 else at for name, at in names_of(attrs).items()}
    return with_names(attrs, out)


def unified(first, second):
    """The attributes of two arrays that are broadcast together; ValueError where names differ."""
    names = {at: name for name, at in names_of(first).items()}
    for name, at in names_of(second).items():
        if names.setdefault(at, name) != name:
            raise ValueError(f"named axes differ: {names[at]!r} and {name!r} for axis {at}")
    return {**second, **first, KEY: {name: at for at, name in sorted(names.items())}}


def positions(attrs, where, ndim):
    """The tuple of slicers that x[{name: slicer}] means."""
    out = [slice(None)] * ndim
    for key, item in where.items():
        at = position(attrs, key) if isinstance(key, str) else key
        if not isinstance(at, int):
            raise TypeError(f"slicers are named by strings or integers, got {key!r}")
        if not -ndim <= at < ndim:
            raise ValueError(f"axis {key!r} is out of range for {ndim} dimensions")
        out[at] = item
    return tuple(out)


def sliced(attrs, where, ndim):
    """Names after x[where]: integers take their axis away, new axes come without a name."""
    items = where if isinstance(where, tuple) else (where,)
    items = [i for i in items if not isinstance(i, str) and not _is_fields(i)]
    used = sum(1 for i in items if i is not None and i is not Ellipsis)
    order = []
    for i in items:
        order += [slice(None)] * (ndim - used) if i is Ellipsis else [i]
    names = {at % ndim if ndim else at: name for name, at in names_of(attrs).items()}
    out, at, to = {}, 0, 0
    for i in order:
        if i is None:
            to += 1
            continue
        if isinstance(i, slice) or not _is_integer(i):
            if at in names:
                out[names[at]] = to
            to += 1
        at += 1
    for rest in range(at, ndim):
        if rest in names:
            out[names[rest]] = to + rest - at
    return with_names(attrs, out)


def _is_integer(i):
    return hasattr(i, "__index__") and getattr(i, "ndim", 0) == 0


def _is_fields(i):
    return isinstance(i, list) and bool(i) and all(isinstance(x, str) for x in i)
