# One call after the other in Awkward and here, with many arguments on many structures: the same
# values, types and families of errors. What differs on purpose is in DIFFERENT, with the reason.
import numpy as np
import pytest
from conftest import both
from interface import DATA, EVERY, LISTS, NUMBERS, grid, theirs

AXES = [None, 0, 1, 2, -1, -2]
REDUCERS = ["sum", "prod", "any", "all", "count", "count_nonzero", "min", "max", "argmin"]
REDUCERS += ["argmax", "ptp", "nansum", "nanprod", "nanmin", "nanmax", "nanargmin", "nanargmax"]
STATISTICS = ["mean", "var", "std", "nanmean", "nanvar", "nanstd"]
FLOATS = ["flat", "lists", "nans", "missing", "matrix", "int lists", "deep", "sliced", "ints"]

# name: (call, names of data, arguments)
ROWS = {}


def row(name, data, call, /, **options):
    ROWS[name] = (call, data, grid(**options))


def simple(name, data, /, **options):
    row(name, data, lambda ak, x, **o: getattr(ak, name)(x, **o), **options)


for _name in REDUCERS:
    simple(_name, [*NUMBERS, "nans"], axis=AXES, keepdims=[False, True])
    row(
        f"{_name} mask_identity",
        ["lists", "missing", "empty lists", "flat", "empty"],
        lambda ak, x, _f=_name, **o: getattr(ak, _f)(x, **o),
        axis=[None, -1, 0],
        mask_identity=[True, False],
    )
for _name in STATISTICS:
    simple(_name, FLOATS, axis=AXES, keepdims=[False, True], mask_identity=[False, True])
for _name in ["var", "std", "nanvar", "nanstd"]:
    row(
        f"{_name} ddof",
        ["lists", "nans", "matrix"],
        lambda ak, x, _f=_name, **o: getattr(ak, _f)(x, **o),
        axis=[None, -1, 0],
        ddof=[1, 2],
    )
for _name in ["mean", "var", "std"]:
    row(
        f"{_name} weight",
        ["lists", "matrix", "int lists", "missing", "complex"],
        lambda ak, x, _f=_name, **o: getattr(ak, _f)(x, weight=abs(x), **o),
        axis=[None, -1],
        keepdims=[False, True],
    )
row(
    "moment",
    ["lists", "matrix", "int lists", "missing", "nans", "complex"],
    lambda ak, x, **o: ak.moment(x, **o),
    n=[1, 2, 3],
    axis=[None, -1, 0],
    keepdims=[False, True],
)
for _name in ["covar", "corr", "linear_fit"]:
    row(
        _name,
        ["lists", "matrix", "int lists", "missing", "flat"],
        lambda ak, x, _f=_name, **o: getattr(ak, _f)(x, x * x + 1, **o),
        axis=[None, -1],
        keepdims=[False, True],
        mask_identity=[False, True],
    )
    row(
        f"{_name} weight",
        ["lists", "matrix"],
        lambda ak, x, _f=_name, **o: getattr(ak, _f)(x, x * x + 1, weight=abs(x), **o),
        axis=[None, -1],
    )
simple("softmax", ["lists", "matrix", "int lists", "flat", "deep", "float32"])

simple("num", EVERY, axis=[0, 1, 2, -1, -2])
simple("flatten", EVERY, axis=[0, 1, 2, -1, None])
simple("ravel", EVERY)
simple("local_index", EVERY, axis=[0, 1, 2, -1])
simple("to_regular", EVERY, axis=[1, None, -1])
simple("from_regular", EVERY, axis=[1, None, -1])
simple("is_none", EVERY, axis=[0, 1, -1])
simple("drop_none", EVERY, axis=[None, 0, 1, -1])
simple("firsts", EVERY, axis=[0, 1, -1])
simple("singletons", EVERY, axis=[0, 1])
simple("fill_none", EVERY, value=[0, 9.5, "x"], axis=[None, 0, 1, -1])
simple("pad_none", EVERY, target=[0, 2, 3], axis=[0, 1, -1], clip=[False, True])
for _name in ["to_packed", "copy", "materialize", "is_valid", "validity_error", "fields"]:
    simple(_name, EVERY)
