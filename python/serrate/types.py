"""Types of arrays. str(array.type) is text such as '3 * var * ?int64'; from_datashape reads it."""

from serrate._core import Type, from_datashape

__all__ = ["Type", "from_datashape"]
