# What Awkward's reducers refuse or lack: unions, strings, where=, initial=; against NumPy and
# plain Python.
import awkward
import numpy as np
import pytest
from conftest import assert_same, both

import serrate as ak

WORDS = [["b", "a", None], [], ["", "c", "c"], None]
MATRIX = np.array([[3.0, -1.0, 2.0], [0.0, 5.0, -2.0]])


def test_strings():
    x = ak.Array(WORDS)
    assert ak.min(x, axis=-1).tolist() == ["a", None, "", None]
    assert ak.max(x, axis=-1).tolist() == ["b", None, "c", None]
    assert ak.argmin(x, axis=-1).tolist() == [1, None, 0, None]
    assert ak.argmax(x, axis=-1).tolist() == [0, None, 1, None]
    assert ak.count(x, axis=-1).tolist() == [2, 0, 3, None]
    assert ak.any(x, axis=-1).tolist() == [True, False, True, None]
    assert ak.all(x, axis=-1).tolist() == [True, True, False, None]
    assert ak.count_nonzero(x, axis=-1).tolist() == [2, 0, 2, None]
    assert ak.max(x) == "c"
    assert ak.min(x) == ""
    assert ak.count(x) == 5
    assert ak.max(x, axis=0).tolist() == ["b", "c", "c"]
    assert ak.argmin(x, axis=0).tolist() == [2, 0, 2]
    assert ak.max(x, axis=-1, keepdims=True).tolist() == [["b"], [None], ["c"], None]
    for f in (ak.sum, ak.prod, ak.mean, ak.ptp):
        with pytest.raises(TypeError, match="strings"):
            f(x, axis=-1)


def test_unions_of_leaves():
    x = ak.Array([[2, "b"], [], ["a", 1.5, None]])
    assert ak.count(x, axis=-1).tolist() == [2, 0, 2]
    assert ak.min(x, axis=-1).tolist() == [2, None, 1.5]
    assert ak.max(x, axis=-1).tolist() == ["b", None, "a"]
    assert ak.argmax(x, axis=-1).tolist() == [1, None, 0]
    assert ak.any(x, axis=-1).tolist() == [True, False, True]
    with pytest.raises(ValueError, match="union"):
        ak.sum(x, axis=-1)


def test_unions_of_compact_members():
    # Each member is as long as it is used: nothing may be read for lists without an item.
    x = ak.from_awkward(awkward.Array([[1, "a", 2.5], [], ["x"], []]))
    for _ in range(20):
        assert ak.max(x, axis=-1).tolist() == ["a", None, "x", None]
        assert ak.min(x, axis=-1).tolist() == [1, None, "x", None]


def test_unions_of_numbers_are_numbers():
    x = ak.concatenate([ak.Array([[1, 2]]), ak.Array([[True, True]])], axis=1, mergebool=False)
    assert "union" in str(x.type)
    assert ak.sum(x, axis=-1).tolist() == [5]
    assert ak.max(x, axis=-1).tolist() == [2]
    assert ak.mean(x, axis=-1).tolist() == [1.25]


def test_unions_of_lists():
    x = ak.Array([[1, 2], ["a"], [], ["b", "c"]])
    y = ak.concatenate([ak.Array([[1, 2], []]), ak.Array([[[3]], [[4, 5], []]])])
    assert ak.count(x, axis=-1).tolist() == [2, 1, 0, 2]
    assert ak.count(x) == 5
    assert ak.sum(y, axis=None) == 15
    with pytest.raises(ValueError, match="union"):
        ak.sum(y, axis=-1)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "mean", "std", "var"])
def test_where(name, axis):
    where = MATRIX > -1.5
    want = getattr(np, name)(
        MATRIX,
        axis=axis,
        where=where,
        **({"initial": 9} if name == "min" else {"initial": -9} if name == "max" else {}),
    )
    if name in ("mean", "std", "var"):
        got = getattr(ak, name)(ak.mask(MATRIX, where), axis=axis)
    else:
        got = getattr(ak, name)(MATRIX, axis=axis, where=where, mask_identity=False)
    np.testing.assert_allclose(ak.to_list(got), want)


def test_where_of_lists():
    x = ak.Array([[1, 2, 3], [], [4, 5]])
    assert ak.sum(x, axis=-1, where=x != 2).tolist() == [4, 0, 9]
    assert ak.argmax(x, axis=-1, where=x < 5).tolist() == [2, None, 0]
    assert ak.count(x, where=ak.Array([True, False, False])) == 3


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
def test_initial(name, axis):
    for initial in (0, 2, 100):
        got = getattr(ak, name)(MATRIX, axis=axis, initial=initial, mask_identity=False)
        want = getattr(np, name)(MATRIX, axis=axis, initial=initial)
        np.testing.assert_allclose(ak.to_list(got), want)
        by_numpy = getattr(np, name)(ak.Array(MATRIX), axis=axis, initial=initial)
        np.testing.assert_allclose(ak.to_list(by_numpy), want)


def softmax(v):
    e = np.exp(np.array(v) - max(v))
    return e / e.sum()


