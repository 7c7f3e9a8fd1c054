# Memory on the GPU that is shared with other libraries: interfaces, buffers, DLPack, streams.
import pickle

import awkward
import numpy as np
import pytest
from gpu import VALUES, Foreign, host, on_gpu

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


def test_bulk_hand_over_is_refused():
    x = on_gpu([1.0, 2.0])
    for hand_over in [
        ak.to_numpy,
        np.asarray,
        ak.to_buffers,
        pickle.dumps,
        lambda a: a.to_numpy(),
    ]:
        with pytest.raises(TypeError, match="to_backend"):
            hand_over(x)
    with pytest.raises(TypeError, match="to_backend"):
        ak.to_cupy(ak.Array([1]))


def test_cuda_array_interface_out():
    x = on_gpu([[1.5, 2.5], [3.5, 4.5]])
    assert not hasattr(ak.Array([1]), "__cuda_array_interface__")
    with pytest.raises(TypeError, match="regular"):
        host(x)
    regular = on_gpu(np.arange(6, dtype="int16").reshape(2, 3))
    interface = regular.__cuda_array_interface__
    assert interface["shape"] == (2, 3)
    assert interface["typestr"] == "<i2"
    assert interface["strides"] is None
    assert host(regular).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert host(on_gpu([True, False])).tolist() == [True, False]
    assert host(on_gpu(np.zeros((0, 3)))).shape == (0, 3)
    for bad in [["a"], [1, None], [{"x": 1}]]:
        with pytest.raises(TypeError):
            host(on_gpu(bad))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64", "complex64"])
def test_cuda_array_interface_in(dtype):
    a = np.array([[1, 0, 3], [0, 5, 6]]).astype(dtype)
    x = ak.Array(Foreign(a))
    assert ak.backend(x) == "cuda"
    assert ak.to_list(x) == a.tolist()
    assert str(x.type) == f"2 * 3 * {dtype}"
    assert host(x).tolist() == a.tolist()


def test_cuda_array_interface_is_no_copy():
    foreign = Foreign(np.arange(5))
    before = ak.cuda.memory().used
    x = ak.from_cupy(foreign, copy=False)
    assert ak.cuda.memory().used == before
    assert x.__cuda_array_interface__["data"][0] == foreign.__cuda_array_interface__["data"][0]
    with pytest.raises(TypeError, match="scalar"):
        ak.Array(Foreign(np.array(1.5)))
    with pytest.raises(TypeError, match="mask"):
        ak.Array(Foreign(np.arange(2), mask=Foreign(np.arange(2))))
    with pytest.raises(TypeError, match="list"):
        ak.from_cupy([1])


def test_cuda_array_interface_keeps_its_owner_alive():
    x = ak.Array(Foreign(np.full(100_000, 7)), copy=False)
    np.full(100_000, 8)
    assert x.to_list() == [7] * 100_000


@pytest.mark.parametrize("name", [n for n, v in VALUES.items() if v])
def test_buffers_on_the_gpu(name):
    values = VALUES[name]
    x = ak.Array(values)
    form, length, buffers = ak.to_buffers(x, backend="cuda")
    assert all(ak.backend(b) == "cuda" for b in buffers.values())
    back = ak.from_buffers(form, length, buffers)
    assert ak.backend(back) == "cuda"
    assert str(back.type) == str(x.type)
    assert back.to_list() == x.to_list()
    form, length, buffers = ak.to_buffers(on_gpu(values), backend="cpu")
    assert awkward.from_buffers(str(form), length, buffers).to_list() == x.to_list()


def test_numbers_in_gpu_buffers_are_not_copied():
    offsets, data = Foreign(np.array([0, 2, 3])), Foreign(np.array([1.5, 2.5, 3.5]))
    form = {
        "class": "ListOffsetArray",
        "offsets": "i64",
        "form_key": "a",
        "content": {"class": "NumpyArray", "primitive": "float64", "form_key": "b"},
    }
    x = ak.from_buffers(form, 2, {"a-offsets": offsets, "b-data": data}, copy=False)
    assert ak.backend(x) == "cuda"
    assert x.to_list() == [[1.5, 2.5], [3.5]]
    _, _, buffers = ak.to_buffers(x, backend="cuda")
    address = data.__cuda_array_interface__["data"][0]
    assert address in [b.__cuda_array_interface__["data"][0] for b in buffers.values()]
    bad = Foreign(np.array([0, 2, 1]))
    with pytest.raises(ValueError, match="decrease"):
        ak.from_buffers(form, 2, {"a-offsets": bad, "b-data": data})
    strided = Foreign(np.arange(6), shape=(3,), strides=(16,))
    with pytest.raises(ValueError, match="contiguous"):
        ak.from_buffers(form, 2, {"a-offsets": strided, "b-data": data})


def test_dlpack():
    x = on_gpu(np.arange(6, dtype="float32").reshape(2, 3))
    assert x.__dlpack_device__()[0] == 2
    y = ak.from_dlpack(x)
    assert ak.backend(y) == "cuda"
    assert y.to_list() == [[0, 1, 2], [3, 4, 5]]
    assert y.__cuda_array_interface__["data"][0] == x.__cuda_array_interface__["data"][0]
    assert "dltensor" in repr(x.__dlpack__(stream=-1))
    assert "dltensor" in repr(x.__dlpack__(stream=2, max_version=(1, 0)))
    with pytest.raises(ValueError, match="ambiguous"):
        x.__dlpack__(stream=0)
    before = ak.cuda.memory().used
    del x
    assert ak.cuda.memory().used == before
    assert y.to_list() == [[0, 1, 2], [3, 4, 5]]
    del y
    assert ak.cuda.memory().used < before


def test_dlpack_of_another_gpu():
    x = on_gpu([1.5, 2.5])
    number = x.__dlpack_device__()[1]
    assert "dltensor" in repr(x.__dlpack__(dl_device=(2, number)))
    with pytest.raises(BufferError, match=f"GPU 9, .* GPU {number}"):
        x.__dlpack__(dl_device=(2, 9))

    class Elsewhere:
        __dlpack__ = x.__dlpack__

        def __dlpack_device__(self):
            return (2, 9)

    with pytest.raises(ValueError, match=r"Elsewhere is on GPU 9.*SERRATE_CUDA_DEVICE=9"):
        ak.from_dlpack(Elsewhere())


def test_streams():
    own = ak.cuda.current_stream()
    with ak.cuda.stream(2) as s:
        assert ak.cuda.current_stream() == 2
        x = on_gpu([1, 2])
        with ak.cuda.stream(1):
            assert ak.cuda.current_stream() == 1
            assert x.to_list() == [1, 2]
        assert ak.cuda.current_stream() == 2
        ak.cuda.synchronize()
        assert s is not None
    assert ak.cuda.current_stream() == own
    assert x.to_list() == [1, 2]

    class Cupy:
        ptr = 0

    class Torch:
        cuda_stream = 2

    class Any:
        def __cuda_stream__(self):
            return (0, 2)

    for stream, handle in [(Cupy(), 1), (Torch(), 2), (Any(), 2)]:
        with ak.cuda.stream(stream):
            assert ak.cuda.current_stream() == handle
    with pytest.raises(TypeError, match="stream"):
        ak.cuda.stream("default")
