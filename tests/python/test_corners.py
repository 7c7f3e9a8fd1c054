# Where answers are easily lost: types of one member, operands of one row, behaviours on the way in
# and out, NaN in flat arrays, tables of unions.
import awkward
import numpy as np
import pytest

import serrate as ak


def both(f, *, kind=True):
    """The same values, type and text in both libraries; or both raise."""
    out = []
    for lib in (awkward, ak):
        x = f(lib)
        out.append((lib.to_list(x), str(lib.type(x))) if kind else lib.to_list(x))
    assert out[1] == out[0]


def named(lib, data, names):
    return lib.with_named_axis(lib.Array(data), names)


# -- names of axes ---------------------------------------------------------------------------------
@pytest.mark.parametrize("names", [("x", "y"), {"a": -1}, {"a": 0}, {"a": 1}], ids=str)
@pytest.mark.parametrize("what", [[1], [[1]], [[[1]]], 5], ids=str)
def test_fields_leave_names_of_axes_where_they_are(names, what):
    def of(lib):
        x = named(lib, [{"x": 1, "y": [1]}], names)
        value = lib.Array(what) if isinstance(what, list) else what
        return lib.with_field(x, value, "z").named_axis

    assert of(ak) == of(awkward)
    x = named(ak, [{"x": 1, "y": [1]}], names)
    x["z"] = what
    assert x.named_axis == of(awkward)


def test_names_of_axes_of_a_new_field():
    for first, second in [({"a": -1}, {"c": 1}), ({"a": 0}, {"c": 1}), ({}, {"b": 0, "c": 1})]:

        def of(lib, first=first, second=second):
            x = named(lib, [{"x": 1, "y": [1]}], first)
            return lib.with_field(x, named(lib, [[1]], second), "z").named_axis

        assert of(ak) == of(awkward)


DEEPER = [[[1, 2, 3], [4]], [[1], [2], [3]], [[[1], [2]], [[3]]]]


@pytest.mark.parametrize("deeper", DEEPER, ids=str)
def test_names_of_one_row_that_is_broadcast(deeper):
    """As in Awkward, the axis of one row is an inner one of what it is broadcast to."""

    def of(lib, flip, f):
        x, y = named(lib, [1], {"y": 0}), named(lib, deeper, {"x": 0, "y": 1})
        return f(lib, *((y, x) if flip else (x, y)))

    for flip in (False, True):
        expected = of(awkward, flip, lambda _, x, y: (x + y).named_axis)
        assert of(ak, flip, lambda _, x, y: (x + y).named_axis) == expected
        for got in of(ak, flip, lambda lib, x, y: lib.broadcast_arrays(x, y)):
            assert got.named_axis == expected
    with pytest.raises(ValueError, match="named axes differ"):
        named(ak, [1, 2], {"y": 0}) + named(ak, [[1, 2], [3]], {"x": 0, "y": 1})


# -- unions ----------------------------------------------------------------------------------------
NUMBERS = {"class": "NumpyArray", "primitive": "int64"}
TEXT = {
    "class": "ListOffsetArray",
    "offsets": "i64",
    "parameters": {"__array__": "string"},
    "form_key": "s",
    "content": {
        "class": "NumpyArray",
        "primitive": "uint8",
        "parameters": {"__array__": "char"},
        "form_key": "c",
    },
}
CONTAINER = {
    "u-tags": np.array([0, 1, 0], np.int8),
    "u-index": np.array([0, 0, 1]),
    "v-tags": np.array([0, 1], np.int8),
    "v-index": np.array([0, 0]),
    "a-data": np.array([1, 2]),
    "b-data": np.array([3, 4]),
    "s-offsets": np.array([0, 1]),
    "c-data": np.array([65], np.uint8),
}


def union(key, *contents):
    form = {"class": "UnionArray", "tags": "i8", "index": "i64", "contents": contents}
    return form | {"form_key": key}


A, B = NUMBERS | {"form_key": "a"}, NUMBERS | {"form_key": "b"}


@pytest.mark.parametrize(
    "form",
    [
        union("u", A, B),
        union("u", A, B | {"primitive": "float64"}),
        union("u", union("v", A, TEXT), B),
        {"class": "RegularArray", "size": 1, "content": union("u", A, B), "form_key": "r"},
        {"class": "RecordArray", "fields": ["x"], "contents": [union("u", A, B)]},
    ],
)
def test_forms_that_are_not_canonical(form):
    def of(lib):
        import json

        return lib.from_buffers(json.dumps(form), 3, CONTAINER, allow_noncanonical_form=True)

    both(of)


