"""Programs as graphs of Dask: a task a partition, trees of merges, values that others wait for.

A program is one task, which holds the pickled steps and no data. Trees are those of Tree, so
results are the same bits as those of one process.
"""

import contextvars
import functools
import io
import pickle
import threading
import uuid

from serrate import _core
from serrate._datasets import carry, steps
from serrate._datasets.carry import Made
from serrate._datasets.execute import Reader, finished, sources_of
from serrate._datasets.merges import Tree
from serrate._datasets.nodes import Node, flattened, ordered, replaced, restored
from serrate._datasets.shuffle import is_exchange
from serrate._datasets.sources import Damaged, Source

default = contextvars.ContextVar("scheduler", default=None)  # of compute(), None: threads
_KEPT = 32  # programs that a process keeps unpickled


class Kept(Source):
    """Partitions that are in memory here, or of Dask's workers (as futures, or keys of tasks)."""

    what = "persist"

    def __init__(self, values, example, counts=None):
        super().__init__(example, [f"partition {i}" for i in range(len(values))], counts)
        self.values = list(values)

    def read(self, i, columns, loaded=None):
        value = self.values[i]
        return value.result() if hasattr(value, "result") else value

    def __getstate__(self):
        held = any(hasattr(v, "result") or isinstance(v, tuple) for v in self.values)
        return super().__getstate__() | {
            "values": [None] * len(self.values) if held else self.values
        }


# ---- what tasks do -------------------------------------------------------------------------------


class Program:
    """Pickled nodes whose partials are computed together; unpickled once a process."""

    def __init__(self, nodes, skips=False):
        self.data, self.name, self.skips = dumps(flattened(nodes)), uuid.uuid4().hex, skips

    def __sizeof__(self):
        return len(self.data)

    def __dask_tokenize__(self):
        return self.name


def dumps(x):
    """Also functions that are written in the session, where cloudpickle is installed (as with
    Dask)."""
    try:
        from cloudpickle import Pickler
    except ModuleNotFoundError:
        from pickle import Pickler

    class ByRam(Pickler):
        """Arrays that a GPU has, too."""

        def reducer_override(self, x):
            if carry.is_elsewhere(x):
                return carry.ByRam(x).__reduce__()
            known = getattr(super(), "reducer_override", None)
            return NotImplemented if known is None else known(x)

    file = io.BytesIO()
    ByRam(file, pickle.DEFAULT_PROTOCOL).dump(x)
    return file.getvalue()


_programs, _lock = {}, threading.Lock()


def _unpickled(program):
    with _lock:
        if program.name not in _programs:
            if len(_programs) >= _KEPT:
                _programs.pop(next(iter(_programs)))
            nodes = restored(pickle.loads(program.data))
            _programs[program.name] = nodes, Reader(nodes)
        return _programs[program.name]


def _set(nodes, values):
    """Values that other tasks found, and partitions that workers hold."""
    for node in ordered(nodes, lambda n: n.kind == "given"):
        if node.kind == "given":
            node.result = (values[node.args[0]],)


class Skipped:
    """Of a partition that could not be read."""

    def __init__(self, error):
        self.why = (error.partition, str(error))


def run_partial(program, part, values=(), kept=()):
    """What each node of the program gives of a partition: (values, what was skipped)."""
    nodes, reader = _unpickled(program)
    with _lock:
        _set(nodes, values)
        if not reader.prepared:
            reader.prepare(range(_count(nodes[0])))
    held = {(number, i): value for number, i, value in kept}

    def fetch(source, i):
        known = held.get((reader.needs.number(source), i))
        return reader.read(source, i) if known is None else known

    try:
        made = reader.results(part, fetch)
    except Damaged as error:
        if not program.skips:
            raise
        return Made((None, [Skipped(error).why]))
    # Lists of what is gathered grow as merges go on.
    return Made(([_carried(n, v) for n, v in zip(nodes, made, strict=True)], []))


def _carried(node, value):
    if node.kind == "reduce":
        return value
    return [value[: node.kwargs["rows"][1]] if node.kind == "head" else value]


def run_combine(program, *parts):
    """Parts of each node, joined."""
    nodes, _ = _unpickled(program)
    skipped = [s for _, more in parts for s in more]
    there = [values for values, _ in parts if values is not None]
    if not there:
        return Made((None, skipped))
    out = []
    for i, node in enumerate(nodes):
        of_node = [values[i] for values in there]
        if node.kind != "reduce":
            out.append([x for one in of_node for x in one])
        else:
            out.append(of_node[0] if len(of_node) == 1 else node.function.combine(of_node))
    return Made((out, skipped))


