# serrate.cuda as pyarrow.cuda: contexts, buffers, files, messages; on a GPU Numba and processes.
import io
import multiprocessing

import gpu
import numpy as np
import pytest

import serrate as ak
from serrate import cuda

pa = pytest.importorskip("pyarrow")

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")
ON_GPU = gpu.REAL and not gpu.EMULATED
SIZES = [0, 1, 1000]


@pytest.fixture
def ctx():
    return cuda.Context(gpu.on_gpu([1]).__dlpack_device__()[1])


def some_bytes(size):
    return np.random.default_rng(size).integers(1, 255, size, dtype=np.uint8)


def test_contexts(ctx):
    count = cuda.Context.get_num_devices()
    assert count > 0
    assert cuda.Context(ctx.device_number) == ctx
    assert ctx.handle != 0
    assert cuda.Context(ctx.device_number, ctx.handle).handle == ctx.handle
    with pytest.raises(ValueError, match="device_number argument must be non-negative less than"):
        cuda.Context(count)
    with pytest.raises(ValueError, match="non-negative"):
        cuda.Context(-1)
    with pytest.raises(ValueError, match="not the shared context"):
        cuda.Context(ctx.device_number, 12345)
    ctx.synchronize()


def test_memory_is_counted_and_given_back(ctx):
    before = ctx.bytes_allocated
    b = ctx.new_buffer(128)
    part = b.slice(100)
    assert ctx.bytes_allocated == before + 128
    del b
    assert ctx.bytes_allocated == before + 128  # the part keeps it
    del part
    assert ctx.bytes_allocated == before


