"""What the survey calls: arrays of every kind and size, and calls of every public function on them.

The calls come from the functions' own rows (tests/python/rows.py), with each axis where a function
has one. Those of flat arrays are in flat_cells.py.
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
    return of_lengths(np.random.default_rng(1).poisson(3, n), content)


def of_lengths(lengths, content):
    """Lists of these lengths."""
    import awkward

    offsets = np.concatenate([[0], np.cumsum(lengths)])
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


def lengths_of(n):
    """Other lengths than those of ragged(), about 3 * n items in all."""
    rng = np.random.default_rng(3)
    skewed = rng.pareto(1.1, n // 2 + 1)
    return {
        "ten": rng.poisson(10, n * 3 // 10 + 1),
        "hundred": rng.poisson(100, n * 3 // 100 + 1),
        "long": rng.integers(0, 6000, n // 1000 + 1),
        "one list": np.array([3 * n]),
        "skewed": (3 * n / skewed.sum() * skewed).astype(int),
        "mostly empty": rng.poisson(10, n * 3) * (rng.random(n * 3) < 0.1),
    }


def kinds(n):
    """Awkward's arrays of n lists by kind, or of about as many items, made when asked for."""
    import awkward
    import awkward.contents as c

    rng = np.random.default_rng(2)

    def floats(m):
        return rng.normal(size=m)

    def records(m):
        return awkward.zip({"x": floats(m), "y": rng.integers(0, 9, m)})

    def mixed(m):
        half = c.NumpyArray(floats(m)), ragged(m, floats).layout
        tags = rng.integers(0, 2, m).astype("i1")
        index = awkward.index.Index64(np.arange(m))
        return awkward.Array(c.UnionArray(awkward.index.Index8(tags), index, half))

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
        "missing lists": lambda: missing(ragged(n, floats)),
        "missing deep": lambda: missing(
            ragged(n // 3 + 1, lambda m: missing(ragged(m, lambda k: missing(floats(k)))))
        ),
        "missing records": lambda: ragged(n, lambda m: missing(records(m))),
        "deep records": lambda: ragged(n // 3 + 1, lambda m: ragged(m, records)),
        "lists of words": lambda: ragged(n // 3 + 1, words),
        "regular deep": lambda: awkward.Array(
            c.RegularArray(ragged(2 * n, floats).layout.to_packed(), 2)
        ),
        "three rows": lambda: awkward.Array(floats(3 * n).reshape(3, n)),
        "two boxes": lambda: awkward.Array(floats(3 * n).reshape(2, 3, n // 2)),
        "few deep": lambda: awkward.unflatten(
            of_lengths([n, n // 2, 0, n, 5, n // 2], floats), [4, 2]
        ),
        "union": lambda: ragged(n, mixed),
        "views": lambda: ragged(n + n // 2, floats)[rng.permutation(n + n // 2)[:n]],
        **{
            name: lambda lengths=lengths: of_lengths(lengths, floats)
            for name, lengths in lengths_of(n).items()
        },
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


FEW_LONG = ("hundred", "long", "one list", "skewed", "three rows", "two boxes", "few deep")


def is_quadratic(text, kind):
    """Tuples of all rows, or of long lists, are made, or products of all rows of a matrix."""
    if kind == "regular" and text.startswith(("matvec", "vecmat")):
        return True
    if "combinations" not in text and "cartesian" not in text:
        return False
    outermost = text.endswith("axis=0") or (kind == "words" and text.endswith("axis=-1"))
    return outermost or kind in FEW_LONG


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
    """The rows that f chooses, computed, and then read once: by then both point to the lists."""

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
