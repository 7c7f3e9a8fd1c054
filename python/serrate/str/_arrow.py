"""Strings through pyarrow.compute: its functions are called with every array of strings that lies
in an array, whatever is around them."""

import functools
import inspect

from serrate import _core
from serrate._apply.rows import written_down
from serrate._arrow import to_arrow
from serrate._content import Content
from serrate._files.lazy import pyarrow
from serrate._transform import transform
from serrate.contents import UnmaskedArray

_OUTPUT = ("highlevel", "behavior", "attrs")


def is_text(layout):
    """Are the items strings, or strings of bytes?"""
    return layout.is_list and layout.parameter("__array__") in ("string", "bytestring")


def is_bytes(layout):
    """Are the items strings of bytes?"""
    return layout.is_list and layout.parameter("__array__") == "bytestring"


def is_optional_text(layout):
    """Are the items strings, some of them missing perhaps?"""
    while layout.is_option or layout.is_indexed:
        layout = layout.content
    return is_text(layout)


def _relabelled(layout, items, strings):
    content = layout.content.copy(parameters={"__array__": items})
    return layout.copy(content=content, parameters={"__array__": strings})


def _as_bytes(layout):
    """Strings, and those in lists, as strings of bytes."""
    if is_text(layout):
        return _relabelled(layout, "byte", "bytestring")
    return layout.copy(content=_as_bytes(layout.content)) if layout.is_list else layout


def _without_options(layout):
    """Arrow's results may all be missing, says their type: here none is."""
    if layout.is_option:
        return _without_options(layout.project() if layout.is_indexed else layout.content)
    if is_text(layout):
        return layout
    return layout.copy(content=_without_options(layout.content)) if layout.is_list else layout


def values_in_arrow(layout, to32=False):
    """A layout as Arrow's functions take it: of plain types."""
    widths = dict.fromkeys(("list_to32", "string_to32", "bytestring_to32"), to32)
    return to_arrow(layout, extensionarray=False, **widths)


def through_arrow(name, *operands, options=False, to32=False, **arguments):
    """What a function of pyarrow.compute gives of layouts and plain values. `options`: items may be
    missing, else none is; `to32`: it takes offsets of 32 bits only."""
    given = [values_in_arrow(x, to32) if isinstance(x, Content) else x for x in operands]
    try:
        made = getattr(pyarrow.compute, name)(*given, **arguments)
    except NotImplementedError as error:
        raise ValueError(f"pyarrow.compute.{name}: {error}") from None
    out = _core.from_arrow(made, highlevel=False)
    if not options:
        return _without_options(out)
    return out if out.is_option else UnmaskedArray(out)


def _through_text(name, layout, **arguments):
    """The same of bytes that a function of strings shall take."""
    return _as_bytes(through_arrow(name, _relabelled(layout, "char", "string"), **arguments))


def _refuse_gpu(name, *arrays):
    """TypeError for arrays on a GPU."""
    if any(isinstance(x, _core.Array) and _core.backend(x) == "cuda" for x in arrays):
        raise TypeError(
            f'str.{name}: the array is on a GPU, pyarrow computes in RAM: to_backend(x, "cpu")'
        )


def _values(action):
    """The action for one array, which takes categoricals as their values: what is made of two
    categories may be equal."""

    def walk(layout, **context):
        out = action(layout, **context)
        if out is None and layout.is_indexed and layout.parameter("__array__") == "categorical":
            return transform(walk, layout.copy(parameters=None), highlevel=False)
        return out

    return walk


def walked(name, action, *arrays, rows=None, **output):
    """transform() of the arrays; a string is an array of one, and so is a record. `rows` is the
    call to be made of each partition, where they are cut into partitions."""
    if (later := written_down(rows, arrays)) is not None:
        return later
    _refuse_gpu(name, *arrays)
    one = isinstance(arrays[0], str | bytes | _core.Record)
    if one:
        arrays = (_core.Array([arrays[0]]), *arrays[1:])
    out = transform(action if len(arrays) > 1 else _values(action), *arrays, **output)
    return out[0] if one else out


def computed(text, data=None, *, as_text=True, options=False, never=()):
    """Makes a function of this name, arguments and documentation: pyarrow.compute's `text` of
    strings and `data` of bytes, with all arguments but the array by name; as_text=True where it
    takes strings only. Arguments in `never` must be false."""

    def decorator(described):
        parameters = list(inspect.signature(described).parameters)
        keep = [n for n in parameters[1:] if n not in _OUTPUT]

        @functools.wraps(described)
        def function(*args, **kwargs):
            given = _bound(described, args, kwargs)
            arguments = {n: given[n] for n in keep}
            output = {n: given[n] for n in _OUTPUT}
            for wrong in (n for n in never if arguments.pop(n)):
                raise ValueError(f"str.{described.__name__}: Arrow has no {wrong}=True")

            def action(layout, **context):
                if not is_text(layout):
                    return None
                if layout.is_regular:
                    layout = layout.to_ListOffsetArray64(False)
                if not is_bytes(layout):
                    return through_arrow(text, layout, options=options, **arguments)
                through = _through_text if as_text else through_arrow
                return through(data or text, layout, options=options, **arguments)

            rows = functools.partial(function, **arguments, **output)
            return walked(described.__name__, action, given[parameters[0]], rows=rows, **output)

        return function

    return decorator


def _bound(described, args, kwargs):
    try:
        given = inspect.signature(described).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"str.{described.__name__}: {error}") from None
    given.apply_defaults()
    return given.arguments
