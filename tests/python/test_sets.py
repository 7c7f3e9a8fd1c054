# Sets, groups and look-ups per list, against plain Python and NumPy.
import itertools
import math

import awkward
import numpy as np
import pytest
from conftest import assert_same_values
from host import in_ram
from hypothesis import given
from ordering import is_nan, order, per_list
from strategies import arrays, numbers, strings

import serrate as ak

KEYS = [
    [3, 1, 3, 2, 1],
    [2.5, -1.0, 2.5, math.inf, -0.0],
    ["b", "", "ab", "b", "a"],
    [True, False, True, True, False],
    [None, 2, None, 1, 2],
    [None, "b", "a", None, "b"],
    [1 + 2j, 1 - 1j, 0j, 1 + 2j, 1 - 1j],
    np.array(["2020-01-02", "2019-01-01", "NaT", "2020-01-02", "2019-01-01"], "datetime64[D]"),
    np.array([1.5, 2.5, 1.5, 0.5, 2.5], "float16"),
]


def rows_of(lists):
    """The same items as lists of 3, 0 and 2."""
    return ak.unflatten(ak.Array(lists), [3, 0, 2])


def grouped(keys, items):
    """Distinct keys in order and their items, by the order of test_sorting."""
    where = order(keys)
    runs = [list(g) for _, g in itertools.groupby(where, key=lambda i: str(keys[i]))]
    return [keys[r[0]] for r in runs], [[items[i] for i in r] for r in runs]


@pytest.mark.parametrize("keys", KEYS, ids=lambda k: str(k)[:20])
def test_group_by(keys):
    items = [10, 20, 30, 40, 50]
    k = ak.Array(keys)
    plain = k.to_list()
    if isinstance(plain[0], complex):
        want = ([0j, 1 - 1j, 1 + 2j], [[30], [20, 50], [10, 40]])
    elif "NaT" in str(plain):
        want = None
    else:
        want = grouped(plain, items)
    got_keys, got = ak.group_by(items, k)
    if want is None:
        assert got.tolist() == [[20, 50], [10, 40], [30]]
    else:
        assert got_keys.tolist() == want[0]
        assert got.tolist() == want[1]
    assert got_keys.type.content == k.type.content
    counts = ak.value_counts(k)
    assert counts.value.tolist() == got_keys.tolist() or want is None
    assert counts["count"].tolist() == [len(g) for g in got.tolist()]
    lists = ak.group_by(rows_of(items), rows_of(keys))[1].tolist()
    assert sorted(itertools.chain(*itertools.chain(*lists))) == items
    assert ak.group_by(rows_of(items), rows_of(keys), axis=None)[1].tolist() == got.tolist()


def test_group_by_several_keys_and_records():
    x = ak.Array([{"id": i, "v": [i] * i} for i in range(4)])
    keys, groups = ak.group_by(x, (["b", "a", "b", "b"], [1, 1, 1, 0]))
    assert keys.tolist() == [("a", 1), ("b", 0), ("b", 1)]
    assert groups.id.tolist() == [[1], [3], [0, 2]]
    assert groups.v.tolist() == [[[1]], [[3, 3, 3]], [[], [2, 2]]]
    by_record = ak.group_by(x, ak.zip({"k": [1, 0, 1, 0]}))
    assert by_record[0].k.tolist() == [0, 1]
    assert ak.sum(by_record[1].id, axis=-1).tolist() == [4, 2]


def test_group_by_keys_of_lists_of_items():
    keys, groups = ak.group_by(ak.Array([[1, 2], [], [3]]), ["x", "y", "x"])
    assert keys.tolist() == ["x", "y"]
    assert groups.tolist() == [[[1, 2], [3]], [[]]]


def test_group_by_refused():
    with pytest.raises(ValueError, match=r"lengths|broadcast"):
        ak.group_by([1, 2, 3], [1, 2]).tolist()
    with pytest.raises(TypeError):
        ak.group_by([1], 3)


@given(arrays(leaf=numbers()))
def test_value_counts(x):
    counts = ak.value_counts(ak.from_awkward(x))

    def want(row):
        where = order(row)
        runs = itertools.groupby(where, key=lambda i: 0.0 if row[i] == 0 else str(row[i]))
        return [len(list(g)) for _, g in runs]

    assert_same_values(counts["count"], per_list(x, want))


