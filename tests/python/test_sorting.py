# Functions on whole lists: against Awkward where it is right, else against plain Python and NumPy.
import functools
import itertools
import math

import awkward
import numpy as np
import pytest
from conftest import assert_same_values, both
from hypothesis import given
from hypothesis import strategies as st
from strategies import arrays, floats, leaves, numbers, strings

import serrate as ak

ALL_TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
ALL_TYPES += ["bool", "float16", "float32", "float64"]


def is_nan(v):
    return isinstance(v, float) and math.isnan(v)


def order(row, ascending=True):
    """Positions in order: NaN after numbers, None last, equal ones as they stand."""

    def compare(i, j):
        a, b = row[i], row[j]
        late = [2 if v is None else 1 if is_nan(v) else 0 for v in (a, b)]
        if late != [0, 0]:
            return late[0] - late[1]
        if isinstance(a, str):
            a, b = a.encode(), b.encode()
        return ((a > b) - (a < b)) * (1 if ascending else -1)

    return sorted(range(len(row)), key=functools.cmp_to_key(compare))


def sorted_lists(x, ascending=True):
    return per_list(x, lambda row: [row[i] for i in order(row, ascending)])


def per_list(x, f):
    """f of each innermost list of x, an awkward.Array, as nested Python lists."""

    def walk(v, level):
        if v is None:
            return None
        return f(v) if level == 1 else [walk(i, level - 1) for i in v]

    return walk(x.to_list(), x.ndim)


# Of regular lists without items Awkward forgets that they are regular.
@given(arrays(leaf=numbers(special=False), optional=False, regular=False), st.booleans())
def test_sort_as_awkward(x, ascending):
    both(lambda ak, x: ak.sort(x + 0, ascending=ascending), x)


# Of regular lists without items Awkward forgets that they are regular.
@given(arrays(leaf=numbers(special=False), optional=False, regular=False), st.booleans())
def test_argsort_as_awkward(x, ascending):
    both(lambda ak, x: ak.argsort(x, ascending=ascending, stable=True), x)


@given(
    arrays(leaf=numbers(special=False), min_depth=1, optional=False, regular=False),
    st.sampled_from([0, 1, -2]),
)
def test_outer_axes_as_awkward(x, axis):
    both(lambda ak, x: ak.sort(x, axis=axis), x)
    if x.ndim == 2:  # see test_known_differences
        both(lambda ak, x: ak.argsort(x, axis=axis), x)


def test_many_columns():
    """More items than a block counts: the positions of their columns follow each other."""
    rng = np.random.default_rng(3)
    rows = [[rng.integers(0, 9, n).tolist() for n in rng.integers(0, 40, 90)] for _ in range(3)]
    both(lambda ak, x: ak.sort(x, axis=0), rows)


@given(arrays(), st.booleans())
def test_sort_of_everything(x, ascending):
    ours = ak.from_awkward(x)
    assert_same_values(ak.sort(ours, ascending=ascending), sorted_lists(x, ascending))
    assert_same_values(
        ak.argsort(ours, ascending=ascending), per_list(x, lambda row: order(row, ascending))
    )


@given(arrays(leaf=strings), st.booleans())
def test_strings(x, ascending):
    ours = ak.from_awkward(x)
    assert_same_values(ak.sort(ours, ascending=ascending), sorted_lists(x, ascending))


@pytest.mark.parametrize("dtype", ALL_TYPES)
def test_every_type(dtype):
    rng = np.random.default_rng(1)
    for lengths in ([0, 1, 2, 3, 4, 7, 8, 9, 40, 64, 65], [1000], [5000, 0, 2], [300_000]):
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        flat = (rng.normal(size=offsets[-1]) * 50).astype(dtype)
        x = ak.unflatten(ak.from_numpy(flat), lengths)
        rows = [flat[a:b] for a, b in itertools.pairwise(offsets)]
        same = np.concatenate([np.sort(r, kind="stable") for r in rows])
        assert np.array_equal(ak.to_numpy(ak.to_backend(ak.flatten(ak.sort(x)), "cpu")), same)
        same = np.concatenate([np.argsort(r, kind="stable") for r in rows])
        assert np.array_equal(ak.to_numpy(ak.to_backend(ak.flatten(ak.argsort(x)), "cpu")), same)
        assert str(ak.sort(x).type) == str(x.type)


