# Awkward's functions, and plain Python's where Awkward has none or another answer: what stands for
# `ak` in the source of a step when it is checked. What neither answers is NoReference, with why.
import operator

import awkward
import numpy as np
from nestings import _along as along
from nestings import _in_place as in_place
from nestings import scanned
from ordering import is_nan, order

from random_chains.shapes import shape_of

MOST = 20_000  # items for plain Python


class NoReference(Exception):
    """There is no answer to compare with; the text is the reason, which is counted."""


class Values:
    """Nested lists without a type."""

    def __init__(self, values):
        self.values = values


class Reference:
    def __getattr__(self, name):
        if name in OWN:
            return OWN[name]
        if not hasattr(awkward, name):
            raise NoReference(f"{name}: not in Awkward")
        f = getattr(awkward, name)

        def of_arrays(*args, **options):
            given = [x for a in args for x in (a if isinstance(a, (list, tuple)) else [a])]
            if any(isinstance(x, Values) for x in given):
                raise NoReference(f"{name}: of lists without a type")
            return f(*args, **options)

        return of_arrays if callable(f) else f


def _plain(x, why):
    """Nested lists, if they are few."""
    if not isinstance(x, awkward.Array):
        raise NoReference(f"{why}: of a single value")
    if x.layout.nbytes > 16 * MOST or len(x) > MOST or "union" in str(x.type):
        raise NoReference(f"{why}: too large for plain Python")
    return awkward.to_list(x)


def _axis(x, axis):
    depth = shape_of(x).depth
    axis = axis + depth if axis < 0 else axis
    if not 0 <= axis < depth:
        raise ValueError(f"axis {axis} of {depth}")
    return axis, depth


def _has_nan(x):
    if shape_of(x).leaf[:5] not in ("float", "compl"):
        return False
    return bool(awkward.any(np.isnan(awkward.drop_none(awkward.ravel(x)))))


def _ordered(x, axis, ascending, positions):
    axis, depth = _axis(x, axis)
    why = "argsort" if positions else "sort"
    s = shape_of(x)
    if any(s.options[axis + 1 :]):
        raise NoReference(f"{why}: missing lists below others")
    moved = axis < depth - 1 and s.options[axis]

    def places(rows):
        at = order([v for _, v in rows], ascending)
        return {rows[k][0]: rows[i][0] if positions else rows[i][1] for k, i in enumerate(at)}

    return Values(_moved(in_place(_plain(x, why), axis, depth - 1, places), axis if moved else -1))


def _moved(values, axis):
    """Missing lists go to the end of an axis."""
    if axis < 0 or values is None:
        return values
    if axis > 0:
        return [_moved(v, axis - 1) for v in values]
    return [v for v in values if v is not None] + [None for v in values if v is None]


def _outer(x, axis):
    """Is this an axis whose lists Awkward counts or moves in its own way?"""
    axis, depth = _axis(x, axis)
    s = shape_of(x)
    return axis != depth - 1 and ("var" in s.sizes[axis:] or any(s.options[axis:]))


def _odd_items(x):
    return _has_nan(x) or (shape_of(x).leaf == "string" and shape_of(x).missing)


def sort(x, axis=-1, ascending=True, stable=True):
    # Awkward mixes up the lists behind missing ones.
    if _odd_items(x) or any(shape_of(x).options):
        return _ordered(x, axis, ascending, False)
    return awkward.sort(x, axis=axis, ascending=ascending, stable=True)


def argsort(x, axis=-1, ascending=True, stable=True):
    if _odd_items(x) or _outer(x, axis) or any(shape_of(x).options):
        return _ordered(x, axis, ascending, True)
    return awkward.argsort(x, axis=axis, ascending=ascending, stable=True)


