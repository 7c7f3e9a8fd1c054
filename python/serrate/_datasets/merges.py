"""What a reduction gives of a partition, how such parts are joined in a fixed tree, and the
result."""

import functools
import math
import operator

import numpy as np

from serrate import _core

FAN = 8  # parts that are joined at once


class Tree:
    """Joins parts that come in order: eight neighbours at a time, so that the result depends on
    their number alone, not on who computed what when."""

    def __init__(self, merge):
        self._merge, self._levels = merge, []

    def add(self, part, level=0):
        if level == len(self._levels):
            self._levels.append([])
        parts = self._levels[level]
        parts.append(part)
        if len(parts) == FAN:
            self._levels[level] = []
            self.add(self._merge.combine(parts), level + 1)

    def result(self):
        """The whole, or None if there were no parts."""
        carried = []
        for parts in self._levels:
            parts += carried
            carried = [parts[0] if len(parts) == 1 else self._merge.combine(parts)] if parts else []
        return carried[0] if carried else None


class Fold:
    """A reducer over axis 0 or everything, as reduction of what it gives of each partition."""

    _AGAIN = {"count": "sum", "count_nonzero": "sum", "nansum": "sum", "nanprod": "prod"}
    _AGAIN |= {"nanmin": "min", "nanmax": "max"}

    def __init__(self, name, everything, flat, options):
        self.name, self.everything = name, everything or flat
        self.keepdims = options.pop("keepdims", False)
        self.initial = options.pop("initial", None)
        self.options = options

    def partial(self, x, where=None):
        how = self.options if where is None else self.options | {"where": where}
        f = getattr(_core, self.name)
        if self.everything:
            return f(x, axis=None, keepdims=True, **how)
        return f(x, axis=0, **how)[np.newaxis]

    def _again(self, parts, **how):
        f = getattr(_core, self._AGAIN.get(self.name, self.name))
        axis = None if self.everything else 0
        return f(parts, axis=axis, **self.options, **how)

    def combine(self, parts):
        joined = _core.concatenate(parts)
        if self.everything:
            return _core.materialize(self._again(joined, keepdims=True))
        return _core.materialize(self._again(joined)[np.newaxis])

    def finish(self, part, example):
        how = {} if self.initial is None else {"initial": self.initial}
        out = self._again(part, keepdims=self.keepdims, **how)
        if not self.keepdims or self.everything:
            return out
        said = getattr(_core, self.name)(example, axis=0, keepdims=True, **self.options, **how)
        is_regular = type(_core.type(said).content).__name__ == "RegularType"
        return out if is_regular else _core.from_regular(out, axis=1)


class Moments:
    """mean, var and std of everything, from (number, mean, sum of squared deviations): Chan, Golub,
    LeVeque 1979."""

    def __init__(self, name, options):
        self.name, self.options = name, options
        self.ddof = options.get("ddof", 0)

    def partial(self, x):
        n = int(_core.count(x, axis=None))
        if n == 0:
            return 0, 0.0, 0.0
        x = _core.values_astype(x, np.float64)
        mean = float(_core.mean(x, axis=None))
        if self.name == "mean":
            return n, mean, 0.0
        return n, mean, n * float(_core.var(x, axis=None))

    def combine(self, parts):
        return functools.reduce(self._two, parts)

    @staticmethod
    def _two(a, b):
        if a[0] == 0 or b[0] == 0:
            return b if a[0] == 0 else a
        n, apart = a[0] + b[0], b[1] - a[1]
        mean = a[1] + apart * b[0] / n
        return n, mean, a[2] + b[2] + apart * apart * a[0] * b[0] / n

    def finish(self, part, example):
        empty = getattr(_core, self.name)(example, axis=None, **self.options)
        n, mean, squares = part
        if n == 0:
            return empty
        kind = _core.type(
            getattr(_core, self.name)(example, axis=None, keepdims=True, **self.options)
        )
        kind = str(kind).rpartition(" ")[2].lstrip("?")
        if self.name != "mean":
            divisor = n - self.ddof
            squares = squares / divisor if divisor > 0 else math.nan if squares == 0 else math.inf
            mean = squares if self.name == "var" else math.sqrt(squares)
        return np.dtype(kind).type(mean)


class Best:
    """argmin and argmax of flat numbers: the first best one of those of the partitions."""

    def __init__(self, name, options):
        self.name, self.options = name, options

    def partial(self, x):
        n = len(x)
        if n == 0:
            return None, 0, 0
        i = int(getattr(_core, self.name)(x, axis=None))
        return _core.materialize(x[i : i + 1]), i, n

    def combine(self, parts):
        best, before = None, 0
        values, places = [], []
        for value, i, n in parts:
            if value is not None:
                values.append(value)
                places.append(before + i)
            before += n
        if not values:
            return None, 0, before
        best = int(getattr(_core, self.name)(_core.concatenate(values), axis=None))
        return values[best], places[best], before

    def finish(self, part, example):
        none = getattr(_core, self.name)(example, axis=None, **self.options)
        return none if part[0] is None else np.int64(part[1])


class Again:
    """What of the parts' joined results is the result of the whole: unique, topk."""

    def __init__(self, name, options):
        self.name, self.options = name, options

    def partial(self, x):
        return getattr(_core, self.name)(x, **self.options)

    def combine(self, parts):
        return _core.materialize(self.partial(_core.concatenate(parts)))

    def finish(self, part, example):
        return part


class Counts:
    """value_counts of flat values."""

    def partial(self, x):
        return _core.value_counts(x)

    def combine(self, parts):
        joined = _core.concatenate(parts)
        value, counts = _core.group_by(joined["count"], joined["value"])
        return _core.zip({"value": value, "count": _core.sum(counts, axis=-1)})

    def finish(self, part, example):
        return part


class Sum:
    """What is added up: histograms."""

    def __init__(self, name, args, options):
        self.name, self.args, self.options = name, args, options

    def partial(self, x, weight=None):
        how = self.options if weight is None else self.options | {"weight": weight}
        return getattr(_core, self.name)(x, *self.args, **how)

    def combine(self, parts):
        return _core.materialize(functools.reduce(operator.add, parts))

    def finish(self, part, example):
        return part


class Offsets:
    """Where the rows of each partition begin."""

    def partial(self, x):
        return [len(x)]

    def combine(self, parts):
        return [n for one in parts for n in one]

    def finish(self, part, example):
        return np.cumsum([0, *part])


class Length:
    """How many rows there are."""

    def partial(self, x):
        return len(x)

    def combine(self, parts):
        return sum(parts)

    def finish(self, part, example):
        return np.int64(part)
