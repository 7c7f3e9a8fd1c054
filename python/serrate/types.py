"""Types of arrays. str(array.type) is text such as '3 * var * ?int64'; from_datashape reads it.

The classes make types and tell kinds of types apart:

>>> t = ListType(NumpyType("int64"))
>>> str(t), isinstance(t, ListType), isinstance(t.content, ListType)
('var * int64', True, False)
"""

import json

import numpy as np

from serrate._core import Type, from_datashape


class _Kind(type):
    """isinstance(type, ListType) asks what kind of type it is."""

    def __instancecheck__(cls, x):
        return isinstance(x, Type) and x._kind in cls._kinds

    def __subclasscheck__(cls, other):
        return other is cls or (cls._kinds == () and other is Type)


def _text(type, what="content"):
    if not isinstance(type, Type):
        raise TypeError(f"{what} must be a type, got {type!r}")
    return str(type)


def _from_text(text, highlevel):
    """For pickles."""
    return from_datashape(text, highlevel=highlevel)


def _made(text, parameters=None, highlevel=False):
    out = from_datashape(text, highlevel=highlevel)
    return out._with_parameters({k: json.dumps(v) for k, v in (parameters or {}).items()})


class NumpyType(metaclass=_Kind):
    """Numbers of one type."""

    _kinds = ("number",)

    def __new__(cls, primitive, *, parameters=None):
        if not is_primitive(primitive):
            raise TypeError(f"NumpyType: not a primitive type: {primitive!r}")
        return _made(primitive, parameters)


class ListType(metaclass=_Kind):
    """Lists of any length; strings are lists of characters."""

    _kinds = ("list", "string", "bytestring")

    def __new__(cls, content, *, parameters=None):
        return _made("var * " + _text(content), parameters)


class RegularType(metaclass=_Kind):
    """Lists of one length."""

    _kinds = ("regular",)

    def __new__(cls, content, size, *, parameters=None):
        if not hasattr(size, "__index__") or size < 0:
            raise ValueError(f"RegularType: size must be an integer >= 0, got {size!r}")
        return _made(f"{size} * {_text(content)}", parameters)


class OptionType(metaclass=_Kind):
    """Values that may be missing."""

    _kinds = ("option",)

    def __new__(cls, content, *, parameters=None):
        return _made(f"option[{_text(content)}]", parameters)


class RecordType(metaclass=_Kind):
    """Records, or tuples where fields is None."""

    _kinds = ("record",)

    def __new__(cls, contents, fields, *, parameters=None):
        items = [_text(c, "contents") for c in contents]
        if fields is None:
            return _made(f"({', '.join(items)})", parameters)
        names = [json.dumps(f) for f in fields]
        pairs = (f"{n}: {c}" for n, c in zip(names, items, strict=True))
        return _made("{" + ", ".join(pairs) + "}", parameters)


class UnionType(metaclass=_Kind):
    """Values of one of several types."""

    _kinds = ("union",)

    def __new__(cls, contents, *, parameters=None):
        return _made(f"union[{', '.join(_text(c, 'contents') for c in contents)}]", parameters)


class UnknownType(metaclass=_Kind):
    """The type of no values."""

    _kinds = ("unknown",)

    def __new__(cls, *, parameters=None):
        return _made("unknown", parameters)


class ArrayType(metaclass=_Kind):
    """The type of a whole array: its length and the type of its items."""

    _kinds = ("array",)

    def __new__(cls, content, length, behavior=None):
        return _made(f"{length} * {_text(content)}", highlevel=True)


class ScalarType(metaclass=_Kind):
    """The type of a single value: that of its content."""

    _kinds = ("number", "record")

    def __new__(cls, content, behavior=None):
        _text(content)
        return content


_PRIMITIVES = ("bool", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)))
_PRIMITIVES += ("float16", "float32", "float64", "complex64", "complex128")


def is_primitive(primitive):
    """Is this the name of a type of numbers?"""
    text = str(primitive)
    return text in _PRIMITIVES or text.startswith(("datetime64", "timedelta64"))


def primitive_to_dtype(primitive):
    """The NumPy dtype of that name."""
    if not is_primitive(primitive):
        raise TypeError(f"not a primitive type: {primitive!r}")
    return np.dtype(primitive)


def dtype_to_primitive(dtype):
    """The name of a NumPy dtype."""
    name = np.dtype(dtype).name
    if not is_primitive(name):
        raise TypeError(f"no type of arrays holds {dtype!r}")
    return name


__all__ = [
    *("ArrayType", "ListType", "NumpyType", "OptionType", "RecordType", "RegularType"),
    *("ScalarType", "Type", "UnionType", "UnknownType", "dtype_to_primitive", "from_datashape"),
    *("is_primitive", "primitive_to_dtype"),
]
