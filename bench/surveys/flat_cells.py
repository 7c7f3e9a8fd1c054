"""What the survey calls of flat arrays: NumPy's functions, operators and updates, every ufunc and
conversion of every type, matrices."""

import functools

import numpy as np

import serrate as ak


def updated(x, where, value, add=False):
    """x with value written to (or added at) places, x itself unchanged."""
    y = x.copy() if isinstance(x, np.ndarray) else ak.copy(x)
    if add:
        np.add.at(y, where, value)
    else:
        y[where] = value
    return y


def converted(x, dtype):
    return x.astype(dtype) if isinstance(x, np.ndarray) else ak.values_astype(x, dtype)


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
    ("astype float32", lambda x: converted(x, "f4")),
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


INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REALS, COMPLEX = ("float16", "float32", "float64"), ("complex64", "complex128")
NUMBERS = ("bool", *INTEGERS, *REALS, *COMPLEX)


def of_types(n):
    """Flat arrays of each type of number and of times."""
    rng = np.random.default_rng(7)
    values = 3 * rng.normal(size=n)
    made = {t: (rng.integers(0 if t[0] == "u" else -100, 100, n)).astype(t) for t in INTEGERS}
    made |= {t: values.astype(t) for t in REALS}
    made |= {t: (values + 1j * values[::-1]).astype(t) for t in COMPLEX}
    made |= {
        "bool": values > 0,
        "datetime64": rng.integers(0, 10**9, n).astype("M8[s]"),
        "timedelta64": rng.integers(-(10**6), 10**6, n).astype("m8[s]"),
    }
    return {f"ufunc {t}": x for t, x in made.items()}


def ufuncs(x):
    """(text, f(array, array)): every ufunc of this type, of arrays and beside one number, and its
    conversions to others."""
    number = x[len(x) // 2]
    for to in NUMBERS if x.dtype.kind not in "mMc" else ("bool",):
        if to != x.dtype.name:
            yield f"astype {to}", lambda a, b, to=to: converted(a, to)
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
