"""TensorFlow: dense tensors, RaggedTensor."""

from serrate import _core
from serrate._tensors import _parts


def to_tensorflow(array):
    """Numbers in lists as a tf.Tensor, or a tf.RaggedTensor if lists may differ in length.

    Memory is shared, on the device where it is: TensorFlow never writes to it.

    >>> to_tensorflow(["a"])
    Traceback (most recent call last):
    TypeError: to_tensorflow: expected numbers in lists, got an array of type '1 * string'; ...
    """
    array = _parts.check_numbers(_core.Array(array), "to_tensorflow")
    tf = _parts.needs("to_tensorflow", "tensorflow", "TensorFlow")
    levels, values = _parts.split(array)
    out = _dense(tf, values)
    for lists in reversed(levels):
        if lists.offsets is None:
            out = tf.RaggedTensor.from_uniform_row_length(out, lists.size, lists.count)
        else:
            offsets = _dense(tf, lists.offsets)
            out = tf.RaggedTensor.from_row_splits(out, offsets, validate=False)
    return out


def to_raggedtensor(array):
    """Numbers in lists as a tf.RaggedTensor, which shares the memory.

    >>> to_raggedtensor([1, 2])
    Traceback (most recent call last):
    TypeError: to_raggedtensor: expected lists, got an array of type '2 * int64'
    """
    array = _parts.check_numbers(_core.Array(array), "to_raggedtensor")
    if array.ndim < 2:
        raise TypeError(f"to_raggedtensor: expected lists, got an array of type '{array.type}'")
    if _parts.is_regular(array):
        array = _core.from_regular(array, axis=1)
    return to_tensorflow(array)


def from_tensorflow(array):
    """A tensor of TensorFlow's, dense or ragged; memory is shared, as it never changes.

    >>> from_tensorflow([1, 2])
    Traceback (most recent call last):
    TypeError: from_tensorflow: expected a tensor of TensorFlow's, got list
    """
    if hasattr(array, "row_splits"):
        return from_raggedtensor(array)
    return _array(array, "from_tensorflow")


def from_raggedtensor(array):
    """A tf.RaggedTensor, whose memory is shared.

    >>> from_raggedtensor([[1], []])
    Traceback (most recent call last):
    TypeError: from_raggedtensor: expected a tf.RaggedTensor, got list
    """
    if not hasattr(array, "row_splits"):
        name = type(array).__name__
        raise TypeError(f"from_raggedtensor: expected a tf.RaggedTensor, got {name}")
    levels = []
    while hasattr(array, "row_splits"):
        size = array.uniform_row_length
        if size is None:
            splits = _array(array.row_splits, "from_raggedtensor")
            levels.append(_parts.Lists(splits, None, 0))
        else:
            levels.append(_parts.Lists(None, int(size), int(array.nrows())))
        array = array.values
    return _parts.joined(levels, _array(array, "from_raggedtensor"))


def _dense(tf, array):
    return tf.experimental.dlpack.from_dlpack(_core._dlpack_for_readers(array))


class _Producer:
    """A tensor's capsule, for versions whose tensors have no such method."""

    def __init__(self, tf, tensor):
        self._tf, self._tensor = tf, tensor

    def __dlpack__(self, **options):
        return self._tf.experimental.dlpack.to_dlpack(self._tensor)

    def __dlpack_device__(self):
        kind, _, number = self._tensor.device.rpartition("/device:")[2].partition(":")
        return (2, int(number)) if kind == "GPU" else (1, 0)


def _array(tensor, function):
    if not hasattr(tensor, "row_splits") and not hasattr(tensor, "_numpy"):
        name = type(tensor).__name__
        raise TypeError(f"{function}: expected a tensor of TensorFlow's, got {name}")
    tf = _parts.needs(function, "tensorflow", "TensorFlow")
    if tensor.shape.rank == 0:
        raise TypeError(f"{function}: expected a tensor with dimensions, got a scalar")
    return _parts.shared(_Producer(tf, tensor))
