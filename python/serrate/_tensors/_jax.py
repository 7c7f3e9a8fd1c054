"""JAX: dense arrays; ragged ones as pairs of values and offsets."""

from typing import Any, NamedTuple

from serrate import _core
from serrate._tensors import _parts


class Jagged(NamedTuple):
    """Lists for JAX, which has none: list i is values[offsets[i]:offsets[i + 1]].

    A pytree: jax.jit and jax.grad take it. Of deeper lists the values are a Jagged again.

    >>> Jagged([1.5, 2.5, 3.5], [0, 2, 2, 3]).offsets
    [0, 2, 2, 3]
    """

    values: Any
    offsets: Any


def to_jax(array):
    """Numbers in lists as a jax.Array, which shares the memory, on the device where they are.

    Lists of any length become a Jagged of values and offsets. Numbers of 64 bits stay so where
    jax_enable_x64 is set; else JAX makes 32 bits of them.

    >>> to_jax([None, 1])
    Traceback (most recent call last):
    TypeError: to_jax: expected numbers in lists, got an array of type '2 * ?int64'; ...
    """
    array = _parts.check_numbers(_core.Array(array), "to_jax")
    jnp = _parts.needs("to_jax", "jax.numpy", "JAX")
    levels, values = _parts.split(array)
    out = jnp.from_dlpack(_parts.Dlpack(values))
    for lists in reversed(levels):
        if lists.offsets is None:
            offsets = jnp.arange(lists.count + 1) * lists.size
        else:
            offsets = jnp.from_dlpack(_parts.Dlpack(lists.offsets))
        out = Jagged(out, offsets)
    return out


def from_jax(
    array,
    *,
    regulararray=False,
    highlevel=True,
    behavior=None,
    attrs=None,
    primitive_policy="error",
):
    """An array of JAX's, or a pair of values and offsets as to_jax gives it; memory is shared.

    Other options as those of from_numpy.

    >>> from_jax([1, 2])
    Traceback (most recent call last):
    TypeError: from_jax: expected an array of JAX's, got list
    """
    values, levels = array, []
    while isinstance(values, tuple) and len(values) == 2:
        values, offsets = values
        _parts.check_tensor(offsets, "from_jax", "offsets of JAX's")
        levels.append(_parts.Lists(_parts.shared(offsets), None, 0))
    _parts.check_tensor(values, "from_jax", "an array of JAX's")
    if values.ndim == 0:
        if primitive_policy == "error":
            raise TypeError("from_jax: expected an array with dimensions, got a scalar")
        values = values.reshape(1)
    out = _parts.joined(levels, _parts.shared(values))
    out = _core.Array(out, behavior=behavior, attrs=attrs)
    return out if highlevel else out.layout
