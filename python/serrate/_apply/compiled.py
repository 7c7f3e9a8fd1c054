"""Functions of arrays that are written down once: see src/graph/traces/trace.h."""

import functools
import types

from serrate import _core


class CompiledFunction(_core._CompiledFunction):
    """A function as `compile` makes it; what it was made of is `__wrapped__`."""

    def __init__(self, function):
        super().__init__()
        functools.update_wrapper(self, function)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self):
        return compile, (self.__wrapped__,)

    def __repr__(self):
        return f"<compiled {self.__wrapped__!r}>"


def compile(function):
    """A decorator: the function of arrays is called once for arguments of each structure, and what
    it wrote down is run for all others of it.

    A call then costs little more than its loops or kernels: no expression is built. The structure
    is that of the arrays (types, lengths along axis 0, lists that are shared), of tuples, lists
    and dicts of them, and the values of numbers and strings. Results are computed, and so are
    arguments, before. The function must depend on its arguments alone, as it is not called for
    each; where it looks at values (`if`, `to_list`, a sum of everything) it is called each time.

    >>> @compile
    ... def mass(e, offset):
    ...     return np.sqrt(e.x**2 + e.y**2) + offset
    >>> mass(Array([[{"x": 3.0, "y": 4.0}], []]), 1)
    <Array [[6], []] type='2 * var * float64'>
    """
    if not callable(function):
        raise TypeError(f"compile: expected a function, got {type(function).__name__}")
    return CompiledFunction(function)
