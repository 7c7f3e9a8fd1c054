"""Vectors of the package vector, where users hand them over: objects, NumPy arrays, its mixins."""

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


def _own_mixin(cls):
    """The class here that stands for the package's mixin of arrays of Awkward below this class."""
    for base in cls.__mro__:
        if base.__module__ == "vector.backends.awkward":
            own = getattr(_core._vectors, base.__name__.replace("Awkward", ""), None)
            if own is not None and not issubclass(cls, own):
                return own
    return None


def _order(cls):
    """Classes of users and ours, those of the package, what everything is."""
    return 2 if cls is object else cls.__module__.partition(".")[0] == "vector"


def joined(name, cls, base, namespace):
    """A class of a mixin and of Array or Record.

    What a mixin has from those of the package, which compute with Awkward's arrays, is ours here:
    these classes come last among the bases, so that super() finds ours, and isinstance them.
    """
    own = _own_mixin(cls)
    if own is None:
        return type(name, (cls, base), namespace)

    class OursFirst(type(cls)):
        def mro(self):
            return sorted(super().mro(), key=_order)

    checked = {"__awkward_validation__": lambda self: None}  # of Awkward's layouts
    return OursFirst(name, (cls, own, base), namespace | checked)


def check_bases(cls):
    """Array.__init_subclass__: a class that only looks as if it had vectors is refused."""
    own = _own_mixin(cls)
    if own is not None:
        raise TypeError(
            f"class {cls.__name__}: mixins of the package vector compute with Awkward's arrays; "
            f"derive from serrate.vector.{own.__name__}, or have mixin_class join the classes"
        )
