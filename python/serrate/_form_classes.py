"""The classes of forms, by kind of node."""

from serrate import _kinds, types
from serrate._form import Form


class EmptyForm(_kinds.Empty, Form):
    """No values, of no type."""

    def __init__(self, *, parameters=None, form_key=None):
        _kinds.refuse_parameters(self, parameters)
        self._set(None, form_key)

    def _type(self):
        return types.UnknownType()

    def to_NumpyForm(self, dtype=None, primitive=None):
        """The form of no numbers of a type."""
        return NumpyForm(primitive or types.dtype_to_primitive(dtype), form_key=self._form_key)


class NumpyForm(_kinds.Numpy, Form):
    """Numbers."""

    def __init__(self, primitive, inner_shape=(), *, parameters=None, form_key=None):
        name = types.dtype_to_primitive(types.primitive_to_dtype(primitive))
        shape = tuple(inner_shape)
        self._set(parameters, form_key, primitive=name, inner_shape=shape)

    def __repr__(self):
        text = super().__repr__()
        shape = f", {self._inner_shape!r}"
        return text.replace(shape, ", inner_shape=" + shape[2:] if self._inner_shape else "", 1)

    def _to_dict(self, verbose, outermost):
        out = super()._to_dict(verbose, outermost)
        if not verbose and not self._inner_shape:
            del out["inner_shape"]
        return out if verbose or outermost or len(out) > 2 else out["primitive"]

    def _type(self):
        out = types.NumpyType(self._primitive)
        for size in reversed(self._inner_shape):
            out = types.RegularType(out, size)
        return out

    def _dtype_of(self, name):
        return types.primitive_to_dtype(self._primitive)

    @property
    def itemsize(self):
        """Bytes of a number."""
        return self._dtype_of("data").itemsize

    def to_RegularForm(self):
        """Inner dimensions as lists."""
        out = NumpyForm(self._primitive, form_key=self._form_key)
        for size in reversed(self._inner_shape):
            out = RegularForm(out, size)
        return out.copy(parameters=self._parameters)


class RegularForm(_kinds.Regular, Form):
    """Lists of one length."""

    def __init__(self, content, size, *, parameters=None, form_key=None):
        if not hasattr(size, "__index__") or size < 0:
            raise TypeError(f"RegularForm: size must be an integer >= 0, got {size!r}")
        self._set(parameters, form_key, content=content, size=size)

    def _type(self):
        return types.RegularType(self._content.type, self._size)


class ListForm(_kinds.List, Form):
    """Lists by starts and stops."""

    def __init__(self, starts, stops, content, *, parameters=None, form_key=None):
        self._set(parameters, form_key, starts=starts, stops=stops, content=content)

    def _type(self):
        return types.ListType(self._content.type)


class ListOffsetForm(_kinds.ListOffset, Form):
    """Lists one after the other."""

    def __init__(self, offsets, content, *, parameters=None, form_key=None):
        self._set(parameters, form_key, offsets=offsets, content=content)

    _type = ListForm._type


class RecordForm(_kinds.Record, Form):
    """Records, or tuples where fields is None."""

    def __init__(self, contents, fields, *, parameters=None, form_key=None):
        contents = list(contents)
        if fields is not None:
            fields = list(fields)
            if len(fields) != len(contents):
                raise ValueError(f"RecordForm: {len(contents)} contents, {len(fields)} fields")
        self._set(parameters, form_key, contents=contents, fields=fields)

    def _type(self):
        return types.RecordType([x.type for x in self._contents], self._fields)


class IndexedForm(_kinds.Indexed, Form):
    """Chosen items of another array, or categories."""

    def __init__(self, index, content, *, parameters=None, form_key=None):
        self._set(parameters, form_key, index=index, content=content)

    def _type(self):
        return self._content.type


class _OptionForm(Form):
    def _type(self):
        return types.OptionType(self._content.type).simplify_option_union()


class IndexedOptionForm(_kinds.IndexedOption, _OptionForm):
    """Chosen items of another array; negative: missing."""

    def __init__(self, index, content, *, parameters=None, form_key=None):
        self._set(parameters, form_key, index=index, content=content)


class ByteMaskedForm(_kinds.ByteMasked, _OptionForm):
    """Missing items by a byte each."""

    def __init__(self, mask, content, valid_when, *, parameters=None, form_key=None):
        _kinds.check_flags(self, valid_when=valid_when)
        self._set(parameters, form_key, mask=mask, content=content, valid_when=valid_when)


class BitMaskedForm(_kinds.BitMasked, _OptionForm):
    """Missing items by a bit each."""

    def __init__(self, mask, content, valid_when, lsb_order, *, parameters=None, form_key=None):
        flags = {"valid_when": valid_when, "lsb_order": lsb_order}
        _kinds.check_flags(self, **flags)
        self._set(parameters, form_key, mask=mask, content=content, **flags)


class UnmaskedForm(_kinds.Unmasked, _OptionForm):
    """Items of an option type none of which is missing."""

    def __init__(self, content, *, parameters=None, form_key=None):
        self._set(parameters, form_key, content=content)


class UnionForm(_kinds.Union, Form):
    """Values of several kinds, by tag and index."""

    def __init__(self, tags, index, contents, *, parameters=None, form_key=None):
        self._set(parameters, form_key, tags=tags, index=index, contents=contents)

    def _type(self):
        return types.UnionType([x.type for x in self._contents])
