"""Sets of strings."""

from functools import partial

from serrate._layouts import to_layout
from serrate._transform import joined_attrs
from serrate.str._arrow import is_optional_text, is_text, through_arrow, values_in_arrow, walked


def is_in(array, value_set, *, skip_nones=False, highlevel=True, behavior=None, attrs=None):
    """Is the string one of value_set? A missing one is if value_set has one, unless skip_nones.

    >>> is_in([["a", "b"], ["c"]], ["a", "c"])
    <Array [[True, False], [True]] type='2 * var * bool'>
    """
    attrs = joined_attrs((array, value_set)) if attrs is None else attrs
    output = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}
    given = {"value_set": value_set, "skip_nones": skip_nones}
    action = _looked_up("is_in", **given, options=False)
    return walked("is_in", action, array, rows=partial(is_in, **given, **output), **output)


def index_in(array, value_set, *, skip_nones=False, highlevel=True, behavior=None, attrs=None):
    """The position of the string in value_set, missing where it is not there.

    >>> index_in([["a", "b"], ["c"]], ["a", "c"])
    <Array [[0, None], [1]] type='2 * var * ?int32'>
    """
    attrs = joined_attrs((array, value_set)) if attrs is None else attrs
    output = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}
    given = {"value_set": value_set, "skip_nones": skip_nones}
    action = _looked_up("index_in", **given, options=True)
    return walked("index_in", action, array, rows=partial(index_in, **given, **output), **output)


def _looked_up(name, value_set, skip_nones, options):
    values = to_layout(value_set, allow_record=False)
    if not is_optional_text(values):
        raise TypeError(f"str.{name}: value_set must be a flat array of strings")
    given = {"value_set": values_in_arrow(values), "skip_nulls": skip_nones}

    def action(layout, **context):
        if not is_optional_text(layout):
            return None
        return through_arrow(name, layout, options=options, **given)

    return action


def to_categorical(array, *, highlevel=True, behavior=None, attrs=None):
    """Strings as categoricals.

    >>> to_categorical(["a", "b", "a"])
    <Array ['a', 'b', 'a'] type='3 * categorical[type=string]'>
    """
    output = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}

    def action(layout, **context):
        return through_arrow("dictionary_encode", layout) if is_text(layout) else None

    rows = partial(to_categorical, **output)
    return walked("to_categorical", action, array, rows=rows, **output)
