"""Avro files, read through fastavro: columns by the file's schema."""

import datetime
import operator
import os

import numpy as np

from serrate import _core, contents
from serrate._files import streams
from serrate._files.lazy import Library

fastavro = Library("fastavro", "fastavro")

_NUMBERS = {"int": "int32", "long": "int64", "float": "float32", "double": "float64"}
_NUMBERS |= {"boolean": "bool"}
_EPOCH = datetime.datetime(1970, 1, 1)
_MIDNIGHT = datetime.time()


def _since_midnight(t):
    return datetime.datetime.combine(_EPOCH, t) - _EPOCH


# Types that fastavro gives as objects: the type of NumPy's, and what makes it.
_TIMES = {
    "date": ("M8[D]", lambda v: np.datetime64(v, "D")),
    "time-millis": ("m8[ms]", lambda v: np.timedelta64(_since_midnight(v), "ms")),
    "time-micros": ("m8[us]", lambda v: np.timedelta64(_since_midnight(v), "us")),
}
for _unit, _short in (("millis", "ms"), ("micros", "us")):
    for _name in (f"timestamp-{_unit}", f"local-timestamp-{_unit}"):
        _TIMES[_name] = (
            f"M8[{_short}]",
            lambda v, s=_short: np.datetime64(v.replace(tzinfo=None), s),
        )


class _Columns:
    """Arrays of values by their schema; `named` are the schemas that have names."""

    def __init__(self, where):
        self._named, self._where = {}, where

    def array(self, schema, values):
        """The layout of values, one each."""
        if isinstance(schema, list):
            return self._union(schema, values)
        kind = schema["type"] if isinstance(schema, dict) else schema
        if isinstance(kind, dict | list):
            return self.array(kind, values)
        if kind in self._named:
            return self.array(self._named[kind], values)
        if isinstance(schema, dict) and "name" in schema:
            self._named[schema["name"]] = schema
        logical = schema.get("logicalType") if isinstance(schema, dict) else None
        if logical is not None and (logical in _TIMES or logical == "decimal"):
            return self._time(logical, values)
        if kind in _NUMBERS:
            return contents.NumpyArray(np.array(values, _NUMBERS[kind]))
        if kind == "null":
            return _layout(_core.from_iter([None, *values], backend="cpu")[1:])
        make = getattr(self, f"_{kind}", None)
        if make is None:
            raise TypeError(f"{self._where}: no array has the type {kind!r} of Avro")
        return make(schema, values)

    def _time(self, logical, values):
        if logical == "decimal":
            raise TypeError(f"{self._where}: no array has decimal numbers of Avro")
        dtype, make = _TIMES[logical]
        return contents.NumpyArray(np.array([make(v) for v in values], dtype))

    def _string(self, schema, values):
        return _layout(_core.from_iter(["", *map(str, values)], backend="cpu")[1:])

    def _bytes(self, schema, values):
        return _layout(_core.from_iter([b"", *values], backend="cpu")[1:])

    _fixed = _bytes

    def _enum(self, schema, values):
        place = {symbol: i for i, symbol in enumerate(schema["symbols"])}
        index = np.array([place[v] for v in values], np.int64)
        symbols = self._string(None, schema["symbols"])
        said = {"__array__": "categorical"}
        return contents.IndexedArray(_index(index), symbols, parameters=said)

    def _array(self, schema, values):
        offsets = np.cumsum([0, *map(len, values)])
        items = self.array(schema["items"], [x for v in values for x in v])
        return contents.ListOffsetArray(_index(offsets), items)

    def _map(self, schema, values):
        offsets = np.cumsum([0, *map(len, values)])
        keys = self._string(None, [k for v in values for k in v])
        items = self.array(schema["values"], [x for v in values for x in v.values()])
        record = contents.RecordArray([keys, items], ["key", "value"])
        return contents.ListOffsetArray(_index(offsets), record)

    def _record(self, schema, values):
        names = [field["name"] for field in schema["fields"]]
        columns = [
            self.array(field["type"], [v[field["name"]] for v in values])
            for field in schema["fields"]
        ]
        return contents.RecordArray(columns, names, length=len(values))

    _error = _record

    def _union(self, schema, values):
        branches = [b for b in schema if b != "null"]
        if not branches:
            return self.array("null", values)
        present = [v for v in values if v is not None]
        inside = (
            self.array(branches[0], present)
            if len(branches) == 1
            else self._tagged(branches, present)
        )
        if len(branches) == len(schema):
            return inside
        place = np.cumsum([v is not None for v in values], dtype=np.int64) - 1
        missing = np.array([v is None for v in values], bool)
        return contents.IndexedOptionArray.simplified(_index(np.where(missing, -1, place)), inside)

    def _tagged(self, branches, values):
        tags = np.array([self._branch(branches, v) for v in values], np.int8)
        index = np.zeros(len(tags), np.int64)
        layouts = []
        for i, branch in enumerate(branches):
            index[tags == i] = np.arange(np.count_nonzero(tags == i))
            layouts.append(
                self.array(branch, [v for v, t in zip(values, tags, strict=True) if t == i])
            )
        from serrate.index import Index8

        return contents.UnionArray.simplified(Index8(tags), _index(index), layouts)

    def _branch(self, branches, value):
        for i, branch in enumerate(branches):
            whole = self._named.get(branch, branch) if isinstance(branch, str) else branch
            if fastavro.validation.validate(value, whole, raise_errors=False):
                return i
        raise ValueError(f"{self._where}: {value!r} is of none of the types of its union")


def _layout(array):
    return array.layout


def _index(values):
    from serrate.index import Index64

    return Index64(np.asarray(values, np.int64))


def from_avro_file(
    file, limit_entries=None, *, debug_forth=False, highlevel=True, behavior=None, attrs=None
):
    """The rows of an Avro file: a path, a URL or an open file.

    int, long, float, double and boolean are NumPy's types, enums are categorical, null beside
    another type is an option, maps are lists of records of key and value, dates and times NumPy's.
    limit_entries is the most rows that are read; debug_forth changes nothing here.

    ValueError for files that are damaged; TypeError for decimals, which arrays have not.
    """
    opened = None
    if isinstance(file, str | bytes | os.PathLike):
        file = opened = streams.open_path(file, "rb", "from_avro_file")
    where = f"from_avro_file: {getattr(file, 'name', 'the file')}"
    try:
        rows, schema = _rows(file, limit_entries, where)
    finally:
        if opened is not None:
            opened.close()
    layout = _Columns(where).array(schema, rows)
    options = {"highlevel": highlevel, "behavior": behavior, "attrs": attrs}
    return _core.to_backend(_core.Array(layout), _core.default_backend(), **options)


def _rows(file, limit, where):
    limit = None if limit is None else operator.index(limit)
    try:
        reader = fastavro.reader(file)
        rows = []
        for row in reader:
            if limit is not None and len(rows) >= limit:
                break
            rows.append(row)
        return rows, reader.writer_schema
    except (ModuleNotFoundError, MemoryError):
        raise
    except Exception as error:
        raise ValueError(f"{where}: {type(error).__name__}: {error}") from error
