"""Sorts and groups of all rows without all rows in memory: samples of the keys cut their order
into ranges, each partition's rows go to their ranges, and each range is sorted alone."""

import itertools

import numpy as np

from serrate import _core
from serrate._datasets import rules
from serrate._datasets.merges import Offsets
from serrate._datasets.nodes import Node, Rows
from serrate._datasets.spill import Spool
from serrate._datasets.steps import call

RANGES = 128  # at most
_SAMPLES = 64  # of all partitions for each range, about
_LEAST = 16  # of a partition
_TURN = (5**0.5 - 1) / 2  # its multiples are spread evenly, and follow no period of the rows


def _in_ram(x):
    return np.asarray(_core.to_numpy(_core.to_backend(x, "cpu")))


def _beside(keys, values):
    """NumPy's values where the keys are."""
    return _core.to_backend(_core.Array(values), _core.backend(keys))


class Order:
    """How keys are compared: the options of argsort. Rows of equal keys stay as they were."""

    def __init__(self, name, how, ranges, groups=False):
        self.name, self.how, self.ranges, self.groups = name, how, ranges, groups

    def places(self, keys):
        return _core.argsort(keys, axis=0, stable=True, **self.how)

    def merged(self, pieces, example):
        """The rows of a range, in order, of what each partition has of it, as a list of (rows or
        None where these are the keys, keys)."""
        if not pieces:
            return example
        keys = _core.concatenate([k for _, k in pieces])
        rows = keys
        if pieces[0][0] is not None:
            rows = _core.concatenate([r for r, _ in pieces])
        return _core.materialize(rows[self.places(keys)])


