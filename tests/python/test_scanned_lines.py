"""Ranges of lines and record batches as partitions: nothing is lost or read twice at their ends."""

import gzip
import json
import pickle

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.feather
import pytest
from partitioned import events, same

import serrate as ak

TEXTS = {
    "of equal lengths": [{"x": 10 + i, "y": [1.5]} for i in range(20)],
    "of other lengths": [{"x": i, "y": [0.5] * ((i * 7 + 1) % 11)} for i in range(30)],
    "a long one": [{"x": i, "y": [1.5] * (200 if i == 7 else 1)} for i in range(12)],
    "one": [{"x": 1, "y": [2.5]}],
}


@pytest.mark.parametrize("end", ["\n", ""], ids=["ended", "not ended"])
@pytest.mark.parametrize("rows", TEXTS.values(), ids=TEXTS)
def test_ranges_of_json(rows, end, tmp_path):
    path = tmp_path / "rows.ndjson"
    path.write_text("\n".join(map(json.dumps, rows)) + end)
    size = path.stat().st_size
    for block in (1, 2, 7, 25, 26, 27, size - 1, size, size + 1, None):
        x = ak.scan_json(path, blocksize=block)
        assert (x.npartitions > 1) == (block is not None and block < size)
        assert x.npartitions == (1 if block is None else -(-size // block))
        assert x.to_list() == rows, block
    assert ak.scan_json(path, blocksize="1 kB").to_list() == rows


def test_lines_of_several_files(tmp_path):
    for i in range(3):
        rows = [{"x": 100 * i + k} for k in range(50)]
        (tmp_path / f"{i}.ndjson").write_text("\n".join(map(json.dumps, rows)) + "\n")
    x = ak.scan_json(tmp_path, blocksize=100)
    assert x.npartitions > 15
    report = ak.Report()
    assert ak.compute(x.x[:3], report=report).to_list() == [0, 1, 2]
    assert report.partitions == 1
    assert report.bytes_read == 100
    assert ak.compute(ak.sum(x.x)) == sum(100 * i + k for i in range(3) for k in range(50))
    assert ak.explain(x.x).bytes_read == sum(f.stat().st_size for f in tmp_path.iterdir())
    same(pickle.loads(pickle.dumps(x.x)), x.x.compute())


def test_compressed_lines_are_whole(tmp_path):
    rows = [{"x": i} for i in range(100)]
    data = "\n".join(map(json.dumps, rows)).encode()
    (tmp_path / "a.ndjson.gz").write_bytes(gzip.compress(data))
    x = ak.scan_json(tmp_path / "a.ndjson.gz", blocksize=20)
    assert x.npartitions == 1
    assert x.to_list() == rows


def test_lines_that_are_wrong(tmp_path):
    path = tmp_path / "rows.ndjson"
    path.write_text('{"x": 1}\n' * 10 + '{"x": "a"}\n' + '{"x": 2}\n' * 9)
    with pytest.raises(ValueError, match=r"rows\.ndjson#90:"):
        ak.scan_json(path, blocksize=9).to_list()
    path.write_text('{"x": 1}\n' * 10 + '{"x": \n' + '{"x": 2}\n' * 9)
    with pytest.raises(ValueError, match=r"rows\.ndjson#9"):
        ak.scan_json(path, blocksize=9).to_list()
    # A document of several lines is not cut silently.
    path.write_text("[\n1,\n2\n]\n" * 5)
    assert ak.scan_json(path, blocksize=None).to_list() == [[1, 2]] * 5
    with pytest.raises(ValueError, match=r"rows\.ndjson"):
        ak.scan_json(path, blocksize=8).to_list()
    for size in (0, -3, "many"):
        with pytest.raises(ValueError, match="blocksize"):
            ak.scan_json(path, blocksize=size)
    x = ak.scan_json(path, blocksize=None)
    path.write_text("[1]")
    with pytest.raises(ValueError, match="has changed"):
        x.to_list()


def test_ranges_of_csv(tmp_path):
    path = tmp_path / "rows.csv"
    rows = [{"a": i, "name": "n" * (i % 5), "c": i / 4} for i in range(40)]
    text = "a,name,c\n" + "".join(f"{r['a']},{r['name']},{r['c']}\n" for r in rows)
    path.write_text(text)
    for block in (30, 61, len(text) - 1, len(text), None):
        x = ak.scan_csv(path, blocksize=block)
        assert x.to_list() == rows, block
    chosen = pyarrow.csv.ConvertOptions(include_columns=["c", "a"])
    assert ak.scan_csv(path, blocksize=50, convert_options=chosen).c.to_list() == [
        r["c"] for r in rows
    ]
    named = pyarrow.csv.ReadOptions(column_names=["k", "l", "m"], skip_rows=1)
    assert ak.scan_csv(path, blocksize=50, read_options=named).k.to_list() == list(range(40))
    quoted = pyarrow.csv.ParseOptions(newlines_in_values=True)
    assert ak.scan_csv(path, blocksize=50, parse_options=quoted).npartitions == 1
    path.write_text(text + "1.5,a,b\n")
    with pytest.raises(ValueError, match=r"rows\.csv#"):
        ak.scan_csv(path, blocksize=50).to_list()


def test_record_batches(tmp_path):
    whole = events(60, seed=3)
    path = tmp_path / "rows.feather"
    ak.to_feather(whole, path, chunksize=16)
    x = ak.scan_feather(path)
    assert x.npartitions == 4
    assert str(x.type).partition(" * ")[2] == str(whole.type).partition(" * ")[2]
    same(x, whole)
    assert ak.explain(x[x.met > 5].muon.pt).columns == ["met", "muon"]
    same(x[x.met > 5].muon.pt, whole[whole.met > 5].muon.pt)
    same(ak.num(x, axis=0), np.int64(60))
    report = ak.Report()
    same(ak.compute(x.n[:10], report=report), whole.n[:10])
    assert report.partitions <= 2
    same(pickle.loads(pickle.dumps(x.label)), whole.label)
    same(ak.scan_feather(path, columns=["met", "n"]), whole[["met", "n"]])
    with pytest.raises(ValueError, match="no columns nothing"):
        ak.scan_feather(path, columns=["nothing"])
    ak.to_feather(ak.Array([{"other": 1}]), tmp_path / "more.feather")
    with pytest.raises(ValueError, match="other columns"):
        ak.scan_feather(tmp_path)
    ak.to_feather(whole, path, chunksize=8)
    with pytest.raises(ValueError, match="has changed"):
        x.to_list()


def test_feather_of_version_1(tmp_path):
    table = pyarrow.table({"x": [1, 2]})
    pyarrow.feather.write_feather(table, tmp_path / "a.feather", version=1)
    assert ak.scan_feather(tmp_path / "a.feather").x.to_list() == [1, 2]
