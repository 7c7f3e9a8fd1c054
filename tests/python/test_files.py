"""Parquet, Feather and CSV: round trips, Awkward's files and ours, choices, what is wrong."""

import os

import awkward
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import serrate as ak

POINTS = [
    {"x": 1, "y": [{"a": 1.5, "b": None}, {"a": 2.5, "b": "q"}], "t": (1, 2)},
    {"x": 2, "y": [], "t": (3, 4)},
]


def arrays():
    points = ak.with_name(ak.Array(POINTS), "P")
    return {
        "records": points,
        "empty records": points[:0],
        "slice": points[1:],
        "numbers": ak.Array([1, 2, 3]),
        "missing": ak.Array([[1, None], [], None]),
        "missing records": ak.Array([None, {"x": 1}]),
        "regular": ak.to_regular([[1, 2], [3, 4]]),
        "strings": ak.Array([["a", "\u00e9"], []]),
        "bytes": ak.Array([b"x", b""]),
        "bits": ak.Array([[True, False], [], [True]]),
        "times": ak.Array(np.array(["2020-01-01", "1969-12-31"], "M8[us]")),
        "lists": ak.Array([[[1.5], []], []]),
        "tuples": ak.Array([(1, "a"), (2, "b")]),
    }


@pytest.mark.parametrize("name", list(arrays()))
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_round_trips_and_with_awkward(name, kind, tmp_path):
    x = arrays()[name]
    write, read = getattr(ak, f"to_{kind}"), getattr(ak, f"from_{kind}")
    ours, theirs = tmp_path / f"ours.{kind}", tmp_path / f"theirs.{kind}"
    write(x, ours)
    got = read(ours)
    assert str(got.type) == str(x.type)
    assert got.to_list() == x.to_list()
    other = getattr(awkward, f"from_{kind}")(str(ours))
    assert str(other.type) == str(x.type)
    assert other.to_list() == x.to_list()
    getattr(awkward, f"to_{kind}")(ak.to_awkward(ak.to_backend(x, "cpu")), str(theirs))
    got = read(str(theirs))
    assert str(got.type) == str(x.type)
    assert got.to_list() == x.to_list()


def test_attrs_and_plain_files(tmp_path):
    x = ak.Array(POINTS, attrs={"k": [1], "@t": 2})
    ak.to_parquet(x, tmp_path / "a.parquet")
    assert ak.from_parquet(tmp_path / "a.parquet", attrs={"z": 0}).attrs == {"k": [1], "z": 0}
    ak.to_parquet(x, tmp_path / "b.parquet", extensionarray=False)
    assert b"awkward_array_metadata" not in (pq.read_schema(tmp_path / "b.parquet").metadata or {})
    assert ak.from_parquet(tmp_path / "b.parquet").x.to_list() == [1, 2]
    for library in (ak, awkward):
        assert library.from_parquet(tmp_path / "b.parquet").attrs == {"k": [1]}


CHOICES = ["x", "y.a", ["x", "y.b"], "y.*", "t.1", "*", ["y.{a,b}"]]


@pytest.mark.parametrize("compliant", [False, True])
@pytest.mark.parametrize("columns", CHOICES)
def test_columns(columns, compliant, tmp_path):
    path = str(tmp_path / "a.parquet")
    ak.to_parquet(ak.Array(POINTS), path, parquet_compliant_nested=compliant)
    got = ak.from_parquet(path, columns=columns)
    expected = awkward.from_parquet(path, columns=columns)
    assert str(got.type) == str(expected.type)
    assert got.to_list() == expected.to_list()


@pytest.fixture
def dataset(tmp_path):
    x = ak.Array(POINTS * 5)
    ak.to_parquet(x[:6], tmp_path / "a.parquet", row_group_size=2)
    ak.to_parquet(x[6:], tmp_path / "b.parquet", row_group_size=3)
    return tmp_path, x


@pytest.mark.parametrize("with_metadata", [False, True])
def test_datasets_and_row_groups(dataset, with_metadata):
    path, x = dataset
    if with_metadata:
        common, whole = ak.to_parquet_dataset(path)
        assert os.path.exists(common)
        assert os.path.exists(whole)
    for named in (path, f"{path}/*.parquet", [path / "a.parquet", f"file://{path}/b.parquet"]):
        assert ak.from_parquet(named).to_list() == x.to_list()
    found = ak.metadata_from_parquet(path)
    assert found["col_counts"] == [2, 2, 2, 3, 1]
    assert (found["num_rows"], found["num_row_groups"]) == (10, 5)
    assert set(found["columns"]) == set(awkward.metadata_from_parquet(str(path))["columns"])
    assert str(found["form"].type) == str(x.layout.form.type)
    got = ak.from_parquet(path, row_groups=[0, 3], columns="x")
    assert got.x.to_list() == x.x[[0, 1, 6, 7, 8]].to_list()
    assert ak.metadata_from_parquet(path, row_groups=[1, 4])["col_counts"] == [2, 1]
    for wrong in ([-1], [0, 0], [5]):
        with pytest.raises(ValueError, match="row"):
            ak.from_parquet(path, row_groups=wrong)


