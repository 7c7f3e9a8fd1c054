# Columns of outer axes: reducers, sorts, scans and sets along them, of lists of two levels and more
# and of all lengths, against plain Python. Of skewed lists at sizes where only linear work ends.
import math
import random

import awkward
import numpy as np
import pytest

import serrate as ak

SHAPES = {
    "few": lambda rng: rng.randrange(4),
    "skewed": lambda rng: rng.choice([0, 0, 0, 0, 1, 2, 40]),
    "empty": lambda rng: 0,
    "regular": lambda rng: 3,
}


def nested(rng, depth, rows, length, missing=0.0):
    """Lists of `depth` levels of few numbers; some of each level are missing."""

    def item(level):
        if rng.random() < missing:
            return None
        if level == depth:
            return rng.randrange(-4, 5)
        # Below a long list the others are short, so that there are not too many items.
        return [item(level + 1) for _ in range(min(length(rng), 4 if level > 1 else 40))]

    return [item(1) for _ in range(rows)]


def merged(rows, depth, f):
    """Items [(index along the axis, item)] of `depth` levels, column by column."""
    rows = [(i, v) for i, v in rows if v is not None]
    if depth == 0:
        return f(rows)
    columns = []
    for i, v in rows:
        columns.extend([] for _ in range(len(v) - len(columns)))
        for k, w in enumerate(v):
            columns[k].append((i, w))
    return [merged(c, depth - 1, f) for c in columns]


def along(x, depth, axis, f):
    if x is None:
        return None
    if axis == 0:
        return merged(list(enumerate(x)), depth - 1, f)
    return [along(v, depth - 1, axis - 1, f) for v in x]


def of_values(f, nothing=None):
    return lambda rows: f([v for _, v in rows]) if rows else nothing


def variance(v):
    m = sum(v) / len(v)
    return sum((x - m) ** 2 for x in v) / len(v)


REDUCERS = {
    "sum": of_values(sum, 0),
    "prod": of_values(math.prod, 1),
    "min": of_values(min),
    "max": of_values(max),
    "any": of_values(any, False),
    "all": of_values(all, True),
    "count": len,
    "count_nonzero": of_values(lambda v: sum(x != 0 for x in v), 0),
    "argmin": lambda rows: min(rows, key=lambda p: p[1])[0] if rows else None,
    "argmax": lambda rows: max(rows, key=lambda p: p[1])[0] if rows else None,
    "ptp": of_values(lambda v: max(v) - min(v)),
    "mean": of_values(lambda v: sum(v) / len(v), math.nan),
    "var": of_values(variance, math.nan),
    "median": of_values(lambda v: float(np.median(v)), math.nan),
}
DEPTHS = [(2, 0), (3, 0), (3, 1), (4, 0), (4, 1), (4, 2), (5, 0), (5, 2)]


def equal(a, b):
    if isinstance(a, list) or isinstance(b, list):
        lists = isinstance(a, list) and isinstance(b, list)
        return lists and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, float) or isinstance(b, float):
        both = a is not None and b is not None
        return both and ((a != a and b != b) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9))
    return a == b


def check(got, want):
    assert equal(got.to_list(), want), (got.to_list(), want)


def typed(x, depth, dtype, lists="var"):
    """An array whose type does not depend on what there is."""
    option = "?" if x != without_none(x) else ""
    t = f"{option}{dtype}"
    for _ in range(depth - 1):
        t = f"option[{lists} * {t}]" if option else f"{lists} * {t}"
    return ak.enforce_type(ak.Array(x), t)


def without_none(x):
    return [without_none(v) for v in x if v is not None] if isinstance(x, list) else x


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("depth", "axis"), DEPTHS)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_reducers(depth, axis, missing, shape):
    rng = random.Random(f"{depth} {axis} {missing} {shape}")
    for rows in (0, 1, 7):
        x = nested(rng, depth, rows, SHAPES[shape], missing)
        for dtype in ("int64", "float64"):
            a = typed(x, depth, dtype)
            for name, f in REDUCERS.items():
                check(getattr(ak, name)(a, axis=axis), along(x, depth, axis, f))
        # Fused with what makes the items, and of lists that are nowhere stored.
        check(
            ak.sum(a * 2 + 1, axis=axis),
            along(x, depth, axis, of_values(lambda v: sum(2 * w + 1 for w in v), 0)),
        )
        kept = a[a > 0]
        check(ak.sum(kept, axis=axis), along(kept.to_list(), depth, axis, REDUCERS["sum"]))
        check(
            ak.prod(kept, axis=axis - depth), along(kept.to_list(), depth, axis, REDUCERS["prod"])
        )


