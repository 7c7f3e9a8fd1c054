"""A function of lists that failed: which list, and the exception that it raised."""

import collections

import numpy as np

from serrate import _core
from serrate._apply.numba import python_function


class FailedRow(Exception):
    """The first row for which a function failed; what it raised, if that is known."""

    def __init__(self, row, raised=None):
        super().__init__(row)
        self.place, self.raised, self.arguments = [row], raised, []

    def of_arguments(self, arrays):
        """Keeps the row of each array, in RAM."""
        if not self.arguments:
            row = self.place[0]
            self.arguments = [
                _core.to_backend(x[row : row + 1], "cpu")[0] if isinstance(x, _core.Array) else x
                for x in arrays
            ]
        return self

    def among(self, there):
        """Its place among all rows; only those that are `there` were looked at."""
        self.place[0] = int(np.flatnonzero(_in_ram(there))[self.place[0]])
        return self

    def inside(self, counts):
        """Its place where lists of these sizes were flattened."""
        ends = np.cumsum(_in_ram(_core.fill_none(counts, 0)))
        row = self.place[0]
        outer = int(np.searchsorted(ends, row, side="right"))
        begin = int(ends[outer - 1]) if outer else 0
        self.place[:1] = [outer, row - begin]
        return self


def _in_ram(x):
    return _core.to_numpy(_core.to_backend(x, "cpu"))


def raise_again(function, failed):
    """Raises what the function raised: where that is not known, Python calls it with the list."""
    plain = python_function(function)[0]
    note = f"apply: list {failed.place} of arguments {', '.join(map(repr, failed.arguments))}"
    raised = failed.raised
    if raised is None:
        try:
            made = plain(*failed.arguments)
            if hasattr(made, "__next__"):
                collections.deque(made, maxlen=0)
        except Exception as error:
            raised = error
    if raised is None:
        raised = RuntimeError(f"apply: {plain.__name__} failed for list {failed.place}")
    raised.__notes__ = [*getattr(raised, "__notes__", []), note]
    raise raised
