"""A GPU as the maker of buffers: the interface of pyarrow.cuda.Context."""

import operator

from serrate import _core
from serrate.cuda._buffers import CudaBuffer, HostBuffer, IpcMemHandle, host_bytes


class Context:
    """Memory of one GPU. All contexts of a GPU are the one that CUDA's libraries share."""

    def __init__(self, device_number=0, handle=0):
        self._number = operator.index(device_number)
        own = _core._gpu_context(self._number)
        if handle not in (0, own):
            raise ValueError(
                f"handle {handle:#x} is not the shared context of GPU {self._number} ({own:#x})"
            )

    @staticmethod
    def get_num_devices():
        """How many GPUs there are."""
        return _core._gpu_count()

    @staticmethod
    def from_numba(context=None):
        """The context of one of Numba's, or of its current one."""
        if context is None:
            import numba.cuda

            context = numba.cuda.current_context()
        return Context(context.device.id)

    def to_numba(self):
        """The same GPU's context of Numba's."""
        import numba.cuda

        return numba.cuda.gpus[self._number].get_primary_context()

    @property
    def device_number(self):
        return self._number

    @property
    def handle(self):
        """CUDA's own (a CUcontext), as a number."""
        return _core._gpu_context(self._number)

    @property
    def bytes_allocated(self):
        """What buffers of this process hold on the GPU."""
        return _core._gpu_allocated(self._number)

    @property
    def device(self):
        return self

    memory_manager = device

    def __eq__(self, other):
        return isinstance(other, Context) and other._number == self._number

    def __hash__(self):
        return hash((Context, self._number))

    def __repr__(self):
        return f"<serrate.cuda.Context of GPU {self._number}>"

    def synchronize(self):
        """Waits until all work on the GPU is done."""
        _core._gpu_wait(self._number)

    def get_device_address(self, address):
        """Where the GPU finds what is at an address of pinned memory, or of a GPU's."""
        found = _core._gpu_address(self._number, operator.index(address))
        if not found:
            raise ValueError(f"address {address:#x} can't be reached by GPU {self._number}")
        return found

    def new_buffer(self, nbytes):
        """A CudaBuffer of so many bytes, whatever they are."""
        nbytes = operator.index(nbytes)
        if nbytes < 0:
            raise ValueError(f"a buffer of {nbytes} bytes")
        return CudaBuffer._of(_core._gpu_allocate(self._number, nbytes))

    def foreign_buffer(self, address, size, base=None):
        """A view of memory that others own, which `base` keeps."""
        address, size = operator.index(address), operator.index(size)
        if not address and not size:
            return self.new_buffer(0)
        if size < 0 or address <= 0:
            raise ValueError(f"{size} bytes at {address:#x}")
        if size:
            self.get_device_address(address)
        return CudaBuffer._of(_core._gpu_view(self._number, address, size, base))

    def open_ipc_buffer(self, ipc_handle):
        """Memory of another process as a CudaBuffer."""
        if not isinstance(ipc_handle, IpcMemHandle):
            raise TypeError(f"expected an IpcMemHandle, got {type(ipc_handle).__name__}")
        return CudaBuffer._of(_core._gpu_open(ipc_handle._handle))

    def buffer_from_data(self, data, offset=0, size=-1):
        """A copy, on the GPU, of bytes in host memory or of another CudaBuffer."""
        far = isinstance(data, CudaBuffer)
        data = data if far else host_bytes(data)
        length = data.size if far else len(data)
        offset, size = operator.index(offset), operator.index(size)
        if not 0 <= offset <= length:
            raise ValueError(f"offset argument is out-of-range: {offset} of {length} bytes")
        size = length - offset if size < 0 else size
        if size > length - offset:
            raise ValueError(
                "requested larger slice than available in device buffer: "
                f"{size} of {length - offset} bytes"
            )
        out = self.new_buffer(size)
        if far:
            out.copy_from_device(data.slice(offset, size))
        else:
            out.copy_from_host(data[offset : offset + size])
        return out

    def buffer_from_object(self, obj):
        """A view, as a CudaBuffer, of memory that the GPU reads: a HostBuffer, a CudaBuffer, an
        object with __cuda_array_interface__ (all from its first to its last item)."""
        if isinstance(obj, CudaBuffer):
            return obj
        if isinstance(obj, HostBuffer):
            return self.foreign_buffer(obj.address if obj.size else 0, obj.size, obj)
        if not hasattr(obj, "__cuda_array_interface__"):
            raise self._refused(obj)
        interface = obj.__cuda_array_interface__
        _wait_for(interface.get("stream"))
        first, size = _extent(interface)
        return self.foreign_buffer(first if size else 0, size, obj)

    @staticmethod
    def _refused(obj):
        name = f"{type(obj).__module__}.{type(obj).__name__}"
        text = f"cannot create device buffer view from object of class '{name}'"
        try:
            import pyarrow
        except ModuleNotFoundError:
            return TypeError(text)
        if isinstance(obj, pyarrow.Buffer):
            text = "buffer is not backed by a CudaBuffer: it is in host memory"
        return pyarrow.ArrowTypeError(text)


def _wait_for(stream):
    """What the owner has given to its stream comes first."""
    if stream is not None:
        with _core_stream(stream):
            _core._gpu_synchronize()


def _core_stream(handle):
    from serrate.cuda._runtime import stream

    return stream(handle)


def _extent(interface):
    """(address, bytes) from the first to behind the last item."""
    import numpy as np

    size = np.dtype(interface["typestr"]).itemsize
    shape, strides = interface["shape"], interface.get("strides")
    if 0 in shape:
        return 0, 0
    if strides is None:
        return interface["data"][0], size * int(np.prod(shape, dtype="int64"))
    reach = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    below, above = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    return interface["data"][0] + below, above - below + size


def _from_buffer(buf):
    """The buffer itself, or a view of what has __cuda_array_interface__."""
    return Context(_core._gpu_number()).buffer_from_object(buf)


def _context_of(buffer):
    """The Context of the GPU that it is on."""
    return Context(buffer._memory.number)


CudaBuffer.from_buffer = staticmethod(_from_buffer)
CudaBuffer.context = CudaBuffer.device = CudaBuffer.memory_manager = property(_context_of)
