"""Writes _core.pyi and vector/__init__.pyi, for editors and type checkers.

The build calls it: make_stub.py MODULE writes the stubs beside this module. Parameters, defaults
and the first sentences of docstrings are read from the module itself. A test compares the files
with the module, and calls the functions that are said to give an Array.
"""

import importlib.util
import inspect
import pathlib
import re
import sys

PACKAGE = pathlib.Path(__file__).parents[1] / "python"


class BuiltModule:
    """Finds serrate._core where it has just been built, which need not be the package's folder."""

    def __init__(self, path):
        self.path = path

    def find_spec(self, name, path=None, target=None):
        if name == "serrate._core":
            return importlib.util.spec_from_file_location(name, self.path)
        return None


if __name__ == "__main__":
    sys.path.insert(0, str(PACKAGE))
    sys.meta_path.insert(0, BuiltModule(sys.argv[1]))

from serrate import _core  # noqa: E402

HEAD = '''"""The compiled part of serrate. The build writes this file; do not edit it."""

from collections.abc import Iterator
from typing import Any
'''
# Of arrays these give an Array, whatever the other arguments. (Others may give a number, a Record,
# several arrays, or what a behaviour makes of it.)
ARRAYS = [name for name, _, signature in _core._function_rows() if signature.endswith("-> Array")]
PROPERTIES = {
    "fields": "list[str]",
    "typestr": "str",
    "is_tuple": "bool",
    "nbytes": "int",
    "ndim": "int",
    "behavior": "dict[Any, Any] | None",
    "attrs": "dict[str, Any]",
    "named_axis": "dict[Any, int]",
    "mask": "_MaskGetter",
    "parameters": "dict[str, Any]",
    "passes": "int",
    "bytes_read": "int",
    "bytes_written": "int",
    "waits": "int",
}
# Methods of Python's own protocols: parameters behind self, and the result.
SLOTS = {
    "__reduce_ex__": ("protocol: Any, /", "Any"),
    "__len__": ("", "int"),
    "__bool__": ("", "bool"),
    "__getitem__": ("where: Any, /", "Any"),
    "__setitem__": ("where: Any, what: Any, /", "None"),
    "__delitem__": ("where: Any, /", "None"),
    "__array_ufunc__": ("ufunc: Any, method: str, /, *inputs: Any, **options: Any", "Any"),
}
UNARY = ["__neg__", "__pos__", "__abs__", "__invert__"]
HIDDEN = ["__new__", "__hash__", "__getattribute__", "__setattr__", "__delattr__", "__dir__"]
GIVEN = {"__iter__": "Iterator[Any]", "__reversed__": "Iterator[Any]", "to_list": "Any"}


def default(value):
    plain = value is None or isinstance(value, bool | int | float | str)
    return repr(value) if plain else "..."


def first_sentences(text):
    """The first paragraph of what a docstring says, behind the signature."""
    blocks = [b for b in inspect.cleandoc(text or "").split("\n\n") if b.strip()]
    return blocks[0] if blocks and not blocks[0].startswith((">>>", "(self)")) else ""


def definition(name, text, doc, defaults, result=None, indent=""):
    text = re.sub(r"\\(\d+)", lambda m: default(defaults[int(m[1])]), text)
    text = re.sub(r"^def \w+", f"def {name}", text).replace("serrate._core.", "")
    text = re.sub(r"\bobject(?: \| None)?", "Any", text)
    text = re.sub(r"\*(args|kwargs)\b(?!:)", r"*\1: Any", text)
    if result:
        text = f"{text.rpartition(' -> ')[0]} -> {result}"
    said = first_sentences(doc)
    if not said:
        return [f"{indent}{text}: ..."]
    quoted = said.replace("\\", "\\\\").replace("\n", f"\n{indent}    ")
    return [f"{indent}{text}:", f'{indent}    """{quoted}"""']


def function(name, f):
    text, doc, defaults = f.__nb_signature__[0]
    result = None
    if text.endswith("-> object"):
        result = "Array" if name in ARRAYS else "Any"
    return definition(name, text, doc, defaults, result)


def of_python(name, f):
    """A method that is written in Python."""
    parameters = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in inspect.signature(f).parameters.values()
    ]
    text = f"def {name}{inspect.Signature(parameters)} -> Any"
    text = re.sub(r"=<[^>]*>", "=...", text)
    return definition(name, text, f.__doc__, (), indent="    ")


