"""Types of arrays. str(array.type) is text such as '3 * var * ?int64'; from_datashape reads it.

>>> t = ListType(NumpyType("int64"))
>>> str(t), t
('var * int64', ListType(NumpyType('int64')))
>>> Array([[1, 2], []]).type.content == t
True
"""

import json
import sys
from collections.abc import Mapping

import numpy as np

from serrate import _core
from serrate._core import Type, from_datashape

_STDOUT = object()


def _text(type, what="content"):
    if not isinstance(type, Type) or isinstance(type, ArrayType):
        raise TypeError(f"{what} must be the type of items, got {type!r}")
    return str(type)


def _from_text(text, highlevel):
    """For pickles."""
    return from_datashape(text, highlevel=highlevel)


def _made(text, parameters=None, highlevel=False):
    if parameters is not None and not isinstance(parameters, Mapping):
        raise TypeError(f"parameters must be a dict or None, got {parameters!r}")
    out = from_datashape(text, highlevel=highlevel)
    return out._with_parameters({k: json.dumps(v) for k, v in (parameters or {}).items()})


def _show(self, stream=_STDOUT):
    """Prints the type in several lines; with stream=None, returns them."""
    if stream is None:
        return self.pretty()
    (sys.stdout if stream is _STDOUT else stream).write(self.pretty() + "\n")
    return None


def _copy(self, **changes):
    """The same with other arguments of its class."""
    known = {name: getattr(self, name) for name in (*self._arguments, "parameters")}
    if self._arguments == ("content", "length"):
        del known["parameters"]
    for name, value in changes.items():
        if name not in known:
            raise TypeError(f"{type(self).__name__} has no {name!r}")
        known[name] = value
    return type(self)(**known)


def _repr(self):
    arguments = [repr(getattr(self, name)) for name in self._arguments]
    if isinstance(self, ArrayType):
        arguments.append(repr(self.behavior))
    elif self.parameters:
        arguments.append(f"parameters={self.parameters!r}")
    return f"{type(self).__name__}({', '.join(arguments)})"


def _str(self, indent="", compact=True, behavior=None):
    """The pieces of the text, as pages on Awkward Array put them together."""
    return [str(self) if compact else self.pretty().replace("\n", "\n" + indent)]


Type._arguments = ()
Type._str = _str
Type.show = _show
Type.copy = _copy
Type.__repr__ = _repr


class _AlsoAwkward(Type):
    @property
    def __class__(self):
        """That of Awkward Array of the same name, where it is imported: isinstance asks for both.

        Code that is written for its types, as the package vector's is, so finds its way about ours.
        """
        theirs = sys.modules.get("awkward.types")
        return getattr(theirs, type(self).__name__, type(self))


class NumpyType(_AlsoAwkward):
    """Numbers of one type.

    >>> str(NumpyType("float32", parameters={"__units__": "cm"}))
    'float32[parameters={"__units__": "cm"}]'
    """

    _arguments = ("primitive",)

    def __init__(self, primitive, *, parameters=None):
        if not is_primitive(primitive):
            raise TypeError(f"NumpyType: not a primitive type: {primitive!r}")
        super().__init__(_made(primitive, parameters))

    @property
    def primitive(self):
        """The name of the type of the numbers."""
        return self._primitive


class _OneContent(_AlsoAwkward):
    @property
    def content(self):
        """The type inside."""
        return self._contents[0]


class ListType(_OneContent):
    """Lists of any length; strings are lists of characters."""

    _arguments = ("content",)

    def __init__(self, content, *, parameters=None):
        super().__init__(_made("var * " + _text(content), parameters))


class RegularType(_OneContent):
    """Lists of one length."""

    _arguments = ("content", "size")

    def __init__(self, content, size, *, parameters=None):
        if not hasattr(size, "__index__") or size < 0:
            raise ValueError(f"RegularType: size must be an integer >= 0, got {size!r}")
        super().__init__(_made(f"{size} * {_text(content)}", parameters))

    @property
    def size(self):
        """The length of all lists."""
        return self._size


class OptionType(_OneContent):
    """Values that may be missing."""

    _arguments = ("content",)

    def __init__(self, content, *, parameters=None):
        super().__init__(_made(f"option[{_text(content)}]", parameters))

    def simplify_option_union(self):
        """An option of a union as a union of options; others stay."""
        return self._simplified_option() if isinstance(self.content, UnionType) else self


