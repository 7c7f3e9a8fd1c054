# Random nested arrays and slicers from a seed, small ones of every kind: for test_random.py.
# `python tests/python/generator.py --help` runs as many cases as you like and sums up what differs.
import contextlib

import awkward
import numpy as np

WORDS = ["", "a", "two", "\u00fcber", "b", "\U0001f600"]
NUMBERS = ["int64", "int64", "float64", "bool", "int8", "uint32", "float32", "complex128"]
TIMES = ["datetime64[s]", "timedelta64[D]"]
contents, index = awkward.contents, awkward.index


class Generator:
    """Layouts of a given length; `rng` decides everything."""

    def __init__(self, rng, kinds=()):
        self.rng = rng
        self.kinds = kinds or ("number", "string", "record", "union", "unknown", "time", "category")

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def array(self, depth=None, length=None):
        depth = self.pick([0, 1, 1, 2, 2, 3]) if depth is None else depth
        length = self.pick([0, 1, 2, 3, 3, 4]) if length is None else length
        return awkward.Array(self.level(depth, length))

    def condition(self, x):
        """Booleans with the structure of x down to some depth."""
        to = self.pick([0, 0, 1, 2])

        def walk(v, depth):
            if isinstance(v, list) and depth >= 0:
                return [walk(i, depth - 1) for i in v]
            if v is None and self.chance(0.5):
                return None
            return bool(self.rng.random() < 0.5)

        return awkward.Array(walk(awkward.to_list(x), to))

    def level(self, depth, n):
        if self.chance(0.2):
            return self.option(n, lambda k: self.bare(depth, k))
        return self.bare(depth, n)

    def bare(self, depth, n):
        if depth > 0 and self.chance(0.08) and "record" in self.kinds:
            return self.record(n, depth)
        if depth > 0 and self.chance(0.05) and "union" in self.kinds:
            return self.union(n, depth)
        return self.leaf(n) if depth == 0 else self.lists(depth, n)

    def option(self, n, make):
        valid = self.rng.random(n) < 0.7
        kind = self.pick(["index", "bytes", "bits", "unmasked"])
        content = make(n)
        if content.is_option or content.is_union or content.is_indexed:
            return content
        if kind == "unmasked":
            return contents.UnmaskedArray(content)
        if kind == "bytes":
            mask = index.Index8(valid.view("int8"))
            return contents.ByteMaskedArray(mask, content, valid_when=True)
        if kind == "bits":
            bits = index.IndexU8(np.packbits(valid, bitorder="little"))
            return contents.BitMaskedArray(bits, content, True, n, True)
        order = np.where(valid, self.rng.permutation(n), -1)
        return contents.IndexedOptionArray(index.Index64(order), content)

    def lists(self, depth, n):
        kind = self.pick(["offsets", "offsets", "starts", "regular", "matrix"])
        if kind == "matrix":
            shape = [n] + [self.pick([0, 1, 2, 3]) for _ in range(depth)]
            return contents.NumpyArray(self.numbers(shape))
        if kind == "regular":
            size = self.pick([0, 1, 2, 3])
            return contents.RegularArray(self.level(depth - 1, n * size), size, n)
        counts = self.rng.integers(0, 4, n)
        if self.chance(0.3):
            counts[:] = self.pick([1, 2])
        first = self.pick([0, 0, 1])
        offsets = np.concatenate([[first], first + np.cumsum(counts)]).astype("int64")
        inner = self.level(depth - 1, int(offsets[-1]) + self.pick([0, 0, 1]))
        if kind == "starts":
            order = self.rng.permutation(n)
            starts, stops = offsets[:-1][order], offsets[1:][order]
            return contents.ListArray(index.Index64(starts), index.Index64(stops), inner)
        return contents.ListOffsetArray(index.Index64(offsets), inner)

    def numbers(self, shape, dtypes=NUMBERS):
        dtype = np.dtype(self.pick(list(dtypes)))
        n = int(np.prod(shape))
        values = self.rng.integers(0, 5, n)
        if dtype.kind == "f" and self.chance(0.3):
            values = np.where(self.rng.random(n) < 0.2, np.nan, values + 0.5)
        return values.astype(dtype).reshape(shape)

    def leaf(self, n):
        kind = self.pick(self.kinds) if self.chance(0.45) else "number"
        if kind == "string":
            return self.strings(n)
        if kind == "record":
            return self.record(n, 0)
        if kind == "union":
            return self.union(n, 0)
        if kind == "unknown" and n == 0:
            return contents.EmptyArray()
        if kind == "time":
            return contents.NumpyArray(self.numbers([n], TIMES))
        if kind == "category":
            words = awkward.Array(["one", "two", "three"]).layout
            order = index.Index64(self.rng.integers(0, 3, n))
            return contents.IndexedArray(order, words, parameters={"__array__": "categorical"})
        return contents.NumpyArray(self.numbers([n]))

    def strings(self, n):
        words = [self.pick(WORDS) for _ in range(n)]
        if self.chance(0.2):
            return awkward.Array([*(w.encode() for w in words), b"x"]).layout[:n]
        return awkward.Array([*words, "x"]).layout[:n]

    def record(self, n, depth):
        names = self.pick([["x", "y"], ["x", "y"], ["x", "z"], None])
        parts = [self.level(max(depth, 0), n), self.level(self.pick([0, 0, 1]), n)]
        name = {"__record__": "Point"} if self.chance(0.2) else None
        return contents.RecordArray(parts, names, n, parameters=name)

    def union(self, n, depth):
        tags = self.rng.integers(0, 2, n).astype("int8")
        parts = [self.bare(depth, n), self.bare(self.pick([0, 1]), n)]
        if any(p.is_union or p.is_option or p.is_indexed for p in parts):
            return parts[0]
        return contents.UnionArray.simplified(
            index.Index8(tags), index.Index64(np.arange(n)), parts
        )

    # -- slicers

    def slicer(self, x):
        """What may stand in x[...]: one item or a tuple of them."""
        if self.chance(0.35):
            return self.item(x, x.layout, 0)
        layout, items = x.layout, []
        for _ in range(self.pick([1, 2, 2, 3])):
            items.append(self.item(x, layout, len(items)))
            while layout.is_option or layout.is_indexed or layout.is_union or layout.is_record:
                inner = layout.contents if hasattr(layout, "contents") else [layout.content]
                if not inner:
                    break
                layout = inner[0]
            if layout.is_list and not isinstance(items[-1], str) and items[-1] is not None:
                layout = layout.content
        return tuple(items)

    def length(self, layout):
        if layout.is_list and layout.length:
            return len(layout[0])
        return layout.length

    def item(self, x, layout, level):
        n = len(x) if level == 0 else self.pick([1, 2, 3])
        kinds = ["int", "int", "range", "range", "range", "newaxis", "ellipsis", "ints", "bools"]
        kinds += ["missing", "jagged", "jagged", "field", "fields", "matrix", "scalar"]
        kind = self.pick(kinds)
        wide = 0.9 if self.chance(0.9) else 2
        low, high = (-n, n - 1) if wide < 1 else (-n - 2, n + 1)
        if high < low:
            low, high = -1, 0

        def integers(shape):
            return self.rng.integers(low, high, shape, endpoint=True)

        if kind == "int":
            return int(integers(None))
        if kind == "scalar":
            v = integers(None)
            return self.pick([np.int64(v), np.int8(v), np.array(v), np.bool_(v), True, v.item()])
        if kind == "range":
            bounds = [self.pick([None, int(self.rng.integers(-5, 6))]) for _ in range(2)]
            return slice(*bounds, self.pick([None, None, 1, 2, -1, -2, 3]))
        if kind == "newaxis":
            return None
        if kind == "ellipsis":
            return Ellipsis
        if kind == "ints":
            v = integers(self.pick([0, 1, 2, 3]))
            return self.pick([v, v.tolist(), awkward.Array(v), v.astype("int32")])
        if kind == "bools":
            v = self.rng.random(n if self.chance(0.9) else n + 1) < 0.6
            return self.pick([v, v.tolist(), awkward.Array(v)])
        if kind == "matrix":
            if self.chance(0.5):
                return integers([self.pick([1, 2]), self.pick([1, 2, 3])])
            shape = (n, self.pick([1, 2, 3]))
            with contextlib.suppress(TypeError, ValueError):
                shape = awkward.to_numpy(x).shape[:2]
            return self.rng.random(shape) < 0.5
        if kind == "missing":
            v = [None if self.chance(0.3) else i for i in integers(self.pick([1, 2, 3])).tolist()]
            if self.chance(0.4):
                v = [None if self.chance(0.3) else self.chance(0.5) for _ in range(n)]
            return self.pick([v, awkward.Array(v)])
        if kind in ("field", "fields"):
            names = [*awkward.fields(x), self.pick(["x", "y", "0"])]
            if kind == "field":
                return self.pick(names)
            return [self.pick(names) for _ in range(self.pick([1, 2]))]
        return self.jagged(x)

    def jagged(self, x):
        """Booleans or integers of the structure of x, to some depth, maybe with missing ones."""
        to = self.pick([1, 1, 2])
        options = self.chance(0.4)
        boolean = self.chance(0.5)

        def walk(v, depth):
            if v is None or not isinstance(v, list):
                v = [0] * self.pick([0, 1, 2])
            if depth == 0:
                if boolean:
                    out = [self.chance(0.5) for _ in v]
                elif v:
                    k = self.pick([0, 1, 2])
                    out = self.rng.integers(-len(v), len(v) - 1, k, endpoint=True).tolist()
                else:
                    out = []
                return [None if options and self.chance(0.2) else o for o in out]
            out = [walk(i, depth - 1) for i in v]
            return [None if options and self.chance(0.15) else o for o in out]

        value = walk(awkward.to_list(x), to)
        out = awkward.Array(value)
        if self.chance(0.2):
            with contextlib.suppress(ValueError):
                out = awkward.to_regular(out, axis=1)
        return value if self.chance(0.2) else out
