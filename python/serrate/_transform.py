"""transform: a function of the user called for every node of the layouts of arrays."""

import copy

from serrate import _core, _named_axis
from serrate._broadcast_step import Step
from serrate._content import Content
from serrate._contents_chosen import places
from serrate._layouts import to_layout

_RETURNS = ("simplified", "original", "none")


class _Walk:
    """Down one layout."""

    def __init__(self, function, options, more):
        self.function, self.options, self.more = function, options, more
        self.replaced = False

    def __call__(self, layout, depth, depth_context, lateral_context):
        if layout.is_numpy and layout.purelist_depth > 1 and self.options["numpy_to_regular"]:
            layout = layout.to_RegularArray()
        if layout.is_regular and self.options["regular_to_jagged"]:
            layout = layout.to_ListOffsetArray64(False)
        layout = _compact(layout)

        def continuation():
            if layout.is_record and not self.options["allow_records"]:
                raise ValueError("cannot broadcast records in transform")
            below = depth + 1 if layout.is_list else depth
            inner = [
                self(x, below, copy.copy(depth_context), lateral_context) for x in _inner(layout)
            ]
            return None if self.options["return_array"] is False else _with_inner(layout, inner)

        out = self.function(
            layout,
            depth=depth,
            depth_context=depth_context,
            lateral_context=lateral_context,
            continuation=continuation,
            backend=layout.backend,
            options=self.options,
            **self.more,
        )
        if out is None:
            return continuation()
        if not isinstance(out, Content):
            raise TypeError(f"transformation must return a Content or None, not {type(out)}")
        self.replaced = True
        return out


def _compact(layout):
    """Without items that nothing refers to."""
    if layout.is_option and not layout.is_indexed and not layout.is_unmasked:
        return layout.to_IndexedOptionArray64()
    if layout.is_union:
        n, parts = len(layout), range(len(layout.contents))
        index = places([layout.tags.data[:n] == k for k in parts], layout.backend)
        return layout.copy(index=index, contents=[layout.project(k) for k in parts])
    return layout


def _inner(layout):
    if layout.is_record:
        return [layout.content(i) for i in range(len(layout.contents))]
    return list(layout._inner)


def _with_inner(layout, inner):
    if not inner:
        return layout if not layout.is_record else layout.copy()
    if layout.is_record:
        return layout.copy(contents=inner)
    if layout.is_union:
        tags, index, parameters = layout.tags, layout.index, layout.parameters
        return type(layout).simplified(tags, index, inner, parameters=parameters)
    return layout._with_content(inner[0])


def transform(
    transformation,
    array,
    *more_arrays,
    depth_context=None,
    lateral_context=None,
    allow_records=True,
    broadcast_parameters_rule="intersect",
    left_broadcast=True,
    right_broadcast=True,
    numpy_to_regular=False,
    regular_to_jagged=False,
    return_value="simplified",
    expect_return_value=False,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    """Calls a function for each node of an array's layout, from the outermost one down.

    `transformation(layout, depth=..., depth_context=..., lateral_context=..., continuation=...,
    **others)` gives a layout in place of this one, or None to go on below; `continuation()` gives
    this node with what is made of those below. A copy of depth_context goes down with the walk;
    lateral_context is one object for all. With several arrays, these are broadcast on the way, and
    the function gets and gives tuples of layouts.

    >>> def rounded(layout, **kwargs):
    ...     if layout.is_numpy:
    ...         return contents.NumpyArray(np.round(layout.data))
    >>> transform(rounded, [[1.1, 2.9], [], [3.5]])
    <Array [[1, 3], [], [4]] type='3 * var * float64'>
    """
    if return_value not in _RETURNS:
        raise ValueError(f"transform: return_value must be one of {_RETURNS}, got {return_value!r}")
    arrays = (array, *more_arrays)
    policies = {"allow_record": False, "primitive_policy": "error"}
    layouts = [to_layout(x, **policies) for x in arrays]
    options = {
        "allow_records": allow_records,
        "left_broadcast": left_broadcast,
        "right_broadcast": right_broadcast,
        "numpy_to_regular": numpy_to_regular,
        "regular_to_jagged": regular_to_jagged,
        "keep_parameters": True,
        "return_simplified": return_value == "simplified",
        "return_array": return_value != "none",
        "function_name": "ak.transform",
        "broadcast_parameters_rule": broadcast_parameters_rule,
        "expect_return_value": expect_return_value,
    }
    kind = _Walk if len(layouts) == 1 else Step
    walk = kind(transformation, options, {"behavior": behavior})
    given = layouts[0] if len(layouts) == 1 else layouts
    out = walk(given, int(kind is _Walk), copy.copy(depth_context), lateral_context)
    if return_value == "none":
        return None
    if expect_return_value and not walk.replaced:
        raise RuntimeError("transform: the function was expected to give a layout, but gave none")
    if not highlevel:
        return out if not isinstance(out, tuple) or len(out) > 1 else out[0]
    for x in arrays:
        if behavior is None:
            behavior = getattr(x, "behavior", None)
    if attrs is None:
        attrs = joined_attrs(arrays)
    made = [
        _core.Array(x, behavior=behavior, attrs=attrs)
        for x in (out if isinstance(out, tuple) else (out,))
    ]
    return made[0] if len(made) == 1 else tuple(made)


def joined_attrs(arrays):
    """The attrs of arrays together; None if none has any."""
    out = None
    for x in arrays:
        more = getattr(x, "attrs", None)
        if more:
            out = _named_axis.unified(out, more) if out else dict(more)
    if out is not None and not out.get(_named_axis.KEY, True):
        del out[_named_axis.KEY]
    return out
