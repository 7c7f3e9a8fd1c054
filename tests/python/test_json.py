"""JSON in and out: beside Awkward Array and Python's json, at seams, and what is wrong where."""

import bz2
import gzip
import io
import json
import lzma
import math
import os
import pathlib
import random
import subprocess
import sys

import awkward
import numpy as np
import pytest

import serrate as ak

TEXTS = ["", "a", 'b"\\/\b\f\n\r\t', "\u00e9\u20ac", "\U0001f600" * 3, "x" * 40, "\x7f\x00y", "k"]


def random_value(rng, depth):
    kind = rng.randrange(10 if depth > 0 else 6)
    if kind == 0:
        return None
    if kind == 1:
        return rng.random() < 0.5
    if kind == 2:
        return rng.choice([0, -1, 7, 2**63 - 1, -(2**63), rng.randrange(-(10**18), 10**18)])
    if kind == 3:
        return rng.choice([0.5, -0.0, 1e300, 5e-324, 1e-5, 123456789.125, rng.gauss(0, 1e3)])
    if kind in (4, 5):
        return rng.choice(TEXTS)
    if kind in (6, 7):
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    keys = rng.sample(["x", "y", "z z", 'q"\\', "\u00e9"], rng.randrange(4))
    return {k: random_value(rng, depth - 1) for k in keys}


def shaped_value(rng, shape):
    """One of a fixed type, sometimes missing: what arrays usually are."""
    if rng.random() < 0.1:
        return None
    if isinstance(shape, list):
        return [shaped_value(rng, shape[0]) for _ in range(rng.randrange(4))]
    if isinstance(shape, dict):
        return {k: shaped_value(rng, s) for k, s in shape.items() if rng.random() < 0.9}
    return {"i": rng.randrange(-9, 10**9), "f": rng.gauss(0, 1), "b": True, "s": rng.choice(TEXTS)}[
        shape
    ]


SHAPES = ["i", "f", ["i"], [["f"]], {"x": "i", "y": ["s"]}, [{"a": "b", "b": {"c": "f"}}]]


def documents():
    for seed in range(60):
        rng = random.Random(seed)
        yield [random_value(rng, 3) for _ in range(rng.randrange(6))]
        yield [shaped_value(rng, SHAPES[seed % len(SHAPES)]) for _ in range(rng.randrange(20))]


def spaced(value, rng):
    return json.dumps(
        value,
        ensure_ascii=rng.random() < 0.5,
        indent=rng.choice([None, 0, 3]),
        separators=rng.choice([None, (",", ":"), (" ,\r\n", "\t:  ")]),
    )


def same_list(a, b):
    """Equal, -0.0 and types of numbers included."""
    return repr(a) == repr(b)


def test_random_documents_are_those_of_from_iter():
    for k, value in enumerate(documents()):
        text = spaced(value, random.Random(k))
        try:
            expected = ak.from_iter(value)
        except ValueError:  # types that no array has
            with pytest.raises(ValueError):
                ak.from_json(text)
            continue
        got = ak.from_json(text)
        assert str(got.type) == str(expected.type)
        assert same_list(got.to_list(), expected.to_list())


def test_random_lines_in_parts_and_threads():
    """Rows that threads share are those that one reads: the types, too."""
    code = """
import random, sys
sys.path.insert(0, sys.argv[1])
import serrate as ak
from test_json import documents, spaced
for k, value in enumerate(documents()):
    value = value * 5
    lines = "\\n".join(spaced(v, random.Random(1)).replace("\\n", " ") for v in value)
    try:
        expected = ak.from_iter(value)
    except ValueError:
        continue
    got = ak.from_json(lines, line_delimited=True)
    assert str(got.type) == str(expected.type), (k, str(got.type), str(expected.type))
    assert repr(got.to_list()) == repr(expected.to_list()), k
print("same")
"""
    here = os.path.dirname(__file__)
    for threads in ("1", "3"):
        for seams in ("json_part=16", "json_part=200"):
            env = os.environ | {"SERRATE_NUM_THREADS": threads, "SERRATE_SEAMS": seams}
            run = subprocess.run(
                [sys.executable, "-c", code, here], env=env, capture_output=True, text=True
            )
            assert run.stdout == "same\n", run.stderr


