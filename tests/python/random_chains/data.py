# Random arrays of a given type: lengths of lists by a named distribution, and any layout.
import functools

import awkward
import numpy as np

LENGTHS = ["poisson", "pareto", "one giant", "mostly empty", "equal", "empty", "long"]
WORDS = ["", "a", "two", "\u00fcber", "b", "x" * 33, "3", "aa"]
# Rows: small ones, and both sides of what programs like to cut at.
SMALL = [0, 1, 2, 3, 4, 5, 7, 10, 16, 20]
SEAMS = [31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513]
LARGE = [1023, 1024, 1025, 2047, 2049, 4095, 4096, 4097, 8191, 8193, 16384, 16385]
HUGE = [32769, 65535, 65536, 65537, 100_000, 131_073, 200_000]
MOST_ITEMS = 1_000_000
contents, index = awkward.contents, awkward.index


def rows_of(rng, most=200_000):
    """A number of rows, by a random.Random."""
    r = rng.random()
    sizes = SMALL if r < 0.45 else SEAMS if r < 0.75 else LARGE if r < 0.93 else HUGE
    return min(rng.choice(sizes), most)


def counts_of(kind, n, rng, level, most):
    """The lengths of n lists."""
    if kind == "empty" and level == 0:
        return np.zeros(n, "int64")
    if level > 0 or kind in ("poisson", "empty"):
        counts = rng.poisson(2 if level == 0 else 1.5, n)
    elif kind == "pareto":
        counts = np.minimum(rng.pareto(0.9, n) * 2, max(900, n // 20)).astype("int64")
    elif kind == "mostly empty":
        counts = np.where(rng.random(n) < 0.9, 0, rng.integers(1, 9, n))
    elif kind == "equal":
        counts = np.full(n, 3)
    elif kind == "long":
        counts = np.where(np.arange(n) % 8 == 3, rng.integers(60, 140, n), 0)
    else:
        counts = rng.integers(0, 3, n)
        if n:
            counts[rng.integers(n)] = rng.choice([300, 2500, 4097, max(n, 1)])
    if counts.sum() > most:
        counts = np.where(np.cumsum(counts) <= most, counts, 0)
    return counts.astype("int64")


class Maker:
    """Layouts of a type. Lengths depend on the distribution and the seed only, so that arrays with
    the same of both have equal lists as far as their types are alike; `salt` changes the items."""

    def __init__(self, lengths, seed, salt, special):
        self.lengths, self.seed, self.special = lengths, seed, special
        self.rng = np.random.default_rng([seed, salt, 77])

    def layout(self, t, n, level=0):
        types = awkward.types
        if isinstance(t, types.OptionType):
            return self.option(t.content, n, level)
        if isinstance(t, types.ListType) and t.parameters.get("__array__") == "string":
            return self.strings(n)
        if isinstance(t, types.ListType):
            return self.lists(t.content, n, level)
        if isinstance(t, types.RegularType):
            return contents.RegularArray(self.layout(t.content, n * t.size, level), t.size, n)
        if isinstance(t, types.RecordType):
            parts = [self.layout(c, n, level + 7 * (i > 0)) for i, c in enumerate(t.contents)]
            return contents.RecordArray(parts, t.fields if not t.is_tuple else None, n)
        if isinstance(t, types.UnionType):
            tags = self.rng.integers(0, len(t.contents), n).astype("int8")
            parts = [self.layout(c, n, level) for c in t.contents]
            positions = index.Index64(np.arange(n))
            return contents.UnionArray.simplified(index.Index8(tags), positions, parts)
        return contents.NumpyArray(self.numbers(np.dtype(t.primitive), n))

    def option(self, t, n, level):
        valid = self.rng.random(n) < 0.8
        kind = self.rng.choice(["index", "bytes", "bits", "bytes", "unmasked"])
        content = self.layout(t, n, level)
        if kind == "unmasked" and level == 0:
            return contents.UnmaskedArray.simplified(content)
        if kind == "bits":
            bits = index.IndexU8(np.packbits(valid, bitorder="little"))
            return contents.BitMaskedArray.simplified(bits, content, True, n, True)
        if kind == "index":
            order = np.where(valid, np.arange(n), -1)
            return contents.IndexedOptionArray.simplified(index.Index64(order), content)
        mask = index.Index8(valid.view("int8"))
        return contents.ByteMaskedArray.simplified(mask, content, valid_when=True)

    def lists(self, t, n, level):
        rng = np.random.default_rng([self.seed, level])
        counts = counts_of(self.lengths, n, rng, level, MOST_ITEMS)
        kind = self.rng.choice(["plain", "plain", "late", "int32", "views"])
        first = 2 if kind == "late" else 0
        offsets = np.concatenate([[first], first + np.cumsum(counts)])
        inner = self.layout(t, int(offsets[-1]), level + 1)
        if kind == "views":
            starts, stops = index.Index64(offsets[:-1]), index.Index64(offsets[1:])
            return contents.ListArray(starts, stops, inner)
        if kind == "int32":
            return contents.ListOffsetArray(index.Index32(offsets.astype("int32")), inner)
        return contents.ListOffsetArray(index.Index64(offsets), inner)

    def strings(self, n):
        words = awkward.Array([*WORDS, "x"]).layout
        return words[self.rng.integers(0, len(WORDS), n)].to_packed()

    def numbers(self, dtype, n):
        if dtype.kind in "Mm":
            return self.rng.integers(0, 40, n).astype(dtype)
        if dtype.kind == "b":
            return self.rng.random(n) < 0.5
        low = 0 if dtype.kind == "u" else -40
        values = self.rng.integers(low, 40, n).astype(dtype)
        if dtype.kind == "f" and self.special and n:
            values[self.rng.random(n) < 0.1] = np.nan
        return values


def array(type_text, lengths, rows, seed, salt=0, special=False):
    """A random awkward.Array: `rows` items of this type."""
    return awkward.Array(Maker(lengths, seed, salt, special).layout(type_of(type_text), rows))


@functools.lru_cache(10_000)
def type_of(text):
    return awkward.types.from_datashape(text, highlevel=False)


def random_type(rng, plain=0.6):
    """The type of rows, as text."""
    names = ["int64", "int64", "float64", "float64", "int8", "int32", "uint16", "float32", "uint8"]
    names += ["bool", "int16", "uint32", "uint64"]
    r = rng.random()
    if r < plain + 0.2:
        leaf = rng.choice(names)
    elif r < plain + 0.27:
        leaf = "string"
    elif r < plain + 0.36:
        leaf = f"{{p: {rng.choice(names)}, q: {optional(rng, rng.choice(names))}}}"
    elif r < plain + 0.38:
        leaf = f"{{p: {rng.choice(names)}, q: var * {rng.choice(names)}}}"
    else:
        leaf = rng.choice(["union[int64, string]", "union[float64, var * int64]", "datetime64[s]"])
        leaf = "datetime64[s]" if leaf[0] == "d" else leaf
    text = optional(rng, leaf)
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 2, 2, 3])):
        size = rng.choice(["var", "var", "var", "var", str(rng.choice([1, 2, 3, 3]))])
        text = optional(rng, f"{size} * {text}", 0.12)
    return text


def optional(rng, text, chance=0.2):
    if rng.random() >= chance:
        return text
    return f"option[{text}]" if "*" in text or text[0] in "u{" else f"?{text}"
