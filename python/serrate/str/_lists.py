"""Strings made into lists of strings, lists into strings, and sets of strings."""

import numbers
from functools import partial

from serrate.contents import UnmaskedArray
from serrate.str._arrow import (
    computed,
    is_bytes,
    is_optional_text,
    is_text,
    through_arrow,
    walked,
)


@computed("split_pattern", as_text=False)
def split_pattern(
    array,
    pattern,
    *,
    max_splits=None,
    reverse=False,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    """The pieces between occurrences of the pattern, which is split at max_splits times;
    reverse=True begins at the end.

    >>> split_pattern(["a-b-c", "one"], "-", max_splits=1)
    <Array [['a', 'b-c'], ['one']] type='2 * var * string'>
    """


@computed("split_pattern_regex", as_text=False, never=["reverse"])
def split_pattern_regex(
    array,
    pattern,
    *,
    max_splits=None,
    reverse=False,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    """The pieces between matches of a regular expression, which is split at max_splits times;
    reverse=True is a ValueError, as Arrow can't begin at the end.

    >>> split_pattern_regex(["a1b22c", "one"], "[0-9]+")
    <Array [['a', 'b', 'c'], ['one']] type='2 * var * string'>
    """


@computed("utf8_split_whitespace", "ascii_split_whitespace")
def split_whitespace(
    array, *, max_splits=None, reverse=False, highlevel=True, behavior=None, attrs=None
):
    """The pieces between white space, at which is split max_splits times; reverse=True begins at
    the end.

    >>> split_whitespace(["one two  three", ""])
    <Array [['one', 'two', 'three'], ['']] type='2 * var * string'>
    """


def slice(array, start, stop=None, step=1, *, highlevel=True, behavior=None, attrs=None):
    """The characters (of bytes: the bytes) start:stop:step.

    >>> slice(["HLT_Mu", "L1_Mu"], -2)
    <Array ['Mu', 'Mu'] type='2 * string'>
    """
    output = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}
    where = {"start": start, "stop": stop, "step": step}

    def action(layout, **context):
        if is_bytes(layout):
            return layout[:, start:stop:step]
        return through_arrow("utf8_slice_codeunits", layout, **where) if is_text(layout) else None

    return walked("slice", action, array, rows=partial(slice, **where, **output), **output)


def repeat(array, num_repeats, *, highlevel=True, behavior=None, attrs=None):
    """Each string num_repeats times, an integer or an array of integers.

    >>> repeat(["ab", "c"], [2, 3])
    <Array ['abab', 'ccc'] type='2 * string'>
    """
    output = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}
    if isinstance(num_repeats, numbers.Integral):

        def each(layout, **context):
            return through_arrow("binary_repeat", layout, number) if is_text(layout) else None

        number = int(num_repeats)
        return walked(
            "repeat", each, array, rows=partial(repeat, num_repeats=number, **output), **output
        )

    def pairs(layouts, **context):
        text, times = layouts
        if not is_text(text):
            return None
        if not (times.is_numpy and times.dtype.kind in "iu"):
            raise TypeError(f"str.repeat: num_repeats must be integers, got {times.form.type}")
        return (through_arrow("binary_repeat", text, times),)

    return walked("repeat", pairs, array, num_repeats, rows=partial(repeat, **output), **output)


def join(array, separator, *, highlevel=True, behavior=None, attrs=None):
    """The strings of each list in one, the separator between them: a string, or an array of one for
    each list. It is missing where one of them is.

    >>> join([["a", "b"], [], ["c"]], "-")
    <Array ['a-b', '', 'c'] type='3 * string'>
    """
    output = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}

    def fits(layout):
        return layout.is_list and not is_text(layout) and is_optional_text(layout.content)

    def joined(layout, between):
        text = UnmaskedArray.simplified(layout.content)  # lists of Arrow's that this takes
        options = layout.content.is_option
        operands = layout.copy(content=text), between
        return through_arrow("binary_join", *operands, options=options, to32=True)

    if isinstance(separator, str | bytes):

        def each(layout, **context):
            return joined(layout, separator) if fits(layout) else None

        rows = partial(join, separator=separator, **output)
        return walked("join", each, array, rows=rows, **output)

    def pairs(layouts, **context):
        if not fits(layouts[0]):
            return None
        if not is_optional_text(layouts[1]):
            raise TypeError(f"str.join: separators must be strings, got {layouts[1].form.type}")
        return (joined(*layouts),)

    return walked("join", pairs, array, separator, rows=partial(join, **output), **output)


def join_element_wise(*arrays, highlevel=True, behavior=None, attrs=None):
    """Strings of several arrays side by side in one; the last array are the separators.

    >>> join_element_wise(["a", "b"], ["c", "d"], ["-", "+"])
    <Array ['a-c', 'b+d'] type='2 * string'>
    """
    if not arrays:
        raise TypeError("str.join_element_wise: needs at least one array")
    output = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}

    def action(layouts, **context):
        several = layouts if isinstance(layouts, tuple | list) else (layouts,)
        if not all(map(is_text, several)):
            return None
        out = through_arrow("binary_join_element_wise", *several)
        return out if several is not layouts else (out,)

    rows = partial(join_element_wise, **output)
    return walked("join_element_wise", action, *arrays, rows=rows, **output)
