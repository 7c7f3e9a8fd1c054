# Arrays beside Awkward Array's: whose function, method or left operand it is, its is the result.
import os
import subprocess
import sys
import warnings

import awkward
import numpy as np
import pytest

import serrate as ak

DATA = [[3.0, 1.0, 2.0], [5.0, 4.0], [0.5]]
EVENTS = awkward.Array(DATA)


def same(ours, theirs):
    assert type(ours) is type(theirs)
    if isinstance(theirs, awkward.Array | awkward.Record):
        assert str(ours.type) == str(theirs.type)
    assert awkward.to_list(ours) == awkward.to_list(theirs)


SLICERS = {
    "argmax": lambda lib, x: lib.argmax(x, axis=1, keepdims=True),
    "argsort": lambda lib, x: lib.argsort(x, axis=1),
    "lists of equal lengths": lambda lib, x: lib.local_index(x)[:, :1],
    "jagged mask": lambda lib, x: x > 1.5,
    "mask": lambda lib, x: lib.num(x) > 1,
    "integers": lambda lib, x: lib.Array([2, 0]),
    "missing": lambda lib, x: lib.Array([0, None, 1]),
    "missing lists": lambda lib, x: lib.Array([[0], None, [0]]),
    "nothing": lambda lib, x: lib.Array([[], [], []]),
    "firsts": lambda lib, x: lib.firsts(lib.argsort(x, axis=0))[:2] * 0,
}


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize("name", SLICERS)
def test_slicers_of_awkwards_arrays(name):
    ours = SLICERS[name](ak, ak.Array(DATA))
    theirs = SLICERS[name](awkward, EVENTS)
    # Awkward Array reads slicers of others item by item, and sees no option type where nothing is
    # missing.
    if "?" in str(theirs.type) or "option" in str(theirs.type):
        assert EVENTS[ours].to_list() == EVENTS[theirs].to_list()
    else:
        same(EVENTS[ours], EVENTS[theirs])
    same(EVENTS[ak.to_awkward(ours)], EVENTS[theirs])


FUNCTIONS = {
    "num": lambda x: awkward.num(x),
    "sum": lambda x: awkward.sum(x, axis=1),
    "sum of all": lambda x: awkward.sum(x),
    "singletons": lambda x: awkward.num(awkward.argmax(x, axis=1, keepdims=True), axis=1),
    "concatenate": lambda x: awkward.concatenate([EVENTS, x], axis=1),
    "zip": lambda x: awkward.zip({"a": EVENTS, "b": x}),
    "where": lambda x: awkward.where(x > 1, EVENTS, x),
    "cartesian": lambda x: awkward.cartesian([x, EVENTS]),
    "with_field": lambda x: awkward.with_field(awkward.zip({"a": EVENTS}), x, "b"),
    "mask": lambda x: awkward.mask(EVENTS, x > 2),
    "type": lambda x: str(awkward.type(x)),
    "Array": lambda x: awkward.Array(x),
    "dict": lambda x: awkward.Array({"x": x}),
    "to_layout": lambda x: awkward.Array(awkward.to_layout(x)),
    "left": lambda x: EVENTS + x,
    "power": lambda x: EVENTS**x,
    "compare": lambda x: np.less(EVENTS, x),
    "ufunc": lambda x: np.hypot(EVENTS, x),
    "lists of one": lambda x: EVENTS[:, :1] + x[:, :1],
    "to_json": lambda x: awkward.to_json(x),
    "to_list": lambda x: awkward.to_list(x),
    "record": lambda x: awkward.zip({"x": x})[0],
    "dispatch": lambda x: awkward.flatten(array=x),
}


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("lists", [DATA, [[1.0], [2.0], [3.0]], [[], [], []]])
def test_functions_of_awkward_on_ours(name, lists):
    x = ak.values_astype(ak.Array(lists), float)
    theirs = awkward.values_astype(awkward.Array(lists), float)
    run = FUNCTIONS[name]
    try:
        expected = run(theirs)
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            run(x)
        return
    same(run(x), expected)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_names_and_records():
    point = ak.zip({"x": [1, 2]}, with_name="Point")
    assert awkward.parameters(point)["__record__"] == "Point"
    assert awkward.fields(point[0]) == ["x"]
    same(awkward.to_list(ak.Array(["a", None])), ["a", None])
    assert awkward.str.upper(ak.Array(["a", "b"])).to_list() == ["A", "B"]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_ours_take_awkwards():
    x = ak.Array(DATA)
    for mine in [x + EVENTS, np.add(x, EVENTS), x[EVENTS > 1], ak.sum(EVENTS, axis=1)]:
        assert type(mine) is ak.Array
    assert (x + EVENTS).to_list() == (EVENTS + EVENTS).to_list()
    assert type(EVENTS + x) is awkward.Array
    assert type(np.add(EVENTS, x)) is awkward.Array


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_only_functions_of_awkward_are_answered():
    x = ak.Array(DATA)
    assert x.__awkward_function__(ak.num, (x,), (x,), {}) is NotImplemented
    assert x.__awkward_function__(awkward.num, (x,), (x,), {}).to_list() == [3, 2, 1]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_awkward_is_not_imported_for_this():
    code = """
import sys
import numpy as np
import serrate as ak
x = ak.Array([[1, 2], []])
np.asarray(ak.sum(x, axis=1)), ak.Array(np.arange(3)), x + 1, hasattr(x, "__dlpack_device__")
ak.Array({"x": np.arange(2)}).show(stream=None)
assert "awkward" not in sys.modules
"""
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "SERRATE_BACKEND": "cpu"}
    )


