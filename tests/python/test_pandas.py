# Columns of pandas with nested values: pandas' own tests of extension arrays, and what users do.
import pickle

import numpy as np
import pytest

import serrate as ak

pd = pytest.importorskip("pandas")
from pandas.tests.extension import base  # noqa: E402

import serrate.pandas as sp  # noqa: E402

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


def nested(n):
    counts = np.arange(n) % 4
    return ak.unflatten(np.arange(counts.sum()) % 7, counts)


# -- pandas' own tests, of single values, which they compare by == --------------------------------


@pytest.fixture
def dtype():
    return sp.NestedDtype()


@pytest.fixture
def data():
    return sp.NestedArray(np.arange(10) + 0.5)


@pytest.fixture
def data_missing():
    return sp.NestedArray([None, 1.5])


@pytest.fixture
def data_for_twos():
    return sp.NestedArray([2] * 10)


@pytest.fixture
def data_for_sorting():
    return sp.NestedArray(["b", "c", "a"])


@pytest.fixture
def data_missing_for_sorting():
    return sp.NestedArray(["b", None, "a"])


@pytest.fixture
def data_for_grouping():
    b, a, c = [2], [1, 1], []
    return sp.NestedArray([b, b, None, None, a, a, b, c])


@pytest.fixture
def na_value():
    return None


@pytest.fixture
def na_cmp():
    return lambda x, y: x is None and y is None


@pytest.fixture(params=[True, False])
def as_series(request):
    return request.param


@pytest.fixture(params=[True, False])
def as_frame(request):
    return request.param


@pytest.fixture(params=[True, False])
def as_array(request):
    return request.param


@pytest.fixture(params=[True, False])
def box_in_series(request):
    return request.param


@pytest.fixture(params=[None, lambda x: x])
def sort_by_key(request):
    return request.param


@pytest.fixture(params=["ffill", "bfill"])
def fillna_method(request):
    return request.param


@pytest.fixture(params=[True, False])
def using_nan_is_na(request):
    return request.param


@pytest.fixture
def invalid_scalar():
    return object()


class TestInterface(base.BaseInterfaceTests):
    # Values never change, so that views do not see what is assigned to another.
    test_view = test_copy = None


class TestDtype(base.BaseDtypeTests):
    pass


class TestGetitem(base.BaseGetitemTests):
    pass


class TestMissing(base.BaseMissingTests):
    pass


class TestReshaping(base.BaseReshapingTests):
    # As test_view above.
    test_transpose = test_unstack = None


class TestConstructors(base.BaseConstructorsTests):
    pass


class TestUnary(base.BaseUnaryOpsTests):
    pass


class TestPrinting(base.BasePrintingTests):
    pass


# -- what users do --------------------------------------------------------------------------------


@pytest.fixture
def s():
    return pd.Series([[1, 2], None, [3], []], dtype="serrate", index=list("abcd"), name="x")


def lists(column):
    return [None if x is None else ak.to_list(x) for x in column]


def test_making_columns(s):
    assert s.dtype == "serrate"
    assert lists(s) == [[1, 2], None, [3], []]
    x = nested(10)
    assert pd.Series(x, dtype="serrate").ak.array is not None
    assert pd.Series(x, dtype="serrate").array.array.to_list() == x.to_list()
    frame = pd.DataFrame({"n": range(10), "x": sp.NestedArray(x)})
    assert frame.dtypes["x"] == "serrate"
    assert lists(pd.Series(pd.array([1, None], "Int64")).astype("serrate")) == [1, None]
    assert "[1, 2]" in repr(s)
    assert "[1, 2]" in repr(pd.DataFrame({"x": s}))


def test_selecting(s):
    assert lists(s[s.notna()]) == [[1, 2], [3], []]
    assert lists(s.iloc[[2, 0]]) == [[3], [1, 2]]
    assert s.loc["c"].to_list() == [3]
    assert lists(s.loc["a":"b"]) == [[1, 2], None]
    assert lists(s.dropna()) == [[1, 2], [3], []]
    assert lists(s.reindex(list("cx"))) == [[3], None]
    assert lists(s.shift(1)) == [None, [1, 2], None, [3]]
    assert lists(s.ffill()) == [[1, 2], [1, 2], [3], []]
    assert lists(s.where(s.notna(), None)) == [[1, 2], None, [3], []]
    empty = s.iloc[:0]
    assert len(empty.reindex(["a"])) == 1


def test_assigning(s):
    before = s.array.array
    s = s.copy()
    s["c"] = [7, 8, 9]
    s.iloc[3] = None
    assert lists(s) == [[1, 2], None, [7, 8, 9], None]
    s[["a", "b"]] = sp.NestedArray([[0], [1]])
    assert lists(s)[:2] == [[0], [1]]
    assert before.to_list() == [[1, 2], None, [3], []]
    with pytest.raises(ValueError, match="cannot set 2 items with 3"):
        s.array[[0, 1]] = sp.NestedArray([[0], [1], [2]])


