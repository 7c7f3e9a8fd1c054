"""Tensors of PyTorch, JAX and TensorFlow: regular ones by DLPack, ragged ones as offsets and
content."""

from serrate._tensors._jax import Jagged, from_jax, to_jax
from serrate._tensors._tensorflow import (
    from_raggedtensor,
    from_tensorflow,
    to_raggedtensor,
    to_tensorflow,
)
from serrate._tensors._torch import from_torch, to_torch

__all__ = [
    "Jagged",
    "from_jax",
    "from_raggedtensor",
    "from_tensorflow",
    "from_torch",
    "to_jax",
    "to_raggedtensor",
    "to_tensorflow",
    "to_torch",
]
