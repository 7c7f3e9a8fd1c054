"""Axes of histograms, with boost-histogram's names: Regular, Variable, Integer, Boolean, ...

>>> from serrate import axis
>>> axis.Regular(4, 0, 2).edges.tolist()
[0.0, 0.5, 1.0, 1.5, 2.0]
"""

from dataclasses import dataclass

import numpy as np

# What the loops of the library read of any axis; _core has a function for each kind.
_TRANSFORMS = {"": None, "log": np.log, "sqrt": np.sqrt, "pow": np.power}


@dataclass(frozen=True)
class Traits:
    """UHI's traits, and which flow bins there are."""

    circular: bool
    discrete: bool
    underflow: bool
    overflow: bool


class _Axis:
    """Bins of an axis by UHI's protocol; subclasses are dataclasses of its numbers, with edges."""

    circular = False

    @property
    def traits(self) -> Traits:
        return Traits(self.circular, self.kind in _DISCRETE, self.underflow, self.overflow)

    @property
    def extent(self) -> int:
        """Bins with underflow and overflow."""
        return len(self) + self.underflow + self.overflow

    @property
    def centers(self) -> np.ndarray:
        return (self.edges[:-1] + self.edges[1:]) / 2

    @property
    def widths(self) -> np.ndarray:
        return np.diff(self.edges)

    def __len__(self) -> int:
        return len(self.edges) - 1

    def __getitem__(self, i):
        """(lower, upper) edge of a bin, or its value."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"bin {i} of an axis with {len(self)} bins")
        i %= len(self)
        return (float(self.edges[i]), float(self.edges[i + 1]))

    def __iter__(self):
        return (self[i] for i in range(len(self)))


_DISCRETE = ("integer", "category", "text")


@dataclass(frozen=True)
class Regular(_Axis):
    """Bins of equal width over [start, stop); with `transform` equal in that of the value.

    transform is "log", "sqrt" or ("pow", exponent); a circular axis wraps values around.
    """

    bins: int
    start: float
    stop: float
    underflow: bool = True
    overflow: bool = True
    circular: bool = False
    transform: str = ""
    power: float = 1.0
    exact: tuple = ()  # edges that decide where rounding would: NumPy's rule
    metadata: object = None
    kind = "regular"

    def __post_init__(self):
        transform = self.transform or ""
        if isinstance(transform, tuple):
            transform, power = transform
            object.__setattr__(self, "power", float(power))
        if transform not in _TRANSFORMS:
            raise ValueError(f"Regular: no transform {transform!r}; there are log, sqrt and pow")
        object.__setattr__(self, "transform", transform)
        if self.circular:
            object.__setattr__(self, "underflow", False)

    @property
    def edges(self) -> np.ndarray:
        if len(self.exact):
            return np.asarray(self.exact)
        if not self.transform:
            return np.linspace(self.start, self.stop, self.bins + 1)
        power = (self.power,) if self.transform == "pow" else ()
        f = _TRANSFORMS[self.transform]
        inverse = {"log": np.exp, "sqrt": np.square, "pow": lambda z: z ** (1 / self.power)}
        ends = (f(self.start, *power), f(self.stop, *power))
        return inverse[self.transform](np.linspace(*ends, self.bins + 1))

    def __len__(self) -> int:
        return self.bins


@dataclass(frozen=True)
class Variable(_Axis):
    """Bins between neighbouring edges, which ascend."""

    edges: tuple
    underflow: bool = True
    overflow: bool = True
    metadata: object = None
    kind = "variable"

    def __post_init__(self):
        object.__setattr__(self, "edges", np.array(self.edges, float))

    def __eq__(self, other) -> bool:
        return isinstance(other, Variable) and (
            np.array_equal(self.edges, other.edges)
            and (self.underflow, self.overflow) == (other.underflow, other.overflow)
        )

    __hash__ = None


@dataclass(frozen=True)
class Integer(_Axis):
    """A bin for each integer of [start, stop)."""

    start: int
    stop: int
    underflow: bool = True
    overflow: bool = True
    metadata: object = None
    kind = "integer"

    @property
    def edges(self) -> np.ndarray:
        return np.arange(self.start, self.stop + 1)

    def __len__(self) -> int:
        return self.stop - self.start

    def __getitem__(self, i) -> int:
        return super().__getitem__(i)[0].__trunc__()


class Boolean(Integer):
    """False and True."""

    def __init__(self, *, metadata: object = None):
        super().__init__(0, 2, False, False, metadata)


class _Category(_Axis):
    underflow = False

    @property
    def edges(self) -> np.ndarray:
        return np.arange(len(self.categories) + 1)

    def __getitem__(self, i):
        super().__getitem__(i)
        return self.categories[i]


@dataclass(frozen=True)
class IntCategory(_Category):
    """A bin for each of these integers, and one for all others."""

    categories: tuple
    overflow: bool = True
    metadata: object = None
    kind = "category"

    def __post_init__(self):
        object.__setattr__(self, "categories", tuple(int(c) for c in self.categories))


@dataclass(frozen=True)
class StrCategory(_Category):
    """A bin for each of these strings, and one for all others."""

    categories: tuple
    overflow: bool = True
    metadata: object = None
    kind = "text"

    def __post_init__(self):
        object.__setattr__(self, "categories", tuple(str(c) for c in self.categories))


def to_boost(axis):
    """The same axis of boost-histogram."""
    import boost_histogram as bh

    flow = {"underflow": axis.underflow, "overflow": axis.overflow, "metadata": axis.metadata}
    match axis.kind:
        case "regular" if len(axis.exact):
            return bh.axis.Variable(axis.edges, **flow)
        case "regular":
            transform = None
            if axis.transform == "pow":
                transform = bh.axis.transform.Pow(axis.power)
            elif axis.transform:
                transform = getattr(bh.axis.transform, axis.transform)
            flow |= {"underflow": True, "circular": True} if axis.circular else {}
            return bh.axis.Regular(axis.bins, axis.start, axis.stop, transform=transform, **flow)
        case "variable":
            return bh.axis.Variable(axis.edges, **flow)
        case "integer":
            if isinstance(axis, Boolean):
                return bh.axis.Boolean(metadata=axis.metadata)
            return bh.axis.Integer(axis.start, axis.stop, **flow)
    category = bh.axis.IntCategory if axis.kind == "category" else bh.axis.StrCategory
    return category(axis.categories, overflow=axis.overflow, metadata=axis.metadata)


def from_boost(axis):
    """The same axis as one of these; None for kinds that grow or wrap around in other ways."""
    name, traits = type(axis).__name__, axis.traits
    if traits.growth or (traits.circular and name != "Regular"):
        return None
    flow = {"underflow": traits.underflow, "overflow": traits.overflow}
    if name == "Regular":
        transform = axis.transform
        if transform is not None:
            transform = repr(transform)
            if transform.startswith("pow("):
                transform = ("pow", float(transform[4:-1]))
            elif transform not in _TRANSFORMS:
                return None
        ends = (axis.edges[0], axis.edges[-1])
        return Regular(
            len(axis),
            *map(float, ends),
            circular=traits.circular,
            transform=transform or "",
            **flow,
        )
    if name == "Variable":
        return Variable(axis.edges, **flow)
    if name in ("Integer", "Boolean"):
        return Integer(int(axis.edges[0]), int(axis.edges[-1]), **flow)
    if name in ("IntCategory", "StrCategory"):
        category = IntCategory if name == "IntCategory" else StrCategory
        return category(tuple(axis), overflow=traits.overflow)
    return None
