# What takes a short way where it is small or plain: sorts and scans of what is stored, where() of
# numbers, reducers of all items of lists, products of small matrices, ufunc.at. The same as NumPy's
# and as by the way of all others.
import itertools

import awkward
import gpu
import numpy as np
import pytest
from conftest import assert_same_values
from host import in_ram
from traced import KEEPS

import serrate as ak

# Rows enough for tasks of a CPU and blocks of a GPU, of which an emulated one has few.
MANY = 20_000 if gpu.EMULATED else 100_000
SIZES = [0, 1, 5, 63, MANY]
TYPES = ["f8", "f4", "i8", "i2", "?", "c16"]


def numbers(n, t, seed=0):
    rng = np.random.default_rng(seed + n)
    values = rng.integers(-20, 20, n).astype("f8")
    if np.dtype(t).kind == "f":
        for special in (np.nan, -0.0, 0.0, np.inf, -np.inf):
            values[rng.integers(0, n, n // 10)] = special if n else 0
    if np.dtype(t).kind == "c":
        values = values + 1j * rng.integers(-3, 3, n)
    return (values > 0) if t == "?" else values.astype(t)


def same_bits(x, y):
    x, y = in_ram(x), in_ram(y)
    assert x.dtype == y.dtype
    assert x.tobytes() == y.tobytes()


BARRIERS = {
    "sort": lambda x, axis: ak.sort(x, axis=axis),
    "sort down": lambda x, axis: ak.sort(x, axis=axis, ascending=False),
    "argsort": lambda x, axis: ak.argsort(x, axis=axis),
    "cumsum": lambda x, axis: ak.cumsum(x, axis=axis),
    "cumprod": lambda x, axis: ak.cumprod(x, axis=axis),
}


@pytest.mark.parametrize("name", BARRIERS)
@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_barriers_alone(name, t, n):
    f = BARRIERS[name]
    values = numbers(n, t)
    for x in (ak.Array(values), ak.Array(values)[1:], ak.Array(values[1:])):
        alone = ak.compute(f(x, 0))
        together, _ = ak.compute(f(x, 0), ak.Array([1]) + 1)
        same_bits(alone, together)
        same_bits(ak.compute(f(x, 0)), alone)
    same_bits(x, values[1:])  # unchanged
    if name == "sort" and t != "c16":
        np.testing.assert_array_equal(in_ram(ak.compute(f(ak.Array(values), 0))), np.sort(values))
    if name == "cumsum" and t in ("i8", "i2", "?"):
        np.testing.assert_array_equal(in_ram(ak.compute(f(x, 0))), np.cumsum(values[1:]))


@pytest.mark.parametrize("name", BARRIERS)
@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("n", [0, 1, 5, MANY // 5 * 2])
def test_barriers_of_lists_alone(name, t, n):
    f = BARRIERS[name]
    counts = np.random.default_rng(n).integers(0, 5, n)
    ragged = ak.unflatten(ak.Array(numbers(int(counts.sum()), t)), counts)
    regular = ak.Array(numbers(4 * n, t).reshape(n, 4))
    missing = ak.mask(ragged, ragged == ragged)
    ak.compute(ragged, missing)
    for x in (ragged, ragged[1:], ragged[::-1], regular, regular[1:], missing):
        for axis in (-1, None) if name.startswith("cum") else (-1, 0):
            alone = ak.compute(f(x, axis))
            together, _ = ak.compute(f(x, axis), ak.Array([1]) + 1)
            assert str(alone.type) == str(together.type)
            same_bits(
                ak.fill_none(ak.flatten(alone, axis=None), 0), ak.flatten(together, axis=None)
            )
            if axis == -1:
                assert ak.all(ak.num(alone) == ak.num(x), axis=None)


def test_errors_of_keys_come_first():
    x = ak.Array([[1, 2], [3]])
    with pytest.raises(IndexError):
        ak.compute(ak.sort(x[:, 1], axis=0)).to_list()


CONDITIONS = {
    "booleans": lambda x: x > 1,
    "numbers": lambda x: x - 1,
    "a bool": lambda x: np.True_,
}


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("types", list(itertools.product(TYPES, TYPES)), ids="-".join)
def test_where_of_numbers(condition, types):
    for n in (0, 1, 5, 1000):
        x, y = (numbers(n, t, k) for k, t in enumerate(types))
        c = CONDITIONS[condition](numbers(n, "f8", 7))
        theirs = np.where(c, x, y)
        ours = in_ram(ak.where(ak.Array(c) if np.ndim(c) else c, ak.Array(x), ak.Array(y)))
        if n:
            assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_where_of_lists():
    cases = {
        "same lists": ([[True, False], [], [True]], [[1, 2], [], [3]], [[1.5, 2.5], [], [-0.0]]),
        "a number": ([[True, False], [], [True]], [[1, 2], [], [3]], 7),
        "one of each list": ([[True, False], [], [True]], [1, 2, 3], [[5, 6], [], [7]]),
        "deeper choices": ([True, False, True], [[1, 2], [], [3]], [[1.5, 2.5], [], [-0.0]]),
        "a list or a number": ([True, False, True], [[1, 2], [], [3]], 5),
        "missing conditions": ([[True, None], [], [False]], [[1, 2], [], [3]], [[5, 6], [], [7]]),
        "missing choices": ([[True, False], [], [True]], [[None, 2], [], [3]], [[5, 6], [], [7]]),
        "words": ([[True, False], [], [True]], [["a", "b"], [], ["c"]], [["d", "e"], [], ["f"]]),
        "all the same": ([[True, False], [], [True]], 4, 4),
        "no numbers": ([[True, False], [], [True]], [[1, 2], [], [3]], [["a", "b"], [], ["c"]]),
    }
    for name, (c, x, y) in cases.items():
        made = [v if isinstance(v, int) else ak.Array(v) for v in (c, x, y)]
        theirs = [v if isinstance(v, int) else awkward.Array(v) for v in (c, x, y)]
        for mergebool in (True, False):
            ours = ak.where(*made, mergebool=mergebool)
            expected = awkward.where(*theirs, mergebool=mergebool)
            assert_same_values(ours.to_list(), expected.to_list())
            assert str(ours.type) == str(expected.type), name
    mixed = ak.where(
        ak.Array([True, False]), ak.Array([True, True]), ak.Array([1, 2]), mergebool=False
    )
    assert str(mixed.type) == "2 * union[bool, int64]"
    times = np.array(["2020-01-01", "2021-01-01"], "M8[s]")
    later = ak.where(ak.Array([True, False]), ak.Array(times), ak.Array(times[::-1].copy()))
    np.testing.assert_array_equal(in_ram(later), times[[0, 0]])


REDUCERS = ["sum", "prod", "max", "min", "argmax", "argmin", "any", "all", "count", "mean", "var"]


def lists_of_all_kinds(n):
    counts = np.random.default_rng(n).integers(0, 4, n)
    m = int(counts.sum())
    ragged = ak.unflatten(ak.Array(numbers(m, "i8")), counts)
    deep = ak.unflatten(ragged, np.array([n // 2, 0, n - n // 2]))
    return {
        "ragged": ragged,
        "sliced": ragged[1:-1],
        "turned": ragged[::-1],
        "deep": deep,
        "regular": ak.Array(numbers(3 * n, "f4").reshape(n, 3)),
        "regular deep": ak.Array(numbers(6 * n, "i2").reshape(n, 3, 2)),
        "columns": ak.Array(numbers(3 * n, "f8").reshape(3, n).T),
        "missing": ak.mask(ragged, ragged > 3),
        "missing lists": ak.mask(ragged, ak.num(ragged) > 1),
        "computed": ragged * 2 - 1,
        "computed of lists": ragged + ak.num(ragged),
        "chosen": ragged[ragged > 0],
    }


@pytest.mark.parametrize("name", REDUCERS)
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("n", [0, 1, 5, 30_000])
def test_all_items_of_lists(name, stored, n):
    for kind, x in lists_of_all_kinds(n).items():
        if stored:
            ak.compute(x)
        flat = ak.ravel(x)  # with what is missing
        f = getattr(ak, name)
        # The place among all items is that among those of lists that are there.
        ours, expected = f(x, axis=None), f(flat, axis=0)
        if isinstance(expected, float | np.floating):
            np.testing.assert_allclose(ours, expected, rtol=1e-6, err_msg=kind)
        else:
            assert ours == expected, kind
        assert type(ours) is type(expected), kind
        kept = f(x, axis=None, keepdims=True)
        if isinstance(ours, float | np.floating):
            np.testing.assert_allclose(ak.ravel(kept).to_list(), [ours], rtol=1e-6)
        else:
            assert ak.ravel(kept).to_list() == [ours]
        assert kept.ndim == x.ndim


def test_all_characters_are_no_numbers():
    words = ak.Array([["a", "bc"], [], [""]])
    assert ak.count(words, axis=None) == 3
    assert ak.any(words, axis=None)
    assert ak.max(words, axis=None) == "bc"


def test_kept_functions_take_lists_of_other_sizes():
    f = ak.compile(lambda x: ak.sum(x * 2, axis=None) + ak.max(x, axis=None))
    for values in ([[1, 2], [3]], [[1, 2], [3]], [[4], [5, 6, 7], []], [[1, 2], [3]]):
        for make in (values, np.arange(2.0 * len(values)).reshape(-1, 2)):
            flat = np.concatenate([np.asarray(v, "f8") for v in make])
            assert f(ak.Array(make)) == flat.sum() * 2 + flat.max()


@pytest.mark.parametrize("side", [1, 2, 3, 5, 6, 7, 10, 11, 33])
@pytest.mark.parametrize("t", ["f8", "f4", "c16", "i8"])
def test_small_products(side, t):
    a, b = numbers(side * side, t, 1), numbers(side * side, t, 2)
    a, b = (np.where(np.isfinite(v), v, 1).astype(t).reshape(side, side) for v in (a, b))
    x, y = ak.Array(a), ak.Array(b)
    for ours, theirs in (
        (x @ y, a @ b),
        (x @ b, a @ b),
        (x @ y[0], a @ b[0]),
        (x[1:] @ y, a[1:] @ b),
        ((x + 1) @ (y * 2), (a + 1) @ (b * 2)),
        (x @ ak.values_astype(y, "c16"), a @ b.astype("c16")),
        (x @ x, a @ a),
    ):
        ours = in_ram(ours)
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    with pytest.raises(ValueError, match=r"another number of rows|length"):
        ak.compute(x @ ak.Array(np.ones((side + 1, 2), t))).to_list()


def test_products_of_nothing():
    x, y = ak.Array(np.ones((3, 0))), ak.Array(np.ones((0, 2)))
    np.testing.assert_array_equal(in_ram(x @ y), np.zeros((3, 2)))


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.subtract])
@pytest.mark.parametrize("t", TYPES[:5])
@pytest.mark.parametrize("n", [1, 5, MANY])
def test_updates_at_places(ufunc, t, n):
    if t == "?" and ufunc is np.subtract:
        return
    values, places = numbers(n, t), np.random.default_rng(n).integers(-n, n, n)
    for make in (lambda p: p, ak.Array, lambda p: p.astype("i4")):
        for by in (values[:1][0], values, ak.Array(values)):
            x, theirs = ak.Array(values.copy()), values.copy()
            before = ak.copy(x)
            with np.errstate(all="ignore"):
                assert ufunc.at(x, make(places), by) is None
                ufunc.at(theirs, places, in_ram(by) if isinstance(by, ak.Array) else by)
            np.testing.assert_array_equal(in_ram(x), theirs)
            same_bits(before, values)


def test_updates_at_places_refuse_what_numpy_refuses():
    x = ak.Array([1, 2, 3])
    with pytest.raises(IndexError):
        np.add.at(x, np.array([5]), 1)
    with pytest.raises(ValueError, match=r"single output|one result"):
        np.divmod.at(x, np.array([0]), 1)
    np.negative.at(x, np.array([0, 0, 1]))
    np.add.at(x, [2], 1)
    np.add.at(x, slice(0, 1), 5)
    assert x.to_list() == [6, -2, 4]


@pytest.mark.parametrize(
    "name", ["argmax", "argmin", "nanargmax", "nanargmin", "max", "count", "var"]
)
@pytest.mark.parametrize("t", ["f8", "i2"])
@pytest.mark.parametrize("n", [1, 5, 200, 600, MANY])
def test_columns_of_lists(name, t, n):
    # Few are walked, of more than 2048 places items are looked for in cells.
    counts = np.random.default_rng(n).integers(0, 6, n)
    values = numbers(int(counts.sum()), t)
    values[~np.isfinite(values)] = 3
    theirs = awkward.unflatten(values, counts)
    missing = ak.mask(ak.Array(theirs), counts > 2)
    empty = awkward.Array(ak.to_backend(ak.fill_none(missing, [], axis=0), "cpu").to_list())
    for x, like in ((theirs, theirs), (theirs[1:], theirs[1:]), (missing, empty)):
        # Awkward counts no missing lists.
        ours = getattr(ak, name)(ak.Array(x) if x is not missing else x, axis=0)
        expected = getattr(awkward, name)(like, axis=0)
        np.testing.assert_allclose(
            np.asarray(ours.to_list(), "f8"), np.asarray(expected.to_list(), "f8"), rtol=1e-6
        )


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_slices_of_stored_numbers(t, n):
    values = numbers(n, t)
    x = ak.Array(values)
    for s in (
        slice(1, None),
        slice(None, -1),
        slice(2, 4),
        slice(-3, None),
        slice(9, 2),
        slice(0, n),
    ):
        same_bits(x[s], values[s])
        same_bits(x[s][1:], values[s][1:])
        same_bits(ak.copy(x[s]), values[s])
    if t not in ("?", "c16"):
        with np.errstate(all="ignore"):
            # A NaN of a GPU has no sign.
            got, expected = in_ram(x[1:] - x[:-1]), values[1:] - values[:-1]
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got, expected)
    part = x[1:]
    if n > 2:
        part[0] = values[2]
        same_bits(part[1:], values[2:])
    same_bits(x, values)


@pytest.mark.parametrize("t", TYPES[:5])
@pytest.mark.parametrize("n", [0, 1, 5, 47, 48, 49, MANY])
def test_distinct_values(t, n):
    values = numbers(n, t)
    ours = ak.unique(
        ak.Array(values), axis=None, return_index=True, return_inverse=True, return_counts=True
    )
    theirs = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(in_ram(a), b)
    np.testing.assert_array_equal(in_ram(ak.unique(ak.Array(values), axis=None)), theirs[0])
    missing = ak.mask(ak.Array(values), values == values[::-1])
    found = ak.unique(missing, axis=None)
    kept = np.unique(values[values == values[::-1]])
    np.testing.assert_array_equal(in_ram(ak.drop_none(found)), kept)
    assert ak.is_unique(ak.Array(values), axis=None) == (len(theirs[0]) == n)


def test_kept_functions_of_what_runs_without_a_plan():
    calls = []

    @ak.compile
    def f(x):
        calls.append(1)
        return ak.sort(x)

    for values in ([3.0, 1.0, 2.0], [5.0, 4.0, 6.0], [9.0, 8.0, 7.0]):
        assert f(ak.Array(values)).to_list() == sorted(values)
    assert len(calls) == 1 or not KEEPS
