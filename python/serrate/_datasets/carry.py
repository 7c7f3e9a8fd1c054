"""What tasks give, on its way to other processes: arrays of a GPU go as memory of the GPU, which
UCX copies from device to device, or by RAM where there is no such way. They come to where the other
process makes its arrays.

The families of dask.distributed's that carry frames know these classes once its modules are there
(register()).
"""

import pickle
import sys

import numpy as np

from serrate import _convert, _core
from serrate._datasets.nodes import at_home, in_ram

_ARRAYS = (_core.Array, _core.Record)


def is_elsewhere(x):
    """Is it an array that is not in RAM?"""
    return isinstance(x, _ARRAYS) and _core.backend(x) not in ("cpu", None)


def replaced_arrays(x, f):
    """x with f(array) for arrays that are not in RAM, in lists, tuples and dicts of any depth."""
    if is_elsewhere(x):
        return f(x)
    if type(x) in (list, tuple):
        return type(x)([replaced_arrays(v, f) for v in x])
    return {k: replaced_arrays(v, f) for k, v in x.items()} if type(x) is dict else x


class ByRam:
    """An array that is pickled in RAM and comes to where the other process makes its arrays."""

    def __init__(self, array):
        self.array = array

    def __reduce__(self):
        return at_home, (in_ram(self.array),)


class Made(tuple):
    """What a task gives."""

    __slots__ = ()

    def __reduce_ex__(self, protocol):
        return Made, (replaced_arrays(tuple(self), ByRam),)


class _Place(int):
    """Where an array of that number was."""


def _filled(x, arrays):
    if isinstance(x, _Place):
        return arrays[x]
    if type(x) in (list, tuple):
        return type(x)([_filled(v, arrays) for v in x])
    return {k: _filled(v, arrays) for k, v in x.items()} if type(x) is dict else x


def _on_the_gpu(array):
    """Its form and memory, as the GPU's."""
    from serrate.cuda import CudaBuffer

    form, length, buffers = _core.to_buffers(array, backend="cuda")
    frames = {}
    for name, buffer in buffers.items():
        size = buffer.nbytes
        address = buffer.__cuda_array_interface__["data"][0] if size else 0
        view = _core._gpu_view(_core._gpu_number(), address, size, buffer)
        frames[name] = CudaBuffer._of(view)
    return str(form), length, frames


def _in_ram(array):
    """Its form and memory, in RAM."""
    form, length, buffers = _core.to_buffers(_core.to_backend(array, "cpu"))
    flat = {
        name: np.ascontiguousarray(b).reshape(-1).view(np.uint8).data for name, b in buffers.items()
    }
    return str(form), length, flat


def _dumps(x, frames_of):
    """Header and frames of arrays that are not in RAM; where there are none, pickles are as good:
    the next family takes it."""
    arrays, frames, headers = [], [], []

    def placed(array):
        arrays.append(array)
        return _Place(len(arrays) - 1)

    without = replaced_arrays(tuple(x) if isinstance(x, Made) else x, placed)
    if not arrays:
        raise NotImplementedError
    for array in arrays:
        is_record = isinstance(array, _core.Record)
        rows = _core._one(array) if is_record else array
        form, length, found = frames_of(rows)
        notes = array.behavior, _convert.lasting(dict(array.attrs))
        headers.append((form, length, list(found), is_record, *notes))
        frames += found.values()
    said = pickle.dumps((without, headers, isinstance(x, Made)))
    return {"arrays": said}, frames


def _loads(header, frames, buffer_of):
    without, headers, is_made = pickle.loads(header["arrays"])
    arrays, rest = [], list(frames)
    for form, length, names, is_record, behavior, attrs in headers:
        found, rest = rest[: len(names)], rest[len(names) :]
        buffers = {name: buffer_of(f) for name, f in zip(names, found, strict=True)}
        made = _convert.unpickle(form, length, buffers, is_record, behavior, attrs)
        arrays.append(at_home(made))
    out = _filled(without, arrays)
    return Made(out) if is_made else out


def _cuda_dumps(x):
    out = _dumps(x, _on_the_gpu)
    _core._gpu_synchronize()  # who takes the frames knows nothing of our streams
    return out


def _cuda_loads(header, frames):
    # Nobody else has the memory; of none there is nothing to be shared.
    return _loads(header, frames, lambda f: _core.Array(f, copy=False) if len(f) else f)


def _dask_dumps(x):
    return _dumps(x, _in_ram)


def _dask_loads(header, frames):
    return _loads(header, frames, lambda f: np.frombuffer(f, np.uint8))


_registered = False


def register():
    """Once dask.distributed is imported."""
    global _registered
    if _registered or "distributed.protocol" not in sys.modules:
        return
    from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
    from distributed.protocol.serialize import dask_deserialize, dask_serialize

    for cls in (Made, *_ARRAYS):
        cuda_serialize.register(cls, _cuda_dumps)
        cuda_deserialize.register(cls, _cuda_loads)
        dask_serialize.register(cls, _dask_dumps)
        dask_deserialize.register(cls, _dask_loads)
    _registered = True


register()
