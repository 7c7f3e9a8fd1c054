"""Buffers of bytes on a GPU and in pinned host memory, with the interface of pyarrow.cuda's. What
of it needs contexts is in _context.py."""

import operator

import numpy as np

from serrate import _core


def pyarrow():
    """pyarrow, whose buffers these functions give."""
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "serrate.cuda gives buffers of pyarrow's: pip install pyarrow", name="pyarrow"
        ) from error
    return pyarrow


def host_bytes(data):
    """The bytes of anything with Python's buffer protocol, as NumPy's, without a copy."""
    if isinstance(data, CudaBuffer):
        raise TypeError("expected data in host memory, got a CudaBuffer; copy_to_host() first")
    try:
        view = memoryview(data)
    except TypeError:
        raise TypeError(f"expected bytes or a buffer, got {type(data).__name__}") from None
    if not view.contiguous:
        view = memoryview(view.tobytes())
    return np.frombuffer(view, "uint8") if view.nbytes else np.empty(0, "uint8")


def part_of(size, position, nbytes, what):
    """(position, number of bytes) of a part; -1 is all that follow. ValueError outside."""
    position, nbytes = operator.index(position), operator.index(nbytes)
    if not 0 <= position <= size:
        raise ValueError(f"position argument is out-of-range: {position} of {size} bytes")
    if nbytes < 0:
        nbytes = size - position
    if nbytes > size - position:
        raise ValueError(f"{what}: {nbytes} of {size - position} bytes")
    return position, nbytes


def _slice_of(size, offset, length):
    offset = operator.index(offset)
    if not 0 <= offset <= size:
        raise IndexError(f"offset {offset} is out of a buffer of {size} bytes")
    rest = size - offset
    length = rest if length is None else operator.index(length)
    if length < 0:
        raise IndexError(f"length {length} is negative")
    return offset, min(length, rest)


class CudaBuffer:
    """Bytes on a GPU. Made by a Context's methods, by from_buffer and from_numba."""

    def __init__(self, *_, **__):
        raise TypeError(
            "Do not call CudaBuffer's constructor directly, use `<Context instance>.new_buffer` "
            "instead."
        )

    @classmethod
    def _of(cls, memory, parent=None):
        self = cls.__new__(cls)
        self._memory, self.parent = memory, parent
        return self

    @staticmethod
    def from_numba(mem):
        """A view of Numba's memory (numba.cuda's MemoryPointer), which is kept."""
        address = getattr(mem, "device_pointer_value", None)
        if address is None:
            address = int(getattr(mem.device_pointer, "value", mem.device_pointer) or 0)
        number = mem.context.device.id if mem.context is not None else _core._gpu_number()
        return CudaBuffer._of(_core._gpu_view(number, address, int(mem.size), mem))

    def to_numba(self):
        """numba.cuda's MemoryPointer of the same memory, which keeps this buffer."""
        from numba.cuda.cudadrv.driver import MemoryPointer

        context = self.context.to_numba()
        try:
            return MemoryPointer(context, pointer=self.address, size=self.size, owner=self)
        except (TypeError, AttributeError):  # versions that want an object of ctypes
            import ctypes

            pointer = ctypes.c_void_p(self.address)
            return MemoryPointer(context, pointer=pointer, size=self.size, owner=self)

    # -- what it is ----------------------------------------------------------------------------

    is_cpu = False
    is_mutable = True
    device_type = 2  # of Arrow's and DLPack's: CUDA

    @property
    def size(self):
        """Bytes."""
        return self._memory.size

    @property
    def address(self):
        """Where it begins, for the GPU."""
        return self._memory.address

    def __len__(self):
        return self.size

    def __repr__(self):
        return f"<serrate.cuda.CudaBuffer address={self.address:#x} size={self.size} is_cpu=False>"

    # -- parts ---------------------------------------------------------------------------------

    def slice(self, offset=0, length=None):
        """A part of it, which keeps it; what would reach beyond its end is cut off."""
        offset, length = _slice_of(self.size, offset, length)
        return CudaBuffer._of(self._memory.part(offset, length), self)

    def __getitem__(self, where):
        if isinstance(where, slice):
            start, stop, step = where.indices(self.size)
            if step != 1:
                raise IndexError("only slices with step 1 are possible")
            return self.slice(start, max(0, stop - start))
        i = operator.index(where)
        if not -self.size <= i < self.size:
            raise IndexError(f"index {i} is out of a buffer of {self.size} bytes")
        return int(self._read(i % self.size, 1)[0])

    # -- copies --------------------------------------------------------------------------------

    def _read(self, position, nbytes):
        out = np.empty(nbytes, "uint8")
        self._memory.part(position, nbytes).read(out)
        return out

    def copy_to_host(self, position=0, nbytes=-1, buf=None, memory_pool=None, resizable=False):
        """Bytes of it as a pyarrow.Buffer, or in `buf`, a buffer in host memory; waits for work on
        the GPU that this thread has given."""
        if buf is None:
            what = "requested more to copy than available from device buffer"
            position, nbytes = part_of(self.size, position, nbytes, what)
            pa = pyarrow()
            out = pa.allocate_buffer(nbytes, memory_pool, resizable)
            if nbytes:
                self._memory.part(position, nbytes).read(np.frombuffer(out, "uint8"))
            return out
        to = host_bytes(buf)
        if not to.flags.writeable:
            raise ValueError("the host buffer can't be written to")
        position, most = part_of(self.size, position, -1, "")
        nbytes = operator.index(nbytes)
        nbytes = min(most, len(to)) if nbytes < 0 else nbytes
        if nbytes > len(to):
            raise ValueError(
                f"requested copy does not fit into host buffer: {nbytes} of {len(to)} bytes"
            )
        if nbytes > most:
            raise ValueError(
                "requested more to copy than available from device buffer: "
                f"{nbytes} of {most} bytes"
            )
        if nbytes:
            self._memory.part(position, nbytes).read(to[:nbytes])
        return buf

    def copy_from_host(self, data, position=0, nbytes=-1):
        """Writes bytes of host memory from `position` on; gives their number."""
        data = host_bytes(data)
        position, room = part_of(self.size, position, -1, "")
        nbytes = operator.index(nbytes)
        nbytes = len(data) if nbytes < 0 else nbytes
        self._check_copy(nbytes, len(data), room)
        if nbytes:
            self._memory.part(position, nbytes).write(data[:nbytes])
        return nbytes

    def copy_from_device(self, buf, position=0, nbytes=-1):
        """The same of another CudaBuffer, of any GPU."""
        if not isinstance(buf, CudaBuffer):
            raise TypeError(f"expected a CudaBuffer, got {type(buf).__name__}")
        position, room = part_of(self.size, position, -1, "")
        nbytes = operator.index(nbytes)
        nbytes = buf.size if nbytes < 0 else nbytes
        self._check_copy(nbytes, buf.size, room)
        if nbytes:
            self._memory.part(position, nbytes).copy_from(buf._memory.part(0, nbytes))
        return nbytes

    @staticmethod
    def _check_copy(nbytes, there, room):
        if nbytes > there:
            raise ValueError(f"requested more to copy than available: {nbytes} of {there} bytes")
        if nbytes > room:
            raise ValueError(
                f"requested more to copy than available in device buffer: {nbytes} of {room} bytes"
            )

    def to_pybytes(self):
        return self._read(0, self.size).tobytes()

    def hex(self):
        """Its bytes as text."""
        return self.to_pybytes().hex().upper().encode()

    def equals(self, other):
        """The same bytes in another CudaBuffer. TypeError for memory of the host: copy_to_host()
        first."""
        if not isinstance(other, CudaBuffer):
            raise TypeError(
                f"a CudaBuffer is compared with another one, not with {type(other).__name__}; "
                "copy_to_host() first"
            )
        if self.size != other.size:
            return False
        same = (self.address, self._memory.number) == (other.address, other._memory.number)
        return same or bool(np.array_equal(self._read(0, self.size), other._read(0, other.size)))

    def __eq__(self, other):
        return self.equals(other) if isinstance(other, CudaBuffer) else NotImplemented

    __hash__ = None

    # -- other libraries -----------------------------------------------------------------------

    def export_for_ipc(self):
        """A handle by which another process opens the memory, which is never released then."""
        return IpcMemHandle(self._memory.export(), _token=_TOKEN)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": (self.size,),
            "typestr": "|u1",
            "data": (self.address if self.size else 0, False),
            "strides": None,
            "stream": None,  # copies wait
            "version": 3,
        }

    def __dlpack__(self, **options):
        return self._memory.array().__dlpack__(**options)

    def __dlpack_device__(self):
        return (2, self._memory.number)

    def __buffer__(self, flags):
        raise BufferError("a CudaBuffer is not in host memory; copy_to_host() first")


