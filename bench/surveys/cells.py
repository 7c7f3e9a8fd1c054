"""What the survey calls: arrays of every kind and size, and calls of every public function on them.

The calls come from the functions' own rows (tests/python/rows.py), with each axis where a function
has one; flat arrays have NumPy's functions, operators and updates beside them.
"""

import functools
import inspect
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "python"))
import rows

import serrate as ak

SIZES = (5, 10_000, 1_000_000)
WORDS = ["one", "two", "three", "", "a somewhat longer word"]
# Not about arrays, or they change what others see.
NOT_CALLED = {"from_json", "set_stream", "use_stream", "synchronize", "to_backend", "doctor"}


def ragged(n, content):
    """n lists of about three items, as Awkward's layout."""
    import awkward

    offsets = np.concatenate([[0], np.cumsum(np.random.default_rng(1).poisson(3, n))])
    layout = awkward.contents.ListOffsetArray(
        awkward.index.Index64(offsets), awkward.Array(content(int(offsets[-1]))).layout
    )
    return awkward.Array(layout)


def lists_of(offsets, fields):
    """Lists of records, as Awkward's layout."""
    import awkward
    import awkward.contents as c

    records = c.RecordArray([c.NumpyArray(v) for v in fields.values()], list(fields))
    return awkward.Array(c.ListOffsetArray(awkward.index.Index64(offsets), records))


def missing(content):
    import awkward

    values = awkward.Array(content)
    return awkward.mask(values, np.arange(len(values)) % 7 != 3)