def test_softmax_along_every_axis():
    m = np.arange(12.0).reshape(2, 3, 2) % 5
    for axis in (0, 1, 2, -1, -2, None):
        e = np.exp(m - m.max(axis=axis, keepdims=True))
        want = e / e.sum(axis=axis, keepdims=True)
        np.testing.assert_allclose(ak.to_numpy(ak.to_backend(ak.softmax(m, axis), "cpu")), want)
    ragged = ak.Array([[1.0, 2.0], [], [3.0]])
    got = ak.softmax(ragged, axis=0).tolist()
    first = softmax([1.0, 3.0])
    np.testing.assert_allclose([got[0][0], got[2][0]], first)
    assert got[0][1] == 1
    assert got[1] == []


def test_named_axes():
    x = ak.with_named_axis(ak.Array([[1.0, 2.0], [3.0]]), ("events", "hits"))
    for f in (ak.sum, ak.mean, ak.std, lambda x, axis: ak.corr(x, x, axis=axis)):
        assert f(x, axis="hits").named_axis == {"events": 0}
    assert ak.sort(x, axis="hits").tolist() == [[1, 2], [3]]
    assert ak.cumsum(x, axis="hits").tolist() == [[1, 3], [3]]


def test_columns_of_lists_of_any_length():
    lengths = [0, 5000, 1, 1, 0, 3, 1]
    x = ak.unflatten(ak.Array(np.arange(sum(lengths)) % 7 - 2.0), lengths)
    rows = x.to_list()
    columns = [[r[j] for r in rows if j < len(r)] for j in range(5000)]
    assert ak.sum(x, axis=0).to_list() == [sum(c) for c in columns]
    assert ak.max(x, axis=0).to_list() == [max(c) for c in columns]
    assert ak.count(x, axis=0).to_list() == [len(c) for c in columns]
    first = [min((r[j], i) for i, r in enumerate(rows) if j < len(r))[1] for j in range(5000)]
    assert ak.argmin(x, axis=0).to_list() == first
    np.testing.assert_allclose(ak.to_list(ak.var(x, axis=0)), [np.var(c) for c in columns])


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax", "ptp", "nanmin", "nanmax"])
def test_complex_numbers(name, dtype):
    x = awkward.values_astype([[1 + 1j, 1 - 1j, None, 5j], [], None, [2 + 1j, 2 + 0j]], dtype)
    for axis in (-1, None):
        awkward_equal(name, x, axis)
    # Along an outer axis Awkward numbers the lists that are long enough.
    awkward_equal(name, x[[0, 3]], 0)


def awkward_equal(name, x, axis):
    both(lambda ak, x: getattr(ak, name)(x, axis=axis), x)
    types = name != "ptp"  # Awkward's 0 for nothing is a complex128
    both(lambda ak, x: getattr(ak, name)(x, axis=axis, mask_identity=False), x, types=types)


def test_complex_nan_and_initial():
    nan = float("nan")
    x = ak.Array([[complex(nan, 1), 2 + 0j, 2 - 1j], [complex(nan, nan)]])
    # Passed over along an axis, as NaN of floats are; of everything they win, as in NumPy.
    assert ak.max(x[:1], axis=-1).tolist() == [2 + 0j]
    assert ak.argmin(x[:1], axis=-1).tolist() == [2]
    assert np.isnan(ak.max(x, axis=-1)[1])
    assert np.isnan(ak.min(x))
    y = ak.Array([[1 + 1j], []])
    got = ak.max(y, axis=-1, initial=1 + 0.5j, mask_identity=False)
    assert got.tolist() == [1 + 1j, 1 + 0.5j]


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_times_that_are_none(name):
    """Of all items NaT wins, along an axis it is passed over: as NaN does."""
    days = np.array(["2020-01-01", "NaT", "2021-05-05"], "datetime64[D]")
    seconds = np.array([3, "NaT", 1], "timedelta64[s]")
    for values in (days, seconds, days[:1], days[1:2]):
        x, y = ak.Array(values), awkward.Array(values)
        assert str(getattr(ak, name)(x)) == str(getattr(awkward, name)(y))
    lists = ak.unflatten(ak.Array(days), [2, 1])
    assert_same(
        getattr(ak, name)(lists, axis=-1),
        getattr(awkward, name)(awkward.unflatten(awkward.Array(days), [2, 1]), axis=-1),
    )


def test_any_and_all_that_end_early():
    n = 300_000  # several tasks
    for at in (None, 0, 5000, 70_000, n - 1):
        x = np.zeros(n, bool)
        if at is not None:
            x[at] = True
        lists = ak.unflatten(ak.Array(x), np.full(n // 3, 3))
        for a in (ak.Array(x), lists, ak.unflatten(lists, [n // 3 - 1, 1])):
            assert bool(ak.any(a, axis=None)) == x.any()
            assert bool(ak.all(~a, axis=None)) == (not x.any())
            numbers = ak.values_astype(a, "float64")
            both = ak.zip({"any": ak.any(numbers > 0.5, axis=None), "all": ak.all(a, axis=None)})
            assert bool(both["any"]) == x.any()
            assert not both["all"]
            some = ak.any(numbers > 0.5, axis=None)
            total = ak.sum(numbers, axis=None)
            ak.compute(some, total)
            assert (bool(some), float(total)) == (x.any(), float(x.sum()))


def test_items_after_the_answer_are_still_checked():
    x = ak.unflatten(ak.Array(np.ones(200_000, bool)), [100_000, 99_999, 1])
    with pytest.raises(IndexError):
        ak.compute(ak.any(x[:, 5], axis=None))
