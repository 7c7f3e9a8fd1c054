# Sorts and scans of missing items along outer axes, of matrices and of lists, against plain Python.
import random
import statistics

import pytest

import serrate as ak


def array_of(rng, shape, any_length=False):
    """Nested lists of these lengths, or of up to as many items; some numbers are missing."""
    if not shape:
        return None if rng.random() < 0.3 else rng.randrange(-9, 10)
    n = rng.randrange(shape[0] + 1) if any_length else shape[0]
    return [array_of(rng, shape[1:], any_length) for _ in range(n)]


def columns_of(x, axis, depth, path=()):
    """{place without the axis: [(index along it, item)]}."""
    out = {}

    def walk(v, path):
        if len(path) == depth:
            key = path[:axis] + path[axis + 1 :]
            out.setdefault(key, []).append((path[axis], v))
            return
        for i, w in enumerate(v):
            walk(w, (*path, i))

    walk(x, path)
    return out


def put_back(x, axis, depth, columns):
    def again(v, path):
        if len(path) == depth:
            return columns[path[:axis] + path[axis + 1 :]][path[axis]]
        return [again(w, (*path, i)) for i, w in enumerate(v)]

    return again(x, ())


def in_columns(x, axis, depth, f):
    """f of the items of each column, put back to where they are."""
    found = {}
    for key, items in columns_of(x, axis, depth).items():
        values = f([v for _, v in items])
        found[key] = {i: v for (i, _), v in zip(items, values, strict=True)}
    return put_back(x, axis, depth, found)


def sorted_with_none(values):
    some = sorted(v for v in values if v is not None)
    return some + [None] * (len(values) - len(some))


def sums(values):
    out, total = [], 0
    for v in values:
        total += v or 0
        out.append(None if v is None else total)
    return out


def largest(values):
    out, most = [], None
    for v in values:
        most = v if most is None else most if v is None else max(v, most)
        out.append(None if v is None else most)
    return out


SHAPES = [(4, 3), (1, 5), (40, 33), (3, 4, 5), (33, 2, 3), (2, 70, 3), (2, 3, 4, 2)]


@pytest.mark.parametrize("shape", SHAPES)
def test_matrices(shape):
    rng = random.Random(str(shape))
    values = array_of(rng, shape)
    x = ak.to_regular(ak.Array(values), axis=None)
    depth = len(shape)
    for axis in range(depth - 1):
        for y in (x, ak.values_astype(x, "float32")):
            assert ak.sort(y, axis=axis).to_list() == in_columns(
                values, axis, depth, sorted_with_none
            )
            assert ak.cumsum(y, axis=axis).to_list() == in_columns(values, axis, depth, sums)
        got = ak.cummax(x + 0, axis=axis - depth)
        assert got.to_list() == in_columns(values, axis, depth, largest)
        # The same as of lists that are not regular, whose items are sorted by their column.
        lists = ak.from_regular(x, axis=None)
        for f in (ak.argsort, ak.sort):
            for ascending in (True, False):
                got = f(x, axis=axis, ascending=ascending)
                assert got.to_list() == f(lists, axis=axis, ascending=ascending).to_list()


@pytest.mark.parametrize("shape", [(7, 5), (5, 4, 4)])
def test_lists(shape):
    rng = random.Random(str(shape))
    depth = len(shape)
    # Of missing items `sort` compacts columns, so that only what stays in place is compared.
    for _ in range(5):
        values = array_of(rng, shape, any_length=True)
        x = ak.values_astype(ak.Array(values), "int64") if ak.count(ak.Array(values)) else None
        if x is None or x.ndim != depth:
            continue
        for axis in range(depth - 1):
            assert ak.cumsum(x, axis=axis).to_list() == in_columns(values, axis, depth, sums)
            assert ak.cummax(x, axis=axis).to_list() == in_columns(values, axis, depth, largest)


def test_some_rows_of_a_matrix():
    values = [[1, None, 3], [None, 5, 2], [0, 1, None], [9, None, 9]]
    x = ak.to_regular(ak.Array(values))
    for part in (slice(1, None), slice(2, 3), slice(4, None)):
        assert ak.sort(x[part], axis=0).to_list() == in_columns(
            values[part], 0, 2, sorted_with_none
        )
    assert ak.cumsum(x[:, 1:], axis=0).to_list() == in_columns([v[1:] for v in values], 0, 2, sums)
    without = ak.sort(x[:, :0], axis=0)
    assert without.to_list() == [[], [], [], []]


def test_columns_are_put_in_order_once():
    """Nothing of it is left for who looks."""
    lists = ak.Array([[1, None, 3], [], [None, 5], [0]])
    for y in (ak.cumsum(lists, axis=0), ak.sort(lists[:, 1:], axis=0), ak.cummax(lists, axis=0)):
        assert "argsort" not in ak.explain(y).text, ak.explain(y)
    # Nor of what is transposed.
    if ak.backend(lists) == "cpu":
        matrix = ak.to_regular(ak.Array([[1, None, 3], [None, 5, 2]]))
        plan = ak.explain(ak.sort(matrix, axis=0))
        assert plan.passes == 0, plan


@pytest.mark.parametrize("longest", [9, 10, 11, 12, 13, 60])
def test_rows_of_lengths_that_differ(longest):
    """Columns walk all rows where these are nearly as long; else only items are stored."""
    rng = random.Random(longest)
    values = [[rng.randrange(9) for _ in range(rng.choice([7, 8, 9]))] for _ in range(30)]
    values[17] = [rng.randrange(9) for _ in range(longest)]
    x = ak.Array(values)
    columns = columns_of(values, 0, 2)
    by_column = [[v for _, v in columns[(k,)]] for k in range(longest)]
    medians = [statistics.median(c) for c in by_column]
    median, best, different = ak.median(x, axis=0), ak.topk(x, 2, axis=0), ak.unique(x, axis=0)
    if longest == 60:
        # Not of 30 x 60 places: columns of what there is.
        for y in (median, best, different):
            assert "less(outer index" not in ak.explain(y).text, ak.explain(y)
    assert median.to_list() == medians
    assert best.to_list() == [sorted(c, reverse=True)[:2] for c in by_column]
    assert different.to_list() == [sorted(set(c)) for c in by_column]
