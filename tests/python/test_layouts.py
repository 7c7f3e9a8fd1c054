# Layouts: what contents, forms and indexes say and make, as in Awkward.
import copy
import pickle

import awkward
import numpy as np
import pytest
from conftest import assert_same
from interface import EVERY, theirs

import serrate

LIBRARIES = pytest.mark.parametrize("ak", [awkward, serrate], ids=["awkward", "serrate"])


def on_cpu(x):
    """Values of a buffer on either device."""
    return x.to_list() if hasattr(x, "to_list") else np.asarray(x).tolist()


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_categories():
    x = theirs("categorical")
    layout = serrate.Array(x).layout
    assert isinstance(layout, serrate.contents.IndexedArray)
    assert layout.parameters == {"__array__": "categorical"}
    assert layout.project().to_list() == x.to_list()
    assert_same(serrate.Array(layout), x)


@pytest.mark.parametrize("name", EVERY)
def test_there_and_back(name):
    x = theirs(name)
    y = serrate.Array(x)
    layout = y.layout
    assert len(layout) == layout.length == len(x)
    assert str(layout.form.type) == str(x.type.content)
    assert_same(serrate.Array(layout), x)
    assert layout.to_list() == x.to_list() or name == "nans"
    for kind in ("is_list", "is_record", "is_option", "is_union", "is_unknown", "is_numpy"):
        if name not in ("regular", "matrix", "float32"):
            assert getattr(layout, kind) == getattr(x.layout, kind), kind
    for asked in ("purelist_depth", "minmax_depth", "branch_depth", "purelist_isregular"):
        assert getattr(layout, asked) == getattr(x.layout, asked), asked
    assert list(layout.fields) == list(x.layout.fields)
    assert layout.is_tuple == x.layout.is_tuple
    again = serrate.forms.from_json(layout.form.to_json())
    assert again == layout.form
    assert str(again) == str(awkward.forms.from_dict(again.to_dict()))
    assert pickle.loads(pickle.dumps(layout.form)) == layout.form
    assert layout.is_equal_to(copy.deepcopy(layout))
    assert repr(layout).startswith(f"<{type(layout).__name__}")


def layouts(ak):
    c, i = ak.contents, ak.index
    x = c.NumpyArray(np.array([1.5, 2.5, 3.5, 4.5]))
    lists = c.ListOffsetArray(i.Index64(np.array([0, 2, 2, 4])), x)
    return {
        "numpy": c.NumpyArray(np.arange(12).reshape(3, 4), parameters={"a": 1}),
        "strided": c.NumpyArray(np.arange(12)[::3]),
        "empty": c.EmptyArray(),
        "regular": c.RegularArray(x, 2),
        "regular of none": c.RegularArray(c.EmptyArray(), 0, 3),
        "lists": lists,
        "lists of 32 bits": c.ListOffsetArray(i.Index32(np.array([1, 2, 3], "int32")), x),
        "starts and stops": c.ListArray(i.Index64([2, 0]), i.Index64([4, 1]), x),
        "records": c.RecordArray([x, lists], ["x", "y"], parameters={"__record__": "P"}),
        "tuples": c.RecordArray([x, x], None),
        "no fields": c.RecordArray([], [], 3),
        "indexed": c.IndexedArray(i.Index64([3, 0, 0]), x),
        "option": c.IndexedOptionArray(i.Index64([3, -1, 0]), x),
        "bytes": c.ByteMaskedArray(i.Index8([1, 0, 1]), x, valid_when=False),
        "bits": c.BitMaskedArray(i.IndexU8([5]), x, True, 4, True),
        "unmasked": c.UnmaskedArray(lists),
        "union": c.UnionArray(i.Index8([0, 1, 0]), i.Index64([3, 0, 0]), [x, lists]),
        "string": c.ListOffsetArray(
            i.Index64([0, 2, 3]),
            c.NumpyArray(np.frombuffer(b"abc", "uint8"), parameters={"__array__": "char"}),
            parameters={"__array__": "string"},
        ),
        "times": c.NumpyArray(np.array(["2020-01-01", "2021-01-01"], "datetime64[D]")),
    }