def _extreme(name, better):
    def reduce(x, axis=None, keepdims=False, mask_identity=True):
        theirs = getattr(awkward, name)
        if axis is None or not isinstance(x, awkward.Array) or not _outer(x, axis):
            return theirs(x, axis=axis, keepdims=keepdims, mask_identity=mask_identity)
        s = shape_of(x)
        if any(s.options) and s.sizes != ["var"] * len(s.sizes):
            raise NoReference(f"{name}: positions of missing regular lists")
        if s.rows == 0:
            raise NoReference(f"{name}: sizes of regular lists of no rows")
        if keepdims or not mask_identity or not s.number or _has_nan(x):
            raise NoReference(f"{name}: positions along an outer axis")
        at, depth = _axis(x, axis)

        def best(rows):
            rows = [(i, v) for i, v in rows if v is not None]
            found = None
            for i, v in rows:
                if found is None or better(v, found[1]):
                    found = (i, v)
            return None if found is None else found[0]

        out = along(_plain(x, name), at, depth - 1 - at, best) if at == 0 else None
        if out is None:
            raise NoReference(f"{name}: positions along a middle axis")
        return Values(out)

    return reduce


def _scan(f):
    def scan(x, axis=-1):
        at, depth = _axis(x, axis)
        if shape_of(x).leaf in ("bool", "float16") or _has_nan(x):
            raise NoReference("scan: of booleans, float16 or NaN")
        values = _plain(x, "scan")
        # int64 wraps; numbers of Python do not.
        top = 2**62 // (MOST * 2)
        if shape_of(x).integer and awkward.any(abs(awkward.ravel(x)) > np.int64(top)):
            raise NoReference("scan: numbers that may wrap")
        return Values(in_place(values, at, depth - 1, scanned(f)))

    return scan


def isin(x, values, axis=None, invert=False):
    if not isinstance(values, list) or axis is not None or invert:
        raise NoReference("isin: among an array")
    return awkward.Array(np.zeros(0)) if x is None else Values(_each(_plain(x, "isin"), values))


def _each(v, values):
    if isinstance(v, list):
        return [_each(i, values) for i in v]
    if v is None:
        raise NoReference("isin: of missing items")
    return v in values


def unique(x, axis=-1):
    at, depth = _axis(x, axis)
    if at != depth - 1 or shape_of(x).optional or _has_nan(x):
        raise NoReference("unique: along an outer axis, of options or NaN")

    def walk(v, level):
        return sorted(set(v)) if level == 1 else [walk(i, level - 1) for i in v]

    return Values(walk(_plain(x, "unique"), depth))


def median(x, axis=None):
    at, depth = _axis(x, axis)
    if at != depth - 1 or shape_of(x).optional or _has_nan(x):
        raise NoReference("median: along an outer axis, of options or NaN")

    def walk(v, level):
        if level > 1:
            return [walk(i, level - 1) for i in v]
        return float(np.median(np.array(v, "float64"))) if v else np.nan

    return Values(walk(_plain(x, "median"), depth))


def num(x, axis=1):
    result = awkward.num(x, axis=axis)
    return np.int64(result) if not isinstance(result, awkward.Array) else result


def copy(x):
    return x


def drop_none(x, axis=None):
    if axis is not None and any(mark in shape_of(x).text for mark in "({"):
        raise NoReference("drop_none: Awkward counts no axis inside of records")
    if axis is not None:
        at, _ = _axis(x, axis)
        s = shape_of(x)
        # Awkward drops along the next axis where the lists at this one are no options.
        if not [*s.options, s.missing][at] and any([*s.options, s.missing][at + 1 :]):
            return x
    return awkward.drop_none(x, axis=axis)


def run_lengths(x):
    if shape_of(x).optional or _has_nan(x):
        raise NoReference("run_lengths: of missing items")
    return awkward.run_lengths(x)


def softmax(x, axis=None):
    s = shape_of(x)
    if s.sizes != ["var"] * len(s.sizes) or s.leaf in ("bool", "int8") or s.optional or _has_nan(x):
        raise NoReference("softmax: regular arrays, small types")
    return awkward.softmax(x, axis=axis)


OWN = {
    "sort": sort,
    "argsort": argsort,
    "argmin": _extreme("argmin", operator.lt),
    "argmax": _extreme("argmax", operator.gt),
    "nanargmin": _extreme("nanargmin", operator.lt),
    "nanargmax": _extreme("nanargmax", operator.gt),
    "cumsum": _scan(operator.add),
    "cummax": _scan(max),
    "cummin": _scan(min),
    "isin": isin,
    "unique": unique,
    "median": median,
    "num": num,
    "copy": copy,
    "drop_none": drop_none,
    "run_lengths": run_lengths,
    "softmax": softmax,
}
# Python's NaN of order() is the one of ordering.py.
assert is_nan(float("nan"))