def virtual(array):
    form, length, buffers = awkward.to_buffers(array)
    late = {name: (lambda data=data: data) for name, data in buffers.items()}
    return awkward.from_buffers(form, length, late)


@pytest.mark.parametrize(
    "values",
    [
        DATA,
        [1, 2, 3],
        [],
        [{"x": 1, "y": [1.5]}, {"x": 2, "y": []}],
        ["one", None, "two"],
        [1, "two", [3.5]],
        [None, [1, None]],
        np.arange(6).reshape(2, 3),
    ],
)
def test_virtual_arrays_are_read(values):
    x = virtual(awkward.Array(values))
    assert ak.Array(x).to_list() == awkward.to_list(values)
    assert ak.from_awkward(virtual(awkward.Array(values))).to_list() == awkward.to_list(values)
    if isinstance(values, list) and values and isinstance(values[0], dict):
        fields = virtual(awkward.Array(values))
        assert ak.sum(fields.x) == 3
        assert ak.Array(fields[0]["y"]).to_list() == [1.5]
        assert ak.Record(fields[0]).to_list() == values[0]


def test_every_name_of_awkward_is_there_or_has_a_hint():
    for name in dir(awkward):
        if name.startswith("_") or hasattr(ak, name):
            continue
        with pytest.raises(AttributeError) as e:
            getattr(ak, name)
        assert f"serrate has no {name!r}: " in str(e.value), name
        assert "did you mean" not in str(e.value), name


def test_hints_are_of_names_that_are_alike():
    for name, meant in {"flaten": "flatten", "concat": "concatenate", "argmaxx": "argmax"}.items():
        with pytest.raises(AttributeError, match=f"did you mean .*{meant}"):
            getattr(ak, name)
    for name in ["cppyyy", "taxes", "quux"]:
        with pytest.raises(AttributeError) as e:
            getattr(ak, name)
        assert "did you mean" not in str(e.value)


def test_annotations_and_masks_as_awkwards():
    assert repr(ak.Array[int]).endswith("Array[int]")
    assert ak.Array[int].__origin__ is ak.Array
    x = ak.Array([1, 2, 3])
    assert isinstance(x.mask, ak.Array.Mask)
    assert ak.Array.Mask(x)[[True, False, True]].to_list() == [1, None, 3]
    with pytest.raises(TypeError, match="Array"):
        ak.Array.Mask([1])


def test_nbytes_of_a_slice_is_what_it_uses():
    x = ak.Array(np.arange(1000.0))
    assert x.nbytes == 8000
    assert x[:10].nbytes == 80
    assert x[10:10].nbytes == 0
    lists = ak.unflatten(np.arange(1000.0), [10] * 100)
    assert lists.nbytes == 8000 + 101 * 8 == ak.to_packed(lists).nbytes
    assert lists[5:7].nbytes == 160 + 3 * 8
    pairs = ak.zip({"a": lists, "b": lists + 1})
    assert pairs.nbytes == 16000 + 101 * 8  # offsets count once
    assert ak.zip({"a": x, "b": x}, depth_limit=1).nbytes == 8000
    regular = ak.Array(np.zeros((100, 5), "int8"))
    assert regular[:3].nbytes == 15
    words = ak.Array(["one", "two"] * 50)
    assert words[:2].nbytes == 6 + 3 * 8
    assert ak.Array([1, None, 3])[:2].nbytes == 2 * 8 + 2


