"""The kinds of nodes of forms and layouts: one table for both.

The class of a kind is a base of its form (ListOffsetForm) and of its layout (ListOffsetArray).
Those enter themselves into FORMS and LAYOUTS, where it is found what comes later.
"""

from serrate import _nodes

FORMS, LAYOUTS = {}, {}  # classes by the name of their kind

# The integer types that buffers of layouts may have.
_WIDE = ("i32", "u32", "i64")
_SIGNED = ("i32", "i64")


class Empty(_nodes.Empty):
    kind = "EmptyArray"


class Numpy(_nodes.Numpy):
    kind = "NumpyArray"
    arguments = ("primitive", "inner_shape")
    buffer_types = {"data": ()}


class Regular(_nodes.Regular):
    kind = "RegularArray"
    arguments = ("content", "size")
    written = ("size", "content")


class List(_nodes.List):
    kind = "ListArray"
    arguments = ("starts", "stops", "content")
    buffer_types = {"starts": _WIDE, "stops": _WIDE}


class ListOffset(_nodes.List):
    kind = "ListOffsetArray"
    arguments = ("offsets", "content")
    buffer_types = {"offsets": _WIDE}


class Record(_nodes.Record):
    kind = "RecordArray"
    arguments = ("contents", "fields")
    written = ("fields", "contents")


class Indexed(_nodes.Indexed):
    kind = "IndexedArray"
    arguments = ("index", "content")
    buffer_types = {"index": _WIDE}


class IndexedOption(_nodes.Option):
    kind = "IndexedOptionArray"
    arguments = ("index", "content")
    buffer_types = {"index": _SIGNED}
    is_indexed = True


class ByteMasked(_nodes.Option):
    kind = "ByteMaskedArray"
    arguments = ("mask", "content", "valid_when")
    buffer_types = {"mask": ("i8",)}
    written = ("mask", "valid_when", "content")


class BitMasked(_nodes.Option):
    kind = "BitMaskedArray"
    arguments = ("mask", "content", "valid_when", "lsb_order")
    buffer_types = {"mask": ("u8",)}
    written = ("mask", "valid_when", "lsb_order", "content")


class Unmasked(_nodes.Option):
    kind = "UnmaskedArray"
    arguments = ("content",)
    is_unmasked = True


class Union(_nodes.Union):
    kind = "UnionArray"
    arguments = ("tags", "index", "contents")
    buffer_types = {"tags": ("i8",), "index": _WIDE}


def checked_parameters(parameters, what="parameters"):
    """A dict of notes, or None; TypeError otherwise."""
    if parameters is not None and not isinstance(parameters, dict):
        raise TypeError(f"{what} must be a dict or None, got {parameters!r}")
    for key in parameters or ():
        if not isinstance(key, str):
            raise TypeError(f"names of {what} must be strings, got {key!r}")
    return parameters or None


def refuse_parameters(x, parameters):
    """What is of no type has no notes."""
    if parameters:
        raise TypeError(f"{type(x).__name__} can't have parameters, got {parameters!r}")


def check_flags(x, **flags):
    """TypeError for what is no bool."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError(f"{type(x).__name__}: {name} must be a bool, got {value!r}")
