"""Array, Record and ArrayBuilder, under the name of the module that Awkward Array has them in."""

from serrate._core import Array, ArrayBuilder, Record

__all__ = ["Array", "ArrayBuilder", "Record"]