def test_row_groups_that_are_written_one_by_one(tmp_path):
    path = tmp_path / "a.parquet"
    made = ak.to_parquet_row_groups((ak.Array([[i], []]) for i in range(4)), path)
    assert made.num_row_groups == 4
    assert ak.from_parquet(path).to_list() == [[0], [], [1], [], [2], [], [3], []]
    with pytest.raises(ValueError, match="another type"):
        ak.to_parquet_row_groups([[1], ["a"]], path)
    assert not path.exists()
    with pytest.raises(ValueError, match="at least one"):
        ak.to_parquet_row_groups([], path)
    with pytest.raises(TypeError, match="iterable of arrays"):
        ak.to_parquet_row_groups(ak.Array([1]), path)
    ak.to_parquet(np.arange(1000), path, row_group_size="800 B")
    assert ak.metadata_from_parquet(path)["num_row_groups"] == 10
    with pytest.raises(ValueError, match="row_group_size"):
        ak.to_parquet([1], path, row_group_size="many")


def test_options_by_column(tmp_path):
    path = tmp_path / "a.parquet"
    made = ak.to_parquet(
        ak.Array(POINTS),
        path,
        compression={"x": "gzip", "y.*": "snappy", "t.*": "zstd"},
        compression_level={"x": 3},
        parquet_metadata_statistics={"x": True, "y.*": False},
        parquet_dictionary_encoding={"y.b": True},
        parquet_byte_stream_split=True,
    ).to_dict()["row_groups"][0]["columns"]
    by_name = {c["path_in_schema"]: c for c in made}
    assert by_name["x"]["compression"] == "GZIP"
    assert by_name["y.list.item.a"]["compression"] == "SNAPPY"
    assert by_name["x"]["is_stats_set"]
    assert not by_name["y.list.item.a"]["is_stats_set"]
    assert any("DICTIONARY" in e for e in by_name["y.list.item.b"]["encodings"])
    assert "BYTE_STREAM_SPLIT" in by_name["y.list.item.a"]["encodings"]
    assert ak.from_parquet(path).to_list() == POINTS


def test_what_is_wrong(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.parquet"):
        ak.from_parquet(tmp_path / "none.parquet")
    with pytest.raises(FileNotFoundError, match="no files match"):
        ak.from_parquet(str(tmp_path / "*.parquet"))
    with pytest.raises(ValueError, match=r"no \*\.parquet"):
        ak.from_parquet(tmp_path)
    with pytest.raises(FileNotFoundError):
        ak.from_feather(tmp_path / "none.feather")
    whole = tmp_path / "a.parquet"
    ak.to_parquet(ak.Array(np.arange(10000)), whole)
    data = whole.read_bytes()
    for n in (0, 3, len(data) // 2, len(data) - 1):
        whole.write_bytes(data[:n])
        with pytest.raises(ValueError, match=r"from_parquet: .*a\.parquet"):
            ak.from_parquet(whole)
    broken = tmp_path / "a.feather"
    broken.write_bytes(b"ARROW1 and no more")
    with pytest.raises(ValueError, match="from_feather"):
        ak.from_feather(broken)
    for write in (ak.to_parquet, ak.to_feather):
        with pytest.raises(TypeError, match="destination"):
            write([1], 3)


def test_feather_columns_and_csv(tmp_path):
    path = tmp_path / "a.feather"
    ak.to_feather(ak.Array(POINTS), path, compression=None)
    assert ak.from_feather(path, columns=["x"], memory_map=True).to_list() == [{"x": 1}, {"x": 2}]
    text = tmp_path / "a.csv"
    text.write_text("a,b,c\n1,x,\n2,y,0.5\n")
    assert ak.from_csv(text).to_list() == [
        {"a": 1, "b": "x", "c": None},
        {"a": 2, "b": "y", "c": 0.5},
    ]
    assert ak.from_csv(str(text)).a.to_list() == [1, 2]
    text.write_text("a,b\n1\n")
    with pytest.raises(ValueError, match="from_csv"):
        ak.from_csv(text)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_memory_is_that_of_pyarrow(tmp_path):
    """A read of flat numbers copies nothing after pyarrow's own."""
    path = tmp_path / "a.parquet"
    ak.to_parquet(np.arange(1_000_000.0), path, extensionarray=False)
    before = pa.total_allocated_bytes()
    x = ak.from_parquet(path)
    assert pa.total_allocated_bytes() - before >= 8_000_000
    assert ak.sum(x) == np.arange(1_000_000.0).sum()