for _name in [
    "is_tuple",
    "parameters",
    "is_categorical",
    "categories",
    "from_categorical",
    "to_list",
]:
    simple(_name, [*EVERY, "categorical"])
simple("without_parameters", EVERY)
simple("run_lengths", ["ints", "int lists", "words", "strings", "deep", "empty lists", "sliced"])
simple("zeros_like", EVERY, dtype=[None, "float32"])
simple("ones_like", EVERY, dtype=[None, "int8"])
simple("full_like", EVERY, fill_value=[7, 2.5, True])
for _dtype in ["float32", "int64", "bool", "complex128"]:
    row(
        f"values_astype {_dtype}",
        [n for n in EVERY if n not in ("nans", "complex")],
        lambda ak, x, _t=_dtype: ak.values_astype(x, _t),
    )
row(
    "values_astype unknown",
    ["empty", "empty lists"],
    lambda ak, x, **o: ak.values_astype(x, "float32", **o),
    including_unknown=[True, False],
)
row(
    "strings_astype",
    ["flat"],
    lambda ak, x, to: ak.strings_astype(ak.Array([["1", " 23"], [], ["-4"]]), to),
    to=[np.int64, np.float64, "int8", "uint16", "float32"],
)
row(
    "strings_astype refused",
    ["words"],
    lambda ak, x, to: ak.strings_astype(x, to),
    to=[np.int64, np.float64],
)
simple("nan_to_none", EVERY)
simple(
    "nan_to_num",
    ["nans", "lists", "ints", "missing", "records"],
    nan=[0.0, 5],
    posinf=[None, 9],
    neginf=[None, -9],
)
simple(
    "round", ["flat", "lists", "nans", "ints", "complex", "missing", "records"], decimals=[0, 1, -1]
)
for _name in ["real", "imag", "angle"]:
    simple(_name, ["complex", "lists", "ints", "missing", "matrix"])
row("angle deg", ["complex", "lists"], lambda ak, x: ak.angle(x, deg=True))
row(
    "isclose",
    ["lists", "nans", "ints", "missing", "matrix"],
    lambda ak, x, **o: ak.isclose(x, x + 1e-7, **o),
    equal_nan=[True, False],
    rtol=[1e-5, 1e-9],
)
row("isclose refused", ["words", "records"], lambda ak, x: ak.isclose(x, x))

row(
    "zip",
    EVERY,
    lambda ak, x, **o: ak.zip({"a": x, "b": x}, **o),
    depth_limit=[None, 1, 2],
    with_name=[None, "P"],
)
row("zip tuples", EVERY, lambda ak, x, **o: ak.zip([x, x], **o), parameters=[None, {"p": 1}])
row(
    "zip shallow",
    LISTS,
    lambda ak, x, **o: ak.zip({"a": x, "b": ak.num(x), "c": 5}, **o),
    right_broadcast=[False, True],
)
row(
    "zip outside",
    ["missing", "missing flat", "lists"],
    lambda ak, x, **o: ak.zip({"a": x, "b": x}, **o),
    optiontype_outside_record=[False, True],
)
row(
    "zip_no_broadcast",
    EVERY,
    lambda ak, x, **o: ak.zip_no_broadcast({"a": x, "b": x}, **o),
    with_name=[None, "P"],
)
row("zip_no_broadcast refused", ["lists"], lambda ak, x: ak.zip_no_broadcast([x, x[:2]]))
for _how in [tuple, dict]:
    row(f"unzip {_how.__name__}", EVERY, lambda ak, x, _h=_how: _list(ak.unzip(x, how=_h)))
