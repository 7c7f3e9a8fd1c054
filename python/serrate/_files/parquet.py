"""Parquet, read through pyarrow: only the leaf columns and row groups that are asked for."""

import contextlib
import hashlib
import json
import operator

from serrate._files import paths, tables
from serrate._files.lazy import pyarrow

_ENDINGS = (".parq", ".parquet")
_SAID = ("file_path", "path_in_schema", "compression", "encodings", "total_compressed_size")


def _base(path):
    return path.rsplit("/", 1)[-1]


@contextlib.contextmanager
def _named(path, what):
    """Errors of pyarrow's say which file they are about."""
    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{what}: {path}: {error}") from error


class Dataset:
    """The files of a path, what they hold, and what is chosen of it."""

    def __init__(self, path, what, storage_options, row_groups, ignore_metadata, scan_files):
        self.what = what
        self.fs, given = paths.expanded(path, what, storage_options)
        self._find(path, given, ignore_metadata, scan_files)
        with _named(self.head, what), open_file(self.fs, self.head) as file:
            opened = pyarrow.parquet.ParquetFile(file)
            self.metadata, self.schema = opened.metadata, opened.schema_arrow
            self.leaves = [opened.schema.column(i).path for i in range(len(opened.schema))]
        if scan_files and _base(self.head) != "_metadata":
            self._scan()
        self.is_one = self.files == [self.head]
        self._choose(row_groups)

    @property
    def form(self):
        return tables.form_of(self.schema)

    def _find(self, path, given, ignore_metadata, scan_files):
        """The data files, and the one whose footer is read for all."""
        found = []
        for where in given:
            if self.fs.isdir(where):
                inside = sorted(self.fs.find(where))
                found += [f for f in inside if f.endswith((*_ENDINGS, "_metadata"))]
            else:
                found.append(where)
        whole = [f for f in found if _base(f) == "_metadata" and not ignore_metadata]
        common = [f for f in found if _base(f) == "_common_metadata" and not scan_files]
        self.files = [f for f in found if _base(f) not in ("_metadata", "_common_metadata")]
        if not self.files:
            raise ValueError(f"{self.what}: no *.parquet or *.parq files in {path!r}")
        self.head = (whole or common or self.files)[0]
        self.counted = bool(whole) or scan_files or len(self.files) == 1

    def _scan(self):
        """Row groups of all files as one list, each with its file."""
        self.metadata.set_file_path(_base(self.head))
        for path in self.files:
            if path == self.head:
                continue
            with _named(path, self.what), open_file(self.fs, path) as file:
                one = pyarrow.parquet.ParquetFile(file)
                if not one.schema_arrow.equals(self.schema):
                    continue  # concatenated later, by types
                one.metadata.set_file_path(_base(path))
                self.metadata.append_row_groups(one.metadata)

    def _choose(self, row_groups):
        n = self.metadata.num_row_groups
        rows = [self.metadata.row_group(i).num_rows for i in range(n)]
        self.counts = rows if self.counted else None
        self.chosen = [(path, None) for path in self.files]
        if row_groups is None:
            return
        wanted = [operator.index(i) for i in row_groups]
        if any(i < 0 for i in wanted) or len(set(wanted)) < len(wanted):
            raise ValueError("row_groups must be different integers that are not negative")
        if any(i >= n for i in wanted):
            raise ValueError(f"{self.what}: row groups are 0 .. {n - 1}, got {max(wanted)}")
        if not self.counted:
            raise TypeError("row_groups can be chosen only with scan_files or a _metadata file")
        of_file, place = {}, []
        for i in range(n):
            name = self.metadata.row_group(i).column(0).file_path or _base(self.files[0])
            place.append((name, of_file.setdefault(name, 0)))
            of_file[name] += 1
        self.chosen = []
        for i in wanted:
            name, k = place[i]
            path = next(f for f in self.files if f == name or f.endswith("/" + name.lstrip("/")))
            if not self.chosen or self.chosen[-1][0] != path:
                self.chosen.append((path, []))
            self.chosen[-1][1].append(k)
        self.counts = [rows[i] for i in wanted]

    def leaf_columns(self, columns):
        """Names of pyarrow's for these columns (with wildcards), or None for all of them."""
        form = tables.plain_form_of(self.schema)
        if columns is not None:
            form = form.select_columns(columns)
        element = any(".list.element" in leaf for leaf in self.leaves)
        prefix = ("",) if self.schema.names == [""] else ()
        return form.columns("list.element" if element else "list.item", prefix)

    def fingerprint(self):
        """Differs for files that differ in row groups, sizes or encodings."""
        n = self.metadata.num_row_groups
        said = [self.counts]
        for group in (self.metadata.row_group(i) for i in sorted({0, n - 1}) if n):
            for column in (group.column(k) for k in range(group.num_columns)):
                said.append([getattr(column, name) for name in _SAID])
        return hashlib.sha256(json.dumps(said, default=str).encode()).hexdigest()


