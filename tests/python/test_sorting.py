# Sorting lists: against Awkward where it is right, else against plain Python and NumPy.
import itertools
import math

import awkward
import numpy as np
import pytest
from conftest import assert_same_values, both
from host import in_ram
from hypothesis import given
from hypothesis import strategies as st
from ordering import ALL_TYPES, order, per_list, sorted_lists
from strategies import arrays, numbers, strings

import serrate as ak


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


def test_single_items_of_what_looks_at_whole_lists():
    x = ak.Array([[3, 1, 2], [], [5, 4]])
    assert ak.rank(x)[0, 1] == 1
    assert ak.rank(x)[2].to_list() == [2, 1]
    counts = ak.cumsum(ak.num(x)) * 1
    assert counts[ak.argsort(counts)][1] == 3
    assert (x + counts[ak.local_index(x, axis=0)])[2, 1] == 9


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_regular_lists_of_what_is_sorted_with_missing_lists(axis):
    x = ak.Array([[[4, 3]], None, [[1, 9, 2]], [[]], None])
    in_order = ak.materialize(ak.sort(x, axis=axis))
    y = ak.to_regular(ak.sort(x, axis=axis), axis=1)
    assert str(y.type) == "5 * option[1 * var * int64]"
    assert y.to_list() == in_order.to_list()
    assert ak.to_regular(in_order, axis=1).to_list() == in_order.to_list()


# Lengths at which a CPU goes from comparing to merging, partitioning by vectors, digits.
@pytest.mark.parametrize("n", [63, 65, 191, 192, 193, 1535, 1536, 1537, 5000])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_long_lists_of_every_type(dtype, n):
    rng = np.random.default_rng(n)
    t = np.dtype(dtype)
    if t.kind == "f":
        x = (rng.normal(size=n) * 1e3).astype(t)
        special = [np.inf, -np.inf, np.nan, 0.0]
    else:
        x = rng.integers(np.iinfo(t).min, np.iinfo(t).max, n, dtype=t, endpoint=True)
        special = [np.iinfo(t).min, np.iinfo(t).max, 0, 1]
    mixed = x.copy()
    mixed[:: n // 7] = np.resize(np.array(special, t), mixed[:: n // 7].size)
    for values in (x, mixed, np.sort(x), np.sort(x)[::-1].copy(), np.full(n, x[0]), x // 100):
        lists = ak.unflatten(ak.Array(np.concatenate([values, values[:3]])), [n, 3])
        got = ak.sort(lists)
        np.testing.assert_array_equal(ak.to_numpy(ak.to_backend(got[0], "cpu")), np.sort(values))
        order = ak.to_numpy(ak.to_backend(ak.argsort(lists)[0], "cpu"))
        np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))
        down = ak.to_numpy(ak.to_backend(ak.sort(lists, ascending=False)[0], "cpu"))
        np.testing.assert_array_equal(
            down[~np.isnan(down)], np.sort(values[values == values])[::-1]
        )


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u2", "u8"])
def test_lists_of_all_sizes_of_registers(dtype):
    rng = np.random.default_rng(3)
    sizes = np.concatenate([np.arange(0, 300), [511, 512, 513, 1000, 1535, 1536, 1537, 4097]])
    values = rng.normal(size=sizes.sum()) * 1e3
    values[rng.integers(0, len(values), 500)] = values[0]
    values = np.abs(values).astype(dtype) if dtype[0] == "u" else values.astype(dtype)
    if dtype[0] == "f":
        values[rng.integers(0, len(values), 300)] = np.nan
        values[rng.integers(0, len(values), 300)] = np.inf
    x = ak.unflatten(ak.Array(values), ak.Array(sizes))
    parts = np.split(values, np.cumsum(sizes)[:-1])
    got = in_ram(ak.flatten(ak.sort(x, axis=1)))
    np.testing.assert_array_equal(got, np.concatenate([np.sort(p) for p in parts]))
    order = in_ram(ak.flatten(ak.argsort(x, axis=1, stable=True)))
    expected = np.concatenate([np.argsort(p, kind="stable") for p in parts])
    np.testing.assert_array_equal(order, expected)
    down = in_ram(ak.flatten(ak.sort(x, axis=1, ascending=False)))
    numbers = [p[~np.isnan(p)] if dtype[0] == "f" else p for p in parts]
    for p, n, d in zip(parts, numbers, np.split(down, np.cumsum(sizes)[:-1]), strict=True):
        np.testing.assert_array_equal(d[: len(n)], np.sort(n)[::-1])
        assert len(d) == len(p)


@pytest.mark.parametrize("n", [5, 300, 4095, 4096, 9000, 100_000])
@pytest.mark.parametrize("dtype", ["i8", "i2", "f4"])
def test_ranges_that_only_the_last_items_have(n, dtype):
    a = (np.arange(n) % 7).astype(dtype)
    a[-1] = 30_000
    a[n // 2] = -30_000
    x = ak.Array(a)
    np.testing.assert_array_equal(in_ram(ak.sort(x)), np.sort(a))
    np.testing.assert_array_equal(in_ram(ak.argsort(x, stable=True)), np.argsort(a, kind="stable"))
    np.testing.assert_array_equal(in_ram(np.unique(x)), np.unique(a))


@pytest.mark.parametrize("n", [5, 200, 9000, 100_000])
@pytest.mark.parametrize("different", [3, 50, 5000, 10**9])
def test_unique_of_few_and_many_different_ones(n, different):
    rng = np.random.default_rng(n)
    for a in (
        rng.integers(0, different, n),
        np.arange(n) % different,
        np.minimum(np.arange(n), different),
    ):
        x = ak.Array(a)
        np.testing.assert_array_equal(in_ram(np.unique(x)), np.unique(a))
        counts = np.unique(a, return_counts=True)[1]
        found = ak.to_list(ak.value_counts(x))
        assert sorted(tuple(r.values())[-1] for r in found) == sorted(counts.tolist())
