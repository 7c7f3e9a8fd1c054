"""The layout of a single record: a place in the layout of an array of records."""

from serrate import _core
from serrate._content import Content, array_of, parts
from serrate._contents_plain import RecordArray
from serrate._kinds import LAYOUTS


class Record:
    """Record `at` of a RecordArray.

    >>> record = Array([{"x": 1}, {"x": 2}])[1].layout
    >>> record.content("x"), record.to_list()
    (np.int64(2), {'x': 2})
    """

    def __init__(self, array, at):
        if not isinstance(array, RecordArray):
            raise TypeError(f"Record: expected a RecordArray, got {type(array).__name__}")
        if not hasattr(at, "__index__"):
            raise TypeError(f"Record: at must be an integer, got {at!r}")
        if not 0 <= at < len(array):
            raise ValueError(f"Record: no record at {at!r} of {len(array)}")
        self._array = array
        self._at = int(at)

    @property
    def array(self):
        """The layout of all records."""
        return self._array

    @property
    def at(self):
        """Which of them this is."""
        return self._at

    @property
    def contents(self):
        """The values of all fields."""
        return [self.content(i) for i in range(len(self._array.contents))]

    def content(self, index_or_field):
        """The value of a field, by its name or number."""
        return self._array.content(index_or_field)[self._at]

    def __getitem__(self, where):
        out = array_of(self)[where]
        return out.layout if isinstance(out, _core.Array | _core.Record) else out

    def __getattr__(self, name):
        if name in _FROM_ARRAY:
            return getattr(self._array, name)
        raise AttributeError(f"Record has no attribute {name!r}")

    def to_list(self, behavior=None):
        """As a dict or a tuple."""
        return _core.to_list(array_of(self))

    tolist = to_list

    def to_tuple(self):
        """The same without names."""
        return Record(self._array.to_tuple(), self._at)

    def to_packed(self, recursive=True):
        """The same with nothing else in its buffers."""
        return Record(self._array[self._at : self._at + 1].to_packed(), 0)

    def to_backend(self, backend):
        """The same on another device."""
        return Record(self._array.to_backend(backend), self._at)

    def copy(self, **changes):
        """The same with another array or place."""
        return Record(**{"array": self._array, "at": self._at, **changes})

    def __copy__(self):
        return self.copy()

    def __reduce__(self):
        return (Record, (self._array, self._at))

    def __repr__(self):
        array = self._array._xml("    ", "<array>", "</array>")
        return f"<Record at='{self._at}'>\n{array}\n</Record>"


_FROM_ARRAY = (
    *("fields", "is_tuple", "parameters", "parameter", "backend", "purelist_depth"),
    *("purelist_parameter", "purelist_parameters", "purelist_isregular", "minmax_depth"),
    *("branch_depth", "has_field", "field_to_index", "index_to_field"),
)

LAYOUTS["Record"] = Record  # no class of an array
_core._set_layouts((Content, Record), parts)

__all__ = ["Record"]