@pytest.mark.parametrize(
    "text",
    ["[1, 2.5, null]", '[{"x": 1}, {"y": 2}]', '[{}, {"a": 1}]', '[[], 1, "a", {}]', "[null]",
     "[]", "{}", '{"x": [1, 2]}', "[true, 1]", "[-0, -0.0, 1e5, 1E+2]", '["\\ud83d\\ude00"]', "1.5",
     "[18446744073709551616, -9223372036854775809]", "[1e-400]", "[[1], null, []]", "null"],
)  # fmt: skip
def test_values_and_types_are_those_of_awkward(text):
    expected, got = awkward.from_json(text), ak.from_json(text)
    if isinstance(expected, awkward.Array | awkward.Record):
        assert str(got.type) == str(expected.type)
        assert same_list(got.to_list(), expected.to_list())
    else:
        assert repr(got) == repr(expected)


NUMBERS = [
    "0.1",
    "123456789012345678",
    "1.7976931348623157e308",
    "4.9e-324",
    "2.4703282292062328e-324",
    "9007199254740993.0",
    "9007199254740993",
    "1e22",
    "1e23",
    "123456789012345678901234567890.5",
    "-65.613616999999977",
    "8.5e-1",
    "0e999999",
    "0.000000000000000000000001",
    "1234567890123456789012e-30",
    "-0.0e5",
    "9223372036854775807",
    "12345678.12345678",
] + ["1" + "0" * 40, "0." + "0" * 400 + "1", "0.12345678" * 1 + "9" * 30]


def test_numbers_are_the_nearest():
    rng = random.Random(3)
    texts = NUMBERS + [repr(np.frombuffer(rng.randbytes(8), "f8")[0].item()) for _ in range(3000)]
    texts = [t for t in texts if math.isfinite(float(t))]
    got = ak.from_json("[" + ",".join(t if "." in t or "e" in t else t + ".0" for t in texts) + "]")
    assert got.to_list() == [float(t) for t in texts]
    assert ak.from_json("[9223372036854775807,-9223372036854775808]").to_list() == [
        2**63 - 1,
        -(2**63),
    ]


WRONG = [
    ("[1, 2,]", 6), ("[1 2]", 3), ("[01]", 1), ("[1.]", 1), ("[.5]", 1), ("[+1]", 1), ("[1e]", 1),
    ("[-]", 1), ("[1e400]", 1), ("[nan]", 1), ("[NaN]", 1), ("[tru]", 1), ("[truex]", 1), ("[1", 2),
    ('{"a" 1}', 5), ("{a: 1}", 1), ('{"a":1,}', 7), ('{"a":1 "b":2}', 7), ('["\\x"]', 2),
    ('["\\ud800"]', 2), ('["\\u12g4"]', 2), ('["\\udc00"]', 2), ('["a\tb"]', 3), ('["abc]', 1),
    ("", 0), (" ", 1), ("[1] [2]", 4), ("]", 0), ("[1]]", 3), ('{"a":1,"a":2}', 7), ("[1,,2]", 3),
    ('["a"b]', 4), ('[1"b"]', 1), ("[[1}", 3), ("[1e5x]", 1), ("\ufeff[1]", 0), ('{"a"}', 4),
]  # fmt: skip


@pytest.mark.parametrize(("text", "at"), WRONG)
def test_what_is_wrong_where(text, at):
    for given in (text, "\n" + text) if text.strip() else (text,):
        place = at + (given != text)
        with pytest.raises(ValueError, match=rf"from_json: .* at byte {place} \(line "):
            ak.from_json(given)


