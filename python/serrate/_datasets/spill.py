"""Rows of ranges on disk until their range is asked for."""

import contextlib
import os
import pickle
import tempfile

from serrate._datasets.nodes import at_home, in_ram
from serrate._datasets.sources import Source


def _file():
    """A file without a name, which goes when nobody has it any more."""
    return contextlib.ExitStack().enter_context(tempfile.TemporaryFile(prefix="serrate-"))


class Spool:
    """Writes what partitions give of each range to one file, which goes when nobody needs it."""

    def __init__(self, exchange, example):
        self.exchange, self.example = exchange, example
        self.file = _file()
        self.places = [[] for _ in range(exchange.order.ranges)]  # (begin, size) of each piece
        self.counts = [0] * exchange.order.ranges

    def add(self, pieces):
        try:
            for j, piece in enumerate(pieces):
                if piece is not None:
                    data = pickle.dumps(in_ram(piece), 5)
                    self.places[j].append((self.file.tell(), len(data)))
                    self.file.write(data)
                    self.counts[j] += len(piece[1])
            self.file.flush()
        except OSError as error:
            raise OSError(
                error.errno,
                f"{self.exchange.name}: rows of all partitions are kept in {tempfile.gettempdir()} "
                f"(TMPDIR says where): {error.strerror}; {self.file.tell():,} bytes were written",
            ) from error

    def result(self):
        return self

    def ranges(self):
        """A Source of the ranges."""
        return Ranges(self.exchange.order, self.example, self.counts, self.places, self.file)


class Ranges(Source):
    """Ranges of sorted rows: each one is merged when it is read."""

    def __init__(self, order, example, counts, places, file):
        super().__init__(example, [f"range {j}" for j in range(order.ranges)], counts)
        self.what, self.order, self.places, self.file = order.name, order, places, file

    def load(self, i, columns):
        """Threads share the file: each read says where."""
        number = self.file.fileno()
        data = [os.pread(number, size, begin) for begin, size in self.places[i]]
        if [len(d) for d in data] != [size for _, size in self.places[i]]:
            raise OSError(f"the file of {self.what} in {tempfile.gettempdir()} was cut")
        return data

    def read(self, i, columns, loaded=None):
        data = self.load(i, columns) if loaded is None else loaded
        return self.order.merged([at_home(pickle.loads(d)) for d in data], self.example)

    def __getstate__(self):
        everything = [b"".join(self.load(i, None)) for i in range(len(self.names))]
        return super().__getstate__() | {"file": b"".join(everything), "places": self._packed()}

    def _packed(self):
        out, begin = [], 0
        for places in self.places:
            out.append([])
            for _, size in places:
                out[-1].append((begin, size))
                begin += size
        return out

    def __setstate__(self, state):
        data = state.pop("file")
        super().__setstate__(state)
        self.file = _file()
        self.file.write(data)
        self.file.flush()
