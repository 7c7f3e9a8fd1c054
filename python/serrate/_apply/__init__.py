"""Functions of users as operations: apply and elementwise. Numba, which compiles them, is imported
when the first one is."""

import functools

from serrate._apply.known_lists import call_known
from serrate._apply.records import with_records
from serrate._apply.rows import written_down
from serrate._apply.scalar import apply_known, apply_scalar, remember


def apply(function, *arrays, axis=None):
    """`function` of the numbers in broadcast arrays, as an operation like any other.

    It is Python that Numba compiles: branches, loops, `math`, constants of its module and closure.
    It is called with a number of each array and gives a number, a tuple, a `namedtuple` or a dict
    literal, which become an array, tuples or records; `None` is a missing value. The result is
    lazy, and computed in the loop of what is around it. Where an argument is missing it is not
    called, and the result is missing. What it raises is raised where somebody looks, of the first
    item that fails.

    With an `axis` it is called with each list there (of records, or a record of lists) as a view
    with `len`, indexes, slices, iteration and fields, and gives a number, a tuple or a record a
    list; what a generator yields is a list. That is computed at once, where the arrays are.

    TypeError if it cannot be compiled, which names its line; ImportError without Numba.

    >>> apply(lambda x, y: x * x if x > y else None, Array([[1, 2], [], [3]]), 1)
    <Array [[None, 4], [], [9]] type='3 * var * ?int64'>
    >>> apply(lambda items: len(items), Array([[1, 2], [], [3]]), axis=1)
    <Array [2, 0, 1] type='3 * int64'>
    """
    found = apply_known(function, arrays) if axis is None else call_known(function, arrays, axis)
    if found is not None:
        return found
    return Applied(function, axis)(*arrays)


class Applied:
    """A function of users as one of arrays; it goes to other processes as the function does."""

    def __init__(self, function, axis=None):
        self.function, self.axis = function, axis
        self.__name__ = getattr(function, "__name__", "apply")

    def __call__(self, *arrays):
        if (later := written_down(self, arrays)) is not None:
            return later
        function = with_records(self.function)
        if self.axis is None:
            found = apply_scalar(function, arrays)
            remember(self.function, function, arrays)
            return found
        from serrate._apply.lists import apply_lists

        return apply_lists(function, arrays, self.axis, self.function)


def elementwise(function):
    """A decorator: the function becomes one of arrays, as `apply` makes it. What it was made of is
    its `__wrapped__`.

    >>> @elementwise
    ... def clipped(x):
    ...     return x if x < 2 else 2
    >>> clipped(Array([[1, 2], [], [3]]))
    <Array [[1, 2], [], [2]] type='3 * var * int64'>
    """

    applied = Applied(function)

    @functools.wraps(function)
    def of_arrays(*arrays):
        found = apply_known(function, arrays)
        return applied(*arrays) if found is None else found

    return of_arrays