def test_unique_of_records_unions_and_complex():
    x = ak.Array([[{"a": 1, "b": "x"}, {"a": 0, "b": "y"}, {"a": 1, "b": "x"}], []])
    values, counts = ak.unique(x, return_counts=True)
    assert values.tolist() == [[{"a": 0, "b": "y"}, {"a": 1, "b": "x"}], []]
    assert counts.tolist() == [[1, 2], []]
    u = ak.Array([2, "b", 1.5, "a", 2, "b"])
    assert ak.unique(u).tolist() == [1.5, 2, "a", "b"]
    assert ak.sort(u).tolist() == [1.5, 2, 2, "a", "b", "b"]
    c = ak.Array([1 + 1j, 1 - 1j, complex(1, math.nan), 0j, complex(math.nan, 0)])
    want = np.sort(np.array(c.to_list()))
    assert str(ak.sort(c).to_list()) == str(want.tolist())
    assert ak.argsort(c).tolist() == np.argsort(np.array(c.to_list()), kind="stable").tolist()
    assert ak.sort(c, ascending=False).tolist()[:3] == [1 + 1j, 1 - 1j, 0j]


def test_sort_by_fields():
    x = ak.Array([[{"n": 2, "s": "b"}, {"n": 1, "s": "b"}, {"n": 3, "s": "a"}], [], [None]])
    assert ak.sort(x, by="n").n.tolist() == [[1, 2, 3], [], [None]]
    assert ak.sort(x, by=["s", "n"]).n.tolist() == [[3, 1, 2], [], [None]]
    assert ak.argsort(x, by=["s", "n"]).tolist() == [[2, 1, 0], [], [0]]
    assert ak.sort(x, by="n", ascending=False).s.tolist() == [["a", "b", "b"], [], [None]]
    flat = ak.sort(x, by="n", axis=None)
    assert flat.n.tolist() == [1, 2, 3, None]
    with pytest.raises(ak.errors.FieldNotFoundError):
        ak.sort(x, by="z")


@given(arrays(leaf=numbers()))
def test_topk(x):
    ours = ak.from_awkward(x)
    for k in (0, 1, 3):
        assert_same_values(ak.argtopk(ours, k), best(x, k, False))
        assert_same_values(ak.argtopk(ours, k, largest=False), best(x, k, True))
        values = ak.topk(ours, k)
        assert_same_values(values, ours[ak.argtopk(ours, k)].to_list())


def best(x, k, ascending):
    return per_list(x, lambda row: order(row, ascending)[:k])


def test_topk_of_strings_and_everything():
    x = ak.Array([["b", "c"], [], ["a"]])
    assert ak.topk(x, 1).tolist() == [["c"], [], ["a"]]
    assert ak.topk(x, 2, axis=None).tolist() == ["c", "b"]
    with pytest.raises(ValueError, match="negative"):
        ak.topk(x, -1)


def test_partition():
    x = ak.Array([[3, 1, 2], [], [5, 4]])
    rows = ak.partition(x, 1).tolist()
    assert [row[1] for row in rows if len(row) > 1] == [2, 5]
    assert x[ak.argpartition(x, 1)].tolist() == rows
    flat = np.random.default_rng(1).normal(size=100)
    assert np.partition(ak.Array(flat), 30)[30] == np.partition(flat, 30)[30]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 100])
def test_searchsorted(side, n):
    random = np.random.default_rng(n)
    a = np.sort(np.round(random.normal(size=n), 1))
    if n > 7:
        a[-2:] = np.nan
    v = np.concatenate([np.round(random.normal(size=50), 1), [np.nan, np.inf, -np.inf, 0.0]])
    got = ak.searchsorted(ak.Array(a), ak.unflatten(ak.Array(v), [50, 0, 4]), side)
    assert str(got.type) == "3 * var * int64"
    assert ak.flatten(got).tolist() == np.searchsorted(a, v, side).tolist()


def test_searchsorted_in_lists():
    a = ak.Array([[1, 3, 3, 7], [], [2.5]])
    assert ak.searchsorted(a, [[3, 8], [1], []]).tolist() == [[1, 4], [0], []]
    assert ak.searchsorted(a, [[3, 8], [1], []], "right").tolist() == [[3, 4], [0], []]
    assert ak.searchsorted(a, [3, 1, None]).tolist() == [1, 0, None]
    assert ak.searchsorted(a, 3).tolist() == [1, 0, 1]
    words = ak.Array(["a", "ab", "b"])
    assert ak.searchsorted(words, [["", "aa"], ["ab", "c"]]).tolist() == [[0, 1], [1, 3]]
    days = np.array(["2020-01-01", "2021-01-01"], "datetime64[D]")
    assert ak.searchsorted(days, np.array(["2020-06-01"], "datetime64[D]")).tolist() == [1]
    with pytest.raises(TypeError):
        ak.searchsorted(words, [1])
    with pytest.raises(ValueError, match="side"):
        ak.searchsorted([1], [1], "middle")


