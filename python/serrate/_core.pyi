"""The compiled part of serrate. ./dev stub writes this file; do not edit it."""

from collections.abc import Iterator
from typing import Any

__version__: str
behavior: dict[Any, Any]
elementwise_names: list[str]


class Array:
    """A nested, variable-length array; computed when it is looked at."""
    def Mask(self, other: Any, /) -> Array: ...
    def __abs__(self) -> Array: ...
    def __add__(self, other: Any, /) -> Array: ...
    def __and__(self, other: Any, /) -> Array: ...
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any: ...
    def __array_function__(self, function, types, args, kwargs) -> Any:
        """Array.__array_function__: ours where there is one, else NumPy's on rectilinear copies."""
    def __array_ufunc__(self, ufunc: Any, method: str, /, *inputs: Any, **options: Any) -> Any: ...
    def __awkward_function__(self, function, array_likes, args, kwargs) -> Any:
        """Array.__awkward_function__: functions of Awkward Array work on arrays of Awkward Array."""
    def __bool__(self) -> bool: ...
    def __bytes__(array) -> Any:
        """Array.__bytes__: a byte for each number."""
    def __contains__(self, x: Any) -> bool: ...
    def __copy__(self) -> Any: ...
    @property
    def __cuda_array_interface__(self) -> Any: ...
    def __dask_tokenize__(array) -> Any:
        """Array.__dask_tokenize__: the same for the same type, values, attrs and behaviors, in every
        process, however the values are stored."""
    def __deepcopy__(self, arg: Any, /) -> Any: ...
    def __delitem__(self, where: Any, /) -> None: ...
    def __divmod__(self, other: Any, /) -> Any: ...
    def __dlpack__(self, **kwargs: Any) -> Any: ...
    @property
    def __dlpack_device__(self) -> Any: ...
    def __eq__(self, other: Any, /) -> Array: ...  # type: ignore[override]
    def __floordiv__(self, other: Any, /) -> Array: ...
    def __ge__(self, other: Any, /) -> Array: ...
    def __getitem__(self, where: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Array: ...
    def __iadd__(self, other: Any, /) -> Array: ...
    def __iand__(self, other: Any, /) -> Array: ...
    def __ifloordiv__(self, other: Any, /) -> Array: ...
    def __ilshift__(self, other: Any, /) -> Array: ...
    def __imatmul__(self, other: Any, /) -> Array: ...
    def __imod__(self, other: Any, /) -> Array: ...
    def __imul__(self, other: Any, /) -> Array: ...
    def __init__(self, data: Any, *, behavior: Any = None, with_name: str | None = None, check_valid: bool = False, backend: Any = None, attrs: Any = None, named_axis: Any = None, copy: Any = None) -> None: ...
    def __invert__(self) -> Array: ...
    def __ior__(self, other: Any, /) -> Array: ...
    def __ipow__(self, other: Any, /) -> Array: ...
    def __irshift__(self, other: Any, /) -> Array: ...
    def __isub__(self, other: Any, /) -> Array: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __itruediv__(self, other: Any, /) -> Array: ...
    def __ixor__(self, other: Any, /) -> Array: ...
    def __le__(self, other: Any, /) -> Array: ...
    def __len__(self) -> int: ...
    def __lshift__(self, other: Any, /) -> Array: ...
    def __lt__(self, other: Any, /) -> Array: ...
    def __matmul__(self, other: Any, /) -> Array: ...
    def __mod__(self, other: Any, /) -> Array: ...
    def __mul__(self, other: Any, /) -> Array: ...
    def __ne__(self, other: Any, /) -> Array: ...  # type: ignore[override]
    def __neg__(self) -> Array: ...
    def __or__(self, other: Any, /) -> Array: ...
    def __pos__(self) -> Array: ...
    def __pow__(self, other: Any, /) -> Array: ...
    def __radd__(self, other: Any, /) -> Array: ...
    def __rand__(self, other: Any, /) -> Array: ...
    def __rdivmod__(self, other: Any, /) -> Any: ...
    def __reduce_ex__(self, protocol: Any, /) -> Any: ...
    def __repr__(self) -> str: ...
    def __reversed__(self) -> Iterator[Any]: ...
    def __rfloordiv__(self, other: Any, /) -> Array: ...
    def __rlshift__(self, other: Any, /) -> Array: ...
    def __rmatmul__(self, other: Any, /) -> Array: ...
    def __rmod__(self, other: Any, /) -> Array: ...
    def __rmul__(self, other: Any, /) -> Array: ...
    def __ror__(self, other: Any, /) -> Array: ...
    def __rpow__(self, other: Any, /) -> Array: ...
    def __rrshift__(self, other: Any, /) -> Array: ...
    def __rshift__(self, other: Any, /) -> Array: ...
    def __rsub__(self, other: Any, /) -> Array: ...
    def __rtruediv__(self, other: Any, /) -> Array: ...
    def __rxor__(self, other: Any, /) -> Array: ...
    def __setitem__(self, where: Any, what: Any, /) -> None: ...
    def __str__(self) -> str: ...
    def __sub__(self, other: Any, /) -> Array: ...
    def __truediv__(self, other: Any, /) -> Array: ...
    def __xor__(self, other: Any, /) -> Array: ...
    def _ipython_key_completions_(self) -> list[str]: ...
    attrs: dict[str, Any]
    behavior: dict[Any, Any] | None
    @property
    def cpp_type(self) -> Any:
        """Not there: arrays can't be passed to functions of cppyy; the C++ library has them."""
    @property
    def fields(self) -> list[str]:
        """Names of the record fields, or numbers of the tuple slots."""
    @property
    def is_tuple(self) -> bool: ...
    layout: Any
    @property
    def mask(self) -> _MaskGetter:
        """x.mask[keep] is mask(x, keep)."""
    @property
    def named_axis(self) -> dict[Any, int]: ...
    @property
    def nbytes(self) -> int:
        """Bytes of its buffers that it uses; evaluates."""
    @property
    def ndim(self) -> int:
        """Levels of nesting."""
    @property
    def numba_type(self) -> Any:
        """Not there: arrays can't be passed to functions that Numba compiles."""
    @property
    def positional_axis(self) -> Any: ...
    def show(self, limit_rows=20, limit_cols=80, *, type=False, named_axis=False, nbytes=False, backend=False, all=False, stream=..., formatter=None, precision=3) -> Any:
        """Prints the values, shortened, and what else is asked for; with stream=None, returns it."""
    def to_list(self) -> Any:
        """As nested Python lists."""
    def to_numpy(self, allow_missing: bool = True) -> Any:
        """As a NumPy array of its own."""
    def tolist(self) -> Any:
        """As nested Python lists."""
    @property
    def type(self) -> Any:
        """The type."""
    @property
    def typestr(self) -> str:
        """The type as text: '3 * var * int64'."""
    def __getattr__(self, name: str) -> Any: ...


class ArrayBuilder:
    """Appends values one by one; the type is found out on the way."""
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any: ...
    def __bool__(self) -> bool: ...
    def __copy__(self) -> Any: ...
    def __init__(self, *, behavior: Any = None, attrs: Any = None, initial: int = 1024, resize: float = 8) -> None: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    def append(self, obj: Any) -> None: ...
    attrs: dict[str, Any]
    def begin_list(self) -> None: ...
    def begin_record(self, name: str | None = None) -> None: ...
    def begin_tuple(self, numfields: int) -> None: ...
    behavior: dict[Any, Any] | None
    def boolean(self, x: Any) -> None: ...
    def bytestring(self, x: bytes) -> None: ...
    def complex(self, x: Any) -> None: ...
    def datetime(self, x: Any) -> None: ...
    def end_list(self) -> None: ...
    def end_record(self) -> None: ...
    def end_tuple(self) -> None: ...
    def extend(self, iterable: Any) -> None: ...
    def field(self, key: str) -> Any: ...
    def index(self, i: int) -> Any: ...
    def integer(self, x: int) -> None: ...
    def list(self) -> Any:
        """with builder.list(): what is appended inside is one list."""
    def null(self) -> None: ...
    @property
    def numba_type(self) -> Any:
        """Not there: arrays can't be passed to functions that Numba compiles."""
    def real(self, x: float) -> None: ...
    def record(self, name=None) -> Any:
        """with builder.record(name): each value after field(key)."""
    def show(self, limit_rows=20, limit_cols=80, *, type=False, named_axis=False, nbytes=False, backend=False, all=False, stream=..., formatter=None, precision=3) -> Any:
        """Prints the values, shortened, and what else is asked for; with stream=None, returns it."""
    def snapshot(self) -> Any: ...
    def string(self, x: str) -> None: ...
    def timedelta(self, x: Any) -> None: ...
    def to_list(self) -> Any: ...
    def to_numpy(self) -> Any: ...
    def tolist(self) -> Any: ...
    def tuple(self, numfields) -> Any:
        """with builder.tuple(n): each slot after index(i)."""
    @property
    def type(self) -> Any: ...
    @property
    def typestr(self) -> str: ...


class Explanation:
    """The plan of an evaluation: str() draws it."""
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    @property
    def bytes_read(self) -> int:
        """Of stored buffers."""
    @property
    def bytes_written(self) -> int:
        """An upper bound where it depends on the data."""
    @property
    def kernels(self) -> Any:
        """Text of the CUDA kernels, if asked for."""
    @property
    def passes(self) -> int:
        """Sweeps over the data."""
    @property
    def text(self) -> Any: ...
    @property
    def waits(self) -> int:
        """Times the host waits for a GPU, to make room for what is of unknown size."""


class Record:
    """One record or tuple of an array."""
    def __abs__(self) -> Any: ...
    def __add__(self, other: Any, /) -> Any: ...
    def __and__(self, other: Any, /) -> Any: ...
    def __array_ufunc__(self, ufunc: Any, method: str, /, *inputs: Any, **options: Any) -> Any: ...
    def __awkward_function__(self, function, array_likes, args, kwargs) -> Any:
        """Array.__awkward_function__: functions of Awkward Array work on arrays of Awkward Array."""
    def __bool__(self) -> bool: ...
    def __copy__(self) -> Any: ...
    def __dask_tokenize__(array) -> Any:
        """Array.__dask_tokenize__: the same for the same type, values, attrs and behaviors, in every
        process, however the values are stored."""
    def __deepcopy__(self, arg: Any, /) -> Any: ...
    def __delitem__(self, where: Any, /) -> None: ...
    def __divmod__(self, other: Any, /) -> Any: ...
    def __eq__(self, other: Any, /) -> Any: ...  # type: ignore[override]
    def __floordiv__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...
    def __getitem__(self, where: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __init__(self, data: Any, *, behavior: Any = None, with_name: str | None = None, check_valid: bool = False, backend: Any = None, attrs: Any = None, named_axis: Any = None, copy: Any = None) -> None: ...
    def __invert__(self) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __lshift__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def __mod__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __ne__(self, other: Any, /) -> Any: ...  # type: ignore[override]
    def __neg__(self) -> Any: ...
    def __or__(self, other: Any, /) -> Any: ...
    def __pos__(self) -> Any: ...
    def __pow__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __rand__(self, other: Any, /) -> Any: ...
    def __rdivmod__(self, other: Any, /) -> Any: ...
    def __reduce_ex__(self, protocol: Any, /) -> Any: ...
    def __repr__(self) -> str: ...
    def __rfloordiv__(self, other: Any, /) -> Any: ...
    def __rlshift__(self, other: Any, /) -> Any: ...
    def __rmatmul__(self, other: Any, /) -> Any: ...
    def __rmod__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __ror__(self, other: Any, /) -> Any: ...
    def __rpow__(self, other: Any, /) -> Any: ...
    def __rrshift__(self, other: Any, /) -> Any: ...
    def __rshift__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __rxor__(self, other: Any, /) -> Any: ...
    def __setitem__(self, where: Any, what: Any, /) -> None: ...
    def __str__(self) -> str: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __xor__(self, other: Any, /) -> Any: ...
    def _ipython_key_completions_(self) -> list[str]: ...
    attrs: dict[str, Any]
    behavior: dict[Any, Any] | None
    @property
    def fields(self) -> list[str]:
        """Names of the record fields, or numbers of the tuple slots."""
    @property
    def is_tuple(self) -> bool: ...
    layout: Any
    @property
    def named_axis(self) -> dict[Any, int]: ...
    @property
    def nbytes(self) -> int:
        """Bytes of its buffers that it uses; evaluates."""
    @property
    def numba_type(self) -> Any:
        """Not there: arrays can't be passed to functions that Numba compiles."""
    @property
    def positional_axis(self) -> Any: ...
    def show(self, limit_rows=20, limit_cols=80, *, type=False, named_axis=False, nbytes=False, backend=False, all=False, stream=..., formatter=None, precision=3) -> Any:
        """Prints the values, shortened, and what else is asked for; with stream=None, returns it."""
    def to_list(self) -> Any:
        """As nested Python lists."""
    def to_numpy(self, allow_missing: bool = True) -> Any:
        """As a NumPy array of its own."""
    def tolist(self) -> Any:
        """As nested Python lists."""
    @property
    def type(self) -> Any:
        """The type."""
    @property
    def typestr(self) -> str:
        """The type as text: '3 * var * int64'."""
    def __getattr__(self, name: str) -> Any: ...


class Type:
    """The type of an array: str() gives '3 * var * int64'."""
    def __eq__(self, other: Any) -> Any: ...
    def __init__(self, text: str) -> None: ...
    def __reduce__(self) -> tuple: ...
    def __repr__(self) -> Any: ...
    def __str__(self) -> str: ...
    def copy(self, **changes) -> Any:
        """The same with other arguments of its class."""
    def is_equal_to(self, other: Any, *, all_parameters: bool = False) -> bool: ...
    def parameter(self, arg: Any, /) -> Any: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    def pretty(self) -> str:
        """Several lines, fields indented."""
    def show(self, stream=...) -> Any:
        """Prints the type in several lines; with stream=None, returns them."""


class _MaskGetter:
    def __getitem__(self, where: Any, /) -> Any: ...
    def __init__(self, array: Any) -> None: ...


def abs(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Magnitude |x|."""

def absolute(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Magnitude |x|."""

def acos(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse cosine, in radians."""

def acosh(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse hyperbolic cosine."""

def add(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Sum; logical or of booleans."""

def all(array: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where all items are."""

def almost_equal(left: Any, right: Any, *, rtol: float = 1e-05, atol: float = 1e-08, dtype_exact: bool = True, check_parameters: bool = True, check_regular: bool = True, check_named_axis: bool = True) -> bool:
    """True if structure and types are the same and the values nearly."""

def angle(val: Any, deg: bool = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Angles of complex numbers, in radians or degrees."""

def any(array: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where an item is."""

def arccos(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse cosine, in radians."""

def arccosh(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse hyperbolic cosine."""

def arcsin(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse sine, in radians."""

def arcsinh(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse hyperbolic sine."""

def arctan(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse tangent, in radians."""

def arctan2(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Angle of the point (y, x), in radians."""

def arctanh(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse hyperbolic tangent."""

def argcartesian(arrays: Any, axis: Any = 1, *, nested: Any = None, parameters: Any = None, with_name: str | None = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Positions of all pairs (triples ...) of items of lists."""

def argcombinations(array: Any, n: int, *, replacement: bool = False, axis: Any = 1, fields: Any = None, parameters: Any = None, with_name: str | None = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Positions of all choices of n items of each list."""

def argmax(array: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Positions of the largest items."""

def argmin(array: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Positions of the smallest items."""

def argpartition(array: Any, kth: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Positions of the items as partition has them."""

def argsort(array: Any, axis: Any = -1, *, ascending: bool = True, stable: bool = True, by: Any = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Positions in the lists of the items in order: x[argsort(x)] is sorted."""

def argtopk(array: Any, k: int, axis: Any = -1, *, largest: bool = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Positions in the lists of the k largest items."""

def array_equal(a1: Any, a2: Any, equal_nan: bool = False, dtype_exact: bool = True, same_content_types: bool = True, check_parameters: bool = True, check_regular: bool = True, check_named_axis: bool = True) -> bool:
    """True if structure, types and values are the same."""

def asin(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse sine, in radians."""

def asinh(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse hyperbolic sine."""

def atan(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse tangent, in radians."""

def atan2(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Angle of the point (y, x), in radians."""

def atanh(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Inverse hyperbolic tangent."""

def backend(*arrays) -> Any:
    """Where the buffers are: 'cpu' or 'cuda'."""

def bitwise_and(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Bits set in both."""

def bitwise_count(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Number of bits set in |x|."""

def bitwise_invert(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """All bits flipped; logical not of booleans."""

def bitwise_left_shift(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x times 2 to the y; 0 if y is not less than the width."""

def bitwise_not(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """All bits flipped; logical not of booleans."""

def bitwise_or(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Bits set in either."""

def bitwise_right_shift(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x shifted right, keeping the sign, by y bits; any y."""

def bitwise_xor(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Bits set in exactly one."""

def broadcast_arrays(*arrays, depth_limit: int | None = None, broadcast_parameters_rule: str = 'one_to_one', left_broadcast: bool = True, right_broadcast: bool = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The arrays with the structure that they have when broadcast together."""

def broadcast_fields(*arrays, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> list:
    """The arrays with the fields of all."""

def cartesian(arrays: Any, axis: Any = 1, *, nested: Any = None, parameters: Any = None, with_name: str | None = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """All pairs (triples ...) of items of lists."""

def categories(array: Any, highlevel: bool = True, *, behavior: Any = None, attrs: Any = None) -> Any:
    """The distinct values of a categorical; None of anything else."""

def cbrt(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Cube root."""

def ceil(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Smallest integer not below x."""

def clip(array: Any, min: Any = None, max: Any = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Values below min as min, above max as max; None is no bound."""

def combinations(array: Any, n: int, *, replacement: bool = False, axis: Any = 1, fields: Any = None, parameters: Any = None, with_name: str | None = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """All choices of n items of each list."""

def compute(*arrays) -> Any:
    """Evaluates arrays together, in one pass where they share lists, and returns them."""

def concatenate(arrays: Any, axis: Any = 0, *, mergebool: bool = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Arrays, or their lists, one after the other."""

def conj(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Complex conjugate; x itself if x is real."""

def conjugate(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Complex conjugate; x itself if x is real."""

def copy(array: Any) -> Any:
    """The array as another object."""

def copysign(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """|x| with the sign of y."""

def corr(x: Any, y: Any, weight: Any = None, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Correlation coefficients."""

def cos(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Cosine of x radians."""

def cosh(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Hyperbolic cosine."""

def count(array: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Numbers of items that are not missing."""

def count_nonzero(array: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Numbers of items that are not zero."""

def covar(x: Any, y: Any, weight: Any = None, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Covariances."""

def cummax(array: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """The largest item of each list so far."""

def cummin(array: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """The smallest item of each list so far."""

def cumprod(array: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Products of the items of each list up to each of them."""

def cumsum(array: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Sums of the items of each list up to each of them. Missing items stay missing."""

def default_backend() -> str:
    """Where new arrays are made; see set_default_backend."""

def deg2rad(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Degrees to radians."""

def degrees(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Radians to degrees."""

def diff(array: Any, n: int = 1, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Differences of neighbours along an axis, n times; along an outer one, of each item and the one before it at the same place of the lists inside, dropped where there is none."""

def divide(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Quotient; integers give float64."""

def divmod(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """floor_divide and remainder."""

def drop_none(array: Any, axis: Any = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Without what is missing."""

def elementwise_rows() -> dict: ...

def enforce_type(array: Any, type: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """The array as a type that it can be converted to."""

def equal(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x == y."""

def exp(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """e to the power x."""

def exp2(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """2 to the power x."""

def explain(*arrays, backend: str | None = None, kernels: bool = False) -> Explanation:
    """What evaluating these arrays together would do; with kernels=True also the text of the CUDA
    kernels, on any machine."""

def expm1(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """exp(x) - 1, accurate near 0."""

def fabs(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Magnitude |x|, always floating."""

def fields(array: Any) -> list[str]:
    """Names of the record fields."""

def fill_none(array: Any, value: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """A value in place of what is missing."""

def firsts(array: Any, axis: Any = 1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The first item of each list, or missing."""

def flatten(array: Any, axis: Any = 1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """One level of lists less; all of them with axis=None."""

def float_power(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x to the power y, in float64 or complex128."""

def floor(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Largest integer not above x."""

def floor_divide(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Largest integer not above x / y; 0 where an integer y is 0."""

def fmax(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Larger of the two; the other one where one is NaN."""

def fmin(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Smaller of the two; the other one where one is NaN."""

def fmod(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Remainder with the sign of x (C's fmod); 0 where an integer y is 0."""

def frexp(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """m and e with x = m * 2**e and m in [0.5, 1)."""

def from_awkward(array: Any) -> Any:
    """An array of Awkward Array's, whose numbers are shared."""

def from_buffers(form: Any, length: int, container: Any, buffer_key: Any = '{form_key}-{attribute}', *, backend: Any = None, byteorder: str = '<', allow_noncanonical_form: bool = False, enable_virtualarray_caching: bool = True, copy: Any = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """An array from a form and named buffers; all of it is checked. Buffers that can be written to are copied, others shared; copy=False shares all numbers."""

def from_categorical(array: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """A categorical as plain values."""

def from_datashape(datashape: str, highlevel: bool = True) -> Any:
    """Reads what str(array.type) writes."""

def from_dlpack(array: Any, *, prefer_cpu: bool = True, regulararray: bool = False, highlevel: bool = True, behavior: Any = None, primitive_policy: Any = 'error', attrs: Any = None, copy: Any = None) -> Array:
    """An array of any library with __dlpack__. Memory that can be written to is copied; copy=False shares it, and nobody may write to it then."""

def from_iter(iterable: Any, *, allow_record: bool = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None, initial: int = 1024, resize: float = 8, backend: Any = None) -> Any:
    """An array from nested Python objects."""

def from_numpy(array: Any, *, regulararray: bool = False, recordarray: bool = True, highlevel: bool = True, behavior: Any = None, primitive_policy: str = 'error', attrs: Any = None, copy: Any = None) -> Array:
    """A NumPy array. Memory that can be written to is copied, else shared; copy=False shares it, and nobody may write to it then."""

def from_regular(array: Any, axis: Any = 1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """A regular dimension as lists of variable length."""

def full_like(array: Any, fill_value: Any, *, dtype: Any = None, including_unknown: bool = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """The same structure, every item replaced."""

def gcd(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Greatest common divisor."""

def greater(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x > y."""

def greater_equal(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x >= y."""

def group_by(array: Any, keys: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Items that have equal keys: the distinct keys in order, and for each the list of its items as they stood; in each of the innermost lists of keys, or of all keys with axis=None. Keys are numbers, strings, times, records or, for several at once, a tuple of arrays; missing keys are one group, the last one. Items may be anything."""

def heaviside(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """0 where x < 0, y where x == 0, 1 where x > 0."""

def histogram(array: Any, bins: int, lo: float, hi: float, *, weight: Any = None, flow: bool = False) -> Any:
    """Counts (or sums of weights) of all items in equal bins of [lo, hi); with flow=True the underflow comes first, the overflow last."""

def hypot(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Length of the vector (x, y)."""

def imag(val: Any, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Imaginary parts."""

def invert(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """All bits flipped; logical not of booleans."""

def is_categorical(array: Any) -> bool:
    """True if equal values are stored once."""

def is_none(array: Any, axis: Any = 0, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """True where an item is missing."""

def is_tuple(array: Any) -> bool:
    """True for tuples, records without names."""

def is_unique(array: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Whether all items of a list along the axis are different, of all items with axis=None."""

def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """True where |a - b| <= atol + rtol |b|."""

def isfinite(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where x is neither NaN nor infinite."""

def isin(array: Any, test_elements: Any, axis: Any = None, *, invert: bool = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Whether an item is one of the test elements: of all of them as one set, or with an axis of the list along it that stands in the item's place: with axis=-1 that in place of its list, with axis=0 of the items at its place in all of them. Missing items stay missing; NaN is in no set."""

def isinf(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where x is infinite."""

def isnan(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where x is NaN (or NaT)."""

def isnat(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where a time is NaT (not a time)."""

def lcm(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Least common multiple; wraps around."""

def ldexp(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x times 2 to the integer y."""

def left_shift(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x times 2 to the y; 0 if y is not less than the width."""

def less(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x < y."""

def less_equal(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x <= y."""

def linear_fit(x: Any, y: Any, weight: Any = None, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Straight lines through the points (x, y): records of intercept, slope and their errors."""

def local_index(array: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Positions inside the lists."""

def log(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Natural logarithm."""

def log10(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Logarithm to base 10."""

def log1p(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """log(1 + x), accurate near 0."""

def log2(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Logarithm to base 2."""

def logaddexp(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """log(exp(x) + exp(y))."""

def logaddexp2(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """log2(2**x + 2**y)."""

def logical_and(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where both are non-zero."""

def logical_not(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where x is zero."""

def logical_or(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where one is non-zero."""

def logical_xor(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where exactly one is non-zero."""

def mask(array: Any, mask: Any, *, valid_when: bool = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """The same shape, missing where the mask is false."""

def materialize(array: Any, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The array, computed."""

def matmul(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Matrix product: lists of lists by lists of lists, or by lists; dimensions before the last two are broadcast."""

def matvec(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Matrices by vectors."""

def max(array: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Largest items."""

def maximum(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Larger of the two; NaN if either is NaN."""

def mean(x: Any, weight: Any = None, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Means, weighted if asked for."""

def median(x: Any, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Medians; of an even number of items the mean of the two in the middle."""

def merge_option_of_records(array: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Records whose fields are missing in place of missing records."""

def merge_union_of_records(array: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Records of different fields as one type of record."""

def min(array: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Smallest items."""

def minimum(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Smaller of the two; NaN if either is NaN."""

def mod(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Remainder with the sign of y (Python's %); 0 where an integer y is 0."""

def modf(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """What stands behind the point and before it, both with the sign of x."""

def moment(x: Any, n: float, weight: Any = None, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Means of the n-th power."""

def multiply(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Product; logical and of booleans."""

def nan_to_none(array: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Missing in place of NaN."""

def nan_to_num(array: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Numbers in place of NaN and infinities."""

def nanargmax(array: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Positions of the largest items that are not NaN."""

def nanargmin(array: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Positions of the smallest items that are not NaN."""

def nanmax(array: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Largest items that are not NaN."""

def nanmean(x: Any, weight: Any = None, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Means of what is not NaN."""

def nanmedian(x: Any, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Medians of what is not NaN."""

def nanmin(array: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Smallest items that are not NaN."""

def nanpercentile(x: Any, q: float, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Percentiles of what is not NaN."""

def nanprod(array: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Products of what is not NaN."""

def nanquantile(x: Any, q: float, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Quantiles of what is not NaN."""

def nanstd(x: Any, weight: Any = None, ddof: float = 0, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Standard deviations of what is not NaN."""

def nansum(array: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Sums of what is not NaN."""

def nanvar(x: Any, weight: Any = None, ddof: float = 0, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Variances of what is not NaN."""

def negative(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """-x; not of booleans."""

def nextafter(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Next number after x towards y."""

def not_equal(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x != y."""

def num(array: Any, axis: Any = 1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Lengths of the lists."""

def ones_like(array: Any, *, dtype: Any = None, including_unknown: bool = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """The same structure, every item 1."""

def pad_none(array: Any, target: int, axis: Any = 1, *, clip: bool = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Lists made up to a length with missing items."""

def parameters(array: Any) -> Any:
    """Notes in the outermost type."""

def partition(array: Any, kth: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """The items of each list with the one at index kth in its place in order, smaller ones before it. All are sorted: any kth, and several, may be asked for."""

def percentile(x: Any, q: float, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Quantiles by percent."""

def positive(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x itself; not of booleans."""

def pow(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x to the power y; integers wrap around."""

def power(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x to the power y; integers wrap around."""

def prod(array: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Products."""

def ptp(array: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None, mask_identity: bool | None = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Largest less smallest."""

def quantile(x: Any, q: float, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The value below which the part q of the items lies, between neighbours in proportion."""

def rad2deg(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Radians to degrees."""

def radians(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Degrees to radians."""

def rank(array: Any, axis: Any = -1, *, method: str = 'average', ascending: bool = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Places of the items of each list in order, from 1 on. Equal items share one by the method: average, min, max, dense, or ordinal for places as they stand."""

def ravel(array: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """All levels of lists flattened, missing items kept."""

def real(array: Any, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Real parts."""

def reciprocal(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """1 / x, truncated for integers; 0 where an integer x is 0."""

def remainder(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Remainder with the sign of y (Python's %); 0 where an integer y is 0."""

def right_shift(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x shifted right, keeping the sign, by y bits; any y."""

def rint(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Nearest integer; halves go to the even one."""

def round(array: Any, decimals: int = 0, out: Any = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """To this many decimals, halves to the even neighbour."""

def run_lengths(array: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Lengths of the runs of equal values in each list along the axis."""

def searchsorted(a: Any, v: Any, side: str = 'left', *, axis: Any = -1, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Where the values v belong in the sorted list a, before equal items (side="left") or after them; in nested lists a each value in the list along the axis that stands in its place."""

def set_default_backend(name: str) -> None:
    """Where new arrays are made from now on: 'cpu', which is the default, or 'cuda'. The environment variable SERRATE_BACKEND says it from the start."""

def sign(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """-1, 0 or 1; NaN stays NaN; of a complex number x / |x|."""

def signbit(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """True where the sign bit is set (-0.0 too)."""

def sin(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Sine of x radians."""

def singletons(array: Any, axis: Any = 0, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Lists of one item, empty where it is missing."""

def sinh(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Hyperbolic sine."""

def softmax(x: Any, axis: Any = -1, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """exp(x) over its sum."""

def sort(array: Any, axis: Any = -1, *, ascending: bool = True, stable: bool = True, by: Any = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Each list in order; NaN and then missing items come last. Equal items stay as they were. by= names one or more fields of records, which are sorted by them as a whole."""

def spacing(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Distance to the next number away from zero, with the sign of x."""

def sqrt(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Square root."""

def square(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x * x."""

def std(x: Any, weight: Any = None, ddof: float = 0, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Standard deviations."""

def strings_astype(array: Any, to: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Texts as numbers, or as times in NumPy's way of writing them."""

def subtract(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Difference; not of booleans."""

def sum(array: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Sums."""

def tan(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Tangent of x radians."""

def tanh(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Hyperbolic tangent."""

def to_backend(array: Any, backend: str, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The array on a device, 'cpu' or 'cuda' (an NVIDIA GPU): computed, then copied, unless it is there. Nothing else moves data."""

def to_buffers(array: Any, container: Any = None, buffer_key: Any = '{form_key}-{attribute}', form_key: str = 'node{id}', *, id_start: int = 0, backend: Any = None, byteorder: str = '<') -> Any:
    """The form, the length and the buffers (as bytes) of an array; backend="cuda" gives them on the GPU."""

def to_list(array: Any) -> Any:
    """Nested Python lists."""

def to_numpy(array: Any, *, allow_missing: bool = True, copy: Any = True) -> Any:
    """A NumPy array of its own, to be written to; copy=False gives a read-only view where that can be. ValueError if lists differ in length."""

def to_packed(array: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The same values in the smallest buffers."""

def to_regular(array: Any, axis: Any = 1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Lists of equal lengths as a regular dimension."""

def topk(array: Any, k: int, axis: Any = -1, *, largest: bool = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """The k largest items of the innermost lists in order (the smallest with largest=False), of all items with axis=None; fewer where there are fewer."""

def true_divide(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Quotient; integers give float64."""

def trunc(x: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Integer part, towards zero."""

def type(array: Any, *, behavior: Any = None) -> Any:
    """The type."""

def unflatten(array: Any, counts: Any, axis: Any = 0, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Splits into lists of these lengths."""

def unique(array: Any, axis: Any = -1, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The distinct items of each list in order, of all items with axis=None; if asked for, where each stands first, the number of the value of each item, and how many are equal. Along an outer axis the j-th items of all lists are one list, and its result stands where a reducer has one."""

def unzip(array: Any, *, how: Any = ..., highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """One array per field."""

def value_counts(array: Any, axis: Any = -1, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The distinct items of each list along the axis in order, of all items with axis=None, and how many there are of each: records of value and count."""

def values_astype(array: Any, to: Any, *, including_unknown: bool = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Numbers as another type."""

def var(x: Any, weight: Any = None, ddof: float = 0, axis: Any = None, *, keepdims: bool = False, mask_identity: bool | None = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Variances."""

def vecdot(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Sum of conjugate(x) * y over the last dimension."""

def vecmat(x: Any, y: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Conjugated vectors by matrices."""

def where(condition: Any, *args: Any, mergebool: bool = True, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """x where the condition is true, else y."""

def with_field(array: Any, what: Any, where: Any = None, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """A field more, or another in its place."""

def with_name(array: Any, name: str | None, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """Records of a named type."""

def with_named_axis(array: Any, named_axis: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The array with names for its axes: a tuple of names, or positions by name."""

def with_parameter(array: Any, parameter: str, value: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The same values with a note in the type."""

def without_field(array: Any, where: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """A field less."""

def without_named_axis(array: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The array without names of axes."""

def without_parameters(array: Any, *, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Any:
    """The same values without notes in the type."""

def zeros_like(array: Any, *, dtype: Any = None, including_unknown: bool = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """The same structure, every item 0."""

def zip(arrays: Any, depth_limit: int | None = None, *, parameters: Any = None, with_name: str | None = None, right_broadcast: bool = False, optiontype_outside_record: bool = False, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """Arrays as one array of records (a dict) or tuples (a sequence)."""

def zip_no_broadcast(arrays: Any, *, parameters: Any = None, with_name: str | None = None, highlevel: bool = True, behavior: Any = None, attrs: Any = None) -> Array:
    """zip of arrays that have the same lengths already."""
