"""What a compiled function gives: numbers, tuples or records, each of which may be missing."""

from dataclasses import dataclass, field

from serrate import _core
from serrate._apply.numba import numba


@dataclass
class Shape:
    """kind: "number", "tuple" or "record"; parts: (type of Numba's, may be missing, field) each."""

    kind: str
    parts: list = field(default_factory=list)
    may_be_missing: bool = False

    @property
    def results(self):
        """As the module takes them."""
        return [(dtype_name(t), missing, name) for t, missing, name in self.parts]

    def outputs(self):
        """Names of dtypes, one an output."""
        out = []
        for t, missing, _ in self.parts:
            out += [dtype_name(t)] + ["bool"] * missing
        return out + ["bool"] * self.may_be_missing

    def array(self, outs):
        """The outputs, arrays, as numbers, tuples or records, masked where they are missing."""
        outs = list(outs)
        whole = outs.pop() if self.may_be_missing else None
        parts = []
        for _, missing, _ in self.parts:
            value = outs.pop(0)
            parts.append(_core.mask(value, outs.pop(0)) if missing else value)
        if self.kind == "number":
            made = parts[0]
        elif self.kind == "tuple":
            made = _core.zip(tuple(parts), depth_limit=1)
        else:
            names = [name for _, _, name in self.parts]
            made = _core.zip(dict(zip(names, parts, strict=True)), depth_limit=1)
        return made if whole is None else _core.mask(made, whole)


def read(description):
    """The Shape of what is kept on disk of one."""
    types = numba().types

    def part(name, missing, field):
        return types.boolean if name == "bool" else getattr(types, name), missing, field

    parts = [part(*x) for x in description["results"]]
    return Shape(description["shape"], parts, description["may_be_missing"])


def dtype_name(t):
    """NumPy's name of a type of Numba's."""
    return "bool" if t == numba().types.boolean else str(t)


def shape_of(t, name):
    """The Shape of a result of type t; TypeError for what no array has as items."""
    types = numba().types
    if isinstance(t, types.Optional):
        inner = shape_of(t.type, name)
        if inner.kind == "number":
            inner.parts = [(inner.parts[0][0], True, "")]
        else:
            inner.may_be_missing = True
        return inner
    if isinstance(t, types.BaseNamedTuple):
        parts = zip(t.types, t.fields, strict=True)
        return Shape("record", [(*_part(x, name), f) for x, f in parts])
    if isinstance(t, types.BaseTuple):
        if len(t) == 0:
            raise TypeError(f"{name}: gives an empty tuple")
        return Shape("tuple", [(*_part(x, name), "") for x in t])
    return Shape("number", [(*_part(t, name), "")])


def _part(t, name):
    types = numba().types
    missing = isinstance(t, types.Optional)
    t = types.unliteral(t.type if missing else t)
    if not isinstance(t, types.Number | types.Boolean):
        said = "nothing but None" if isinstance(t, types.NoneType) else str(t)
        raise TypeError(
            f"{name}: gives {said}; items are numbers, booleans, None, tuples, namedtuples and "
            'dicts that are written as what is returned: return {"x": x}'
        )
    return t, missing
