"""A recorded program: calls of public functions on arrays whose data are in partitions."""

from serrate import _core

VERSION = 1


class Rows:
    """What the rows of a node are; nodes of the same Rows go together row by row."""

    def __init__(self, counts=None):
        self.counts = counts  # rows of each partition, where known
        self.filtered = {}  # Rows of what these masks choose, by the mask

    def behind(self, mask):
        return self.filtered.setdefault(mask, Rows())


class Node:
    """One step. `kind` is what it does:

    source    partition i of `function` (a Source)
    call      function(*args, **kwargs), whose arguments are of this partition
    filter    the rows of args[0] where args[1] holds; kwargs["where"]: what it needs (statistics)
    slice     rows of another node's partitions: args[0], kwargs["table"] of (partition, slice)
    join      the partitions of all args, one behind the other
    gather    all rows of args[0] at once
    reduce    function (a Merge) of what each partition of args gives
    head      rows start:stop:step of args[0], from its first partitions
    range     a range of the rows that args[0] (a reduce node of an Exchange) has sorted into ranges

    `count` is the number of its partitions, None of a single value (gather, reduce, head and calls
    of these). `example` has its type and no rows; None where that is unknown.
    """

    def __init__(self, kind, function, args, kwargs, *, count=None, rows=None, example=None):
        self.kind, self.function, self.args, self.kwargs = kind, function, args, kwargs
        self.count, self.rows, self.example = count, rows, example
        self.result = None  # a tuple of the value, once it is known
        self._inputs = None

    @property
    def is_value(self):
        return self.count is None

    def inputs(self):
        if self._inputs is None:
            self._inputs = tuple(found((self.args, self.kwargs)))
        return self._inputs


def source_of(node):
    """The Source that a node reads; None: it is made of other nodes."""
    if node.kind == "range":
        known = node.args[0].result
        return None if known is None else known[0]
    return node.function if node.kind == "source" else None


def found(x):
    """Nodes in arguments, at any depth."""
    if isinstance(x, Node):
        yield x
    elif isinstance(x, dict):
        for value in x.values():
            yield from found(value)
    elif isinstance(x, list | tuple):
        for value in x:
            yield from found(value)


def replaced(x, f):
    """Arguments with f(node) for each node."""
    if isinstance(x, Node):
        return f(x)
    if isinstance(x, dict):
        return {key: replaced(value, f) for key, value in x.items()}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(replaced(value, f) for value in x))
    if type(x) in (list, tuple):
        return type(x)(replaced(value, f) for value in x)
    return x


def ordered(targets, stop=lambda node: False):
    """All nodes that the targets are made of, inputs first; nothing below those that stop."""
    out, seen, stack = [], set(), [(t, False) for t in reversed(targets)]
    while stack:
        node, done = stack.pop()
        if done:
            out.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            if not stop(node):
                stack += [(i, False) for i in node.inputs() if i not in seen]
    return out


class Ref(int):
    """The number of a step in a Program."""


def _with_refs(x, number):
    return replaced(x, lambda node: Ref(number[node]))


def _without_refs(x, nodes):
    if isinstance(x, Ref):
        return nodes[x]
    if isinstance(x, dict):
        return {key: _without_refs(value, nodes) for key, value in x.items()}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(_without_refs(value, nodes) for value in x))
    if type(x) in (list, tuple):
        return type(x)(_without_refs(value, nodes) for value in x)
    return x


def in_ram(example):
    """For another process: arrays of no rows, and values, wherever they are."""
    return _moved(example, "cpu")


def at_home(example):
    """The same where this process makes its arrays."""
    return _moved(example, _core.default_backend())


def _moved(x, backend):
    if isinstance(x, _core.Array | _core.Record):
        return _core.to_backend(x, backend)
    if isinstance(x, dict):
        return {key: _moved(value, backend) for key, value in x.items()}
    return type(x)(_moved(v, backend) for v in x) if type(x) in (list, tuple) else x


def flattened(targets):
    """Nodes as a list without references to one another, for pickles of any depth."""
    nodes = ordered(targets)
    number = {node: i for i, node in enumerate(nodes)}
    rows = {}
    steps = []
    for n in nodes:
        same = None if n.rows is None else rows.setdefault(n.rows, len(rows))
        call = (n.kind, n.function, _with_refs(n.args, number), _with_refs(n.kwargs, number))
        steps.append((*call, n.count, same, in_ram(n.example), in_ram(n.result)))
    counts = [r.counts for r in rows]
    return {
        "version": VERSION,
        "steps": steps,
        "rows": counts,
        "targets": [number[t] for t in targets],
    }


def restored(flat):
    """The targets of flattened()."""
    if flat["version"] != VERSION:
        raise ValueError(
            f"this program was pickled by a version of serrate with format {flat['version']}; "
            f"this one reads {VERSION}"
        )
    rows, nodes = [Rows(counts) for counts in flat["rows"]], []
    for kind, function, args, kwargs, count, same, example, result in flat["steps"]:
        node = Node(
            kind,
            function,
            _without_refs(args, nodes),
            _without_refs(kwargs, nodes),
            count=count,
            rows=None if same is None else rows[same],
            example=at_home(example),
        )
        node.result = at_home(result)
        nodes.append(node)
    return [nodes[i] for i in flat["targets"]]
