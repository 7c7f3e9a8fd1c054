# x[...] = v and ufunc.at: scatters and selections give what NumPy has, whatever way they take.
import copy

import numpy as np
import pytest

import serrate as ak

RNG = np.random.default_rng(1)
TYPES = ["bool", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
N = 37


def numbers(dtype, n=N):
    x = RNG.integers(0, 100, n) * (1.5 if np.dtype(dtype).kind in "fc" else 1)
    return (x > 50) if dtype == "bool" else x.astype(dtype)


def host(x):
    return ak.to_numpy(ak.to_backend(x, "cpu"))


def same(got, want):
    got = host(got)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


WHERE = {
    "one": 3,
    "last": -1,
    "slice": slice(4, 30, 3),
    "backwards": slice(None, 5, -2),
    "nothing": slice(9, 3),
    "indexes": RNG.integers(-N, N, 50),
    "no indexes": np.zeros(0, int),
    "small indexes": RNG.integers(-N, N, 9).astype("i2"),
    "list": [1, 1, -2],
    "mask": RNG.random(N) > 0.5,
    "no mask": np.zeros(N, bool),
    "array": ak.Array([5, 7, 5]),
    "array of booleans": ak.Array(RNG.random(N) > 0.5),
    "ellipsis": Ellipsis,
}


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("dtype", TYPES)
def test_items_of_flat_arrays(dtype, where):
    where = WHERE[where]
    at = np.asarray(host(where)) if isinstance(where, ak.Array) else where
    for value in (numbers(dtype)[4], numbers(dtype)):
        x = numbers(dtype)
        a = ak.Array(x)
        before = a[:]
        if value.ndim:
            value = value[: x[at].size] if np.ndim(x[at]) else value[0]
            if np.ndim(x[at]) and len(value) < x[at].size:
                value = np.resize(value, x[at].size)
        want = x.copy()
        want[at] = value
        a[where] = ak.Array(value) if np.ndim(value) else value
        same(a, want)
        same(before, x)


@pytest.mark.parametrize("value", [7, 2.5, True])
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "i8"])
def test_numbers_take_the_type_of_the_array(dtype, value):
    x = numbers(dtype)
    for where in (slice(2, 9), [3, 4], x > 50, 5):
        a = ak.Array(x)
        want = x.copy()
        want[where] = value
        try:
            a[where] = value
        except TypeError:
            assert value is True
            continue
        same(a, want)


def test_large_integers_stay_exact():
    a = ak.Array([2**62 + 1, 5])
    a[1] = 1.5
    assert a.to_list() == [2**62 + 1, 1]


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.maximum, np.minimum])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "i8", "f4", "f8"])
def test_updates_one_after_the_other(ufunc, dtype):
    at = RNG.integers(-N, N, 200)
    for value in (numbers(dtype, 200), numbers(dtype)[0]):
        x = numbers(dtype)
        a = ak.Array(x)
        ufunc.at(a, at, value)
        ufunc.at(x, at, value)
        got = host(a)
        assert got.dtype == x.dtype
        np.testing.assert_allclose(got, x, rtol=1e-5 if dtype == "f4" else 1e-13)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum, np.subtract])
@pytest.mark.parametrize("dtype", ["bool", "c8", "c16"])
def test_updates_of_booleans_and_complex_numbers(ufunc, dtype):
    at = RNG.integers(-N, N, 200)
    values = numbers(dtype, 200) if dtype == "bool" else numbers(dtype, 200) * 0.01 + 0.5j
    for value in (values, values[0]):
        x = numbers(dtype)
        a = ak.Array(x)
        if dtype == "bool" and ufunc is np.subtract:
            with pytest.raises(TypeError):
                ufunc.at(a, at, value)
            same(a, x)
            continue
        ufunc.at(a, at, value)
        ufunc.at(x, at, value)
        got = host(a)
        assert got.dtype == x.dtype
        np.testing.assert_allclose(got, x, rtol=1e-5 if dtype == "c8" else 1e-12)


@pytest.mark.parametrize(
    "ufunc", [np.add, np.multiply, np.maximum, np.minimum, np.subtract, np.hypot]
)
@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "f4", "f8"])
def test_numbers_that_come_to_booleans(ufunc, dtype):
    """Of what each step gives it is written whether it is not 0."""
    for n, m in ((0, 0), (1, 5), (N, 200), (N, 5_000)):
        at = RNG.integers(-n, n, m) if n else np.zeros(0, int)
        values = RNG.integers(-2, 3, m).astype(dtype)
        for value in (values, np.dtype(dtype).type(1), 1, 0, -1, 2.5):
            x = RNG.random(n) < 0.5
            a = ak.Array(x)
            ufunc.at(a, at, value)
            ufunc.at(x, at, value)
            got = host(a)
            assert got.dtype == x.dtype
            assert np.array_equal(got, x), (n, m, value)