def test_times():
    days = np.array(["2020-01-01", "NaT", "2019-05-05", "2021-01-01"], "M8[D]")
    x = ak.from_numpy(days)
    assert np.array_equal(
        ak.to_numpy(ak.to_backend(ak.sort(x), "cpu")), np.sort(days), equal_nan=True
    )
    assert ak.argsort(x).tolist() == [2, 0, 3, 1]
    assert ak.argsort(x, ascending=False).tolist() == [3, 0, 2, 1]
    steps = ak.from_numpy(np.array([1, 2, -5], "m8[s]"))
    assert np.array_equal(
        ak.to_numpy(ak.to_backend(ak.cumsum(steps), "cpu")), np.array([1, 3, -2], "m8[s]")
    )
    assert np.array_equal(ak.to_numpy(ak.to_backend(ak.diff(x[:1]), "cpu")), np.array([], "m8[D]"))
    with pytest.raises(TypeError):
        ak.cumsum(x)


def test_signs_of_zeros_are_kept():
    x = ak.Array([[0.0, -1.0, -0.0], [-0.0, 0.0]])
    signs = [[math.copysign(1, v) for v in row] for row in ak.sort(x).tolist()]
    assert signs == [[-1, 1, -1], [-1, 1]]


def test_missing():
    x = ak.Array([[3.0, None, 1.0, math.nan], None, [2.0, None], []])
    assert_same_values(ak.sort(x), [[1.0, 3.0, math.nan, None], None, [2.0, None], []])
    assert str(ak.sort(x).type) == "4 * option[var * ?float64]"
    assert ak.argsort(x).tolist() == [[2, 0, 3, 1], None, [0, 1], []]
    assert str(ak.argsort(x).type) == "4 * option[var * int64]"
    assert ak.sort([3, None, 1]).tolist() == [1, 3, None]


def test_outer_axis_of_missing():
    x = ak.Array([[3, None, 1], None, [2, 7], [], [1]])
    assert ak.sort(x, axis=0).tolist() == [[1, 7, 1], [2, None], [], [3], None]
    assert ak.argsort(x, axis=0).tolist() == [[4, 2, 0], [2, 0], [], [0], None]
    y = [[[5], None, [3, 1]], None, [None, [2]]]
    both(lambda ak, x: ak.sort(x, axis=1), y)
    assert ak.argsort(ak.Array(y), axis=1).tolist() == [[[2], [0, 2], None], None, [[1], None]]


def test_missing_records():
    x = [{"a": 2, "b": "x"}, None, {"a": None, "b": "w"}, {"a": 1, "b": None}]
    both(lambda ak, x: ak.sort(x, axis=0), x)
    assert ak.sort(ak.Array(x)).tolist()[-2:] == [{"a": None, "b": None}, None]


def test_unions_of_numbers():
    x = ak.concatenate([ak.Array([[3, 1]]), ak.Array([[True]])], axis=1, mergebool=False)
    assert "union" in str(x.type)
    assert ak.sort(x).tolist() == [[1, 1, 3]]
    assert ak.argsort(x).tolist() == [[1, 2, 0]]
    assert ak.cumsum(x).tolist() == [[3, 4, 5]]


def test_deep_outer_axes():
    x = [[[3, 1], [2, 9, 9]], [[5], [0, 1]], [], [[4, 0, 7]]]
    for axis in (0, 1, -3, -2):
        both(lambda ak, x, axis=axis: ak.sort(x, axis=axis), x)
    assert ak.argsort(x, axis=1).tolist() == [[[1, 0], [0, 1, 1]], [[1], [0, 1]], [], [[0, 0, 0]]]
    assert ak.argsort(x, axis=0).tolist() == [[[0, 3], [1, 1, 0]], [[3], [0, 0]], [], [[1, 0, 3]]]