@pytest.mark.parametrize("unit", ["D", "s", "ms", "ns", "25s", "Y", "M", "W", "h", "m", "as"])
def test_strings_as_datetimes(unit):
    texts = """
    2020-01-01T12 2020 2020-02 2020-01-01T12:30:15.123456789123456789 +2020-01-01
    1969-12-31T23:59:59.999 1970-01-01 2000-02-29 1600-03-01T00:00:01 NaT nat 2020-01-01T12:30Z
    2020-01-01T12:30+01:00 2020-01-01T00:10-1130 2020-01-01T12:30:15. 1970-01-01T00:00:01.5
    """.split()  # noqa: SIM905
    texts += ["2020-01-01 12:30", "", " 2020-01-01"]
    if unit == "as":
        texts = ["1970-01-01T00:00:01.123456789123456789", "1969-12-31T23:59:59.5", "NaT"]
    elif unit == "ns":
        texts.remove("1600-03-01T00:00:01")
    else:
        texts += ["-0044-03-15", "12020-01-01", "99999"] if unit != "ms" else []
    dtype = f"datetime64[{unit}]"
    with warnings.catch_warnings():  # of time zones
        warnings.simplefilter("ignore")
        expected = np.array(texts).astype(dtype)
    found = ak.strings_astype(ak.Array(texts), dtype)
    assert str(found.type) == f"{len(texts)} * {dtype}"
    assert ak.to_numpy(ak.to_backend(found, "cpu")).tolist() == expected.tolist()


def test_strings_as_times_of_any_unit():
    for texts in [["2020", "2021"], ["2020-01", "2020-02-03"], ["2020-01-01T10", ""], ["NaT"]]:
        found = ak.strings_astype(ak.Array(texts), "datetime64")
        expected = np.array(texts).astype("datetime64")
        assert str(found.type).endswith(str(expected.dtype)) or texts == ["NaT"]
        assert ak.to_list(found) == expected.tolist()
    lists = ak.strings_astype(ak.Array([["2020-01-01"], [], [None, "NaT"]]), "datetime64[D]")
    assert str(lists.type) == "3 * var * ?datetime64[D]"
    assert str(lists.to_list()[2]) == "[None, None]"
    found = ak.strings_astype(ak.Array(["5", "-7", " 3", "+4", "", "NaT"]), "timedelta64[25s]")
    expected = np.array(["5", "-7", " 3", "+4", "", "NaT"]).astype("timedelta64[25s]")
    assert ak.to_numpy(ak.to_backend(found, "cpu")).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "text",
    """
    2020-02-30 2020-01-01T 2020-1-1 2020-01-01T1230 2020-01-01T24:00 2020-01-01T23:59:60
    2020-366 2020-W01-1 2020-01-01T12:30:15,5 2020-13 word 2019-02-29 2020-01-01T12:30X -
    2020-00-01 2020-01-00 2020-01-01T12:3
    """.split(),  # noqa: SIM905
)
@pytest.mark.filterwarnings("ignore:no explicit")
def test_texts_that_are_no_datetimes(text):
    with pytest.raises(ValueError):
        np.datetime64(text, "s")
    with pytest.raises(ValueError, match=r"strings_astype: string 1: .*is no datetime64"):
        ak.strings_astype(ak.Array(["2020", text]), "datetime64[s]")


def test_times_that_do_not_fit():
    with pytest.raises(ValueError, match=r"string 0: .*no room in datetime64"):
        ak.strings_astype(ak.Array(["12020-01-01"]), "datetime64[ns]")
    for text in ["5.5", "5 days", "0x10", "1e3", "9223372036854775808", "5 "]:
        with pytest.raises(ValueError, match=r"string 0: .*timedelta64"):
            ak.strings_astype(ak.Array([text]), "timedelta64[s]")
    with pytest.raises(ValueError, match=r"string 1: 'x' is not a number"):
        ak.strings_astype(ak.Array(["1", "x"]), float)


def test_a_mask_beside_an_index_of_each_item():
    x = ak.Array([[0, 1, 2], [3, 4], [5, 6, 7, 8], [9]])
    mask, index = np.array([True, False, True, True]), np.array([2, 0, 3, 0])
    assert x[mask, index].to_list() == [2, 8, 9]
    assert x[mask, index[mask]].to_list() == [2, 8, 9]
    assert x[ak.Array(mask), ak.argmax(x, axis=1, mask_identity=False)].to_list() == [2, 8, 9]
    numbers = np.arange(24).reshape(4, 6)
    assert ak.Array(numbers)[mask, index].to_list() == numbers[mask, index[mask]].tolist()
    columns = np.array([True, True, False, True, False, False])
    assert ak.Array(numbers)[[0, 3, 1, 2, 2, 2], columns].to_list() == [0, 19, 15]
    one = np.array([False, True, False, False])  # NumPy's, which takes them as they are
    assert ak.Array(numbers)[one, index].to_list() == numbers[one, index].tolist()
    with pytest.raises(ValueError, match="broadcast"):
        x[mask, [0, 0]]
