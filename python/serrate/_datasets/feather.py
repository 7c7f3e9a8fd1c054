"""Feather files (Arrow's IPC files) as partitions: record batches."""

from serrate import _core
from serrate._datasets.sources import (
    Damaged,
    OpenFiles,
    Source,
    check_unchanged,
    rows_without_fields,
    stamp,
)
from serrate._files import tables
from serrate._files.lazy import pyarrow


def _close(opened):
    opened[0].close()


class FeatherSource(Source):
    """Each record batch is a partition; outermost fields can be read alone."""

    what, decodes = "scan_feather", True

    def __init__(self, fs, files, columns):
        self.fs, self.files, self.columns = fs, files, columns
        self.stamps = [stamp(fs, f) for f in files]
        self.pieces, self._opened, self.schema = [], OpenFiles(_close), None
        for f, path in enumerate(files):
            file = self._reader(f, ())
            if self.schema is None:
                self.schema = file.schema
            elif not file.schema.remove_metadata().equals(self.schema.remove_metadata()):
                raise ValueError(
                    f"{self.what}: {path}: other columns than {files[0]}:\n"
                    f"{file.schema.remove_metadata()}\ninstead of\n{self.schema.remove_metadata()}"
                )
            self.pieces += [(f, i) for i in range(file.num_record_batches)]
        names = self.schema.names if columns is None else list(columns)
        if unknown := [n for n in names if n not in self.schema.names]:
            raise ValueError(f"{self.what}: {files[0]}: there are no columns {', '.join(unknown)}")
        self.chosen = names
        schema = pyarrow.schema([self.schema.field(n) for n in names], self.schema.metadata)
        empty = pyarrow.Table.from_batches([], schema)
        example = _core.materialize(tables.array_of([empty], True, None, None))
        super().__init__(example, [f"{files[f]}#{i}" for f, i in self.pieces])
        is_record = set(_core.fields(example)) == set(names) and len(set(names)) == len(names)
        self.leaves = tuple((n,) for n in names) if is_record else ()

    def _reader(self, f, names):
        """An open file of this thread's, of which these columns are read."""
        path, key = self.files[f], (f, names)
        check_unchanged(self.what, self.fs, path, self.stamps[f], key in self._opened)
        options = None
        if names:
            chosen = [self.schema.get_field_index(n) for n in names]
            options = pyarrow.ipc.IpcReadOptions(included_fields=chosen)

        def opened():
            file = self.fs.open(path, "rb")
            return file, pyarrow.ipc.open_file(file, options=options)

        try:
            return self._opened.get(key, opened)[1]
        except (pyarrow.ArrowException, OSError) as error:
            raise Damaged(f"{self.what}: {path}: {error}") from error

    def load(self, i, columns):
        f, number = self.pieces[i]
        names = self.chosen if columns is None else [c[0] for c in columns]
        names = names or self.chosen[:1]  # the number of rows is that of a column
        try:
            return self._reader(f, tuple(names)).get_batch(number)
        except (pyarrow.ArrowException, OSError) as error:
            raise Damaged(f"{self.what}: {self.names[i]}: {error}", self.names[i]) from error

    def read(self, i, columns, loaded=None):
        batch = self.load(i, columns) if loaded is None else loaded
        names = self.chosen if columns is None else [c[0] for c in columns]
        table = pyarrow.Table.from_batches([batch])
        if columns == []:
            return rows_without_fields(table.num_rows)
        return tables.array_of([table.select(names)], True, None, None)
