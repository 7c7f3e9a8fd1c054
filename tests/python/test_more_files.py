"""Avro, safetensors, npy, npz, HDF5, and the files of the shell's verbs."""

import awkward
import numpy as np
import pytest
from partitioned import events, same

import serrate as ak
from serrate.__main__ import main

fastavro = pytest.importorskip("fastavro")

ARRAYS = {
    "records": lambda: events(9),
    "lists": lambda: ak.Array([[[1.5], []], [], [[2, None]]]),
    "strings": lambda: ak.Array([["a", None], [], ["\u00e9"]]),
    "union": lambda: ak.Array([1, "a", [2.5]]),
    "empty": lambda: ak.Array([]),
    "regular": lambda: ak.from_numpy(np.arange(6).reshape(3, 2), regulararray=True),
    "slice": lambda: ak.Array([[1], [2, 3], [], [4]])[1:3],
    "times": lambda: ak.Array(np.array(["2020-01-01", "NaT"], "M8[s]")),
}
# (ending, do times work)
FORMATS = {"safetensors": False, "npz": True, "hdf5": False}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("make", ARRAYS.values(), ids=ARRAYS)
def test_there_and_back(make, form, tmp_path):
    x, path = make(), tmp_path / f"x.{form}"
    if "datetime" in str(x.type) and not FORMATS[form]:
        pytest.skip("the format has no times")
    write, read = getattr(ak, f"to_{form}"), getattr(ak, f"from_{form}")
    write(x, path)
    same(read(path), x)


@pytest.mark.parametrize("name", ["records", "lists", "strings", "union", "slice"])
def test_safetensors_of_awkward(name, tmp_path, new_arrays_on_the_cpu):
    x, path = ARRAYS[name](), tmp_path / "x.safetensors"
    awkward.to_safetensors(ak.to_awkward(x), path)
    same(ak.from_safetensors(path), x)
    ak.to_safetensors(x, path)
    assert awkward.from_safetensors(path).to_list() == x.to_list()
    assert str(awkward.from_safetensors(path).type) == str(x.type)


def test_npy(tmp_path):
    x = ARRAYS["regular"]()
    ak.to_npy(x, tmp_path / "x.npy")
    same(ak.from_npy(tmp_path / "x.npy"), x)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), ak.to_list(x))
    np.savez(tmp_path / "y.npz", a=[1, 2], b=[[1.5]])
    assert ak.from_npz(tmp_path / "y.npz").to_list() == {"a": [1, 2], "b": [[1.5]]}
    with pytest.raises(ValueError):
        ak.to_npy([[1], [2, 3]], tmp_path / "z.npy")
    assert not (tmp_path / "z.npy").exists()


@pytest.mark.parametrize("end", ["safetensors", "npz", "hdf5", "npy"])
def test_files_that_are_damaged(end, tmp_path):
    read, path = getattr(ak, f"from_{end}"), tmp_path / f"bad.{end}"
    with pytest.raises(FileNotFoundError):
        read(path)
    path.write_bytes(b"\x93nothing of the kind")
    with pytest.raises(ValueError, match="bad"):
        read(path)


def test_files_without_an_array(tmp_path):
    import h5py
    import safetensors.numpy

    safetensors.numpy.save_file({"a": np.arange(3)}, tmp_path / "x.safetensors")
    with pytest.raises(ValueError, match="no form and no length"):
        ak.from_safetensors(tmp_path / "x.safetensors")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_group("other")
    with pytest.raises(ValueError, match="there are: other"):
        ak.from_hdf5(tmp_path / "x.h5")
    ak.to_hdf5([[1]], tmp_path / "x.h5")
    with pytest.raises(ValueError, match="already"):
        ak.to_hdf5([[1]], tmp_path / "x.h5")
    assert ak.from_hdf5(tmp_path / "x.h5").to_list() == [[1]]


