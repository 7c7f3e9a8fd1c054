"""What a look at PartitionedArrays would read and hold, without reading."""

import contextlib
import dataclasses

from serrate import _core
from serrate._datasets import steps
from serrate._datasets.ahead import AHEAD
from serrate._datasets.collection import PartitionedArray
from serrate._datasets.execute import Reader
from serrate._datasets.nodes import ordered, source_of
from serrate._datasets.record import gathered
from serrate._datasets.shuffle import is_exchange

_NAMES = 8  # that are listed


@dataclasses.dataclass
class Plan:
    """Passes over the data, in order: each a dict with what it makes, its partitions and those that
    statistics leave out, files, columns, bytes of the file, and whether they are copied to a GPU
    ahead of its work; `text` says the same."""

    passes: list
    text: str

    def __str__(self):
        return self.text

    __repr__ = __str__

    @property
    def bytes_read(self):
        return sum(p["bytes"] or 0 for p in self.passes)

    @property
    def columns(self):
        return sorted({c for p in self.passes for c in p["columns"]})


def _done(node):
    return node.result is not None


def _levels(targets):
    """Nodes that walk over the data, those of one pass together."""
    level, groups = {}, {}
    for node in ordered(targets, _done):
        below = [level[i] for i in node.inputs() if i in level]
        walks = node.kind in ("gather", "reduce", "head") and not _done(node)
        level[node] = max(below, default=0) + walks
        if walks:
            groups.setdefault((level[node], _partitions(node)), []).append(node)
    return [group for _, group in sorted(groups.items(), key=lambda g: g[0])]


def _partitions(node):
    return next(n.count for n in node.inputs() if not n.is_value)


def _what(node):
    if node.kind == "gather":
        return "all rows of an array, held together"
    if is_exchange(node):
        return (
            f"{node.function.name}: the rows in {node.function.order.ranges} ranges of their order,"
            " on disk; a few ranges are held"
        )
    if node.kind == "head":
        return "the first rows, from as many partitions as have them"
    return f"{getattr(node.function, 'name', type(node.function).__name__.lower())}, merged"


def _pass(nodes):
    reader = Reader(nodes)
    count = _partitions(nodes[0])
    read, whole = set(), set()
    with _values_of_examples(nodes) as are_known:
        if are_known:
            reader.prepare(range(count))
        for part in range(count):
            found = [(s, i) for s, i in steps.reads(nodes, part) if i is not None]
            read.update(found)
            whole.update([part] if found else [])
    columns, sizes = [], []
    # Of ranges that another pass makes first nothing is read here.
    of_ranges = any(n.kind == "range" and source_of(n) is None for n in ordered(nodes, _done))
    for source in [] if of_ranges else reader.needs.sources:
        chosen = reader.needs.chosen(source)
        columns += ["*"] if chosen is None else [".".join(path) for path in chosen]
        sizes += [source.bytes_of(i, chosen) for s, i in read if s is source]
    names = sorted({str(s.names[i]).partition("#")[0] for s, i in read})
    return {
        "makes": [_what(n) for n in nodes],
        "partitions": count,
        "left_out": 0 if of_ranges else count - len(whole),
        "files": names,
        "columns": sorted(set(columns)),
        "bytes": None if None in sizes else sum(sizes),
        "uploads": _core.default_backend() == "cuda"
        and any(s.decodes for s in reader.needs.sources),
    }


@contextlib.contextmanager
def _values_of_examples(nodes):
    """Values that another pass finds first are those of no rows in a look, where there are any."""
    unknown = [
        n
        for n in ordered(nodes, _done)
        if n.is_value and not _done(n) and n not in nodes and not is_exchange(n)
    ]
    known = [n for n in unknown if n.example is not None]
    try:
        for n in known:
            n.result = (n.example,)
        yield len(known) == len(unknown)
    finally:
        for n in known:
            n.result = None


def _listed(names):
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more


def _text(number, p):
    out = f" ({p['left_out']} left out by statistics)" if p["left_out"] else ""
    if not p["files"] and not p["left_out"]:
        return f"pass {number} over {p['partitions']} ranges on disk: {'; '.join(p['makes'])}"
    size = "an unknown number of" if p["bytes"] is None else f"{p['bytes']:,}"
    text = (
        f"pass {number} over {p['partitions']} partitions{out}: {'; '.join(p['makes'])}\n"
        f"  reads {size} bytes of {len(p['files'])} files: {_listed(p['files'])}\n"
        f"  columns: {_listed(p['columns'])}"
    )
    if p["uploads"]:
        text += (
            "\n  decoded in RAM and copied to the GPU beside its kernels, at most "
            f"{AHEAD} partitions ahead"
        )
    return text


def explain(*arrays, backend=None, kernels=False):
    """As serrate.explain: partitions, files, columns and bytes."""
    nodes = [gathered(a._node) for a in arrays if isinstance(a, PartitionedArray)]
    passes = [_pass(group) for group in _levels(nodes)]
    lines = [_text(i, p) for i, p in enumerate(passes, 1)]
    return Plan(passes, "\n".join(lines) or "nothing is read: the values are known")
