"""Values and rows of nodes: by the threads of this process, or by Dask."""

from serrate._datasets import cluster, rules
from serrate._datasets.execute import partials, resolve
from serrate._datasets.nodes import ordered
from serrate._datasets.progress import shown
from serrate._datasets.record import gathered


class UnknownLength:
    """The type of an array whose rows nobody has counted: content, and no length."""

    def __init__(self, content):
        self.content, self.length = content, None

    def __str__(self):
        return f"## * {self.content}"

    __repr__ = __str__

    def __eq__(self, other):
        return isinstance(other, UnknownLength) and self.content == other.content

    def __hash__(self):
        return hash(str(self))


def values_of(nodes, options):
    """Values of nodes, all computed together."""
    if options.scheduler is None:
        options.scheduler = cluster.default.get()
    if options.scheduler is None:
        return resolve(nodes, options)
    return cluster.run(nodes, options)


def _values_below(nodes):
    """The values that rows depend on."""
    return [n for n in ordered(nodes, lambda n: n.is_value) if n.is_value]


def each_of(nodes, options):
    """What nodes give of each partition, one after the other; the next ones are read meanwhile."""
    values_of(_values_below(nodes), options)
    rows = [n for n in nodes if not n.is_value]
    if not rows:
        yield values_of(nodes, options)
        return
    if not rules.together(rows):
        raise ValueError("arrays of different partitions; compute() them first")
    targets = [n if n.is_value else gathered(n) for n in nodes]
    count = rows[0].count
    for _, made in shown(partials(targets, range(count), options), count, options):
        if made is not None:
            yield made
