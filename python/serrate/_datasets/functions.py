"""Functions that PartitionedArrays have their own way of: looks, files, NumPy's."""

import functools

from serrate import _core, _histogram, _numpy
from serrate._datasets.collection import OWN, PartitionedArray, compute, each, each_of
from serrate._datasets.explain import explain


def _computed(x):
    """Arguments with computed arrays."""
    if isinstance(x, PartitionedArray):
        return compute(x)
    if isinstance(x, dict):
        return {key: _computed(value) for key, value in x.items()}
    if type(x) in (list, tuple):
        return type(x)(map(_computed, x))
    return x


def whole(function):
    """The function of computed arrays."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*_computed(args), **_computed(kwargs))

    return call


def _sampled(function):
    def call(array, *args, **kwargs):
        return function(array._sample(), *args, **kwargs)

    return call


def _type(array, *, behavior=None):
    return array.type


def numpy_function(function, args, kwargs):
    """Ours where there is one, which is written down; else NumPy's of computed arrays."""
    ours = _numpy._FUNCTIONS.get(function)
    if ours is None or function.__name__.startswith("histogram"):
        return function(*_computed(args), **_computed(kwargs))
    return ours(*args, **kwargs)


def is_partitioned(x):
    """Is one of these arguments a PartitionedArray?"""
    if isinstance(x, dict):
        return any(map(is_partitioned, x.values()))
    if type(x) in (list, tuple):
        return any(map(is_partitioned, x))
    return isinstance(x, PartitionedArray)


def _takes(function, partitioned):
    """The function, with another one for PartitionedArrays among its arguments."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        if is_partitioned(args) or is_partitioned(kwargs):
            return partitioned(*args, **kwargs)
        return function(*args, **kwargs)

    return call


def _streamed(write_pieces):
    """Writes partition by partition."""

    def write(array, destination, **options):
        return write_pieces(each(array), destination, **options)

    return write


def _filled(fill):
    """Histograms are filled partition by partition."""

    def call(histogram, *arrays, weight=None):
        operands = arrays if weight is None else (*arrays, weight)
        for parts in each_of(operands):
            given = {} if weight is None else {"weight": parts.pop()}
            fill(histogram, *parts, **given)
            if isinstance(histogram, _histogram.Histogram):
                sums = [a for a in (histogram._sums, histogram._squares) if a is not None]
                _core.compute(*sums)
        return histogram

    return call


def _boost(array, bins, lo, hi, *, weight=None):
    axis = _histogram.axes_module.Regular(bins, lo, hi)
    return (
        _histogram.Histogram(axis, weighted=weight is not None)
        .fill(array, weight=weight)
        .to_boost()
    )


_WHOLE = (
    *("to_json", "to_feather", "to_arrow", "to_arrow_table", "to_awkward", "to_layout", "to_cupy"),
    *("to_dataframe", "to_torch", "to_jax", "to_tensorflow", "to_raggedtensor", "transform"),
    *("is_valid", "validity_error", "to_safetensors", "to_npy", "to_npz", "to_hdf5"),
)


def install(names):
    """The public functions that are Python's, in `names`, with PartitionedArrays."""
    for name in _WHOLE:
        if name in names:
            names[name] = _takes(names[name], whole(names[name]))
    pieces = names["to_parquet_row_groups"]
    names["to_parquet"] = _takes(names["to_parquet"], _streamed(pieces))
    names["to_parquet_row_groups"] = _takes(pieces, _streamed(pieces))
    names["fill_histogram"] = _takes(names["fill_histogram"], _filled(_histogram.fill_histogram))
    names["boost_histogram"] = _takes(names["boost_histogram"], _boost)
    fill = _histogram.Histogram.fill
    _histogram.Histogram.fill = _takes(fill, _filled(fill))


_LOOKS = ("to_list", "to_numpy", "to_buffers", "array_equal", "almost_equal", "categories")
_KNOWN = ("fields", "is_tuple", "parameters", "is_categorical", "backend")
OWN |= {
    **{name: whole(getattr(_core, name)) for name in _LOOKS},
    **{name: _sampled(getattr(_core, name)) for name in _KNOWN},
    "type": _type,
    "explain": explain,
    "__array_function__": numpy_function,
}
