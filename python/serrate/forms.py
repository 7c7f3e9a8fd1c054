"""Forms: the structure of an array without its buffers, in Awkward Array's classes and JSON.

>>> form = from_type(Array([[1, 2], []]).type.content)
>>> form
ListOffsetForm('i64', NumpyForm('int64'))
>>> form.to_dict(verbose=False)
{'class': 'ListOffsetArray', 'offsets': 'i64', 'content': 'int64'}
"""

import json
from collections.abc import Mapping

import numpy as np

from serrate import types
from serrate._form import EXTRA, Form
from serrate._form_classes import (  # noqa: F401
    BitMaskedForm,
    ByteMaskedForm,
    EmptyForm,
    IndexedForm,
    IndexedOptionForm,
    ListForm,
    ListOffsetForm,
    NumpyForm,
    RecordForm,
    RegularForm,
    UnionForm,
    UnmaskedForm,
)
from serrate._kinds import FORMS
from serrate._nodes import too_deep


def from_dict(form):
    """A form from nested dicts; a text is the name of a type of numbers.

    >>> forms.from_dict({"class": "ListOffsetArray", "offsets": "i32", "content": "float64"})
    ListOffsetForm('i32', NumpyForm('float64'))
    """
    try:
        return _from_dict(form)
    except RecursionError:
        raise too_deep("from_dict") from None


def _from_dict(form):
    if form is None or isinstance(form, Form):
        return form
    if isinstance(form, str):
        return NumpyForm(form)
    is_mapping = type(form) is dict or isinstance(form, Mapping)  # the first is what takes no time
    if is_mapping and "class" not in form:
        raise KeyError("from_dict: a form needs a 'class'")
    if not is_mapping or form["class"] not in _versions:
        raise ValueError(f"from_dict: not a form: {form!r}")
    cls, suffix = _versions[form["class"]]
    arguments = {name: form[name] for name in (*cls.arguments, *EXTRA) if name in form}
    for name in ("offsets", "starts", "stops", "index"):
        if suffix and name in cls.arguments:
            arguments.setdefault(name, suffix)
    if "content" in arguments:
        arguments["content"] = _from_dict(arguments["content"])
    contents = arguments.get("contents")
    if isinstance(contents, Mapping):
        if arguments.get("fields") is not None:
            raise TypeError("from_dict: where fields are given, contents must be a list")
        arguments["fields"], contents = list(contents), contents.values()
    if contents is not None:
        arguments["contents"] = [_from_dict(x) for x in contents]
    if cls is RecordForm:
        arguments.setdefault("fields", None)
    for name, default in (("tags", "i8"), ("mask", "u8" if cls is BitMaskedForm else "i8")):
        if name in cls.arguments:
            arguments.setdefault(name, default)
    for name in cls.arguments:
        if name not in arguments and name != "inner_shape":
            raise KeyError(f"from_dict: {form['class']} needs {name!r}")
    return cls(**arguments)


# Awkward Array 1 wrote the type of the index with the class: ListOffsetArray64.
_versions = {
    name + version: (cls, index)
    for name, cls in FORMS.items()
    for version, index in {
        "": None,
        "64": "i64",
        "32": "i32",
        "U32": "u32",
        "8_64": "i64",
        "8_32": "i32",
        "8_U32": "u32",
    }.items()
}


def from_json(form):
    """A form from its JSON text."""
    try:
        return from_dict(json.loads(form))
    except RecursionError:
        raise too_deep("from_json") from None


def form_with_unique_keys(form, key):
    """The form, with keys that say how to get to its nodes from `key`: fields, tags, None.

    >>> form = forms.RecordForm([forms.NumpyForm("int64")], ["x"])
    >>> forms.form_with_unique_keys(form, ("top",)).content("x").form_key
    "('top', 'x')"
    """
    key = tuple(key)
    if form.is_record or form.is_union:
        names = form.fields if form.is_record else range(len(form.contents))
        inner = zip(form.contents, names, strict=True)
        contents = [form_with_unique_keys(x, (*key, name)) for x, name in inner]
        return form.copy(contents=contents, form_key=repr(key))
    if form._inner:
        content = form_with_unique_keys(form.content, (*key, None))
        return form.copy(content=content, form_key=repr(key))
    return form.copy(form_key=repr(key))


def from_type(type):
    """The form that arrays of a type have.

    >>> from_type(Array([None, 1.5]).type.content)
    IndexedOptionForm('i64', NumpyForm('float64'))
    """
    if not isinstance(type, types.Type) or isinstance(type, types.ArrayType):
        raise TypeError(f"from_type: expected the type of items, got {type!r}")
    parameters = dict(type.parameters)
    categorical = parameters.pop("__categorical__", False)
    if isinstance(type, types.NumpyType):
        out = NumpyForm(type.primitive)
    elif isinstance(type, types.ListType):
        out = ListOffsetForm("i64", from_type(type.content))
    elif isinstance(type, types.RegularType):
        out = RegularForm(from_type(type.content), type.size)
    elif isinstance(type, types.OptionType):
        out = IndexedOptionForm("i64", from_type(type.content))
    elif isinstance(type, types.RecordType):
        fields = None if type.is_tuple else type.fields
        out = RecordForm([from_type(x) for x in type.contents], fields)
    elif isinstance(type, types.UnionType):
        out = UnionForm("i8", "i64", [from_type(x) for x in type.contents])
    else:
        out = EmptyForm()
    out = out.copy(parameters=parameters)
    return IndexedForm("i64", out, parameters={"__array__": "categorical"}) if categorical else out


def from_dtype(dtype, *, parameters=None):
    """The form of numbers of a NumPy dtype, which may have a shape or fields."""
    dtype = np.dtype(dtype)
    if dtype.fields is not None:
        fields = list(dtype.names)
        return RecordForm([from_dtype(dtype[f]) for f in fields], fields, parameters=parameters)
    base, shape = dtype.subdtype or (dtype, ())
    return NumpyForm(types.dtype_to_primitive(base), shape, parameters=parameters)


__all__ = [
    *("Form", "EmptyForm", "NumpyForm", "RegularForm", "ListForm", "ListOffsetForm"),
    *("RecordForm", "IndexedForm", "IndexedOptionForm", "ByteMaskedForm", "BitMaskedForm"),
    *("UnmaskedForm", "UnionForm", "form_with_unique_keys", "from_dict", "from_dtype"),
    *("from_json", "from_type"),
]