def test_records():
    x = ak.Array([[{"x": 2, "y": 1.0}, {"x": 1, "y": 3.0}]])
    assert ak.sort(x).tolist() == [[{"x": 1, "y": 1.0}, {"x": 2, "y": 3.0}]]
    with pytest.raises(TypeError):
        ak.argsort(x)
    assert x[ak.argsort(x.y, ascending=False)].x.tolist() == [[1, 2]]


def test_refused():
    with pytest.raises(TypeError, match="union"):
        ak.cumsum(ak.Array([[1, "a"]]))
    with pytest.raises(TypeError, match="union"):
        ak.diff(ak.Array([[1, "a"]]))
    with pytest.raises(ValueError, match="axis"):
        ak.sort(ak.Array([[1]]), axis=2)
    with pytest.raises(ValueError, match="axis"):
        ak.sort(ak.Array([[1]]), axis=-3)
    with pytest.raises(TypeError):
        ak.sort(3)
    with pytest.raises(TypeError):
        ak.cumsum(ak.Array(["a"]))


def test_axis_none():
    x = ak.Array([[3, 1], [], [2, None]])
    assert ak.sort(x, axis=None).tolist() == [1, 2, 3, None]
    assert ak.argsort(x, axis=None).tolist() == [1, 2, 0, 3]
    assert ak.cumsum(x, axis=None).tolist() == [3, 4, 6, None]
    assert ak.is_unique(x, axis=None) == True  # noqa: E712


@pytest.mark.parametrize("empty", [[], [[], []], [[None], []]])
def test_nothing(empty):
    assert ak.sort(empty).tolist() == empty
    assert ak.argsort(empty).tolist() == [[0] * len(row) for row in empty]
    assert ak.cumsum(empty).tolist() == empty
    assert ak.run_lengths(empty).tolist() == [[1] * len(row) for row in empty]


def test_of_expressions():
    x = ak.Array([[3, -1, 2], [], [-4, 5, -6, 1]])
    kept = x[x > 0]
    assert ak.sort(kept).tolist() == [[2, 3], [], [1, 5]]
    assert ak.argsort(kept * -1).tolist() == [[0, 1], [], [0, 1]]
    assert ak.sum(ak.sort(kept)[:, :1], axis=-1).tolist() == [2, 0, 1]
    assert ak.firsts(ak.sort(x)).tolist() == [-1, None, -6]
    assert ak.sort(x)[[2, 0]].tolist() == [[-6, -4, 1, 5], [-1, 2, 3]]
    assert ak.sort(x)[:, 1:].tolist() == [[2, 3], [], [-4, 1, 5]]
    assert ak.sort(x)[1:].tolist() == [[], [-6, -4, 1, 5]]
    assert ak.sort(ak.argsort(x), ascending=False).tolist() == [[2, 1, 0], [], [3, 2, 1, 0]]
    pairs = ak.combinations(ak.sort(x), 2)
    assert ak.max(pairs["1"] - pairs["0"], axis=-1).tolist() == [4, None, 11]
    assert ak.sort(ak.combinations(x, 2)["0"]).tolist() == [[-1, 3, 3], [], [-6, -4, -4, -4, 5, 5]]
    assert ak.sort(ak.sum(x, axis=-1)).tolist() == [-4, 0, 4]
    assert ak.flatten(ak.sort(x)).tolist() == [-1, 2, 3, -6, -4, 1, 5]
    assert (ak.sort(x) + ak.sort(x, axis=-1, ascending=False)).tolist() == [
        [2, 4, 2],
        [],
        [-1, -3, -3, -1],
    ]


def test_numpy_names():
    x = ak.Array([[3, 1, 3], [], [2]])
    assert np.sort(x).tolist() == [[1, 3, 3], [], [2]]
    assert np.argsort(x).tolist() == [[1, 0, 2], [], [0]]
    assert np.cumsum(x).tolist() == [3, 4, 7, 9]
    assert np.cumsum(x, axis=-1).tolist() == [[3, 4, 7], [], [2]]
    assert np.cumprod(x, axis=1).tolist() == [[3, 3, 9], [], [2]]
    assert np.diff(x).tolist() == [[-2, 2], [], []]
    assert np.unique(x).tolist() == [1, 2, 3]
    values, counts = np.unique(x, return_counts=True)
    assert (values.tolist(), counts.tolist()) == ([1, 2, 3], [1, 1, 2])


