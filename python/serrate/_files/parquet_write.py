"""Parquet, written through pyarrow."""

import contextlib
import inspect
from collections.abc import Iterable, Mapping, Sequence

from serrate import _core
from serrate._files import paths, tables
from serrate._files.lazy import pyarrow


def _rows(size, table):
    if not isinstance(size, str):
        return size
    if table.num_rows == 0 or table.nbytes == 0:
        return None
    wanted = paths.size_of(size, "row_group_size")
    return max(1, round(wanted * table.num_rows / table.nbytes))


class _Columns:
    """Arguments that name columns as from_parquet does, as pyarrow's leaf columns."""

    def __init__(self, table, compliant):
        self._form = tables.plain_form_of(table.schema)
        self._indicator = "list.element" if compliant else "list.item"
        self._prefix = ("",) if table.column_names == [""] else ()

    def leaves(self, specifier=None, only=None):
        form = self._form if specifier is None else self._form.select_columns(specifier)
        names = form.columns(self._indicator, self._prefix)
        if only is None:
            return names
        kinds = form.column_types()
        return [name for name, kind in zip(names, kinds, strict=True) if only(kind)]

    def mapping(self, value, only=None):
        if not isinstance(value, Mapping):
            return value
        return {name: v for key, v in value.items() for name in self.leaves(key, only)}

    def chosen(self, value, only=None):
        """True, False, a mapping or a list, as pyarrow's True, False or list of leaves."""
        if value is True:
            return True if only is None else self.leaves(None, only)
        if not value:
            return False
        if isinstance(value, Mapping):
            return [name for name, v in self.mapping(value, only).items() if v]
        if isinstance(value, Sequence):
            return [name for key in value for name in self.leaves(key, only)]
        return value


def _is_text(kind):
    return isinstance(kind, str) and kind == "string"


def _is_real(kind):
    return getattr(kind, "kind", None) == "f"


def _compression(value):
    return "zstd" if value is True else value or "none"


def _first_cause(error):
    """pyarrow's writer fails again when it is closed, with another error."""
    while error.__context__ is not None:
        error = error.__context__
    return error


def _write(arrays, destination, what, o):
    """Each array as one write of pyarrow's; the metadata of the file."""
    arrow = tables.arrow_options(o)
    fs, path = paths.located(destination, what, o["storage_options"], "destination")
    table = tables.table_of(next(arrays), arrow)
    columns = _Columns(table, o["parquet_compliant_nested"])
    collected = []
    try:
        with pyarrow.parquet.ParquetWriter(
            path,
            table.schema,
            filesystem=fs,
            flavor=o["parquet_flavor"],
            version=o["parquet_version"],
            use_dictionary=columns.chosen(o["parquet_dictionary_encoding"], _is_text),
            compression=columns.mapping(_compression(o["compression"])),
            compression_level=columns.mapping(o["compression_level"]),
            write_statistics=columns.chosen(o["parquet_metadata_statistics"]),
            use_deprecated_int96_timestamps=o["parquet_old_int96_timestamps"],
            use_byte_stream_split=columns.chosen(o["parquet_byte_stream_split"], _is_real),
            data_page_version=o["parquet_page_version"],
            use_compliant_nested_type=o["parquet_compliant_nested"],
            data_page_size=o["data_page_size"],
            coerce_timestamps=o["parquet_coerce_timestamps"],
            metadata_collector=collected,
            **(o["parquet_extra_options"] or {}),
        ) as writer:
            schema = table.schema
            while table is not None:
                writer.write_table(table, row_group_size=_rows(o["row_group_size"], table))
                following = next(arrays, None)
                table = None if following is None else tables.table_of(following, arrow)
                if table is not None:
                    if not table.schema.equals(schema):
                        raise ValueError(
                            f"{what}: an array of another type than the first one:\n"
                            f"{table.schema.remove_metadata()}\n"
                            f"instead of\n{schema.remove_metadata()}"
                        )
                    table = table.replace_schema_metadata(schema.metadata)
    except BaseException as error:
        # No file that looks whole and is not.
        with contextlib.suppress(Exception):
            fs.rm_file(path)
        first = _first_cause(error)
        if isinstance(error, OSError) or not isinstance(first, OSError):
            raise
        raise OSError(first.errno, f"{what}: {path}: {first}") from first
    collected[0].set_file_path(path.rsplit("/", 1)[-1])
    return collected[0]