@given(arrays(leaf=numbers(special=False)))
def test_isin(x):
    wanted = {v for v in awkward.flatten(x, axis=None).to_list() if not is_nan(v)}
    some = [float(v) for v in sorted(wanted)[::2]]
    got = ak.isin(ak.from_awkward(x), np.array(some, float))

    def walk(v):
        if isinstance(v, list):
            return [walk(i) for i in v]
        return None if v is None else float(v) in some

    assert got.to_list() == walk(x.to_list())


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64", "bool"])
def test_isin_of_integers(dtype):
    """Values close together are looked up in a table, others are searched for."""
    limits = np.iinfo(dtype) if dtype != "bool" else np.iinfo("uint8")
    x = np.array([limits.min, limits.max, 0, 1, 7, 40, 41, limits.max - 5], "object")
    x = np.array(x != 0, "bool") if dtype == "bool" else x.astype(dtype)
    for some in ([40, 3, 7, 7], [-3, -1, 40], [-(2**63), 40, 2**63 - 1], [5], []):
        values = np.array(some, "int64")
        want = [int(v) in some for v in x]
        assert ak.isin(ak.Array(x), values).tolist() == want
        lists = ak.unflatten(ak.Array(x), [len(x), 0])
        assert ak.isin(lists, values).tolist() == [want, []]
    assert ak.isin(ak.Array([1.5, 40.0]), np.array([40, 41])).tolist() == [False, True]


def test_isin_of_strings_per_list_and_inverted():
    x = ak.Array([["a", "b"], [], ["c", None]])
    assert ak.isin(x, ["c", "b", "zz"]).tolist() == [[False, True], [], [True, None]]
    assert ak.isin(x, ["c", "b"], invert=True).tolist() == [[True, False], [], [False, None]]
    per = ak.Array([["b"], ["a"], []])
    assert ak.isin(x, per, axis=-1).tolist() == [[False, True], [], [False, None]]
    assert ak.isin([[1, 2], [3]], [[2, None], [1]], axis=-1).tolist() == [[False, True], [False]]
    assert ak.isin([[1, 2], [3]], []).tolist() == [[False, False], [False]]
    assert ak.isin(ak.Array([1, "a"]), ["a"]).tolist() == [False, True]
    with pytest.raises(ValueError, match="axis"):
        ak.isin([1], [1], axis=1)


def test_run_lengths():
    x = ak.Array([[{"a": 1}, {"a": 1}, {"a": 2}], []])
    assert ak.run_lengths(x).tolist() == [[2, 1], []]
    assert ak.run_lengths(ak.Array([[1, 1], [1]]), axis=None).tolist() == [3]
    assert ak.run_lengths(ak.Array(["a", None, None])).tolist() == [1, 2]
    assert ak.run_lengths([math.nan, math.nan]).tolist() == [1, 1]


def test_diff_along_outer_axes():
    x = np.arange(24).reshape(2, 3, 4) ** 2
    for axis in (0, 1, 2, -1, -2):
        assert ak.diff(ak.Array(x), axis=axis).to_list() == np.diff(x, axis=axis).tolist()
    assert ak.diff(ak.Array([[1, 2], [3, 5]]), axis=0).tolist() == [[2, 3]]
    with pytest.raises(ValueError, match="axis"):
        ak.diff([1], axis=1)


@given(arrays(leaf=strings))
def test_group_by_gives_what_there_is(x):
    keys = ak.from_awkward(x)
    index = ak.local_index(keys)
    _, groups = ak.group_by(index, keys)
    values, inverse = ak.unique(keys, return_inverse=True)
    assert ak.to_list(ak.num(groups, axis=-2)) == ak.to_list(ak.num(values, axis=-1))
    assert ak.sort(ak.flatten(groups, axis=-1)).to_list() == index.to_list()
    assert ak.to_list(ak.num(inverse, axis=-1)) == ak.to_list(ak.num(keys, axis=-1))


def test_groups_along_outer_axes():
    keys = ak.Array([[[3, 1], [2]], [[3]], [[], [5, 5]]])
    items = ak.Array([[[0.3, 0.1], [0.2]], [[0.33]], [[], [0.5, 0.55]]])
    names, groups = ak.group_by(items, keys, axis=0)
    assert names.tolist() == [[[3], [1]], [[2, 5], [5]]]
    assert groups.tolist() == [[[[0.3, 0.33]], [[0.1]]], [[[0.2], [0.5]], [[0.55]]]]
    names, groups = ak.group_by(items, keys, axis=1)
    assert names.tolist() == [[[2, 3], [1]], [[3]], [[5], [5]]]
    assert groups.tolist() == [[[[0.2], [0.3]], [[0.1]]], [[[0.33]]], [[[0.5]], [[0.55]]]]
    names, _ = ak.group_by(
        ak.Array([[1, 2], None, [5, 6]]), ak.Array([[1, 5], None, [1, 2]]), axis=0
    )
    assert names.tolist() == [[1], [2, 5]]


