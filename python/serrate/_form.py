"""What all kinds of forms have in common."""

import json

import numpy as np

from serrate import _form_columns, _kinds, _nodes
from serrate._from_buffers import built

INDEX_TYPES = {"i8": "int8", "u8": "uint8", "i32": "int32", "u32": "uint32", "i64": "int64"}
EXTRA = ("parameters", "form_key")


class Form(_nodes.Node):
    """One node of a form; the classes in serrate.forms are its kinds."""

    _parameters = None
    _form_key = None

    def __init_subclass__(cls):
        if cls.kind is None:
            return
        _kinds.FORMS[cls.kind] = cls
        for name in cls.arguments:
            if not hasattr(cls, name):
                setattr(cls, name, property(lambda self, n="_" + name: getattr(self, n)))

    def _set(self, parameters, form_key, **arguments):
        self._parameters = _kinds.checked_parameters(parameters)
        if form_key is not None:
            self.form_key = form_key
        for name in self.buffer_types:
            if name in arguments and arguments[name] not in INDEX_TYPES:
                raise TypeError(f"{type(self).__name__}: {name} can't be {arguments[name]!r}")
        inner = [arguments["content"]] if "content" in arguments else []
        if "contents" in arguments:
            arguments["contents"] = list(arguments["contents"])
            inner = arguments["contents"]
        for x in inner:
            if not isinstance(x, Form):
                raise TypeError(f"{type(self).__name__}: the content must be a Form, got {x!r}")
        self._count_levels(inner)
        for name, value in arguments.items():
            setattr(self, "_" + name, value)

    @property
    def form_key(self):
        """The name that its buffers' names are made of."""
        return self._form_key

    @form_key.setter
    def form_key(self, value):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"form_key must be a string or None, got {value!r}")
        self._form_key = value

    def __repr__(self):
        arguments = [repr(getattr(self, "_" + name)) for name in self.arguments]
        if self._parameters:
            arguments.append(f"parameters={self._parameters!r}")
        if self._form_key is not None:
            arguments.append(f"form_key={self._form_key!r}")
        return f"{type(self).__name__}({', '.join(arguments)})"

    def __str__(self):
        return json.dumps(self.to_dict(verbose=False), indent=4)

    def to_dict(self, verbose=True):
        """As nested dicts; verbose: with what is empty."""
        return self._to_dict(verbose, True)

    def _to_dict(self, verbose, outermost):
        out = {"class": self.kind}
        for name in self.written or self.arguments:
            value = getattr(self, "_" + name)
            if isinstance(value, Form):
                value = value._to_dict(verbose, False)
            elif name == "contents":
                value = [x._to_dict(verbose, False) for x in value]
            elif isinstance(value, tuple):
                value = list(value)
            out[name] = value
        if verbose or self._parameters:
            out["parameters"] = self.parameters
        if verbose or self._form_key is not None:
            out["form_key"] = self._form_key
        return out

    def to_json(self):
        """As JSON text."""
        return json.dumps(self.to_dict())

    @property
    def type(self):
        """The type of arrays of this form."""
        out = self._type()
        if self._parameters:
            own = {k: json.dumps(v) for k, v in self._parameters.items()}
            if own.get("__array__") == '"categorical"':
                del own["__array__"]
                own["__categorical__"] = "true"
            out = out._with_parameters(own)
        return out

    def copy(self, **changes):
        """The same with other arguments."""
        known = {name: getattr(self, "_" + name) for name in (*self.arguments, *EXTRA)}
        for name, value in changes.items():
            if name not in known:
                raise TypeError(f"{type(self).__name__} has no {name!r}")
            known[name] = value
        return type(self)(**known)

    def is_equal_to(self, other, *, all_parameters=False, form_key=False):
        """Of the same structure; all_parameters: also of the same notes that do not matter."""
        if type(other) is not type(self):
            return False
        if form_key and self._form_key != other._form_key:
            return False
        mine, its = self.parameters, other.parameters
        if not all_parameters:
            mine, its = (
                {k: p.get(k) for k in ("__array__", "__list__", "__record__", "__categorical__")}
                for p in (mine, its)
            )
        if mine != its or len(self._inner) != len(other._inner):
            return False
        plain = [name for name in self.arguments if name not in ("content", "contents")]
        if any(getattr(self, "_" + n) != getattr(other, "_" + n) for n in plain):
            return False
        options = {"all_parameters": all_parameters, "form_key": form_key}
        return all(
            a.is_equal_to(b, **options) for a, b in zip(self._inner, other._inner, strict=True)
        )

    def __eq__(self, other):
        return self.is_equal_to(other)

    def __hash__(self):
        return hash((type(self), self.arguments))

    def columns(self, list_indicator=None, column_prefix=()):
        """Paths to all numbers and strings: "muon.pt", with `list_indicator` for each list."""
        return _form_columns.columns(self, tuple(column_prefix), list_indicator)

    def column_types(self):
        """NumPy's dtypes of columns(); "string" for text."""
        return _form_columns.types(self)

    def select_columns(self, specifier, expand_braces=True, *, prune_unions_and_records=True):
        """The form with chosen columns only: "muon.*", "jet.{pt,eta}"."""
        return _form_columns.select(self, specifier, expand_braces, prune_unions_and_records)

    def expected_from_buffers(self, buffer_key="{form_key}-{attribute}", recursive=True):
        """The dtype of each buffer by the name that from_buffers asks for."""
        out = {}
        for name in self.buffer_types:
            if isinstance(buffer_key, str):
                key = buffer_key.format(form_key=self._form_key, attribute=name)
            else:
                key = buffer_key(form_key=self._form_key, attribute=name, form=self)
            out[key] = self._dtype_of(name)
        for x in self._inner if recursive else ():
            out |= x.expected_from_buffers(buffer_key)
        return out

    def _dtype_of(self, name):
        return np.dtype(INDEX_TYPES[getattr(self, "_" + name)])

    def length_zero_array(self, *, backend="cpu", highlevel=False, behavior=None):
        """An array of this form without items, as a layout."""
        return self._array(0, backend, highlevel)

    def length_one_array(self, *, backend="cpu", highlevel=False, behavior=None):
        """An array of this form with one item that is zero, empty or missing, as a layout."""
        return self._array(1, backend, highlevel)

    def _array(self, length, backend, highlevel):
        if highlevel:
            raise ValueError("highlevel=True: make an Array of the layout")
        form = _form_columns.keyed(self)
        out = built(form.to_dict(), length, _form_columns.zeros(form, length))
        return out if backend == "cpu" else out.to_backend(backend)
