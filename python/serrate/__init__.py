"""Nested, variable-length arrays whose whole expression runs as one loop.

>>> import serrate as ak
>>> x = ak.Array([[1, 2, 3], [], [4]])
>>> ak.sum(x**2, axis=-1)
<Array [14, 0, 16] type='3 * int64'>

Names, arguments and results are Awkward Array's. What is asked for is computed when it is looked
at.
"""

from serrate import (  # noqa: F401
    _builder,
    _core,
    _protocols,
    axis,
    behaviors,
    contents,
    cuda,
    errors,
    forms,
    highlevel,
    index,
    operations,
    record,
    str,
    types,
    vector,
)
from serrate._apply import apply, elementwise
from serrate._apply.compiled import compile
from serrate._arrow import from_arrow_schema, to_arrow, to_arrow_table
from serrate._convert import from_cupy, to_awkward, to_cupy
from serrate._core import *  # noqa: F403
from serrate._core import Array, __version__, behavior
from serrate._datasets.collection import PartitionedArray, compute
from serrate._datasets.execute import Report
from serrate._datasets.functions import install as _install_partitioned
from serrate._datasets.scan import (
    from_partitions,
    scan,
    scan_csv,
    scan_feather,
    scan_json,
    scan_parquet,
    scan_root,
)
from serrate._doctor import doctor
from serrate._files.avro import from_avro_file
from serrate._files.buffers import (
    from_hdf5,
    from_npy,
    from_npz,
    from_safetensors,
    to_hdf5,
    to_npy,
    to_npz,
    to_safetensors,
)
from serrate._files.feather import from_csv, from_feather, to_feather
from serrate._files.json import from_json, to_json
from serrate._files.parquet import from_parquet, metadata_from_parquet
from serrate._files.parquet_write import to_parquet, to_parquet_dataset, to_parquet_row_groups
from serrate._files.root import from_root
from serrate._frames.cudf import from_cudf, to_cudf
from serrate._frames.dataframe import to_dataframe
from serrate._histogram import Histogram, boost_histogram, fill_histogram
from serrate._kernels import (
    device_function,
    elementwise_kernel,
    raw_kernel,
    raw_module,
    reduce,
    reduction_kernel,
)
from serrate._layouts import is_valid, to_layout, validity_error
from serrate._mixins import mixin_class, mixin_class_method
from serrate._numpy import array_function
from serrate._tensors import (
    Jagged,
    from_jax,
    from_raggedtensor,
    from_tensorflow,
    from_torch,
    to_jax,
    to_raggedtensor,
    to_tensorflow,
    to_torch,
)
from serrate._transform import transform

Array.__array_function__ = array_function
_protocols.install()
_install_partitioned(globals())

# The module holds nothing but the functions and classes of the interface.
_public = [
    name
    for name in dir(_core)
    if not name.startswith("_") and name not in ("behavior", "compute", "elementwise_names")
]
__all__ = [
    "Histogram",
    "Jagged",
    "PartitionedArray",
    "Report",
    "__version__",
    "apply",
    "axis",
    "behavior",
    "behaviors",
    "boost_histogram",
    "compile",
    "compute",
    "contents",
    "cuda",
    "device_function",
    "doctor",
    "elementwise",
    "elementwise_kernel",
    "errors",
    "fill_histogram",
    "forms",
    "from_arrow_schema",
    "from_avro_file",
    "from_csv",
    "from_cudf",
    "from_cupy",
    "from_feather",
    "from_hdf5",
    "from_jax",
    "from_json",
    "from_npy",
    "from_npz",
    "from_parquet",
    "from_partitions",
    "from_raggedtensor",
    "from_root",
    "from_safetensors",
    "from_tensorflow",
    "from_torch",
    "highlevel",
    "index",
    "is_valid",
    "metadata_from_parquet",
    "mixin_class",
    "mixin_class_method",
    "operations",
    "raw_kernel",
    "raw_module",
    "record",
    "scan",
    "scan_csv",
    "scan_feather",
    "scan_json",
    "scan_parquet",
    "scan_root",
    "reduce",
    "reduction_kernel",
    "to_arrow",
    "to_arrow_table",
    "to_awkward",
    "to_cudf",
    "to_cupy",
    "to_dataframe",
    "to_feather",
    "to_hdf5",
    "to_jax",
    "to_json",
    "to_layout",
    "to_npy",
    "to_npz",
    "to_parquet",
    "to_parquet_dataset",
    "to_parquet_row_groups",
    "to_raggedtensor",
    "to_safetensors",
    "to_tensorflow",
    "to_torch",
    "transform",
    "types",
    "validity_error",
    "vector",
    *_public,
]
vars(operations).update((name, globals()[name]) for name in __all__ if callable(globals()[name]))


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'serrate' has no attribute {name!r}")
    from serrate import _absent

    raise _absent.error(name, __all__)
