"""PyTorch: dense tensors, nested tensors in the jagged layout."""

from serrate import _core
from serrate._tensors import _parts


def to_torch(array, *, copy=False):
    """Numbers in lists as a torch.Tensor, on the device where they are.

    Lists of fixed lengths become the dimensions of a dense tensor, lists of any length below axis 0
    a nested tensor in the jagged layout. Memory is shared: whoever writes to the tensor writes to
    the array; copy=True gives memory of its own.

    >>> to_torch(["a"])
    Traceback (most recent call last):
    TypeError: to_torch: expected numbers in lists, got an array of type '1 * string'; ...
    """
    array = _parts.check_numbers(_core.Array(array), "to_torch")
    levels, values = _parts.split(array)
    if len(levels) > 1:
        raise TypeError(
            "to_torch: a nested tensor has one level of lists of any length, right below axis 0, "
            f"got an array of type '{array.type}'; flatten it, or to_numpy(array, pad=...)"
        )
    torch = _parts.needs("to_torch", "torch", "PyTorch")
    dense = torch.from_dlpack(values, copy=True) if copy else torch.from_dlpack(values)
    if not levels:
        return dense
    offsets = torch.from_dlpack(levels[0].offsets, copy=copy or None)
    return torch.nested.nested_tensor_from_jagged(dense, offsets)


def from_torch(array, *, copy=None):
    """A dense or nested tensor of PyTorch's, on the device where it is.

    Its memory is copied, as it can be written to; copy=False shares it, and nobody may write to it
    then. Gradients stay with the tensor.

    >>> from_torch([1, 2])
    Traceback (most recent call last):
    TypeError: from_torch: expected a tensor of PyTorch's, got list
    """
    _parts.check_tensor(array, "from_torch", "a tensor of PyTorch's")
    torch = _parts.needs("from_torch", "torch", "PyTorch")
    if not isinstance(array, torch.Tensor):
        raise TypeError(f"from_torch: expected a tensor of PyTorch's, got {type(array).__name__}")
    tensor = array.detach()
    if tensor.is_nested:
        return _nested(torch, tensor, copy)
    if tensor.layout != torch.strided:
        raise TypeError(f"from_torch: a tensor of layout {tensor.layout}; to_dense() first")
    if tensor.dtype == torch.bfloat16:
        raise TypeError("from_torch: there is no bfloat16 here; tensor.float() first")
    if tensor.ndim == 0:
        raise TypeError("from_torch: expected a tensor with dimensions, got a scalar")
    return _core.from_dlpack(tensor.resolve_conj().resolve_neg(), copy=copy)


def _nested(torch, tensor, copy):
    jagged = tensor.layout == torch.jagged
    if jagged and tensor.lengths() is None and tensor._ragged_idx == 1:
        levels = [_parts.Lists(from_torch(tensor.offsets(), copy=copy), None, 0)]
        return _parts.joined(levels, from_torch(tensor.values(), copy=copy))
    # Holes between lists, or several dimensions that differ: one tensor after the other.
    rows = [from_torch(row, copy=copy) for row in tensor.unbind()]
    if not rows:
        return _core.unflatten(_core.Array(torch.empty(0, dtype=tensor.dtype).numpy()), [])
    return _core.concatenate([_core.from_regular(row, axis=None)[None] for row in rows])
