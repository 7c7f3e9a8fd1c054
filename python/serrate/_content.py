"""The base of layouts: what all of their nodes can do, by way of arrays."""

import functools
import itertools
import json

import numpy as np

from serrate import _core, _kinds, _nodes
from serrate._from_buffers import built
from serrate.forms import form_with_unique_keys
from serrate.index import Index, on_gpu, written


def array_of(layout):
    """The array (or record) of a layout."""
    return _core._array_of(layout)


def numbers_of(array, backend):
    """Numbers as buffers of layouts: NumPy's on the CPU, an Array on the GPU."""
    array = _core.to_backend(array, backend)
    return array if backend == "cuda" else _core.to_numpy(array, copy=False)


class Content(_nodes.Node):
    """One node of a layout; the classes in serrate.contents are its kinds.

    What is done with one is done with the array that it describes: layout[1:], to_list() ...
    """

    _arguments = None  # where they are not those of its form; integer buffers are Index objects
    _parameters = None
    # Whether any kind of node may be inside; it is simplified then.
    _lenient = False

    def __init_subclass__(cls):
        if cls.kind is not None:
            _kinds.LAYOUTS[cls.kind] = cls

    def _set(self, parameters, **arguments):
        self._parameters = _kinds.checked_parameters(parameters)
        for name, integers in self.buffer_types.items():
            if name in arguments and integers:
                self._check_index(name, arguments[name], integers)
        inner = [arguments["content"]] if "content" in arguments else arguments.get("contents", ())
        for x in inner:
            if not isinstance(x, Content):
                raise TypeError(
                    f"{type(self).__name__}: the content must be a Content, got {type(x).__name__}"
                )
        self._count_levels(inner)
        for name, value in arguments.items():
            setattr(self, "_" + name, value)
        if not self._lenient:
            self._check_inner(inner)

    def _check_index(self, name, index, integers):
        if not isinstance(index, Index) or index.form not in integers:
            raise TypeError(
                f"{type(self).__name__}: {name} must be an Index of {' or '.join(integers)}, got "
                f"{index.form if isinstance(index, Index) else type(index).__name__}"
            )

    def _check_inner(self, inner):
        """TypeError where a simpler layout says the same."""

    def _refuse_inner(self, what):
        raise TypeError(f"{type(self).__name__} of {what}: try {type(self).__name__}.simplified")

    @classmethod
    def _any(cls, *arguments, **options):
        """A node with any others inside."""
        out = cls.__new__(cls)
        out._lenient = True
        out.__init__(*arguments, **options)
        return out

    # -- what it is -------------------------------------------------------------------------------
    @classmethod
    def form_cls(cls):
        """The class of its form."""
        return _kinds.FORMS[cls.kind]

    @property
    def form(self):
        """Its structure without the buffers."""
        return self.form_with_key(None)

    def form_with_key(self, form_key="node{id}", id_start=0):
        """The form, with keys that number its nodes from the outermost one down."""
        return self._form(form_key, itertools.count(id_start))

    def form_with_key_path(self, root=()):
        """The form, with keys that say how to get to its nodes: fields, tags, None."""
        return form_with_unique_keys(self.form, root)

    def _form(self, form_key, numbers):
        key = None if form_key is None else form_key.replace("{id}", str(next(numbers)))
        return self._form_of([x._form(form_key, numbers) for x in self._inner], key)

    def _form_of(self, inner, key):
        known = {name: getattr(self, "_" + name) for name in self.arguments}
        for name in self.buffer_types:
            known[name] = known[name].form
        if "content" in known:
            known["content"] = inner[0]
        if "contents" in known:
            known["contents"] = inner
        return self.form_cls()(**known, parameters=self._parameters, form_key=key)

    def _buffers(self):
        """Its own buffers by name."""
        return {name: getattr(self, "_" + name).data for name in self.buffer_types}

    @property
    def type(self):
        """The type of its items."""
        return self.form.type

    @property
    def length(self):
        """The number of items."""
        return self._count()

    def __len__(self):
        return self._count()

    @property
    def backend(self):
        """Where its buffers are: "cpu" or "cuda"."""
        buffers = self._all_buffers()
        return "cuda" if any(on_gpu(b) for b in buffers) else "cpu"

    def _all_buffers(self):
        out = list(self._buffers().values())
        for x in self._inner:
            out += x._all_buffers()
        return out

    @property
    def nbytes(self):
        """Bytes of all its buffers."""
        return sum(b.nbytes for b in self._all_buffers())

    # -- the same in another way ------------------------------------------------------------------
    def copy(self, **changes):
        """The same with other arguments."""
        known = self._changed(changes)
        return type(self)._any(**known) if self._lenient else type(self)(**known)

    def _changed(self, changes):
        """The arguments of the same with other ones."""
        known = {name: getattr(self, "_" + name) for name in self._arguments or self.arguments}
        known["parameters"] = self._parameters
        for name, value in changes.items():
            if name not in known:
                raise TypeError(f"{type(self).__name__} has no {name!r}")
            known[name] = value
        return known

    def _with_content(self, content):
        """The same around other content, which may be of any kind."""
        if not (self.is_option or self.is_indexed):
            return self.copy(content=content)
        made = type(self)._any(**self._changed({"content": content}))
        return made if self._lenient else layout_of(array_of(made))

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return layout_of(_core.copy(array_of(self)))

    def __reduce__(self):
        return (_unpickled, (array_of(self),))

    def with_parameter(self, key, value):
        """With one note more; None removes it."""
        parameters = {**self.parameters, key: value}
        return self.copy(parameters={k: v for k, v in parameters.items() if v is not None})

    def to_packed(self, recursive=True):
        """The same values in the smallest buffers."""
        return layout_of(_core.to_packed(array_of(self)))

    def to_backend(self, backend):
        """The same on another device."""
        return layout_of(_core.to_backend(array_of(self), backend))

    def to_backend_array(self, allow_missing=True, *, backend=None):
        """Numbers in lists of equal lengths as a NumPy array, or an Array on the GPU."""
        array = array_of(self)
        if _core.backend(array) == "cuda":
            return array
        return _core.to_numpy(array, allow_missing=allow_missing)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(array_of(self), dtype=dtype)

    def materialize(self):
        """The same; no buffer is virtual."""
        return self

    is_all_materialized = is_any_materialized = True

    def drop_none(self):
        """Without missing items."""
        return layout_of(_core.drop_none(array_of(self), axis=0))

    def to_list(self, behavior=None):
        """As nested Python lists."""
        return _core.to_list(array_of(self))

    tolist = to_list

    def is_equal_to(self, other, index_dtype=True, numpyarray=True, *, all_parameters=False):
        """The same kinds of nodes with the same values."""
        if not isinstance(other, Content) or len(self) != len(other):
            return False
        if not self.form.is_equal_to(other.form, all_parameters=all_parameters):
            return False
        return _core.array_equal(array_of(self), array_of(other), equal_nan=True)

    def __eq__(self, other):
        return self.is_equal_to(other)

    __hash__ = None

    def __getitem__(self, where):
        out = array_of(self)[where]
        return layout_of(out) if isinstance(out, _core.Array | _core.Record) else out

    def __iter__(self):
        for x in array_of(self):
            yield layout_of(x) if isinstance(x, _core.Array | _core.Record) else x

    # -- text -------------------------------------------------------------------------------------
    def __repr__(self):
        return self._xml("", "", "")

    def _xml(self, indent, before, after):
        head = f"{indent}{before}<{type(self).__name__}{self._xml_attributes()} len='{len(self)}'>"
        inside = indent + "    "
        lines = [head]
        for key, value in self.parameters.items():
            lines.append(f"{inside}<parameter name={key!r}>{value!r}</parameter>")
        for name, data in self._buffers().items():
            text = written("Index", f"len='{len(data)}'", data, inside)
            lines.append(f"{inside}<{name}>{text}</{name}>")
        lines += self._xml_inner(inside)
        return "\n".join([*lines, f"{indent}</{type(self).__name__}>{after}"])

    def _xml_attributes(self):
        return ""

    def _xml_inner(self, inside):
        return [self._content._xml(inside, "<content>", "</content>")]


