# Apache Arrow, in and out, beside what pyarrow itself and Awkward Array make of the same arrays.
import os
from pathlib import Path

import awkward
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import serrate as ak

pa = pytest.importorskip("pyarrow")
import arrow_arrays as random_arrow  # noqa: E402

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")
GOLDEN = os.environ.get("SERRATE_ARROW_FILES")  # a folder of Arrow's integration files


@given(random_arrow.arrays())
def test_random_arrays(a):
    x = ak.from_arrow(a)
    want = random_arrow.values(a)
    assert random_arrow.listed(x) == want
    back = pa.array(x)
    back.validate(full=True)
    again = ak.from_arrow(back)
    assert random_arrow.listed(again) == want
    assert str(again.type) == str(x.type)


@given(random_arrow.arrays())
def test_types_come_back(a):
    """Where serrate has the type, or a parameter says it, pyarrow's is the same again."""
    t = a.type
    x = ak.from_arrow(a)
    back = pa.array(x)
    if pa.types.is_primitive(t) or pa.types.is_decimal(t):
        assert back.type == t
        assert back.equals(a)


@given(st.lists(random_arrow.arrays(), min_size=1, max_size=1), st.data())
def test_chunks(one, data):
    a = one[0]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(a)), max_size=4)))
    pieces = [a.slice(i, j - i) for i, j in zip([0, *cuts], [*cuts, len(a)], strict=True)]
    if pa.types.is_run_end_encoded(a.type) or pa.types.is_dictionary(a.type):
        pieces = [p for p in pieces if len(p)] or [a]
    x = ak.from_arrow(pa.chunked_array(pieces, a.type))
    assert random_arrow.listed(x) == random_arrow.values(a)


@given(random_arrow.arrays())
def test_awkward_reads_ours(a):
    x = ak.from_arrow(a)
    made = ak.to_arrow(x, categorical_as_dictionary=True)
    made.validate(full=True)
    again = ak.from_arrow(made)
    assert again.type == x.type
    assert random_arrow.listed(again) == random_arrow.listed(x)
    theirs = ak.from_awkward(awkward.from_arrow(ak.to_arrow(x)))
    assert random_arrow.listed(theirs) == random_arrow.listed(x)


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3],
        [1.5, None],
        [[1, 2], [], None, [None]],
        ["a", None, "b"],
        [b"a", b""],
        [{"x": 1, "y": [1.5]}, None],
        [(1, "a"), (2, None)],
        [1, "two", [3.5], None],
        [True, None, False],
        [None, None],
        [],
        [[]],
        [np.datetime64("2024-02-29T12:00:00", "us")],
        [np.timedelta64(5, "ns"), None],
        np.arange(6).reshape(2, 3),
    ],
    ids=str,
)
def test_of_awkward_and_back(values):
    theirs = awkward.Array(values)
    ours = ak.Array(values)
    assert str(ak.from_arrow(awkward.to_arrow(theirs)).type) == str(theirs.type)
    assert ak.from_arrow(awkward.to_arrow(theirs)).to_list() == theirs.to_list()
    assert str(awkward.from_arrow(ak.to_arrow(ours)).type) == str(theirs.type)
    assert awkward.from_arrow(ak.to_arrow(ours)).to_list() == theirs.to_list()
    assert str(ak.from_arrow(ak.to_arrow(ours)).type) == str(ours.type)
    tables = [awkward.to_arrow_table(theirs), ak.to_arrow_table(ours)]
    # Awkward reads no null column without missing values, not its own either.
    readers = [ak.from_arrow, *([awkward.from_arrow] if len(ours) else [])]
    for x in (read(table) for read in readers for table in tables):
        assert x.to_list() == theirs.to_list()
        assert str(x.type) == str(theirs.type)
    # Plain types are theirs.
    plain = ak.to_arrow(ours, extensionarray=False)
    assert plain.to_pylist() == awkward.to_arrow(theirs, extensionarray=False).to_pylist()


