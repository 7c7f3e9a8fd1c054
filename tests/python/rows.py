# Calls of the public functions, made from their rows in structural.def: for tests of all of them.
import inspect

import numpy as np
import pyarrow

import serrate as ak

ROWS = {name: signature for name, _, signature in ak._core._function_rows() if signature}
LISTS = [[3.5, 1.25, 2.0], [], [1.5]]
FORM = {"class": "NumpyArray", "primitive": "float64", "form_key": "x"}

# What a parameter without a default value gets, by its name; `x` is the first argument.
SAMPLES = {
    **dict.fromkeys(["array", "x", "a", "a1", "left", "val", "iterable"], lambda x: x),
    **dict.fromkeys(["y", "b", "a2", "right", "keys", "test_elements", "v"], lambda x: x),
    **dict.fromkeys(["n", "target"], lambda x: 2),
    **dict.fromkeys(["k", "kth"], lambda x: 1),
    **dict.fromkeys(["value", "fill_value"], lambda x: 0),
    **dict.fromkeys(["arrays", "args"], lambda x: [x, x]),
    "condition": lambda x: x > 2,
    "mask": lambda x: x > 2,
    "q": lambda x: 0.5,
    "to": lambda x: "float32",
    "type": lambda x: "var * float32",
    "name": lambda x: "Name",
    "parameter": lambda x: "note",
    "named_axis": lambda x: ("rows", None),
    "backend": lambda x: "cpu",
}
# Functions of something else than lists of numbers.
OTHERS = {
    "from_arrow": lambda lib, x: lib.from_arrow(pyarrow.array([[1, 2], None])),
    "from_buffers": lambda lib, x: lib.from_buffers(FORM, 2, {"x-data": np.zeros(2)}),
    "from_dlpack": lambda lib, x: lib.from_dlpack(np.arange(3)),
    "from_numpy": lambda lib, x: lib.from_numpy(np.arange(3)),
    "from_regular": lambda lib, x: lib.from_regular(np.zeros((2, 2))),
    "matmul": lambda lib, x: np.matmul(lib.Array(np.ones((2, 2))), lib.Array(np.ones((2, 2)))),
    "merge_option_of_records": lambda lib, x: lib.merge_option_of_records(
        lib.Array([{"x": 1}, None])
    ),
    "merge_union_of_records": lambda lib, x: lib.merge_union_of_records(
        lib.concatenate([[{"x": 1}], [{"y": 1}]])
    ),
    "strings_astype": lambda lib, x: lib.strings_astype(lib.Array(["1", "2"]), int),
    "to_regular": lambda lib, x: lib.to_regular(lib.Array([[1], [2]])),
    "unflatten": lambda lib, x: lib.unflatten(lib.flatten(x), [2, 2]),
    "with_field": lambda lib, x: lib.with_field(lib.zip({"x": x}), x, "y"),
    "without_field": lambda lib, x: lib.without_field(lib.zip({"x": x, "y": x}), "y"),
}


def call(name):
    """f(lib, x): the function of either library, called with little more than an array."""
    if name in OTHERS:
        return OTHERS[name]
    given = [
        (p.name, p.kind is p.VAR_POSITIONAL)
        for p in inspect.signature(getattr(ak, name)).parameters.values()
        if p.default is p.empty
    ]

    def of(lib, x):
        values = []
        for parameter, several in given:
            value = SAMPLES[parameter](x)
            values += value if several else [value]
        return getattr(lib, name)(*values)

    return of
