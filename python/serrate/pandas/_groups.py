"""Groups of rows: equal values, reducers of each group."""

import numpy as np

from serrate import _core

_REDUCERS = {
    **{name: name for name in ("sum", "prod", "min", "max", "mean", "std", "var")},
    **{name: name for name in ("any", "all", "count", "median")},
}
_KNOWN = ("ddof",)


def options(kwargs):
    return {k: v for k, v in kwargs.items() if k in _KNOWN}


def reducer(name):
    if name not in _REDUCERS:
        raise TypeError(f"nested columns have no {name!r}; see the accessor .ak")
    return getattr(_core, _REDUCERS[name])


def hashable(x):
    """Nested lists and dicts as tuples."""
    if isinstance(x, list):
        return tuple(map(hashable, x))
    if isinstance(x, tuple):
        return ("tuple", *map(hashable, x))
    if isinstance(x, dict):
        return ("dict", *((k, hashable(v)) for k, v in x.items()))
    return x


def codes(values, use_na_sentinel):
    """The number of each value among the distinct ones, in order, and where these come first."""
    known, first = {}, []
    out = np.empty(len(values), np.intp)
    for i, x in enumerate(values):
        if x is None and use_na_sentinel:
            out[i] = -1
            continue
        key = hashable(x)
        if key not in known:
            known[key] = len(first)
            first.append(i)
        out[i] = known[key]
    return out, np.array(first, np.intp)


def places(values):
    """Where each value stands in the lexicographic order of lists; TypeError if they have none."""
    keys = [hashable(x) for x in values]
    order = {key: i for i, key in enumerate(sorted({key for key in keys if key is not None}))}
    return np.array([order.get(key, -1) for key in keys], np.int64)


def aggregated(column, how, groups, ids, kwargs):
    """One value a group, of the rows whose ids are the group's number; -1 is no group."""
    order = np.argsort(ids, kind="stable")
    order = order[np.searchsorted(ids[order], 0) :]
    counts = np.bincount(ids[order], minlength=groups)
    rows = _core.unflatten(column.array[order], counts)
    if how in ("first", "last"):
        there = _core.drop_none(rows, axis=1)
        picked = _core.pad_none(there if how == "first" else there[:, ::-1], 1, axis=1)[:, 0]
        return type(column)(picked)
    if how == "count":
        return np.asarray(_core.sum(~_core.is_none(rows, axis=1), axis=1))
    if how == "size":
        return counts
    return type(column)(reducer(how)(rows, axis=1, **options(kwargs)))
