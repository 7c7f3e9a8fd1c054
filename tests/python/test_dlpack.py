# DLPack, both ways: capsules of both kinds, read as their structures; devices, copies, streams.
import ctypes

import numpy as np
import pytest
from gpu import on_gpu

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")
READ_ONLY, COPIED = 1, 2
DTYPES = ["bool", "int8", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64"]
DTYPES += ["complex64", "complex128"]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


def structure(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    versioned = "dltensor_versioned" in repr(capsule)
    name = b"dltensor_versioned" if versioned else b"dltensor"
    found = (Versioned if versioned else Managed).from_address(get(capsule, name))
    found.capsule = capsule  # which keeps it
    return found


def address(x):
    return ak.to_numpy(x, copy=False).__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_both_ways(dtype):
    a = np.arange(12).reshape(2, 3, 2).astype(dtype)
    x = ak.Array(a)
    capsule = x.__dlpack__(max_version=(1, 1))
    t = structure(capsule).tensor
    assert (t.bits, t.lanes, t.ndim, list(t.device)) == (8 * a.itemsize, 1, 3, [1, 0])
    assert (list(t.shape[:3]), list(t.strides[:3])) == ([2, 3, 2], [6, 2, 1])
    assert t.data + t.byte_offset == address(x)
    assert np.array_equal(np.from_dlpack(x), a)
    assert np.from_dlpack(x).dtype == a.dtype
    assert ak.from_dlpack(a).to_list() == a.tolist()
    assert str(ak.from_dlpack(a).type) == f"2 * 3 * 2 * {dtype}"


def test_what_is_shared_is_read_only_and_what_is_copied_is_not():
    x = ak.Array(np.arange(5.0))
    shared = x.__dlpack__(max_version=(1, 0))
    assert structure(shared).flags == READ_ONLY
    assert list(structure(shared).version) == [1, 1]
    copied = x.__dlpack__(max_version=(1, 0), copy=True)
    assert structure(copied).flags == COPIED
    assert structure(copied).tensor.data != address(x)
    assert not np.from_dlpack(x).flags.writeable
    older = x.__dlpack__()
    assert structure(older).tensor.data != address(x)
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__(copy=False)
    assert structure(x.__dlpack__(max_version=(1, 0), copy=False)).tensor.data == address(x)


def test_parts_begin_where_they_are():
    x = ak.Array(np.arange(10))
    t = structure(x[3:7].__dlpack__(max_version=(1, 0))).tensor
    assert (t.data, t.shape[0]) == (address(x) + 24, 4)
    assert np.from_dlpack(x[::3]).tolist() == [0, 3, 6, 9]
    assert np.from_dlpack(x[x > 6] + 1).tolist() == [8, 9, 10]
    assert np.from_dlpack(ak.Array(np.arange(6).reshape(3, 2)[::-1])).tolist() == [
        [4, 5],
        [2, 3],
        [0, 1],
    ]
    empty = structure(ak.Array(np.zeros((0, 3))).__dlpack__(max_version=(1, 0))).tensor
    assert (empty.data, list(empty.shape[:2])) == (None, [0, 3])


def test_the_memory_lives_as_long_as_the_tensor():
    a = np.from_dlpack(ak.Array(np.full(100_000, 7)))
    np.full(100_000, 8)
    assert a.sum() == 700_000
    capsule = ak.Array([1, 2]).__dlpack__()
    del capsule  # that nobody took


def test_what_is_refused():
    x = ak.Array([1, 2])
    for bad in [[[1], [1, 2]], ["a"], [1, None], [{"x": 1}]]:
        with pytest.raises((TypeError, AttributeError)):
            np.from_dlpack(ak.Array(bad))
    with pytest.raises(TypeError, match="times"):
        ak.Array(np.array(["2020-01-01"], "M8[D]")).__dlpack__()
    with pytest.raises(ValueError, match="no streams on the CPU"):
        x.__dlpack__(stream=1)
    with pytest.raises(TypeError, match="'streams'"):
        x.__dlpack__(streams=1)
    with pytest.raises(TypeError, match="pair"):
        x.__dlpack__(max_version=1)
    with pytest.raises(BufferError, match="type 8"):
        x.__dlpack__(dl_device=(8, 0))


def test_devices_that_are_asked_for():
    """Who names a device gets a copy there; copy=False never moves."""
    x = on_gpu(np.arange(4.0))
    there = structure(x.__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
    assert list(there.tensor.device) == [1, 0]
    assert there.flags == COPIED
    number = x.__dlpack_device__()[1]
    y = ak.Array(np.arange(4.0))
    moved = y.__dlpack__(dl_device=(2, number), max_version=(1, 0))
    assert list(structure(moved).tensor.device) == [2, number]
    assert structure(moved).flags == COPIED
    for array, device in [(x, (1, 0)), (y, (2, number))]:
        with pytest.raises(BufferError, match="copy is False"):
            array.__dlpack__(dl_device=device, copy=False)
    own = structure(x.__dlpack__(copy=True, max_version=(1, 0)))
    assert own.flags == COPIED
    assert own.tensor.data != x.__cuda_array_interface__["data"][0]


class Older:
    """A producer from before version 1, on a GPU."""

    def __init__(self, x):
        self._x = x

    def __dlpack__(self, stream=None):
        return self._x.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self._x.__dlpack_device__()


class Newer(Older):
    def __dlpack__(self, stream=None, max_version=None):
        assert max_version[0] == 1
        return self._x.__dlpack__(stream=stream, max_version=max_version)


@pytest.mark.parametrize("producer", [Older, Newer])
def test_producers_on_a_gpu(producer):
    x = on_gpu(np.arange(6, dtype="int16").reshape(3, 2))
    y = ak.from_dlpack(producer(x), copy=False)
    assert y.to_list() == [[0, 1], [2, 3], [4, 5]]
    assert y.__cuda_array_interface__["data"][0] == x.__cuda_array_interface__["data"][0]