@pytest.mark.parametrize("size", SIZES)
def test_copies(ctx, size):
    a = some_bytes(size)
    for data in (a, a.tobytes(), bytearray(a), memoryview(a), pa.py_buffer(a)):
        assert ctx.buffer_from_data(data).to_pybytes() == a.tobytes()
    b = ctx.buffer_from_data(a)
    assert (b.size, len(b), b.is_cpu, b.context) == (size, size, False, ctx)
    assert (b.address > 0) == (size > 0)
    host = b.copy_to_host()
    assert isinstance(host, pa.Buffer)
    assert np.array_equal(np.frombuffer(host, np.uint8), a)
    other = ctx.buffer_from_data(b)
    other.copy_from_host(np.zeros(size, np.uint8))
    assert b.to_pybytes() == a.tobytes()  # was a copy
    assert other.copy_from_device(b) == size
    assert other.equals(b)
    part = ctx.buffer_from_data(a, offset=size // 4, size=size // 2)
    assert part.to_pybytes() == a[size // 4 :][: size // 2].tobytes()
    assert ctx.buffer_from_data(b, offset=size // 4).to_pybytes() == a[size // 4 :].tobytes()
    assert b.copy_to_host(position=size // 4, nbytes=0).size == 0
    strided = np.arange(10, dtype=np.int32)[::2]
    assert ctx.buffer_from_data(strided).to_pybytes() == strided.tobytes()


def test_bounds(ctx):
    b = ctx.new_buffer(1000)
    for position in (1002, -2, 1001):
        for nbytes in (-1, 0):
            with pytest.raises(ValueError, match="position argument is out-of-range"):
                b.copy_to_host(position=position, nbytes=nbytes)
            with pytest.raises(ValueError, match="position argument is out-of-range"):
                b.copy_from_host(b"", position=position)
    for position, nbytes in [(0, 1001), (500, 501), (1000, 1)]:
        with pytest.raises(ValueError, match="requested more to copy than available from device"):
            b.copy_to_host(position=position, nbytes=nbytes)
        with pytest.raises(ValueError, match="requested more to copy than available"):
            b.copy_from_host(bytes(2000), position=position, nbytes=nbytes)
        with pytest.raises(ValueError, match="requested more to copy than available"):
            b.copy_from_device(b, position=position, nbytes=nbytes)
    host = np.zeros(10, np.uint8)
    with pytest.raises(ValueError, match="does not fit into host buffer"):
        b.copy_to_host(buf=host, nbytes=11)
    with pytest.raises(ValueError, match="written to"):
        b.copy_to_host(buf=bytes(10))
    with pytest.raises(ValueError, match="offset argument is out-of-range"):
        ctx.buffer_from_data(host, offset=11)
    with pytest.raises(ValueError, match="larger slice than available in device buffer"):
        ctx.buffer_from_data(host, offset=5, size=6)
    with pytest.raises(IndexError):
        b.slice(1001)
    for bad in (1000, -1001):
        with pytest.raises(IndexError):
            b[bad]
    with pytest.raises(ValueError, match="a buffer of -1"):
        ctx.new_buffer(-1)
    with pytest.raises(MemoryError):
        ctx.new_buffer(2**46)


@pytest.mark.parametrize("size", SIZES)
def test_parts(ctx, size):
    a = some_bytes(size)
    b = ctx.buffer_from_data(a)
    assert b[:].to_pybytes() == a.tobytes()
    assert b[size // 4 : size // 2].to_pybytes() == a[size // 4 : size // 2].tobytes()
    assert b.slice(size // 4, size + 10).size == size - size // 4
    assert b.slice(size // 4).parent is b
    assert b.slice(0, 0).size == 0
    for i in range(0, size, 99):
        assert b[i] == a[i]
        assert b[i - size] == a[i]
    into = np.zeros(size, np.uint8)
    assert b.copy_to_host(buf=into) is into
    assert np.array_equal(into, a)
    if size > 20:
        small = np.zeros(10, np.uint8)
        b.copy_to_host(buf=small, position=12)
        assert np.array_equal(small, a[12:22])
        b.slice(4, 4).copy_from_host(b"\0" * 4)
        assert b.to_pybytes()[:10] == a[:4].tobytes() + b"\0" * 4 + a[8:10].tobytes()


def test_a_host_buffer_and_one_on_a_gpu_do_not_compare(ctx):
    """What pyarrow.cuda's page shows as a segmentation fault."""
    b = ctx.buffer_from_data(b"x" * 16)
    with pytest.raises(TypeError):
        pa.py_buffer(b"x" * 16).equals(b)
    with pytest.raises(TypeError, match="copy_to_host"):
        b.equals(pa.py_buffer(b"x" * 16))
    assert b != b"x" * 16
    assert b == ctx.buffer_from_data(b"x" * 16)
    assert not b.equals(ctx.buffer_from_data(b"y" * 16))
    assert not b.equals(ctx.buffer_from_data(b"x" * 15))
    assert b.hex() == b"78" * 16
    with pytest.raises((BufferError, TypeError)):
        memoryview(b)
    with pytest.raises((BufferError, TypeError)):
        pa.py_buffer(b)
    for cls, name in [(cuda.CudaBuffer, "new_buffer"), (cuda.HostBuffer, "new_host_buffer")]:
        with pytest.raises(TypeError, match=f"Do not call {cls.__name__}'s constructor.*{name}"):
            cls()


@pytest.mark.parametrize("size", SIZES)
def test_pinned_memory(ctx, size):
    a = some_bytes(size)
    b = cuda.new_host_buffer(size)
    np.frombuffer(b, np.uint8)[:] = a
    assert (b.size, b.is_cpu) == (size, True)
    assert b.to_pybytes() == a.tobytes()
    assert b.slice(size // 4, size // 2).to_pybytes() == a[size // 4 :][: size // 2].tobytes()
    assert b.equals(pa.py_buffer(a))
    there = ctx.buffer_from_object(b)
    assert there.copy_to_host().to_pybytes() == a.tobytes()
    view = ctx.foreign_buffer(b.address, b.size, b) if size else ctx.foreign_buffer(0, 0)
    del b
    assert view.to_pybytes() == a.tobytes()
    with pytest.raises(ValueError, match="a buffer of -1"):
        cuda.new_host_buffer(-1)


def test_views_of_other_libraries_memory(ctx):
    a = np.arange(12, dtype=np.int32)
    foreign = gpu.Foreign(a)
    b = ctx.buffer_from_object(foreign)
    assert b.address == foreign.__cuda_array_interface__["data"][0]
    assert b.to_pybytes() == a.tobytes()
    gaps = gpu.Foreign(a, shape=(4,), strides=(12,))
    assert ctx.buffer_from_object(gaps).size == 3 * 12 + 4  # the gaps, too
    x = gpu.on_gpu(np.arange(4.0))
    assert cuda.CudaBuffer.from_buffer(x).to_pybytes() == np.arange(4.0).tobytes()
    assert ctx.buffer_from_object(b) is b
    with pytest.raises(pa.ArrowTypeError, match="buffer is not backed by a CudaBuffer"):
        ctx.buffer_from_object(pa.py_buffer(b"123"))
    with pytest.raises(pa.ArrowTypeError, match=r"cannot create device buffer view.*numpy.ndarray"):
        ctx.buffer_from_object(a)
    with pytest.raises(ValueError, match="bytes at"):
        ctx.foreign_buffer(0, 5)


def test_other_libraries_take_buffers(ctx):
    b = ctx.buffer_from_data(np.arange(4, dtype=np.uint8))
    assert gpu.host(ak.from_cupy(b, copy=False)).tolist() == [0, 1, 2, 3]
    assert "dltensor" in repr(b.__dlpack__())
    x = ak.from_dlpack(b, copy=False)
    assert x.__cuda_array_interface__["data"][0] == b.address
    del b
    assert (x + 1).to_list() == [1, 2, 3, 4]


@pytest.mark.parametrize("size", SIZES)
def test_files(ctx, size):
    a = some_bytes(size)
    b = ctx.buffer_from_data(a)
    reader = cuda.BufferReader(b)
    assert reader.size() == size
    assert reader.read() == a.tobytes()
    assert reader.tell() == size
    assert reader.read_buffer().size == 0
    reader.seek(size // 2)
    part = reader.read_buffer(size)
    assert isinstance(part, cuda.CudaBuffer)
    assert part.to_pybytes() == a[size // 2 :].tobytes()
    with pytest.raises(OSError, match="out of bounds"):
        reader.seek(size + 1)
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader.read_buffer()
    for room in (0, 10, 4096):
        to = ctx.buffer_from_data(bytes(size))
        writer = cuda.BufferWriter(to)
        writer.buffer_size = room
        for i in range(0, size, 7):
            writer.write(a[i : i + 7])
        assert writer.tell() == size
        assert writer.num_bytes_buffered < max(room, 1)
        writer.flush()
        assert writer.num_bytes_buffered == 0
        assert to.to_pybytes() == a.tobytes()
        with pytest.raises(OSError, match="writing 1 bytes at"):
            writer.write(b"x")
        if size > 10:
            writer.writeat(3, b"abc")
            writer.close()
            assert to.to_pybytes() == a[:3].tobytes() + b"abc" + a[6:].tobytes()
        else:
            with pytest.raises(ValueError, match="whence"):
                writer.seek(0, 2)


def batch():
    return pa.record_batch(
        {
            "n": pa.array([1, None, 3], pa.int16()),
            "lists": pa.array([[1.5], [], [2.5, None]]),
            "text": pa.array(["a", "", "th\u00e9"]),
            "record": pa.array([{"b": True, "x": 1}, None, {"b": None, "x": 2}]),
            "none": pa.nulls(3),
        }
    )


def test_messages(ctx):
    want = batch()
    b = cuda.serialize_record_batch(want, ctx)
    assert b.to_pybytes() == want.serialize().to_pybytes()
    message = cuda.read_message(b)
    assert message.type == "record batch"
    assert isinstance(message.body, cuda.CudaBuffer)
    assert message.metadata.is_cpu
    assert message.equals(cuda.read_message(cuda.BufferReader(b)))
    got = cuda.read_record_batch(b, want.schema)
    assert (got.num_rows, got.num_columns, len(got)) == (3, 5, 3)
    assert got.schema == want.schema
    assert got.equals(want)
    assert got.copy_to_host().equals(want)
    assert ak.backend(got.array) == "cuda"
    for name in want.schema.names:
        assert got.column(name).to_list() == want.column(name).to_pylist()
    # No copy: the columns are parts of the buffer.
    places = range(b.address, b.address + b.size)
    for i in range(want.num_columns):
        assert all(x.address in places for x in got.buffers(i) if x is not None and x.size)
    numbers = cuda.read_record_batch(
        cuda.serialize_record_batch(pa.record_batch({"x": pa.array([1.5, 2.5])}), ctx),
        pa.schema({"x": pa.float64()}),
    )
    where = numbers.buffers(0)[1].address
    assert ak.from_arrow(numbers).x.to_list() == [1.5, 2.5]
    x = ak.to_backend(numbers.column("x"), "cuda")
    assert cuda.CudaBuffer.from_buffer(ak.drop_none(x)).to_pybytes()[:8] == b"\0" * 6 + b"\xf8?"
    assert where in range(numbers._message.body.address, where + 1)
    del b, message, numbers
    assert got.column("n").to_list() == [1, None, 3]


def test_messages_of_a_stream(ctx):
    sink = pa.BufferOutputStream()
    table = pa.table(batch().to_pydict() | {"d": pa.array(["u", "v", "u"]).dictionary_encode()})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    b = ctx.buffer_from_data(sink.getvalue())
    # pyarrow takes what read_buffer() gives for host memory: buffered, there is none.
    buffered = io.BufferedReader(cuda.BufferReader(b))
    assert pa.ipc.open_stream(buffered).read_all().equals(table)
    reader, kinds = cuda.BufferReader(b), []
    while True:
        try:
            kinds.append(cuda.read_message(reader).type)
        except EOFError:
            break
    assert kinds == ["schema", "dictionary", "record batch"]


def test_messages_that_lie(ctx):
    good = cuda.serialize_record_batch(batch(), ctx).to_pybytes()
    schema = batch().schema
    for n in (0, 3, 7, 20, 100, len(good) - 1):
        with pytest.raises((ValueError, EOFError)):
            cuda.read_message(ctx.buffer_from_data(good[:n]))
    rng = np.random.default_rng(1)
    for _ in range(300):
        bad = bytearray(good)
        for at in rng.integers(4, len(bad), 3):
            bad[at] = rng.integers(0, 256)
        try:
            found = cuda.read_record_batch(ctx.buffer_from_data(bytes(bad)), schema)
            found.array.to_list()
        except (ValueError, EOFError, TypeError, NotImplementedError, OSError):
            pass
        except pa.ArrowException:
            pass
    with pytest.raises(ValueError, match="the message is a schema"):
        cuda.read_record_batch(ctx.buffer_from_data(schema.serialize()), schema)
    with pytest.raises(TypeError, match="expected a CudaBuffer"):
        cuda.read_message(b"abc")
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema, options=options) as writer:
        writer.write_batch(batch())
    reader = cuda.BufferReader(ctx.buffer_from_data(sink.getvalue()))
    cuda.read_message(reader)
    with pytest.raises(NotImplementedError, match="compressed"):
        cuda.read_record_batch(cuda.read_message(reader), schema)


def test_handles_for_other_processes(ctx):
    b = ctx.buffer_from_data(some_bytes(1000))
    handle = b.slice(10, 20).export_for_ipc()
    data = handle.serialize()
    again = cuda.IpcMemHandle.from_buffer(data)
    assert again.serialize().equals(data)
    for wrong in (b"", data.to_pybytes() + b"x"):
        with pytest.raises(ValueError, match="bytes"):
            ctx.open_ipc_buffer(cuda.IpcMemHandle.from_buffer(wrong))
    with pytest.raises(TypeError, match="IpcMemHandle"):
        ctx.open_ipc_buffer(data)
    with pytest.raises(TypeError, match="export_for_ipc"):
        cuda.IpcMemHandle()
    with pytest.raises(ValueError, match="has not allocated"):
        ctx.foreign_buffer(b.address, 10, b).export_for_ipc()
    assert ctx.open_ipc_buffer(ctx.new_buffer(0).export_for_ipc()).size == 0


def _other_process(data, number, expected):
    there = cuda.Context(number).open_ipc_buffer(cuda.IpcMemHandle.from_buffer(data))
    assert there.to_pybytes() == expected
    there.copy_from_host(b"done")


@pytest.mark.skipif(not ON_GPU, reason="processes share memory of a GPU only")
@pytest.mark.parametrize("size", [4, 1000, 5_000_000])
def test_two_processes(ctx, size):
    a = some_bytes(size + 100)
    b = ctx.buffer_from_data(a).slice(50, size)
    data = b.export_for_ipc().serialize().to_pybytes()
    arguments = (data, ctx.device_number, a[50:][:size].tobytes())
    process = multiprocessing.get_context("spawn").Process(target=_other_process, args=arguments)
    process.start()
    process.join(120)
    assert process.exitcode == 0
    assert b.to_pybytes() == b"done" + a[54:][: size - 4].tobytes()


@pytest.mark.skipif(not ON_GPU, reason="Numba needs a GPU")
class TestNumba:
    """The page of pyarrow.cuda, and what it says is not possible yet."""

    @pytest.fixture(autouse=True)
    def numba(self):
        self.cuda = pytest.importorskip("numba.cuda")

    def increment(self):
        numba_cuda = self.cuda

        @numba_cuda.jit
        def kernel(an_array):
            pos = numba_cuda.grid(1)
            if pos < an_array.size:
                an_array[pos] += 1

        return kernel[16, 16]

    def test_arrow_to_numba(self, ctx):
        from numba.cuda.cudadrv.devicearray import DeviceNDArray

        arr = np.arange(4, dtype=np.int32)
        b = ctx.buffer_from_data(arr)
        device = DeviceNDArray(arr.shape, arr.strides, arr.dtype, gpu_data=b.to_numba())
        self.increment()(device)
        assert np.frombuffer(b.copy_to_host(), np.int32).tolist() == [1, 2, 3, 4]

    def test_numba_to_arrow(self):
        arr = np.arange(10, 14, dtype=np.int32)
        device = self.cuda.to_device(arr)
        b = cuda.CudaBuffer.from_numba(device.gpu_data)
        assert (b.size, b.context.device_number) == (16, self.cuda.current_context().device.id)
        assert np.frombuffer(b.copy_to_host(), np.int32).tolist() == arr.tolist()
        assert cuda.Context.from_numba().device_number == b.context.device_number

    def test_an_arrow_array_in_a_kernel_with_its_type(self):
        a = pa.array([1, 2, 3], pa.int32())
        x = ak.to_backend(ak.from_arrow(a), "cuda")
        self.increment()(ak.drop_none(x))  # no DeviceNDArray by hand
        back = pa.array(ak.to_backend(x, "cpu"))
        assert back.type == a.type


def test_an_arrow_array_keeps_its_type_on_the_gpu():
    a = pa.array([[{"t": "a", "d": 1}], None, []])
    x = ak.to_backend(ak.from_arrow(a), "cuda")
    assert ak.backend(x) == "cuda"
    assert pa.array(ak.to_backend(x, "cpu")).to_pylist() == a.to_pylist()
    for name in ("to_numpy", "to_buffers"):
        with pytest.raises(TypeError, match="to_backend"):
            getattr(ak, name)(x)
