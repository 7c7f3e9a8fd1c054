"""ArrayBuilder in with-statements: list(), tuple(n), record(name), and its show()."""

from contextlib import contextmanager

from serrate import _core


@contextmanager
def _list(self):
    """with builder.list(): what is appended inside is one list."""
    self.begin_list()
    yield self
    self.end_list()


@contextmanager
def _tuple(self, numfields):
    """with builder.tuple(n): each slot after index(i)."""
    self.begin_tuple(numfields)
    yield self
    self.end_tuple()


@contextmanager
def _record(self, name=None):
    """with builder.record(name): each value after field(key)."""
    self.begin_record(name)
    yield self
    self.end_record()


def _show(self, *args, **options):
    """As Array.show()."""
    return self.snapshot().show(*args, **options)


_core.ArrayBuilder.list = _list
_core.ArrayBuilder.tuple = _tuple
_core.ArrayBuilder.record = _record
_core.ArrayBuilder.show = _show
