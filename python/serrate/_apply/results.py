"""What a compiled function gives: numbers, tuples or records, each of which may be missing."""

from dataclasses import dataclass, field

from serrate import _core
from serrate._apply.numba import numba


@dataclass
class Shape:
    """kind: "number", "tuple" or "record"; parts: (type of Numba's, may be missing, field) each.
    Tuples and records inside, which functions of lists may give, have a Shape as their type."""

    kind: str
    parts: list = field(default_factory=list)
    may_be_missing: bool = False

    @property
    def results(self):
        """As the module takes them; of what is nested the description."""
        return [(_said(t), missing, name) for t, missing, name in self.parts]

    @property
    def description(self):
        """What `read` reads."""
        return {"results": self.results, "shape": self.kind, "may_be_missing": self.may_be_missing}

    def outputs(self):
        """Names of dtypes, one an output."""
        out = []
        for t, missing, _ in self.parts:
            out += t.outputs() if isinstance(t, Shape) else [dtype_name(t)] + ["bool"] * missing
        return out + ["bool"] * self.may_be_missing

    def array(self, outs):
        """The outputs, arrays, as numbers, tuples or records, masked where they are missing."""
        outs = list(outs)
        whole = outs.pop() if self.may_be_missing else None
        parts = []
        for t, missing, _ in self.parts:
            if isinstance(t, Shape):
                count = len(t.outputs())
                parts.append(t.array(outs[:count]))
                del outs[:count]
                continue
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
        if isinstance(name, dict):
            return read(name), missing, field
        return types.boolean if name == "bool" else getattr(types, name), missing, field

    parts = [part(*x) for x in description["results"]]
    return Shape(description["shape"], parts, description["may_be_missing"])


def dtype_name(t):
    """NumPy's name of a type of Numba's."""
    return "bool" if t == numba().types.boolean else str(t)


def _said(t):
    return t.description if isinstance(t, Shape) else dtype_name(t)


def shape_of(t, name):
    """The Shape of a result of type t; TypeError for what no array has as items."""
    return _Shapes(name, 'return {"x": x}', 1).of(t, "other")


def shape_of_lists(t, name):
    """The same of functions of lists, which may give tuples of tuples."""
    return _Shapes(name, 'return {"x": x}').of(t, "other")


def shape_of_yielded(t, name, names):
    """Of what generators yield, with the names that yielded.py found."""
    return _Shapes(name, 'yield {"x": x}').of(t, names)


class _Shapes:
    def __init__(self, name, dicts, depth=100):
        self.name, self.dicts, self.depth = name, dicts, depth

    def of(self, t, names, depth=0):
        types = numba().types
        if isinstance(t, types.Optional):
            inner = self.of(t.type, names, depth)
            if inner.kind == "number":
                inner.parts = [(inner.parts[0][0], True, "")]
            else:
                inner.may_be_missing = True
            return inner
        if not isinstance(t, types.BaseTuple) or depth >= self.depth:
            return Shape("number", [(*self._number(t), "")])
        if len(t) == 0:
            raise TypeError(f"{self.name}: gives an empty tuple")
        fields = ()
        if isinstance(names, dict):
            fields, names = tuple(names), list(names.values())
        elif isinstance(t, types.BaseNamedTuple):
            fields = t.fields
        inner = names if isinstance(names, list) else ["other"] * len(t)
        parts = [
            (*self._part(x, n, depth + 1), field)
            for x, n, field in zip(t, inner, fields or [""] * len(t), strict=True)
        ]
        return Shape("record" if fields else "tuple", parts)

    def _part(self, t, names, depth):
        found = self.of(t, names, depth)
        return found.parts[0][:2] if found.kind == "number" else (found, False)

    def _number(self, t):
        types = numba().types
        t = types.unliteral(t)
        if not isinstance(t, types.Number | types.Boolean):
            said = "nothing but None" if isinstance(t, types.NoneType) else str(t)
            raise TypeError(
                f"{self.name}: gives {said}; items are numbers, booleans, None, tuples, "
                f"namedtuples and dicts that are written where they are given: {self.dicts}"
            )
        return t, False
