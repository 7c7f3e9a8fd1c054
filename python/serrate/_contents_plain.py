"""Layouts of numbers, lists and records."""

import numpy as np

from serrate import _core, _kinds, types
from serrate._content import Content, array_of, layout_of, numbers_of
from serrate.index import Index64, dtype_name, np_dtype, on_gpu, written


class EmptyArray(_kinds.Empty, Content):
    """No values, of no type."""

    def __init__(self, *, parameters=None, backend=None):
        _kinds.refuse_parameters(self, parameters)
        self._set(None)

    @classmethod
    def built(cls, node, length):
        return cls()

    def _count(self):
        return 0

    def to_NumpyArray(self, dtype, backend=None):
        """No numbers of a type."""
        return NumpyArray(np.zeros(0, dtype))

    def _xml(self, indent, before, after):
        return f"{indent}{before}<EmptyArray len='0'/>{after}"


class NumpyArray(_kinds.Numpy, Content):
    """Numbers: a NumPy array on the CPU, an Array on the GPU."""

    _arguments = ("data",)

    def __init__(self, data, *, parameters=None, backend=None):
        if not on_gpu(data):
            data = np.asarray(data)
            if data.ndim == 0:
                raise TypeError("NumpyArray: expected an array, got a scalar")
            if not types.is_primitive(dtype_name(data.dtype)):
                raise TypeError(f"NumpyArray: no array has numbers of type {data.dtype}")
            if not data.dtype.isnative:
                data = data.astype(data.dtype.newbyteorder("="))
        elif not isinstance(data, _core.Array):
            data = _core.Array(data)
        self._set(parameters, data=data)

    @classmethod
    def built(cls, node, length):
        data = node.data("data")
        if node["inner_shape"]:
            data = data.reshape(-1, *node["inner_shape"])
        return cls(data, parameters=node.parameters)

    def _count(self):
        return len(self._data)

    def _form_of(self, inner, key):
        name = types.dtype_to_primitive(self.dtype)
        return self.form_cls()(name, self.inner_shape, parameters=self._parameters, form_key=key)

    def _buffers(self):
        data = self._data
        if isinstance(data, _core.Array):
            return {"data": _core.ravel(data) if data.ndim > 1 else data}
        data = np.ascontiguousarray(data)
        return {"data": data.view("int64") if data.dtype.kind in "mM" else data}

    @property
    def data(self):
        """The numbers."""
        return self._data

    @property
    def shape(self):
        """The length, then inner_shape."""
        if isinstance(self._data, np.ndarray):
            return self._data.shape
        out, inner = [len(self._data)], self._data.type.content
        while isinstance(inner, types.RegularType):
            out.append(inner.size)
            inner = inner.content
        return tuple(out)

    @property
    def inner_shape(self):
        """Lengths of inner dimensions."""
        return self.shape[1:]

    @property
    def dtype(self):
        """NumPy's type of the numbers."""
        return np_dtype(self._data)

    @property
    def strides(self):
        """Bytes from one item to the next, dimension by dimension."""
        if isinstance(self._data, np.ndarray):
            return self._data.strides
        return np.empty(self.shape, self.dtype).strides

    @property
    def is_contiguous(self):
        """Do the numbers lie one after the other?"""
        return on_gpu(self._data) or self._data.flags.c_contiguous

    def to_contiguous(self):
        """The same, one after the other."""
        data = self._data if on_gpu(self._data) else np.ascontiguousarray(self._data)
        return NumpyArray(data, parameters=self._parameters)

    def raw(self, nplike=None):
        """The numbers."""
        return self._data

    def to_RegularArray(self):
        """Inner dimensions as lists."""
        shape = self.shape
        flat = self._data.reshape(-1) if isinstance(self._data, np.ndarray) else self._data
        out = NumpyArray(_core.ravel(flat) if on_gpu(flat) and len(shape) > 1 else flat)
        for i in range(len(shape) - 1, 0, -1):
            out = RegularArray(out, shape[i], int(np.prod(shape[:i], dtype=int)))
        return out.copy(parameters=self._parameters)

    def _xml(self, indent, before, after):
        shape = f"({', '.join(map(str, self.shape))})"
        size = f"shape='{shape}'" if self.inner_shape else f"len='{len(self)}'"
        notes = [f"<parameter name={k!r}>{v!r}</parameter>" for k, v in self.parameters.items()]
        text = written("NumpyArray", size, self._data, indent, notes)
        return f"{indent}{before}{text}{after}"


