# Oracle and helpers: the same call in Awkward Array must give the same values and type.
import importlib.util
import math
import os
from pathlib import Path

import awkward
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import serrate as ak

# These need a real GPU, and CuPy beside it.
HAS_GPU = Path("/dev/nvidiactl").exists() and "SERRATE_CUDA" not in os.environ
# Else the CPU compiles each kernel, or compiles and runs it, which takes up to a second.
KERNELS_ARE_SLOW = os.environ.get("SERRATE_BACKEND", "cpu") != "cpu" and not HAS_GPU
collect_ignore = [] if HAS_GPU and importlib.util.find_spec("cupy") else ["test_gpu_streams.py"]
# Else the first use of JAX takes three quarters of the GPU's memory, which all processes share.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

settings.register_profile(
    "suite",
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "long", settings.get_profile("suite"), max_examples=300, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def some(cases, every):
    """All of many cases; where kernels are slow each so many-th."""
    return list(cases)[:: every if KERNELS_ARE_SLOW else 1]


def pytest_collection_modifyitems(items):
    """SERRATE_EVERY=n, or n:k: each n-th test, from the k-th on, where all take too long."""
    n, _, first = os.environ.get("SERRATE_EVERY", "1").partition(":")
    items[:] = items[int(first or 0) :: int(n)]


@pytest.fixture(autouse=True)
def _keep_default_backend():
    before = ak.default_backend()
    yield
    ak.set_default_backend(before)


@pytest.fixture
def new_arrays_on_the_cpu(_keep_default_backend):
    """For what is about host memory; other tests run wherever SERRATE_BACKEND says."""
    ak.set_default_backend("cpu")


# Errors of Awkward that are defects: no kernel for lists with 32-bit offsets, items of a ListArray
# that lie behind all lists, x[1:-1] of one item. There is an answer, and ours must not fail.
DEFECTS = ["'awkward_", "stops[i] > len(content)", "negative dimensions are not allowed"]
DEFECTS += ["list index out of range"]  # unions that lost what their tags point to
DEFECTS += ["try UnionArray.simplified instead"]  # results that it can not write down


def same_values(a, b, rtol):
    """Equal nested lists; NaN equals NaN, numbers within rtol (of 1 at least)."""
    if isinstance(a, list | tuple):
        return (
            type(a) is type(b)
            and len(a) == len(b)
            and all(same_values(x, y, rtol) for x, y in zip(a, b, strict=True))
        )
    if isinstance(a, dict):
        return (
            isinstance(b, dict)
            and list(a) == list(b)
            and all(same_values(a[k], b[k], rtol) for k in a)
        )
    if isinstance(a, float | complex) and isinstance(b, float | complex):
        if a == b:
            zeros = a == 0 and isinstance(a, float) and isinstance(b, float)
            return math.copysign(1, a) == math.copysign(1, b) if zeros else True
        if a != a or b != b:
            return a != a and b != b
        return abs(a - b) <= rtol * (1 + abs(b))
    return type(a) is type(b) and a == b


def plain(x):
    """Nested Python values of a result of either library."""
    if isinstance(x, list | tuple):
        return type(x)(plain(y) for y in x)
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, ak.Array | ak.Record):
        return ak.to_list(x)
    if isinstance(x, awkward.Array | awkward.Record):
        return awkward.to_list(x)
    if isinstance(x, np.ma.MaskedArray | np.ndarray | np.generic):
        return x.tolist()
    return x


def host(x):
    """x, evaluated, in RAM."""
    return ak.to_backend(ak.materialize(x), "cpu")


def assert_as_of_stored(derive, follow):
    """What follows a derived array is what follows the same array, stored."""
    before = follow(ak.from_buffers(*ak.to_buffers(host(derive()))))
    now = ak.materialize(follow(derive()))
    assert str(ak.type(now)) == str(ak.type(before))
    assert ak.array_equal(host(now), host(before), equal_nan=True)


def type_text(x):
    if isinstance(x, list | tuple):
        return type(x)(type_text(y) for y in x)
    if isinstance(x, dict):
        return {k: type_text(v) for k, v in x.items()}
    if isinstance(x, ak.Array | ak.Record):
        return str(x.type)
    if isinstance(x, awkward.Array | awkward.Record):
        return str(x.type)
    if isinstance(x, np.ndarray) and x.ndim == 0:
        return x.dtype.name  # Awkward gives some numbers as 0-d arrays
    return x.dtype.name if isinstance(x, np.generic) else type(x).__name__


def assert_same(ours, theirs, rtol=0.0, types=True):
    if types:
        assert type_text(ours) == type_text(theirs), (plain(ours), plain(theirs))
    a, b = plain(ours), plain(theirs)
    assert same_values(a, b, rtol), f"{a}\n!=\n{b}"


def assert_same_values(ours, values, rtol=0.0):
    """A result of ours against plain Python values."""
    assert same_values(plain(ours), values, rtol), f"{plain(ours)}\n!=\n{values}"


def both(call, *arrays, rtol=0.0, types=True):
    """call(library, arrays...) with both: the same result, or the same family of errors."""
    theirs_in = [a if isinstance(a, awkward.Array) else awkward.Array(a) for a in arrays]
    ours_in = [ak.from_awkward(a) for a in theirs_in]
    try:
        theirs = call(awkward, *theirs_in)
        plain(theirs)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        if any(text in str(error) for text in DEFECTS):
            plain(call(ak, *ours_in))
            return error
        with pytest.raises((TypeError, ValueError, IndexError, OverflowError)):
            plain(call(ak, *ours_in))
        return error
    assert_same(call(ak, *ours_in), theirs, rtol, types)
    return None