def test_nan_stays():
    a = ak.Array([np.nan, 1.0, 2.0])
    np.maximum.at(a, [0, 1, 2, 2], ak.Array([5.0, np.nan, 1.0, 9.0]))
    assert str(a.to_list()) == "[nan, nan, 9.0]"


LISTS = [[9.0], [1.5, 2.5, 3.5], [], [4.5, 5.5], [8.0]]


def test_lists():
    for x in (ak.Array(LISTS), ak.Array(LISTS)[1:-1], ak.Array(LISTS)[::-1]):
        for where in (
            lambda x: x > 3,
            lambda x: ak.num(x) > 1,
            lambda x: ak.Array(x.to_list()) > 3,
        ):
            a = x[:]
            a[where(a)] = 0
            chosen = where(x)
            want = ak.where(chosen, 0 * x, x)
            assert a.to_list() == want.to_list()
            assert a.type == x.type
        a = x[:]
        a[1:, :1] = -1
        assert a[0].to_list() == x[0].to_list()
        assert ak.all(a[1:, :1] == -1)
        assert a[1:, 1:].to_list() == x[1:, 1:].to_list()


def test_lists_take_other_values():
    x = ak.Array(LISTS)
    x[x > 4] = x[x > 4] * 2
    assert x.to_list() == [[18.0], [1.5, 2.5, 3.5], [], [9.0, 11.0], [16.0]]
    m = ak.Array(np.arange(12.0).reshape(3, 4))
    m[m > 6] = 0
    m[1] = 5
    m[:, 0] = [7, 8, 9]
    assert m.to_list() == [[7, 1, 2, 3], [8, 5, 5, 5], [9, 0, 0, 0]]


def test_missing_values():
    x = ak.Array([1.0, None, 3.0])
    x[0] = 9
    assert x.to_list() == [9.0, None, 3.0]
    y = ak.Array([1.0, 2.0, 3.0])
    y[ak.Array([True, None, False])] = 5
    with pytest.raises(TypeError):
        y[1] = None
    assert y.to_list() == [5.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("where", "error"), [(3, IndexError), (-4, IndexError), ([0, 3], IndexError)]
)
def test_places_out_of_range(where, error):
    x = ak.Array([1.0, 2.0, 3.0])
    with pytest.raises(error):
        x[where] = 1
    with pytest.raises(error):
        np.add.at(x, where, 1.0)
    assert x.to_list() == [1.0, 2.0, 3.0]


def test_values_of_another_length():
    x = ak.Array([1.0, 2.0, 3.0])
    for where in (slice(1, None), [0, 1], np.array([True, False, True])):
        with pytest.raises((IndexError, ValueError)):
            x[where] = [7.0, 8.0, 9.0]
    assert x.to_list() == [1.0, 2.0, 3.0]


def test_what_was_made_of_it_before_stays():
    x = ak.Array([1.0, 2.0, 3.0])
    twice = x * 2
    x[x > 1] = 0
    x[0] = 5
    assert twice.to_list() == [2.0, 4.0, 6.0]
    assert x.to_list() == [5.0, 0.0, 0.0]
    x[x == 0] = ak.sum(x)  # one number that is computed
    assert x.to_list() == [5.0, 5.0, 5.0]


@pytest.mark.parametrize("power", [2, 3, 0.5, 1, 0, -1, 2.5, -0.5])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_powers_of_one_number(dtype, power):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2.5, -3, 1e-4, 6e4], dtype)
    with np.errstate(all="ignore"):
        want = x**power
    got = host(ak.Array(x) ** power)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    fine = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got[fine]), np.signbit(want[fine]))
    np.testing.assert_allclose(got, want, rtol=float(np.finfo(dtype).eps))


