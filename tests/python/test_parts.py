"""What keeps axis 0 keeps it row by row: f(x)[a:b] == f(x[a:b]), for calls of test_interface and
our own, on arrays longer than blocks and tasks, with lists longer than these, too."""

import itertools
import os

import awkward
import numpy as np
import pytest
from conftest import plain, same_values, some
from interface import grid
from test_interface import ROWS

import serrate as ak

ON_GPU = os.environ.get("SERRATE_BACKEND", "cpu") != "cpu"
SIZE = 1500 if ON_GPU else 20_000
RNG = np.random.default_rng(17)


def poisson(n, mean=2.0):
    return np.where(RNG.random(n) < 0.2, 0, RNG.poisson(mean, n))


def skewed(n, giant=SIZE, most=400):
    """Mostly short, some long, one that no block holds, which is not the first of its row."""
    counts = np.minimum(RNG.pareto(1.2, n) * 2, most).astype(int)
    counts[[0, n // 2, n - 1]] = 0
    counts[n // 2 + 1] = giant
    return counts


def nested(items, *levels):
    """Lists of these lengths, the outermost last; the rest is one list more."""
    for counts in levels:
        ends = np.cumsum(counts)
        counts = counts[: np.searchsorted(ends, len(items), "right")]
        items = awkward.unflatten(items, np.append(counts, len(items) - counts.sum()))
    return items


def few_values(n):
    """With ties, and in no order."""
    return RNG.integers(-40, 40, n) / 4


def optional(x, missing=0.2):
    return awkward.mask(x, RNG.random(len(x)) > missing)


ITEMS = few_values(3 * SIZE)
LISTS = nested(ITEMS, skewed(2 * SIZE))
SHORT = nested(ITEMS, poisson(2 * SIZE))
DEEP = nested(ITEMS, skewed(2 * SIZE, 3000), poisson(SIZE, 3))
# name: (depth, array); the names of interface.py stand for arrays of the same structure
LARGE = {
    "flat": (1, awkward.Array(ITEMS)),
    "ints": (1, awkward.Array(RNG.integers(-9, 9, 2 * SIZE))),
    "missing flat": (1, optional(ITEMS)),
    "words": (1, awkward.Array(np.array(["", "a", "bc", "def"])[RNG.integers(0, 4, SIZE)])),
    "lists": (2, LISTS),
    "int lists": (2, awkward.values_astype(SHORT, np.int64)),
    "bools": (2, SHORT > 0),
    "missing": (2, optional(nested(optional(ITEMS), skewed(2 * SIZE)))),
    "matrix": (2, awkward.Array(few_values(3 * SIZE).reshape(SIZE, 3))),
    "strings": (
        2,
        nested(np.array(["", "a", "bc", "def"])[RNG.integers(0, 4, SIZE)], skewed(SIZE)),
    ),
    "records": (2, awkward.zip({"x": LISTS, "y": LISTS * 2})),
    "deep": (3, DEEP),
    "deep missing": (3, optional(nested(optional(SHORT), skewed(SIZE, 3000)))),
    "regular": (3, awkward.Array(few_values(12 * (SIZE // 4)).reshape(SIZE // 4, 3, 4))),
}
# Pairs of all items of the longest list would be too many.
FEWER = nested(ITEMS, skewed(2 * SIZE, 100, 30))
PRODUCTS = {"cartesian", "argcartesian", "combinations", "argcombinations"}
SHORTER = {
    "lists": (2, FEWER),
    "records": (2, awkward.zip({"x": FEWER, "y": FEWER * 2})),
    "strings": (2, nested(LARGE["words"][1], poisson(SIZE, 3))),
    "deep": (3, nested(ITEMS, skewed(2 * SIZE, 100, 30), poisson(SIZE, 3))),
}
MORE = {
    "irregular": (3, awkward.from_regular(LARGE["regular"][1], axis=None)),
    "one row": (3, nested(few_values(2 * SIZE), skewed(SIZE), np.array([10, 10**9]))),
    "four": (4, nested(few_values(SIZE), poisson(SIZE), poisson(SIZE), poisson(SIZE, 6))),
    "four skewed": (4, nested(few_values(SIZE), skewed(SIZE, 2500), skewed(SIZE), poisson(SIZE))),
}

# Rows that do not stay, or results that are of the whole array.
OTHER = {"flatten", "ravel", "where one", "unflatten", "to_regular", "concatenate others"}
OTHER |= {"strings_astype"}
OTHER |= {
    "broadcast_fields",
    "covar",
    "corr",
    "linear_fit",
    "moment",
}  # Python's composition of others
AXES = [1, 2, -1, -2]
OURS = {}


def ours(
    name, call=None, /, data=("lists", "missing", "deep", "deep missing", "regular"), **options
):
    call = call or (lambda ak, x, **o: getattr(ak, name)(x, **o))
    OURS[name] = (call, [*data, *MORE], grid(**options))


for _name in ["sort", "argsort"]:
    ours(_name, axis=AXES, ascending=[True, False])
for _name in ["cumsum", "cumprod", "cummin", "cummax", "diff", "run_lengths", "is_unique"]:
    ours(_name, axis=AXES)
for _name in ["median", "nanmedian", "softmax", "unique", "mean", "argmax", "max", "sum"]:
    ours(_name, axis=AXES)
ours("rank", axis=AXES, method=["average", "dense", "ordinal"])
ours("topk", lambda ak, x, **o: ak.topk(x, 3, **o), axis=AXES)
ours("argtopk", lambda ak, x, **o: ak.argtopk(x, 3, **o), axis=AXES)
ours("quantile", lambda ak, x, **o: ak.quantile(x, 0.3, **o), axis=AXES)
ours("isin", lambda ak, x, **o: ak.isin(x, x[:, ::2], **o), axis=AXES)
ours("searchsorted", lambda ak, x: ak.searchsorted(ak.sort(x), x))
ours("group_by", lambda ak, x, **o: ak.group_by(x, abs(x) % 2, **o), axis=AXES)
FILTERED = ("lists", "missing", "deep", "deep missing")  # regular ones become flat, as NumPy's
ours("filter", lambda ak, x: x[x > 1], data=FILTERED)
ours("filtered order", lambda ak, x, **o: ak.argsort(x[x > 1], **o), data=FILTERED, axis=AXES)
ours("filters", lambda ak, x: index(below(x[x > 1], 6)), data=FILTERED)
ours("filtered lists", lambda ak, x: ak.sort(x[ak.num(x, axis=-1) > 1], axis=1), data=["deep"])
ours("joined", lambda ak, x: index(ak.flatten(x[x > 1], axis=2)), data=["deep"])
ours("joined order", lambda ak, x: ak.sort(ak.flatten(x[x > 1], axis=2)), data=["deep"])
ours("joined argmax", lambda ak, x: ak.argmax(ak.flatten(x, axis=2), axis=1), data=["deep"])
ours("joined filter", lambda ak, x: index(below(ak.flatten(x, axis=2), 1)), data=["deep"])
ours("slices", lambda ak, x: x[:, 1:-1:2])
ours("reversed", lambda ak, x: x[..., ::-1] * 2)
ours("order", lambda ak, x: x[ak.argsort(x)], data=FILTERED)
ours("the largest", lambda ak, x: x[ak.argmax(x, axis=-1, keepdims=True)], data=FILTERED)
ours("less the mean", lambda ak, x: x - ak.mean(x, axis=-1))
ours("pairs", lambda ak, x: pairs(x)["0"])
ours("some pairs", lambda ak, x: index(pairs(x)[pairs(x)["0"] > pairs(x)["1"]]), data=FILTERED)


def index(x):
    return ak.local_index(x, axis=-1)


def below(x, limit):
    return x[x < limit]


def pairs(x):
    return ak.combinations(x[..., :4], 2, axis=-1)


def keeps_rows(name, options, depth):
    """Axis 0 and everything at once do not."""
    axis = options.get("axis", -1 if name in ("run_lengths", "softmax") else 1)
    return axis is not None and (axis % depth if axis < 0 else axis) != 0


CASES = [
    (name, data, True)
    for name, (_, names, _) in ROWS.items()
    if name not in OTHER
    for data in names
    if data in LARGE
]
CASES += [(name, data, False) for name, (_, names, _) in OURS.items() for data in names]


def equal(a, b):
    if isinstance(a, ak.Array) and ak.array_equal(a, b, equal_nan=True, check_regular=False):
        return True
    a, b = plain(a), plain(b)
    return a == b or same_values(a, b, 1e-9)


@pytest.mark.parametrize(("name", "data", "theirs"), some(CASES, 12))
def test_rows_of_a_result_are_those_of_rows(name, data, theirs):
    call, _, arguments = (ROWS if theirs else OURS)[name]
    depth, x = {**LARGE, **MORE, **(SHORTER if name in PRODUCTS else {})}[data]
    x = ak.from_awkward(x)
    n = len(x)
    cuts = sorted({0, n // 5, n // 2, min(n // 2 + 3, n), n})
    for options in arguments:
        if not keeps_rows(name, options, depth):
            continue
        with np.errstate(all="ignore"):
            try:
                whole = call(ak, x, **options)
                if not isinstance(whole, ak.Array):
                    break
                whole = ak.materialize(whole)
                ak.to_list(whole[:1])  # a GPU tells of errors when somebody looks
            except (TypeError, ValueError, IndexError, OverflowError):
                continue
            assert len(whole) == n
            for a, b in itertools.pairwise(cuts):
                assert equal(whole[a:b], call(ak, x[a:b], **options)), (options, a, b)