def test_bytes_that_are_no_text():
    for bad in (b"\xff", b"\xc0\x80", b"\xe2\x82", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"):
        with pytest.raises(ValueError, match="no UTF-8 at byte 70 "):
            ak.from_json(b'["' + b"a" * 68 + bad + b'"]')


def test_nothing_of_many_documents_is_lost():
    assert ak.from_json('1 2\n\n[3]"a"{}', line_delimited=True).to_list() == [1, 2, [3], "a", {}]
    assert str(ak.from_json(" \n", line_delimited=True).type) == "0 * unknown"
    for text, at in (("1\n2\n[3", 6), ("1\x002", 0), ("nullnull", 0), ("[1],[2]", 3)):
        with pytest.raises(ValueError, match=rf"at byte {at} \(line"):
            ak.from_json(text, line_delimited=True)
    rows = "\n".join(["[1]"] * 1000)
    with pytest.raises(ValueError, match=r"byte 4001 \(line 1001, column 2\)"):
        ak.from_json(rows + "\n[x]\n" + rows, line_delimited=True)


def test_levels():
    assert ak.from_json("[" * 200 + "]" * 200).ndim == 200
    with pytest.raises(ValueError, match="too many levels"):
        ak.from_json("[" * 100_000 + "]" * 100_000)
    schema = {"type": "object", "properties": {}}
    with pytest.raises(ValueError, match="too many levels"):
        ak.from_json('{"a":' + "[" * 1000 + "]" * 1000 + "}", schema=schema)


INTS = {"type": "array", "items": {"type": "integer"}}
RECORDS = {
    "type": "object",
    "properties": {
        "x": {"type": ["number", "null"]},
        "s": {"type": "string"},
        "c": {"type": ["string", "null"], "enum": ["one", "two"]},
        "l": {"type": ["array", "null"], "items": {"type": "boolean"}},
        "f": {
            "type": ["array", "null"],
            "minItems": 2,
            "maxItems": 2,
            "items": {"type": "integer"},
        },
        "r": {"type": ["object", "null"], "properties": {"q": {"type": "string", "enum": ["z"]}}},
    },
}


@pytest.mark.parametrize("delimited", [True, False])
def test_schemas_give_the_types_of_awkward(delimited):
    row = '{"x": 1, "s": "a\\n", "c": "two", "l": [true], "f": [1, 2], "r": {"q": "z"}, "z": [{}]}'
    text = row + '{"s": "", "x": 2.5}\n{"s": "\\u00e9", "f": null}' * delimited
    expected = awkward.from_json(text, schema=RECORDS, line_delimited=delimited)
    got = ak.from_json(text, schema=json.dumps(RECORDS), line_delimited=delimited)
    assert str(got.type) == str(expected.type)
    assert got.to_list() == expected.to_list()


def test_schemas_and_values_that_do_not_fit():
    assert str(ak.from_json("[]", schema=INTS).type) == "0 * int64"
    two = ak.from_json("[1][2, 3]", schema=INTS, line_delimited=True)
    assert two.to_list() == [1, 2, 3]
    for text in ("[1.5]", "[null]", '["a"]', "[9223372036854775808]", "[true]", "{}", "[[1]]"):
        with pytest.raises(ValueError, match="the schema expects"):
            ak.from_json(text, schema=INTS)
    for text in ('{"x": 1}', '{"s": "", "c": "three"}', '{"s": "", "f": [1]}', '{"s": 1}'):
        with pytest.raises(ValueError, match="the schema expects"):
            ak.from_json(text, schema=RECORDS)
    for text in ('{"s": "", "s": ""}', '{"s": "", "z": [1,]}', '{"s": "", "z": 1e}'):
        with pytest.raises(ValueError, match="at byte"):
            ak.from_json(text, schema=RECORDS)
    for schema in ({"type": "integer"}, {"type": "array"}, [], {"type": "object"},
                   {"type": "array", "items": {"type": ["integer", "string"]}},
                   {"type": "array", "items": {"type": "string", "enum": []}}):  # fmt: skip
        with pytest.raises(TypeError, match=r"(?i)schema"):
            ak.from_json("[]", schema=schema)


def test_schema_lines_in_parts():
    code = """
import serrate as ak, json
rows = [{"x": i, "s": "ab" * (i % 3), "l": [i] * (i % 4), "c": "pq"[i % 2]} for i in range(300)]
types = {"x": {"type": "number"}, "s": {"type": "string"},
         "c": {"type": "string", "enum": ["p", "q"]},
         "l": {"type": "array", "items": {"type": "integer"}}}
text = "\\n".join(map(json.dumps, rows))
got = ak.from_json(text, schema={"type": "object", "properties": types}, line_delimited=True)
assert got.to_list() == rows
"""
    env = os.environ | {"SERRATE_NUM_THREADS": "2", "SERRATE_SEAMS": "json_part=64"}
    subprocess.run([sys.executable, "-c", code], env=env, check=True)


def test_texts_for_numbers_and_complex_records():
    options = {"nan_string": "nan", "posinf_string": "inf", "neginf_string": "-inf"}
    x = ak.from_json('[1, "nan", "inf", "-inf"]', **options)
    assert str(x.type) == "4 * float64"
    assert repr(x.to_list()) == "[1.0, nan, inf, -inf]"
    assert ak.to_json(x, **options) == '[1.0,"nan","inf","-inf"]'
    fields = {"complex_record_fields": ("r", "i")}
    for text, values in (
        ('[{"r": 1, "i": 2.5, "z": 0}, null]', [1 + 2.5j, None]),
        ('[1, {"r": 1, "i": 2}, 2.5]', [1, 1 + 2j, 2.5]),
        ('[[{"r": 1, "i": 2}], []]', [[1 + 2j], []]),
    ):
        got = ak.from_json(text, **fields)
        assert got.to_list() == values
        assert str(got.type) == str(awkward.from_json(text, **fields).type)
    assert ak.from_json('["a", {"r": 1, "i": 2}, 3]', **fields).to_list() == ["a", 1 + 2j, 3]
    assert ak.from_json('{"r": 1, "i": 2}', **fields) == 1 + 2j
    for text in ('[{"r": 1, "i": "a"}]', '[{"r": 1, "i": 2}, {"r": 1}]'):
        with pytest.raises(ValueError, match="must be numbers"):
            ak.from_json(text, **fields)
    with pytest.raises(TypeError, match="pair of strings"):
        ak.from_json("[]", complex_record_fields="ri")
    z = ak.Array([1 + 2j])
    assert ak.to_json(z, **fields) == '[{"r":1.0,"i":2.0}]'


class Reader:
    def __init__(self, data):
        self.file = io.BytesIO(data)

    def read(self, n):
        return self.file.read(min(n, 3))


TEXT = b'[[1.5], [], [2.5, "\xc3\xa9"]]'


def test_sources(tmp_path):
    text, expected = TEXT, ak.from_json(TEXT).to_list()
    path = tmp_path / "a.json"
    path.write_bytes(text)
    sources = [
        text.decode(),
        bytearray(text),
        memoryview(text),
        path,
        Reader(text),
        f"file://{path}",
        io.StringIO(text.decode()),
        pathlib.Path(f"file://{path}"),
        open(path, "rb"),  # noqa: SIM115
    ]
    for source in sources:
        assert ak.from_json(source).to_list() == expected
    sources[-1].close()
    with pytest.raises(TypeError, match="got one of class int"):
        ak.from_json(3)
    with pytest.raises(FileNotFoundError):
        ak.from_json(tmp_path / "none.json")


def zstd_twice(text):
    zstandard = pytest.importorskip("zstandard")
    return zstandard.compress(text[:5]) + zstandard.compress(text[5:])


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd_twice])
def test_compressed_sources(compress):
    packed = compress(TEXT)
    assert ak.from_json(packed).to_list() == ak.from_json(TEXT).to_list()
    with pytest.raises(ValueError, match="damaged"):
        ak.from_json(packed[:-9])