SCHEMA = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "i", "type": "int"},
        {"name": "s", "type": ["null", "string"]},
        {"name": "l", "type": {"type": "array", "items": {"type": "array", "items": "float"}}},
        {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["x", "y"]}},
        {"name": "f", "type": {"type": "fixed", "name": "F", "size": 2}},
        {"name": "m", "type": {"type": "map", "values": "long"}},
        {"name": "u", "type": ["int", "string", "null"]},
        {"name": "again", "type": "E"},
        {
            "name": "inner",
            "type": {"type": "record", "name": "Q", "fields": [{"name": "z", "type": "boolean"}]},
        },
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
    ],
}
TYPE = (
    "{i: int32, s: ?string, l: var * var * float32, e: categorical[type=string], f: bytes, "
    "m: var * {key: string, value: int64}, u: union[?int32, ?string], "
    "again: categorical[type=string], inner: {z: bool}, day: datetime64[D]}"
)


def _avro_rows(n):
    import datetime

    for i in range(n):
        yield {
            "i": i,
            "s": None if i % 3 else str(i),
            "l": [[0.5] * k for k in range(i % 4)],
            "e": "xy"[i % 2],
            "f": b"ab",
            "m": {str(k): k for k in range(i % 3)},
            "u": [i, str(i), None][i % 3],
            "again": "x",
            "inner": {"z": bool(i % 2)},
            "day": datetime.date(2020, 1, 1 + i % 20),
        }


@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_avro(codec, tmp_path, new_arrays_on_the_cpu):
    path, rows = tmp_path / "x.avro", list(_avro_rows(30))
    with open(path, "wb") as file:
        fastavro.writer(file, fastavro.parse_schema(SCHEMA), rows, codec=codec)
    x = ak.from_avro_file(path)
    assert str(x.type) == f"30 * {TYPE}"
    for name in ("i", "s", "l", "e", "f", "u", "again", "inner"):
        assert x[name].to_list() == [row[name] for row in rows]
    assert [{m["key"]: m["value"] for m in maps} for maps in x.m.to_list()] == [
        r["m"] for r in rows
    ]
    assert [np.datetime64(r["day"], "D") for r in rows] == list(ak.to_numpy(x.day))
    assert len(ak.from_avro_file(path, limit_entries=4)) == 4
    with open(path, "rb") as file:
        assert ak.from_avro_file(file).i.to_list() == list(range(30))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"x\.avro"):
        ak.from_avro_file(path)


def test_avro_without_rows(tmp_path):
    with open(tmp_path / "x.avro", "wb") as file:
        fastavro.writer(file, fastavro.parse_schema(SCHEMA), [])
    assert str(ak.from_avro_file(tmp_path / "x.avro").type) == f"0 * {TYPE}"


ENDS = ["parquet", "feather", "json", "ndjson", "ndjson.gz", "npz", "h5", "safetensors"]


@pytest.mark.parametrize("end", ENDS)
def test_convert(end, tmp_path, capsys):
    whole = events(20)[["muon", "met", "n"]]
    ak.to_parquet(whole, tmp_path / "a.parquet", row_group_size=6)
    there, back = str(tmp_path / f"b.{end}"), str(tmp_path / "c.parquet")
    assert main(["convert", str(tmp_path / "a.parquet"), there]) == 0
    if end == "ndjson.gz":
        assert ak.from_json(tmp_path / f"b.{end}", line_delimited=True).n.to_list() == list(
            range(20)
        )
        return
    assert main(["convert", there, back, "--no-progress"]) == 0
    assert ak.from_parquet(back).to_list() == whole.to_list()
    assert main(["convert", there, back]) == 1
    assert "already" in capsys.readouterr().err
    assert main(["convert", there, back, "--overwrite", "--columns", "n"]) == 0
    assert ak.from_parquet(back).fields == ["n"]


def test_show(tmp_path, capsys):
    ak.to_parquet(events(20), tmp_path / "a.parquet", row_group_size=6)
    assert main(["show", str(tmp_path / "a.parquet"), "--rows", "2"]) == 0
    out = capsys.readouterr().out
    assert "4 partitions" in out
    assert "20 * {muon: var * {pt: float64" in out
    assert out.count("met:") >= 3
    assert main(["show", str(tmp_path / "a.nothing")]) == 1
    assert "should end in one of .parquet" in capsys.readouterr().err