@pytest.mark.parametrize(
    ("data", "to"),
    [
        ([(1, 2)], "(int64)"),
        ([(1, 2), (3, 4)], "()"),
        ([[1, "a"], {"x": 1}], "union[var * union[int64, string, bool], {x: int64}]"),
        ([[[1, "a"]], {"x": 1}], "union[var * var * union[int64, string, bool], {x: int64}]"),
        ([{"y": [1, "a"]}, 5], "union[{y: var * union[int64, string, bool]}, int64]"),
    ],
)
def test_types_enforced_inside(data, to):
    both(lambda lib: lib.enforce_type(lib.Array(data), to))


def test_types_that_cannot_be_enforced():
    for data, to in [
        ([[1, "a"], {"x": 1}], "union[var * union[bool, datetime64], {x: int64}]"),
        ([(1, 2)], "(int64, int64, int64)"),
    ]:
        with pytest.raises(TypeError):
            ak.materialize(ak.enforce_type(ak.Array(data), to))


NONE = np.array([], np.int64)


@pytest.mark.parametrize(
    ("data", "where"),
    [
        ([], np.s_[:, NONE]),
        ([], np.s_[:, NONE, NONE]),
        ([], np.s_[:, NONE, 0]),
        ([], np.s_[:, 0, NONE]),
        ([], np.s_[:, []]),
        ([], np.s_[:, NONE, :]),
        ([], np.s_[:, None, NONE]),
        ([], np.s_[:, np.zeros((0, 2), int)]),
        ([], np.s_[:, np.zeros((2, 0), int)]),
        ([], np.s_[:, np.array([], bool)]),
        ([[]], np.s_[:, :, NONE]),
    ],
    ids=str,
)
def test_empty_slicers_of_what_is_unknown(data, where):
    both(lambda lib: lib.Array(data)[where])


def test_slices_of_what_is_unknown():
    for where in (0, [0], slice(1), [True]):
        with pytest.raises(IndexError):
            ak.Array([])[:, where]


@pytest.mark.parametrize("f", ["sort", "argsort"])
@pytest.mark.parametrize(
    ("data", "cut"),
    [
        ([[1], "a"], np.s_[:0]),
        ([[[1], "a"]], np.s_[:0]),
        ([[[1], "a"]], np.s_[:, :0]),
        ([[1], {"x": 1}], np.s_[:0]),
    ],
    ids=str,
)
def test_sorting_nothing_of_different_kinds(f, data, cut):
    if f == "argsort" and "x" in str(data):
        assert ak.argsort(ak.Array(data)[cut]).to_list() == []
        return
    both(lambda lib: getattr(lib, f)(lib.Array(data)[cut]))
    with pytest.raises((ValueError, TypeError)):
        getattr(ak, f)(ak.Array(data))


# -- NaN, and times --------------------------------------------------------------------------------
NAN = float("nan")
FLAT = [
    [3.0, NAN, 4.0],
    [NAN, 3.0],
    [NAN, NAN],
    [3.0, None, NAN],
    [3.0, 4.0],
    np.array([2, "NaT", 1], "m8[s]"),
    np.array([1, NAN], np.float16),
    np.array([1, NAN], np.float32),
]


@pytest.mark.parametrize("name", ["min", "max", "ptp", "nanmin", "nanmax"])
@pytest.mark.parametrize("data", FLAT, ids=str)
def test_nan_in_flat_arrays(name, data):
    """The extremes of a whole array are NaN if there is one, whatever axis is given."""
    if getattr(data, "dtype", np.dtype(float)).kind == "m" and name not in ("min", "max"):
        return
    for axis in (None, 0, -1):
        for keepdims in (False, True):
            got, expected = (
                lib.to_list(getattr(lib, name)(lib.Array(data), axis=axis, keepdims=keepdims))
                for lib in (ak, awkward)
            )
            assert str(got) == str(expected)
        x = ak.Array(data)
        whole = getattr(ak, name)(x, axis=axis)
        if not isinstance(data, np.ndarray):
            inside = getattr(ak, name)(ak.Array([data])[0], axis=axis)
            assert str(ak.to_list(inside)) == str(ak.to_list(whole))
            filtered = getattr(ak, name)(x[ak.fill_none(x == x, True) | True], axis=axis)
            assert str(ak.to_list(filtered)) == str(ak.to_list(whole))


@pytest.mark.parametrize("n", [1, 7, 64, 100_000])
def test_nan_at_the_end_of_many(n):
    x = np.append(np.arange(n, dtype=float), np.nan)
    for axis in (None, 0, -1):
        assert np.isnan(ak.min(ak.Array(x), axis=axis))
        assert np.isnan(ak.max(ak.Array(x) * 2, axis=axis))
        assert ak.max(ak.Array(x[:-1]), axis=axis) == n - 1
    rows = ak.Array(np.stack([x, x]))
    for axis in (1, -1):
        assert ak.max(rows, axis=axis).to_list() == [n - 1, n - 1]


