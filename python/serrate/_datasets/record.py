"""Calls on PartitionedArrays become nodes."""

import operator

import numpy as np

from serrate import _core
from serrate._datasets import merges, prefixes, rules, shuffle
from serrate._datasets.execute import Options, resolve
from serrate._datasets.nodes import Node, Rows, found, replaced
from serrate._datasets.sources import counted
from serrate._datasets.steps import call


def gathered(node):
    """All rows at once."""
    if node.is_value:
        return node
    return Node("gather", None, (node,), {}, example=node.example)


def _example(function, args, kwargs):
    """The result of a call on no rows: says the type, and raises what is wrong with types."""

    def example(node):
        return node.example

    with np.errstate(all="ignore"):  # 0 / 0 of no rows
        return call(function, replaced(args, example), replaced(kwargs, example))


def of_values(function, args, kwargs):
    """A call of values and of all rows: computed when it is looked at."""
    args, kwargs = replaced(args, gathered), replaced(kwargs, gathered)
    example = None
    if all(n.example is not None for n in found((args, kwargs))):
        try:
            example = _example(function, args, kwargs)
            if isinstance(example, _core.Array | _core.Record):
                _core.compute(example)
        except (IndexError, ValueError):  # no rows have no x[0]
            example = None
    return Node("call", function, args, kwargs, example=example)


def by_rows(function, args, kwargs, rows=None):
    """A call that is made for each partition."""
    nodes = [n for n in found((args, kwargs)) if not n.is_value]
    args, kwargs = replaced(args, _known), replaced(kwargs, _known)
    return Node(
        "call",
        function,
        args,
        kwargs,
        count=nodes[0].count,
        rows=nodes[0].rows if rows is None else rows,
        example=_example(function, args, kwargs),
    )


def _known(node):
    """Values without a known type are computed now, as the type of what they meet depends on it."""
    if node.is_value and node.example is None and node.result is None:
        resolve([node], Options())
    return node if node.result is None or not node.is_value else node.result[0]


def reduced(merge, args):
    """A Merge of what each partition gives."""
    node = Node("reduce", merge, tuple(args), {})
    node.example = _example_of_reduction(merge, args)
    return node


def _example_of_reduction(merge, args):
    """A number of the type that comes, or an array; None where that is not known."""
    try:
        part = merge.partial(*[a.example if isinstance(a, Node) else a for a in args])
        value = merge.finish(part, args[0].example)
    except (ValueError, TypeError, IndexError):
        return None
    if value is None and isinstance(merge, merges.Fold):
        kind = str(_core.type(part)).rpartition(" ")[2].lstrip("?")
        return np.zeros((), kind)[()] if hasattr(np, kind) else None
    return value


def public(name, args, kwargs):
    """A call of a public function, with Nodes in its arguments."""
    nodes = list(found((args, kwargs)))
    if all(n.is_value for n in nodes):
        return of_values(name, args, kwargs)
    given = rules.bound(name, args, kwargs)
    if name == "concatenate" and _joins_rows(given):
        return _join(given, kwargs)
    if name == "num" and given["axis"] == 0:
        return length(given["array"])
    if name == "histogram":
        return _histogram(given) or of_values(name, args, kwargs)
    if rules.together(nodes):
        found_merge = rules.merge_of(name, given)
        if found_merge is not None:
            return reduced(*found_merge)
    for recorded in (shuffle.recorded, prefixes.recorded):
        if (made := recorded(name, given)) is not None:
            return made
    if rules.is_by_rows(name, given, nodes):
        first = next(n for n in nodes if not n.is_value)
        return by_rows(name, args, kwargs, rules.rows_after(name, given, first))
    return of_values(name, args, kwargs)


def _histogram(given):
    x, weight = given["array"], given["weight"]
    if not isinstance(x, Node) or x.is_value or rules.is_many(weight):
        return None
    names = ("bins", "lo", "hi")
    merge = merges.Sum("histogram", [given[n] for n in names], {"flow": given["flow"]})
    operands = [x] if weight is None else [x, weight]
    if not rules.together([n for n in operands if isinstance(n, Node)]):
        return None
    return reduced(merge, operands)


def _joins_rows(given):
    arrays = given["arrays"]
    if not isinstance(arrays, list | tuple) or given["axis"] != 0:
        return False
    return all(isinstance(a, Node) and not a.is_value for a in arrays)


def _join(given, kwargs):
    arrays = tuple(given["arrays"])
    counts = [a.rows.counts for a in arrays]
    known = None if None in counts else [n for c in counts for n in c]
    example = _core.concatenate([a.example for a in arrays], **kwargs)
    count = sum(a.count for a in arrays)
    return Node("join", None, arrays, kwargs, count=count, rows=Rows(known), example=example)


def length(node):
    """The number of rows, as a node or an integer."""
    if node.rows.counts is not None:
        return np.int64(sum(node.rows.counts))
    return reduced(merges.Length(), [node])


# ---- x[...] --------------------------------------------------------------------------------------


def getitem(node, where):
    """x[where], with Nodes in `where`."""
    names = isinstance(where, str) or _are_names(where)
    if node.is_value:
        pushed = _fields_first(node, where) if names else None
        return of_values(operator.getitem, (node, where), {}) if pushed is None else pushed
    if names:
        sorted_fields = shuffle.fields_first(node, where)
        return sorted_fields or by_rows("getitem", (node, where), {})
    first, rest = (where[0], where[1:]) if isinstance(where, tuple) and where else (where, ())
    if rest and not _is_inside(node, first, rest):
        return of_values(operator.getitem, (node, where), {})
    if rest and first is not Ellipsis:
        return _inside(_first(node, first, where), first, rest)
    return _first(node, first, where)