@pytest.mark.parametrize("end", ["", ".gz", ".zst", ".bz2", ".xz"])
def test_compressed_files(end, tmp_path):
    if end == ".zst":
        pytest.importorskip("zstandard")
    x = ak.Array([{"x": i, "y": [i / 3] * (i % 5)} for i in range(500)])
    path = tmp_path / f"a.json{end}"
    ak.to_json(x, path, line_delimited=True)
    assert ak.from_json(path, line_delimited=True).to_list() == x.to_list()


def test_files_that_are_written(tmp_path, monkeypatch):
    x = ak.Array([{"x": i, "y": [i / 3] * (i % 5)} for i in range(500)])
    ak.to_json(x, str(tmp_path / "b.json"))
    assert (tmp_path / "b.json").read_text() == ak.to_json(x)
    for file in (io.StringIO(), io.BytesIO()):
        ak.to_json(x, file)
        assert file.getvalue() in (ak.to_json(x), ak.to_json(x).encode())
    with pytest.raises(ValueError, match="NaN"):
        ak.to_json(ak.Array([1.5] * 200_000 + [math.nan]), tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()
    with pytest.raises(TypeError, match="write"):
        ak.to_json(x, 3)


OPTIONS = [{}, {"num_indent_spaces": 2}, {"num_indent_spaces": 0, "num_readability_spaces": 1},
           {"line_delimited": True},
           {"line_delimited": "\r\n", "num_readability_spaces": 2}]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
def test_text_is_that_of_awkward(options):
    for value in documents():
        try:
            expected = awkward.to_json(awkward.Array(value), **options)
        except (TypeError, ValueError):  # of unions of options
            continue
        assert ak.to_json(ak.Array(value), **options) == expected
    record = {"a": [1, {"b": []}], "c": (1, "x")}
    assert ak.to_json(ak.Record(record), **options) == awkward.to_json(
        awkward.Record(record), **options
    )


def test_numbers_are_written_as_python_does():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2**63, 20000).view("f8")
    some = [1e16, 1e15, 123456.0, 1e-4, 1e-5, 9007199254740993.0, 1e22, 5e-324, -0.0, 0.1]
    usual = rng.normal(size=2000) * 10.0 ** rng.integers(-8, 24, 2000)
    x = np.concatenate([x[np.isfinite(x)], usual, some])
    assert ak.to_json(x) == json.dumps(x.tolist(), separators=(",", ":"))
    for dtype in ("f4", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "u8", "?"):
        y = np.array([0, 1, 3, 100], "f8").astype(dtype)
        y = np.append(y, np.array([2**64 - 1], "u8")) if dtype == "u8" else y
        assert ak.to_json(ak.Array(y)) == json.dumps(y.tolist(), separators=(",", ":"))