def offsets_of(lengths, backend):
    """Where lists of these lengths begin, and the end."""
    ends = _core.compute(_core.cumsum(lengths, axis=0))  # where it lies is known only now
    ends = _core.to_backend(ends, backend)
    zero = _core.to_backend(np.zeros(1, "int64"), backend)
    return Index64(numbers_of(_core.concatenate([zero, ends]), backend))


class _Lists(Content):
    """Lists by whatever says where they begin and end."""

    def to_ListOffsetArray64(self, start_at_zero=True):
        """As lists one after the other."""
        plain = _plain(self)
        x = array_of(plain)
        lengths = _core.num(x, axis=1)
        offsets = offsets_of(lengths, self.backend)
        content = layout_of(_core.flatten(x, axis=1))
        out = ListOffsetArray(offsets, content)
        return out.copy(parameters=self._parameters, content=_with_letters(content, self))

    def to_RegularArray(self):
        """As lists of one length; ValueError if they differ."""
        x = array_of(_plain(self))
        return layout_of(_core.to_regular(x, axis=1)).copy(parameters=self._parameters)


def _plain(lists):
    """Lists without what makes them text."""
    if lists.parameter("__array__") is None:
        return lists
    return lists.copy(parameters=None, content=lists.content.copy(parameters=None))


def _with_letters(content, lists):
    return content.copy(parameters=lists.content._parameters)


class RegularArray(_kinds.Regular, _Lists):
    """Lists of one length."""

    _arguments = ("content", "size", "zeros_length")

    def __init__(
        self, content, size, zeros_length=0, zeros_length_generator=None, *, parameters=None
    ):
        if zeros_length_generator is not None and not size and not zeros_length:
            zeros_length = zeros_length_generator()
        if not hasattr(size, "__index__") or size < 0:
            raise TypeError(f"RegularArray: size must be an integer >= 0, got {size!r}")
        if not hasattr(zeros_length, "__index__") or zeros_length < 0:
            raise TypeError(f"RegularArray: zeros_length must be >= 0, got {zeros_length!r}")
        size, zeros_length = int(size), int(zeros_length)
        self._set(parameters, content=content, size=size, zeros_length=zeros_length)

    @classmethod
    def built(cls, node, length):
        size = node["size"]
        return cls(node.content(length * size), size, length, parameters=node.parameters)

    def _count(self):
        return len(self._content) // self._size if self._size else self._zeros_length

    @property
    def size(self):
        """The length of all lists."""
        return self._size

    def maybe_to_NumpyArray(self):
        """Numbers in lists of one length as one node, or None."""
        inner = self._content
        if isinstance(inner, RegularArray):
            inner = inner.maybe_to_NumpyArray()
        if not isinstance(inner, NumpyArray) or self.parameter("__array__") is not None:
            return None
        shape = (len(self), self._size, *inner.inner_shape)
        data = inner.data[: shape[0] * shape[1]]
        data = data.reshape(shape) if isinstance(data, np.ndarray) else array_of(self)
        return NumpyArray(data, parameters=inner._parameters)

    def _offsets(self, first, last):
        return Index64(np.arange(first, last) * self._size)

    @property
    def starts(self):
        """Where lists begin."""
        return self._offsets(0, len(self))

    @property
    def stops(self):
        """Where lists end."""
        return self._offsets(1, len(self) + 1)

    @property
    def offsets(self):
        """Where lists begin, and the end."""
        return self._offsets(0, len(self) + 1)

    def _xml_attributes(self):
        return f" size='{self._size}'"