def slot(name, parameters, result):
    own = ", ".join(["self", parameters] if parameters else ["self"])
    return f"    def {name}({own}) -> {result}: ..."


def member(kind, name, value):
    if isinstance(value, property):
        held = PROPERTIES.get(name, "Any")
        if value.fset:
            return [f"    {name}: {held}"]
        said = first_sentences(value.__doc__)
        body = f'\n        """{said}"""' if said else " ..."
        return ["    @property", f"    def {name}(self) -> {held}:{body}"]
    if name in SLOTS:
        return [slot(name, *SLOTS[name])]
    if hasattr(value, "__nb_signature__"):
        text, doc, defaults = value.__nb_signature__[0]
        return definition(name, text, doc, defaults, GIVEN.get(name), "    ")
    if inspect.isfunction(value):
        return of_python(name, value)
    if name == "__init__":  # nobody makes such an object
        return []
    result = "Array" if kind == "Array" and "divmod" not in name else "Any"
    if name in UNARY:
        return [slot(name, "", result)]
    overrides = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
    return [slot(name, "other: Any, /", result) + overrides]


def class_(name, c):
    out = [f"class {name}:"]
    said = first_sentences(c.__doc__)
    if said:
        out.append(f'    """{said}"""')
    members = sorted(vars(c).items())
    for key, value in members:
        private = key.startswith("_") and not key.startswith("__") and "ipython" not in key
        if key in HIDDEN or private or not (callable(value) or isinstance(value, property)):
            continue
        out += member(name, key, value)
    if name in ("Array", "Record"):
        out.append("    def __getattr__(self, name: str) -> Any: ...")
    return out


def text():
    classes, functions = [], []
    for name, value in sorted(vars(_core).items()):
        if inspect.isclass(value):
            classes += ["", "", *class_(name, value)]
        elif hasattr(value, "__nb_signature__") and not name.startswith("_"):
            functions += ["", *function(name, value)]
    values = ["__version__: str", "behavior: dict[Any, Any]", "elementwise_names: list[str]"]
    return "\n".join([HEAD, *values, *classes, "", *functions]) + "\n"


VECTORS_HEAD = '''"""Vectors of two to four dimensions. The build writes this; do not edit it."""

from typing import Any

from serrate._core import Array as _Array
from serrate._core import Record as _Record
'''


def vector_class(name, c):
    """One of the classes of vectors: what it has besides its bases."""
    bases = [
        f"_{b.__name__}" if b in (_core.Array, _core.Record) else b.__name__
        for b in c.__bases__
        if b is not object
    ]
    joined = len(bases) > 1  # what both have may be of different types
    head = f"class {name}({', '.join(bases)})" if bases else f"class {name}"
    out = [head + (":  # type: ignore[misc]" if joined else ":")]
    said = first_sentences(c.__doc__)
    if said:
        out.append(f'    """{said}"""')
    for key, value in sorted(vars(c).items()):
        if inspect.isgetsetdescriptor(value) and not key.startswith("__"):
            out += ["    @property", f"    def {key}(self) -> Any:"]
            out.append(f'        """{value.__doc__}"""')
        elif hasattr(value, "__nb_signature__"):
            text, doc, defaults = value.__nb_signature__[0]
            out += definition(key, text, doc, defaults, indent="    ")
    return out if len(out) > 1 else [*out, "    ..."]


def vectors_text():
    from serrate import vector

    classes, functions = [], []
    named = {name: getattr(vector, name) for name in vector.__all__}
    # Bases come first.
    of_classes = [(n, v) for n, v in named.items() if inspect.isclass(v)]
    for name, value in sorted(of_classes, key=lambda item: (len(item[1].__mro__), item[0])):
        classes += ["", "", *vector_class(name, value)]
    for name, value in sorted(named.items()):
        if hasattr(value, "__nb_signature__"):
            lines = function(name, value)
            functions += ["", lines[0].replace("-> Array", "-> _Array"), *lines[1:]]
        elif inspect.isfunction(value):
            functions += ["", *(line[4:] for line in of_python(name, value))]
    return "\n".join([VECTORS_HEAD, *classes, "", *functions]) + "\n"


if __name__ == "__main__":
    stub = pathlib.Path(sys.argv[1]).with_name("_core.pyi")
    stub.write_text(text())
    stub.with_name("vector").mkdir(exist_ok=True)
    (stub.with_name("vector") / "__init__.pyi").write_text(vectors_text())