def to_parquet(
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
    row_group_size=None,
    data_page_size=None,
    parquet_flavor=None,
    parquet_version="2.6",
    parquet_page_version="1.0",
    parquet_metadata_statistics=True,
    parquet_dictionary_encoding=False,
    parquet_byte_stream_split=False,
    parquet_coerce_timestamps=None,
    parquet_old_int96_timestamps=None,
    parquet_compliant_nested=False,
    parquet_extra_options=None,
    storage_options=None,
):
    """Writes an array to a Parquet file (a path or a URL) and returns pyarrow's metadata of it.

    The first seven options are those of to_arrow; with extensionarray=True the file also says what
    Arrow's types do not, and from_parquet (and Awkward's) gives the same type again. compression,
    compression_level, parquet_metadata_statistics, parquet_dictionary_encoding and
    parquet_byte_stream_split take one value, or a dict by columns (with wildcards). row_group_size
    is a number of rows, or a size as "100 MiB". The others are those of pyarrow's ParquetWriter.
    Where an error comes no file stays.

    >>> to_parquet([[1, 2], [], [3]], "memory://some.parquet", row_group_size=2).num_row_groups
    2
    """
    return _write(iter([array]), destination, "to_parquet", locals())


def _arrays(iterator):
    single = isinstance(iterator, _core.Array | _core.Record | _core.ArrayBuilder)
    if single or hasattr(iterator, "dtype") or not isinstance(iterator, Iterable):
        raise TypeError(
            "to_parquet_row_groups: expected an iterable of arrays, one a row group, got one of "
            f"class {type(iterator).__name__}"
        )
    arrays = iter(iterator)
    try:
        first = next(arrays)
    except StopIteration:
        raise ValueError("to_parquet_row_groups: there must be at least one array") from None
    yield first
    yield from arrays


def to_parquet_row_groups(iterator, destination, **options):
    """Writes each array of an iterable as a row group (or several) of one Parquet file.

    Arguments are those of to_parquet; only one array is in memory at a time. ValueError for an
    array of another type than the first one's.

    >>> to_parquet_row_groups(([k] * 5 for k in range(3)), "memory://some.parquet").num_rows
    15
    """
    call = inspect.signature(to_parquet).bind(iterator, destination, **options)
    call.apply_defaults()
    return _write(_arrays(iterator), destination, "to_parquet_row_groups", call.arguments)


to_parquet_row_groups.__signature__ = inspect.signature(to_parquet).replace(
    parameters=[
        inspect.Parameter("iterator", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *list(inspect.signature(to_parquet).parameters.values())[1:],
    ]
)


def to_parquet_dataset(directory, filenames=None, storage_options=None):
    """Writes _common_metadata and _metadata of the Parquet files in a directory; gives their paths.

    filenames are names or patterns in it; all *.parquet and *.parq by default. ValueError if the
    files differ in their schemas, or there are none.

    >>> _ = to_parquet([1, 2], "memory://folder/a.parquet")
    >>> to_parquet_dataset("memory://folder")
    ('/folder/_common_metadata', '/folder/_metadata')
    """
    what = "to_parquet_dataset"
    fs, where = paths.located(directory, what, storage_options, "directory")
    if not fs.isdir(where):
        raise ValueError(f"{what}: {where!r} is no directory")
    if filenames is None:
        found = sorted(fs.find(where))
    else:
        names = [filenames] if isinstance(filenames, str) else filenames
        found = [f for name in names for f in sorted(fs.glob(f"{where}/{name}"))]
    found = [f for f in found if f.endswith((".parq", ".parquet"))]
    if not found:
        raise ValueError(f"{what}: no *.parquet or *.parq files in {where!r}")
    schema, collected = None, []
    for path in found:
        with fs.open(path, "rb") as file:
            one = pyarrow.parquet.ParquetFile(file)
            if schema is None:
                schema = one.schema_arrow
            elif not schema.equals(one.schema_arrow):
                raise ValueError(f"{what}: the schema of {path!r} is not that of {found[0]!r}")
            collected.append(one.metadata)
        collected[-1].set_file_path(path[len(where) :].lstrip("/"))
    common, whole = f"{where}/_common_metadata", f"{where}/_metadata"
    pyarrow.parquet.write_metadata(schema, common, filesystem=fs)
    pyarrow.parquet.write_metadata(schema, whole, metadata_collector=collected, filesystem=fs)
    return common, whole
