# Who sees what a user's kernel writes: only the array that was given. It is written where it
# lies if nobody else has its memory, else it gets a copy.
import gc
import os

import numpy as np
import pytest
from host import in_ram

import serrate as ak

pytestmark = pytest.mark.skipif(
    os.environ.get("SERRATE_BACKEND") != "cuda" or "SERRATE_CUDA" in os.environ,
    reason="runs kernels: on a GPU or an emulated one",
)

TEXT = r"""
extern "C" __global__ void add_one(double* x, int64_t n, int64_t* at) {
  const int64_t i = blockIdx.x * 256l + threadIdx.x;
  if (i < n) x[i] += 1;
  if (i == 0) at[0] = (int64_t)x;
}
extern "C" __global__ void reversed(const double* x, double* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[n - 1 - i];
}
extern "C" __global__ void reversed_into(double* out, const double* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[n - 1 - i];
}
extern "C" __global__ void two(double* x, double* y) { x[0] = 10; y[1] = 20; }
extern "C" __global__ void sums(const double* x, double* y, double* z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) { y[i] += x[i]; z[i] += x[i]; }
}
extern "C" __global__ void shift(int64_t* x) { x[0] += 100; }
"""
VALUES = np.arange(300.0)


def kernel(name):
    return ak.raw_module(TEXT).get_function(name)


def on_gpu(x):
    return ak.to_backend(ak.Array(x), "cuda")


def add_one(x, n=None):
    """Where the kernel wrote."""
    at = on_gpu(np.zeros(1, np.int64))
    kernel("add_one").launch(n or len(x), x, n or len(x), at)
    return int(in_ram(at)[0])


@pytest.mark.parametrize(
    "make",
    [
        lambda: on_gpu(VALUES),
        lambda: on_gpu(VALUES - 1) + 1,
        lambda: on_gpu(np.arange(-2.0, 300))[2:],
        lambda: ak.Array(on_gpu(VALUES)),
    ],
    ids=["moved", "computed", "cut", "made of another"],
)
def test_an_array_of_its_own_is_written_where_it_lies(make):
    x = make()
    places = [add_one(x) for _ in range(3)]
    gc.collect()
    assert places[1] == places[2]
    np.testing.assert_array_equal(in_ram(x), VALUES + 3)


def test_regular_arrays_are_written_where_they_lie():
    x = on_gpu(VALUES.reshape(100, 3))
    places = {add_one(x, 300) for _ in range(3)}
    assert len(places) == 1
    assert str(ak.type(x)) == "100 * 3 * float64"
    np.testing.assert_array_equal(in_ram(x), VALUES.reshape(100, 3) + 3)


class Shown:
    """As another library keeps what it was shown."""

    def __init__(self, x):
        self.x, self.__cuda_array_interface__ = x, x.__cuda_array_interface__


OTHERS = {
    "a view": (lambda x: x[:], VALUES),
    "a part": (lambda x: x[100:], VALUES[100:]),
    "a copy of the handle": (lambda x: ak.Array(x), VALUES),
    "an expression": (lambda x: x + 1, VALUES + 1),
    "a filter": (lambda x: x[x > 200], VALUES[201:]),
    "a record": (lambda x: ak.zip({"a": x, "b": x}).a, VALUES),
    "lists": (lambda x: ak.flatten(ak.unflatten(x, 3)), VALUES),
    "an evaluated view": (lambda x: ak.compute(x[:]), VALUES),
    "one with a parameter": (lambda x: ak.with_parameter(x, "unit", "m"), VALUES),
    "a layout": (lambda x: x.layout, VALUES),
    "a capsule": (lambda x: ak.from_dlpack(x), VALUES),
    "another library": (lambda x: Shown(x), VALUES),
}


