"""Vectors of the package vector, where users hand them over: objects and NumPy arrays of it."""

from serrate import _core

_COORDINATES = {
    "AzimuthalXY": ("x", "y"),
    "AzimuthalRhoPhi": ("rho", "phi"),
    "LongitudinalZ": ("z",),
    "LongitudinalTheta": ("theta",),
    "LongitudinalEta": ("eta",),
    "TemporalT": ("t",),
    "TemporalTau": ("tau",),
}


def taken(value):
    """A vector of that library as a record, an array of them as an array."""
    columns = {}
    for group in ("azimuthal", "longitudinal", "temporal"):
        part = getattr(value, group, None)
        for cls in type(part).__mro__:
            if cls.__name__ in _COORDINATES:
                columns.update(zip(_COORDINATES[cls.__name__], part.elements, strict=True))
    momentum = any(cls.__name__ == "Momentum" for cls in type(value).__mro__)
    name = f"{'Momentum' if momentum else 'Vector'}{len(columns)}D"
    one = not any(hasattr(x, "__len__") for x in columns.values())
    return _core.Record(columns, with_name=name) if one else _core.zip(columns, with_name=name)
