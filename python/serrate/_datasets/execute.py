"""Programs are run: partition by partition, the next ones are read meanwhile (ahead.py)."""

import dataclasses
import functools
import threading

from serrate import _core
from serrate._datasets import steps
from serrate._datasets.ahead import AHEAD, Ahead
from serrate._datasets.merges import Tree
from serrate._datasets.needs import Needs
from serrate._datasets.nodes import ordered, replaced, source_of
from serrate._datasets.progress import shown
from serrate._datasets.sources import Damaged


@dataclasses.dataclass
class Report:
    """What was done: partitions, bytes of files, and what was left out (on_error="skip")."""

    partitions: int = 0
    rows: int = 0
    bytes_read: int = 0
    skipped: list = dataclasses.field(default_factory=list)  # (partition, why)

    def skip(self, found):
        """Each once, also where several passes would have read it."""
        self.skipped += [s for s in dict.fromkeys(found) if s not in self.skipped]


@dataclasses.dataclass
class Options:
    scheduler: object = None
    progress: object = None
    on_error: str = "raise"
    report: Report = dataclasses.field(default_factory=Report)

    def __post_init__(self):
        if self.on_error not in ("raise", "skip"):
            raise ValueError(f"on_error: expected 'raise' or 'skip', got {self.on_error!r}")


_lock = threading.Lock()


def sources_of(nodes):
    """The Sources below these nodes."""
    found = ordered(nodes, lambda n: n.result is not None)
    return list(dict.fromkeys(s for s in map(source_of, found) if s is not None))


class Reader:
    """Reads the partitions of a program's sources, with the columns that it is found to need."""

    def __init__(self, nodes, options=None, on_read=None):
        self.nodes, self.options, self.on_read = nodes, options, on_read
        self.needs, self.prepared = Needs(sources_of(nodes)), False

    def prepare(self, parts):
        """Finds the columns that are needed of each source, on the first partition that has one."""
        unseen = set(self.needs.sources)
        for part in parts:
            if found := unseen & {source for source, _ in self.keys(part)}:
                self.needs.find(self.nodes, part)
                unseen -= found
            if not unseen:
                break
        self.prepared = True

    def decoded(self, source, i, moves):
        """What another thread does: (columns, data). Arrays that go to a GPU are made in RAM, if
        nothing is computed for them; else who computes makes them."""
        columns = self.needs.chosen(source)
        if moves and not source.decodes:
            return columns, self._named(source, i, lambda: source.load(i, columns))
        rows = self._rows(source, i, columns)
        return columns, _core.materialize(rows) if moves else rows

    def read(self, source, i):
        """A partition, by who computes."""
        columns = self.needs.chosen(source)
        return self.completed(source, columns, self._rows(source, i, columns))

    def finished(self, source, i, columns, data, backend):
        """A partition of what decoded() gave, moved there."""
        if backend != "cpu":
            if not source.decodes:
                data = self._rows(source, i, columns, data)
            elif isinstance(data, _core._Upload):
                data = data.array()
            else:
                data = _core.to_backend(data, backend)
        return self.completed(source, columns, data)

    def completed(self, source, columns, rows):
        return source.completed(rows, columns, str(self.needs.number(source)))

    def _rows(self, source, i, columns, loaded=None):
        out = self._named(source, i, lambda: source.checked(i, columns, loaded))
        if self.on_read is not None:
            self.on_read(len(out), source.bytes_of(i, columns) or 0)
        return out

    @staticmethod
    def _named(source, i, read):
        """What it reads; errors name the partition."""
        try:
            return read()
        except Damaged as error:
            error.partition = error.partition or source.names[i]
            raise
        except (OSError, ValueError) as error:
            text = str(error)
            name = str(source.names[i])
            raise Damaged(
                text if name in text else f"{source.what}: {name}: {text}", name
            ) from error

    def results(self, part, fetch):
        """What the nodes give of a partition, computed. What is found to need more reads more."""
        while True:
            try:
                out = steps.results(self.nodes, part, fetch)
                arrays = [x for x in out if isinstance(x, _core.Array)]
                if arrays:
                    _core._evaluate(*arrays)  # views would hold all that was read
                return out
            except (Damaged, steps.Unequal):
                raise
            except MemoryError as error:
                names = ", ".join(str(s.names[i]) for s, i in self.keys(part) if i is not None)
                raise MemoryError(
                    f"{error}; when {names} was computed: smaller partitions need less"
                ) from error
            except Exception as error:
                # What was read ahead may lack what has been learnt since.
                is_old, fetch = fetch != self.read, self.read
                if not (self.needs.learn(error) or is_old or self.needs.read_all()):
                    raise

    def keys(self, part):
        return steps.reads(self.nodes, part)