row(
    "broadcast_arrays",
    LISTS,
    lambda ak, x, **o: ak.broadcast_arrays(ak.num(x, axis=1), x, **o),
    left_broadcast=[True, False],
    right_broadcast=[True, False],
    depth_limit=[None, 1],
)
row(
    "broadcast_arrays rules",
    ["lists", "strings", "deep"],
    lambda ak, x, **o: ak.broadcast_arrays(ak.with_parameter(x, "p", 1), x, 3, **o),
    broadcast_parameters_rule=["one_to_one", "intersect", "all_or_nothing", "none", "wrong"],
)
row(
    "broadcast_fields",
    ["records", "flat records", "missing records", "nested records"],
    lambda ak, x: ak.broadcast_fields(
        x, ak.with_field(x, 1, "new"), ak.Array([{"x": 1, "z": [3]}])
    ),
)
simple("merge_union_of_records", ["union of records", "union", "records", "flat"], axis=[0, 1, -1])
simple(
    "merge_option_of_records",
    ["missing records", "records", "flat records", "flat"],
    axis=[0, 1, -1],
)
row(
    "with_field",
    [n for n in EVERY if "record" in n or n == "tuples"],
    lambda ak, x, where: ak.with_field(x, 1, where),
    where=["new", "x", ["x"], None],
)
row(
    "without_field",
    ["records", "flat records", "nested records", "missing records"],
    lambda ak, x, where: ak.without_field(x, where),
    where=["x", "d", ["a", "b"], "none"],
)
row("with_name", EVERY, lambda ak, x, name: ak.with_name(x, name), name=["Point", None])
row("with_parameter", EVERY, lambda ak, x: ak.with_parameter(x, "note", {"a": [1, None]}))

row("where", NUMBERS, lambda ak, x, y: ak.where(x > 2, x, y), y=[0, 1.5, True])
row(
    "where mergebool",
    ["lists"],
    lambda ak, x, **o: ak.where(x > 2, x, False, **o),
    mergebool=[True, False],
)
row("where one", ["matrix", "flat", "regular", "ints", "lists"], lambda ak, x: ak.where(x > 2))
row("mask", NUMBERS, lambda ak, x, **o: ak.mask(x, x > 2, **o), valid_when=[True, False])
row("mask property", NUMBERS, lambda ak, x: x.mask[x > 2])
row("concatenate", EVERY, lambda ak, x, **o: ak.concatenate([x, x], **o), axis=[0, 1, -1])
row(
    "concatenate others",
    EVERY,
    lambda ak, x, **o: ak.concatenate([x, ak.Array([[1.5], [True]])], **o),
    mergebool=[True, False],
)
row(
    "cartesian",
    ["lists", "deep", "records", "strings", "missing flat", "flat"],
    lambda ak, x, **o: ak.cartesian({"a": x, "b": x}, **o),
    axis=[0, 1],
    nested=[None, True, ["a"]],
    with_name=[None, "P"],
)
row(
    "argcartesian",
    ["lists", "deep", "flat"],
    lambda ak, x, **o: ak.argcartesian([x, x], **o),
    axis=[0, 1],
    nested=[None, True],
    parameters=[None, {"p": 1}],
)
row(
    "combinations",
    ["lists", "deep", "records", "strings", "flat", "matrix"],
    lambda ak, x, **o: ak.combinations(x, 2, **o),
    axis=[0, 1, -1],
    replacement=[False, True],
    fields=[None, ["a", "b"]],
)
row(
    "argcombinations",
    ["lists", "deep", "flat", "matrix"],
    lambda ak, x, **o: ak.argcombinations(x, 2, **o),
    axis=[0, 1],
    parameters=[None, {"p": 1}],
)
row(
    "unflatten",
    ["flat", "ints", "words", "records"],
    lambda ak, x, counts: ak.unflatten(x, counts),
    counts=[1, 2, [1, 0, 3], [2, 1], [4]],
)
for _equal in ["array_equal", "almost_equal"]:
    row(
        f"{_equal} itself",
        EVERY,
        lambda ak, x, _f=_equal, **o: getattr(ak, _f)(x, x, **o),
        dtype_exact=[True, False],
    )
    row(
        f"{_equal} others",
        EVERY,
        lambda ak, x, _f=_equal: [
            getattr(ak, _f)(x, ak.Array(y) if isinstance(y, list) else y) for y in DATA.values()
        ],
    )