def test_parameters_names_and_records():
    x = ak.with_name(ak.Array([[{"x": 1}], []]), "Point")
    assert ak.from_arrow(ak.to_arrow(x)).type == x.type
    assert str(awkward.from_arrow(ak.to_arrow(x)).type) == str(x.type)
    assert ak.from_arrow(ak.to_arrow_table(x[0])).type == x[0].type
    record = ak.Array([{"x": 1}, {"x": 2}])[1]
    assert ak.from_arrow(ak.to_arrow(record)).to_list() == {"x": 2}
    assert awkward.from_arrow(ak.to_arrow(record)).to_list() == {"x": 2}
    cat = ak.from_arrow(pa.array(["a", "b", "a"], pa.large_string()).dictionary_encode())
    assert ak.to_arrow(cat, extensionarray=False).type == pa.large_string()
    dictionary = ak.to_arrow(cat, extensionarray=False, categorical_as_dictionary=True)
    assert pa.types.is_dictionary(dictionary.type)
    assert ak.is_categorical(ak.from_arrow(dictionary))
    assert ak.is_categorical(ak.from_arrow(ak.to_arrow(cat, categorical_as_dictionary=True)))
    theirs = awkward.from_arrow(ak.to_arrow(cat, categorical_as_dictionary=True))
    assert awkward.is_categorical(theirs)
    assert theirs.to_list() == ["a", "b", "a"]


def test_options_of_to_arrow():
    x = ak.Array([["a"], []])
    plain = {"extensionarray": False}
    item = pa.field("item", pa.large_string(), nullable=False)
    assert ak.to_arrow(x, **plain).type == pa.large_list(item)
    both = ak.to_arrow(x, list_to32=True, string_to32=True, **plain)
    assert both.type == pa.list_(pa.field("item", pa.string(), nullable=False))
    assert both.to_pylist() == [["a"], []]
    assert ak.to_arrow([b"a"], bytestring_to32=True, **plain).type == pa.binary()
    assert ak.to_arrow([], **plain).type == pa.null()
    assert ak.to_arrow([[]], emptyarray_to="float32", **plain).type.value_type == pa.float32()
    assert ak.to_arrow([1, None], count_nulls=False, **plain).null_count == 1
    with pytest.raises(TypeError, match="complex"):
        ak.to_arrow([1j])
    with pytest.raises(TypeError, match="datetime64"):
        ak.to_arrow(np.array(["2024-02"], "M8[M]"))
    assert ak.to_arrow(np.array([1], "m8[h]"), **plain).type == pa.duration("s")


def test_schemas():
    schema = pa.schema({"x": pa.list_(pa.int64()), "y": pa.string(), "z": pa.bool_()})
    form = ak.from_arrow_schema(schema)
    assert str(form.type) == str(awkward.from_arrow_schema(schema).type)
    assert pa.schema(ak.Array([{"x": 1}])) == pa.schema([pa.field("x", pa.int64(), False)])


def test_requested_schemas():
    x = ak.Array([["one", "two"], []])
    for t in [
        pa.list_(pa.string()),
        pa.large_list(pa.string()),
        pa.list_view(pa.large_string()),
        pa.list_(pa.string_view()),
    ]:
        schema, array = x.__arrow_c_array__(t.__arrow_c_schema__())
        made = pa.Array._import_from_c_capsule(schema, array)
        made.validate(full=True)
        assert made.to_pylist() == x.to_list()
        assert str(made.type).replace(" not null", "") == str(t)
    cat = ak.from_arrow(pa.array(["a", "b", "a"]).dictionary_encode())
    plain = pa.array([], pa.string()).type
    schema, array = cat.__arrow_c_array__(plain.__arrow_c_schema__())
    assert pa.Array._import_from_c_capsule(schema, array).type == pa.string()
    with pytest.raises(ValueError, match="fields"):
        ak.Array([{"x": 1}]).__arrow_c_array__(
            pa.struct({"x": pa.int64(), "y": pa.int64()}).__arrow_c_schema__()
        )
    with pytest.raises(NotImplementedError, match="colour"):
        x.__arrow_c_device_array__(colour=1)
    x.__arrow_c_device_array__(colour=None)


def addresses(x):
    return {b.__array_interface__["data"][0] for b in ak.to_buffers(x)[2].values() if b.size}


def test_payload_is_shared():
    a = pa.array([[1.5, 2.5], [], [3.5]])
    x = ak.from_arrow(a)
    assert a.values.buffers()[1].address in addresses(x)
    assert a.buffers()[1].address in addresses(x)
    out = pa.array(x)
    assert out.values.buffers()[1].address == a.values.buffers()[1].address
    assert out.buffers()[1].address == a.buffers()[1].address
    text = pa.array(["one", "two"])
    assert pa.array(ak.from_arrow(text)).buffers()[2].address == text.buffers()[2].address
    copied = ak.from_arrow(a, copy=True)
    assert not addresses(copied) & addresses(x)
    assert copied.to_list() == x.to_list()


