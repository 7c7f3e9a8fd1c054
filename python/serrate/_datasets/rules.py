"""Which calls mean the same partition by partition, which are merged, which need all rows."""

import functools

import numpy as np

from serrate import _core, _signature
from serrate._datasets import merges
from serrate._datasets.nodes import Node, Rows, found, ordered

# Row by row, whatever axis they have.
_ROWS = {
    *("isclose", "nan_to_num", "clip", "round", "real", "imag", "angle", "values_astype"),
    *(
        "strings_astype",
        "nan_to_none",
        "mask",
        "full_like",
        "zeros_like",
        "ones_like",
        "zip",
        "unzip",
    ),
    *(
        "with_field",
        "without_field",
        "with_name",
        "with_parameter",
        "without_parameters",
        "is_none",
    ),
    *("broadcast_arrays", "broadcast_fields", "with_named_axis", "without_named_axis", "copy"),
    *("to_packed", "to_backend", "materialize", "from_categorical", "enforce_type", "fill_none"),
    *("merge_option_of_records", "merge_union_of_records", "singletons", "zip_no_broadcast"),
}
# Row by row where the axis is not 0.
_INSIDE = {
    *("num", "local_index", "from_regular", "pad_none", "combinations", "argcombinations"),
    *(
        "cartesian",
        "argcartesian",
        "sort",
        "argsort",
        "rank",
        "cumsum",
        "cumprod",
        "cummin",
        "cummax",
    ),
    *("diff", "topk", "argtopk", "partition", "argpartition", "softmax", "unique", "value_counts"),
    *("is_unique", "run_lengths", "group_by", "median", "nanmedian", "quantile", "nanquantile"),
    *("percentile", "nanpercentile", "firsts", "concatenate", "mean", "nanmean", "var", "nanvar"),
    *(
        "std",
        "nanstd",
        "moment",
        "ptp",
        "argmin",
        "argmax",
        "nanargmin",
        "nanargmax",
        "covar",
        "corr",
    ),
    *("linear_fit", "sum", "prod", "any", "all", "min", "max", "count", "count_nonzero"),
    *("nansum", "nanprod", "nanmin", "nanmax"),
}
# Other numbers of rows, which are joined all the same.
_OTHER_ROWS = {"drop_none", "flatten", "ravel"}
_FOLDS = {
    *("sum", "prod", "any", "all", "min", "max", "count", "count_nonzero"),
    *("nansum", "nanprod", "nanmin", "nanmax"),
}
_ELEMENTWISE = {*_core.elementwise_names, "divmod", "modf", "frexp", "getattr", "getitem"}
_NO_AXIS = object()


def is_elementwise(name):
    return name in _ELEMENTWISE


def depths(t):
    """(least, greatest) number of list levels of a type, strings counting as none."""
    if hasattr(t, "contents"):
        found_depths = [depths(c) for c in t.contents] or [(0, 0)]
        return min(d[0] for d in found_depths), max(d[1] for d in found_depths)
    if not hasattr(t, "content"):
        return 0, 0
    if str(t.parameters.get("__array__")) in ("string", "bytestring", "categorical"):
        return 0, 0
    low, high = depths(t.content)
    is_list = type(t).__name__ in ("ListType", "RegularType", "ArrayType")
    return low + is_list, high + is_list


def where_is(axis, example):
    """0, "inside" or None (mixed, or not known): where an axis of an array is."""
    if isinstance(axis, str):
        axis = dict(example.named_axis or {}).get(axis)
    if axis is None or isinstance(axis, bool) or not isinstance(axis, int | np.integer):
        return None
    low, high = depths(_core.type(example))
    if axis >= 0:
        return 0 if axis == 0 else "inside"
    if low + axis >= 1:
        return "inside"
    return 0 if low == high and low + axis == 0 else None


def are_single_values(example):
    """One number or string for each row, which may be missing."""
    t = _core.type(example).content
    while type(t).__name__ == "OptionType":
        t = t.content
    is_text = t.parameters.get("__array__") in ("string", "bytestring")
    return is_text or type(t).__name__ == "NumpyType"


def is_flat_numbers(example):
    """Numbers, none missing, in one dimension."""
    return _core.type(example).content.__class__.__name__ == "NumpyType"


def _numbers(t):
    """Numbers inside of lists and options."""
    while hasattr(t, "content") and not hasattr(t, "contents"):
        if t.parameters:
            return False
        t = t.content
    return type(t).__name__ == "NumpyType"


@functools.cache
def _signature_of(name):
    return _signature.of(getattr(_core, name))


def bound(name, args, kwargs):
    """Arguments by name, with defaults."""
    call = _signature_of(name).bind(*args, **kwargs)
    call.apply_defaults()
    return call.arguments


def is_many(x):
    """Values beside the partitions' rows: more than one."""
    if isinstance(x, Node):
        return x.is_value and not np.isscalar(x.example) and x.example is not None
    if isinstance(x, _core.Array):
        return True
    return (isinstance(x, np.ndarray) and x.ndim > 0) or isinstance(x, list | tuple)


def _may_swap_dimensions(nodes):
    """Regular arrays of different dimensions broadcast as NumPy's: the rows are the others'
    items."""
    examples = [n.example for n in nodes if not n.is_value]
    types = [_core.type(e).content for e in examples]
    return (
        any(type(t).__name__ == "RegularType" for t in types)
        and len({depths(t) for t in types}) > 1
    )