class ListArray(_kinds.List, _Lists):
    """Lists by starts and stops, in any order."""

    def __init__(self, starts, stops, content, *, parameters=None):
        self._set(parameters, starts=starts, stops=stops, content=content)
        self._check_index("stops", stops, (starts.form,))
        if len(stops) < len(starts):
            raise ValueError(f"ListArray: {len(starts)} starts, but {len(stops)} stops")

    @classmethod
    def built(cls, node, length):
        stops = node.index("stops")
        n = int(_core.max(stops.data, axis=None) or 0) if len(stops) else 0
        return cls(node.index("starts"), stops, node.content(n), parameters=node.parameters)

    def _count(self):
        return len(self._starts)

    starts = property(lambda self: self._starts, doc="Where lists begin.")
    stops = property(lambda self: self._stops, doc="Where lists end.")


class ListOffsetArray(_kinds.ListOffset, _Lists):
    """Lists one after the other."""

    def __init__(self, offsets, content, *, parameters=None):
        self._set(parameters, offsets=offsets, content=content)
        if len(offsets) == 0:
            raise ValueError("ListOffsetArray: there must be one offset more than lists")

    @classmethod
    def built(cls, node, length):
        offsets = node.index("offsets")
        # Numbers and lists know how many they are, and the last offset may be on a GPU.
        knows = node["content"]["class"] in ("NumpyArray", "ListOffsetArray")
        content = node.content(None if knows else int(offsets[-1]))
        return cls(offsets, content, parameters=node.parameters)

    def _count(self):
        return len(self._offsets) - 1

    offsets = property(lambda self: self._offsets, doc="Where lists begin, and the end.")
    starts = property(lambda self: self._offsets[:-1], doc="Where lists begin.")
    stops = property(lambda self: self._offsets[1:], doc="Where lists end.")


class RecordArray(_kinds.Record, Content):
    """Records, or tuples where fields is None."""

    _arguments = ("contents", "fields", "length")

    def __init__(self, contents, fields, length=None, *, parameters=None, backend=None):
        contents = list(contents)
        if fields is not None:
            fields = list(fields)
            if not all(isinstance(f, str) for f in fields):
                raise TypeError(f"RecordArray: fields must be strings, got {fields!r}")
            if len(fields) != len(contents):
                raise ValueError(f"RecordArray: {len(contents)} contents, {len(fields)} fields")
        if length is None and not contents:
            raise TypeError("RecordArray: without contents, a length is needed")
        if length is not None and (not hasattr(length, "__index__") or length < 0):
            raise TypeError(f"RecordArray: length must be an integer >= 0, got {length!r}")
        self._set(parameters, contents=contents, fields=fields, length=length)

    @classmethod
    def built(cls, node, length):
        return cls(node.contents(length), node["fields"], length, parameters=node.parameters)

    def _count(self):
        return min(map(len, self._contents)) if self._length is None else self._length

    def _form_of(self, inner, key):
        return self.form_cls()(inner, self._fields, parameters=self._parameters, form_key=key)

    def content(self, index_or_field):
        """The layout of a field, by its name or number."""
        return super().content(index_or_field)[: len(self)]

    maybe_content = content

    def to_tuple(self):
        """The same without names."""
        return RecordArray(self._contents, None, len(self), parameters=self._parameters)

    def _xml_attributes(self):
        return f" is_tuple='{str(self.is_tuple).lower()}'"

    def _xml_inner(self, inside):
        out = []
        for i, (name, x) in enumerate(zip(self.fields, self._contents, strict=True)):
            label = f"index='{i}'" + ("" if self.is_tuple else f" field='{name}'")
            out += [f"{inside}<content {label}>", x._xml(inside + "    ", "", "")]
            out.append(f"{inside}</content>")
        return out
