"""is_valid and validity_error: what is wrong with a layout, if anything."""

from serrate import _core
from serrate._content import Content, array_of
from serrate.record import Record


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
