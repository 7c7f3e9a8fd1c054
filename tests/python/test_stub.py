# The stub says what the compiled module has, and what its functions give.
import ast
import importlib.util
import pathlib

import numpy as np
import pytest
import rows

import serrate as ak

SCRIPT = pathlib.Path(__file__).parents[2] / "docs" / "make_stub.py"


def make_stub():
    spec = importlib.util.spec_from_file_location("make_stub", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stub_is_that_of_the_module():
    path = pathlib.Path(ak._core.__file__).with_name("_core.pyi")
    assert path.read_text() == make_stub().text(), "the build writes it beside the module"
    assert path.with_name("py.typed").exists()


def test_the_stub_of_vectors():
    path = pathlib.Path(ak.vector.__file__).with_name("__init__.pyi")
    text = make_stub().vectors_text()
    assert path.read_text() == text, "the build writes it beside the module"
    classes = {c.name: c for c in ast.parse(text).body if isinstance(c, ast.ClassDef)}
    functions = {f.name for f in ast.parse(text).body if isinstance(f, ast.FunctionDef)}
    assert set(classes) | functions == set(ak.vector.__all__)
    assert [b.id for b in classes["MomentumArray4D"].bases] == ["Momentum4D", "_Array"]
    for name, of in classes.items():
        cls = getattr(ak.vector, name)
        said = {f.name for f in of.body if isinstance(f, ast.FunctionDef)}
        said.discard("__awkward_validation__")
        assert said == {key for key in vars(cls) if not key.startswith("__")}


def stubbed():
    """Of each class and of the module: what the stub says of its members' results."""
    body = ast.parse(make_stub().text()).body
    classes = {c.name: c.body for c in body if isinstance(c, ast.ClassDef)}
    return {
        scope: {f.name: ast.unparse(f.returns) for f in found if isinstance(f, ast.FunctionDef)}
        for scope, found in {**classes, "": body}.items()
    }


def test_every_function_and_class_is_there():
    names = {name for name in dir(ak._core) if not name.startswith("_")}
    found = stubbed()
    assert names - set(found) - set(found[""]) == {"behavior", "elementwise_names"}


@pytest.mark.parametrize("array", [ak.Array([[{"x": 1}], []]), ak.Array(np.zeros((2, 2)))])
@pytest.mark.parametrize("kind", ["Array", "Record"])
def test_properties_are_of_the_types_that_they_say(kind, array):
    kinds = {"list": list, "str": str, "bool": bool, "int": int, "dict": dict}
    thing = array if kind == "Array" else ak.Record({"x": array})
    found = {name: kinds.get(said.partition("[")[0]) for name, said in stubbed()[kind].items()}
    checked = ["fields", "typestr", "is_tuple", "nbytes", "named_axis"]
    for name in checked + ["ndim"] * (kind == "Array"):
        assert isinstance(getattr(thing, name), found[name])


@pytest.mark.parametrize("name", make_stub().ARRAYS)
def test_functions_that_give_arrays(name):
    assert isinstance(rows.call(name)(ak, ak.Array(rows.LISTS)), ak.Array)


def test_what_gives_arrays_is_there():
    assert {n for n, gives in stubbed()[""].items() if gives == "Array"} == set(make_stub().ARRAYS)
