"""Nested, variable-length arrays whose whole expression runs as one loop.

>>> import serrate as ak
>>> x = ak.Array([[1, 2, 3], [], [4]])
>>> ak.sum(x**2, axis=-1)
<Array [14, 0, 16] type='3 * int64'>

Names, arguments and results are Awkward Array's. What is asked for is computed when it is looked
at.
"""

from serrate import _core, cuda, errors, forms, types
from serrate._convert import boost_histogram, from_cupy, to_awkward, to_cupy
from serrate._core import *  # noqa: F403
from serrate._core import Array, __version__
from serrate._doctor import doctor
from serrate._numpy import array_function

Array.__array_function__ = array_function

# The module holds nothing but the functions and classes of the interface.
_public = [name for name in dir(_core) if not name.startswith("_") and name != "elementwise_names"]
__all__ = [
    "__version__",
    "boost_histogram",
    "cuda",
    "doctor",
    "errors",
    "forms",
    "from_cupy",
    "to_awkward",
    "to_cupy",
    "types",
    *_public,
]
