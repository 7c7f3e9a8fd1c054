"""`.ak` of Series and DataFrame: the functions of serrate, of a column or of all as records."""

import functools

import pandas as pd
from pandas.api.extensions import register_dataframe_accessor, register_series_accessor

import serrate
from serrate import _core
from serrate.pandas._array import NestedArray, boxed


def array_of(column):
    """The Array of a column; pandas' own memory is copied, Arrow's and ours is shared."""
    if isinstance(column, pd.Series) and isinstance(column.array, NestedArray):
        return column.array.array
    if isinstance(column, pd.DataFrame):
        columns = {str(name): array_of(column[name]) for name in column.columns}
        return _core.zip(columns, depth_limit=1)
    if isinstance(column, pd.Series) and column.dtype == object:
        return NestedArray._from_sequence(column.to_list()).array
    return _core.Array(column)


class _Accessor:
    """What both have: `function(array, ...)` as `.ak.function(...)`, and slices."""

    def __init__(self, pandas_object):
        self._object = pandas_object

    @property
    def array(self):
        """The Array; of a DataFrame one of records."""
        return array_of(self._object)

    def apply(self, function, *args, **kwargs):
        """What a function gives of the Array."""
        return self._boxed(function(self.array, *map(_plain, args), **kwargs))

    def __getitem__(self, where):
        first = _plain(where[0] if isinstance(where, tuple) and where else where)
        index = self._object.index
        if _selects_rows(first):
            index = index[first]
        return self._boxed(self.array[_plain(where)], index)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        array = self.array
        if name in _core.fields(array):
            return self._boxed(array[name])
        function = getattr(serrate, name, None) if name in serrate.__all__ else None
        if callable(function):
            return functools.partial(self.apply, function)
        found = getattr(array, name)  # of a behaviour
        return functools.partial(self._call, found) if callable(found) else self._boxed(found)

    def __dir__(self):
        return sorted({*super().__dir__(), *_core.fields(self.array), *serrate.__all__})

    def _call(self, method, *args, **kwargs):
        return self._boxed(method(*map(_plain, args), **kwargs))

    def _boxed(self, out, index=None):
        """Of an Array with a value for each row, a Series with their index."""
        if isinstance(out, tuple | list):
            return type(out)(self._boxed(x, index) for x in out)
        if not isinstance(out, _core.Array):
            return out
        index = self._object.index if index is None else index
        name = self._object.name if isinstance(self._object, pd.Series) else None
        return pd.Series(boxed(out), index=index if len(out) == len(index) else None, name=name)


def _plain(x):
    if isinstance(x, pd.Series | pd.DataFrame):
        return array_of(x)
    if isinstance(x, _Accessor):
        return x.array
    return tuple(map(_plain, x)) if isinstance(x, tuple) else x


def _selects_rows(where):
    """A slice, a mask or positions; no fields, and nothing for the lists of each row."""
    if isinstance(where, list):
        return not where or not isinstance(where[0], str | list)
    return isinstance(where, slice | range) or getattr(where, "ndim", None) == 1


@register_series_accessor("ak")
class SeriesAccessor(_Accessor):
    """`series.ak.sum(axis=-1)`, `series.ak[:, 0]`, `series.ak.x`: functions, slices and fields."""

    def unmerge(self):
        """A column of records as a DataFrame with a column for each field."""
        array = self.array
        columns = {name: boxed(array[name]) for name in _core.fields(array)}
        if not columns:
            raise TypeError(f"unmerge: expected records, got an array of type '{array.type}'")
        return pd.DataFrame(columns, index=self._object.index)


@register_dataframe_accessor("ak")
class FrameAccessor(_Accessor):
    """The same of a DataFrame as an array of records."""

    def merge(self):
        """All columns as one of records."""
        return self._boxed(self.array)