TYPES = ["float64", "?int64", "var * float32", "var * ?float64", "3 * float64", "?var * int64"]
TYPES += ["option[var * ?int8]", "union[int64, string]", "{x: int64}", "{x: float32, y: ?float64}"]
TYPES += ["{y: float64, x: int64, z: ?string}", "var * {x: int64, y: var * float32}", "string"]
TYPES += ["(int64, float64)", "4 * int64", "var * var * float64"]
row("enforce_type", EVERY, lambda ak, x, to: ak.enforce_type(x, to), to=TYPES)


OUTER = "Awkward counts only the lists that are long enough, see test_known_differences"
TEXT = "Awkward takes the text of a string apart into characters"
UNION = "Awkward can't, or forgets some; see its issues on unions"
DIFFERENT = {
    **{
        (f"{nan}arg{m}", d): OUTER
        for nan in ("", "nan")
        for m in ("min", "max")
        for d in ("deep", "missing")
    },
    **{(f"{nan}argmax mask_identity", "missing"): OUTER for nan in ("", "nan")},
    ("softmax", "matrix"): "broadcasts the sums of rows against columns",
    ("softmax", "float32"): "the same",
    ("flatten", "all missing"): "float64 in place of unknown",
    ("flatten", "empty"): "float64 in place of unknown",
    ("flatten", "union"): UNION,
    ("flatten", "union of records"): UNION,
    ("ravel", "union"): UNION,
    ("ravel", "union of records"): UNION,
    ("ravel", "missing records"): "records stay where others become their fields",
    ("local_index", "records"): "see test_known_differences",
    ("local_index", "nested records"): "see test_known_differences",
    ("combinations", "records"): "axis=-1 means other lists in each field",
    **{
        (f, d): TEXT
        for f in ("firsts", "fill_none", "pad_none")
        for d in ("words", "bytes", "missing words")
    },
    ("pad_none", "records"): "fields that are not lists become options there",
    ("pad_none", "nested records"): "fields that are not lists become options there",
    ("drop_none", "union"): UNION,
    ("enforce_type", "union"): "an AssertionError in place of its family",
    **{("zip_no_broadcast", d): TEXT for d in ("words", "bytes")},
    ("zip shallow", "regular"): "lengths of regular dimensions broadcast to the left here",
    ("broadcast_arrays", "regular"): "lengths of regular dimensions broadcast to the left here",
    ("broadcast_arrays", "records"): "lengths that are equal by chance",
    ("broadcast_arrays", "tuples"): "lengths that are equal by chance",
    ("merge_union_of_records", "union"): UNION,
    ("merge_union_of_records", "records"): "refused although there is nothing to do",
    ("merge_option_of_records", "records"): "refused although there is nothing to do",
    ("with_parameter", "empty"): "arrays of unknown type keep no parameters there",
    ("where", "missing"): "the option of missing lists is lost or kept",
    "concatenate others": "unions of numbers and booleans stay apart if they were",
    ("unflatten", "records"): "items that are left over are lost in silence",
}


def _list(x):
    return list(x.items()) if isinstance(x, dict) else x


CASES = [(name, data) for name, (_, names, _) in ROWS.items() for data in names]


@pytest.mark.parametrize(("name", "data"), CASES)
def test_row(name, data):
    call, _, arguments = ROWS[name]
    x = theirs(data)
    for options in arguments:
        if any(d in DIFFERENT for d in [name, (name, data), (name, data, str(options))]):
            continue
        with np.errstate(all="ignore"):
            try:
                both(lambda ak, x, o=options: call(ak, x, **o), x, rtol=1e-9)
            except Exception as error:
                raise AssertionError(f"{name}({data}, {options}): {error}") from error
