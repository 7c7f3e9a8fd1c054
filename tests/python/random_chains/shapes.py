# What a value of a chain is, as the choice of the next call asks: its lists, items and rows.
from dataclasses import dataclass, field

import awkward
import numpy as np

MANTISSA = {"float16": 11, "float32": 24, "float64": 52, "complex64": 24, "complex128": 52}


@dataclass
class Shape:
    text: str
    depth: int = 0  # levels of lists, axis 0 is one; 0: a single value
    sizes: list = field(default_factory=list)  # of the lists below axis 0: "var" or a number
    options: list = field(default_factory=list)  # which of these lists may be missing
    leaf: str = ""  # a dtype, or string, record, union, unknown
    missing: bool = False  # may items be missing?
    fields: dict = field(default_factory=dict)
    rows: int = 0

    @property
    def number(self):
        return self.leaf not in ("string", "record", "union", "unknown") and self.leaf[:4] != "date"

    @property
    def integer(self):
        return self.number and np.dtype(self.leaf).kind in "iub"

    @property
    def signed(self):
        return self.number and np.dtype(self.leaf).kind in "if"

    @property
    def optional(self):
        return self.missing or any(self.options)


def shape_of(value):
    if isinstance(value, awkward.Array):
        out = _walk(value.type.content, Shape(str(value.type.content), depth=1))
        out.rows = len(value)
        return out
    leaf = value.dtype.name if isinstance(value, np.generic | np.ndarray) else "union"
    return Shape(leaf, leaf=leaf)


def _walk(t, out):
    types, option = awkward.types, False
    while isinstance(t, types.OptionType):
        t, option = t.content, True
    if isinstance(t, types.ListType | types.RegularType) and not t.parameters.get("__array__"):
        out.depth += 1
        out.sizes.append(t.size if isinstance(t, types.RegularType) else "var")
        out.options.append(option)
        return _walk(t.content, out)
    out.missing = option
    if isinstance(t, types.NumpyType):
        out.leaf = t.primitive
    elif isinstance(t, types.RecordType):
        out.leaf = "record"
        names = [str(i) for i in range(len(t.contents))] if t.is_tuple else t.fields
        out.fields = {
            n: _walk(c, Shape(str(c), depth=out.depth))
            for n, c in zip(names, t.contents, strict=True)
        }
    elif isinstance(t, types.UnionType):
        out.leaf = "union"
    else:
        out.leaf = "unknown" if isinstance(t, types.UnknownType) else "string"
    return out