def test_what_json_has_not():
    for x in (b"ab", 1j, np.datetime64(3, "s"), np.timedelta64(3, "s")):
        with pytest.raises(TypeError, match="convert_"):
            ak.to_json(ak.Array([x]))
    for x in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="_string"):
            ak.to_json(ak.Array([x]))
    rows = ak.Array([[b"ab"], []])
    assert ak.to_json(rows, convert_bytes=bytes.decode) == '[["ab"],[]]'
    assert json.loads(ak.to_json(rows, convert_bytes=list, num_indent_spaces=1)) == [[[97, 98]], []]
    times = ak.Array(np.array([0, 1], "M8[D]"))
    assert ak.to_json(times, convert_other=str) == '["1970-01-01","1970-01-02"]'
    with pytest.raises(ZeroDivisionError):
        ak.to_json(times, convert_other=lambda t: 1 // 0)
    form, length, buffers = ak.to_buffers(["ab"])
    buffers["node1-data"] = np.array([255, 97], "u1")
    assert ak.to_json(ak.from_buffers(form, length, buffers)) == '["\\udcffa"]'


def test_empty_and_missing():
    assert [ak.to_json(x) for x in ([], [[]], None, 1, "a", ak.Array([None]))] == [
        "[]", "[[]]", "[null]", "[1]", '["a"]', "[null]"]  # fmt: skip
    assert ak.to_json([], line_delimited=True) == ""
    with pytest.raises(ValueError, match="negative"):
        ak.to_json([1], num_indent_spaces=-1)


def test_large_skewed_lists():
    rng = np.random.default_rng(0)
    counts = rng.zipf(1.6, 100_000) % 500
    x = ak.unflatten(rng.integers(-1000, 1000, counts.sum()), counts)
    text = ak.to_json(x, line_delimited=True)
    assert ak.array_equal(ak.from_json(text, line_delimited=True), x)
    assert ak.array_equal(ak.from_json(ak.to_json(x)), x)
