"""Columns of forms by name: which there are, and forms with some of them only."""

import itertools
import re
from fnmatch import fnmatchcase

import numpy as np

from serrate._kinds import FORMS


def _is_text(form):
    return form.is_list and form.parameter("__array__") in ("string", "bytestring")


def _branches(form):
    """The forms below, each with the name that a path goes through."""
    if form.is_record or form.is_union:
        return list(zip(form.fields, form._inner, strict=False))
    return [(None, x) for x in form._inner]


def columns(form, path, list_indicator):
    if form.is_numpy:
        return [".".join(path)]
    if form.is_list and list_indicator is not None and not _is_text(form):
        path = (*path, list_indicator)
    out = []
    for name, x in _branches(form):
        out += columns(x, path if name is None else (*path, name), list_indicator)
    return out


def types(form):
    if _is_text(form):
        return ("string",)
    if form.is_numpy:
        return (form._dtype_of("data"),)
    if form.is_unknown:
        return ("empty",)
    return tuple(itertools.chain.from_iterable(types(x) for x in form._inner))


def _alternatives(text):
    """The texts that "a{b,c}" stands for."""
    found = re.search(r"\{([^{}]*)\}", text)
    if not found:
        return [text]
    out = []
    for choice in found[1].split(","):
        out += _alternatives(text[: found.start()] + choice + text[found.end() :])
    return out


def _paths(specifier, expand_braces):
    out = []
    for item in [specifier] if isinstance(specifier, str) else specifier:
        if isinstance(item, str):
            if item == "":
                raise ValueError("a column-selection specifier cannot be an empty string")
            for text in _alternatives(item) if expand_braces else [item]:
                out.append(text.split(".") if text else [])
        elif hasattr(item, "__iter__"):
            path = list(item)
            if not all(isinstance(x, str) for x in path):
                raise ValueError("a sub-column specifier must be a string")
            out.append(path)
        else:
            raise TypeError("a column specifier must be a string or an iterable of strings")
    return out


def _chosen(form, paths):
    """With the fields that some path leads to; below the end of a path all is chosen."""
    if form.is_record:
        kept = []
        for name, x in zip(form.fields, form._inner, strict=True):
            rest = [p[1:] for p in paths if not p or fnmatchcase(name, p[0])]
            if rest:
                whole = any(not p for p in rest)
                kept.append((name, x if whole else _chosen(x, rest)))
        fields = None if form.is_tuple else [name for name, _ in kept]
        return form.copy(contents=[x for _, x in kept], fields=fields)
    if form.is_union:
        return form.copy(contents=[_chosen(x, paths) for x in form._inner])
    return form.copy(content=_chosen(form._inner[0], paths)) if form._inner else form


def _pruned(form, inside):
    """Without records that have lost all their fields."""
    if form.is_record:
        kept = [(n, _pruned(x, True)) for n, x in zip(form.fields, form._inner, strict=True)]
        kept = [(name, x) for name, x in kept if x is not None]
        if not kept and inside:
            return None
        fields = None if form.is_tuple else [name for name, _ in kept]
        return form.copy(contents=[x for _, x in kept], fields=fields)
    if form.is_union:
        kept = [x for x in (_pruned(x, True) for x in form._inner) if x is not None]
        if len(kept) > 1:
            return form.copy(contents=kept)
        if kept:
            return kept[0]
        return None if inside else FORMS["EmptyArray"](form_key=form.form_key)
    if not form._inner:
        return form
    content = _pruned(form._inner[0], inside)
    return None if content is None else form.copy(content=content)


def select(form, specifier, expand_braces, prune):
    out = _chosen(form, _paths(specifier, expand_braces))
    return _pruned(out, False) if prune else out


def keyed(form, numbers=None):
    """With form keys node0, node1 ... from the outermost one down."""
    numbers = itertools.count() if numbers is None else numbers
    key = f"node{next(numbers)}"
    inner = [keyed(x, numbers) for x in form._inner]
    if form.is_record or form.is_union:
        return form.copy(contents=inner, form_key=key)
    return form.copy(content=inner[0], form_key=key) if inner else form.copy(form_key=key)


def zeros(form, length):
    """Buffers of zeros for an array of this keyed form; what may be missing is missing."""
    if form.is_unknown and length > 0:
        raise TypeError("an EmptyForm has no items: there is no array of one")
    below = [length] * len(form._inner)
    filled = dict.fromkeys(form.buffer_types, 0)
    sizes = dict.fromkeys(form.buffer_types, length)
    if form.is_regular:
        below = [length * form.size]
    elif form.is_list:
        below = [0]
        if "offsets" in sizes:
            sizes["offsets"] = length + 1
    elif form.is_option and form.is_indexed:
        filled, below = {"index": -1}, [0]
    elif form.is_indexed:
        below = [min(length, 1)]
    elif form.is_union:
        below = [min(length, 1)] + [0] * (len(below) - 1)
    elif form.is_numpy:
        sizes["data"] = length * int(np.prod(form.inner_shape, dtype=int))
    elif "mask" in sizes and not form.valid_when:
        filled["mask"] = 1
        if hasattr(form, "lsb_order"):
            filled["mask"] = 255
    if hasattr(form, "lsb_order"):
        sizes["mask"] = (length + 7) // 8
    out = {}
    for name in form.buffer_types:
        values = np.full(sizes[name], filled[name], "int64").astype(form._dtype_of(name))
        out[f"{form.form_key}-{name}"] = values
    for x, n in zip(form._inner, below, strict=True):
        out |= zeros(x, n)
    return out
