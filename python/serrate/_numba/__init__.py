"""Arrays, records and builders in functions that Numba compiles. Imported by what Numba asks of
an array, so that without Numba nothing is imported.

A view is {start, stop, words}: positions, and a table of the addresses of the array's buffers in
the order of its form (docs/internals.md). Types know the form.
"""

from serrate._numba._forms import parse

ON_GPU = (
    "functions that Numba compiles for the CPU take arrays in its memory; this one is on a GPU: "
    'to_backend(array, "cpu") copies it'
)


def type_of(form, list_name, record, behavior, gpu):
    """Numba's type of an array or record of this form (JSON); called once for each."""
    if gpu:
        raise TypeError(ON_GPU)
    from serrate._numba._cpu import VIEWS

    item = parse(form)
    if record:
        return VIEWS.RecordView(item, behavior)
    return VIEWS.ListView(item, list_name, (), behavior)


def type_of_builder():
    """Numba's type of ArrayBuilders."""
    from serrate._numba._builder import BUILDER

    return BUILDER