@pytest.mark.parametrize("name", layouts(awkward))
def test_made_by_hand(name):
    a, b = layouts(awkward)[name], layouts(serrate)[name]
    assert len(a) == len(b)
    assert str(a.form) == str(b.form)
    assert repr(a.form) == repr(b.form)
    assert a.parameters == b.parameters
    assert a.nbytes == b.nbytes or name == "numpy"
    assert_same(serrate.Array(b), awkward.Array(a))
    assert_same(serrate.Array(b[1:]), awkward.Array(a[1:]))
    assert a.to_list() == b.to_list()
    keyed = a.form_with_key("n{id}"), b.form_with_key("n{id}")
    assert keyed[0].to_dict() == keyed[1].to_dict()
    assert str(keyed[0].expected_from_buffers()) == str(keyed[1].expected_from_buffers())
    if name != "empty":
        assert_same(
            serrate.Array(b.form.length_zero_array()), awkward.Array(a.form.length_zero_array())
        )
    if name not in ("empty", "regular of none"):
        one = a.form.length_one_array(), b.form.length_one_array()
        assert one[0].to_list() == one[1].to_list()


@LIBRARIES
def test_refused(ak):
    c, i = ak.contents, ak.index
    x = c.NumpyArray(np.arange(3))
    for wrong in (
        lambda: c.ListOffsetArray(np.array([0, 1]), x),
        lambda: c.ListOffsetArray(i.Index64([0, 1]), np.arange(3)),
        lambda: c.NumpyArray(np.array(["a"], dtype=object)),
        lambda: c.RegularArray(x, -1),
        lambda: c.UnmaskedArray(3),
        lambda: i.Index64(np.zeros((2, 2), "int64")),
    ):
        with pytest.raises((TypeError, ValueError)):
            wrong()
    with pytest.raises(ValueError):
        c.RecordArray([x], ["x", "y"])
    with pytest.raises(TypeError):
        ak.Array([1]).layout = 5


@LIBRARIES
def test_options_in_other_ways(ak):
    x = layouts(ak)
    for name in ("option", "bytes", "bits"):
        layout = x[name]
        values = layout.to_list()
        assert on_cpu(layout.mask_as_bool(valid_when=True)) == [v is not None for v in values]
        assert on_cpu(layout.mask_as_bool(valid_when=False)) == [v is None for v in values]
        assert layout.project().to_list() == [v for v in values if v is not None]
        made = [layout.to_IndexedOptionArray64()]
        if name == "bits":
            made.append(layout.to_ByteMaskedArray())
        else:
            made += [layout.to_ByteMaskedArray(valid_when) for valid_when in (True, False)]
        assert [x.to_list() for x in made] == [values] * len(made)
    assert x["indexed"].project().to_list() == [4.5, 1.5, 1.5]
    assert x["union"].project(0).to_list() == [4.5, 1.5]
    assert x["tuples"].to_tuple().to_list() == x["tuples"].to_list()


@LIBRARIES
def test_lists_in_other_ways(ak):
    x = layouts(ak)
    for name in ("lists", "starts and stops", "regular"):
        made = x[name].to_ListOffsetArray64(True)
        assert made.to_list() == x[name].to_list()
        assert on_cpu(made.offsets.data)[0] == 0
    assert x["regular"].to_ListOffsetArray64().to_RegularArray().size == 2
    assert on_cpu(x["lists"].starts.data) == [0, 2, 2]
    assert on_cpu(x["lists"].stops.data) == [2, 2, 4]
    assert x["numpy"].to_RegularArray().to_list() == x["numpy"].to_list()
    assert ak.to_layout(ak.Array(x["string"])).to_ListOffsetArray64().to_list() == ["ab", "c"]


