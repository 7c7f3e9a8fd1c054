"""Arrays, records and builders in functions that Numba compiles. Imported by what Numba asks of
an array, so that without Numba nothing is imported.

A view is {start, stop, words}: positions, and a table of the addresses of the array's buffers in
the order of its form (docs/internals.md). Types know the form.
"""

import functools
import sys

from serrate import _core
from serrate._numba._forms import parse

ON_GPU = (
    "functions that Numba compiles for the CPU take arrays in its memory; this one is on a GPU: "
    'to_backend(array, "cpu") copies it, numba.cuda.jit takes it as it is'
)


def type_of(form, list_name, record, behavior):
    """Numba's type of an array or record of this form (JSON); called once for each."""
    from serrate._numba._cpu import VIEWS

    item = parse(form)
    if record:
        return VIEWS.RecordView(item, behavior)
    return VIEWS.ListView(item, list_name, (), behavior)


def _known_or_refused(array, context):
    if _core.backend(array) == "cuda":
        raise TypeError(ON_GPU)
    return array._numba_type_


@functools.cache
def _refuse_in_njit():
    from numba.extending import typeof_impl

    for cls in (_core.Array, _core.Record):
        typeof_impl.register(cls)(_known_or_refused)


def _refuse_type(view):
    """Types of arrays on a GPU have no values on a CPU."""
    from numba.extending import models, register_model

    @register_model(view)
    class Refused(models.OpaqueModel):
        def __init__(self, manager, ty):
            raise TypeError(ON_GPU)


@functools.cache
def _take_in_kernels():
    from serrate._numba._gpu import VIEWS, install

    install()
    for view in (VIEWS.ListView, VIEWS.RecordView):
        _refuse_type(view)


def type_on_gpu(array):
    """What kernels of numba.cuda take an array on a GPU for; None for flat and regular ones, which
    are device arrays to them, and without numba.cuda."""
    if "numba" in sys.modules:
        _refuse_in_njit()
    if "numba.cuda" not in sys.modules:
        return None
    _take_in_kernels()
    from serrate._numba._gpu import VIEWS, type_of

    found = type_of(array)
    return found if isinstance(found, VIEWS.View) else None


def type_of_builder():
    """Numba's type of ArrayBuilders."""
    from serrate._numba._builder import BUILDER

    return BUILDER
