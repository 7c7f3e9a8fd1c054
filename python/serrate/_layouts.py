"""to_layout: anything as a layout."""

import datetime
import numbers

import numpy as np

from serrate import _core
from serrate._content import Content, layout_of
from serrate.contents import NumpyArray
from serrate.record import Record

_POLICIES = ("error", "pass-through", "promote")


def to_layout(
    array,
    *,
    allow_record=True,
    allow_unknown=False,
    none_policy="error",
    use_from_iter=True,
    primitive_policy="promote",
    string_policy="as-characters",
    regulararray=True,
):
    """Anything as a layout (serrate.contents), also what is one already.

    Each policy is "error", "pass-through" or "promote" (to an array of one); text may also be taken
    "as-characters".

    >>> to_layout([[1], []]).form
    ListOffsetForm('i64', NumpyForm('int64'))
    """

    def one(what, policy):
        if policy not in _POLICIES:
            raise ValueError(f"to_layout: no policy is called {policy!r}")
        if policy == "error":
            raise TypeError(f"to_layout: expected an array, got {what}: {array!r}")
        return array if policy == "pass-through" else layout_of(_core.from_iter([array]))

    if isinstance(array, Content):
        return array
    if isinstance(array, Record | _core.Record):
        if not allow_record:
            raise TypeError("to_layout: expected an array, got a record")
        return array if isinstance(array, Record) else layout_of(array)
    if isinstance(array, _core.Array | _core.ArrayBuilder):
        return layout_of(_core.Array(array))
    if array is None:
        return one("None", none_policy)
    if isinstance(array, str | bytes):
        if string_policy != "as-characters":
            return one("a text", string_policy)
        data, letter = (array, "byte") if isinstance(array, bytes) else (array.encode(), "char")
        return NumpyArray(np.frombuffer(data, "uint8"), parameters={"__array__": letter})
    if isinstance(array, numbers.Number | np.generic | datetime.date | datetime.timedelta):
        if primitive_policy != "promote":
            return one("a scalar", primitive_policy)
        return layout_of(_core.Array(np.asarray([array])))
    if isinstance(array, np.ndarray) and array.ndim == 0:
        return to_layout(array[()], primitive_policy=primitive_policy)
    plain = isinstance(array, list | tuple | dict) or not (
        hasattr(array, "__array__") or hasattr(array, "__dlpack__")
    )
    if plain and not (use_from_iter and hasattr(array, "__iter__")):
        if allow_unknown:
            return array
        raise TypeError(f"to_layout: cannot make a layout of {type(array).__name__}")
    return layout_of(_core.from_iter(array) if plain else _core.Array(array))