class RecordType(_AlsoAwkward):
    """Records, or tuples where fields is None."""

    _arguments = ("contents", "fields")

    def __init__(self, contents, fields, *, parameters=None):
        items = [_text(c, "contents") for c in contents]
        if fields is None:
            text = f"({', '.join(items)})"
        else:
            names = [json.dumps(f) for f in fields]
            if len(names) != len(items):
                raise ValueError(f"RecordType: {len(items)} contents, but {len(names)} fields")
            text = "{" + ", ".join(f"{n}: {c}" for n, c in zip(names, items, strict=True)) + "}"
        super().__init__(_made(text, parameters))

    @property
    def contents(self):
        """The types of the fields."""
        return self._contents

    @property
    def fields(self):
        """The names of the fields; None of tuples."""
        return None if self.is_tuple else self._fields

    @property
    def is_tuple(self):
        """Are the fields numbered instead of named?"""
        return self._is_tuple

    def has_field(self, field):
        """Is there a field of this name or number?"""
        return field in self._fields

    def field_to_index(self, field):
        """The number of a field."""
        return self._field_to_index(field)

    def index_to_field(self, index):
        """The name of a field by its number."""
        return self._fields[index]

    def content(self, index_or_field):
        """The type of a field, by its name or number."""
        if isinstance(index_or_field, str):
            index_or_field = self._field_to_index(index_or_field)
        return self._contents[index_or_field]


class UnionType(_AlsoAwkward):
    """Values of one of several types."""

    _arguments = ("contents",)

    def __init__(self, contents, *, parameters=None):
        text = ", ".join(_text(c, "contents") for c in contents)
        super().__init__(_made(f"union[{text}]", parameters))

    @property
    def contents(self):
        """The types that values may have."""
        return self._contents


class UnknownType(_AlsoAwkward):
    """The type of no values."""

    def __init__(self, *, parameters=None):
        if parameters:
            raise TypeError(f"UnknownType can't have parameters, got {parameters!r}")
        super().__init__(_made("unknown"))


class ArrayType(_OneContent):
    """The type of a whole array: its length and the type of its items."""

    _arguments = ("content", "length")

    behavior = None  # that it was made with, if any

    def __init__(self, content, length, behavior=None):
        super().__init__(_made(f"{length} * {_text(content)}", highlevel=True))
        if behavior is not None:
            self.behavior = behavior

    @property
    def length(self):
        """The number of items."""
        return self._size


class ScalarType:
    """The type of a single value: that of its content.

    >>> type(Array([{"x": 1}])[0])
    ScalarType(RecordType([NumpyType('int64')], ['x']), None)
    """

    def __init__(self, content, behavior=None):
        _text(content)
        self._content = content
        self.behavior = behavior

    @property
    def content(self):
        """The type of the value."""
        return self._content

    def __str__(self):
        return str(self._content)

    def __repr__(self):
        return f"ScalarType({self._content!r}, {self.behavior!r})"

    def __eq__(self, other):
        if isinstance(other, str):
            return str(self) == other
        return isinstance(other, ScalarType) and self._content == other._content

    def __hash__(self):
        return hash(self._content)

    def is_equal_to(self, other, *, all_parameters=False):
        """Of the same type; all_parameters: notes included."""
        return isinstance(other, ScalarType) and self._content.is_equal_to(
            other._content, all_parameters=all_parameters
        )

    def show(self, stream=_STDOUT):
        """Prints the type in several lines; with stream=None, returns them."""
        return self._content.show(stream)

    def pretty(self):
        """Several lines, fields indented."""
        return self._content.pretty()


_core._set_type_classes(
    {
        "unknown": UnknownType,
        "number": NumpyType,
        "list": ListType,
        "string": ListType,
        "bytestring": ListType,
        "regular": RegularType,
        "option": OptionType,
        "record": RecordType,
        "union": UnionType,
        "array": ArrayType,
        "scalar": ScalarType,
    }
)

_PRIMITIVES = ("bool", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)))
_PRIMITIVES += ("float16", "float32", "float64", "complex64", "complex128")
# NumPy makes the names of its types anew each time.
_DTYPES = {name: np.dtype(name) for name in _PRIMITIVES}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def is_primitive(primitive):
    """Is this the name of a type of numbers?"""
    text = str(primitive)
    return text in _PRIMITIVES or text.startswith(("datetime64", "timedelta64"))


def primitive_to_dtype(primitive):
    """The NumPy dtype of that name."""
    if isinstance(primitive, str) and primitive in _DTYPES:
        return _DTYPES[primitive]
    if not is_primitive(primitive):
        raise TypeError(f"not a primitive type: {primitive!r}")
    return np.dtype(primitive)


def dtype_to_primitive(dtype):
    """The name of a NumPy dtype."""
    if isinstance(dtype, np.dtype) and dtype in _NAMES:
        return _NAMES[dtype]
    name = np.dtype(dtype).name
    if not is_primitive(name):
        raise TypeError(f"no type of arrays holds {dtype!r}")
    return name


__all__ = [
    *("ArrayType", "ListType", "NumpyType", "OptionType", "RecordType", "RegularType"),
    *("ScalarType", "Type", "UnionType", "UnknownType", "dtype_to_primitive", "from_datashape"),
    *("is_primitive", "primitive_to_dtype"),
]