def _unpickled(array):
    return layout_of(array)


def parts(layout):
    """Form, length, buffers and the place in them (of a record) of a layout."""
    at = None
    if not isinstance(layout, Content):
        layout, at = layout.array, layout.at
    container = {}
    form = layout.form_with_key()
    _collect(layout, form, container)
    return form.to_json(), len(layout), _together(container), at


def _together(container):
    """NumPy's buffers beside those of GPU arrays: there too, if new arrays are made there."""
    if _core.default_backend() == "cpu" or not any(map(on_gpu, container.values())):
        return container
    return {k: x if on_gpu(x) else _on_gpu_bytes(x) for k, x in container.items()}


def _on_gpu_bytes(data):
    return _core.to_backend(np.ascontiguousarray(data).reshape(-1).view(np.uint8), "cuda")


def _collect(layout, form, container):
    for name, data in layout._buffers().items():
        container[f"{form.form_key}-{name}"] = data
    for x, f in zip(layout._inner, form._inner, strict=True):
        _collect(x, f, container)


@functools.lru_cache(256)
def _form_of(text):
    """A form as nested dicts, which are to stay as they are."""
    return json.loads(text)


def layout_of(x):
    """The layout of an array or a record; evaluates."""
    form, length, container, at = _core._parts(x)
    layout = built(_form_of(form), length, container)
    return layout if at is None else _kinds.LAYOUTS["Record"](layout, at)
