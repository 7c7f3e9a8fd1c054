"""The steps of a program on one partition."""

import operator

from serrate import _core
from serrate._datasets.nodes import replaced, source_of


class Unequal(ValueError):
    """Operands whose rows lie in different partitions."""


def _reached(node, part):
    """The inputs of a step with their partitions; None: its data are not needed."""
    if node.kind == "slice":
        return [(node.args[0], node.kwargs["table"][part][0])]
    if node.kind == "join":
        for one in node.args:
            if part < one.count:
                return [(one, part)]
            part -= one.count
    if node.kind == "filter" and rules_out(node, part):
        return []
    if node.kind in ("source", "given", "range") or node.result is not None:
        return []
    return [(n, None if n.is_value else part) for n in node.inputs()]


def rules_out(node, part):
    """Can no row of this partition be chosen, as statistics say?"""
    return any(not may_hold(condition, part) for condition in node.kwargs.get("where", ()))


def may_hold(condition, part):
    source, path, compare, bound = condition
    known = source.statistics(part, path)
    if known is None:
        return True
    least, greatest = known
    try:
        if compare in ("greater", "greater_equal"):
            return getattr(operator, {"greater": "gt", "greater_equal": "ge"}[compare])(
                greatest, bound
            )
        if compare in ("less", "less_equal"):
            return getattr(operator, {"less": "lt", "less_equal": "le"}[compare])(least, bound)
        return bool(least <= bound <= greatest)
    except TypeError:
        return True


def reads(targets, part):
    """(Source, partition) that these targets read, each once, in the order of the walk."""
    out, seen, stack = {}, set(), [_key(t, part) for t in reversed(targets)]
    while stack:
        key = stack.pop()
        if key in seen:
            continue
        seen.add(key)
        if (source := source_of(key[0])) is not None:
            out[source, key[1]] = None
        stack += reversed(_partial_inputs(*key))
    return list(out)


def results(targets, part, fetch, is_look=False):
    """What the targets give of a partition, not evaluated; fetch(source, i) reads. Of reduce nodes,
    what they give before it is merged. is_look: nobody looks at lengths."""
    memo, stack = {}, [_key(t, part) for t in reversed(targets)]
    while stack:
        key = stack[-1]
        if key in memo:
            stack.pop()
            continue
        inputs = _partial_inputs(*key)
        missing = [i for i in inputs if i not in memo]
        if missing:
            stack += reversed(missing)
            continue
        memo[key] = _step(*key, dict(inputs), memo, fetch, is_look)
        stack.pop()
    return [memo[_key(t, part)] for t in targets]


def _key(node, part):
    per_part = not node.is_value or node.kind in ("gather", "reduce", "head")
    return node, part if per_part else None


def _partial_inputs(node, part):
    return [_settled_key(*i) for i in _reached(node, part)]


def _settled_key(node, part):
    return node, None if node.is_value else part


def _step(node, part, inputs, memo, fetch, is_look):
    if node.result is not None:
        return node.result[0]
    if node.kind in ("source", "range"):
        return fetch(source_of(node), part)

    def value(n):
        return memo[n, inputs[n]]

    if node.kind == "slice":
        return value(node.args[0])[node.kwargs["table"][part][1]]
    if node.kind == "join":
        (one,) = inputs
        if not node.kwargs and _core.type(one.example).content == _core.type(node.example).content:
            return value(one)  # joined to no rows it would be copied
        others = [n.example for n in node.args if n is not one]
        return _core.concatenate([value(one), *others], **node.kwargs)
    if node.kind == "filter":
        if not inputs:
            return node.example
        _check_lengths(node, inputs, value, is_look)
        return value(node.args[0])[value(node.args[1])]
    if node.kind in ("gather", "head"):
        return value(node.args[0])
    args, kwargs = replaced(node.args, value), replaced(node.kwargs, value)
    _check_lengths(node, inputs, value, is_look)
    if getattr(node.function, "numbered", False):
        kwargs["part"] = part
    if node.kind == "reduce":
        return node.function.partial(*args, **kwargs)
    return call(node.function, args, kwargs)


def call(function, args, kwargs):
    """Functions of serrate are named."""
    if isinstance(function, str):
        function = operator.getitem if function == "getitem" else getattr(_core, function)
    return function(*args, **kwargs)


def _check_lengths(node, inputs, value, is_look):
    """Rows that are not known to go together must at least be as many in each partition."""
    operands = [n for n, part in inputs.items() if part is not None]
    if is_look or len({n.rows for n in operands}) < 2:
        return
    lengths = [len(value(n)) for n in operands]
    if len(set(lengths)) > 1:
        raise Unequal(
            f"{getattr(node.function, '__name__', node.function) or 'x[...]'}: operands whose "
            f"partitions have different lengths ({', '.join(map(str, lengths))}); "
            "compute() one of them first"
        )
