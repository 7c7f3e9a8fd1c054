"""Columns of pandas whose values are nested: importing this gives pandas the dtype "serrate" and
the accessor `.ak` of Series and DataFrame.

>>> import pandas as pd
>>> import serrate.pandas
>>> s = pd.Series([[1, 2], None, [3]], dtype="serrate")
>>> s.ak.num(axis=1).to_list()
[2, None, 1]
"""

from serrate.pandas._accessors import FrameAccessor, SeriesAccessor
from serrate.pandas._array import NestedArray, NestedDtype

__all__ = ["FrameAccessor", "NestedArray", "NestedDtype", "SeriesAccessor"]
