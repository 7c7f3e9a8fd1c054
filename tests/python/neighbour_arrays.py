# Arrays of other libraries, and where their numbers are: what neighbours.py measures.
import gpu
import numpy as np
from test_arrow_devices import Device, structure

import serrate as ak

N = 80_000  # items: small arrays need not be aligned as JAX and TensorFlow want it


def address(x):
    """Of the numbers of an array in RAM."""
    _, _, buffers = ak.to_buffers(x)
    return of_numpy(max(buffers.values(), key=lambda b: b.nbytes))


def of_numpy(a):
    return a.__array_interface__["data"][0]


def there(x):
    return x.__cuda_array_interface__["data"][0]


def numbers():
    return np.arange(N, dtype="float64")


def read_only():
    a = numbers()
    a.flags.writeable = False
    return a


def ours():
    return ak.materialize(ak.Array(numbers()))


def ragged():
    return ak.materialize(ak.unflatten(ours(), np.full(N // 8, 8)))


def on_gpu():
    return ak.to_backend(ours(), "cuda")


def both(make, out, ours_of=address, theirs_of=of_numpy):
    """(address of what `out` makes of `make()`, address of that)."""
    x = make()
    y = out(x)
    return theirs_of(y), ours_of(x)


def incoming(make, take, theirs_of=of_numpy, ours_of=address):
    a = make()
    x = take(a)
    return theirs_of(a), ours_of(x)


def made_pyarrow_array():
    import pyarrow as pa

    return pa.array(numbers())


def made_pyarrow_lists():
    import pyarrow as pa

    return pa.ListArray.from_arrays(np.arange(0, N + 8, 8, dtype="int32"), pa.array(numbers()))


def made_pyarrow(x):
    import pyarrow as pa

    return pa.array(x)


def of_pyarrow(a):
    return a.buffers()[-1].address


def made_polars(x):
    import polars as pl

    return pl.Series(x)


def of_polars(s):
    return of_pyarrow(s.to_arrow())


def made_pandas(x):
    import pandas as pd

    return pd.Series(x)


def made_nested(x):
    import serrate.pandas as sp

    return sp.NestedArray(x)


def made_nanoarrow(x):
    import nanoarrow as na

    return na.c_array(x)


def of_nanoarrow(a):
    return a.buffers[1]


def made_awkward(x):
    import awkward

    return awkward.Array(x)


def of_awkward(x):
    import awkward

    return of_numpy(np.asarray(awkward.flatten(x, axis=None)))


def made_torch():
    import torch

    return torch.from_numpy(numbers())


def made_jax():
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.numpy.arange(float(N), device=jax.devices("cpu")[0])


def made_to_jax(x):
    import jax

    jax.config.update("jax_enable_x64", True)
    return ak.to_jax(x)


def made_tensorflow():
    import tensorflow as tf

    return tf.constant(numbers())


def of_tensorflow(t):
    return of_numpy(np.asarray(memoryview(t)))


def of_dlpack(x):
    from test_dlpack import structure as tensor_of

    return tensor_of(x).tensor.data


def of_torch(t):
    return t.data_ptr()


def of_torch_nested(t):
    return t.values().data_ptr()


def of_jax(j):
    return j.unsafe_buffer_pointer()


def of_jagged(j):
    return j.values.unsafe_buffer_pointer()


def made_host_numbers():
    return gpu.Foreign(numbers())


def made_buffer():
    return ak.cuda.CudaBuffer.from_buffer(on_gpu())


def made_capsules(x):
    return x.__arrow_c_device_array__()


def of_capsules(pair):
    return structure(pair[1]).array.buffers[1]


def made_through_device(x):
    return ak.from_arrow(Device(x))