def test_extensions_come_back():
    uuid = pa.array([b"0123456789abcdef", None], pa.uuid())
    x = ak.from_arrow(uuid)
    assert x.to_list() == [b"0123456789abcdef", None]
    assert pa.array(x).type == pa.uuid()
    flags = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None], pa.int8()))
    assert ak.from_arrow(flags).to_list() == [True, False, None]
    opaque = pa.opaque(pa.int64(), "thing", "somebody")
    made = pa.ExtensionArray.from_storage(opaque, pa.array([1, 2]))
    assert pa.array(ak.from_arrow(made)).type == opaque
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(np.arange(12).reshape(2, 2, 3))
    assert str(ak.from_arrow(tensors).type).startswith("2 * 2 * 3 * ")
    assert ak.from_arrow(tensors).to_list() == np.arange(12).reshape(2, 2, 3).tolist()
    zoned = pa.array([1, 2], pa.timestamp("us", "Europe/Paris"))
    assert pa.array(ak.from_arrow(zoned)).equals(zoned)
    twice = pa.table([[1], [2]], names=["x", "x"])
    assert ak.from_arrow(twice).to_list() == [{"x": 1, "x_1": 2}]


def test_categories():
    values = pa.array(["x", None, "y"])
    a = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2], pa.int8()), values)
    assert ak.from_arrow(a).to_list() == ["x", None, None, "y"]
    pieces = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()]
    x = ak.from_arrow(pa.chunked_array(pieces))
    assert x.to_list() == ["a", "b", "c", "a"]
    pieces = [pa.array(["a", "b", "a"]).dictionary_encode().slice(i) for i in (0, 1)]
    assert ak.from_arrow(pa.chunked_array(pieces)).to_list() == ["a", "b", "a", "b", "a"]


def test_other_libraries():
    x = ak.Array([{"x": 1, "y": [1.5, None]}, {"x": 2, "y": []}])
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(x)
    assert frame.to_dicts() == x.to_list()
    assert ak.from_arrow(frame).to_list() == x.to_list()
    assert ak.Array(frame["y"]).to_list() == x.y.to_list()
    assert polars.Series(ak.Array([1, None])).to_list() == [1, None]
    assert ak.Array(polars.Series(["a", None])).to_list() == ["a", None]
    assert ak.Array(polars.Series([1, None])).to_list() == [1, None]


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    arr = ak.Array([{"x": 1, "y": [1.5]}, {"x": 2, "y": []}])
    table = duckdb.sql("SELECT x + 1 AS z, y FROM arr")
    assert ak.from_arrow(table).to_list() == [{"z": 2, "y": [1.5]}, {"z": 3, "y": []}]
    assert arr.x.to_list() == [1, 2]


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1, 2], "y": ["a", None]})
    x = ak.Array(frame)
    assert x.to_list() == [{"x": 1, "y": "a"}, {"x": 2, "y": None}]
    frame.loc[0, "x"] = 7
    assert x.x.to_list() == [1, 2]
    assert ak.Array(frame.x).to_list() == [7, 2]
    assert ak.Array(pandas.Series(["a", None])).to_list() == ["a", None]
    assert ak.Array(pandas.Series([1, None], dtype="Int64")).to_list() == [1, None]


def test_operands():
    """What an operation takes."""
    assert (ak.Array([1, 2]) + pa.array([10, None])).to_list() == [11, None]
    assert ak.sum(pa.array([[1, 2], []]), axis=-1).to_list() == [3, 0]


@pytest.mark.skipif(GOLDEN is None, reason="SERRATE_ARROW_FILES names no folder")
@pytest.mark.parametrize(
    "path", sorted(Path(GOLDEN).glob("*.stream") if GOLDEN else []), ids=lambda p: p.stem
)
def test_golden_files(path):
    table = pa.ipc.open_stream(path).read_all()
    file = pa.ipc.open_file(path.with_suffix(".arrow_file")).read_all()
    for t in (table, file):
        x = ak.from_arrow(t)
        names = ak.fields(x)
        assert len(x) == len(t)
        for i in range(t.num_columns):
            want = [v for chunk in t.column(i).chunks for v in random_arrow.values(chunk)]
            y = x[names[i]]
            assert random_arrow.listed(y) == want, t.schema.field(i)
            back = pa.array(y)
            back.validate(full=True)
            assert random_arrow.listed(ak.from_arrow(back)) == want
            typed = ak.from_arrow(ak.to_arrow(y))
            assert random_arrow.listed(typed) == want
        for batch in pa.ipc.open_stream(path):
            assert len(ak.from_arrow(batch)) == len(batch)
