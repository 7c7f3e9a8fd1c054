"""Integers that say how a layout's content is cut and chosen: offsets, indexes, masks, tags.

>>> Array([[1, 2], [], [3]]).layout.offsets.data
array([0, 2, 2, 3])
"""

import functools

import numpy as np

from serrate import _core

_NAMES = {"int8": "i8", "uint8": "u8", "int32": "i32", "uint32": "u32", "int64": "i64"}


def on_gpu(data):
    if isinstance(data, np.ndarray):
        return False
    if isinstance(data, _core.Array):  # what others ask for would wait for the GPU
        return _core.backend(data) == "cuda"
    return hasattr(data, "__cuda_array_interface__")


@functools.lru_cache(256)
def dtype_name(dtype):
    """A NumPy dtype's name, which takes NumPy microseconds to write."""
    return dtype.name


def np_dtype(data):
    """NumPy's type of what is in buffers."""
    return data.dtype if isinstance(data, np.ndarray) else _core._leaf_dtype(data)


def written(name, attributes, data, indent="", notes=()):
    """An element of a layout's text around NumPy's text of integers or numbers.

    Lines of its own are for what does not fit into one, or has notes.
    """
    head = f"<{name} dtype='{np_dtype(data)}' {attributes}>"
    if on_gpu(data):
        lines = [_core._show(_core.Array(data), 1, 60, None, 3).replace(",", "")]
    else:
        lines = np.array_str(data, max_line_width=30).split("\n")
    if len(lines) > 1 or notes:
        if not on_gpu(data):
            lines = np.array_str(data, max_line_width=max(76 - len(indent), 40)).split("\n")
        if len(lines) > 5:
            lines = [*lines[:2], " ...", *lines[-2:]]
        body = "".join(f"\n{indent}    {line}" for line in (*notes, *lines))
        return f"{head}{body}\n{indent}</{name}>"
    return f"{head}{lines[0]}</{name}>"


class Index:
    """One-dimensional integers: NumPy's on the CPU, an Array on the GPU."""

    _dtype = None

    def __init__(self, data, *, metadata=None, nplike=None):
        if isinstance(data, Index):
            data = data.data
        if not on_gpu(data):
            data = np.asarray(data, dtype=self._dtype)
            if data.ndim != 1:
                raise TypeError(f"Index: expected one dimension, got {data.ndim}")
            if dtype_name(data.dtype) not in _NAMES:
                if data.dtype.kind != "i" or data.dtype.itemsize != 8:  # NumPy's longlong
                    raise TypeError(f"Index: no index has numbers of type {data.dtype}")
                data = data.astype("int64")
            data = np.ascontiguousarray(data)
        elif not isinstance(data, _core.Array):
            data = _core.Array(data)
        self._data = data
        if self._dtype is None and type(self) is Index:
            self.__class__ = _classes[self.form]

    @property
    def data(self):
        """The integers."""
        return self._data

    @property
    def dtype(self):
        """NumPy's type of the integers."""
        return np_dtype(self._data)

    @property
    def form(self):
        """The short name of their type: i8, u8, i32, u32, i64."""
        return _NAMES[dtype_name(self.dtype)]

    @property
    def length(self):
        """How many there are."""
        return len(self._data)

    @property
    def metadata(self):
        """Nothing is kept beside the integers."""
        return {}

    @property
    def nbytes(self):
        """Bytes of memory."""
        return self.length * self.dtype.itemsize

    def __len__(self):
        return self.length

    def __getitem__(self, where):
        out = self._data[where]
        return type(self)(out) if hasattr(out, "__len__") else out

    def __iter__(self):
        return iter(self._data)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._data, dtype=dtype)

    def to64(self):
        """As int64."""
        return Index64(_core.values_astype(self._data, "int64") if on_gpu(self._data) else self)

    def raw(self, nplike=None):
        """The integers."""
        return self._data

    def is_equal_to(self, other, index_dtype=True, numpyarray=True):
        """The same integers; index_dtype: of the same type."""
        if not isinstance(other, Index) or (index_dtype and self.dtype != other.dtype):
            return False
        return self.length == other.length and bool(_core.all(self._data == other._data, axis=None))

    def __eq__(self, other):
        return self.is_equal_to(other)

    __hash__ = None

    @classmethod
    def zeros(cls, length, nplike=None, dtype=None):
        """So many zeros."""
        return cls(np.zeros(length, dtype or cls._dtype or "int64"))

    empty = zeros

    def __repr__(self):
        return written("Index", f"len='{self.length}'", self._data)


def _typed(name, dtype):
    doc = f"An Index of {dtype}."
    return type(name, (Index,), {"_dtype": np.dtype(dtype), "__doc__": doc, "__module__": __name__})


Index8 = _typed("Index8", "int8")
IndexU8 = _typed("IndexU8", "uint8")
Index32 = _typed("Index32", "int32")
IndexU32 = _typed("IndexU32", "uint32")
Index64 = _typed("Index64", "int64")
_classes = {"i8": Index8, "u8": IndexU8, "i32": Index32, "u32": IndexU32, "i64": Index64}

__all__ = ["Index", "Index8", "Index32", "Index64", "IndexU8", "IndexU32"]
