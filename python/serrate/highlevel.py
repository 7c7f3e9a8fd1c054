"""Array, Record and ArrayBuilder, under the name of the module that Awkward Array has them in."""

from serrate import _signature
from serrate._core import Array, ArrayBuilder, Record

__all__ = ["Array", "ArrayBuilder", "Record"]

for _kind in (Array, ArrayBuilder, Record):
    _kind.__signature__ = _signature.OfClass()