HOLDERS = {
    "slice": lambda a: a[:],
    "part": lambda a: a[2:5],
    "expression": lambda a: a + 1,
    "same array": lambda a: ak.Array(a),
    "copy": lambda a: copy.copy(a),
    "materialised": lambda a: ak.materialize(a),
    "record": lambda a: ak.zip({"x": a}),
    "lists": lambda a: ak.unflatten(a, [3, 4]),
    "NumPy": lambda a: ak.to_numpy(a),
    "view": lambda a: np.asarray(a),
    "layout": lambda a: a.layout,
    "sum": lambda a: ak.sum(a),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("kept", ["alone", "stored", "expression"])
def test_nobody_else_sees_an_update(holder, kept):
    x = np.arange(7.0)
    a = ak.copy(ak.Array(x)) if kept != "expression" else ak.Array(x) * 1
    if kept == "stored":
        ak.materialize(a)
    in_ram = holder in ("NumPy", "view", "layout")
    other, before = (
        HOLDERS[holder](ak.to_backend(y, "cpu") if in_ram else y) for y in (a, ak.Array(x))
    )
    before = str(before)
    a[3] = 70
    a[:2] = 80
    a[[4, 5]] = [1, 2]
    np.add.at(a, [6], 1.0)
    assert host(a).tolist() == [80, 80, 2, 70, 1, 2, 7]
    assert str(other) == before
    assert x.tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_values_that_are_the_array_itself():
    a = ak.copy(ak.Array([1, 2, 3, 4]))
    a[1:] = a[:-1]
    assert a.to_list() == [1, 1, 2, 3]
    a[a] = a
    assert a.to_list() == np.array([1, 1, 2, 3]).tolist()
    a[::-1] = a
    assert a.to_list() == [3, 2, 1, 1]


def numbers_of(a):
    """The memory of a flat array, which whoever has it holds."""
    return next(iter(ak.to_buffers(a)[2].values()))


def test_memory_that_nobody_else_holds_is_written_to(new_arrays_on_the_cpu):
    for n in (5, 5000):
        a = ak.copy(ak.Array(np.arange(n) * 2))
        where = numbers_of(a).ctypes.data
        for place in (1, slice(2, 4), np.array([0, 3])):
            a[place] = 9
        assert numbers_of(a).ctypes.data == where
        shown = numbers_of(a)
        a[0] = 1
        assert numbers_of(a).ctypes.data != where
        assert shown.view("i8")[0] == 9
        assert a[:5].to_list() == [1, 9, 9, 9, 8]


@pytest.mark.parametrize("value", [0, 2, 0.0, 1.5, np.nan])
def test_numbers_are_written_as_truth_to_booleans(value):
    x = np.array([True, False, True, False])
    for where in (2, slice(1, None), [0, 1], x):
        a, want = ak.Array(x), x.copy()
        a[where] = value
        want[where] = value
        same(a, want)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 2047, 2048, 2049, 5000, 9001])
def test_slices_filled_with_one_number(dtype, n):
    """Bytes that are all equal, or not; around what is copied at a time."""
    for value in (0, 3, 77):
        x = numbers(dtype, n + 3)
        for where in (slice(1, n + 1), slice(0, n)):
            a, want = ak.copy(ak.Array(x)), x.copy()
            a[where] = value
            want[where] = value
            same(a, want)


@pytest.mark.parametrize("place", [5, -6, 2**62, -(2**62), 2**63 - 1, -(2**63)])
def test_places_far_outside(place):
    a = ak.Array(np.arange(5))
    with pytest.raises((ValueError, IndexError)):
        a[np.array([1, place, 2])] = 9
    assert ak.Array(np.arange(5)).to_list() == [0, 1, 2, 3, 4]


