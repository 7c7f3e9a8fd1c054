"""The ExtensionArray of nested values, and its dtype."""

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray, ExtensionDtype, register_extension_dtype
from pandas.api.indexers import check_array_indexer

from serrate import _core, types
from serrate.pandas import _groups

_NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices; fields and lists are reached by .ak"
)
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")


@register_extension_dtype
class NestedDtype(ExtensionDtype):
    """Any type of serrate's; its name is "serrate"."""

    name = "serrate"
    type = object  # of values: lists are Arrays, numbers those of Python or NumPy
    na_value = None
    _can_hold_na = True

    @classmethod
    def construct_array_type(cls):
        return NestedArray

    def __from_arrow__(self, array):
        return NestedArray(_core.from_arrow(array))


class NestedArray(ExtensionArray):
    """A column of nested values: an Array that pandas filters, takes, joins and groups.

    The Array never changes: assigning to items makes a new one, views keep the old.
    """

    def __init__(self, array):
        self._array = array if isinstance(array, _core.Array) else _core.Array(array)

    @property
    def array(self):
        """The Array itself."""
        return self._array

    @classmethod
    def _from_sequence(cls, scalars, *, dtype=None, copy=False):
        if isinstance(scalars, cls):
            return scalars
        if isinstance(scalars, pd.Series | pd.Index):
            scalars = scalars.array
        if isinstance(scalars, _core.Array) or _is_column(scalars):
            return cls(_core.Array(scalars))
        return cls(_core.from_iter([None if x is pd.NA else x for x in scalars]))

    @classmethod
    def _concat_same_type(cls, to_concat):
        return cls(_core.concatenate([x._array for x in to_concat]))

    # -- what pandas asks for ------------------------------------------------------------------

    @property
    def dtype(self):
        return NestedDtype()

    @property
    def nbytes(self):
        return self._array.nbytes

    def __len__(self):
        return len(self._array)

    def isna(self):
        if not isinstance(self._array.type.content, types.OptionType):
            return np.zeros(len(self), bool)
        return np.array(_core.to_numpy(_on_host(_core.is_none(self._array))))

    def copy(self):
        return type(self)(self._array)

    def __getitem__(self, key):
        if isinstance(key, tuple):
            key = _without_ellipsis(key)
        if isinstance(key, int | np.integer):
            if not -len(self) <= key < len(self):
                raise IndexError(f"index {key} is out of bounds for axis 0 with size {len(self)}")
            return self._array[int(key)]
        if pd.api.types.is_scalar(key):
            raise IndexError(_NO_INDEX)
        key = check_array_indexer(self, key)
        if isinstance(key, slice):
            out = type(self)(self._array[key])
            if getattr(self, "_readonly", False):
                out._readonly = True
            return out
        key = np.asarray(key)
        return self.take(np.flatnonzero(key) if key.dtype == bool else key)

    def __setitem__(self, key, value):
        if getattr(self, "_readonly", False):
            raise ValueError("Cannot modify read-only array")
        key = check_array_indexer(self, key)
        at = np.arange(len(self))
        many = np.ndim(at[key]) > 0 and _is_many(value)
        new = self._from_sequence(value) if many else _one(value)
        if many and len(new) != len(at[key]):
            raise ValueError(f"cannot set {len(at[key])} items with {len(new)}")
        at[key] = len(self) + (np.arange(len(new)) if many else 0)
        if np.size(at[key]):
            self._array = _core.materialize(_core.concatenate([self._array, new._array])[at])

    def take(self, indices, *, allow_fill=False, fill_value=None):
        indices = np.asarray(indices, dtype="int64")
        n = len(self)
        if not allow_fill:
            if n == 0 and len(indices):
                raise IndexError("cannot do a non-empty take from an empty axes.")
            if len(indices) and not -n <= indices.min() <= indices.max() < n:
                raise IndexError(f"out of bounds: an index of a column of {n} rows")
            return type(self)(self._array[indices])
        if len(indices) and indices.min() < -1:
            raise ValueError("take: indices below -1 with allow_fill=True")
        if len(indices) and indices.max() >= n:
            raise IndexError(f"out of bounds: an index of a column of {n} rows")
        absent = indices < 0
        if not absent.any():
            return type(self)(self._array[indices])
        filled = None if pd.api.types.is_scalar(fill_value) and pd.isna(fill_value) else fill_value
        both = _core.concatenate([self._array, _one(filled)._array])
        return type(self)(both[np.where(absent, n, indices)])

    # -- values of Python ----------------------------------------------------------------------

    def __iter__(self):
        return iter(self._array)

    def __contains__(self, item):
        if pd.api.types.is_scalar(item) and pd.isna(item):
            return item is None and bool(self.isna().any())
        return _core.to_list(item) in self._array.to_list()

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("objects of Python can't be had without a copy")
        values = self._array.to_list()
        if dtype is not None and np.dtype(dtype) != object:
            return np.array(values, dtype=dtype)
        out = np.empty(len(values), object)
        out[:] = values if all(map(_is_no_list, values)) else [*values, None][:-1]
        return out

    def __arrow_array__(self, type=None):
        return self._array.__arrow_array__(type)

    def _formatter(self, boxed=False):
        return str

    def astype(self, dtype, copy=True):
        dtype = pd.api.types.pandas_dtype(dtype)
        if isinstance(dtype, NestedDtype):
            return self.copy() if copy else self
        if isinstance(dtype, ExtensionDtype):
            return dtype.construct_array_type()._from_sequence(self, dtype=dtype, copy=copy)
        if dtype.kind in "biufcmM" and _is_flat(self._array):
            return _core.to_numpy(_on_host(self._array), allow_missing=False).astype(dtype)
        return np.array(self, dtype=dtype)

    # -- order, groups, reducers ---------------------------------------------------------------

    def _values_for_argsort(self):
        array = _on_host(self._array)
        if not _is_flat(array):
            return _groups.places(array.to_list())
        there = _core.drop_none(array)
        if len(there) == 0:
            return np.zeros(len(self))
        return _core.to_numpy(_core.fill_none(array, there[0]))

    def factorize(self, use_na_sentinel=True):
        codes, first = _groups.codes(self._array.to_list(), use_na_sentinel)
        return codes, self.take(first)

    @classmethod
    def _from_factorized(cls, values, original):
        return cls._from_sequence(values)

    def unique(self):
        return self.factorize(use_na_sentinel=False)[1]

    def duplicated(self, keep="first"):
        return pd.Series(self.factorize(use_na_sentinel=False)[0]).duplicated(keep).to_numpy()

    def value_counts(self, dropna=True):
        codes, values = self.factorize(use_na_sentinel=dropna)
        counts = np.bincount(codes[codes >= 0], minlength=len(values))
        return pd.Series(counts, index=pd.Index(values), name="count")

    def _reduce(self, name, *, skipna=True, keepdims=False, **kwargs):
        """Of the rows, as along axis 0: numbers become one number, lists are added item by item."""
        if not skipna and self.isna().any():
            out = None
        else:
            out = _groups.reducer(name)(self._array, axis=0, **_groups.options(kwargs))
        return type(self)._from_sequence([out]) if keepdims else out

    def _groupby_op(self, *, how, has_dropped_na, min_count, ngroups, ids, **kwargs):
        return _groups.aggregated(self, how, ngroups, np.asarray(ids), kwargs)

    def _accumulate(self, name, *, skipna=True, **kwargs):
        return type(self)(getattr(_core, name)(self._array, axis=0))

    # -- operators -----------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if any(isinstance(x, pd.Series | pd.Index | pd.DataFrame) for x in inputs):
            return NotImplemented
        out = getattr(ufunc, method)(*map(_plain, inputs), **kwargs)
        return tuple(map(_boxed, out)) if isinstance(out, tuple) else _boxed(out)

    def __neg__(self):
        return _boxed(-self._array)

    def __pos__(self):
        return _boxed(+self._array)

    def __abs__(self):
        return _boxed(abs(self._array))

    def __invert__(self):
        return _boxed(~self._array)


