"""Layouts: arrays as trees of buffers, in Awkward Array's classes.

An Array's layout is made when it is asked for; Array(layout) goes the other way.

>>> layout = Array([[1.1, 2.2], [], [3.3]]).layout
>>> layout
<ListOffsetArray len='3'>
    <offsets><Index dtype='int64' len='4'>[0 2 2 3]</Index></offsets>
    <content><NumpyArray dtype='float64' len='3'>[1.1 2.2 3.3]</NumpyArray></content>
</ListOffsetArray>
>>> Array(ListOffsetArray(layout.offsets, NumpyArray(layout.content.data * 10)))
<Array [[11, 22], [], [33]] type='3 * var * float64'>
"""

import copy

from serrate import _core, _form_columns
from serrate._content import Content
from serrate._contents_chosen import (
    BitMaskedArray,
    ByteMaskedArray,
    IndexedArray,
    IndexedOptionArray,
    UnionArray,
    UnmaskedArray,
)
from serrate._contents_plain import (
    EmptyArray,
    ListArray,
    ListOffsetArray,
    NumpyArray,
    RecordArray,
    RegularArray,
)
from serrate.index import Index

_CLASSES = {
    cls.__name__: cls
    for cls in (
        *(EmptyArray, NumpyArray, RegularArray, ListArray, ListOffsetArray, RecordArray),
        *(IndexedArray, IndexedOptionArray, ByteMaskedArray, BitMaskedArray, UnmaskedArray),
        UnionArray,
    )
}


def built(form, length, container):
    """The layout of a form as nested dicts, over typed buffers by form key and name."""
    name, key = form["class"], form["form_key"]
    parameters = copy.deepcopy(form["parameters"]) if form["parameters"] else None
    cls = _CLASSES[name]

    def buffer(attribute):
        return Index(container[f"{key}-{attribute}"])

    def inner(n):
        return built(form["content"], n, container)

    if cls is NumpyArray:
        data = container[f"{key}-data"]
        if form["inner_shape"]:
            data = data.reshape(-1, *form["inner_shape"])
        return NumpyArray(data, parameters=parameters)
    if cls is EmptyArray:
        return EmptyArray()
    if cls is RegularArray:
        size = form["size"]
        return RegularArray(inner(length * size), size, length, parameters=parameters)
    if cls is ListOffsetArray:
        offsets = buffer("offsets")
        # Numbers and lists know how many they are, and the last offset may be on a GPU.
        knows = form["content"]["class"] in ("NumpyArray", "ListOffsetArray")
        content = inner(None if knows else int(offsets[-1]))
        return ListOffsetArray(offsets, content, parameters=parameters)
    if cls is ListArray:
        stops = buffer("stops")
        n = int(_core.max(stops.data, axis=None) or 0) if len(stops) else 0
        return ListArray(buffer("starts"), stops, inner(n), parameters=parameters)
    if cls is RecordArray:
        contents = [built(x, length, container) for x in form["contents"]]
        return RecordArray(contents, form["fields"], length, parameters=parameters)
    if cls is UnionArray:
        tags, index = buffer("tags"), buffer("index")
        contents = [built(x, length, container) for x in form["contents"]]
        return UnionArray._any(tags, index, contents, parameters=parameters)
    if cls is UnmaskedArray:
        return UnmaskedArray._any(inner(length), parameters=parameters)
    if cls is ByteMaskedArray:
        mask = buffer("mask")
        return cls._any(mask, inner(length), form["valid_when"], parameters=parameters)
    if cls is BitMaskedArray:
        flags = form["valid_when"], length, form["lsb_order"]
        return cls._any(buffer("mask"), inner(length), *flags, parameters=parameters)
    index = buffer("index")
    n = 1 + int(_core.max(index.data, axis=None)) if len(index) else 0
    return cls._any(index, inner(n), parameters=parameters)


def of_zeros(form, length, backend):
    """The layout of a keyed form over buffers of zeros."""
    out = built(form.to_dict(), length, _form_columns.zeros(form, length))
    return out if backend == "cpu" else out.to_backend(backend)


__all__ = ["Content", *_CLASSES]