@pytest.mark.parametrize(("depth", "axis"), DEPTHS)
def test_reducers_of_regular_lists(depth, axis):
    x = np.random.default_rng(depth).integers(-4, 5, (5, 2, 3, 2, 3)[:depth])
    for which in ("all", "outer", "inner"):
        a = ak.Array(x)
        levels = {"all": [], "outer": [depth - 1], "inner": [1]}[which]
        for level in levels:
            a = ak.from_regular(a, axis=level)
        for name in ("sum", "prod", "max", "argmin", "any", "count"):
            want = getattr(awkward, name)(awkward.Array(x), axis=axis).to_list()
            check(getattr(ak, name)(a, axis=axis), want)
            kept = getattr(ak, name)(a, axis=axis, keepdims=True)
            numpy = np.array(want).reshape([1 if k == axis else n for k, n in enumerate(x.shape)])
            check(kept, numpy.tolist())


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_keepdims(depth):
    rng = random.Random(depth)
    x = nested(rng, depth, 6, SHAPES["few"])
    for axis in range(depth - 1):
        for name in ("sum", "prod", "argmax"):

            def wrapped(y, level=axis):
                return [y] if level == 0 else [wrapped(v, level - 1) for v in y]

            want = wrapped(along(x, depth, axis, REDUCERS[name]))
            check(getattr(ak, name)(typed(x, depth, "int64"), axis=axis, keepdims=True), want)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax", "any", "count", "sum", "prod"])
@pytest.mark.parametrize("dtype", ["uint64", "float32", "bool", "int8"])
def test_other_numbers(name, dtype):
    rng = random.Random(name)
    x = nested(rng, 3, 8, SHAPES["skewed"])
    x = [[[abs(v) % (2 if dtype == "bool" else 9) for v in w] for w in y] for y in x]
    for axis in (0, 1):
        want = along(x, 3, axis, REDUCERS[name])
        got = getattr(ak, name)(typed(x, 3, dtype), axis=axis)
        check(got, want)


def test_words_and_nan_along_outer_axes():
    words = [[["b", "a"], []], [], [["a", "c", "d"], ["e"], ["f"]]]
    assert ak.max(ak.Array(words), axis=0).to_list() == [["b", "c", "d"], ["e"], ["f"]]
    assert ak.argmin(ak.Array(words), axis=0).to_list() == [[2, 0, 2], [2], [2]]
    assert ak.sort(ak.Array(words), axis=0).to_list() == [
        [["a", "a"], []],
        [],
        [["b", "c", "d"], ["e"], ["f"]],
    ]
    x = ak.Array([[[math.nan, 1.0]], [[2.0]], [[1.0, math.nan, math.nan]]])
    assert ak.max(x, axis=0).to_list() == [[2.0, 1.0, -math.inf]]
    columns = ak.Array([[math.nan, 2, 1], [1, math.nan], [math.nan]])
    rows = [[0, 1, 2], [0, 2], [2]]
    first = ak.argmax(columns, axis=1).to_list()
    assert ak.argmax(x, axis=0).to_list() == [[r[k] for r, k in zip(rows, first, strict=True)]]
    z = ak.Array([[[1 + 2j], [3j]], [[1 + 3j, 2]], [[]]])
    assert ak.argmax(z, axis=0).to_list() == [[1, 1], [0]]
    assert ak.max(z, axis=0).to_list() == [[1 + 3j, 2], [3j]]


def in_place(x, depth, axis, f):
    """f of the values of each column, put back where they were."""
    out = [list(p) for p in paths(x, depth)]
    columns = {}
    for k, (path, _) in enumerate(out):
        columns.setdefault(path[:axis] + path[axis + 1 :], []).append(k)
    values = {}
    for places in columns.values():
        for k, v in zip(places, f([out[k][1] for k in places]), strict=True):
            values[out[k][0]] = v

    def again(y, level, path):
        return (
            values[path]
            if level == depth
            else [again(v, level + 1, (*path, i)) for i, v in enumerate(y)]
        )

    return again(x, 0, ())


def paths(x, depth, path=()):
    if depth == 0:
        return [(path, x)]
    return [p for i, v in enumerate(x) for p in paths(v, depth - 1, (*path, i))]


def order(v):
    return sorted(range(len(v)), key=lambda i: v[i])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("depth", "axis"), DEPTHS)