def test_nan_in_lists_is_passed_over():
    for data in ([[3.0, NAN], [NAN, 2.0], []], np.array([[3.0, NAN], [NAN, 2.0]])):
        for axis in (0, 1, -1):
            for name in ("min", "max"):
                both(lambda lib, n=name, a=axis, d=data: getattr(lib, n)(lib.Array(d), axis=a))


TIMES = np.array([1, 2, -3, "NaT"], "m8[s]")


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * 2.5,
        lambda x: 2.5 * x,
        lambda x: x / 2.5,
        lambda x: x // 2.5,
        lambda x: x * True,
        lambda x: x * 2,
        lambda x: x / 2,
        lambda x: x * NAN,
        lambda x: x * 0.1,
        lambda x: x * np.float32(2.5),
    ],
)
def test_times_and_numbers(f):
    with np.errstate(all="ignore"):
        expected = f(TIMES)
    got = f(ak.Array(TIMES))
    assert str(got.type) == "4 * timedelta64[s]"
    assert ak.to_numpy(ak.to_backend(got, "cpu")).tolist() == expected.tolist()
    lists = f(ak.unflatten(ak.Array(TIMES), [3, 1]))
    assert ak.to_numpy(ak.to_backend(ak.flatten(lists), "cpu")).tolist() == expected.tolist()


def test_times_and_what_does_not_go_with_them():
    x = ak.Array(TIMES)
    for f in (
        lambda: x * 1j,
        lambda: x + 1.5,
        lambda: x / True,
        lambda: 2.5 / x,
        lambda: x % 2.5,
        lambda: ak.Array(np.array(["2020"], "M8[D]")) * 2.5,
    ):
        with pytest.raises(TypeError, match="not defined for"):
            f()


# -- behaviours, attributes, names, categories -----------------------------------------------------
def about(x):
    return x.behavior, dict(x.attrs), x.named_axis


def test_what_hangs_on_arrays_comes_along(new_arrays_on_the_cpu):
    class Points(awkward.Array):
        pass

    theirs = awkward.Array([{"x": 1}], with_name="P", behavior={("*", "P"): Points}, attrs={"k": 1})
    theirs = awkward.with_named_axis(theirs, ("rows",))
    assert about(ak.Array(theirs)) == about(theirs)
    assert about(ak.from_awkward(theirs)) == about(theirs)
    assert about(ak.from_awkward(theirs.x)) == about(theirs.x)
    assert about(ak.Record(theirs[0])) == about(theirs[0])
    assert dict(ak.sqrt(theirs.x).attrs)["k"] == 1
    own = {"P": 5}
    assert ak.Array(theirs, behavior=own).behavior is own
    ours = ak.Array([{"x": 1}], with_name="P", behavior={"a": 1}, attrs={"k": 1})
    ours = ak.with_named_axis(ours, ("rows",))
    for x in (ours, ours.x, ours[0]):
        back = ak.to_awkward(x)
        assert isinstance(back, awkward.Record if isinstance(x, ak.Record) else awkward.Array)
        assert about(back) == about(x)
        assert str(back.type) == str(x.type)
    assert ak.to_awkward(ak.Array([1])).behavior is None
    narrow = ak.values_astype(ak.Array([{"x": 1}]), np.int8)[0]
    assert str(ak.to_awkward(narrow).type) == "{x: int8}"


def test_broadcast_arrays_take_after_their_own():
    x = ("a", [1, 2]), ("b", [3, 4])

    def of(lib, *first):
        arrays = [lib.Array(d, behavior={k: 1}, attrs={k: 2}) for k, d in x]
        out = lib.broadcast_arrays(*first, *arrays)
        return [(y.behavior, dict(y.attrs), y.to_list()) for y in out]

    for first in ([], [5], [[5, 6]], [np.array([5, 6])]):
        assert of(ak, *first) == of(awkward, *first)


def categorical(lib, values=("a", "b", "c"), index=(0, 1, 2, 1)):
    content = lib.Array(list(values)).layout
    index = lib.index.Index64(np.array(index))
    return lib.Array(
        lib.contents.IndexedArray(index, content, parameters={"__array__": "categorical"})
    )


