"""Arrow's IPC files (Feather), and CSV, through pyarrow."""

import copy
import io
import os
import pathlib

from serrate._arrow import to_arrow_table
from serrate._files import streams, tables
from serrate._files.lazy import pyarrow


def from_feather(
    path,
    *,
    columns=None,
    use_threads=True,
    memory_map=False,
    generate_bitmasks=False,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    """The rows of a Feather file (Arrow's IPC file): a path, a URL or an open file.

    columns are names of the outermost fields. memory_map reads the file's pages when they are
    needed; it must not change then. ValueError for files that are damaged.

    >>> to_feather([[1, 2], []], "memory://some.feather")
    >>> from_feather("memory://some.feather")
    <Array [[1, 2], []] type='2 * var * int64'>
    """
    opened = None
    if isinstance(path, str | bytes | os.PathLike):
        path = streams.path_text(path)
        if streams.is_url(path):
            path = opened = streams.open_path(path, "rb", "from_feather")
        elif not os.path.exists(path):
            raise FileNotFoundError(f"from_feather: there is no {path!r}")
    try:
        table = pyarrow.feather.read_table(path, columns, use_threads, memory_map)
    except pyarrow.ArrowException as error:
        raise ValueError(f"from_feather: {path}: {error}") from error
    finally:
        if opened is not None:
            opened.close()
    return tables.array_of([table], highlevel, behavior, attrs, generate_bitmasks)


def to_feather(
    array,
    destination,
    *,
    list_to32=False,
    string_to32=True,
    bytestring_to32=True,
    emptyarray_to=None,
    categorical_as_dictionary=False,
    extensionarray=True,
    count_nulls=True,
    compression="zstd",
    compression_level=None,
    chunksize=None,
    feather_version=2,
):
    """Writes an array to a Feather file (Arrow's IPC file): a path or a URL.

    The first seven options are those of to_arrow, the others those of pyarrow's write_feather. With
    extensionarray=True from_feather (and Awkward's) gives the same type again.

    >>> to_feather([{"x": 1}], "memory://some.feather", compression="lz4")
    """
    try:
        destination = streams.path_text(destination)
    except TypeError:
        raise TypeError(
            "to_feather: 'destination' must be a path, got one of class "
            f"{type(destination).__name__}"
        ) from None
    table = to_arrow_table(array, **tables.arrow_options(locals()))
    compression = "zstd" if compression is True else compression or "uncompressed"
    compression = "uncompressed" if compression == "none" else compression
    how = (compression, compression_level, chunksize, feather_version)
    if streams.is_url(destination):
        with streams.open_path(destination, "wb", "to_feather") as file:
            pyarrow.feather.write_feather(table, file, *how)
    else:
        pyarrow.feather.write_feather(table, destination, *how)


def from_csv(
    path,
    *,
    read_options=None,
    parse_options=None,
    convert_options=None,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    r"""The rows of a CSV file as records: a path, a URL, bytes or an open file, compressed or not.

    The options are pyarrow.csv's. ValueError for what it cannot read.

    >>> from_csv(b"a\n1\n2\n")
    <Array [{a: 1}, {a: 2}] type='2 * {a: ?int64}'>
    """
    data = streams.read_all(path if not isinstance(path, str) else _as_path(path), "from_csv")
    table = read_csv(data, read_options, parse_options, convert_options)
    return tables.array_of([table], highlevel, behavior, attrs)


def read_csv(data, read_options=None, parse_options=None, convert_options=None, **_):
    """pyarrow's table of the bytes of a CSV file."""
    try:
        return pyarrow.csv.read_csv(io.BytesIO(data), read_options, parse_options, convert_options)
    except pyarrow.ArrowException as error:
        raise ValueError(f"from_csv: {error}") from error


def from_csv_as(schema, names, data, *, has_header, **options):
    """A part of a CSV file, with the types of a schema; names are those of all columns, which the
    first part says itself."""
    given = options.get("read_options")
    dressed = {k: options.get(k) for k in ("behavior", "attrs")}
    highlevel = options.get("highlevel", True)
    if not data.strip():
        table = schema.empty_table()
        return tables.array_of([table], highlevel, *dressed.values())
    reading = pyarrow.csv.ReadOptions() if given is None else copy.copy(given)
    if not has_header:
        reading = pyarrow.csv.ReadOptions(
            use_threads=reading.use_threads,
            block_size=reading.block_size,
            column_names=names,
            encoding=reading.encoding,
        )
    convert = options.get("convert_options") or pyarrow.csv.ConvertOptions()
    convert = copy.copy(convert)
    convert.column_types = {f.name: f.type for f in schema}
    table = read_csv(data, reading, options.get("parse_options"), convert)
    return tables.array_of([table], highlevel, *dressed.values())


def _as_path(text):
    return text if streams.is_url(text) else pathlib.Path(text)
