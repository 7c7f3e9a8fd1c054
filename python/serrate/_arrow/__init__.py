"""Apache Arrow: the methods by which its libraries take arrays, and hand-over to pyarrow."""

import importlib.util
import sys

from serrate import _core

# Of the methods: plain types, which every library knows.
_PLAIN = {"extensionarray": False, "categorical_as_dictionary": True}


def _schema(self):
    """The type as a capsule of an ArrowSchema."""
    return _core._arrow_capsules(self, "schema", _PLAIN)


def _array(self, requested_schema=None):
    """Capsules of an ArrowSchema and an ArrowArray, which shares this memory."""
    return _core._arrow_capsules(self, "array", _PLAIN, requested_schema)


def _stream(self, requested_schema=None):
    """A capsule of an ArrowArrayStream of one array, which shares this memory."""
    return _core._arrow_capsules(self, "stream", _PLAIN, requested_schema)


def _device_array(self, requested_schema=None, **kwargs):
    """Capsules of an ArrowSchema and an ArrowDeviceArray, where the array is."""
    _no_options(kwargs)
    return _core._arrow_capsules(self, "device_array", _PLAIN, requested_schema)


def _device_stream(self, requested_schema=None, **kwargs):
    """A capsule of an ArrowDeviceArrayStream of one array, where the array is."""
    _no_options(kwargs)
    return _core._arrow_capsules(self, "device_stream", _PLAIN, requested_schema)


def _no_options(kwargs):
    given = [name for name, value in kwargs.items() if value is not None]
    if given:
        raise NotImplementedError(f"options of Arrow's that are not known: {', '.join(given)}")


def _pyarrow_array(self, type=None):
    """The array as pyarrow.array makes it."""
    made = to_arrow(self, extensionarray=False, categorical_as_dictionary=True)
    return made if type is None else made.cast(type)


METHODS = {
    "__arrow_c_schema__": _schema,
    "__arrow_c_array__": _array,
    "__arrow_c_stream__": _stream,
    "__arrow_c_device_array__": _device_array,
    "__arrow_c_device_stream__": _device_stream,
    "__arrow_array__": _pyarrow_array,
}
for _name, _method in METHODS.items():
    _method.__name__ = _name
    _method.__qualname__ = f"Array.{_name}"


class _Capsules:
    """What pyarrow takes."""

    def __init__(self, capsules):
        self._capsules = capsules

    def __arrow_c_array__(self, requested_schema=None):
        return self._capsules


def _pyarrow():
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "to_arrow gives arrays of pyarrow's: pip install pyarrow", name="pyarrow"
        ) from error
    return pyarrow


def _know_extension():
    """Makes pyarrow know Awkward Array's types: by itself where it is installed."""
    if "awkward._connect.pyarrow" in sys.modules:
        return
    if importlib.util.find_spec("awkward") is not None:
        import awkward._connect.pyarrow  # noqa: F401
    else:
        from serrate._arrow import types

        types.register()


def _capsules(array, **options):
    if isinstance(array, _core.Record):
        options = options | {"record_is_scalar": True}
    else:
        array = _core.Array(array)
    if _core.backend(array) == "cuda":
        array = _core.to_backend(array, "cpu")
    to = options.pop("emptyarray_to")
    if to is not None:
        import numpy

        options["emptyarray_to"] = numpy.dtype(to).name
    if options["extensionarray"]:
        _know_extension()
    return _Capsules(_core._arrow_capsules(array, "array", options))


_KNOWN = {}  # types and schemas of pyarrow's by what Arrow's structures say
_MOST_KNOWN = 256


def _handed_over(capsules, make, cls, described_by):
    """What `make` gives of the capsules. pyarrow reads Awkward Array's metadata in Python, level by
    level: a type that it has made before is taken again."""
    schema, array = capsules.__arrow_c_array__()
    key = (cls, _core._arrow_key(schema))
    known = _KNOWN.get(key)
    if known is not None:
        return cls._import_from_c(_core._arrow_address(array), known)
    made = make(capsules)
    if len(_KNOWN) >= _MOST_KNOWN:
        _KNOWN.clear()
    _KNOWN[key] = getattr(made, described_by)
    return made


def to_arrow(
    array,
    *,
    list_to32=False,
    string_to32=False,
    bytestring_to32=False,
    emptyarray_to=None,
    categorical_as_dictionary=False,
    extensionarray=True,
    count_nulls=True,
):
    """A pyarrow.Array that shares the memory; bits of booleans and of missing values are made.

    extensionarray=True adds Awkward Array's metadata, so that from_arrow (and Awkward's) gives the
    same type again, through Parquet too. list_to32, string_to32 and bytestring_to32 ask for offsets
    of 32 bits, emptyarray_to for a type of numbers instead of null.

    >>> to_arrow([[1, 2], []], extensionarray=False).type
    LargeListType(large_list<item: int64 not null>)
    """
    capsules = _capsules(**locals())
    pyarrow = _pyarrow()
    return _handed_over(capsules, pyarrow.array, pyarrow.Array, "type")


def to_arrow_table(
    array,
    *,
    list_to32=False,
    string_to32=False,
    bytestring_to32=False,
    emptyarray_to=None,
    categorical_as_dictionary=False,
    extensionarray=True,
    count_nulls=True,
):
    """A pyarrow.Table whose columns are the fields of the records, or one column without a name.

    Arguments are those of to_arrow.

    >>> to_arrow_table([{"x": 1, "y": [1.5]}]).column_names
    ['x', 'y']
    """
    capsules = _capsules(**locals(), table=True)
    pyarrow = _pyarrow()
    batch = _handed_over(capsules, pyarrow.record_batch, pyarrow.RecordBatch, "schema")
    return pyarrow.Table.from_batches([batch])


def from_arrow_schema(schema):
    """The form of what from_arrow makes of arrays with this schema.

    >>> from_arrow_schema(pyarrow.schema({"x": pyarrow.list_(pyarrow.int64())})).type
    RecordType([OptionType(ListType(OptionType(NumpyType('int64'))))], ['x'])
    """
    return _core._from_arrow_schema(schema).layout.form
