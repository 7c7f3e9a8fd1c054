"""cuDF: Series and DataFrames over the same GPU memory, by Arrow's device interface."""

from serrate import _core


def to_cudf(array):
    """An array on the GPU as a cudf.Series.

    Numbers, strings and missing values share the array's memory. Offsets of lists become 32 bits,
    as cuDF has no others, and categories become their values. Types that cuDF has not, as unions
    and complex numbers, are its errors.

    >>> to_cudf(to_backend([[1, 2], [], [3]], "cpu"))
    Traceback (most recent call last):
    TypeError: to_cudf: the array is on the CPU; data move only by to_backend(x, "cuda")
    """
    array = _core.Array(array)
    if _core.backend(array) != "cuda":
        raise TypeError('to_cudf: the array is on the CPU; data move only by to_backend(x, "cuda")')
    cudf, pylibcudf = _needs("to_cudf")
    there = _OnDevice(array)
    series = cudf.Series.from_pylibcudf(pylibcudf.Column.from_arrow(there))
    dtype = there.dtype(cudf)
    if dtype is None:
        return series
    # pylibcudf's columns have no names of fields; cuDF's types have.
    column = series._column
    return cudf.Series._from_column(column.create(column.plc_column, dtype))


def from_cudf(obj, *, highlevel=True, behavior=None, attrs=None):
    """A cudf.Series, Index or DataFrame as an array on the GPU, without its index.

    Memory is shared; booleans become bytes where they are computed, categories their values. A
    DataFrame becomes an array of records.

    >>> from_cudf([1, 2])
    Traceback (most recent call last):
    TypeError: from_cudf: expected a Series, Index or DataFrame of cuDF's, got list
    """
    if type(obj).__module__.partition(".")[0] != "cudf":
        raise _not_of_cudf(obj)
    out = _core.Array(_taken(obj, _needs("from_cudf")[0]), behavior=behavior, attrs=attrs)
    return out if highlevel else out.layout


def _taken(array, cudf):
    if isinstance(array, cudf.DataFrame):
        columns = {str(name): _taken(array[name], cudf) for name in array.columns}
        return _core.zip(columns, depth_limit=1)
    if isinstance(array, cudf.Index):
        array = array.to_series()
    if not isinstance(array, cudf.Series):
        raise _not_of_cudf(array)
    if isinstance(array.dtype, cudf.CategoricalDtype):
        values, codes = array.cat.categories, array.cat.codes.where(array.notna())
        return _taken(values, cudf)[_taken(codes, cudf)]
    return _core.Array(_Named(array.to_pylibcudf()[0], array.dtype))


def _not_of_cudf(array):
    kind = type(array).__name__
    return TypeError(f"from_cudf: expected a Series, Index or DataFrame of cuDF's, got {kind}")


class _OnDevice:
    """What pylibcudf takes."""

    def __init__(self, array):
        self._array = array
        self._options = {"extensionarray": False, "list_to32": True}

    def __arrow_c_device_array__(self, requested_schema=None, **kwargs):
        return _core._arrow_capsules(self._array, "device_array", self._options)

    def __arrow_c_schema__(self):
        return _core._arrow_capsules(self._array, "schema", self._options)

    def dtype(self, cudf):
        """cuDF's type if it has names of fields, else None."""
        import pyarrow

        arrow = pyarrow.field(self).type
        if not _has_fields(arrow):
            return None
        kind = cudf.StructDtype if pyarrow.types.is_struct(arrow) else cudf.ListDtype
        return kind.from_arrow(arrow)


def _has_fields(arrow):
    import pyarrow

    if pyarrow.types.is_struct(arrow):
        return True
    return pyarrow.types.is_list(arrow) and _has_fields(arrow.value_type)


class _Named:
    """A column of pylibcudf's with the names of fields that are in cuDF's type only."""

    def __init__(self, column, dtype):
        self._column, self._dtype = column, dtype

    def __arrow_c_device_array__(self, requested_schema=None, **kwargs):
        schema = self._column._to_schema(_metadata("", self._dtype))
        return schema, self._column.__arrow_c_device_array__()[1]


def _metadata(name, dtype):
    from pylibcudf.interop import ColumnMetadata

    if getattr(dtype, "fields", None):  # those of NumPy's types are None
        children = [_metadata(str(k), t) for k, t in dtype.fields.items()]
    elif hasattr(dtype, "element_type"):
        children = [ColumnMetadata(), _metadata("", dtype.element_type)]  # offsets come first
    else:
        children = []
    return ColumnMetadata(name=name, children_meta=children)


def _needs(function):
    try:
        import cudf
        import pylibcudf
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{function} needs cuDF: pip install cudf-cu13 (or cudf-cu12)", name="cudf"
        ) from error
    return cudf, pylibcudf