SCANS = {
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
}


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("dtype", [*ALL_TYPES, "complex64", "complex128"])
def test_scans_of_every_type(name, dtype):
    if dtype.startswith("complex") and name in ("cummax", "cummin"):
        return
    rng = np.random.default_rng(2)
    lengths = [0, 1, 2, 3, 4, 5, 8, 9, 33, 1000]
    if name == "cumsum":
        lengths += [70_000]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    flat = rng.integers(0, 2, offsets[-1]).astype(dtype)
    x = ak.unflatten(ak.from_numpy(flat), lengths)
    ours = ak.to_numpy(ak.to_backend(ak.flatten(getattr(ak, name)(x)), "cpu"))
    rows = [SCANS[name](flat[a:b]) for a, b in itertools.pairwise(offsets)]
    theirs = np.concatenate(rows)
    if dtype == "float16" and name == "cumsum":  # which stops at 2048 where each step rounds
        ours, theirs = ours[:1000], theirs[:1000]
    assert ours.dtype == theirs.dtype
    assert np.allclose(ours, theirs, rtol=1e-6)


# Which zero the minimum of -0.0 and 0.0 is, and where products of huge numbers overflow, depends on
# the order.
@given(arrays(leaf=floats(special=False)))
@pytest.mark.parametrize("name", SCANS)
def test_scans(name, x):
    def scan(row):
        present = np.array([v for v in row if v is not None])
        with np.errstate(all="ignore"):
            done = iter(SCANS[name](present).tolist())
        return [None if v is None else next(done) for v in row]

    ours = getattr(ak, name)(ak.from_awkward(x))
    assert_same_values(ours, per_list(x, scan), rtol=1e-9)


def test_scans_along_outer_axes():
    x = ak.Array([[1, 2], [10], [], [100, 200, 300]])
    assert ak.cumsum(x, axis=0).tolist() == [[1, 2], [11], [], [111, 202, 300]]
    assert ak.cummax(x * ak.Array([1, -1, 0, -1]), axis=0).tolist() == [
        [1, 2],
        [1],
        [],
        [1, 2, -300],
    ]
    regular = np.arange(24).reshape(2, 3, 4)
    for axis in (0, 1, 2):
        ours = ak.cumsum(ak.from_numpy(regular), axis=axis)
        assert ours.tolist() == np.cumsum(regular, axis=axis).tolist()
        assert str(ours.type) == "2 * 3 * 4 * int64"


@given(arrays(leaf=lambda n: leaves(n, ("int8", "float64", "bool")), optional=False))
def test_diff(x):
    def diff(row):
        with np.errstate(all="ignore"):
            return np.diff(np.array(row)).tolist()

    if "int8" not in str(x.type):
        assert_same_values(ak.diff(ak.from_awkward(x)), per_list(x, diff))
    twice = ak.diff(ak.diff(ak.from_awkward(x)))
    assert_same_values(ak.diff(ak.from_awkward(x), 2), twice.tolist())


@given(arrays(leaf=lambda n: leaves(n, ("bool", "int8"), special=False)))
def test_run_lengths(x):
    def runs(row):
        starts = [i for i in range(len(row)) if i == 0 or row[i] != row[i - 1]]
        return np.diff([*starts, len(row)]).tolist()

    assert_same_values(ak.run_lengths(ak.from_awkward(x)), per_list(x, runs))


@pytest.mark.parametrize(
    "data",
    [[1, 1, 2], [[1, 1, 2], [2, 2], []], ["a", "a", "b"], [["a", "a", "b"], ["b"]], [[[1, 1], []]]],
)
def test_run_lengths_as_awkward(data):
    both(lambda ak, x: ak.run_lengths(x), data)


