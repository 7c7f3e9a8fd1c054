# What the tests of compiled functions share.
import os

import numpy as np

import serrate as ak

FAMILIES = (TypeError, ValueError, IndexError, OverflowError, KeyError)


# Small caches, kernels that never run and operations that run at once leave nothing to keep.
MODES = ["SERRATE_SEAMS", "SERRATE_CUDA", "SERRATE_EAGER", "SERRATE_COMPARE_PLANS"]
KEEPS = not any(os.environ.get(mode) for mode in MODES)


class Counted:
    """A function and the number of its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)

    def was_called(self, times):
        return self.calls == times or (self.calls > times and not KEEPS)


def compiled(function):
    counted = Counted(function)
    return ak.compile(counted), counted


def rows(n, seed=0, mean=2.0):
    """Lists of records, n of them, of very different lengths."""
    rng = np.random.default_rng(seed)
    counts = np.minimum(rng.geometric(1 / (mean + 1), n) - 1, 500)
    counts[rng.integers(0, n, n // 100)] *= 7
    flat = {"x": rng.normal(size=counts.sum()), "y": rng.integers(-5, 5, counts.sum())}
    return ak.unflatten(ak.zip(flat), counts)


def shown(value):
    """What is seen of a result, as text: -0.0 and NaN too."""
    if isinstance(value, ak.Array | ak.Record):
        return f"{ak.to_list(value)!r} {ak.type(value)}"
    if isinstance(value, tuple | list):
        return [shown(v) for v in value]
    if isinstance(value, dict):
        return {k: shown(v) for k, v in value.items()}
    return repr(value)


def outcome(call):
    with np.errstate(all="ignore"):
        try:
            return shown(call())
        except FAMILIES as error:
            return type(error), str(error)


def reversed_rows(x):
    return ak.materialize(x[::-1]) if isinstance(x, ak.Array) else x
