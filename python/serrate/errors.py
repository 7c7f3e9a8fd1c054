"""Exceptions that Python does not have; all others are TypeError, ValueError and IndexError."""

from numpy.exceptions import AxisError as _AxisError


class AxisError(_AxisError):
    """An axis that the array does not have: a ValueError and an IndexError, as in NumPy."""


class AxisTypeError(TypeError, ValueError):
    """An axis that is neither an integer nor a name: some functions of Awkward's raise one, some
    the other."""


class FieldNotFoundError(IndexError):
    """A field that the records do not have."""


class ExperimentalWarning(Warning):
    """Something may still change; nothing warns of it today."""


__all__ = ["AxisError", "ExperimentalWarning", "FieldNotFoundError"]
