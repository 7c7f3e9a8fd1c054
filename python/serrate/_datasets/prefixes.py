"""Running sums, products and extremes along axis 0: each partition goes on from what all before it
give, which a pass before finds."""

import numpy as np

from serrate import _core
from serrate._datasets import rules, shuffle
from serrate._datasets.nodes import Node

_SCANS = ("cumsum", "cumprod", "cummax", "cummin")


def _scan(name, x):
    return getattr(_core, name)(x, axis=0)


class Before:
    """Of each partition, the last of the results of all rows before it: an array of one, or of
    none."""

    def __init__(self, scan):
        self.scan, self.name = scan, f"{scan} of the rows before each partition"

    def partial(self, x):
        n = len(x)
        last = np.arange(max(n - 1, 0), n)  # picked, as a slice would keep all of them
        return [_core.materialize(_scan(self.scan, x)[_core.to_backend(last, _core.backend(x))])]

    def combine(self, parts):
        return [last for one in parts for last in one]

    def finish(self, part, example):
        none = _scan(self.scan, example)
        ends = np.cumsum([0, *map(len, part)]).tolist()
        results = _core.materialize(_scan(self.scan, _core.concatenate([none, *part])))
        return [results[max(end - 1, 0) : end] for end in ends]


class After:
    """The scan of a partition's rows behind those before."""

    numbered = True

    def __init__(self, scan):
        self.scan = self.__name__ = scan

    def __call__(self, rows, before, part=0):
        first = before[part]
        kind = str(_core.type(first).content)
        both = _core.concatenate([first, _core.values_astype(rows, kind)])
        return _scan(self.scan, both)[len(first) :]


def recorded(name, given):
    """The node of a scan of the numbers of all rows; None: of others all rows have to be
    together."""
    node = given.get("array")
    if name not in _SCANS or not isinstance(node, Node) or node.is_value:
        return None
    if not rules.is_flat_numbers(node.example) or rules.where_is(given["axis"], node.example) != 0:
        return None
    if shuffle.is_dressed(given):
        return None
    before = Node("reduce", Before(name), (node,), {})
    before.example = [_scan(name, node.example)]
    function = After(name)
    example = function(node.example, before.example)
    how = {"count": node.count, "rows": node.rows, "example": example}
    return Node("call", function, (node, before), {}, **how)