def _operator(name):
    def method(self, other):
        if isinstance(other, pd.Series | pd.Index | pd.DataFrame):
            return NotImplemented
        other = _plain(other)
        if not isinstance(other, _core.Array) and _is_many(other):
            other = _core.Array(other)
        if isinstance(other, _core.Array) and len(other) != len(self):
            raise ValueError(f"lengths must match: {len(self)} and {len(other)}")
        out = getattr(self._array, name)(other)
        return out if out is NotImplemented else _boxed(out)

    method.__name__ = name
    return method


for _name in _COMPARISONS:
    setattr(NestedArray, f"__{_name}__", _operator(f"__{_name}__"))
for _name in _ARITHMETIC:
    setattr(NestedArray, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(NestedArray, f"__r{_name}__", _operator(f"__r{_name}__"))
NestedArray.__hash__ = None


def _boxed(out):
    """A result of operators: plain booleans, which select, are NumPy's, all else stays nested."""
    if not isinstance(out, _core.Array):
        return out
    return _core.to_numpy(_on_host(out)) if _is_plain(out, "bool") else NestedArray(out)


def boxed(array):
    """A result as a column: plain numbers are NumPy's, all else is nested."""
    return _core.to_numpy(_on_host(array)) if _is_plain(array) else NestedArray(array)


def _is_plain(array, dtype=None):
    kind = array.type.content
    return isinstance(kind, types.NumpyType) and dtype in (None, kind.primitive)


def _plain(x):
    return x._array if isinstance(x, NestedArray) else x


def _on_host(array):
    return _core.to_backend(array, "cpu")


def _is_flat(array):
    kind = array.type.content
    kind = kind.content if isinstance(kind, types.OptionType) else kind
    return isinstance(kind, types.NumpyType) or kind.parameter("__array__") == "string"


def _is_no_list(x):
    return not isinstance(x, list | tuple)


def _is_column(x):
    """A column of numbers, or one with Arrow's methods."""
    plain = isinstance(x, np.ndarray) and x.dtype != object
    return plain or hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__")


def _is_many(value):
    """Whether it is values of a column, and not one value of it."""
    columns = NestedArray | _core.Array | np.ndarray | pd.Series | pd.Index | ExtensionArray | list
    return isinstance(value, columns)


def _one(value):
    missing = value is pd.NA or (isinstance(value, float) and value != value)
    return NestedArray(_core.from_iter([None if missing else value]))


def _without_ellipsis(key):
    rest = [k for k in key if k is not Ellipsis]
    if len(rest) > 1:
        raise IndexError("too many indices: a column has one dimension")
    return rest[0] if rest else slice(None)
