"""Down several layouts at once, which are broadcast level by level on the way."""

import copy
import itertools

import numpy as np

from serrate import _core
from serrate._content import Content, array_of, layout_of, numbers_of
from serrate._contents_chosen import places, positions
from serrate._contents_plain import offsets_of
from serrate.contents import (
    IndexedOptionArray,
    ListOffsetArray,
    NumpyArray,
    RecordArray,
    RegularArray,
    UnionArray,
    UnmaskedArray,
)
from serrate.index import Index8


def is_text(x):
    return x.is_list and x.parameter("__array__") in ("string", "bytestring")


class Step:
    """Calls itself for the layouts below, until the function gives something."""

    def __init__(self, function, options, more):
        self.function, self.options, self.more = function, options, more
        self.replaced = False

    def __call__(self, layouts, depth, depth_context, lateral_context):
        """The outermost step: arrays are lists of one array each."""
        contexts = ({} if c is None else c for c in (depth_context, lateral_context))
        out = self.step([RegularArray(x, len(x), 1) for x in layouts], depth, *contexts)
        return tuple(x.content if x.is_regular else x[0] for x in out)

    def step(self, inputs, depth, depth_context, lateral_context):
        if self.options["numpy_to_regular"]:
            inputs = [_regular(x) for x in inputs]
        if self.options["regular_to_jagged"]:
            inputs = [
                x.to_ListOffsetArray64(False) if x.is_regular and not is_text(x) else x
                for x in inputs
            ]
        if self.options["right_broadcast"] and any(x.is_list for x in inputs):
            inputs = _same_depth(inputs)
        lengths = {len(x) for x in inputs}
        if len(lengths) > 1:
            raise ValueError(f"transform: cannot broadcast arrays of lengths {sorted(lengths)}")

        def continuation():
            def down(inner, levels=0):
                return self.step(inner, depth + levels, copy.copy(depth_context), lateral_context)

            return self._below(inputs, down)

        out = self.function(
            tuple(inputs),
            depth=depth,
            depth_context=depth_context,
            lateral_context=lateral_context,
            continuation=continuation,
            backend=inputs[0].backend,
            options=self.options,
            **self.more,
        )
        if out is None:
            return tuple(inputs) if _are_numbers(inputs) else continuation()
        self.replaced = True
        out = (out,) if isinstance(out, Content) else out
        if not isinstance(out, tuple) or not all(isinstance(x, Content) for x in out):
            raise TypeError(
                "transformation must return a Content, a tuple of Contents, or None, "
                f"not {type(out)}"
            )
        return out

    def _below(self, inputs, down):
        if any(x.is_unknown for x in inputs):
            return down([x.to_NumpyArray("float64") if x.is_unknown else x for x in inputs])
        if any(x.is_numpy and x.purelist_depth > 1 for x in inputs):
            return down([_regular(x) for x in inputs])
        if any(x.is_indexed and not x.is_option for x in inputs):
            return down([x.project() if x.is_indexed and not x.is_option else x for x in inputs])
        if any(x.is_union for x in inputs):
            return self._unions(inputs, down)
        if any(x.is_option for x in inputs):
            return self._options(inputs, down)
        if any(x.is_list and not is_text(x) for x in inputs):
            return self._lists(inputs, down)
        if any(x.is_record for x in inputs):
            return self._records(inputs, down)
        kinds = ", ".join(type(x).__name__ for x in inputs)
        raise ValueError(f"transform: cannot broadcast {kinds}")

    def _parameters(self, inputs, taking_part, n):
        """Notes of the n results, by the rule that was chosen."""
        rule = self.options["broadcast_parameters_rule"]
        known = [x.parameters for x, part in zip(inputs, taking_part, strict=True) if part]
        if rule == "one_to_one" and n == len(inputs):
            return [
                x.parameters if part else None for x, part in zip(inputs, taking_part, strict=True)
            ]
        if rule in ("one_to_one", "intersect"):
            both = {k: v for k, v in known[0].items() if all(p.get(k) == v for p in known[1:])}
            return [both] * n
        if rule == "all_or_nothing":
            return [known[0] if all(p == known[0] for p in known[1:]) else None] * n
        if rule == "none":
            return [None] * n
        raise ValueError(f"transform: no broadcast_parameters_rule is called {rule!r}")

    def _unions(self, inputs, down):
        unions = [x for x in inputs if x.is_union]
        chosen, out = [], []
        for tags in itertools.product(*(range(len(x.contents)) for x in unions)):
            here = None
            for x, tag in zip(unions, tags, strict=True):
                mine = x.tags.data[: len(x)] == tag
                here = mine if here is None else here & mine
            of = iter(tags)
            inner = []
            for x in inputs:
                x_here = x[here]
                inner.append(_part(x_here, next(of)) if x.is_union else x_here)
            chosen.append(here)
            out.append(down(inner))
        combined = 0
        for tag, here in enumerate(chosen):
            combined = combined + here * np.int8(tag)
        tags = Index8(numbers_of(_core.values_astype(combined, "int8"), inputs[0].backend))
        parameters = self._parameters(inputs, [x.is_union for x in inputs], len(out[0]))
        return tuple(
            UnionArray.simplified(
                tags, places(chosen, inputs[0].backend), [o[i] for o in out], parameters=p
            )
            for i, p in enumerate(parameters)
        )

    def _options(self, inputs, down):
        takes_part = [x.is_option for x in inputs]
        if all(x.is_unmasked for x in inputs if x.is_option):
            out = down([x.content if x.is_option else x for x in inputs])
            parameters = self._parameters(inputs, takes_part, len(out))
            return tuple(
                UnmaskedArray(x, parameters=p) for x, p in zip(out, parameters, strict=True)
            )
        valid = True
        for x in inputs:
            if x.is_option:
                valid = x.mask_as_bool() & valid
        inner = [x[valid].project() if x.is_option else x[valid] for x in inputs]
        out = down(inner)
        index = positions(valid, inputs[0].backend)
        parameters = self._parameters(inputs, [True] * len(inputs), len(out))
        return tuple(
            IndexedOptionArray.simplified(index, x, parameters=p)
            for x, p in zip(out, parameters, strict=True)
        )

    def _lists(self, inputs, down):
        lists = [x.is_list and not is_text(x) for x in inputs]
        regular = all(x.is_regular for x, part in zip(inputs, lists, strict=True) if part)
        if not regular and not self.options["left_broadcast"] and not all(lists):
            raise ValueError("transform: cannot broadcast lists with what is none of them")
        arrays = [array_of(x) for x in inputs]
        even = _core.broadcast_arrays(*arrays, depth_limit=2, right_broadcast=False)
        first = even[lists.index(True)]
        out = down([layout_of(_core.flatten(x, axis=1)) for x in even], 1)
        n = len(inputs[0])
        parameters = self._parameters(inputs, [True] * len(inputs), len(out))
        if regular:
            size = len(out[0]) // n if n else first.type.content.size
            return tuple(
                RegularArray(x, size, n, parameters=p) for x, p in zip(out, parameters, strict=True)
            )
        offsets = offsets_of(_core.num(first, axis=1), out[0].backend)
        return tuple(
            ListOffsetArray(offsets, x, parameters=p) for x, p in zip(out, parameters, strict=True)
        )

    def _records(self, inputs, down):
        if not self.options["allow_records"]:
            raise ValueError("cannot broadcast records in transform")
        records = [x for x in inputs if x.is_record]
        first = records[0]
        for x in records[1:]:
            if x.is_tuple != first.is_tuple:
                raise TypeError("cannot broadcast a tuple against a record in transform")
            if set(x.fields) != set(first.fields):
                raise ValueError(
                    "cannot broadcast records because fields don't match in transform: "
                    f"{sorted(first.fields)} and {sorted(x.fields)}"
                )
        out = [
            down([x.content(field) if x.is_record else x for x in inputs]) for field in first.fields
        ]
        fields, n = None if first.is_tuple else first.fields, len(inputs[0])
        count = len(out[0]) if out else 1
        parameters = self._parameters(inputs, [x.is_record for x in inputs], count)
        return tuple(
            RecordArray([o[i] for o in out], fields, n, parameters=p)
            for i, p in enumerate(parameters)
        )


def _are_numbers(inputs):
    return all(isinstance(x, NumpyArray) for x in inputs)


def _regular(x):
    return x.to_RegularArray() if x.is_numpy and x.purelist_depth > 1 else x


def _same_depth(inputs):
    """As NumPy broadcasts: where all lists are of fixed lengths, new ones of one come outside."""
    depth = max(x.purelist_depth for x in inputs)
    if depth < 1 or not all(x.purelist_isregular for x in inputs):
        return inputs
    out = []
    for x in inputs:
        for _ in range(x.purelist_depth, depth):
            x = RegularArray(x, 1, len(x))
        out.append(x)
    return out


def _part(union, tag):
    """The values of a tag, where all values are of it."""
    if not union.is_union:
        return union
    return union.project(tag)
