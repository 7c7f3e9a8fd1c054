# Producers of Arrow's arrays that count what is released, and those that lie, in Python.
import ctypes
import gc
import threading

import numpy as np
import pytest
from test_arrow_devices import ArrowArray

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
CAPSULE = ctypes.pythonapi.PyCapsule_New
CAPSULE.restype, CAPSULE.argtypes = (
    ctypes.py_object,
    [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
)


class Counting:
    """Float64 numbers with a release that counts, and notes in which thread it was called."""

    def __init__(self, numbers, **lies):
        self.numbers = np.asarray(numbers, "float64")
        self.buffers = (ctypes.c_void_p * 2)(None, self.numbers.ctypes.data)
        self.released, self.threads = {"array": 0, "schema": 0}, []
        self.callbacks = [RELEASE(self._release_array), RELEASE(self._release_schema)]
        release = [ctypes.cast(c, ctypes.c_void_p).value for c in self.callbacks]
        self.array = ArrowArray(
            length=len(self.numbers), n_buffers=2, buffers=self.buffers, release=release[0]
        )
        self.schema = ArrowSchema(format=b"g", name=b"", release=release[1])
        for name, value in lies.items():
            setattr(self.schema if name == "format" else self.array, name, value)

    def _release_array(self, address):
        ArrowArray.from_address(address).release = None
        self.released["array"] += 1
        self.threads.append(threading.get_ident())

    def _release_schema(self, address):
        ArrowSchema.from_address(address).release = None
        self.released["schema"] += 1

    def __arrow_c_array__(self, requested_schema=None):
        return (
            CAPSULE(ctypes.addressof(self.schema), b"arrow_schema", None),
            CAPSULE(ctypes.addressof(self.array), b"arrow_array", None),
        )


def test_released_with_the_last_array():
    p = Counting(range(10))
    x = ak.from_arrow(p)
    assert p.released == {"array": 0, "schema": 1}
    assert p.array.release is None  # moved
    y = x[5:]
    lazy = x + 1
    del x
    gc.collect()
    assert p.released["array"] == 0
    del y
    assert lazy.to_list() == [float(i + 1) for i in range(10)]
    del lazy
    gc.collect()
    assert p.released == {"array": 1, "schema": 1}


def test_what_shares_the_memory_keeps_it():
    p = Counting(range(10))
    view = ak.to_numpy(ak.from_arrow(p), copy=False)
    gc.collect()
    assert p.released["array"] == 0
    assert view.ctypes.data == p.numbers.ctypes.data
    del view
    gc.collect()
    assert p.released["array"] == 1
    p = Counting(range(10))
    capsules = ak.from_arrow(p).__arrow_c_array__()
    gc.collect()
    assert p.released["array"] == 0
    del capsules
    assert p.released["array"] == 1
    p = Counting(range(10))
    x = ak.from_arrow(p, copy=True)
    assert p.released["array"] == 1
    assert x.to_list() == list(range(10))


def test_released_from_another_thread():
    producers = [Counting(range(1000)) for _ in range(20)]
    arrays = [ak.from_arrow(p) for p in producers]

    def use():
        while arrays:
            try:
                x = arrays.pop()
            except IndexError:
                return
            assert ak.sum(x) == 499500

    threads = [threading.Thread(target=use) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    gc.collect()
    assert [p.released["array"] for p in producers] == [1] * 20
    assert threading.get_ident() not in {t for p in producers for t in p.threads}


@pytest.mark.parametrize(
    "lies",
    [
        {"format": b"nonsense"},
        {"format": b""},
        {"format": b"u"},
        {"n_buffers": 1},
        {"n_buffers": -7},
        {"length": -1},
        {"offset": -1},
        {"null_count": 3},
        {"n_children": 2},
        {"length": 2**62},
    ],
    ids=str,
)
def test_liars_are_released_once(lies):
    p = Counting(range(4), **lies)
    with pytest.raises(ValueError, match="from_arrow"):
        ak.Array(p)
    gc.collect()
    assert p.released == {"array": 1, "schema": 1}


def test_capsules_that_are_none():
    class Wrong:
        def __init__(self, given):
            self.given = given

        def __arrow_c_array__(self, requested_schema=None):
            return self.given

    for given in (None, (), (1, 2), [1, 2], tuple(reversed(ak.Array([1]).__arrow_c_array__()))):
        with pytest.raises((TypeError, ValueError)):
            ak.from_arrow(Wrong(given))
    once = Wrong(ak.Array([1, 2]).__arrow_c_array__())
    assert ak.from_arrow(once).to_list() == [1, 2]
    with pytest.raises(ValueError, match="released"):
        ak.from_arrow(once)
    for other in (1, "a", object()):
        with pytest.raises(TypeError, match="Arrow"):
            ak.from_arrow(other)