def _fields_first(node, where):
    """Fields of what x[...] chooses, as a choice of the fields: other columns are not held."""
    if node.result is not None or not isinstance(node.example, _core.Array):
        return None
    if node.kind == "gather":
        return gathered(getitem(node.args[0], where))
    if node.kind == "head":
        kind = {"example": node.example[where]}
        return Node("head", None, (getitem(node.args[0], where),), node.kwargs, **kind)
    if node.kind != "call" or node.function is not operator.getitem:
        return None
    array, chosen = node.args
    if isinstance(chosen, str | tuple) or _are_names(chosen):
        return None
    inner = getitem(array, where) if isinstance(array, Node) and array.is_value else None
    return None if inner is None else of_values(operator.getitem, (inner, chosen), {})


def _are_names(where):
    return isinstance(where, list) and bool(where) and all(isinstance(n, str) for n in where)


def _inside(node, first, rest):
    """The items behind the first, of what that has chosen."""
    if not isinstance(first, int | np.integer):
        rest = (slice(None), *rest)
    if node.is_value:
        return of_values(operator.getitem, (node, rest), {})
    return by_rows("getitem", (node, rest), {})


def _is_inside(node, first, rest):
    """Do the items behind the first mean the same in each partition?"""
    plain = all(isinstance(r, int | np.integer | slice | str) or r is None for r in rest)
    if not plain:
        return False
    low, _ = rules.depths(_core.type(node.example))
    if first is Ellipsis:
        return sum(isinstance(r, int | np.integer | slice) for r in rest) < low
    return isinstance(first, slice | int | np.integer | Node)


def _first(node, first, where):
    """What the item for axis 0 chooses."""
    if first is Ellipsis:
        return by_rows("getitem", (node, where), {})
    if isinstance(first, bool):
        return of_values(operator.getitem, (node, where), {})
    if isinstance(first, int | np.integer):
        return _row(node, int(first))
    if isinstance(first, slice) and not found_any(first):
        return _slice(node, first)
    if isinstance(first, Node) and _is_mask(node, first):
        return _filter(node, first)
    ordered = shuffle.taken(node, first) if isinstance(first, Node) else None
    return ordered or of_values(operator.getitem, (node, first), {})


def found_any(s):
    return any(isinstance(x, Node) for x in (s.start, s.stop, s.step))


def _is_mask(node, mask):
    """A mask of the rows, or lists of masks or positions inside of them."""
    if mask.is_value or not rules.together([node, mask]) or isinstance(mask.example, tuple):
        return False
    low, high = rules.depths(_core.type(mask.example))
    if low != high:
        return False
    return low > 1 or _leaf(mask.example) == "bool"


def _leaf(example):
    return str(_core.type(example)).rpartition(" ")[2].lstrip("?")


def _filter(node, mask):
    low, _ = rules.depths(_core.type(mask.example))
    example = node.example[mask.example]
    if low > 1:
        return Node(
            "filter", None, (node, mask), {}, count=node.count, rows=node.rows, example=example
        )
    no_missing = "?" not in str(_core.type(mask.example))
    conditions = rules.conditions_of(mask) if no_missing else ()
    return Node(
        "filter",
        None,
        (node, mask),
        {"where": conditions},
        count=node.count,
        rows=node.rows.behind(mask),
        example=example,
    )


def counts_of(node):
    """Rows of each partition; where these are not known a pass over the data finds them."""
    if node.rows.counts is None:
        offsets = Node("reduce", merges.Offsets(), (node,), {})
        resolve([offsets], Options())
        node.rows.counts = np.diff(offsets.result[0]).tolist()
    return node.rows.counts


def _row(node, i):
    if i >= 0 and node.rows.counts is None:
        return of_values(operator.getitem, (_head(node, i, i + 1, 1), 0), {})
    n = sum(counts_of(node))
    if not -n <= i < n:
        raise IndexError(f"x[{i}]: out of range for {n} rows")
    i %= n
    return of_values(operator.getitem, (gathered(_slice(node, slice(i, i + 1))), 0), {})


def _head(node, start, stop, step):
    return Node("head", None, (node,), {"rows": (start, stop, step)}, example=node.example)


def _slice(node, s):
    start, stop, step = (
        None if x is None else operator.index(x) for x in (s.start, s.stop, s.step)
    )
    if (start or 0) == 0 and stop is None and step in (None, 1):
        return node
    forward = step is None or step > 0
    if (
        node.rows.counts is None
        and forward
        and (start or 0) >= 0
        and stop is not None
        and stop >= 0
    ):
        return _head(node, start or 0, stop, step or 1)
    counts = counts_of(node)
    start, stop, step = slice(start, stop, step).indices(sum(counts))
    if step < 0:
        return of_values(operator.getitem, (node, s), {})
    return _cut(node, counts, start, stop, step)


def _cut(node, counts, start, stop, step):
    table, kept = [], []
    begins = counted(counts)
    for part, n in enumerate(counts):
        low, high = max(start - begins[part], 0), min(stop - begins[part], n)
        low += (start - begins[part] - low) % step
        if low < high:
            table.append((part, slice(low, high, step)))
            kept.append(len(range(low, high, step)))
    return Node(
        "slice",
        None,
        (node,),
        {"table": table},
        count=len(table),
        rows=Rows(kept),
        example=node.example,
    )
