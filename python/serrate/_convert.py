"""Hand-over to other libraries, imported only when they are asked for."""

from serrate import _core


def unpickle(form, length, buffers, record=False, behavior=None, attrs=None):
    array = _core._from_whole_buffers(form, length, buffers, behavior=behavior, attrs=attrs)
    return array[0] if record else array


class Attrs(dict):
    """Notes of an array by name."""

    def __setitem__(self, key, value):
        if not isinstance(key, str):
            raise TypeError(f"'attrs' keys must be strings, got: {key!r}")
        super().__setitem__(key, value)


def lasting(attrs):
    """attrs without those that are not pickled."""
    return {k: v for k, v in (attrs or {}).items() if not k.startswith("@")} or None


def to_awkward(array):
    """The array as one of Awkward Array's, sharing its buffers.

    >>> to_awkward(Array([[1, 2], []]))
    <Array [[1, 2], []] type='2 * var * int64'>
    """
    import awkward

    one = isinstance(array, _core.Record)
    rows = _core._one(array) if one else array
    backend = _core.backend(rows)
    form, length, buffers = _core.to_buffers(rows, backend=backend)
    if backend == "cuda":
        buffers = {name: _as_cupy(buffer) for name, buffer in buffers.items()}
    there = "cuda" if backend == "cuda" else "cpu"
    out = awkward.from_buffers(str(form), length, buffers, backend=there)
    if not isinstance(array, _core.Array | _core.Record):
        return out
    kept = {"behavior": array.behavior, "attrs": dict(array.attrs) or None}
    return awkward.Record(out[0].layout, **kept) if one else awkward.Array(out.layout, **kept)


def from_cupy(
    array,
    *,
    regulararray=False,
    highlevel=True,
    behavior=None,
    primitive_policy="error",
    attrs=None,
    copy=None,
):
    """A CuPy array (or any object with __cuda_array_interface__).

    Memory that can be written to is copied on the GPU; copy=False shares it, and nobody may write
    to it then. Other options as those of from_numpy.

    >>> from_cupy([0, 1, 2])
    Traceback (most recent call last):
    TypeError: from_cupy: expected a CuPy array, got list
    """
    if not hasattr(array, "__cuda_array_interface__"):
        raise TypeError(f"from_cupy: expected a CuPy array, got {type(array).__name__}")
    if not array.__cuda_array_interface__["shape"]:
        if primitive_policy == "error":
            raise TypeError("from_cupy: expected an array, got a scalar")
        array = array.reshape(1)
    out = _core.Array(array, behavior=behavior, attrs=attrs, copy=copy)
    return out if highlevel else out.layout


def to_cupy(array):
    """Numbers in regular lists on the GPU as a CuPy array, without a copy.

    Lists of one length need not say so in their type; ValueError if they differ.

    >>> to_cupy(to_backend([1, 2], "cpu"))
    Traceback (most recent call last):
    TypeError: to_cupy: the array is on the CPU; data move only by to_backend(x, "cuda")
    """
    array = _core.Array(array)
    if _core.backend(array) != "cuda":
        raise TypeError('to_cupy: the array is on the CPU; data move only by to_backend(x, "cuda")')
    return _as_cupy(_core.to_regular(array, axis=None))


def _as_cupy(array):
    import cupy

    with cupy.cuda.Device(array.__dlpack_device__()[1]):  # what is on another GPU is copied
        return cupy.asarray(array)
