"""Decorators that give records of a name their methods, properties and overloads."""

import functools
import sys

from serrate import _core
from serrate.vector._foreign import joined


def mixin_class(registry, name=None):
    """Registers a class as that of the records of its name, and of arrays of them.

    Methods and properties see a record or an array of records as `self`. Overloads marked with
    mixin_class_method are registered too, also those of the classes that it derives from.

    >>> @mixin_class(behavior)
    ... class Point:
    ...     def norm(self):
    ...         return np.hypot(self.x, self.y)
    >>> Array([{"x": 3, "y": 4}], with_name="Point").norm()
    <Array [5] type='1 * float64'>
    """

    def register(cls):
        key = name or cls.__name__
        for suffix, base in (("Record", _core.Record), ("Array", _core.Array)):
            made = joined(cls.__name__ + suffix, cls, base, {"__module__": cls.__module__})
            setattr(sys.modules[cls.__module__], made.__name__, made)
            registry[key if base is _core.Record else ("*", key)] = made
        for basis in cls.mro():
            for method in vars(basis).values():
                if hasattr(method, "_mixin_overload"):
                    _register(registry, key, basis, method)
        return cls

    return register


def _register(registry, key, basis, method):
    ufunc, partners, transposed = method._mixin_overload
    if partners is None:
        registry.setdefault((ufunc, key), method)
        return
    for other in [*partners, key]:
        registry.setdefault((ufunc, key, other), method)
        if transposed is not None and other != key:
            registry.setdefault((ufunc, other, key), transposed)
    if basis.__name__ in partners:
        partners.add(key)


def _swapped(function, left, right):
    return function(right, left)


def mixin_class_method(ufunc, rhs=None, *, transpose=True):
    """Marks a method of a mixin_class as the overload of a ufunc.

    `rhs` is the set of names and classes that may stand on the right besides the class itself; with
    `transpose` they may stand on the left too.

    >>> @mixin_class(behavior)
    ... class Pair:
    ...     @mixin_class_method(np.absolute)
    ...     def total(self):
    ...         return self.x + self.y
    >>> abs(Array([{"x": 3, "y": 4}], with_name="Pair"))
    <Array [7] type='1 * int64'>
    """

    def mark(method):
        if rhs is not None and not isinstance(rhs, set):
            raise ValueError("expected a set of right-hand-side argument types")
        swapped = functools.partial(_swapped, method) if transpose and rhs is not None else None
        method._mixin_overload = (ufunc, None if rhs is None else set(rhs), swapped)
        return method

    return mark
