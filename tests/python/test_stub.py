# The stub says what the compiled module has, and what its functions give.
import ast
import importlib.util
import pathlib

import numpy as np
import pytest

import serrate as ak

SCRIPT = pathlib.Path(__file__).parents[2] / "docs" / "make_stub.py"


def make_stub():
    spec = importlib.util.spec_from_file_location("make_stub", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stub_is_that_of_the_module():
    made = make_stub()
    assert made.PATH.read_text() == made.text(), "./dev stub writes it anew"


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


LISTS = ak.Array([[3.5, 1.25, 2.0], [], [1.5]])
FORM = {"class": "NumpyArray", "primitive": "float64", "form_key": "x"}
# What takes more than one array.
CALLS = {
    "argcartesian": lambda: ak.argcartesian([LISTS, LISTS]),
    "cartesian": lambda: ak.cartesian([LISTS, LISTS]),
    "argcombinations": lambda: ak.argcombinations(LISTS, 2),
    "combinations": lambda: ak.combinations(LISTS, 2),
    "argpartition": lambda: ak.argpartition(LISTS, 0),
    "partition": lambda: ak.partition(LISTS, 0),
    "argtopk": lambda: ak.argtopk(LISTS, 1),
    "topk": lambda: ak.topk(LISTS, 1),
    "concatenate": lambda: ak.concatenate([LISTS, LISTS], axis=1),
    "enforce_type": lambda: ak.enforce_type(LISTS, "var * float32"),
    "fill_none": lambda: ak.fill_none(LISTS, 0),
    "from_buffers": lambda: ak.from_buffers(FORM, 2, {"x-data": np.zeros(2)}),
    "from_dlpack": lambda: ak.from_dlpack(np.arange(3)),
    "from_numpy": lambda: ak.from_numpy(np.arange(3)),
    "from_regular": lambda: ak.from_regular(np.zeros((2, 2))),
    "full_like": lambda: ak.full_like(LISTS, 1),
    "isclose": lambda: ak.isclose(LISTS, LISTS),
    "isin": lambda: ak.isin(LISTS, LISTS),
    "mask": lambda: ak.mask(LISTS, LISTS > 2),
    "merge_option_of_records": lambda: ak.merge_option_of_records([{"x": 1}, None]),
    "merge_union_of_records": lambda: ak.merge_union_of_records([{"x": 1}, {"y": 1}]),
    "pad_none": lambda: ak.pad_none(LISTS, 2),
    "strings_astype": lambda: ak.strings_astype(["1", "2"], int),
    "to_regular": lambda: ak.to_regular([[1], [2]]),
    "unflatten": lambda: ak.unflatten(ak.flatten(LISTS), [2, 2]),
    "values_astype": lambda: ak.values_astype(LISTS, "float32"),
    "zip": lambda: ak.zip([LISTS, LISTS]),
    "zip_no_broadcast": lambda: ak.zip_no_broadcast([LISTS, LISTS]),
}


@pytest.mark.parametrize("name", make_stub().ARRAYS)
def test_functions_that_give_arrays(name):
    result = CALLS[name]() if name in CALLS else getattr(ak, name)(LISTS)
    assert isinstance(result, ak.Array)


def test_what_gives_arrays_is_there():
    assert {n for n, gives in stubbed()[""].items() if gives == "Array"} == set(make_stub().ARRAYS)