class Samples:
    """Keys that cut the order of all rows into ranges of about as many rows."""

    numbered, name = True, "samples"

    def __init__(self, order, count):
        self.order, self.count = order, count

    def partial(self, keys, part=0):
        n = len(keys)
        m = min(n, max(_LEAST, _SAMPLES * self.order.ranges // self.count))
        if m == 0:
            return keys, np.zeros(0), np.zeros(0, np.int64)
        # Other places in each partition: they may have the same rows.
        turns = np.arange(part * m, (part + 1) * m) * _TURN
        chosen = np.minimum((turns % 1 * n).astype(np.int64), n - 1)
        return _core.materialize(keys[_beside(keys, chosen)]), np.full(m, n / m), np.full(m, part)

    def combine(self, parts):
        keys, weights, numbers = zip(*parts, strict=True)
        joined = _core.materialize(_core.concatenate(list(keys)))
        return joined, np.concatenate(weights), np.concatenate(numbers)

    def finish(self, part, example):
        """(keys, numbers of the partitions that they are of), in order. Rows up to a key and its
        partition are below the cut, so that many rows of one key are cut, too."""
        keys, weights, numbers = part
        if len(weights) == 0:
            return keys, numbers
        order = _in_ram(self.order.places(keys))
        sums = np.cumsum(weights[order])
        wanted = np.arange(1, self.order.ranges) * sums[-1] / self.order.ranges
        at = np.unique(np.minimum(np.searchsorted(sums, wanted), len(order) - 1))
        return _core.materialize(keys[_beside(keys, order[at])]), numbers[order[at]]


class Exchange:
    """The rows of a partition, sorted and cut into ranges: a list of (rows, keys) for each."""

    numbered = True

    def __init__(self, order):
        self.order, self.name = order, order.name

    def partial(self, rows, keys, cuts, part=0):
        cut_keys, numbers = cuts
        n = len(keys)
        # The order is stable: cuts stand behind the equal keys of earlier partitions and before
        # those of later ones. Equal keys that make one group are all behind a cut.
        first = np.full(len(numbers), True) if self.order.groups else numbers < part
        before = int(first.sum())
        earlier, later = (cut_keys[_beside(keys, x)] for x in (first, ~first))
        mixed = _core.concatenate([earlier, keys, later])
        places = _core.materialize(self.order.places(mixed) - before)
        is_row = _core.materialize((places >= 0) & (places < n))
        found = places[is_row]
        at_cuts = np.flatnonzero(~_in_ram(is_row))
        ends = [0, *(at_cuts - np.arange(len(at_cuts))).tolist(), n]
        ends += [n] * (self.order.ranges + 1 - len(ends))
        sorted_keys = _core.materialize(keys[found])
        sorted_rows = None if rows is keys else _core.materialize(rows[found])
        return [
            (None if sorted_rows is None else sorted_rows[a:b], sorted_keys[a:b]) if a < b else None
            for a, b in itertools.pairwise(ends)
        ]

    def spool(self, example):
        """Takes what each partition gives, and keeps it out of memory."""
        return Spool(self, example)


class Places:
    """Positions of a partition's rows among all rows."""

    numbered = True
    __name__ = "local_index"

    def __call__(self, rows, offsets, part=0):
        return _core.local_index(rows, axis=0) + offsets[part]


class Ordering:
    """The order of a node's rows, kept where it is written down: several columns are exchanged by
    the same cuts, so their ranges go together."""

    def __init__(self, keys, order):
        self.keys, self.order = keys, order
        self.cuts = Node("reduce", Samples(order, keys.count), (keys,), {})
        self.cuts.example = keys.example, np.zeros(0, np.int64)  # of no rows
        self.rows = Rows()
        self.rows.ordering = self

    def of(self, node):
        """The rows of a node in this order, in ranges."""
        example = node.example
        exchange = Node("reduce", Exchange(self.order), (node, self.keys, self.cuts), {})
        exchange.example = example
        how = {"count": self.order.ranges, "rows": self.rows, "example": example}
        return Node("range", None, (exchange,), {}, **how)


def is_exchange(node):
    return node.kind == "reduce" and isinstance(node.function, Exchange)


def places_of(node):
    """local_index(node, axis=0), partition by partition."""
    offsets = Node("reduce", Offsets(), (node,), {}, example=np.zeros(1, np.int64))
    function = Places()
    example = function(node.example, offsets.example)
    how = {"count": node.count, "rows": node.rows, "example": example}
    return Node("call", function, (node, offsets), {}, **how)


def _call(name, nodes, rows, *args, **kwargs):
    """A call by rows."""
    examples = [n.example for n in nodes]
    how = {"count": nodes[0].count, "rows": rows, "example": call(name, (*examples, *args), kwargs)}
    return Node("call", name, (*nodes, *args), kwargs, **how)


def _fields(node, where):
    return fields_first(node, where) or _call("getitem", (node,), node.rows, where)


def _ordering(name, keys, how, groups=False):
    """One ordering for the same keys, however often it is asked for."""
    kept = keys.rows.__dict__.setdefault("orderings", {})
    key = keys, str(sorted(how.items())), groups
    if key not in kept:
        kept[key] = Ordering(keys, Order(name, how, min(keys.count, RANGES), groups))
    return kept[key]


def _is_cut(*nodes):
    """Rows of several partitions, all of the same ones."""
    good = all(type(n) is Node and not n.is_value for n in nodes)
    return good and nodes[0].count > 1 and rules.together(list(nodes))


def recorded(name, given):
    """The node of a sort, argsort, group_by or local_index of all rows; None: all rows have to be
    together."""
    node = given.get("array")
    if name not in _KNOWN or not _is_cut(node) or not isinstance(node.example, _core.Array):
        return None
    if rules.where_is(given["axis"], node.example) != 0 or is_dressed(given):
        return None
    if name == "local_index":
        return places_of(node)
    if name in ("sort", "argsort"):
        return _sorted(name, node, given)
    keys = given["keys"]
    if not _is_cut(node, keys) or not rules.are_single_values(keys.example):
        return None
    ordering = _ordering(name, keys, {}, groups=True)
    return _call(name, (ordering.of(node), ordering.of(keys)), Rows(), axis=0)


_KNOWN = ("sort", "argsort", "group_by", "local_index")


def is_dressed(given):
    return given.get("highlevel") is False or bool(given.get("behavior") or given.get("attrs"))


def _sorted(name, node, given):
    how = {"ascending": given["ascending"]}
    keys, by = node, given["by"]
    if by is None and not rules.are_single_values(node.example):
        return None
    if by is not None:
        how["by"] = by
        names = [by] if isinstance(by, str) else list(by)
        if not all(isinstance(n, str) for n in names):
            return None
        keys = _fields(node, names)
    ordering = _ordering(name, keys, how)
    if name == "sort":
        return ordering.of(node)
    return ordering.of(places_of(node))


def taken(node, positions):
    """node[argsort(keys)], if that is what it is."""
    ordering = getattr(positions.rows, "ordering", None)
    if positions.kind != "range" or ordering is None or not _is_cut(node, ordering.keys):
        return None
    rows = positions.args[0].args[0]
    is_argsort = rows.kind == "call" and isinstance(rows.function, Places)
    return ordering.of(node) if is_argsort else None


def fields_first(node, where):
    """Fields of sorted rows, as the sort of these fields: other columns are not exchanged."""
    ordering = getattr(node.rows, "ordering", None)
    if node.kind != "range" or ordering is None or node.args[0].result is not None:
        return None
    return ordering.of(_fields(node.args[0].args[0], where))
