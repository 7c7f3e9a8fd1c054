"""Arrow's IPC messages on a GPU: what describes them is read on the host, bodies stay there."""

import struct

import numpy as np

from serrate import _core
from serrate.cuda._buffers import CudaBuffer, pyarrow
from serrate.cuda._files import BufferReader

_CONTINUES = b"\xff\xff\xff\xff"
_TYPES = ("none", "schema", "dictionary", "record batch", "tensor", "sparse tensor")


def serialize_record_batch(batch, ctx):
    """A pyarrow.RecordBatch as a message of Arrow's IPC format in one CudaBuffer."""
    return ctx.buffer_from_data(batch.serialize())


class _Table:
    """A table of a FlatBuffer: fields by number."""

    def __init__(self, data, at):
        self._data, self._at = data, at
        self._fields = at - self._number("<i", at)

    def _number(self, kind, at):
        if not 0 <= at <= len(self._data) - struct.calcsize(kind):
            raise ValueError("read_message: the metadata contradict themselves")
        return struct.unpack_from(kind, self._data, at)[0]

    @classmethod
    def root(cls, data):
        if len(data) < 8:
            raise ValueError(f"read_message: metadata of {len(data)} bytes")
        return cls(data, struct.unpack_from("<I", data)[0])

    def place(self, field):
        """Where the field is, or None."""
        at = 4 + 2 * field
        if at + 2 > self._number("<H", self._fields):
            return None
        offset = self._number("<H", self._fields + at)
        return self._at + offset if offset else None

    def number(self, field, kind):
        at = self.place(field)
        return 0 if at is None else self._number(kind, at)

    def table(self, field):
        at = self.place(field)
        return None if at is None else _Table(self._data, at + self._number("<I", at))


class Message:
    """A message of Arrow's IPC format: metadata on the host, the body on a GPU."""

    def __init__(self, metadata, body):
        self._metadata, self.body = metadata, body

    @property
    def type(self):
        """'record batch', 'schema', 'dictionary' ..."""
        kind = _Table.root(self._metadata).number(1, "<B")
        return _TYPES[kind] if kind < len(_TYPES) else f"type {kind}"

    @property
    def metadata(self):
        """A pyarrow.Buffer."""
        return pyarrow().py_buffer(self._metadata)

    def equals(self, other):
        same = isinstance(other, Message) and self._metadata == other._metadata
        return same and self.body.equals(other.body)

    def __repr__(self):
        return f"<serrate.cuda.Message {self.type}, {self.body.size} bytes on the GPU>"

    @property
    def is_compressed(self):
        header = _Table.root(self._metadata).table(2)
        return header is not None and header.place(3) is not None


def read_message(source, pool=None):
    """The next message of a BufferReader, or that of a CudaBuffer. EOFError if there is none."""
    reader = BufferReader(source) if isinstance(source, CudaBuffer) else source
    if not isinstance(reader, BufferReader):
        raise TypeError(f"expected a CudaBuffer or a BufferReader, got {type(source).__name__}")
    start = reader.read(4)
    if start == _CONTINUES:
        start = reader.read(4)
    length = struct.unpack("<i", start)[0] if len(start) == 4 else 0
    if length == 0:
        raise EOFError("read_message: there is no message")
    metadata = reader.read(length) if length > 0 else b""
    if len(metadata) != length:
        raise ValueError(f"read_message: expected {length} bytes of metadata, got {len(metadata)}")
    size = _Table.root(metadata).number(3, "<q")
    body = reader.read_buffer(size) if size >= 0 else None
    if body is None or body.size != size:
        raise ValueError(f"read_message: expected a body of {size} bytes, got less")
    return Message(metadata, body)


