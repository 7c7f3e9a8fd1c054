# Arrow's arrays on a GPU: what goes out, what comes in, what is refused.
import ctypes

import numpy as np
import pytest
from gpu import VALUES, on_gpu

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")
CUDA, CUDA_HOST, METAL = 2, 3, 8


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class ArrowDeviceArray(ctypes.Structure):
    _fields_ = [
        ("array", ArrowArray),
        ("device_id", ctypes.c_int64),
        ("device_type", ctypes.c_int32),
        ("sync_event", ctypes.c_void_p),
        ("reserved", ctypes.c_int64 * 3),
    ]


def structure(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ArrowDeviceArray.from_address(get(capsule, b"arrow_device_array"))


class Device:
    """A producer that has nothing but an array on a device."""

    def __init__(self, x, **changes):
        self.capsules = x.__arrow_c_device_array__()
        for name, value in changes.items():
            setattr(structure(self.capsules[1]), name, value)

    def __arrow_c_device_array__(self, requested_schema=None, **options):
        return self.capsules


class DeviceStream:
    def __init__(self, x):
        self.capsule = x.__arrow_c_device_stream__()

    def __arrow_c_device_stream__(self, requested_schema=None, **options):
        return self.capsule


def test_layout():
    assert ctypes.sizeof(ArrowArray) == 80
    assert ctypes.sizeof(ArrowDeviceArray) == 128
    x = ak.Array([1, 2])
    host = structure(x.__arrow_c_device_array__()[1])
    assert (host.device_type, host.device_id, host.sync_event) == (1, -1, None)
    schema, array = on_gpu([[1, 2], [3]]).__arrow_c_device_array__()
    there = structure(array)
    assert there.device_type == CUDA
    assert there.device_id == on_gpu([1]).__dlpack_device__()[1]
    assert list(there.reserved) == [0, 0, 0]
    assert there.array.length == 2
    assert there.array.n_children == 1
    assert there.array.children[0].contents.length == 3
    del schema


@pytest.mark.parametrize("name", [n for n in VALUES if n not in ("complex", "empty")])
@pytest.mark.parametrize("way", [Device, DeviceStream])
def test_there_and_back(name, way):
    x = on_gpu(VALUES[name])
    y = ak.from_arrow(way(x))
    assert ak.backend(y) == "cuda"
    if name != "tuples":  # Arrow has none
        assert str(y.type).replace("?unknown", "unknown") == str(x.type)
    if name != "tuples":
        assert y.to_list() == x.to_list()
        assert ak.to_backend(y, "cpu").to_list() == ak.Array(VALUES[name]).to_list()


def test_no_copy():
    x = on_gpu(np.arange(6.0))
    y = ak.from_arrow(Device(x))
    there = y.__cuda_array_interface__["data"][0]
    assert there == x.__cuda_array_interface__["data"][0]
    capsules = x.__arrow_c_device_array__()
    assert structure(capsules[1]).array.buffers[1] == there


def test_from_arrow_to_the_device_with_its_type():
    pa = pytest.importorskip("pyarrow")
    a = pa.array([[{"x": 1, "t": "a"}], None, [None, {"x": None, "t": "b"}]])
    x = ak.to_backend(ak.from_arrow(a), "cuda")
    assert ak.sum(x.x, axis=-1).to_list() == [1, None, 0]
    back = ak.to_backend(ak.from_arrow(Device(x)), "cpu")
    assert pa.array(back).to_pylist() == a.to_pylist()


def test_memory_lives_as_long_as_it_is_read():
    before = ak.cuda.memory().used
    x = on_gpu(np.arange(100_000.0))
    y = ak.from_arrow(Device(x))
    del x
    assert ak.sum(y) == sum(range(100_000))
    del y
    assert ak.cuda.memory().used == before


def test_what_is_refused():
    x = on_gpu([1, 2])
    for method in ("__arrow_c_array__", "__arrow_c_stream__"):
        with pytest.raises(TypeError, match="to_backend"):
            getattr(x, method)()
    with pytest.raises(ValueError, match="type 8"):
        ak.from_arrow(Device(x, device_type=METAL))
    with pytest.raises(ValueError, match="GPU 9"):
        ak.from_arrow(Device(x, device_id=9))
    with pytest.raises(NotImplementedError, match="stream"):
        x.__arrow_c_device_array__(stream=1)
    # Capsules are taken once.
    once = Device(ak.Array([1]))
    ak.from_arrow(once)
    with pytest.raises(ValueError, match="released"):
        ak.from_arrow(once)


def test_pinned_memory_is_the_hosts():
    x = ak.from_arrow(Device(ak.Array([1.5, 2.5]), device_type=CUDA_HOST))
    assert ak.backend(x) == "cpu"
    assert x.to_list() == [1.5, 2.5]


def test_pyarrow_takes_a_copy():
    pa = pytest.importorskip("pyarrow")
    x = on_gpu([[1, None], []])
    assert ak.to_arrow(x, extensionarray=False).to_pylist() == [[1, None], []]
    assert pa.array(ak.to_backend(x, "cpu")).to_pylist() == [[1, None], []]