def kinds(n):
    """Awkward's arrays of n lists by kind, made when asked for."""
    import awkward

    rng = np.random.default_rng(2)

    def floats(m):
        return rng.normal(size=m)

    def records(m):
        return awkward.zip({"x": floats(m), "y": rng.integers(0, 9, m)})

    def words(m):
        return awkward.Array(WORDS)[rng.integers(0, len(WORDS), m)]

    return {
        "floats": lambda: ragged(n, floats),
        "float32": lambda: ragged(n, lambda m: floats(m).astype("f4")),
        "ints": lambda: ragged(n, lambda m: rng.integers(0, 100, m)),
        "bools": lambda: ragged(n, lambda m: floats(m) > 0),
        "missing": lambda: ragged(n, lambda m: missing(floats(m))),
        "records": lambda: ragged(n, records),
        "words": lambda: awkward.to_packed(words(n)),
        "deep": lambda: awkward.Array(
            ragged(max(1, n // 3), lambda m: ragged(m, floats)).layout.to_packed()
        ),
        "regular": lambda: awkward.Array(floats(3 * n).reshape(n, 3)),
    }


def public_calls():
    """(text, f(library, x)) of every function that has a row, with each axis."""
    for name in sorted(rows.ROWS):
        f = getattr(ak, name, None)
        if f is None or name in NOT_CALLED or name in rows.OTHERS:
            continue
        parameters = inspect.signature(f).parameters
        try:
            one = rows.call(name)
            one(Nothing(), Nothing())
        except KeyError:
            continue  # an argument that the table of samples does not know
        yield name, one
        if "axis" not in parameters:
            continue
        for axis in (None, 0, 1, -1):
            if axis != parameters["axis"].default:
                yield f"{name} axis={axis}", with_axis(one, axis)


def is_quadratic(text, kind):
    """Tuples of all rows are made."""
    outermost = text.endswith("axis=0") or (kind == "words" and text.endswith("axis=-1"))
    return outermost and ("combinations" in text or "cartesian" in text)


class Nothing:
    """Stands for a library and for an array, while arguments are tried."""

    def __getattr__(self, name):
        return lambda *args, **options: None

    def __gt__(self, other):
        return self


def with_axis(one, axis):
    class Library:
        def __init__(self, lib):
            self.lib = lib

        def __getattr__(self, name):
            return lambda *args, **options: getattr(self.lib, name)(*args, axis=axis, **options)

    return lambda lib, x: one(Library(lib), x)


@functools.cache
def some_rows(size):
    rng = np.random.default_rng(6)
    return rng.random(size) < 0.5, rng.permutation(size)


# (text, f(library, x)): rows and items of lists, by the operators that choose them.
SLICES = [
    ("x[10:]", lambda lib, x: x[10:]),
    ("x[::-1]", lambda lib, x: x[::-1]),
    ("x[::2]", lambda lib, x: x[::2]),
    ("x[mask]", lambda lib, x: x[some_rows(len(x))[0]]),
    ("x[permutation]", lambda lib, x: x[some_rows(len(x))[1]]),
]
ITEMS = [
    ("x[:, :2]", lambda lib, x: x[:, :2]),
    ("x[:, 1:]", lambda lib, x: x[:, 1:]),
    ("x[:, ::-1]", lambda lib, x: x[:, ::-1]),
    ("x[num > 1]", lambda lib, x: x[lib.num(x, axis=1) > 1]),
    ("x[num > 1][:, 0]", lambda lib, x: x[lib.num(x, axis=1) > 1][:, 0]),
    ("x[index > 0]", lambda lib, x: x[lib.local_index(x, axis=1) > 0]),
    ("x[index reversed]", lambda lib, x: x[lib.local_index(x, axis=1)[:, ::-1]]),
]


def read(f):
    """The rows that f chooses, evaluated, and then read once: Awkward points to lists where we put
    them side by side."""

    def chosen(lib, x):
        y = f(lib, x)
        if lib is ak:
            ak.compute(y)
        return lib.sum(y, axis=-1)

    return chosen


def slices_of(kind):
    if kind == "words":
        return SLICES
    if kind in ("records", "regular"):
        return SLICES + ITEMS
    return SLICES + ITEMS + [(f"sum({text})", read(f)) for text, f in SLICES]


# ---- Flat arrays ------------------------------------------------------------------------------


def updated(x, where, value, add=False):
    """x with value written to (or added at) places, x itself unchanged."""
    y = x.copy() if isinstance(x, np.ndarray) else ak.copy(x)
    if add:
        np.add.at(y, where, value)
    else:
        y[where] = value
    return y


def library(x):
    import awkward

    return awkward if isinstance(x, np.ndarray) else ak


@functools.cache
def some_places(size):
    return np.random.default_rng(3).integers(0, size, size)


def places(x):
    """As many as x has items, made once: they are none of what is timed."""
    return some_places(len(x))


# (text, f(x)): the same for NumPy's arrays and ours.
FLAT = [
    *[(f"x ** {p}", lambda x, p=p: x**p) for p in (2, 3, 0.5, -1.0, 5, 2.5)],
    *[(f"x // {d}", lambda x, d=d: x // d) for d in (7, 2.5)],
    *[(f"x % {d}", lambda x, d=d: x % d) for d in (7, 2.5)],
    ("x[mask] = 0", lambda x: updated(x, x > 1, 0)),
    ("x[places] = 0", lambda x: updated(x, places(x), 0)),
    ("x[places] = x", lambda x: updated(x, places(x), x)),
    ("x[0] = 0", lambda x: updated(x, 0, 0)),
    ("x[10:] = 0", lambda x: updated(x, slice(10, None), 0)),
    ("np.add.at", lambda x: updated(x, places(x), 1, add=True)),
    ("x[places]", lambda x: x[places(x)]),
    ("x[x > 1]", lambda x: x[x > 1]),
    ("x[None]", lambda x: x[None]),
    ("x[1:-1]", lambda x: x[1:-1]),
    ("x[::-1]", lambda x: x[::-1]),
    ("x[1:] - x[:-1]", lambda x: x[1:] - x[:-1]),
    ("x + x", lambda x: x + x),
    ("(x + 1) * 2", lambda x: (x + 1) * 2),
    ("x * x + x", lambda x: x * x + x),
    ("(x > 0) & (x < 1)", lambda x: (x > 0) & (x < 1)),
    ("np.isin", lambda x: np.isin(x, np.arange(1000))),
    ("np.searchsorted", lambda x: np.searchsorted(np.arange(1000.0), x)),
    ("np.where", lambda x: np.where(x > 1, x, 0)),
    ("np.concatenate", lambda x: np.concatenate([x, x])),
    ("np.any true", lambda x: np.any(x == x)),
    ("np.all false", lambda x: np.all(x != x)),
    ("np.partition", lambda x: np.partition(x, len(x) // 2)),
    ("np.quantile", lambda x: np.quantile(x, 0.3)),
    ("np.percentile", lambda x: np.percentile(x, [25, 75])),
    ("np.clip", lambda x: np.clip(x, 0, 1)),
    ("np.histogram", lambda x: np.histogram(x, 100, (-3, 3))[0]),
    ("astype float32", lambda x: library(x).values_astype(x, "f4")),
]
NAMES = [
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "diff",
    "max",
    "mean",
    "median",
    "min",
    "nanmax",
    "nanmean",
    "nansum",
    "prod",
    "ptp",
    "ravel",
    "round",
    "sort",
    "std",
    "sum",
    "unique",
    "var",
    "isnan",
    "isfinite",
    "sqrt",
    "exp",
    "log",
    "sin",
    "absolute",
    "negative",
    "floor",
    "sign",
    "square",
    "cbrt",
    "logical_not",
    "sin",
    "cos",
    "tan",
    "arctan",
    "tanh",
    "log1p",
    "expm1",
]
FLAT += [(f"np.{name}", lambda x, name=name: getattr(np, name)(x)) for name in NAMES]


def flat(n):
    rng = np.random.default_rng(4)
    values = rng.normal(size=n)
    return {
        "flat float64": values,
        "flat float32": values.astype("f4"),
        "flat int64": rng.integers(-100, 1_000_000, n),
        "flat int32": rng.integers(-100, 1_000_000, n).astype("i4"),
        "flat int16": rng.integers(-100, 30_000, n).astype("i2"),
        "flat sorted": np.sort(values),
        "flat bool": values > 0,
        "flat complex": values + 1j,
    }


def of_types(n):
    """Flat arrays of each type of number and of times."""
    rng = np.random.default_rng(7)
    values = 3 * rng.normal(size=n)
    made = {
        t: (rng.integers(0 if t[0] == "u" else -100, 100, n)).astype(t)
        for t in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    }
    made |= {t: values.astype(t) for t in ("float16", "float32", "float64")}
    made |= {t: (values + 1j * values[::-1]).astype(t) for t in ("complex64", "complex128")}
    made |= {
        "bool": values > 0,
        "datetime64": rng.integers(0, 10**9, n).astype("M8[s]"),
        "timedelta64": rng.integers(-(10**6), 10**6, n).astype("m8[s]"),
    }
    return {f"ufunc {t}": x for t, x in made.items()}


def ufuncs(x):
    """(text, f(array, number)): every ufunc of this type, of arrays and beside one number."""
    number = x[len(x) // 2]
    for name in sorted({f.__name__ for f in vars(np).values() if isinstance(f, np.ufunc)}):
        u = getattr(np, name)
        if name in ("matmul", "matvec", "vecmat"):
            continue
        ways = [(name, lambda a, b, u=u: u(a))]
        if u.nin == 2:
            ways = [
                (f"{name} x y", lambda a, b, u=u: u(a, b)),
                (f"{name} x 1", lambda a, b, u=u: u(a, number)),
            ]
        for text, f in ways:
            try:
                f(x[:5], x[:5])
            except (TypeError, ValueError):
                continue
            yield text, f


def square(n):
    """Matrices of n items."""
    side = max(2, int(n**0.5))
    values = np.random.default_rng(5).normal(size=(side, side))
    return {"matrix float64": values, "matrix float32": values.astype("f4")}


MATRIX = [("x @ x", lambda x: x @ x)] + [
    (f"np.{name} axis={axis}", lambda x, name=name, axis=axis: getattr(np, name)(x, axis=axis))
    for name in ("sum", "mean", "max", "argmax", "sort", "cumsum", "prod", "any")
    for axis in (0, 1, None)
]
