"""Layouts: arrays as trees of buffers, in Awkward Array's classes.

An Array's layout is made when it is asked for; Array(layout) goes the other way.

>>> layout = Array([[1.1, 2.2], [], [3.3]]).layout
>>> layout
<ListOffsetArray len='3'>
    <offsets><Index dtype='int64' len='4'>[0 2 2 3]</Index></offsets>
    <content><NumpyArray dtype='float64' len='3'>[1.1 2.2 3.3]</NumpyArray></content>
</ListOffsetArray>
>>> Array(ListOffsetArray(layout.offsets, NumpyArray(layout.content.data * 10)))
<Array [[11, 22], [], [33]] type='3 * var * float64'>
"""

from serrate._content import Content
from serrate._contents_chosen import (  # noqa: F401
    BitMaskedArray,
    ByteMaskedArray,
    IndexedArray,
    IndexedOptionArray,
    UnionArray,
    UnmaskedArray,
)
from serrate._contents_plain import (  # noqa: F401
    EmptyArray,
    ListArray,
    ListOffsetArray,
    NumpyArray,
    RecordArray,
    RegularArray,
)
from serrate._kinds import LAYOUTS

__all__ = ["Content", *LAYOUTS]