@given(arrays(leaf=lambda n: leaves(n, ("bool", "int8", "float64"), special=False)))
def test_unique(x):
    ours = ak.from_awkward(x)
    parts = ak.unique(ours, return_index=True, return_inverse=True, return_counts=True)

    def unique(row):
        places = order(row)
        return [row[i] for k, i in enumerate(places) if k == 0 or row[i] != row[places[k - 1]]]

    def inverse(row):
        numbers = {v: i for i, v in enumerate(unique(row))}
        return [numbers[v] for v in row]

    assert_same_values(parts[0], per_list(x, unique))
    assert_same_values(parts[1], per_list(x, lambda row: [row.index(v) for v in unique(row)]))
    assert_same_values(parts[2], per_list(x, inverse))
    assert_same_values(parts[3], per_list(x, lambda row: [row.count(v) for v in unique(row)]))
    distinct = per_list(x, lambda row: len(unique(row)) == len(row))
    if x.ndim > 1:
        assert_same_values(ak.is_unique(ours), distinct)


def test_unique_strings_and_nan():
    words = ak.Array([["b", "a", "b"], [], ["c", None, None]])
    values, counts = ak.unique(words, return_counts=True)
    assert values.tolist() == [["a", "b"], [], ["c", None]]
    assert counts.tolist() == [[1, 2], [], [1, 2]]
    assert_same_values(ak.unique([[math.nan, 1.0, math.nan]]), [[1.0, math.nan]])


@given(arrays(leaf=lambda n: leaves(n, ("int8", "float64"), special=False), optional=False))
@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
def test_rank(method, x):
    def rank(row):
        row = np.array(row)
        less = np.searchsorted(np.sort(row), row)
        last = np.searchsorted(np.sort(row), row, side="right")
        before = [int(np.sum(row[:i] == row[i])) for i in range(len(row))]
        ranks = {
            "average": (less + 1 + last) / 2,
            "min": less + 1,
            "max": last,
            "dense": np.searchsorted(np.unique(row), row) + 1,
            "ordinal": less + 1 + np.array(before, "int64"),
        }
        return ranks[method].tolist()

    assert_same_values(ak.rank(ak.from_awkward(x), method=method), per_list(x, rank))


def test_regular_lists_in_lists_that_start_late():
    inner = awkward.contents.RegularArray(awkward.contents.NumpyArray(np.arange(18)[::-1]), 2)
    index = awkward.index.Index64([1, 3, 3, 8])
    x = awkward.Array(awkward.contents.ListOffsetArray(index, inner))
    both(lambda ak, a: ak.sort(a + 1), x, types=False)
    both(lambda ak, a: ak.argsort(a), x, types=False)
    ranks = [[[2, 1]] * 2, [], [[2, 1]] * 5]
    assert_same_values(ak.rank(ak.from_awkward(x), method="dense"), ranks)
    assert_same_values(ak.cumsum(ak.from_awkward(x) < 13), [[[0, 0], [0, 1]], [], [[1, 2]] * 5])


def test_outer_axes_of_more_items_than_a_gpu_has_threads():
    x = np.random.default_rng(5).integers(0, 100, (3, 120_000))
    lists = ak.from_regular(ak.from_numpy(x), axis=1)
    ours = ak.to_backend(ak.to_regular(ak.sort(lists, axis=0), axis=1), "cpu")
    np.testing.assert_array_equal(ours, np.sort(x, axis=0))


def test_rank_of_missing():
    assert ak.rank([[3, None, 1]]).tolist() == [[2.0, None, 1.0]]
    assert ak.rank([[3, 4, 1]], ascending=False, method="ordinal").tolist() == [[2, 1, 3]]
    with pytest.raises(ValueError, match="method"):
        ak.rank([1], method="best")


def test_single_items_of_what_looks_at_whole_lists():
    x = ak.Array([[3, 1, 2], [], [5, 4]])
    assert ak.rank(x)[0, 1] == 1
    assert ak.rank(x)[2].to_list() == [2, 1]
    counts = ak.cumsum(ak.num(x)) * 1
    assert counts[ak.argsort(counts)][1] == 3
    assert (x + counts[ak.local_index(x, axis=0)])[2, 1] == 9
