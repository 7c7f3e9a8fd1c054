"""Vectors of the package vector, where users hand them over: objects and NumPy arrays of it."""

from serrate import _core

_COORDINATES = ("azimuthal", "longitudinal", "temporal")


def taken(value):
    """A vector of that library as a record, an array of them as an array."""
    columns = {}
    for group in _COORDINATES:
        part = getattr(value, group, None)
        if part is None:
            continue
        names = getattr(part, "_fields", None) or part.dtype.names
        columns.update(zip(names, part.elements, strict=True))
    momentum = any(cls.__name__ == "Momentum" for cls in type(value).__mro__)
    name = f"{'Momentum' if momentum else 'Vector'}{len(columns)}D"
    one = not any(hasattr(x, "__len__") for x in columns.values())
    return _core.Record(columns, with_name=name) if one else _core.zip(columns, with_name=name)