@pytest.mark.parametrize("values", [("a", "b", "c"), (1.5, 2.5, 3.5), ((1, 2), (3, 4), (5, 6))])
def test_categories_that_nobody_has_are_kept(values):
    def of(lib):
        x = lib.Array(categorical(lib, values), attrs={"k": 1})
        return [
            lib.categories(y).to_list()
            for y in (x[:2], lib.to_packed(x[:2]), lib.to_packed(x[:0]), lib.Array(x[1:2].layout))
        ]

    assert of(ak) == of(awkward)
    theirs = categorical(awkward, values)[:2]
    ours = ak.Array(theirs)
    assert ak.categories(ours).to_list() == awkward.categories(theirs).to_list()
    for copy in (ak.copy(ours), pickled(ours), ak.Array([1, 2])[:0]):
        if copy.to_list():
            assert ak.categories(copy).to_list() == awkward.categories(theirs).to_list()


def pickled(x):
    import pickle

    return pickle.loads(pickle.dumps(ak.to_backend(x, "cpu")))


def test_categories_have_no_axes_of_the_array():
    def of(lib):
        x = lib.Array(categorical(lib), behavior={"a": 1}, attrs={"k": 1})
        c = lib.categories(lib.with_named_axis(x, ("rows",)))
        return c.named_axis, c.behavior, dict(c.attrs)

    assert of(ak) == of(awkward)


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("which", ["record", "array", "ignored", "list"])
def test_to_list_asks_the_class(which, deep):
    def of(lib):
        class P(lib.Record):
            def __getitem__(self, where):
                return (where, super().__getitem__(where))

        class Ps(lib.Array):
            def __getitem__(self, where):
                return "item " + str(where)

        class Ls(lib.Array):
            def __getitem__(self, where):
                return "list " + str(where)

        class Ignored(lib.Record):
            def __getitem__(self, where):
                return 1 / 0

            __getitem__.ignore_in_to_list = True

        behavior = {
            "record": {"P": P},
            "array": {("*", "P"): Ps},
            "ignored": {"P": Ignored},
            "list": {"L": Ls},
        }[which]
        data = [[{"x": 1}, {"x": 2}], [{"x": 3}]] if deep else [{"x": 1}, {"x": 2}]
        x = lib.Array(data, with_name="P")
        if which == "list":
            x = lib.with_parameter(lib.Array([[1, 2], [3]]), "__list__", "L")
        x = lib.Array(x, behavior=behavior)
        return x.to_list(), lib.to_list(x), lib.to_list({"a": [x]})

    assert of(ak) == of(awkward)


def test_experimental_warnings_are_those_of_users():
    assert issubclass(ak.errors.ExperimentalWarning, UserWarning)


# -- tables ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "data",
    [
        [{"x": 1}, 2],
        [{"x": 1}, [2, 3]],
        [[{"x": 1}, 2], [3]],
        [{"x": 1}, {"y": 2}, 3],
        [{"x": 1}, {"x": "a"}, {"x": 2}],
        [2, {"x": 1}],
    ],
    ids=str,
)
def test_tables_of_unions(data, new_arrays_on_the_cpu):
    pandas = pytest.importorskip("pandas")
    try:
        expected = awkward.to_dataframe(awkward.Array(data))
    except TypeError:
        with pytest.raises(TypeError):
            ak.to_dataframe(ak.Array(data))
        return
    pandas.testing.assert_frame_equal(ak.to_dataframe(ak.Array(data)), expected)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_columns_of_unions():
    """The same without pandas: names, and values with what is missing."""
    from serrate._frames import dataframe

    def columns(data):
        found = dataframe._columns(ak.Array(data), [], ())
        return {path: values.tolist() for _, path, values in found}

    assert columns([{"x": 1}, 2]) == {("x",): [1, None], ("values",): [None, 2]}
    assert columns([{"x": 1, "y": 5}, 2, {"y": 6}]) == {
        ("x",): [1, None, None],
        ("y",): [5, None, 6],
        ("values",): [None, 2, None],
    }
    with pytest.raises((TypeError, ValueError)):
        columns([1, "a"])


def test_helpers_of_awkward():
    layout = ak.contents.RegularArray(ak.contents.EmptyArray(), 0, zeros_length_generator=lambda: 3)
    assert ak.Array(layout).to_list() == [[], [], []]
    assert "".join(ak.Array([1]).type._str()) == "1 * int64"


def test_what_lies_under_missing_conditions_does_not_show():
    """Not even in the member of a union that is missing."""
    y = ak.Array([[1.0], [2.0, 3.0], [4.0]])
    outcomes = []
    for under in ([1, 0, 1], [1, 1, 1], [1, 2, 1]):
        for kind in (bool, float):
            condition = ak.mask(ak.Array(np.array(under, kind)), [True, False, True])
            got = ak.where(condition, ak.Array([1.0, 2.0, 3.0]), y)
            assert got.to_list() == [1, None, 3]
            outcomes.append(ak.is_none(got, axis=-1).to_list())
    assert outcomes == [[False, None, False]] * 6