def test_joining_and_groups(s):
    frame = pd.DataFrame({"k": ["u", "v", "u", "v"], "x": s.array})
    other = pd.DataFrame({"k": ["u", "w"], "y": [1.5, 2.5]})
    joined = frame.merge(other, how="outer", on="k").sort_values(["k", "y"], kind="stable")
    assert lists(joined.x) == [[1, 2], [3], None, [], None]
    both = pd.concat([frame, frame])
    assert lists(both.x) == lists(s) * 2
    assert lists(pd.concat([s, pd.Series([[1.5]], dtype="serrate")])) == [*lists(s), [1.5]]
    groups = frame.groupby("k").x
    assert lists(groups.first()) == [[1, 2], []]
    assert lists(groups.last()) == [[3], []]
    assert lists(groups.sum()) == [[4, 2], []]
    assert groups.count().to_list() == [2, 1]
    assert groups.size().to_list() == [2, 2]
    assert groups.apply(lambda x: ak.sum(x.ak.array, axis=None)).to_list() == [6, 0]
    assert [len(g) for _, g in frame.groupby("k")] == [2, 2]
    # Groups of equal lists.
    keys = pd.Series([[1], [], [1], None], dtype="serrate")
    assert keys.groupby(keys.array).size().to_list() == [1, 2]
    assert sorted(keys.value_counts().to_list()) == [1, 2]
    assert len(keys.unique()) == 3
    assert lists(frame.drop_duplicates("k").x) == [[1, 2], None]


def test_arithmetic(s):
    assert lists(s + 1) == [[2, 3], None, [4], []]
    assert lists(10 - s) == [[9, 8], None, [7], []]
    assert lists(s * s) == [[1, 4], None, [9], []]
    assert lists(s > 1) == [[False, True], None, [True], []]
    assert lists(-s) == [[-1, -2], None, [-3], []]
    assert lists(np.sqrt(s * s)) == [[1, 2], None, [3], []]
    flat = pd.Series([1.5, 2.5], dtype="serrate")
    assert (flat > 2).dtype == bool
    assert (flat + pd.Series([1, 2])).to_list() == [2.5, 4.5]
    assert flat.sum() == 4
    assert flat.mean() == 2
    assert flat.max() == 2.5
    with pytest.raises(TypeError, match="no 'kurt'"):
        flat.array._reduce("kurt")


def test_accessor(s):
    assert s.ak.num(axis=1).to_list() == [2, None, 1, 0]
    assert s.ak.num(axis=1).index.to_list() == list("abcd")
    assert s.ak.sum(axis=None) == 6
    assert lists(s.ak[:, :1]) == [[1], None, [3], []]
    assert lists(s.ak[[0, 2]]) == [[1, 2], [3]]
    assert s.ak[[0, 2]].index.to_list() == ["a", "c"]
    assert lists(s.ak[s.ak.array > 1]) == [[2], None, [3], []]
    assert lists(s.ak.apply(lambda x: x * 2)) == [[2, 4], None, [6], []]
    points = pd.Series([{"x": 1, "y": [2.5]}, {"x": 2, "y": []}], dtype="serrate")
    assert points.ak.x.to_list() == [1, 2]
    assert lists(points.ak["y"]) == [[2.5], []]
    frame = points.ak.unmerge()
    assert frame.columns.to_list() == ["x", "y"]
    assert frame.ak.array.to_list() == points.ak.array.to_list()
    assert frame.ak.merge().ak.array.to_list() == points.ak.array.to_list()
    assert frame.ak.x.to_list() == [1, 2]
    assert "sum" in dir(points.ak)
    with pytest.raises(TypeError, match="expected records"):
        s.ak.unmerge()
    assert not hasattr(s.ak, "nothing")
    p = ak.zip({"pt": [3.0], "phi": [0.0], "eta": [0.0], "mass": [4.0]}, with_name="Momentum4D")
    vectors = pd.Series(p, dtype="serrate")
    assert vectors.ak.E.to_list() == [5]
    assert pd.Series([1.5, 2.5]).ak.array.to_list() == [1.5, 2.5]
    assert pd.Series(["a", None]).ak.array.to_list() == ["a", None]
    assert pd.Series([[1], None], dtype=object).ak.array.to_list() == [[1], None]


def test_other_formats(s, tmp_path):
    frame = pd.DataFrame({"x": s, "n": range(4)})
    again = pickle.loads(pickle.dumps(frame))
    assert lists(again.x) == lists(s)
    path = tmp_path / "x.parquet"
    frame.to_parquet(path)
    assert lists(pd.read_parquet(path).x) == lists(s)
    assert s.to_list()[0].to_list() == [1, 2]
    assert s.astype(object).iloc[0] == [1, 2]
    assert pd.Series([1, 2], dtype="serrate").astype("float32").dtype == "float32"
    order = pd.Series([3, None, 1], dtype="serrate").sort_values()
    assert order.index.to_list() == [2, 0, 1]
    assert s.sort_values().index.to_list() == ["d", "a", "c", "b"]


def test_large():
    x = nested(100_000)
    frame = pd.DataFrame({"k": np.arange(100_000) % 97, "x": sp.NestedArray(x)})
    chosen = frame[frame.k == 5]
    assert ak.array_equal(chosen.x.ak.array, x[np.arange(100_000) % 97 == 5])
    totals = frame.groupby("k").x.sum().ak.sum(axis=-1)
    assert totals.sum() == ak.sum(x, axis=None)
