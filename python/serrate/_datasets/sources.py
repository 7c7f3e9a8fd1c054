"""Where partitions come from."""

import collections
import operator
import threading

from serrate import _core, contents
from serrate._datasets.nodes import at_home, in_ram


class Damaged(ValueError):
    """A partition that could not be read; `partition` names it."""

    def __init__(self, text, partition=None):
        super().__init__(text)
        self.partition = partition

    def __reduce__(self):
        return type(self), (str(self), self.partition)


class OpenFiles(threading.local):
    """What a thread has open, by key; `close` closes the one that it has not used for longest.
    Other processes begin with nothing."""

    most = 16

    def __init__(self, close):
        self._close, self._kept = close, collections.OrderedDict()

    def __reduce__(self):
        return type(self), (self._close,)

    def __contains__(self, key):
        return key in self._kept

    def get(self, key, opened):
        """What opened() gives, or gave before."""
        if key not in self._kept:
            while len(self._kept) >= self.most:
                self._close(self._kept.popitem(last=False)[1])
            self._kept[key] = opened()
        self._kept.move_to_end(key)
        return self._kept[key]


def stamp(fs, path):
    """What a file that has changed has not: size and time."""
    info = fs.info(path)
    return info.get("size"), info.get("mtime", info.get("LastModified", info.get("created")))


def check_unchanged(what, fs, path, known, is_open=False):
    """Is the file still the one that was scanned? Of open remote files nobody asks again."""
    if is_open and "file" not in fs.protocol:
        return
    if stamp(fs, path) != known:
        raise Damaged(f"{what}: {path}: the file has changed since it was scanned")


class Source:
    """Partitions of one type. Derived classes read them; instances go to other processes."""

    what = "scan"
    leaves = ()  # paths (tuples of names) of leaf columns that can be read alone
    equal_lists = ()  # groups of fields whose lists have the same lengths, as the file says
    decodes = False  # read() computes nothing: it may be done in RAM for a GPU

    def __init__(self, example, names, counts=None):
        self.example = example  # no rows
        self.names = names  # of the partitions, for people
        self.counts = counts

    def __getstate__(self):
        return self.__dict__ | {"example": in_ram(self.example)}

    def __setstate__(self, state):
        self.__dict__.update(state | {"example": at_home(state["example"])})

    def load(self, i, columns):
        """What can be done of read() by a thread without arrays: data in RAM."""
        return None

    def read(self, i, columns, loaded=None):
        """Partition i; columns are paths of leaves, None for all; loaded is what load() gave."""
        raise NotImplementedError

    def bytes_of(self, i, columns):
        """How many bytes of the file are read, or None."""
        return None

    def statistics(self, i, path):
        """(least, greatest) of a leaf without missing values in partition i, or None."""
        return None

    def checked(self, i, columns, loaded=None):
        """What read() gives, if it is what was scanned."""
        part = self.read(i, columns, loaded)
        if self.counts is not None and len(part) != self.counts[i]:
            raise Damaged(
                f"{self.what}: {self.names[i]}: {len(part)} rows where there were "
                f"{self.counts[i]}: the file has changed since it was scanned",
                self.names[i],
            )
        return _checked(part, self, i) if columns is None else part

    def completed(self, part, columns, root):
        """A partition with all its fields, of which those that were not read have no data: whoever
        looks at those gets an error that names them, with root before."""
        return (
            part
            if columns is None
            else _core._completed(part, self.example, root, self.equal_lists)
        )


def _checked(part, source, i):
    """Pieces of another type than the first one's are not silently joined."""
    have, want = _core.type(part).content, _core.type(source.example).content
    if have == want:
        return part
    try:
        return _core.enforce_type(part, str(want))
    except (ValueError, TypeError) as error:
        raise Damaged(
            f"{source.what}: {source.names[i]}: its rows are of type {have}, those of "
            f"{source.names[0]} are {want}",
            source.names[i],
        ) from error


class Pieces(Source):
    """Arrays, or functions without arguments that make them."""

    what = "scan"

    def __init__(self, pieces, example=None, counts=None):
        self.pieces = list(pieces)
        if not self.pieces and example is None:
            raise ValueError("scan: there must be at least one partition")
        arrays = [p for p in self.pieces if not callable(p)]
        if example is None:
            first = arrays[0] if arrays else self.pieces[0]()
            example = _core.Array(first)[:0]
        if counts is None and len(arrays) == len(self.pieces):
            counts = [len(p) for p in arrays]
        names = [f"partition {i}" for i in range(len(self.pieces))]
        super().__init__(_core.materialize(example), names, counts)

    def read(self, i, columns, loaded=None):
        piece = self.pieces[i]
        return _core.Array(piece() if callable(piece) else piece)


class Files(Source):
    """A function that reads one file, called with its path and options."""

    decodes = True

    def __init__(self, what, function, paths, options, example=None):
        self.what, self.function, self.options = what, function, options
        super().__init__(None, list(paths))
        self.example = _core.materialize(self.read(0, None)[:0]) if example is None else example

    def read(self, i, columns, loaded=None):
        return self.function(self.names[i], **self.options)


def rows_without_fields(n):
    """n records of nothing."""
    return _core.Array(contents.RecordArray([], [], length=n))


def leaf_paths(example):
    """Paths of the leaf columns of an array's records; of lists, options and strings their own."""
    return list(_paths(_core.type(example).content, ()))


def _paths(t, path):
    while (
        not hasattr(t, "fields") and hasattr(t, "content") and t.__class__.__name__ != "Categorical"
    ):
        t = t.content
    if hasattr(t, "fields") and hasattr(t, "contents") and not getattr(t, "is_tuple", False):
        for name, inner in zip(t.fields, t.contents, strict=True):
            yield from _paths(inner, (*path, name))
    else:
        yield path


def counted(counts):
    """Where partitions begin, and the number of all rows."""
    starts = [0]
    for n in counts:
        starts.append(operator.index(starts[-1] + n))
    return starts
