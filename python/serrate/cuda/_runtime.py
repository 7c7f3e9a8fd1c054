"""Memory, streams and kernels of the GPU that expressions run on."""

from typing import NamedTuple

from serrate import _core


class Memory(NamedTuple):
    """Bytes of GPU memory."""

    used: int  # held by arrays
    used_high: int
    reserved: int  # taken from the driver, to be used again
    reserved_high: int
    free: int  # of the whole GPU
    total: int


class Kernels(NamedTuple):
    """Where this process had its kernels from."""

    compiled: int
    from_disk: int
    from_memory: int


def is_available() -> bool:
    """Whether a GPU can be used; `serrate.doctor()` says why not."""
    return _core._gpu_available()


def memory() -> Memory:
    """What arrays use, what is kept for later ones, what the GPU has."""
    return Memory(**_core._gpu_memory())


def set_memory_limit(limit: "int | None") -> None:
    """Arrays that would take more than so many bytes altogether raise MemoryError."""
    _core._gpu_limit(limit or 0)


def trim_memory() -> None:
    """Gives memory that no array uses back to the driver, for other programs."""
    _core._gpu_trim()


def set_allocator(allocate: int, release: int) -> None:
    """Takes memory from other functions than the pool's: addresses of C functions.

    They are those of PyTorch's CUDAPluggableAllocator, which RMM has too: `void* allocate(size_t
    size, int device, cudaStream_t stream)` and `void release(void* p, size_t size, int device,
    cudaStream_t stream)`. 0, 0 goes back to the pool. Memory goes back to where it came from.
    """
    _core._gpu_allocator(allocate, release)


def kernels() -> Kernels:
    """How many kernels this process compiled, read from disk, and found in memory."""
    return Kernels(**_core._gpu_kernels())


def synchronize() -> None:
    """Waits until all work given to this thread's stream is done."""
    _core._gpu_synchronize()


def current_stream() -> int:
    """The cudaStream_t that this thread's work goes to."""
    return _core._gpu_stream()


class stream:  # noqa: N801: used as a function
    """Work of this thread goes to a stream of the user's: CuPy's, PyTorch's, an address.

    On leaving, serrate's own stream waits for it.
    """

    def __init__(self, stream):
        self._stream = stream  # keeps it alive
        self._handle = _handle(stream)

    def __enter__(self):
        self._before = current_stream()
        _core._gpu_use_stream(self._handle)
        return self

    def __exit__(self, *_):
        _core._gpu_use_stream(self._before)


def _handle(stream):
    if hasattr(stream, "__cuda_stream__"):
        handle = stream.__cuda_stream__()[1]
    elif hasattr(stream, "cuda_stream"):  # PyTorch
        handle = stream.cuda_stream
    elif hasattr(stream, "ptr"):  # CuPy
        handle = stream.ptr
    elif isinstance(stream, int):
        handle = stream
    else:
        raise TypeError(
            f"stream: expected a CUDA stream or its address, got {type(stream).__name__}"
        )
    return handle or 1  # 0 is CUDA's default stream; here 0 would be serrate's own