def test_topk_along_outer_axes():
    x = ak.Array([[[3, 1], [2]], [[1]], [[], [5, 5]]])
    assert ak.topk(x, 1, axis=0).tolist() == [[[3], [1]], [[5], [5]]]
    assert ak.argtopk(x, 2, axis=0).tolist() == [[[0, 1], [0]], [[2, 0], [2]]]
    assert ak.topk(x, 2, axis=1).tolist() == [[[3, 2], [1]], [[1]], [[5], [5]]]
    missing = ak.Array([[1, 5, None], None, [7, 2]])
    assert ak.topk(missing, 1, axis=0).tolist() == [[7], [5], [None]]


def test_isin_of_a_single_string():
    words = ak.Array(["a", "bb", ""])
    assert ak.isin("a", words)
    assert not ak.isin("b", words)
    assert ak.isin(b"a", [b"a"])
    assert ak.isin(words[1], words)
    assert ak.searchsorted(ak.sort(words), "b") == 2


@pytest.mark.parametrize("dtype", ["f8", "i1", "u4", "?", "M8[s]", "c16"])
@pytest.mark.parametrize("n", [0, 1, 2, 300])
def test_differences_of_flat_arrays(dtype, n):
    x = (np.arange(n) ** 2 % 7).astype(dtype)
    for times in (1, 2):
        if dtype == "?" and n < 2:
            continue
        got, want = ak.diff(ak.Array(x), times), np.diff(x, times)
        assert str(got.type.content) == str(ak.Array(want).type.content)
        assert in_ram(got).tolist() == want.tolist()


TABLES = [
    [1.0],
    [0.0, 1.0, 1.0, 5.0],
    [-np.inf, 0.0, np.inf],
    [0.0, 3.0, np.nan],
    range(7),
    range(200),
]


@pytest.mark.parametrize("t", ["f8", "f4", "f2", "i8", "u8", "i4", "u2", "i1", "?"])
@pytest.mark.parametrize("table", range(len(TABLES)))
def test_searchsorted_of_many_and_few(t, table):
    """Few values are looked for between guards, many in a table that is filled up."""
    values = np.array([*TABLES[table]])
    if t[0] not in "f":
        values = np.nan_to_num(values[np.isfinite(values)], posinf=0) % 100
    values = np.sort(values.astype(t), kind="stable")
    top = [np.inf, -np.inf, np.nan] if t[0] == "f" else [np.iinfo(t).max] if t != "?" else []
    around = np.array([*np.arange(-3, 110) * 0.5, *top])
    for n in (1, 4095, 4096, 20_000):
        for key in ("f8", "i8", "?", t):
            x = np.resize(around, n)
            with np.errstate(invalid="ignore"):
                x = (np.nan_to_num(x, posinf=7, neginf=-7) if key[0] in "iu" else x).astype(key)
            for side in ("left", "right"):
                got = ak.searchsorted(ak.Array(values), ak.Array(x), side)
                assert np.array_equal(in_ram(got), np.searchsorted(values, x, side)), (n, key, side)


@pytest.mark.parametrize("axis", [0, -1])
def test_isin_of_one_list_along_its_axis(axis):
    """As among all values, of which it has the way."""
    texts = [f"{i % 40}" for i in range(700)]
    numbers = [float(i % 40) if i % 7 else None for i in range(700)]
    x = ak.Array([["1", "77"], [], ["39", "0"]])
    assert ak.isin(x, texts, axis=axis).tolist() == [[True, False], [], [True, True]]
    x = ak.Array([[1, None, 77], [], [39, 0]])
    assert ak.isin(x, numbers, axis=axis).tolist() == [[True, None, False], [], [True, True]]
    assert ak.isin(3, numbers, axis=axis) == True  # noqa: E712
    assert ak.isin(x, [math.nan, 1.0], axis=axis).tolist() == [[True, None, False], [], [False] * 2]
    assert ak.isin(["a"], [1, 2], axis=axis).tolist() == [False]
    with pytest.raises(ak.errors.AxisError, match="isin: axis=1 exceeds the depth"):
        ak.isin(x, numbers, axis=1)