def metadata_from_parquet(
    path, *, storage_options=None, row_groups=None, ignore_metadata=False, scan_files=True
):
    """What Parquet files hold, without their data: form, columns, files, rows of each row group.

    A dict with form, fs (of fsspec), paths, col_counts (rows of each row group), columns (leaves),
    uuid, num_rows and num_row_groups. Arguments are those of from_parquet.

    >>> _ = to_parquet([{"x": 1, "y": [1.5]}], "memory://some.parquet")
    >>> metadata_from_parquet("memory://some.parquet")["columns"]
    ['x', 'y.list.item']
    """
    found = Dataset(
        path, "metadata_from_parquet", storage_options, row_groups, ignore_metadata, scan_files
    )
    counts = found.counts
    return {
        "form": found.form,
        "fs": found.fs,
        "paths": [path for path, _ in found.chosen],
        "col_counts": counts,
        "columns": found.leaf_columns(None),
        "uuid": found.fingerprint(),
        "num_rows": sum(counts) if counts else None,
        "num_row_groups": len(counts) if counts else None,
    }


def open_file(fs, path):
    """Local files are read by Arrow's own threads, without Python's lock."""
    local = getattr(fs, "protocol", None) == ("file", "local")
    return pyarrow.OSFile(path) if local else fs.open(path, "rb")


def _opened(found, path, groups, leaves, max_gap, max_block, footer_sample_size):
    """Remote files are read in the ranges of bytes that are needed, local ones as they are."""
    if not getattr(found.fs, "async_impl", False):
        return open_file(found.fs, path)
    import fsspec.parquet

    return fsspec.parquet.open_parquet_file(
        path,
        fs=found.fs,
        engine="pyarrow",
        columns=leaves,
        row_groups=groups,
        max_gap=max_gap,
        max_block=max_block,
        footer_sample_size=footer_sample_size,
    )


def from_parquet(
    path,
    *,
    columns=None,
    row_groups=None,
    storage_options=None,
    max_gap=64_000,
    max_block=256_000_000,
    footer_sample_size=1_000_000,
    generate_bitmasks=False,
    highlevel=True,
    behavior=None,
    attrs=None,
):
    """The rows of Parquet files: a path, a directory, a pattern with wildcards, a URL, or a list.

    columns names fields at any depth, with wildcards ("muon.*", "jet.{pt,eta}"); only their leaf
    columns are read. row_groups are numbers of row groups, counted through all files. Files that
    Awkward Array or to_parquet wrote come back with the types that they had. max_gap, max_block and
    footer_sample_size are fsspec's, for remote files. Memory is pyarrow's, shared.

    FileNotFoundError for what is not there, ValueError for files that are damaged, which it names.

    >>> _ = to_parquet([{"x": 1, "y": [1.5]}, {"x": 2, "y": []}], "memory://some.parquet")
    >>> from_parquet("memory://some.parquet", columns="x")
    <Array [{x: 1}, {x: 2}] type='2 * {x: int64}'>
    """
    found = Dataset(path, "from_parquet", storage_options, row_groups, False, True)
    leaves = None if columns is None else found.leaf_columns(columns)
    read = []
    for file_path, groups in found.chosen:
        ranges = (max_gap, max_block, footer_sample_size)
        with (
            _named(file_path, found.what),
            _opened(found, file_path, groups, leaves, *ranges) as file,
        ):
            footer = found.metadata if found.is_one else None
            one = pyarrow.parquet.ParquetFile(file, metadata=footer)
            if groups is None:
                read.append(one.read(leaves))
            else:
                read.append(one.read_row_groups(groups, leaves))
    return tables.array_of(read, highlevel, behavior, attrs, generate_bitmasks)