def read_record_batch(buffer, schema, *, dictionary_memo=None, pool=None):
    """A RecordBatch whose columns are parts of a CudaBuffer with a message, or of a Message's body.

    `schema` is pyarrow's. Compressed bodies and dictionaries are refused: these are read on the
    CPU.
    """
    message = buffer if isinstance(buffer, Message) else read_message(buffer)
    if message.type != "record batch":
        raise ValueError(f"read_record_batch: the message is a {message.type}")
    if message.is_compressed:
        raise NotImplementedError(
            "read_record_batch: the body is compressed; read it on the CPU, then "
            'to_backend(ak.from_arrow(batch), "cuda")'
        )
    pa = pyarrow()
    # pyarrow reads a body of zeros in host memory, whose pages nobody touches; then its places
    # become those of the body on the GPU.
    metadata = message._metadata
    at = 8 + len(metadata)
    stand_in = np.zeros(at + message.body.size, "uint8")
    head = _CONTINUES + struct.pack("<i", len(metadata)) + metadata
    stand_in[:at] = np.frombuffer(head, "uint8")
    batch = pa.ipc.read_record_batch(pa.py_buffer(stand_in), schema, dictionary_memo)
    batch.validate()  # that buffers are as long as what they hold
    host = stand_in.ctypes.data + at
    for column in batch.columns:
        _check_text(pa, column, host, message.body)
    return RecordBatch(batch, host, message)


def _check_text(pa, array, host, body):
    """ValueError for text whose offsets end behind its bytes: Arrow's C interface does not say how
    many there are."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return _check_text(pa, array.storage, host, body)
    short = pa.types.is_string(kind) or pa.types.is_binary(kind)
    if short or pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        _, offsets, data = array.buffers()
        width = 4 if short else 8
        if len(array) and offsets is not None and offsets.size:
            at = offsets.address - host + (array.offset + len(array)) * width
            last = int.from_bytes(body.slice(at, width).to_pybytes(), "little", signed=True)
            size = 0 if data is None else data.size
            if last > size:
                raise ValueError(
                    f"read_record_batch: text ends at byte {last}, but there are {size} bytes"
                )
    elif pa.types.is_struct(kind) or pa.types.is_union(kind):
        for i in range(kind.num_fields):
            _check_text(pa, array.field(i), host, body)
    elif pa.types.is_nested(kind):
        _check_text(pa, array.values, host, body)
    return None


class RecordBatch:
    """Columns on a GPU, with the schema of pyarrow's."""

    def __init__(self, stand_in, host, message):
        self._stand_in, self._host, self._message = stand_in, host, message
        self.array = _core._gpu_batch(stand_in, host, message.body._memory)
        if stand_in.num_columns == 1 and not _core.fields(self.array):
            self.array = _core.zip({stand_in.schema.names[0]: self.array}, depth_limit=1)

    @property
    def schema(self):
        return self._stand_in.schema

    @property
    def num_rows(self):
        return self._stand_in.num_rows

    @property
    def num_columns(self):
        return self._stand_in.num_columns

    def __len__(self):
        return self.num_rows

    def column(self, i):
        """A column, by its name or number, as an Array on the GPU."""
        return self.array[i if isinstance(i, str) else _core.fields(self.array)[i]]

    def buffers(self, i):
        """The buffers of a column as pyarrow's column.buffers() lists them: CudaBuffers or None."""
        body, out = self._message.body, []
        for b in self._stand_in.column(i).buffers():
            inside = b is not None and 0 <= b.address - self._host <= body.size - b.size
            out.append(body.slice(b.address - self._host, b.size) if inside else None)
        return out

    def copy_to_host(self):
        """The same as a pyarrow.RecordBatch."""
        pa, metadata = pyarrow(), self._message._metadata
        head = _CONTINUES + struct.pack("<i", len(metadata)) + metadata
        whole = head + self._message.body.to_pybytes()
        return pa.ipc.read_record_batch(pa.py_buffer(whole), self.schema)

    def equals(self, other):
        other = other.copy_to_host() if isinstance(other, RecordBatch) else other
        return self.copy_to_host().equals(other)

    def __arrow_c_device_array__(self, requested_schema=None, **options):
        return self.array.__arrow_c_device_array__(requested_schema, **options)

    def __repr__(self):
        return f"<serrate.cuda.RecordBatch {self.num_rows} rows\n{self.schema}>"
