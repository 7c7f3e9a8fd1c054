"""ArrayBuilder in with-statements: list(), tuple(n), record(name), and its show()."""

import functools

from serrate import _core, _show


class _Nested:
    """What `with` begins and ends."""

    def __init__(self, builder, kind, *arguments):
        self._builder, self._kind, self._arguments = builder, kind, arguments

    def __enter__(self):
        getattr(self._builder, "begin_" + self._kind)(*self._arguments)
        return self._builder

    def __exit__(self, kind, error, trace):
        getattr(self._builder, "end_" + self._kind)()

    def __repr__(self):
        arguments = [repr(x) for x in self._arguments if x is not None]
        return f"<ArrayBuilder.{self._kind}({', '.join(arguments)})>"


def _list(self):
    """with builder.list(): what is appended inside is one list."""
    return _Nested(self, "list")


def _tuple(self, numfields):
    """with builder.tuple(n): each slot after index(i)."""
    return _Nested(self, "tuple", numfields)


def _record(self, name=None):
    """with builder.record(name): each value after field(key)."""
    return _Nested(self, "record", name)


@functools.wraps(_show.show)
def _shown(self, *args, **options):
    return self.snapshot().show(*args, **options)


_core.ArrayBuilder.list = _list
_core.ArrayBuilder.tuple = _tuple
_core.ArrayBuilder.record = _record
_core.ArrayBuilder.show = _shown