def run_finish(program, whole):
    """The values of all nodes, and what was skipped."""
    nodes, _ = _unpickled(program)
    made, skipped = (None, []) if whole is None else whole
    out = []
    for i, node in enumerate(nodes):
        nothing = [] if node.kind == "gather" else None
        part = nothing if made is None else made[i]
        out.append(finished(node, part) if node.kind != "head" else _first(node, part))
    return Made((out, skipped))


def _first(node, parts):
    start, stop, step = node.kwargs["rows"]
    rows = _core.concatenate([node.args[0].example, *(parts or [])])
    return _core.materialize(rows[start:stop:step])


def run_piece(made, j):
    """What a partition has of a range; what was skipped."""
    values, skipped = made
    return Made(((None if values is None else values[0][j]), skipped))


def run_range(program, *pieces):
    """A range, of what the partitions have of it."""
    ((node,), _) = _unpickled(program)
    return node.function.order.merged([p for p, _ in pieces if p is not None], node.example)


def run_skips(*pieces):
    """As what a program gives: no values, and what was skipped."""
    return None, [s for _, skipped in pieces for s in skipped]


def run_call(program, values):
    """A function of values."""
    nodes, _ = _unpickled(program)
    with _lock:
        _set(nodes, values)
    (node,) = nodes
    args, kwargs = replaced((node.args, node.kwargs), lambda n: n.result[0])
    return Made(([steps.call(node.function, args, kwargs)], []))


def run_pick(made, i):
    """One of the values of a program."""
    return made[0][i]


def run_skipped(*made):
    """What all programs skipped."""
    return [s for _, skipped in made for s in skipped]


# ---- graphs --------------------------------------------------------------------------------------


def _with_values_given(targets, ranges):
    """The targets with `given` nodes for the unknown values below them, and these values; ranges of
    exchanges are what these tasks give."""
    unknown, new = [], {}
    goals = set(targets)

    def stop(n):
        return (n not in goals and n.is_value) or n.result is not None

    for node in ordered(targets, stop):
        if node in ranges and node not in goals:
            continue
        if node.kind == "range" and node.args[0] in ranges:
            kept = Kept(ranges[node.args[0]], node.example)
            how = {"count": node.count, "rows": node.rows, "example": node.example}
            new[node] = Node("source", kept, (), {}, **how)
            continue
        if node.result is None and node.is_value and node not in goals:
            new[node] = Node("given", None, (len(unknown),), {}, example=node.example)
            unknown.append(node)
            continue
        if node.result is not None or not node.inputs():
            new[node] = node
            continue
        args, kwargs = replaced((node.args, node.kwargs), new.__getitem__)
        new[node] = Node(
            node.kind,
            node.function,
            args,
            kwargs,
            count=node.count,
            rows=node.rows,
            example=node.example,
        )
    return [new[t] for t in targets], unknown


def _values_below(node):
    """The nearest values that a node is made of."""
    found = ordered([node], lambda n: n is not node and (n.is_value or n.result is not None))
    return [n for n in found if n is not node and n.is_value]


def _count(node):
    return next(n.count for n in node.inputs() if not n.is_value)


