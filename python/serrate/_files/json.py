"""JSON: sources and files around what C++ reads and writes."""

import json

from serrate import _core
from serrate._files import streams


def _fields(pair):
    if pair is None:
        return None
    good = isinstance(pair, tuple | list) and len(pair) == 2
    if not good or not all(isinstance(name, str) for name in pair):
        raise TypeError("complex_record_fields must be None or a pair of strings")
    return tuple(pair)


def _schema_text(schema):
    if schema is None:
        return ""
    if isinstance(schema, bytes):
        schema = schema.decode()
    return schema if isinstance(schema, str) else json.dumps(schema)


def from_json(
    source,
    *,
    line_delimited=False,
    schema=None,
    nan_string=None,
    posinf_string=None,
    neginf_string=None,
    complex_record_fields=None,
    buffersize=65536,
    initial=1024,
    resize=8,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    """The array, record or value of a JSON document; with line_delimited the rows of many.

    source is JSON text as str or bytes, a pathlib.Path, a URL (opened by fsspec), or an object with
    read(number of bytes), asked for buffersize at a time. Files compressed with gzip, zstd, bzip2
    or xz are known by their first bytes. With line_delimited any number of documents may follow
    one another; where lines hold whole documents the threads share them.

    Types are found while reading, as ArrayBuilder finds them; integers that int64 does not hold
    become float64. A schema (a JSONSchema of boolean, integer, number, string with enum, array
    with minItems and maxItems, object, and null beside one of these) says them before; properties
    that it has not are checked and left out.

    nan_string, posinf_string and neginf_string are texts that stand for numbers;
    complex_record_fields names two fields of records that are complex numbers. initial and resize
    change nothing here.

    ValueError, with the byte, line and column, for what is no JSON, for numbers too large for
    float64, for a field that a record has twice, and for what does not fit the schema.

    >>> from_json('[[1, 2.5], [], null]')
    <Array [[1, 2.5], [], None] type='3 * option[var * float64]'>
    >>> from_json('{"x": 1} {"x": 2}', line_delimited=True)
    <Array [{x: 1}, {x: 2}] type='2 * {x: int64}'>
    """
    return _core._from_json(
        streams.read_all(source, "from_json", buffersize),
        line_delimited,
        _schema_text(schema),
        nan_string,
        posinf_string,
        neginf_string,
        _fields(complex_record_fields),
        highlevel=highlevel,
        behavior=behavior,
        attrs=attrs,
    )


def _converter(convert, default, indent, separators):
    """What convert gives of a value, as JSON."""
    if convert is None:
        return None
    return lambda value: json.dumps(
        convert(value),
        default=default,
        indent=indent,
        separators=separators,
        allow_nan=False,
    )


def to_json(
    array,
    file=None,
    *,
    line_delimited=False,
    num_indent_spaces=None,
    num_readability_spaces=0,
    nan_string=None,
    posinf_string=None,
    neginf_string=None,
    complex_record_fields=None,
    convert_bytes=None,
    convert_other=None,
):
    r"""The array as JSON: a str, or written to a file (a path, a URL or an object with write()).

    line_delimited=True writes each row as a document on its own line, a str is what ends lines.
    num_indent_spaces puts items on lines of their own; num_readability_spaces come after commas and
    colons. Tuples are objects with the keys "0", "1" ..., missing values null. Paths that end in
    .gz, .zst, .bz2 or .xz are compressed.

    NaN and infinities are a ValueError without nan_string, posinf_string and neginf_string; complex
    numbers a TypeError without complex_record_fields, bytes without convert_bytes. convert_other
    gets times (and complex numbers) as NumPy's.

    >>> to_json([[1.0, 2.5], [], None])
    '[[1.0,2.5],[],null]'
    >>> to_json([{"x": 1}, {"x": 2}], line_delimited=True)
    '{"x":1}\n{"x":2}\n'
    """
    if array is None or isinstance(array, bool | str | bytes | int | float | complex):
        array = _core.from_iter([array])
    delimiter = line_delimited if isinstance(line_delimited, str) else "\n"
    spaces = " " * num_readability_spaces
    indent = None if line_delimited else num_indent_spaces
    separators = ("," + spaces, ":" + spaces)
    options = (
        delimiter if line_delimited else None,
        indent,
        num_readability_spaces,
        nan_string,
        posinf_string,
        neginf_string,
        _fields(complex_record_fields),
        _converter(convert_bytes, convert_other, indent, separators),
        _converter(convert_other, convert_other, indent, separators),
    )
    if file is None:
        return _core._to_json(array, None, *options)
    with streams.writer(file, "to_json") as write:
        _core._to_json(array, write, *options)
    return None