def partials(nodes, parts, options):
    """(part, what the nodes give of it) for partitions in their order; None of those skipped."""
    report = options.report

    def count(rows, size):
        with _lock:
            report.rows += rows
            report.bytes_read += size

    reader = Reader(nodes, options, count)
    parts = list(parts)
    reader.prepare(parts)
    ahead, done = Ahead(reader, parts), 0
    try:
        for pieces in ahead:
            try:
                yield pieces.part, _computed(reader, ahead, pieces)
            except Damaged as error:
                if options.on_error == "raise":
                    raise
                report.skip([(error.partition, str(error))])
                yield pieces.part, None
            pieces.let_go()
            done += 1
            report.partitions += 1
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"{done} of {len(parts)} partitions were done") from None
    finally:
        ahead.close()


def _computed(reader, ahead, pieces):
    fetch = functools.partial(ahead.fetch, pieces)
    try:
        return reader.results(pieces.part, fetch)
    except MemoryError:
        if not ahead.make_room():
            raise
    return reader.results(pieces.part, fetch)


def _joined(node, parts):
    example = node.args[0].example
    return _core.materialize(_core.concatenate([example, *parts])) if len(parts) != 1 else parts[0]


def _run(nodes, options):
    """Sets the results of gather and reduce nodes over the same number of partitions."""
    count = nodes[0].inputs()[0].count if nodes[0].kind == "gather" else _count(nodes[0])
    trees = [_collector(n) for n in nodes]
    for _, values in shown(partials(nodes, range(count), options), count, options):
        for tree, value in zip(trees, values or (), strict=False):
            tree.append(value) if isinstance(tree, list) else tree.add(value)
    for node, tree in zip(nodes, trees, strict=True):
        node.result = (finished(node, tree if isinstance(tree, list) else tree.result()),)


def _collector(node):
    """Takes what a node gives of each partition."""
    if node.kind != "reduce":
        return []
    if hasattr(node.function, "spool"):
        return node.function.spool(node.example)
    return Tree(node.function)


def finished(node, whole):
    """The value of a gather or reduce node, of the parts, or of what they were merged to."""
    if node.kind == "gather":
        return _joined(node, whole)
    if hasattr(node.function, "spool"):
        return whole.ranges()
    example = next(n for n in node.args if not n.is_value).example
    if whole is None:
        whole = node.function.partial(*replaced(node.args, lambda n: n.example))
    return node.function.finish(whole, example)


def _count(node):
    return next(n for n in node.inputs() if not n.is_value).count


def _head(node, options):
    """Rows start:stop:step, from no more partitions than have them."""
    start, stop, step = node.kwargs["rows"]
    kept, before = [], 0
    count = node.args[0].count
    first, next_ones = 0, 1  # often the first partition has all of them
    while first < count and before < stop:
        parts = range(first, min(first + next_ones, count))
        first, next_ones = parts.stop, AHEAD
        for _, values in partials([node], parts, options):
            if values is not None and before < stop:
                kept.append(values[0][max(start - before, 0) : stop - before])
                before += len(values[0])
    node.result = (_core.materialize(_core.concatenate([node.args[0].example, *kept])[::step]),)


def resolve(targets, options):
    """Finds the values of these value nodes, in as few passes over the data as can be."""
    while True:
        pending = [
            n
            for n in ordered(targets, lambda n: n.result is not None)
            if n.is_value and n.result is None
        ]
        if not pending:
            return [t.result[0] for t in targets]
        ready = []
        for node in pending:
            if node.kind == "call":
                if all(i.result is not None for i in node.inputs()):
                    known = [replaced(x, lambda n: n.result[0]) for x in (node.args, node.kwargs)]
                    node.result = (steps.call(node.function, *known),)
            elif not any(
                n.is_value and n.result is None and n is not node
                for n in ordered([node], lambda n: n.result is not None)
            ):
                ready.append(node)
        _run_ready(ready, options)


def _run_ready(ready, options):
    for node in ready:
        if node.kind == "head":
            _head(node, options)
    groups = {}
    for node in ready:
        if node.kind != "head":
            groups.setdefault(_count(node), []).append(node)
    for nodes in groups.values():
        _run(nodes, options)