def together(nodes):
    """Can these nodes be computed partition by partition together?"""
    rows = [n for n in nodes if not n.is_value]
    if any(n.count != rows[0].count for n in rows):
        return False
    roots = {root for n in rows for root in _roots(n)}
    if len(roots) < 2:
        return True
    counts = {None if r is None else tuple(r) for r in roots}
    return len(counts) == 1 and None not in counts


def _roots(node):
    """Partitionings that a node has: those of its sources, slices and joins."""
    stops = ("source", "slice", "join", "range")
    out = set()
    for n in ordered([node], lambda n: n.kind in stops or n.is_value):
        if n.kind in stops and not n.is_value:
            known = n.rows.counts
            own = {"source": n.function, "range": n.rows}.get(n.kind, n)
            out.add((own,) if known is None else tuple(known))
    return out


def statistics_of(name, args):
    """What a comparison of a column with a number says of its partitions: conditions, which all
    rows that are chosen fulfil."""
    swapped = {"greater": "less", "less": "greater"}
    swapped |= {"greater_equal": "less_equal", "less_equal": "greater_equal", "equal": "equal"}
    if name not in swapped or len(args) != 2:
        return ()
    x, y = args
    if not isinstance(x, Node):
        name, x, y = swapped[name], y, x
    if not isinstance(x, Node) or not isinstance(y, int | float | np.number | str):
        return ()
    path, node = [], x
    while node.kind == "call" and node.function == "getitem" and isinstance(node.args[1], str):
        path.insert(0, node.args[1])
        node = node.args[0]
    if node.kind != "source" or not is_flat_numbers(x.example):
        return ()
    return ((node.function, tuple(path), name, y),)


def conditions_of(mask):
    """Those of a mask made of comparisons and `&`."""
    if mask.kind != "call":
        return ()
    name = _name(mask.function)
    if name in ("bitwise_and", "logical_and"):
        return sum((conditions_of(a) for a in mask.args if isinstance(a, Node)), ())
    return statistics_of(name, mask.args)


_OPERATORS = {"and_": "bitwise_and", "gt": "greater", "ge": "greater_equal", "lt": "less"}
_OPERATORS |= {"le": "less_equal", "eq": "equal"}


def _name(function):
    name = function if isinstance(function, str) else getattr(function, "__name__", "")
    return _OPERATORS.get(name, name)


def merge_of(name, given):
    """The Merge and its operands for a call that reduces axis 0 or everything; None: it has
    none."""
    x = given.get("array", given.get("x"))
    if not isinstance(x, Node) or not isinstance(x.example, _core.Array):
        return None
    t = _core.type(x.example)
    flat, place = depths(t) == (1, 1), given.get("axis", _NO_AXIS)
    everything = place is None
    if not everything and place is not _NO_AXIS and where_is(place, x.example) != 0:
        return None
    how = {k: given[k] for k in ("keepdims", "mask_identity", "initial", "ddof") if k in given}
    if name in _FOLDS and _numbers(t):
        extra = [given["where"]] if given.get("where") is not None else []
        return merges.Fold(name, everything, flat, how), [x, *extra]
    fits = flat and is_flat_numbers(x.example)
    fits |= everything and name in ("mean", "var", "std")
    fits |= name in ("unique", "value_counts") and flat and are_single_values(x.example)
    if not fits:
        return None
    how.pop("initial", None)
    return _flat_merge(name, given, x, t, how)


def _flat_merge(name, given, x, t, how):
    plain = given.get("weight") is None and not given.get("keepdims") and given.get("where") is None
    real = _numbers(t) and "complex" not in str(t) and "time" not in str(t)
    if name in ("mean", "var", "std") and plain and real:
        how.pop("keepdims")
        return merges.Moments(name, how), [x]
    if name in ("argmin", "argmax") and plain and _numbers(t):
        how.pop("keepdims")
        return merges.Best(name, how), [x]
    if name == "unique" and not any(given[k] for k in given if k.startswith("return_")):
        return merges.Again(name, {"axis": given["axis"]}), [x]
    if name == "value_counts":
        return merges.Counts(), [x]
    if name == "topk":
        return merges.Again(name, {k: given[k] for k in ("k", "axis", "largest")}), [x]
    return None


def is_by_rows(name, given, nodes):
    """Does the call mean the same for each partition?"""
    likes = [v for k, v in given.items() if k in _signature._ARRAYS]
    flat = []
    for v in likes:
        inner = list(v.values()) if isinstance(v, dict) else v
        flat += inner if isinstance(inner, list | tuple) and any(found(v)) else [v]
    if any(is_many(v) for v in flat if not isinstance(v, list | tuple)):
        return False
    if not together(nodes) or _may_swap_dimensions(nodes):
        return False
    if is_elementwise(name) or name in _ROWS or name == "where":
        return name != "where" or len(given.get("args", ())) == 2
    first = next(n for n in nodes if not n.is_value)
    axis = given.get("axis", _NO_AXIS)
    if name in _OTHER_ROWS:
        return axis is None or axis is _NO_AXIS or where_is(axis, first.example) is not None
    if name == "isin":
        return axis is None and not isinstance(given["test_elements"], Node)
    if name in _INSIDE and axis is not _NO_AXIS:
        return all(where_is(axis, n.example) == "inside" for n in nodes if not n.is_value)
    return False


def rows_after(name, given, node):
    """The Rows of what a call by rows gives."""
    if name in _OTHER_ROWS and not (
        name == "flatten" and isinstance(given["axis"], int) and given["axis"] > 1
    ):
        return Rows()
    return node.rows
