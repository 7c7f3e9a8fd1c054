"""CudaBuffers as files: what reads and writes streams of bytes reads and writes them."""

import io
import operator

import numpy as np

from serrate.cuda._buffers import CudaBuffer, host_bytes


class _File(io.RawIOBase):
    """A position in a CudaBuffer."""

    def __init__(self, buffer):
        if not isinstance(buffer, CudaBuffer):
            raise TypeError(f"expected a CudaBuffer, got {type(buffer).__name__}")
        super().__init__()
        self._buffer, self._at = buffer, 0

    def _open(self):
        if self.closed:
            raise ValueError("the file is closed")
        return self._buffer

    def seekable(self):
        return True

    def tell(self):
        self._open()
        return self._at

    def size(self):
        """Bytes of the buffer."""
        return self._open().size

    def seek(self, position, whence=0):
        size = self._open().size
        if whence not in (0, 1, 2):
            raise ValueError(f"whence {whence} is not 0, 1 or 2")
        at = operator.index(position) + (0, self._at, size)[whence]
        if not 0 <= at <= size:
            raise OSError(f"position {at} is out of bounds of {size} bytes")
        self._at = at
        return at


class BufferReader(_File):
    """Reads a CudaBuffer: read() gives bytes in host memory, read_buffer() parts of the buffer."""

    def readable(self):
        return True

    def readinto(self, to):
        to = np.frombuffer(to, "uint8")
        n = min(len(to), self._open().size - self._at)
        if n:
            self._buffer.copy_to_host(self._at, n, to[:n])
        self._at += n
        return n

    def read_buffer(self, nbytes=None):
        """The next bytes as a CudaBuffer, without a copy; None: all that follow."""
        rest = self._open().size - self._at
        n = rest if nbytes is None else operator.index(nbytes)
        if n < 0:
            raise ValueError(f"{n} bytes")
        out = self._buffer.slice(self._at, n)
        self._at += out.size
        return out


class BufferWriter(_File):
    """Writes to a CudaBuffer. With buffer_size > 0 that many bytes are kept in host memory and
    copied together."""

    def __init__(self, buffer):
        super().__init__(buffer)
        self._kept, self._room, self._writing = bytearray(), 0, False

    def writable(self):
        return True

    @property
    def buffer_size(self):
        return self._room

    @buffer_size.setter
    def buffer_size(self, size):
        size = operator.index(size)
        if size < 0:
            raise ValueError(f"buffer_size is {size}")
        self.flush()
        self._room = size

    @property
    def num_bytes_buffered(self):
        """Bytes that are not on the GPU yet."""
        return len(self._kept)

    def tell(self):
        return super().tell() + len(self._kept)

    def seek(self, position, whence=0):
        if whence not in (0, 1):
            raise ValueError(f"whence {whence} is not 0 or 1")
        self._open()
        self.flush()
        return super().seek(position, whence)

    def write(self, data):
        data = host_bytes(data)
        if len(data) > self._open().size - self.tell():
            raise OSError(
                f"writing {len(data)} bytes at {self.tell()} of a buffer of {self._buffer.size}"
            )
        if len(self._kept) + len(data) >= max(self._room, 1):
            self.flush()
        if len(data) < self._room:
            self._kept += data.tobytes()
        else:
            self._buffer.copy_from_host(data, self._at)
            self._at += len(data)
        return len(data)

    def writeat(self, position, data):
        """Writes from a position on, and goes on behind it."""
        self.seek(position)
        return self.write(data)

    def flush(self):
        if not self.closed and self._kept:
            self._buffer.copy_from_host(bytes(self._kept), self._at)
            self._at += len(self._kept)
            self._kept.clear()