class Graph:
    """Tasks for the values of nodes."""

    def __init__(self, skips=False):
        self.tasks, self.key_of, self.skips, self.programs = {}, {}, skips, []
        self.ranges = {}  # keys of the ranges of each exchange

    def add(self, targets):
        """Keys of the values of these nodes."""
        pending = [
            n
            for n in ordered(targets, lambda n: n.result is not None)
            if n.is_value and n.result is None and n not in self.key_of and n not in self.ranges
        ]
        levels = self._levels(pending)
        for level in sorted(levels):
            for group in levels[level]:
                self._add_group(group)
        return [self._key(t) for t in targets if t not in self.ranges]

    def _levels(self, pending):
        """Nodes by how many others they wait for; those of one pass as one group."""
        level, groups = {}, {}
        for node in pending:
            waits = [level[n] for n in _values_below(node) if n in level]
            level[node] = max(waits, default=0) + 1
            alone = node.kind == "call" or is_exchange(node)
            one = node if alone else _count(node)
            groups.setdefault(level[node], {}).setdefault(one, []).append(node)
        return {at: list(of_level.values()) for at, of_level in groups.items()}

    def _key(self, node):
        if node.result is not None:
            key = f"serrate-value-{uuid.uuid4().hex}"
            self.tasks[key] = (_same, node.result[0])
            return key
        return self.key_of[node]

    def _add_group(self, group):
        nodes, unknown = _with_values_given(group, self.ranges)
        name = uuid.uuid4().hex
        program, made = f"serrate-program-{name}", f"serrate-made-{name}"
        self.tasks[program] = (_same, Program(nodes, self.skips))
        values = [self._key(n) for n in unknown]
        if group[0].kind == "call":
            self.tasks[made] = (run_call, program, values)
        elif is_exchange(group[0]):
            self.add_partitions(program, name, nodes, values)
            self._add_ranges(program, name, group[0], made)
        else:
            self.add_partitions(program, name, nodes, values)
            whole = self._merged(program, name, _count(nodes[0]))
            self.tasks[made] = (run_finish, program, whole)
        self.programs.append(made)
        for i, node in enumerate(group):
            if is_exchange(node):
                continue  # its ranges are what others take
            key = f"serrate-{_label(node)}-{name}-{i}"
            self.tasks[key] = (run_pick, made, i)
            self.key_of[node] = key

    def _add_ranges(self, program, name, node, made):
        """A task a range, and one for what each partition has of it."""
        tasks, of, piece = self.tasks, f"serrate-partition-{name}", f"serrate-piece-{name}"
        parts, keys = range(_count(node)), []
        for j in range(node.function.order.ranges):
            tasks.update({(piece, p, j): (run_piece, (of, p), j) for p in parts})
            keys.append((f"serrate-range-{name}", j))
            tasks[keys[-1]] = (run_range, program, *((piece, p, j) for p in parts))
        tasks[made] = (run_skips, *((piece, p, 0) for p in parts))
        self.ranges[node] = keys

    def add_partitions(self, program, name, nodes, values):
        """A task a partition."""
        tasks, of = self.tasks, f"serrate-partition-{name}"
        held = any(isinstance(s, Kept) for s in sources_of(nodes))
        given = (values,) if values else ()
        parts = range(_count(nodes[0]))
        if held:
            for part in parts:
                tasks[of, part] = (run_partial, program, part, values, _kept(nodes, part))
        else:
            tasks.update({(of, part): (run_partial, program, part, *given) for part in parts})

    def _merged(self, program, name, count):
        """The key of the whole: the tree that one process would make."""
        tasks, of, merged = self.tasks, f"serrate-partition-{name}", f"serrate-merge-{name}"

        class Merges:
            made = 0

            def combine(self, keys):
                key = (merged, self.made)
                tasks[key] = (run_combine, program, *keys)
                self.made += 1
                return key

        tree = Tree(Merges())
        for part in range(count):
            tree.add((of, part))
        return tree.result()


def _same(x):
    return x


def _label(node):
    name = getattr(node.function, "name", None) or node.function
    return name if isinstance(name, str) else node.kind


def _kept(nodes, part):
    """Partitions that workers hold: [number of the source, partition, future]."""
    sources = sources_of(nodes)
    return [
        [sources.index(source), i, source.values[i]]
        for source, i in steps.reads(nodes, part)
        if isinstance(source, Kept)
    ]


def get_of(scheduler):
    """Dask's get function of a client, a name of Dask's ("threads", "processes", ...) or itself."""
    try:
        import dask
        import dask.base
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "schedulers are Dask's: pip install dask[distributed]", name="dask"
        ) from error
    carry.register()
    if hasattr(scheduler, "get") and hasattr(scheduler, "submit"):
        return functools.partial(scheduler.get, sync=True)
    return dask.base.get_scheduler(scheduler=scheduler)


def run(targets, options):
    """Values of these nodes, computed by Dask."""
    graph = Graph(options.on_error == "skip")
    keys = graph.add(targets)
    skipped = f"serrate-skipped-{uuid.uuid4().hex}"
    graph.tasks[skipped] = (run_skipped, *graph.programs)
    out = get_of(options.scheduler)(graph.tasks, [*keys, skipped])
    options.report.skip(out[-1])
    options.report.partitions += sum(
        isinstance(k, tuple) and "partition" in k[0] for k in graph.tasks
    )
    for node, value in zip(targets, out, strict=False):
        node.result = node.result or (value,)
    return list(out[:-1])


def collection(node, gathered):
    """Dask's graph of a PartitionedArray, and the keys of its partitions (or of its one value)."""
    carry.register()
    graph = Graph()
    if node.is_value:
        return graph.tasks, graph.add([node])
    target = gathered(node)
    graph.add([n for n in ordered([target]) if is_exchange(n) and n.result is None])
    nodes, unknown = _with_values_given([target], graph.ranges)
    values = graph.add(unknown)
    name = uuid.uuid4().hex
    program = f"serrate-program-{name}"
    graph.tasks[program] = (_same, Program(nodes))
    graph.add_partitions(program, name, nodes, values)
    keys = []
    for part in range(node.count):
        key = f"serrate-rows-{name}", part
        graph.tasks[key] = (run_rows, (f"serrate-partition-{name}", part))
        keys.append(key)
    return graph.tasks, keys


def run_rows(made):
    """The rows of a partition."""
    return made[0][0][0]
