"""Dicts that generators yield: tuples for the compiler, which unifies these item by item, and the
names of their items, at any depth."""

import ast
import keyword


class Misfit(TypeError):
    """A dict that is no record, and what is wrong with it."""

    def __init__(self, node, what):
        super().__init__(what)
        self.node = node


def names_of(node):
    """What the syntax tree of a value says of names: {field: names} of a dict, [names ...] of a
    tuple, "none" of None, "other" of the rest."""
    if isinstance(node, ast.IfExp):
        return joined(names_of(node.body), names_of(node.orelse), node)
    if isinstance(node, ast.Dict):
        return {key: names_of(v) for key, v in zip(keys_of(node), node.values, strict=True)}
    if isinstance(node, ast.Tuple) and not any(isinstance(x, ast.Starred) for x in node.elts):
        return [names_of(x) for x in node.elts]
    return "none" if isinstance(node, ast.Constant) and node.value is None else "other"


def keys_of(node):
    """The keys of a dict's text; Misfit if these are no names of fields."""
    keys = [getattr(k, "value", None) for k in node.keys]
    for key in keys:
        if not isinstance(key, str):
            raise Misfit(node, "a dict is a record if its keys are texts")
        if not key.isidentifier() or keyword.iskeyword(key) or key.startswith("_"):
            raise Misfit(node, f"the key {key!r} of a dict is no name; a tuple has none")
    if not keys or len(set(keys)) < len(keys):
        raise Misfit(node, "a dict with " + ("a key twice" if keys else "no keys"))
    return keys


def joined(a, b, node):
    """The names of what is one value or another."""
    if a == "none" or b == "none":
        return b if a == "none" else a
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            other = ", ".join(sorted(a.keys() ^ b.keys()))
            raise Misfit(node, f"dicts of different keys ({other})")
        return {key: joined(a[key], b[key], node) for key in a}
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [joined(x, y, node) for x, y in zip(a, b, strict=True)]
    if _has_names(a) or _has_names(b):
        raise Misfit(node, "dicts beside other values")
    return "other"


def _has_names(names):
    return isinstance(names, dict) or (isinstance(names, list) and any(map(_has_names, names)))


def as_tuples(node, names):
    """The tree with a tuple in place of each dict, its items in the order of `names`."""
    if isinstance(node, ast.IfExp):
        node.body, node.orelse = as_tuples(node.body, names), as_tuples(node.orelse, names)
    elif isinstance(node, ast.Dict):
        keys = [k.value for k in node.keys]
        values = [as_tuples(v, names[k]) for k, v in zip(keys, node.values, strict=True)]
        return ast.copy_location(_ordered(values, keys, list(names)), node)
    elif isinstance(node, ast.Tuple) and isinstance(names, list):
        node.elts = [as_tuples(x, n) for x, n in zip(node.elts, names, strict=True)]
    return node


def _ordered(values, keys, names):
    """Values are computed in the order in which they are written."""
    if keys == names:
        return ast.Tuple(values, ast.Load())
    given = ", ".join(f"_serrate_{k}" for k in keys)
    items = ", ".join(f"_serrate_{k}" for k in names)
    call = ast.parse(f"(lambda {given}: ({items},))()", mode="eval").body
    call.args = values
    return call
