# Random expressions over random ragged arrays, for test_stress.py.
#
# An expression is a chain of steps, each chosen among those that the value at hand allows: its
# depth (lists of lists ...) and whether it is exact (small integers in any dtype: results that
# depend on order or equality are then the same on every device).
import random
from dataclasses import dataclass

import numpy as np

import serrate as ak

DTYPES = ["int64", "float64", "int8", "int32", "uint16", "float32", "uint8", "bool", "float16"]
DISTRIBUTIONS = ["short", "long", "pareto", "giant", "mostly empty", "regular", "empty", "nothing"]


def lengths(kind, n, rng):
    """Lengths of about n lists."""
    if kind == "nothing":
        return np.zeros(0, int)
    if kind == "empty":
        return np.zeros(n, int)
    if kind == "short":
        return rng.integers(0, 5, n)
    if kind == "long":
        return rng.integers(60, 140, max(n // 8, 1))
    if kind == "pareto":
        return np.minimum(rng.pareto(0.9, n) * 2, 900).astype(int)
    if kind == "mostly empty":
        return np.where(rng.random(n) < 0.9, 0, rng.integers(1, 9, n))
    if kind == "regular":
        return np.full(n, 3)
    counts = rng.integers(0, 3, n)
    counts[rng.integers(n)] = 2500
    return counts


def numbers(dtype, n, rng):
    low = -40 if np.dtype(dtype).kind in "if" else 0
    return ak.from_numpy(rng.integers(low, 40, n).astype(dtype))


def ragged(dtype, depth, option, kind, rng):
    """An array of `depth` levels of lists (1: flat)."""
    n = int(rng.integers(1, 70))
    levels = []
    for level in range(depth - 1):
        levels.append(lengths(kind if level == 0 else "short", n, rng))
        n = int(levels[-1].sum())
    if depth == 1 and kind == "nothing":
        n = 0
    x = numbers(dtype, n, rng)
    if option:
        x = ak.mask(x, ak.from_numpy(rng.random(n) < 0.8))
    for counts in reversed(levels):
        x = ak.unflatten(x, ak.from_numpy(counts))
    return x


@dataclass
class Value:
    array: object
    depth: int
    exact: bool = True
    option: bool = False
    bounded: bool = True  # few items a list, so that pairs of them stay few


def few(x):
    return x[..., :5]


def small(x):
    """Exact numbers stay small: bounded after what makes them grow."""
    return ak.minimum(x, 90)


def deep(v):
    return v.depth >= 2


def always(v):
    return True


def exact(v):
    return v.exact


def ordered(v):
    return v.exact and deep(v)


def values(v):
    return not v.option


# (name, may it be applied?, function of the array, what becomes of depth, exactness)
STEPS = [
    ("twice", always, lambda x, c: small(x * 2), 0, True),
    ("plus", always, lambda x, c: small(x + c), 0, True),
    ("negative", always, lambda x, c: -ak.values_astype(x, "int64"), 0, True),
    ("square", exact, lambda x, c: small(x * x), 0, True),
    ("root", always, lambda x, c: np.sqrt(abs(ak.values_astype(x, "float64"))), 0, False),
    ("exp", always, lambda x, c: np.exp(-abs(ak.values_astype(x, "float64")) / 8), 0, False),
    ("where", exact, lambda x, c: ak.where(x > c, x, -1), 0, True),
    ("maximum", always, lambda x, c: ak.maximum(x, c), 0, True),
    ("filter", ordered, lambda x, c: x[x > c], 0, True),
    ("filter of rows", deep, lambda x, c: x[ak.num(x, axis=1) > c % 3], 0, True),
    ("every second", always, lambda x, c: x[::2], 0, True),
    ("behind the first", always, lambda x, c: x[1:], 0, True),
    ("reversed", always, lambda x, c: x[::-1], 0, True),
    ("inner reversed", deep, lambda x, c: x[..., ::-1], 0, True),
    ("inner first two", deep, lambda x, c: x[:, :2], 0, True),
    ("inner behind", deep, lambda x, c: x[..., 1:], 0, True),
    ("inner every second", deep, lambda x, c: x[:, ::2], 0, True),
    ("sum", deep, lambda x, c: ak.sum(x, axis=-1), -1, True),
    ("max", deep, lambda x, c: ak.fill_none(ak.max(x, axis=-1), 0), -1, True),
    ("min", deep, lambda x, c: ak.fill_none(ak.min(x, axis=-1), 0), -1, True),
    ("argmax", ordered, lambda x, c: ak.fill_none(ak.argmax(x, axis=-1), -1), -1, True),
    ("count", deep, lambda x, c: ak.count(x, axis=-1), -1, True),
    ("any", deep, lambda x, c: ak.any(x, axis=-1), -1, True),
    ("outer sum", deep, lambda x, c: ak.sum(x, axis=0), -1, True),
    ("outer max", deep, lambda x, c: ak.fill_none(ak.max(x, axis=0), 0), -1, True),
    ("mean", deep, lambda x, c: ak.fill_none(ak.mean(x, axis=-1), 0.5), -1, False),
    ("less the mean", deep, lambda x, c: x - ak.fill_none(ak.mean(x, axis=-1), 0), 0, False),
    (
        "var",
        deep,
        lambda x, c: ak.fill_none(ak.var(ak.values_astype(x, "float64"), axis=-1), 0),
        -1,
        False,
    ),
    ("above the largest less 3", ordered, lambda x, c: x[x > ak.max(x, axis=-1) - 3], 0, True),
    ("the largest", ordered, lambda x, c: x[ak.argmax(x, axis=-1, keepdims=True)], 0, True),
    ("sort", exact, lambda x, c: ak.sort(x), 0, True),
    ("sort down", exact, lambda x, c: ak.sort(x, ascending=False), 0, True),
    ("argsort", exact, lambda x, c: ak.argsort(x), 0, True),
    ("outer sort", lambda v: v.exact and v.depth == 2, lambda x, c: ak.sort(x, axis=0), 0, True),
    ("by order", exact, lambda x, c: x[ak.argsort(x)], 0, True),
    (
        "cumsum",
        exact,
        lambda x, c: small(ak.cumsum(ak.values_astype(x, "int64"), axis=-1)),
        0,
        True,
    ),
    ("cummax", exact, lambda x, c: ak.cummax(x, axis=-1), 0, True),
    ("run lengths", lambda v: v.exact and not v.option, lambda x, c: ak.run_lengths(x), 0, True),
    ("unique", exact, lambda x, c: ak.unique(x, axis=-1), 0, True),
    ("rank", exact, lambda x, c: ak.rank(x, axis=-1), 0, False),
    ("flatten", deep, lambda x, c: ak.flatten(x), -1, True),
    ("pad", deep, lambda x, c: ak.fill_none(ak.pad_none(x, 4, axis=-1), c), 0, True),
    (
        "clip",
        deep,
        lambda x, c: ak.fill_none(ak.pad_none(x, 2, axis=1, clip=True), c, axis=-1),
        0,
        True,
    ),
    ("firsts", deep, lambda x, c: ak.fill_none(ak.firsts(x, axis=-1), c), -1, True),
    ("singletons", lambda v: v.depth == 1, lambda x, c: ak.singletons(ak.mask(x, x > c)), 1, True),
    ("drop none", exact, lambda x, c: ak.drop_none(ak.mask(x, x < c), axis=-1), 0, True),
    ("fill none", exact, lambda x, c: ak.fill_none(ak.mask(x, x < c), 7), 0, True),
    ("is none", exact, lambda x, c: ak.is_none(ak.mask(x, x < c), axis=-1), 0, True),
    ("local index", deep, lambda x, c: ak.local_index(x, axis=-1), 0, True),
    ("number", deep, lambda x, c: ak.num(x, axis=-1), -1, True),
    ("pairs", deep, lambda x, c: pairs(few(x)), 0, True),
    ("triples", deep, lambda x, c: triples(few(x)), 0, True),
    ("with itself", deep, lambda x, c: product(few(x)), 0, True),
    ("behind itself", deep, lambda x, c: ak.concatenate([x, x[..., :2]], axis=-1), 0, True),
    ("once more", always, lambda x, c: ak.concatenate([x, x[:3]]), 0, True),
    ("plus reversed", deep, lambda x, c: small(x + x[..., ::-1]), 0, True),
    ("in twos", lambda v: v.depth == 1, lambda x, c: twos(x), 1, True),
    ("in lists again", deep, lambda x, c: again(x), 0, True),
    ("zipped", deep, lambda x, c: zipped(x, c), 0, True),
    ("string", lambda v: v.exact and not v.option, lambda x, c: words(x, c), 0, True),
]


def pairs(x):
    a, b = ak.unzip(ak.combinations(x, 2, axis=-1))
    return small(a + b)


def triples(x):
    a, b, c = ak.unzip(ak.combinations(x, 3, axis=-1, replacement=True))
    return ak.maximum(a, ak.minimum(b, c))


def product(x):
    a, b = ak.unzip(ak.cartesian([x, x[..., :2]], axis=-1))
    return small(a + b)


def twos(x):
    n = len(x) // 2
    return ak.unflatten(x[: 2 * n], 2)


def again(x):
    return ak.unflatten(ak.flatten(x), ak.num(x, axis=1))


def zipped(x, c):
    r = ak.zip({"a": x, "b": ak.local_index(x, axis=-1)})
    return ak.where(r.b > 1, r.a, c)


def words(x, c):
    text = ak.strings_astype(ak.Array(["3", "17", "5"]), "int64")
    return ak.where(x > text[c % 3], x, -2)


ENDS = [
    ("itself", always, lambda x: x),
    ("all of it", always, lambda x: ak.sum(x, axis=None)),
    ("the most", always, lambda x: ak.max(x, axis=None)),
    ("several", deep, lambda x: ak.zip({"s": ak.sum(x, axis=-1), "n": ak.num(x, axis=-1)})),
    ("histogram", exact, lambda x: ak.histogram(x, 10, -40.0, 90.0)),
]


class Expression:
    """The expression number `seed`: the same steps for any data."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.dtype = r.choice(DTYPES)
        self.depth = r.choice([1, 2, 2, 2, 3])
        self.option = r.random() < 0.25
        v = Value(None, self.depth, option=self.option)
        self.steps, self.constants = [], []
        for _ in range(r.randint(1, 5)):
            step = r.choice([s for s in STEPS if s[1](v)])
            self.steps.append(step)
            self.constants.append(r.randint(-10, 20))
            v.depth += step[3]
            v.exact &= step[4]
            if step[0] in ("fill none", "pad", "clip", "count", "argmax", "number", "is none"):
                v.option = False
        self.end = r.choice([e for e in ENDS if e[1](v)])

    def __str__(self):
        kind = f"{'option ' if self.option else ''}{self.dtype}, depth {self.depth}"
        return f"{kind}: " + ", ".join([s[0] for s in self.steps] + [self.end[0]])

    def data(self, number):
        rng = np.random.default_rng(number)
        kind = DISTRIBUTIONS[number % len(DISTRIBUTIONS)]
        return ragged(self.dtype, self.depth, self.option, kind, rng)

    def __call__(self, x, each=lambda x: x):
        """`each` is applied to what every step gives."""
        for step, c in zip(self.steps, self.constants, strict=True):
            x = each(step[2](x, c))
        return self.end[2](x)