_TOKEN = object()


class IpcMemHandle:
    """What CudaBuffer.export_for_ipc gives: bytes for another process of this machine."""

    def __init__(self, handle=None, *, _token=None):
        if _token is not _TOKEN:
            raise TypeError(
                "Do not call IpcMemHandle's constructor directly, use `CudaBuffer.export_for_ipc` "
                "instead."
            )
        self._handle = handle

    @staticmethod
    def from_buffer(opaque_handle):
        """Of what serialize() gave."""
        return IpcMemHandle(host_bytes(opaque_handle).tobytes(), _token=_TOKEN)

    def serialize(self, pool=None):
        """The handle as a pyarrow.Buffer."""
        return pyarrow().py_buffer(self._handle)


class HostBuffer(np.ndarray):
    """Bytes of pinned host memory, which GPUs read and write: see new_host_buffer."""

    def __new__(cls, *_, **__):
        raise TypeError(
            "Do not call HostBuffer's constructor directly, use `cuda.new_host_buffer` instead."
        )

    is_cpu = True
    is_mutable = True
    device_type = 3  # of Arrow's and DLPack's: CUDA_HOST

    @property
    def address(self):
        return self.__array_interface__["data"][0]

    @property
    def parent(self):
        return self.base if isinstance(self.base, HostBuffer) else None

    def slice(self, offset=0, length=None):
        """A part of it, which keeps it; what would reach beyond its end is cut off."""
        offset, length = _slice_of(self.size, offset, length)
        out = self[offset : offset + length]
        return out

    def to_pybytes(self):
        return self.tobytes()

    def equals(self, other):
        """The same bytes in another buffer of host memory."""
        return bool(np.array_equal(np.asarray(self), host_bytes(other)))


def new_host_buffer(size, device=0):
    """A HostBuffer: pinned memory, which copies to and from GPUs at full speed."""
    _core._gpu_context(device)
    size = operator.index(size)
    if size < 0:
        raise ValueError(f"a buffer of {size} bytes")
    return _core._gpu_pinned(size).view(HostBuffer)
