"""Partitions are read by other threads while one is computed; one more takes them to a GPU.

At most AHEAD of them are on the way. On a GPU partition k is computed while k + 1 is copied, by a
thread that has a stream of its own, and k + 2 is decoded in RAM.
"""

import collections
import concurrent.futures
import threading

from serrate import _core

AHEAD = 2  # partitions that are read while one is computed

_pools, _lock, _here = {}, threading.Lock(), threading.local()


def _pool(name, size, initializer):
    """Threads that live as long as the process."""
    with _lock:
        if name not in _pools:
            _pools[name] = concurrent.futures.ThreadPoolExecutor(
                size, f"serrate-{name}", initializer
            )
        return _pools[name]


def _begin_reader():
    """Arrays are made in RAM, whatever the default is."""
    _here.reads = True
    _core._default_backend_of_thread("cpu")


class Pieces:
    """What one partition of a program reads: futures of data by (source, number)."""

    def __init__(self, part):
        self.part, self.reading, self.uploading = part, {}, {}

    def let_go(self):
        for futures in self.reading, self.uploading:
            for future in list(futures.values()):
                future.cancel()
            futures.clear()


class Ahead:
    """The partitions of `parts` in their order, of which the next ones are being read."""

    def __init__(self, reader, parts):
        self.reader, self.backend = reader, _core.default_backend()
        self._todo, self._waiting = iter(parts), collections.deque()
        # Who is read ahead does not wait for others that are.
        self._reads = None if hasattr(_here, "reads") else _pool("read", AHEAD, _begin_reader)
        goes_up = self.backend == "cuda" and self._reads is not None
        self._uploads = _pool("upload", 1, _core._use_copy_stream) if goes_up else None
        self.is_full = False  # of the GPU: partitions go there when it is their turn
        for _ in range(AHEAD):
            self._submit()

    def __iter__(self):
        while self._waiting:
            pieces = self._waiting.popleft()
            self._submit()
            yield pieces

    def fetch(self, pieces, source, i):
        """A partition, where programs compute."""
        key = source, i
        future = pieces.uploading.get(key) or pieces.reading.get(key)
        if future is None:
            return self.reader.read(source, i)
        columns, data = future.result()
        return self.reader.finished(source, i, columns, data, self.backend)

    def make_room(self):
        """Lets what waits on the GPU go, and reads it again; False where nothing does."""
        if self._uploads is None or self.is_full or not self._waiting:
            return False
        self.is_full = True
        parts = [pieces.part for pieces in self._waiting]
        self.close()
        self._waiting.extend(map(self._begun, parts))
        return True

    def close(self):
        """Nobody waits for what is being read any more."""
        while self._waiting:
            self._waiting.popleft().let_go()

    def _submit(self):
        part = next(self._todo, None)
        if part is not None:
            self._waiting.append(self._begun(part))

    def _begun(self, part):
        pieces = Pieces(part)
        for key in self.reader.keys(part) if self._reads is not None else ():
            moves = self.backend != "cpu"
            pieces.reading[key] = self._reads.submit(self.reader.decoded, *key, moves)
            if self._uploads is not None and key[0].decodes:
                pieces.uploading[key] = self._uploads.submit(self._uploaded, pieces.reading, key)
        return pieces

    def _uploaded(self, reading, key):
        """What the one thread does that uploads, in the order of the partitions."""
        columns, rows = reading[key].result()
        if not self.is_full:
            try:
                there = _core._upload(rows, self.backend)
                reading.pop(key, None)  # and the memory in RAM
                return columns, there
            except MemoryError:
                self.is_full = True
        return columns, rows
