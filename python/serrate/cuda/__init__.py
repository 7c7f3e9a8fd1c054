"""The GPU: its memory, streams, the kernels that were compiled; and buffers of bytes there, as
pyarrow.cuda has them.

>>> from serrate import cuda
>>> if cuda.is_available():
...     with cuda.stream(cupy_stream):
...         y = (x + 1).to_list()
"""

from serrate.cuda._buffers import CudaBuffer, HostBuffer, IpcMemHandle, new_host_buffer
from serrate.cuda._context import Context
from serrate.cuda._files import BufferReader, BufferWriter
from serrate.cuda._launch import launch
from serrate.cuda._messages import (
    Message,
    RecordBatch,
    read_message,
    read_record_batch,
    serialize_record_batch,
)
from serrate.cuda._runtime import (
    Kernels,
    Memory,
    current_stream,
    is_available,
    kernels,
    memory,
    set_allocator,
    set_memory_limit,
    stream,
    synchronize,
    trim_memory,
)

__all__ = [
    "BufferReader",
    "BufferWriter",
    "Context",
    "CudaBuffer",
    "HostBuffer",
    "IpcMemHandle",
    "Kernels",
    "Memory",
    "Message",
    "RecordBatch",
    "current_stream",
    "is_available",
    "kernels",
    "launch",
    "memory",
    "new_host_buffer",
    "read_message",
    "read_record_batch",
    "serialize_record_batch",
    "set_allocator",
    "set_memory_limit",
    "stream",
    "synchronize",
    "trim_memory",
]