@LIBRARIES
def test_highlevel_false(ak):
    x = ak.Array([[1, 2, 3], [], [4, 5]])
    for layout in (
        ak.num(x, highlevel=False),
        ak.flatten(x, highlevel=False),
        ak.sum(x, axis=-1, highlevel=False),
        ak.from_iter([1, 2], highlevel=False),
        ak.from_numpy(np.arange(3), highlevel=False),
        ak.zip({"x": x}, highlevel=False),
        ak.concatenate([x, x], highlevel=False),
    ):
        assert isinstance(layout, ak.contents.Content)
    assert isinstance(ak.sum(x, axis=None, highlevel=False), np.integer)
    parts = ak.broadcast_arrays(x, 5, highlevel=False)
    assert all(isinstance(p, ak.contents.Content) for p in parts)
    assert isinstance(ak.num(x), ak.Array)


@LIBRARIES
def test_records(ak):
    x = ak.Array([{"x": 1, "y": [1, 2]}, {"x": 3, "y": []}])
    record = x[1].layout
    assert isinstance(record, ak.record.Record)
    assert record.fields == ["x", "y"]
    assert record.content("x") == 3
    assert record.to_list() == {"x": 3, "y": []}
    assert ak.Record(record).to_list() == {"x": 3, "y": []}
    made = ak.record.Record(x.layout, 0)
    assert made.at == 0
    assert made.array is not None
    assert ak.Record(made).y.to_list() == [1, 2]
    with pytest.raises(ValueError):
        ak.record.Record(x.layout, 2)


@LIBRARIES
def test_layouts_are_taken_everywhere(ak):
    x = ak.Array([[1, 2, 3], [], [4, 5]])
    assert ak.num(x.layout).to_list() == [3, 0, 2]
    assert ak.to_list(x.layout) == x.to_list()
    assert str(ak.type(x.layout)) == "3 * var * int64"
    y = ak.Array([1, 2])
    y.layout = x.layout
    assert y.to_list() == x.to_list()


@LIBRARIES
def test_to_layout(ak):
    to_layout = ak.to_layout
    assert to_layout([1, 2]).to_list() == [1, 2]
    assert to_layout(np.arange(4).reshape(2, 2)).to_list() == [[0, 1], [2, 3]]
    assert to_layout(5).to_list() == [5]
    assert to_layout("hey", string_policy="promote").to_list() == ["hey"]
    assert to_layout("hey", string_policy="pass-through") == "hey"
    assert to_layout(5, primitive_policy="pass-through") == 5
    assert to_layout(None, none_policy="promote").to_list() == [None]
    assert to_layout(None, none_policy="pass-through") is None
    layout = to_layout([1])
    assert to_layout(layout) is layout
    for wrong in (
        lambda: to_layout(None),
        lambda: to_layout(5, primitive_policy="error"),
        lambda: to_layout("a", string_policy="error"),
        lambda: to_layout(ak.Record({"x": 1}), allow_record=False),
        lambda: to_layout(object()),
        lambda: to_layout([1, 2], use_from_iter=False),
    ):
        with pytest.raises(TypeError):
            wrong()
    thing = object()
    assert to_layout(thing, allow_unknown=True) is thing


COLUMNS = {"class": "RecordArray", "fields": ["x", "y", "z"], "contents": [
    "int64",
    {"class": "ListOffsetArray", "offsets": "i64", "content": {
        "class": "RecordArray", "fields": ["a", "b"], "contents": ["float32", "bool"]}},
    {"class": "ListOffsetArray", "offsets": "i64", "parameters": {"__array__": "string"},
     "content": {"class": "NumpyArray", "primitive": "uint8",
                 "parameters": {"__array__": "char"}}},
]}  # fmt: skip


def test_columns():
    a, b = awkward.forms.from_dict(COLUMNS), serrate.forms.from_dict(COLUMNS)
    assert a.columns() == b.columns() == ["x", "y.a", "y.b", "z"]
    assert a.columns(list_indicator="list") == b.columns(list_indicator="list")
    assert a.column_types() == b.column_types()
    for wanted in ("x", "y.*", "y.{a,b}", ["x", "z"], "nothing", "y", "*", [["y", "a"]], "?"):
        assert str(a.select_columns(wanted)) == str(b.select_columns(wanted)), wanted
        options = {"prune_unions_and_records": False}
        assert str(a.select_columns(wanted, **options)) == str(b.select_columns(wanted, **options))
    for form in (a, b):
        with pytest.raises(ValueError):
            form.select_columns("")
        with pytest.raises(TypeError):
            form.select_columns([5])