def test_bytes_of_booleans_are_looked_at():
    """Wherever a byte is that is neither 0 nor 1."""
    for n in (1, 7, 8, 63, 64, 65, 200):
        for k in {0, 1, n // 2, n - 1}:
            x = np.zeros(n, "u1")
            x[min(k, n - 1)] = 2
            form = '{"class": "NumpyArray", "primitive": "bool", "form_key": "a"}'
            a = ak.from_buffers(form, n, {"a-data": x.tobytes()})
            assert host(a).view("u1").tolist() == (x != 0).tolist()


@pytest.mark.parametrize("n", [1, 300, 100_000])
def test_the_last_of_several_values_stays(n):
    rng = np.random.default_rng(n)
    a, places = rng.normal(size=n), rng.integers(-n, n, 3 * n)
    values = rng.normal(size=3 * n)
    missing = np.arange(n) % 5 == 2
    x, y = ak.Array(a), ak.mask(ak.Array(a), ~missing)
    for written in (values, 2.5, np.float32(7)):
        want, here, some = a.copy(), ak.copy(x), ak.copy(y)
        want[places] = written
        here[ak.Array(places)] = written
        some[ak.Array(places)] = written
        assert ak.to_list(here) == want.tolist()
        # What is missing stays so.
        assert ak.to_list(some) == [None if m else v for v, m in zip(want, missing, strict=True)]
    matrix, wanted = ak.Array(a[: n // 2 * 2].reshape(2, -1)), a[: n // 2 * 2].reshape(2, -1).copy()
    if n > 1:
        columns = places[:n] % (n // 2)
        matrix[1, ak.Array(columns)] = values[:n]
        wanted[1, columns] = values[:n]
        assert ak.to_list(matrix) == wanted.tolist()


@pytest.mark.parametrize("t", ["f8", "f4", "f2", "i8", "i2", "u1", "?", "c16", "c8"])
@pytest.mark.parametrize("n", [1, 5, 100_000])
def test_one_number_at_one_place_or_a_range(t, n):
    a = (np.arange(n) % 7).astype(t)
    values = [0, 1, True, 2.5] + ([1 + 2j] if t[0] == "c" else [])
    places = [0, -1, n // 2, np.int32(0), slice(None), slice(1, None, 2), slice(None, None, -1)]
    for value in [*values, np.float32(3), np.int64(1)]:
        for place in places:
            if t in ("i8", "i2", "u1") and isinstance(value, (float, np.floating)):
                continue  # values_astype decides, not this
            expected, x = a.copy(), ak.copy(ak.Array(a))
            expected[place] = value
            x[place] = value
            got = host(x)
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got, expected)
    with pytest.raises(IndexError):
        ak.Array(a)[n] = 1


def test_a_copy_has_memory_of_its_own():
    a = np.arange(24.0)
    nested = ak.Array([[1, 2], [], [3]])
    for x in (
        ak.Array(a),
        ak.Array(a)[5:],
        ak.Array(a.reshape(2, 3, 4)),
        ak.Array(a.reshape(6, 4))[2:],
        ak.Array(a.reshape(6, 4)[:, :0]),
        ak.Array(a)[:0],
        ak.with_parameter(ak.Array(a), "about", "metres"),
        ak.Array(a.astype("M8[s]")),
        nested,
        nested[1:],
        ak.Array([1.5, None]),
    ):
        y = ak.copy(x)
        assert ak.type(y) == ak.type(x)
        assert ak.parameters(y) == ak.parameters(x)
        assert y.to_list() == x.to_list()
    x = ak.Array(a)
    y = ak.copy(x)
    y[0] = 100
    assert host(x)[0] == 0
    assert host(y)[0] == 100
    rows = ak.copy(ak.Array(a.reshape(6, 4)))
    rows[0] = 7
    np.testing.assert_array_equal(host(rows)[0], np.full(4, 7.0))
    np.testing.assert_array_equal(host(rows)[1:], a.reshape(6, 4)[1:])


# Places of the memory that the numbers are in: a scatter, there or on the way to a copy.
@pytest.mark.parametrize("n", [1, 300, 100_000])
@pytest.mark.parametrize("dtype", TYPES)
def test_the_last_value_of_a_place_stays(dtype, n):
    x = numbers(dtype, n)
    for places in (RNG.integers(-n, n, 2 * n), RNG.integers(0, 1 + n // 10, n), np.arange(0)):
        for values in (numbers(dtype, len(places)), numbers(dtype, 1)[0]):
            a, want = ak.Array(x), x.copy()
            want[places] = values
            seen = ak.Array(x)
            other = seen[:]  # a second handle: its numbers stay
            for y in (a, seen):
                y[ak.Array(places)] = ak.Array(values) if np.ndim(values) else values
                y[ak.Array(places)] = ak.Array(values) if np.ndim(values) else values
                same(y, want)
            same(other, x)


@pytest.mark.parametrize("bad", [-301, 300, 2**62])
def test_places_that_are_none_change_nothing(bad):
    x = numbers("f8", 300)
    for values in (0.0, ak.Array(numbers("f8", 1000))):
        a = ak.Array(x)
        places = RNG.integers(-300, 300, 1000)
        places[700] = bad
        with pytest.raises(IndexError):
            a[ak.Array(places)] = values
        same(a, x)
        a[ak.Array(places[:700])] = 1
        assert np.sum(host(a) == 1) >= len(np.unique(places[:700] % 300))


def test_numbers_after_one_is_known_and_written_over():
    a = ak.Array(numbers("f8", 100) + 1)
    b = a + 0
    assert b[3] == host(a)[3]
    for k in range(5):
        b[ak.Array([3, -1])] = -k
        assert [b[3], b[99], ak.min(b)] == [-k] * 3
    lengths = ak.num(ak.unflatten(np.arange(6), ak.Array([1, 2, 3])))
    lengths[ak.Array([0])] = 9
    assert host(lengths).tolist() == [9, 2, 3]
