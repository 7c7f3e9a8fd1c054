"""Exceptions that Python does not have; all others are TypeError, ValueError and IndexError."""

from numpy.exceptions import AxisError as _AxisError


class AxisError(_AxisError):
    """An axis that the array does not have: a ValueError and an IndexError, as in NumPy."""


class AxisTypeError(TypeError, ValueError):
    """An axis that is neither an integer nor a name: some functions of Awkward's raise one, some
    the other."""


class BufferNotFoundError(KeyError, ValueError):
    """A buffer that from_buffers does not find in its container."""

    def __str__(self):
        return ValueError.__str__(self)


class FieldNotFoundError(IndexError):
    """A field that the records do not have."""


class ExperimentalWarning(UserWarning):
    """Something may still change; nothing warns of it today."""


__all__ = ["AxisError", "ExperimentalWarning", "FieldNotFoundError"]
