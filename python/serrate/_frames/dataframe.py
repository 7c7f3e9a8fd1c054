"""to_dataframe: arrays as tables of pandas, one level of the index for each level of lists."""

from functools import reduce

import numpy as np

from serrate import _core, types


def _default_name(level):
    return "sub" * level + "entry"


def to_dataframe(array, *, how="inner", levelname=_default_name, anonymous="values"):
    """The numbers of an array as a pandas.DataFrame.

    Each level of lists is a level of the row index, each level of records one of the columns.
    Fields of different nesting are joined on the levels that they share: `how` is "inner", "outer",
    "left" or "right" as in pandas.merge, or None for a list of tables.
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_dataframe needs pandas: pip install pandas") from error

    one = isinstance(array, _core.Record)
    array = _core.from_iter([array]) if one else _core.Array(array)
    tables = []  # (row index, {path: values})
    for rows, path, values in _columns(_core.to_backend(array, "cpu"), [], (), anonymous):
        rows = rows[1:] if one else rows
        if tables and _same(tables[-1][0], rows):
            tables[-1][1][path] = values
        else:
            tables.append((rows, {path: values}))
    frames = [_frame(pandas, *table, levelname, anonymous) for table in tables]
    if how is None:
        return frames
    return reduce(lambda a, b: _joined(pandas, a, b, how), frames) if frames else None


def _columns(x, rows, path, anonymous="values"):
    """(row index, path of fields, values) of each column of numbers or text."""
    kind = x.type.content
    kind = kind.content if isinstance(kind, types.OptionType) else kind
    text = kind.parameter("__array__") in ("string", "bytestring")
    if isinstance(kind, types.ListType | types.RegularType) and not text:
        rows = _core._rows_of_items(x, rows)
        return _columns(_core.flatten(x, axis=1), rows, path, anonymous)
    parts = []
    if isinstance(kind, types.RecordType):
        parts = [(field, x[field]) for field in _core.fields(x)]
    elif isinstance(kind, types.UnionType) and any(map(_is_record, kind.contents)):
        parts = _parts_of_union(x.layout, anonymous)
    else:
        return [(rows, path, _plain(_core.to_numpy(x)))]
    out = []
    for field, part in parts:
        out += _columns(part, rows, (*path, field), anonymous)
    return out


def _is_record(kind):
    return isinstance(
        kind.content if isinstance(kind, types.OptionType) else kind, types.RecordType
    )


def _parts_of_union(layout, anonymous):
    """(name, values) of the fields of all records in a union, and of what is no record; missing
    where a row is of another member."""
    tags, index = np.asarray(layout.tags), np.asarray(layout.index)[: len(layout.tags)]
    found = {}  # name: [(rows, their values)]
    for tag, content in enumerate(layout.contents):
        rows = np.flatnonzero(tags == tag)
        values = _core._array_of(content)[index[rows]]
        named = _is_record(values.type.content)
        for name in _core.fields(values) if named else [anonymous]:
            found.setdefault(name, []).append((rows, values[name] if named else values))
    out = []
    for name, parts in found.items():
        at = np.full(len(tags), -1)
        at[np.concatenate([rows for rows, _ in parts])] = np.arange(sum(len(r) for r, _ in parts))
        joined = _core.concatenate([values for _, values in parts])
        out.append((name, joined[_core.mask(_core.Array(at), at >= 0)]))
    return out


def _plain(values):
    """Missing text as "nan", which pandas has no mask for."""
    if not isinstance(values, np.ma.MaskedArray) or values.dtype.kind not in "SU":
        return values
    letter = values.dtype.kind
    width = max(3, values.dtype.itemsize // np.dtype(letter + "1").itemsize)
    return np.ma.filled(values.astype(f"{letter}{width}"), "nan" if letter == "U" else b"nan")


def _same(a, b):
    return len(a) == len(b) and all(
        x is y or np.array_equal(x, y) for x, y in zip(a, b, strict=True)
    )


def _frame(pandas, rows, columns, levelname, anonymous):
    n = len(next(iter(columns.values())))
    if rows:
        names = [levelname(i) for i in range(len(rows))]
        # They count from 0: nothing is to be sorted or looked up.
        levels = [pandas.RangeIndex(int(r.max(initial=-1)) + 1) for r in rows]
        index = pandas.MultiIndex(levels, rows, names=names, verify_integrity=False)
    else:
        index = pandas.RangeIndex(n, name=levelname(0))
    parts = [pandas.Series(v, index=index) for v in columns.values()]
    out = pandas.concat(parts, axis=1)
    depth = max(map(len, columns))
    if depth == 0:
        out.columns = [anonymous]
    elif depth == 1:
        out.columns = [path[0] for path in columns]
    else:
        paths = [path + ("",) * (depth - len(path)) for path in columns]
        out.columns = pandas.MultiIndex.from_tuples(paths)
    return out


def _joined(pandas, a, b, how):
    """On the levels that both have; the others stay levels, 0 where there is nothing."""
    more = [n for n in a.index.names if n not in b.index.names]
    more_b = [n for n in b.index.names if n not in a.index.names]
    a = a.reset_index(level=more) if more else a
    b = b.reset_index(level=more_b) if more_b else b
    out = pandas.merge(a, b, left_index=True, right_index=True, how=how)
    extra = more + more_b
    for name in extra:
        out[name] = out[name].fillna(0).astype(int)
    return out.set_index(extra, append=True) if extra else out
