# What numba-cuda makes of functions of users: device code, linked into kernels. No GPU is needed.
import collections
import importlib.util
import os

import numpy as np
import pytest
from test_apply_lists import heaviest, nearest, peaks, rule110, spread
from test_apply_yields import GENERATORS

import serrate as ak

if os.environ.get("SERRATE_CUDA") != "compile-only" or not importlib.util.find_spec("numba_cuda"):
    pytest.skip(
        "compiles kernels only, by numba-cuda: ./dev gpu-functions", allow_module_level=True
    )

from types import SimpleNamespace

from serrate._apply import disk

Best = collections.namedtuple("Best", "i value")
LISTS = ak.Array([[3.0, 1.0, 2.0], [], [5.0], [4.0, 7.0]])


@pytest.fixture(autouse=True)
def _compiled_anew(monkeypatch):
    """For a GPU that is not there, and not found on disk."""
    from numba.cuda import api, dispatcher

    device = SimpleNamespace(compute_capability=(9, 0))
    monkeypatch.setattr(api, "get_current_device", lambda: device)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: device, raising=False)
    monkeypatch.setattr(disk, "kept", lambda key, make: make())


def check(function, *arrays, axis=1):
    """The types are those of the CPU: its functions are compiled by Numba itself."""
    given = [ak.to_backend(x, "cuda") if isinstance(x, ak.Array) else x for x in arrays]
    arrays = [ak.to_backend(x, "cpu") if isinstance(x, ak.Array) else x for x in arrays]
    got = ak.apply(function, *given, axis=axis)
    assert str(got.type) == str(ak.apply(function, *arrays, axis=axis).type)
    assert ak.backend(got) == "cuda"
    ak.materialize(got)


def total(x, n):
    out = 0.0
    for k in range(n):
        out += x[k]
    return out


def larger(x, y):
    return x if x > y else y


def test_lists():
    check(spread, LISTS)
    check(peaks, LISTS, 0.5)
    check(rule110, ak.values_astype(LISTS, "int64") % 2)
    particles = ak.zip({"pt": LISTS, "eta": LISTS, "phi": LISTS})
    check(heaviest, particles)
    check(nearest, ak.zip({"electrons": particles, "muons": particles}, depth_limit=1))


@pytest.mark.parametrize("f", GENERATORS, ids=lambda f: f.__name__)
def test_records_that_are_yielded(f):
    check(f, LISTS)


def test_tuples_of_tuples():
    check(lambda x: None if len(x) == 0 else (len(x), (x[0], None if len(x) < 2 else x[1])), LISTS)


def test_helpers():
    check(lambda x: total(x, len(x)) + total(x[1:], len(x) - 1) if len(x) else 0.0, LISTS)

    def running(x):
        for k in range(len(x)):
            yield larger(total(x, k), 1.0)

    check(running, LISTS)
    check(lambda x, y: larger(x, y) + 1, LISTS, 2.0, axis=None)


def test_missing_values_and_records():
    def first(x):
        return None if len(x) == 0 else x[0]

    def some(x):
        for v in x:
            yield v > 2, v if v > 2 else None

    def best(x):
        found = None
        for k in range(len(x)):
            if found is None or x[k] > found.value:
                found = Best(k, x[k])
        return found

    check(first, LISTS)
    check(some, LISTS)
    check(best, LISTS)
    check(lambda x: None if x < 2 else x, LISTS, axis=None)


def test_indexes_and_extremes():
    def around(x):
        for k in range(1, len(x) - 1):
            if x[k] > max(x[k - 1], x[k + 1]):
                yield k, min(x[k], 3.0)

    def pairs(x):
        best = 0.0
        for i in range(len(x)):
            for j in range(i + 1, len(x)):
                best = max(best, x[i] * x[j])
        return best

    check(around, LISTS)
    check(pairs, LISTS)
    check(lambda x, k: x[k] if k < len(x) else 0.0, LISTS, ak.Array(np.zeros(4, "int64")))
