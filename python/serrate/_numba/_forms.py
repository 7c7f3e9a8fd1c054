"""Forms: nested tuples that say of what buffers the values of a level are made.

("num", dtype), ("time", kind, unit), ("list", width, item, name), ("rec", names, items, name),
("tuple", names, items, name), ("opt", item), ("all", item): an option of which nothing is missing,
("str", width), ("bytes", width), ("cat", dtype, item), ("none",), ("no", type): a union. A width is
the type of offsets or the fixed size of the lists.
"""

import json


def parse(text):
    """The form that this JSON says."""
    return _tuples(json.loads(text))


def _tuples(x):
    return tuple(map(_tuples, x)) if isinstance(x, list) else x


def text(form):
    """The JSON of a form, as C++ writes it."""
    return json.dumps(form, separators=(",", ":"))


def words(form):
    """How many addresses its values need."""
    kind = form[0]
    if kind in ("rec", "tuple"):
        return sum(map(words, form[2])) or 1
    if kind == "list":
        return own_words(form) + words(form[2])
    if kind in ("str", "bytes"):
        return own_words(form) + 1
    if kind in ("opt", "cat"):
        return 1 + words(form[-1])
    return words(form[1]) if kind == "all" else 1


def own_words(form):
    """How many of them are of its lists."""
    return 0 if isinstance(form[1], int) else 1


def field(form, name):
    """(place among the words, form) of a field of records or tuples; None: there is none."""
    place = 0
    for key, item in zip(form[1], form[2], strict=True):
        if key == name:
            return place, item
        place += words(item)
    return None