def test_sorts_and_scans(depth, axis, shape):
    rng = random.Random(f"{depth} {axis} {shape}")
    for rows in (0, 1, 7):
        x = nested(rng, depth, rows, SHAPES[shape])
        a = typed(x, depth, "int64")
        check(ak.sort(a, axis=axis), in_place(x, depth, axis, sorted))
        check(
            ak.cumsum(a * 2, axis=axis),
            in_place(x, depth, axis, lambda v: [2 * int(s) for s in np.cumsum(v)]),
        )

        # Positions are those along the axis, not those in the column.
        best = along(x, depth, axis, lambda r: [r[k][0] for k in order([v for _, v in r])][:2])
        check(ak.argtopk(a, 2, axis=axis, largest=False), best)
        different = along(x, depth, axis, lambda r: sorted({v for _, v in r}))
        check(ak.unique(a, axis=axis), different)


def skewed(rows, giant):
    """Three levels: lists of few lists of few numbers, and one of many."""
    rng = np.random.default_rng(3)
    outer = rng.poisson(1, rows)
    outer[rows // 2] = giant
    inner = rng.poisson(1, outer.sum())
    values = rng.integers(-4, 5, inner.sum())
    return outer, inner, values


def lists_of(lengths, x):
    return ak.unflatten(x, lengths)


def columns_of(lengths, keys):
    """(key of the owner, index) of each item, as one number; of lists of these lengths."""
    starts = np.cumsum(lengths) - lengths
    index = np.arange(lengths.sum()) - np.repeat(starts, lengths)
    return np.repeat(keys, lengths), index


@pytest.mark.parametrize("depth", [2, 3])
def test_one_giant_list_among_many(depth):
    outer, inner, values = skewed(100_000, 100_000)
    if depth == 2:
        values = np.resize(values, outer.sum())
        a = lists_of(outer, values)
        cell = columns_of(outer, np.zeros(len(outer), int))[1]
        row = np.repeat(np.arange(len(outer)), outer)
    else:
        a = lists_of(outer, lists_of(inner, values))
        first = columns_of(outer, np.zeros(len(outer), int))[1]
        of_item, second = columns_of(inner, first)
        cell = np.unique(np.stack([of_item, second]), axis=1, return_inverse=True)[1].ravel()
        row = np.repeat(np.repeat(np.arange(len(outer)), outer), inner)
    by = np.argsort(cell, kind="stable")
    starts = np.flatnonzero(np.diff(cell[by], prepend=-1))
    v = values[by]

    def flat(result):
        return np.asarray(ak.to_backend(ak.ravel(result), "cpu"))

    assert (flat(ak.sum(a, axis=0)) == np.add.reduceat(v, starts)).all()
    assert (flat(ak.sum(a * 1.0, axis=0)) == np.add.reduceat(v, starts)).all()
    assert (flat(ak.prod(a, axis=0)) == np.multiply.reduceat(v, starts)).all()
    assert (flat(ak.max(a, axis=0)) == np.maximum.reduceat(v, starts)).all()
    ends = np.append(starts[1:], len(v))
    assert (flat(ak.count(a, axis=0)) == ends - starts).all()
    longest = max(range(len(starts)), key=lambda k: ends[k] - starts[k])
    some = [*range(100), longest, len(starts) - 1]
    medians = flat(ak.median(a, axis=0))
    places = flat(ak.argmin(a, axis=0))
    rows = row[by]
    for k in some:
        of_column = v[starts[k] : ends[k]]
        assert medians[k] == np.median(of_column)
        assert places[k] == rows[starts[k] + np.argmin(of_column)]
    in_order = np.empty_like(v)
    in_order[by] = values[np.lexsort((values, cell))]
    assert (flat(ak.sort(a, axis=0)) == in_order).all()
    totals = np.empty_like(v)
    running = np.cumsum(v)
    before = np.repeat(running[starts] - v[starts], ends - starts)
    totals[by] = running - before
    assert (flat(ak.cumsum(a, axis=0)) == totals).all()
    different = np.unique(np.stack([cell, values]), axis=1)[1]
    assert (flat(ak.flatten(ak.unique(a, axis=0), axis=None)) == different).all()


def test_one_giant_list_inside_a_list():
    # Along axis 1: the columns of each list by themselves.
    outer = np.array([3, 100_000, 0, 2])
    inner = np.ones(outer.sum(), int)
    inner[50_000] = 100_000
    values = np.arange(inner.sum()) % 7
    a = lists_of(outer, lists_of(inner, values))
    got = ak.sum(a, axis=1)
    assert ak.num(got, axis=1).to_list() == [1, 100_000, 0, 1]
    assert got[0].to_list() == [values[:3].sum()]
    giant = values[3 + 49_997 : 3 + 49_997 + 100_000]
    assert got[1][1:].to_list() == giant[1:].tolist()
    assert ak.sum(got, axis=None) == values.sum()
    assert ak.sum(ak.sort(a, axis=1) == ak.sort(a, axis=1), axis=None) == len(values)


def deep(levels, items):
    """Lists of one list each, down to `items` numbers."""
    x = ak.Array(np.arange(items))
    for _ in range(levels - 1):
        x = ak.unflatten(x, 1)
    return x


@pytest.mark.parametrize("kind", ["regular", "var"])
@pytest.mark.parametrize("levels", [9, 13, 32, 40])
def test_many_levels(levels, kind):
    x = deep(levels, 50)
    if kind == "var":
        x = ak.from_regular(x, axis=None)
    numbers = np.arange(50)
    for name in ("sum", "max", "prod", "argmax", "median"):
        want = getattr(ak, name)(ak.Array(numbers), axis=0)
        got = getattr(ak, name)(x, axis=0)
        assert got.ndim == levels - 1
        assert ak.ravel(got).to_list() == [want]
        assert getattr(ak, name)(x * 1, axis=None) == want
    assert ak.ravel(ak.sum(x, axis=1)).to_list() == numbers.tolist()
    for joined in (ak.flatten(x, axis=None), ak.ravel(x), ak.ravel(x + 0)):
        assert joined.to_list() == numbers.tolist()
    assert ak.ravel(ak.sort(-x, axis=0)).to_list() == sorted(-numbers)
    kept = x[x > 20]
    assert ak.ravel(kept).to_list() == [*range(21, 50)]
    assert ak.sum(kept, axis=None) == sum(range(21, 50))


def test_too_many_levels():
    with pytest.raises(ValueError, match="levels"):
        (ak.sum(deep(70, 2) + 1, axis=None) + 1).item()


def test_lists_around_stored_lists_are_views():
    values = np.arange(7.0)
    offsets = np.array([0, 3, 3, 7])
    x = ak.Array(
        ak.contents.ListOffsetArray(ak.index.Index64(offsets), ak.contents.NumpyArray(values))
    )
    for y in (
        x[np.newaxis],
        x[:, np.newaxis],
        x[np.newaxis, :, np.newaxis],
        ak.from_numpy(values)[None],
    ):
        plan = ak.explain(y)
        assert plan.passes == 0, plan
    around = [[x.to_list()], [[v] for v in x.to_list()]]
    assert [x[np.newaxis].to_list(), x[:, np.newaxis].to_list()] == around
    assert str(x[np.newaxis].type) == "1 * 3 * var * float64"
    assert str(x[:, np.newaxis].type) == "3 * 1 * var * float64"
    # Of what starts late, of records, of options, of what is computed.
    tail = x[1:]
    assert tail[np.newaxis].to_list() == [tail.to_list()]
    assert tail[:, np.newaxis].to_list() == [[v] for v in tail.to_list()]
    regular = ak.from_numpy(np.arange(12).reshape(2, 3, 2))
    for y in (regular, regular[1:], ak.zip({"a": regular, "b": regular[:, :, 0]}, depth_limit=2)):
        assert y[np.newaxis].to_list() == [y.to_list()]
        assert y[:, np.newaxis].to_list() == [[v] for v in y.to_list()]
    some = ak.Array([[1, None], None, [], [3]])
    for y in (
        some,
        some[1:] * 2,
        ak.sort(x, axis=-1),
        x[x > 1],
        ak.sum(x, axis=-1),
        x - ak.mean(x, axis=-1),
    ):
        assert y[np.newaxis].to_list() == [y.to_list()]
        assert y[:, np.newaxis].to_list() == [[v] for v in y.to_list()]
        assert (
            ak.sum(y[np.newaxis], axis=-1).to_list() == [ak.sum(y, axis=-1).to_list()]
            if y.ndim > 1
            else True
        )
        assert (y[:, np.newaxis] * 2)[:, 0].to_list() == (y * 2).to_list()


def test_unions_in_many_lists():
    x = [1, "a"]
    for _ in range(30):
        x = [x]
    a = ak.to_backend(ak.Array(x), "cpu")
    form, length, container = ak.to_buffers(a)
    assert ak.from_buffers(form, length, container).to_list() == x


def test_combinations_of_more_than_there_are():
    x = ak.Array([[1, 2, 3], []])
    for n in (65, 2**31 - 1):
        with pytest.raises(ValueError, match="n must be at most 64"):
            ak.combinations(x, n)
        with pytest.raises(ValueError, match="n must be at most 64"):
            ak.argcombinations(x, n)
    assert ak.num(ak.combinations(x, 64), axis=1).to_list() == [0, 0]