@pytest.mark.parametrize("name", OTHERS)
def test_others_keep_what_they_had(name):
    make, expected = OTHERS[name]
    x = on_gpu(VALUES)
    other = make(x)
    add_one(x)
    seen = other if isinstance(other, ak.Array) else ak.Array(other)
    np.testing.assert_array_equal(in_ram(seen), expected)
    np.testing.assert_array_equal(in_ram(x), VALUES + 1)
    del seen, other
    gc.collect()
    assert add_one(x) == add_one(x)
    np.testing.assert_array_equal(in_ram(x), VALUES + 3)


def test_memory_of_others_stays_as_it_is():
    """Another library's array that became ours is not written to either."""
    x = on_gpu(VALUES)
    y = ak.Array(Shown(x))
    add_one(y)
    np.testing.assert_array_equal(in_ram(x), VALUES)
    np.testing.assert_array_equal(in_ram(y), VALUES + 1)


def test_what_another_library_was_shown_stays_there():
    """It holds the object, which may get other memory by other ways, too."""
    x = on_gpu(VALUES)
    theirs = Shown(x)
    x += 1
    fresh = [on_gpu(VALUES * 0) for _ in range(3)]  # may get what was given back
    np.testing.assert_array_equal(in_ram(ak.Array(theirs)), VALUES)
    np.testing.assert_array_equal(in_ram(x), VALUES + 1)
    assert len(fresh) == 3


def test_what_was_looked_at_is_looked_at_again():
    x = ak.sum(on_gpu(np.array([[1, 2, 3]])), axis=1)
    assert x.to_list() == [6]
    for k in (1, 2):
        kernel("shift")(1, 1, (x,))
        assert x.to_list() == [6 + 100 * k]
        assert int(ak.sum(x)) == 6 + 100 * k


@pytest.mark.parametrize("of_its_own", [True, False])
def test_an_array_that_is_read_and_written(of_its_own):
    """What is read through const T* is what the array was, wherever it stands."""
    for name, order in [("reversed", lambda x: (x, x)), ("reversed_into", lambda x: (x, x))]:
        x = on_gpu(VALUES)
        other = None if of_its_own else x[:]
        kernel(name)(1, 1, (*order(x), 300))
        np.testing.assert_array_equal(in_ram(x), VALUES[::-1])
        if other is not None:
            np.testing.assert_array_equal(in_ram(other), VALUES)


def test_an_array_that_is_written_twice():
    for shared in (False, True):
        x = on_gpu(np.zeros(3))
        other = x[:] if shared else None
        kernel("two")(1, 1, (x, x))
        assert x.to_list() == [10, 20, 0]
        assert other is None or other.to_list() == [0, 0, 0]


def test_copies_do_not_take_the_memory_of_what_is_read():
    """x gives its memory up for a copy, which y's copy must not get while the kernel reads it."""
    for _ in range(3):
        x, y = on_gpu(VALUES), on_gpu(VALUES)
        keep = y[:]
        kernel("sums")(1, 1, (x, x, y, 300))
        np.testing.assert_array_equal(in_ram(x), 2 * VALUES)
        np.testing.assert_array_equal(in_ram(y), 2 * VALUES)
        np.testing.assert_array_equal(in_ram(keep), VALUES)


def test_launches_by_the_other_door():
    x = on_gpu(VALUES)
    at = on_gpu(np.zeros(1, np.int64))
    before = x[:]
    ak.cuda.launch(kernel("add_one"), 300, x, 300, at)
    np.testing.assert_array_equal(in_ram(before), VALUES)
    np.testing.assert_array_equal(in_ram(x), VALUES + 1)


def test_nothing_is_lost_where_an_argument_does_not_fit():
    x = on_gpu(VALUES)
    y = x[:]
    for bad in [(x, 300, x), (x, 300, np.zeros(1, np.int64)), (x, 300.5, x)]:
        with pytest.raises(TypeError):
            kernel("add_one")(1, 1, bad)
        np.testing.assert_array_equal(in_ram(x), VALUES)
        np.testing.assert_array_equal(in_ram(y), VALUES)