TEXTS = ["int64", "?int64", "var * int64", "3 * var * int64", "{x: int64}", "(int64, float64)"]
TEXTS += ["union[int64, string]", "string", "bytes", "unknown", "categorical[type=string]"]
TEXTS += ["P[x: int64]", "option[var * ?float32]", 'int64[parameters={"a": [1]}]', "datetime64[s]"]


@pytest.mark.parametrize("text", TEXTS)
def test_forms_of_types(text):
    a, b = (
        ak.forms.from_type(ak.types.from_datashape(text, highlevel=False))
        for ak in (awkward, serrate)
    )
    assert a.to_dict() == b.to_dict()
    assert repr(a) == repr(b)
    assert str(b.type) == text
    assert b.copy() == b
    assert not b.is_equal_to(5)


@LIBRARIES
def test_buffers_have_types(ak):
    x = ak.Array([[1.5, 2.5], [], [3.5]])
    form, length, buffers = ak.to_buffers(x, backend="cpu")
    assert length == 3
    assert form.to_dict()["class"] == "ListOffsetArray"
    assert {k: v.tolist() for k, v in buffers.items()} == {
        "node0-offsets": [0, 2, 2, 3],
        "node1-data": [1.5, 2.5, 3.5],
    }
    times = ak.Array(np.array(["2020-01-01"], "datetime64[s]"))
    assert ak.to_buffers(times, backend="cpu")[2]["node0-data"].dtype == "datetime64[s]"
    back = ak.from_buffers(form, length, buffers, highlevel=False)
    assert back.to_list() == x.to_list()


@LIBRARIES
def test_characters_are_text(ak):
    assert ak.to_layout("hey").to_list() == "hey"
    assert ak.Array(b"ab").to_list() == b"ab"
    assert repr(ak.Array(["a"]).layout).split("\n")[2:4] == [
        "    <offsets><Index dtype='int64' len='2'>[0 1]</Index></offsets>",
        "    <content><NumpyArray dtype='uint8' len='1'>",
    ]


def nested(lib, outer, inner):
    """Lists of lists of primes by offsets, or by starts and stops."""

    def lists(bounds, content):
        if len(bounds) == 1:
            return lib.contents.ListOffsetArray(lib.index.Index64(np.array(bounds[0])), content)
        return lib.contents.ListArray(*(lib.index.Index64(np.array(b)) for b in bounds), content)

    primes = lib.contents.NumpyArray(np.array([2, 3, 5, 7, 11, 13, 17, 19, 23]))
    return lib.Array(lists(outer, lists(inner, primes)))


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ([[2, 6, 6, 8]], [[123, 321, 0, 3, 3, 5, 6, 8, 9]]),
        ([[0, 4, 4], [4, 4, 6]], [[0, 3, 3, 5, 6, 8, 9, 1]]),
        ([[0, 100, 6], [4, 100, 8]], [[0, 9, 3, 5, 60, 80, 6, 8], [3, 9, 5, 6, 80, 20, 8, 9]]),
    ],
    ids=["offsets", "starts", "both"],
)
def test_lists_that_no_list_holds_may_be_anything(outer, inner):
    got, want = nested(serrate, outer, inner), nested(awkward, outer, inner)
    assert got.to_list() == want.to_list() == [[[2, 3, 5], [], [7, 11], [13]], [], [[17, 19], [23]]]
    assert serrate.prod(got, axis=-2).to_list() == [[182, 33, 5], [], [391, 19]]


@pytest.mark.parametrize("inner", [[[0, 3, 1, 5]], [[0, 3, 8], [3, 1, 9]]], ids=["offsets", "both"])
def test_lists_that_a_list_holds_may_not(inner):
    with pytest.raises(ValueError, match="list 1"):
        nested(serrate, [[0, 2, 3]], inner).to_list()
