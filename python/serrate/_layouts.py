"""to_layout: anything as a layout; is_valid, validity_error: what is wrong with one."""

import datetime
import numbers

import numpy as np

from serrate import _core
from serrate._content import Content, array_of, layout_of
from serrate.contents import NumpyArray
from serrate.record import Record

_POLICIES = ("error", "pass-through", "promote")


def to_layout(
    array,
    *,
    allow_record=True,
    allow_unknown=False,
    none_policy="error",
    use_from_iter=True,
    primitive_policy="promote",
    string_policy="as-characters",
    regulararray=True,
):
    """Anything as a layout (serrate.contents), also what is one already.

    Each policy is "error", "pass-through" or "promote" (to an array of one); text may also be taken
    "as-characters".

    >>> to_layout([[1], []]).form
    ListOffsetForm('i64', NumpyForm('int64'))
    """

    def one(what, policy):
        if policy not in _POLICIES:
            raise ValueError(f"to_layout: no policy is called {policy!r}")
        if policy == "error":
            raise TypeError(f"to_layout: expected an array, got {what}: {array!r}")
        return array if policy == "pass-through" else layout_of(_core.from_iter([array]))

    if isinstance(array, Content):
        return array
    if isinstance(array, Record | _core.Record):
        if not allow_record:
            raise TypeError("to_layout: expected an array, got a record")
        return array if isinstance(array, Record) else layout_of(array)
    if isinstance(array, _core.Array | _core.ArrayBuilder):
        return layout_of(_core.Array(array))
    if array is None:
        return one("None", none_policy)
    if isinstance(array, str | bytes):
        if string_policy != "as-characters":
            return one("a text", string_policy)
        data, letter = (array, "byte") if isinstance(array, bytes) else (array.encode(), "char")
        return NumpyArray(np.frombuffer(data, "uint8"), parameters={"__array__": letter})
    if isinstance(array, numbers.Number | np.generic | datetime.date | datetime.timedelta):
        if primitive_policy != "promote":
            return one("a scalar", primitive_policy)
        return layout_of(_core.Array(np.asarray([array])))
    if isinstance(array, np.ndarray) and array.ndim == 0:
        return to_layout(array[()], primitive_policy=primitive_policy)
    plain = isinstance(array, list | tuple | dict) or not (
        hasattr(array, "__array__") or hasattr(array, "__dlpack__")
    )
    if plain and not (use_from_iter and hasattr(array, "__iter__")):
        if allow_unknown:
            return array
        raise TypeError(f"to_layout: cannot make a layout of {type(array).__name__}")
    return layout_of(_core.from_iter(array) if plain else _core.Array(array))


def validity_error(array, *, exception=False):
    """What is wrong with a layout as text, "" if nothing is; exception=True: raised as ValueError.

    Arrays are checked when they are made: of them, unions are looked at, names of fields and
    categories.

    >>> validity_error([1, 2])
    ''
    """
    is_layout = isinstance(array, (Content, Record))
    text = _of_buffers(array) if is_layout else ""
    if not text:
        made = array if is_layout or isinstance(array, _core.Array) else _core.Array(array)
        layout = made if is_layout else made.layout
        text = _of_node(layout.array if isinstance(layout, Record) else layout, "highlevel")
    if text and exception:
        raise ValueError(text)
    return text


def is_valid(array, *, exception=False):
    """Is nothing wrong with it? exception=True: ValueError if something is.

    >>> is_valid([1, 2])
    True
    """
    return not validity_error(array, exception=exception)


def _of_buffers(layout):
    try:
        _core.materialize(array_of(layout))
    except ValueError as error:
        return str(error)
    return ""


def _of_node(node, path):
    problem = ""
    if node.is_record:
        twice = [name for i, name in enumerate(node.fields) if name in node.fields[:i]]
        problem = f"duplicate field {twice[0]!r}" if twice else ""
    elif node.is_union:
        problem = _of_union(node)
    elif node.is_indexed and node.parameter("__array__") == "categorical":
        values = [repr(x) for x in node.content.to_list()]
        if len(set(values)) < len(values):
            problem = '__array__ = "categorical" requires contents to be unique'
    if problem:
        return f"at {path} ({type(node).__name__}): {problem}"
    single = not (node.is_record or node.is_union)
    for i, x in enumerate(node._inner):
        text = _of_node(x, f"{path}.content" if single else f"{path}.content({i})")
        if text:
            return text
    return ""


def _of_union(node):
    contents = [array_of(x)[:0] for x in node.contents]
    for i, x in enumerate(contents):
        for k, y in enumerate(contents[:i]):
            merged = _core.concatenate([y, x], mergebool=False)
            if not merged.layout.is_union:
                return f"content({i}) is mergeable with content({k})"
    return ""
