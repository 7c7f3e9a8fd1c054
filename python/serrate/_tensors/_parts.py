"""Ragged arrays as offsets and content, and back: what all of these libraries have."""

import importlib
from typing import Any, NamedTuple

from serrate import _core, contents, index, types


class Lists(NamedTuple):
    """A level of lists below axis 0: their offsets, or their size if all have the same."""

    offsets: Any
    size: "int | None"
    count: int


def needs(function, package, name):
    """The package, or an error that says what to install."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{function} needs {name}: pip install {package}", name=package
        ) from error


def check_numbers(array, function):
    """TypeError unless it is numbers in lists, all of them there."""
    kind = array.type.content
    while isinstance(kind, types.ListType | types.RegularType) and not is_text(kind):
        kind = kind.content
    plain = isinstance(kind, types.NumpyType) and not kind.primitive.startswith(
        ("datetime", "timedelta")
    )
    if not plain:
        raise TypeError(
            f"{function}: expected numbers in lists, got an array of type '{array.type}'; see "
            "fill_none, fields and values_astype"
        )
    return array


def is_text(kind):
    return kind.parameter("__array__") in ("string", "bytestring")


def is_regular(array):
    """Whether all lists are of one size by their type."""
    kind = array.type.content
    while isinstance(kind, types.RegularType):
        kind = kind.content
    return not isinstance(kind, types.ListType)


def split(array):
    """The levels of lists that are not regular and those above such, and the numbers inside:
    regular."""
    layout, levels = array.layout, []
    while not is_regular(_core._array_of(layout)):
        if layout.is_regular:
            levels.append(Lists(None, layout.size, len(layout)))
            layout = layout.content[: len(layout) * layout.size]
        else:
            lists = layout.to_ListOffsetArray64(True)
            offsets = _core.Array(lists.offsets.data, copy=False)
            levels.append(Lists(offsets, None, len(lists)))
            layout = lists.content[: int(offsets[-1])]
    return levels, _core._array_of(layout)


def joined(levels, values):
    """The array of these levels (offsets, size, count) of lists over an array of numbers."""
    layout = values.layout
    for lists in reversed(levels):
        if lists.offsets is None:
            layout = contents.RegularArray(layout, lists.size, lists.count)
        else:
            offsets = _core.values_astype(lists.offsets, "int64")
            data = offsets if _core.backend(offsets) == "cuda" else _core.to_numpy(offsets)
            layout = contents.ListOffsetArray(index.Index64(data), layout)
    return _core._array_of(layout)


class Dlpack:
    """What DLPack's consumers ask for: an array for libraries that never write to it."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return _core._dlpack_for_readers(self._array)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def shared(tensor):
    """An array of a tensor that nobody writes to."""
    return _core.from_dlpack(tensor, copy=False)


def check_tensor(x, function, what):
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"{function}: expected {what}, got {type(x).__name__}")
