"""Parquet files as partitions: row groups."""

from serrate import _core
from serrate._datasets import sources
from serrate._datasets.sources import Damaged, OpenFiles, Source, check_unchanged, leaf_paths, stamp
from serrate._files import parquet, tables
from serrate._files.lazy import pyarrow


def _close(file):
    file.close(force=True)


class ParquetSource(Source):
    """Runs of row groups of files, each one a partition."""

    what, decodes = "scan_parquet", True

    def __init__(self, path, storage_options, rows_per_partition):
        found = parquet.Dataset(path, self.what, storage_options, None, False, False)
        self.fs, self.files = found.fs, found.files
        self.metas = []  # of each file, without its data
        self.stamps = [stamp(found.fs, f) for f in found.files]
        for file_path in found.files:
            with (
                parquet._named(file_path, self.what),
                parquet.open_file(found.fs, file_path) as file,
            ):
                one = pyarrow.parquet.ParquetFile(file)
                if not self.metas:
                    self.schema = one.schema_arrow
                elif not _same(one.schema_arrow, self.schema):
                    raise ValueError(
                        f"{self.what}: {file_path}: other columns than {found.files[0]}:\n"
                        f"{one.schema_arrow.remove_metadata()}\n"
                        f"instead of\n{self.schema.remove_metadata()}"
                    )
                self.metas.append(one.metadata)
        empty = pyarrow.Table.from_batches([], self.schema)
        example = _core.materialize(tables.array_of([empty], True, None, None))
        self._cut(rows_per_partition)
        names = [f"{found.files[f]}#{_range(groups)}" for f, groups in self.pieces]
        super().__init__(example, names, self.counts)
        self._find_leaves(found)
        self._opened = OpenFiles(_close)

    def _cut(self, rows):
        """Row groups are joined to partitions of at most so many rows; by default each is one."""
        self.pieces, self.counts = [], []
        for f, meta in enumerate(self.metas):
            for g in range(meta.num_row_groups):
                n = meta.row_group(g).num_rows
                joins = rows is not None and self.pieces and self.pieces[-1][0] == f
                if joins and self.counts[-1] + n <= rows:
                    self.pieces[-1][1].append(g)
                    self.counts[-1] += n
                else:
                    self.pieces.append((f, [g]))
                    self.counts.append(n)

    def _find_leaves(self, found):
        names = list(found.leaves)
        index = {name: i for i, name in enumerate(names)}
        paths = leaf_paths(self.example)
        below = {}
        for name in names:
            words = name.split(".")
            for path in paths:
                if _is_along(path, words):
                    below.setdefault(path, []).append(name)
                    break
        several = sum(len(v) for v in below.values()) == len(names) and set(below) == set(paths)
        self.leaves = tuple(paths) if several and paths != [()] else ()
        self.columns_of = {
            path: [(n, index[n]) for n in below.get(path, ())] for path in self.leaves
        }

    def _file(self, f):
        """An open file of this thread's, whose footer is known."""
        path, meta = self.files[f], self.metas[f]
        check_unchanged(self.what, self.fs, path, self.stamps[f], f in self._opened)
        return self._opened.get(
            f,
            lambda: pyarrow.parquet.ParquetFile(parquet.open_file(self.fs, path), metadata=meta),
        )

    def load(self, i, columns):
        f, groups = self.pieces[i]
        names = None
        if columns is not None:
            names = [n for path in columns for n, _ in self.columns_of[path]]
        if names == []:
            return None
        try:
            return self._file(f).read_row_groups(groups, names, use_threads=True)
        except (pyarrow.ArrowException, OSError) as error:
            raise Damaged(f"{self.what}: {self.names[i]}: {error}", self.names[i]) from error

    def read(self, i, columns, loaded=None):
        table = self.load(i, columns) if loaded is None else loaded
        if table is None:
            return sources.rows_without_fields(self.counts[i])
        return tables.array_of([table], True, None, None)

    def bytes_of(self, i, columns):
        f, groups = self.pieces[i]
        meta = self.metas[f]
        if columns is None:
            chosen = range(meta.num_columns)
        else:
            chosen = [k for path in columns for _, k in self.columns_of[path]]
        return sum(
            meta.row_group(g).column(k).total_compressed_size for g in groups for k in chosen
        )

    def statistics(self, i, path):
        f, groups = self.pieces[i]
        if len(self.columns_of.get(path, ())) != 1:
            return None
        ((_, k),) = self.columns_of[path]
        low, high = [], []
        for g in groups:
            said = self.metas[f].row_group(g).column(k).statistics
            if said is None or not said.has_min_max or not said.has_null_count or said.null_count:
                return None
            low.append(said.min)
            high.append(said.max)
        return min(low), max(high)


def _is_along(path, words):
    """Is this leaf of pyarrow's that of these fields? Lists have two words of their own."""
    place = 0
    for name in path:
        parts = name.split(".")
        while words[place : place + 2] in (["list", "item"], ["list", "element"]):
            place += 2
        if words[place : place + len(parts)] != parts:
            return False
        place += len(parts)
    rest = words[place:]
    while rest[:2] in (["list", "item"], ["list", "element"]):
        rest = rest[2:]
    return not rest or bool(path)


def _same(a, b):
    return a.remove_metadata().equals(b.remove_metadata())


def _range(groups):
    return str(groups[0]) if len(groups) == 1 else f"{groups[0]}-{groups[-1]}"
