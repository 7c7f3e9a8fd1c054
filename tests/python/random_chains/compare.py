# Results as flat columns of NumPy, so that large ones are compared and hashed fast.
import hashlib

import awkward
import numpy as np
from conftest import plain, same_values, type_text

import serrate as ak
from random_chains.reference import Values

TOLERANCE = {"float16": 2e-2, "float32": 1e-3, "complex64": 1e-3}


def theirs(value):
    """A value of ours as Awkward's, with offsets and indexes of 64 bits."""
    if isinstance(value, ak.Array):
        return awkward.Array(wide(ak.to_awkward(ak.to_backend(value, "cpu")).layout))
    if isinstance(value, ak.Record):
        return ak.to_awkward(ak.to_backend(value, "cpu"))
    return value


def wide(x):
    """Awkward has no kernels for some operations on lists of 32 bits."""
    c = awkward.contents
    if isinstance(x, c.ListArray | c.ListOffsetArray):
        x = x.to_ListOffsetArray64(True)
        return c.ListOffsetArray(x.offsets, wide(x.content), parameters=x.parameters)
    if isinstance(x, c.RegularArray):
        return c.RegularArray(wide(x.content), x.size, x.length, parameters=x.parameters)
    if isinstance(x, c.RecordArray):
        parts = [wide(p) for p in x.contents]
        return c.RecordArray(parts, x._fields, x.length, parameters=x.parameters)
    if isinstance(x, c.UnionArray):
        parts = [wide(p) for p in x.contents]
        where = awkward.index.Index64(np.asarray(x.index.data, "int64"))
        return c.UnionArray(x.tags, where, parts, parameters=x.parameters)
    if isinstance(x, c.UnmaskedArray):
        return c.UnmaskedArray(wide(x.content), parameters=x.parameters)
    if x.is_option:
        x = x.to_IndexedOptionArray64()
        return c.IndexedOptionArray(x.index, wide(x.content), parameters=x.parameters)
    if x.is_indexed:
        where = awkward.index.Index64(np.asarray(x.index.data, "int64"))
        return c.IndexedArray(where, wide(x.content), parameters=x.parameters)
    return x


def columns(x):
    """What a layout holds, as arrays that are equal for equal values."""
    c = awkward.contents
    if isinstance(x, c.EmptyArray):
        return []
    if x.is_option:
        valid = x.mask_as_bool(valid_when=True)
        return [valid, *columns(x.project())]
    if x.is_indexed:
        return columns(x.project())
    if isinstance(x, c.ListArray | c.ListOffsetArray):
        x = x.to_ListOffsetArray64(True)
        offsets = np.asarray(x.offsets.data)
        return [np.diff(offsets), *columns(x.content[: offsets[-1]])]
    if isinstance(x, c.RegularArray):
        return columns(x.content[: x.length * x.size])
    if isinstance(x, c.RecordArray):
        return [a for p in x.contents for a in columns(p[: x.length])]
    if isinstance(x, c.UnionArray):
        return columns_of_union(x)
    return [np.asarray(x.data).reshape(-1)]


def columns_of_union(x):
    """Any member may hold what is missing."""
    tags = np.asarray(x.tags.data)
    valid, out = np.ones(len(tags), bool), []
    for k in range(len(x.contents)):
        member = x.project(k)
        if member.is_option:
            valid[tags == k] = member.mask_as_bool(valid_when=True)
            member = member.project()
        out += columns(member)
    return [valid, tags[valid], *out]


class Held:
    """A value of ours or Awkward's: its type as text and columns, or its plain value, once."""

    def __init__(self, value):
        self.value = value
        if isinstance(value, ak.Array):
            self.awkward = theirs(value)
            self.type, self.columns = str(value.type), columns(self.awkward.layout)
        elif isinstance(value, awkward.Array):
            self.awkward, self.type = value, str(value.type)
            self.columns = columns(value.layout)
        else:
            self.awkward = theirs(value)
            self.type, self.columns = type_text(value), None

    def too_long(self):
        """Does it hold floating-point numbers that sums would round?"""
        for p in self.columns or ():
            if p.dtype.kind == "f" and len(p):
                with np.errstate(all="ignore"):
                    most = np.max(np.abs(p), where=np.isfinite(p), initial=0)
                if most > {2: 2**7, 4: 2**20}.get(p.dtype.itemsize, 2**45):
                    return True
        return False


def difference(a, b, exact=True, types=True, zeros=True):
    """None, or what differs between two held values, in words."""
    if isinstance(b.value, Values):
        ours = plain(a.value)
        return None if same_values(_loose(ours), _loose(b.value.values), 1e-9) else "values"
    if types and a.type != b.type:
        return f"types: {a.type} and {b.type}"
    if a.columns is None or b.columns is None:
        x, y = plain(a.value), plain(b.value)
        if isinstance(x, str | bool | int) and isinstance(y, str | bool | int):
            return None if x == y else "values"
        return None if same_values(x, y, 0 if exact else _rtol(a.type)) else "values"
    if len(a.columns) != len(b.columns):
        return "values (columns)"
    for p, q in zip(a.columns, b.columns, strict=True):
        if not _same(p, q, exact, zeros):
            return "values"
    return None


def _loose(v):
    """Numbers as floats: an oracle in plain Python has no types."""
    if isinstance(v, list | tuple):
        return [_loose(i) for i in v]
    if isinstance(v, bool | int | float):
        return float(v) + 0.0
    return v


def _rtol(text):
    text = str(text)
    return max([t for name, t in TOLERANCE.items() if name in text] or [1e-6])


def _same(p, q, exact, zeros):
    if len(p) != len(q) or p.dtype != q.dtype:
        return False
    if p.dtype.kind not in "fc":
        return bool(np.array_equal(p, q))
    if exact and np.array_equal(p, q, equal_nan=True):
        if not zeros or p.dtype.kind == "c":
            return True
        nan = np.isnan(p)
        return bool(np.array_equal(np.signbit(p[~nan]), np.signbit(q[~nan])))
    if exact:
        return False
    rtol = TOLERANCE.get(p.dtype.name, 1e-6)
    with np.errstate(all="ignore"):
        near = np.isclose(p, q, rtol=rtol, atol=rtol, equal_nan=True)
    return bool(near.all())


def digest(held):
    """A short text that is the same for the same type and bits."""
    h = hashlib.blake2b(str(held.type).encode())
    if held.columns is None:
        h.update(repr(plain(held.value)).encode())
    for p in held.columns or ():
        if p.dtype.kind in "fc":
            p = np.where(np.isnan(p), np.array(np.nan, p.dtype), p)
        h.update(np.ascontiguousarray(p).tobytes())
        h.update(b"|")
    return h.hexdigest()[:16]
