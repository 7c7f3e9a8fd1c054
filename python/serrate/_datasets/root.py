"""Trees of ROOT files as partitions: ranges of entries."""

import os

from serrate import _core
from serrate._datasets.sources import Damaged, OpenFiles, Source
from serrate._files import root, streams

_ENTRIES = 100_000  # of a partition, about


class RootSource(Source):
    """Ranges of the entries of trees; each branch is a column that can be read alone."""

    what, decodes = "scan_root", True

    def __init__(self, path, tree, step_size, filter_name):
        given = [path] if isinstance(path, str | bytes | os.PathLike) else list(path)
        self.files = [f for p in given for f in _expanded(p, tree)]
        if not self.files:
            raise ValueError(f"{self.what}: no files are named")
        self.pieces, counts, names, self.entries = [], [], [], []
        self.branches = None
        for f, (where, name) in enumerate(self.files):
            file, found = root.opened(where, name, self.what)
            self._look(found, filter_name, where)
            for start, stop in _ranges(found, step_size):
                self.pieces.append((f, start, stop))
                counts.append(stop - start)
                names.append(f"{where}#{start}:{stop}")
            self.entries.append(found.num_entries)
            if file is not None and hasattr(file, "close"):
                file.close()
        super().__init__(self._example, names, counts)
        self.leaves = tuple((b,) for b in self.branches)
        self._opened = OpenFiles(_close)

    def _look(self, tree, filter_name, where):
        """The branches of the first file are those of all."""
        names = root.branches_of(tree, filter_name, self.what)
        if self.branches is None:
            self.branches = names
            self._example = _core.materialize(root.rows_of(*root.loaded(tree, names, 0, 0)))
            self.sizes = {n: _bytes_an_entry(tree, n) for n in names}
            self.equal_lists = _with_one_counter(tree, names)
        elif missing := [n for n in self.branches if n not in names]:
            raise ValueError(f"{self.what}: {where}: there are no branches {', '.join(missing)}")

    def _tree(self, f):
        return self._opened.get(f, lambda: root.opened(*self.files[f], self.what))[1]

    def load(self, i, columns):
        f, start, stop = self.pieces[i]
        branches = self.branches if columns is None else [path[0] for path in columns]
        try:
            tree = self._tree(f)
            if tree.num_entries != self.entries[f]:
                raise Damaged(
                    f"{self.what}: {self.files[f][0]}: the file has changed since it was scanned"
                )
            return root.loaded(tree, branches, start, stop)
        except (Damaged, FileNotFoundError):
            raise
        except Exception as error:
            raise Damaged(
                f"{self.what}: {self.names[i]}: {type(error).__name__}: {error}", self.names[i]
            ) from error

    def read(self, i, columns, loaded=None):
        columns, n = self.load(i, columns) if loaded is None else loaded
        return root.rows_of(columns, n)

    def bytes_of(self, i, columns):
        _, start, stop = self.pieces[i]
        names = self.branches if columns is None else [path[0] for path in columns]
        return round(sum(self.sizes[n] for n in names) * (stop - start))


def _close(opened):
    if hasattr(opened[0], "close"):
        opened[0].close()


def _bytes_an_entry(tree, name):
    size = getattr(tree[name], "compressed_bytes", 0) or 0
    return size / max(tree.num_entries, 1)


def _with_one_counter(tree, names):
    """Branches whose lengths another branch says (nMuon of Muon_pt, Muon_eta ...), by that one."""
    groups = {}
    for name in names:
        counter = getattr(tree[name], "count_branch", None)
        if counter is not None:
            groups.setdefault(counter.name, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _expanded(path, tree):
    """(path, tree) of the files that a pattern names."""
    import glob

    text, tree = root._named(streams.path_text(path), tree)
    if streams.is_url(text) or os.path.exists(text) or not any(c in text for c in "*?["):
        return [(text, tree)]
    found = sorted(glob.glob(text))
    if not found:
        raise FileNotFoundError(f"scan_root: no files match {text!r}")
    return [(f, tree) for f in found]


def _ranges(tree, step_size):
    """Entries of partitions; they end where clusters do, if nobody says how many they have."""
    n = tree.num_entries
    if step_size is not None:
        if not isinstance(step_size, int) or step_size < 1:
            raise ValueError(f"scan_root: step_size must be a positive integer, got {step_size!r}")
        ends = list(range(step_size, n, step_size))
    else:
        ends, last = [], 0
        for end in _clusters(tree):
            if end - last >= _ENTRIES and end < n:
                ends.append(end)
                last = end
    return [(a, b) for a, b in zip([0, *ends], [*ends, n], strict=True) if a < b]


def _clusters(tree):
    if hasattr(tree, "common_entry_offsets"):
        return tree.common_entry_offsets()[1:]
    return range(_ENTRIES, tree.num_entries, _ENTRIES)
