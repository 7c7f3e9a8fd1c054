# Arrays of every nesting with items of one type, and functions along an axis in plain Python:
# for the tests that compare every function.
import awkward
import numpy as np

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]
TIMES = ["datetime64[s]", "timedelta64[ms]"]
VALID = np.array([1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0], "int8")


def items(dtype):
    """24 small numbers, some of them equal."""
    rng = np.random.default_rng(5)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(24) > 0.4
    if kind == "c":
        halves = rng.integers(-4, 5, 24) + 1j * rng.integers(-4, 5, 24)
        return (halves / 2).astype(dtype)
    if kind == "f":
        return (rng.integers(-12, 13, 24) / 2).astype(dtype)
    return rng.integers(0 if kind in "uM" else -6, 7, 24).astype(dtype)


def nestings(dtype="float64"):
    """Arrays by the names of their nestings; `opt` stands before what may be missing."""
    c, index = awkward.contents, awkward.index

    def leaf(n=24):
        return c.NumpyArray(items(dtype)[:n])

    def opt(content, *valid):
        return c.ByteMaskedArray(index.Index8(np.array(valid or VALID, "int8")), content, True)

    def lists(*offsets, of, width=index.Index64):
        return c.ListOffsetArray(width(np.array(offsets)), of)

    def var(content):
        return lists(0, 3, 3, 5, 9, 10, 12, of=content)

    def deep(content):
        return lists(0, 2, 2, 5, 6, of=content)

    def some(content):
        return opt(content, 1, 1, 0, 1, 1, 0)

    layouts = {
        "flat": leaf(),
        "opt": opt(leaf()),
        "indexed opt": c.IndexedOptionArray(index.Index64(np.array([3, -1, 0, 7, -1, 7])), leaf()),
        "indexed": c.IndexedArray(index.Index64(np.array([3, 3, 0, 7, 11])), leaf()),
        "var": var(leaf()),
        "var, late": lists(1, 3, 3, 5, 9, of=leaf(), width=index.Index32),
        "var, views": c.ListArray(
            index.Index64(np.array([5, 0, 2, 9])), index.Index64(np.array([8, 0, 4, 10])), leaf()
        ),
        "var opt": var(opt(leaf())),
        "opt var": some(var(leaf())),
        "opt var opt": some(var(opt(leaf()))),
        "indexed opt var": c.IndexedOptionArray(
            index.Index64(np.array([3, -1, 0, 0, -1, 2])), var(leaf())
        ),
        "regular": c.RegularArray(leaf(), 4),
        "regular opt": c.RegularArray(opt(leaf()), 4),
        "opt regular": some(c.RegularArray(leaf(), 4)),
        "numpy": c.NumpyArray(items(dtype).reshape(2, 3, 4)),
        "var var": deep(var(leaf())),
        "var var opt": deep(var(opt(leaf()))),
        "var opt var": deep(some(var(leaf()))),
        "opt var var": opt(deep(var(leaf())), 1, 1, 0, 1),
        "opt var opt var opt": opt(deep(some(var(opt(leaf())))), 1, 1, 0, 1),
        "regular var": c.RegularArray(var(leaf()), 2),
        "var regular": deep(c.RegularArray(leaf(), 4)),
        "var var var": lists(0, 1, 1, 4, of=deep(var(leaf()))),
        "no lists": lists(0, of=leaf(0)),
        "no items": lists(0, 0, 0, of=leaf(0)),
        "none flat": leaf(0),
        "all missing": lists(0, 2, 2, 3, of=opt(leaf(3), 0, 0, 0)),
    }
    return {name: awkward.Array(layout) for name, layout in layouts.items()}


# Items that are no numbers of one type, or whose type is not known.
STRUCTURED = {
    "unknown": [],
    "lists of unknown": [[], []],
    "missing unknown": [None, None],
    "lists of missing unknown": [[None], [], None],
    "records": [{"x": 1, "y": 2.5}, {"x": 0, "y": 1.5}],
    "lists of records": [[{"x": 1, "y": 2.5}, {"x": 0, "y": 1.5}], [], [{"x": 3, "y": 2.5}]],
}


def along(x, axis, f):
    """Nested lists with f of the list of (index, item) for what stands along an axis: missing lists
    left out, the result where a reducer has it."""
    return _along(x, axis, depth_of(x) - 1, f)


def _along(x, axis, below, f):
    if x is None:
        return None
    if axis > 0:
        return [_along(row, axis - 1, below - 1, f) for row in x]
    return columns_of(list(enumerate(x)), below, f)


def columns_of(rows, below, f):
    """f of the items of rows (pairs of index and item) place by place, `below` levels down."""
    if below == 0:
        return f(rows)
    rows = [(i, row) for i, row in rows if row is not None]
    longest = max((len(row) for _, row in rows), default=0)
    return [
        columns_of([(i, row[j]) for i, row in rows if len(row) > j], below - 1, f)
        for j in range(longest)
    ]


def in_place(x, axis, f):
    """The items in their places as f makes them: of the list of (index, item) for what stands along
    an axis it gives a dict of the new items by index."""
    return _in_place(x, axis, depth_of(x) - 1, f)


def scanned(f):
    """What in_place() calls for running values: f of what
    was so far and the next; missing items stay."""

    def scan(rows):
        out, so_far = {}, None
        for i, v in rows:
            if v is not None:
                so_far = v if so_far is None else f(so_far, v)
            out[i] = None if v is None else so_far
        return out

    return scan


def _in_place(x, axis, below, f):
    if x is None:
        return None
    if axis > 0:
        return [_in_place(row, axis - 1, below - 1, f) for row in x]
    columns = columns_of(list(enumerate(x)), below, f)
    return [_put(item, columns, below, i) for i, item in enumerate(x)]


def _put(item, columns, below, row):
    if below == 0:
        return columns[row]
    if item is None:
        return None
    return [_put(i, c, below - 1, row) for i, c in zip(item, columns, strict=False)]


def depth_of(x):
    """List levels."""
    if not isinstance(x, list):
        return 0
    return 1 + max((depth_of(item) for item in x), default=0)
