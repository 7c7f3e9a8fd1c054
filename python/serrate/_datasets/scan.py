"""scan_parquet and the other functions that make PartitionedArrays."""

from serrate import _core
from serrate._datasets.collection import of_source
from serrate._datasets.lines import BLOCK, CsvLines, JsonLines, Lines, blocks_of, is_plain
from serrate._datasets.sources import Files, Pieces
from serrate._files import feather, json, paths


def scan_parquet(path, *, storage_options=None, rows_per_partition=None):
    """Parquet files as an array that nobody has read: a path, a directory, a pattern, a URL or a
    list.

    A partition is a row group, or as many of a file as have no more than rows_per_partition rows.
    Only the columns, row groups and rows that a result needs are read: leaf columns of records
    inside of lists, too. Comparisons of a flat column with a number leave out row groups whose
    statistics say that no row is chosen.

    FileNotFoundError for what is not there; ValueError for files that are damaged or of other types
    than the first.

    >>> import serrate as ak
    >>> _ = ak.to_parquet([{"x": 1, "y": [1.5]}, {"x": 2, "y": []}], "memory://scanned.parquet")
    >>> events = ak.scan_parquet("memory://scanned.parquet")
    >>> ak.sum(events.y, axis=-1).compute()
    <Array [1.5, 0] type='2 * float64'>
    """
    from serrate._datasets.parquet import ParquetSource

    return of_source(ParquetSource(path, storage_options, rows_per_partition))


def scan_root(path, tree=None, *, step_size=None, filter_name=None):
    """Trees and RNTuples of ROOT files as an array that nobody has read, through uproot.

    path is a path, a pattern, a URL or a list of these ("file.root:tree" names the tree); step_size
    is how many entries a partition has (by default clusters of about 100,000 entries). Only the
    branches that a result needs are read.

    ValueError for files that are damaged or that have other branches than the first.
    """
    from serrate._datasets.root import RootSource

    return of_source(RootSource(path, tree, step_size, filter_name))


def scan_json(path, *, storage_options=None, blocksize=BLOCK, **options):
    """Files of line-delimited JSON as an array that nobody has read; options are from_json's.

    A partition is a file, of larger ones a range of blocksize bytes that ends with a line (a number
    or text as "64 MiB"; None: whole files). Compressed files are one. The type is that of the first
    partition; give a schema where others may differ, which is an error otherwise.
    """
    options = {"line_delimited": True} | options
    if options["line_delimited"] is not True:
        return of_source(_whole("scan_json", json.from_json, path, storage_options, options))
    return of_source(_lines("scan_json", JsonLines(options), path, storage_options, blocksize))


def scan_feather(path, *, storage_options=None, columns=None):
    """Feather files (Arrow's IPC files) as an array that nobody has read.

    A partition is a record batch; only the outermost fields that a result needs are read. Files of
    Feather's version 1 are a partition each.
    """
    what = "scan_feather"
    fs, files = _found(what, path, storage_options)
    if _is_version_1(fs, files):
        given = {"columns": columns}
        return of_source(_whole(what, feather.from_feather, path, storage_options, given))
    from serrate._datasets.feather import FeatherSource

    return of_source(FeatherSource(fs, files, columns))


def scan_csv(path, *, storage_options=None, blocksize=BLOCK, **options):
    """CSV files as an array that nobody has read; options are from_csv's.

    A partition is a file, of larger ones a range of blocksize bytes that ends with a line (a number
    or text as "64 MiB"; None: whole files). Files that are compressed, or whose values have ends of
    lines, are one. The type is that of the first partition; convert_options say another.
    """
    blocksize = blocksize if is_plain(options) else None
    return of_source(_lines("scan_csv", CsvLines(options), path, storage_options, blocksize))


def _is_version_1(fs, files):
    for f in files[:1]:
        with fs.open(f, "rb") as file:
            return file.read(4) == b"FEA1"
    return False


def _lines(what, parser, path, storage_options, blocksize):
    return Lines(what, parser, *_found(what, path, storage_options), blocks_of(what, blocksize))


def _found(what, path, storage_options):
    """The file system, and all files of paths, patterns and directories."""
    fs, found = paths.expanded(path, what, storage_options)
    files = []
    for where in found:
        files += sorted(fs.find(where)) if fs.isdir(where) else [where]
    if not files:
        raise ValueError(f"{what}: there are no files in {path!r}")
    return fs, files


def _whole(what, function, path, storage_options, options):
    fs, files = _found(what, path, storage_options)
    return Files(what, _OneFile(function), [fs.unstrip_protocol(f) for f in files], options)


class _OneFile:
    """A reader of paths and URLs, which can be pickled."""

    def __init__(self, function):
        self.function = function

    def __call__(self, path, **options):
        import pathlib

        local = path.removeprefix("file://") if path.startswith("file://") else None
        return self.function(path if local is None else pathlib.Path(local), **options)


def scan(pieces, *, example=None):
    """An iterable of arrays, or of functions without arguments that make them, as partitions.

    Functions are called when their rows are needed. example says the type: an array of it, of which
    no rows are used; without one the first piece is looked at.

    >>> import serrate as ak
    >>> x = ak.scan([lambda: ak.Array([[1, 2]]), lambda: ak.Array([[], [3]])])
    >>> ak.num(x).to_list()
    [2, 0, 1]
    """
    return from_partitions(pieces, example=example)


def from_partitions(pieces, *, example=None):
    """As scan: arrays, or functions that make them, as the partitions of one array."""
    example = None if example is None else _core.Array(example)[:0]
    made = [p if callable(p) else _core.Array(p) for p in pieces]
    return of_source(Pieces(made, example))
