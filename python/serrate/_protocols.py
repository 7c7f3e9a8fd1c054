"""Attributes by which other libraries take arrays: a token for Dask, broadcasting for hist, bytes;
and those of libraries that can not."""

import hashlib
import types

from serrate import _arrow, _core
from serrate._convert import lasting, to_awkward
from serrate.vector._foreign import check_bases


def _token(array):
    """Array.__dask_tokenize__: the same for the same type, values, attrs and behaviors, in every
    process, however the values are stored."""
    behavior = sorted(map(_name, (array.behavior or {}).items()))
    meta = [str(array.type), _name(lasting(array.attrs)), str(behavior)]
    found = hashlib.sha256("\n".join(meta).encode())
    layout = array.layout
    if isinstance(array, _core.Record):
        layout = layout.array[layout.at : layout.at + 1]
    for data in _values(layout.to_backend("cpu")):
        found.update(data.tobytes())
    return f"serrate-{found.hexdigest()}"


def _name(x):
    """Text for keys and values of dicts, without addresses."""
    if isinstance(x, dict):
        return str(sorted(map(_name, x.items())))
    if isinstance(x, list | tuple):
        return str([_name(item) for item in x])
    if hasattr(x, "__qualname__"):
        return f"{x.__module__}.{x.__qualname__}"
    return repr(x)


def _values(layout):
    """NumPy arrays that say what a layout holds, and nothing of how."""
    if layout.is_option:
        yield layout.mask_as_bool(valid_when=True)
        yield from _values(layout.project())
    elif layout.is_indexed:
        yield from _values(layout.project())
    elif layout.is_list:
        lists = layout.to_ListOffsetArray64(True)
        offsets = lists.offsets.data
        yield offsets
        yield from _values(lists.content[: offsets[-1]])
    elif layout.is_union:
        yield layout.tags.data
        for i in range(len(layout.contents)):
            yield from _values(layout.project(i))
    elif layout.is_record:
        for content in layout.contents:
            yield from _values(content[: len(layout)])
    elif layout.is_numpy:
        yield layout.data


def _bytes(array):
    """Array.__bytes__: a byte for each number."""
    return bytes(_core.to_list(array))


class _Histograms:
    """What hist asks of an array: Hist.fill_flattened(array)."""

    @staticmethod
    def unpack(array):
        """Its columns by name, or None."""
        return _core.unzip(array, how=dict) if _core.fields(array) else None

    @staticmethod
    def broadcast_and_flatten(arguments):
        """NumPy arrays with an item for each that the arguments have together."""
        try:
            arrays = [_core.to_backend(_core.Array(x), "cpu") for x in arguments]
        except TypeError:
            return NotImplemented
        if any(_core.fields(x) for x in arrays):
            raise ValueError("broadcast_and_flatten: expected arrays without fields")
        together = _core.broadcast_arrays(*arrays)
        return tuple(_core.to_numpy(_core.flatten(x, axis=None)) for x in together)


def _awkward_function(self, function, array_likes, args, kwargs):
    """Array.__awkward_function__: functions of Awkward Array work on arrays of Awkward Array."""
    if function.__module__.partition(".")[0] != "awkward":
        return NotImplemented
    if _makes_vectors(function.__name__, args, kwargs):
        return getattr(_core, function.__name__)(*args, **kwargs)
    return function(*_theirs(args), **_theirs(kwargs))


def _makes_vectors(name, args, kwargs):
    """Is it what the package vector calls to make vectors of our columns? These are ours."""
    names = _core._vectors.names
    if name == "with_name":
        return str(kwargs.get("name", args[1] if len(args) > 1 else None)) in names
    if name != "zip" or not args or not isinstance(args[0], dict):
        return False
    is_vector = {"x", "y"} <= set(args[0]) or {"rho", "phi"} <= set(args[0])
    return is_vector or str(kwargs.get("with_name")) in names


def _theirs(x):
    if isinstance(x, _core.Array | _core.Record):
        return to_awkward(x)
    if isinstance(x, dict):
        return {key: _theirs(value) for key, value in x.items()}
    return type(x)(map(_theirs, x)) if type(x) in (list, tuple) else x


def _absent(name, what):
    def refuse(self):
        raise NotImplementedError(f"{name}: {what}; to_awkward(array) can")

    return property(refuse, doc=f"Not there: {what}.")


def _numba_type(self):
    """Numba's type of it, as of an argument of a compiled function; evaluates. ImportError without
    Numba."""
    return self._numba_type_


_CPPYY = "arrays can't be passed to functions of cppyy; the C++ library has them"


def install():
    """Gives the classes these attributes."""
    for cls in (_core.Array, _core.Record):
        cls.__dask_tokenize__ = _token
        cls.__awkward_function__ = _awkward_function
        cls.__init_subclass__ = classmethod(check_bases)
        cls.numba_type = property(_numba_type)
    for name, method in _arrow.METHODS.items():
        setattr(_core.Array, name, method)
    _core.Array.__bytes__ = _bytes
    _core.Array.__class_getitem__ = classmethod(types.GenericAlias)
    _core.Array.Mask = _core._MaskGetter
    _core.Array._histogram_module_ = _Histograms
    _core.Array.cpp_type = _absent("cpp_type", _CPPYY)
    _core.ArrayBuilder.numba_type = property(_numba_type)
