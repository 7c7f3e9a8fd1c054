# Random nested arrays for the differential tests, made as Awkward Arrays with awkward layouts.
import awkward
import numpy as np
from hypothesis import strategies as st

SPECIAL = [0.0, -0.0, 1.5, -2.25, float("nan"), float("inf"), float("-inf"), 1e300, 1e-310]
COUNTS = [0, 0, 1, 1, 2, 3, 5, 31, 32, 33]
DTYPES = ["int8", "int32", "int64", "uint8", "uint16", "float32", "float64", "bool"]


@st.composite
def leaves(draw, length, dtypes=tuple(DTYPES), special=True):
    """A flat NumPyArray, sometimes a view that starts further in."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    skip = draw(st.sampled_from([0, 0, 3]))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    n = length + skip
    if dtype.kind == "f":
        data = rng.normal(size=n).astype(dtype)
        if special and n:
            with np.errstate(all="ignore"):
                picks = rng.choice(np.array(SPECIAL), size=n).astype(dtype)
            data = np.where(rng.random(n) < 0.2, picks, data)
    elif dtype.kind == "b":
        data = rng.random(n) < 0.5
    else:
        low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if special else (0, 20)
        data = rng.integers(low, high, size=n, dtype=dtype, endpoint=True)
    return awkward.contents.NumpyArray(data[skip:])


@st.composite
def lists(draw, length, content, regular=True):
    """Lists over a content: by offsets (first not always 0), starts and stops, or regular."""
    kind = draw(st.sampled_from(["offsets", "offsets", "listarray", "regular", "giant"]))
    if kind == "regular" and regular:
        size = draw(st.sampled_from([0, 1, 2, 3]))
        return awkward.contents.RegularArray(draw(content(length * size)), size, length)
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    counts = rng.choice(COUNTS, size=length)
    if kind == "giant" and length:
        counts[rng.integers(length)] = 300
    first = int(draw(st.sampled_from([0, 0, 2])))
    offsets = np.concatenate([[first], first + np.cumsum(counts)]).astype(
        draw(st.sampled_from(["int32", "uint32", "int64"]))
    )
    inner = draw(content(int(offsets[-1]) + 1))
    if kind == "listarray":
        starts, stops = offsets[:-1].astype("int64"), offsets[1:].astype("int64")
        order = rng.permutation(length)
        return awkward.contents.ListArray(
            awkward.index.Index64(starts[order]), awkward.index.Index64(stops[order]), inner
        )
    return awkward.contents.ListOffsetArray(awkward.index.Index(offsets), inner)


@st.composite
def options(draw, length, content):
    """A content with missing items, by a mask or by an index."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    valid = rng.random(length) < 0.7
    if draw(st.booleans()):
        mask = awkward.index.Index8(valid.view("int8"))
        return awkward.contents.ByteMaskedArray(mask, draw(content(length)), valid_when=True)
    index = np.where(valid, np.arange(length), -1)
    return awkward.contents.IndexedOptionArray(
        awkward.index.Index64(index), draw(content(length + 1))
    )


def nested(depth, leaf=leaves, optional=True, regular=True):
    """depth levels of lists below the outermost, each sometimes with missing values."""

    def level(d, length):
        def content(n):
            return level(d - 1, n)

        base = leaf(length) if d == 0 else lists(length, content, regular)
        if not optional:
            return base
        return st.one_of(
            base,
            base,
            options(length, (lambda n: leaf(n) if d == 0 else lists(n, content, regular))),
        )

    return level, depth


@st.composite
def arrays(draw, min_depth=0, max_depth=2, leaf=leaves, optional=True, regular=True, max_length=6):
    """An awkward.Array; axis 0 has 0 to max_length items."""
    depth = draw(st.integers(min_depth, max_depth))
    level, depth = nested(depth, leaf, optional, regular)
    return awkward.Array(draw(level(depth, draw(st.integers(0, max_length)))))


@st.composite
def jagged_pairs(draw, max_depth=2, dtypes=tuple(DTYPES), special=True):
    """Two arrays of the same structure and different numbers."""
    depth = draw(st.integers(0, max_depth))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    length = draw(st.integers(0, 6))
    levels = []
    for _ in range(depth):
        counts = rng.choice(COUNTS[:7], size=length)
        levels.append(np.concatenate([[0], np.cumsum(counts)]))
        length = int(levels[-1][-1])
    out = []
    for _ in range(2):
        layout = draw(leaves(length, dtypes, special))
        for offsets in reversed(levels):
            layout = awkward.contents.ListOffsetArray(awkward.index.Index64(offsets), layout)
        out.append(awkward.Array(layout))
    return tuple(out)


@st.composite
def strings(draw, length):
    words = st.sampled_from(["", "a", "two", "\u00fcber", "x" * 33])
    words = draw(st.lists(words, min_size=length, max_size=length))
    if not words:
        return awkward.Array(["a"]).layout[:0]
    return awkward.Array(words).layout


@st.composite
def records(draw, length):
    x = draw(leaves(length, ("int64", "float64"), False))
    y = draw(lists(length, lambda n: leaves(n, ("int32",), False), regular=False))
    return awkward.contents.RecordArray([x, y], draw(st.sampled_from([["x", "y"], None])), length)


@st.composite
def unions(draw, length):
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    tags = rng.integers(0, 2, length, dtype="int8")
    index = np.arange(length)
    contents = [draw(leaves(length, ("float64",), False)), draw(strings(length))]
    return awkward.contents.UnionArray(
        awkward.index.Index8(tags), awkward.index.Index64(index), contents
    )


def structured():
    """Leaves that are not numbers."""
    return lambda n: st.one_of(strings(n), records(n), unions(n))


def numbers(special=True):
    return lambda n: leaves(n, special=special)


def floats(special=True):
    return lambda n: leaves(n, ("float64",), special)


def small_integers():
    return lambda n: leaves(n, ("int64",), False)
