"""Which columns of which source a program needs: its steps on columns that were not read say it."""

import re

from serrate import _core
from serrate._datasets import steps

_ABSENT = re.compile(r"this column was not read: (\*?)(\d+)((?:\n[^\n]+)*)")


class Needs:
    """Leaf columns of each source, found by running the program on columns without data.

    What computes while the program is written down (unique of strings, products ...) is an error
    that names the column, which is then read, too.
    """

    def __init__(self, sources):
        self.sources = sources
        self.columns = {s: (set() if s.leaves else None) for s in sources}

    def number(self, source):
        return self.sources.index(source)

    def absent(self, source, i):
        n = 1 if source.counts is None else source.counts[i]
        return _core._absent(source.example, n, str(self.number(source)), source.equal_lists)

    def chosen(self, source):
        columns = self.columns[source]
        return None if columns is None else sorted(columns)

    def find(self, nodes, part):
        """Adds what these nodes need of a partition; where that is computed on the way, what their
        inputs need."""
        stack, seen = list(nodes), set(nodes)
        while stack:
            node = stack.pop()
            try:
                made = steps.results([node], part, self.absent, is_look=True)
                self.add(_core._needed([x for x in made if isinstance(x, _core.Array)]))
            except Exception as error:
                self.learn(error)
                below = [
                    i for i in node.inputs() if i.kind not in ("source", "range") and i not in seen
                ]
                stack += below
                seen.update(below)

    def learn(self, error):
        """Does the error say that a column must be read, too, which was not?"""
        found = _ABSENT.search(str(error))
        return found is not None and self.add([found[1] + found[2] + found[3]])

    def add(self, paths):
        """Paths as _core._needed gives them; leaves first. Is one of them new?"""
        before = {s: None if c is None else set(c) for s, c in self.columns.items()}
        for path in sorted(paths, key=lambda p: p.startswith("*")):
            number, *names = path.removeprefix("*").split("\n")
            source = self.sources[int(number)]
            if self.columns[source] is not None:
                lists_of = _group(source, names) if path.startswith("*") else ()
                self._add(source, tuple(names), lists_of)
        return before != self.columns

    def _add(self, source, path, lists_of):
        below = [leaf for leaf in source.leaves if leaf[: len(path)] == path]
        below += [(name,) for name in lists_of if (name,) != path]
        above = [leaf for leaf in source.leaves if path[: len(leaf)] == leaf]
        chosen = self.columns[source]
        if chosen & {*below, *above}:
            return
        if not below and not above:
            self.columns[source] = None
            return
        size = {leaf: source.bytes_of(0, [leaf]) or 0 for leaf in below or above}
        chosen.add(min(below or above, key=size.__getitem__))

    def read_all(self):
        """Is there anything left that was not read?"""
        left = any(c is not None for c in self.columns.values())
        self.columns = dict.fromkeys(self.columns)
        return left


def _group(source, names):
    """Fields whose lists have the same lengths as those of this field."""
    return next((g for g in source.equal_lists if len(names) == 1 and names[0] in g), ())
