# Small flat expressions, whose kept plans run without a walk: the same bits as by the way of all
# others, which two arrays that are computed together take.
import hashlib
import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from host import in_ram

import serrate as ak

SIZES = [1, 5, 64, 100, 1024, 1025, 8192, 8193, 16384, 16385, 65536, 65537]
TYPES = ["f8", "f4", "f2", "i8", "i2", "?", "c16"]


def numbers(n, t, seed=0):
    values = np.random.default_rng(seed + n).normal(size=n) * 50
    if np.dtype(t).kind in "ui":
        values = np.abs(values) + 1
    return values.astype(t)


def both_ways(f, *arrays):
    """f(*arrays) computed by itself, thrice, and together with something else."""
    alone = [ak.compute(f(*arrays)) for _ in range(3)]
    together = ak.compute(f(*arrays), arrays[0] + 1)[0]
    return alone, together


def same_bits(x, y):
    x, y = np.asarray(x), np.asarray(y)
    assert x.dtype == y.dtype
    assert x.tobytes() == y.tobytes()


EXPRESSIONS = {
    "x + x": lambda x, y: x + x,
    "x + y": lambda x, y: x + y,
    "x * 3": lambda x, y: x * 3,
    "x * 2": lambda x, y: x * 2,
    "1 - x": lambda x, y: 1 - x,
    "x > y": lambda x, y: x > y,
    "x == 7": lambda x, y: x == 7,
    "sqrt": lambda x, y: np.sqrt(np.abs(x)),
    "sin": lambda x, y: np.sin(x) * y + x,
    "where": lambda x, y: ak.where(x == y, x, 0),
    "isnan": lambda x, y: np.isnan(x),
    "astype": lambda x, y: ak.values_astype(x, "c16"),
    "shifted": lambda x, y: x[1:] * x[:-1] + y[1:],
    "chain": lambda x, y: (x + y) * (x - y) + x * y - 5,
}
REDUCERS = ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "count", "mean", "std"]


ITEMS = [
    (name, t)
    for name, t in itertools.product(EXPRESSIONS, TYPES)
    if not (t == "?" and name in ("chain", "1 - x")) and not (t[0] == "c" and name == "x > y")
]


@pytest.mark.parametrize(("name", "t"), ITEMS)
def test_items(name, t):
    f = EXPRESSIONS[name]
    for n in SIZES:
        a, b = numbers(n, t), numbers(n, t, 7)
        alone, together = both_ways(f, ak.Array(a), ak.Array(b))
        for z in alone:
            same_bits(in_ram(z), in_ram(together))
        if t != "f2":
            expected = np.asarray(f(a, b) if name not in ("where", "astype") else in_ram(together))
            np.testing.assert_allclose(in_ram(alone[2]), expected, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("t", ["f8", "f4", "i2", "?"])
@pytest.mark.parametrize("name", REDUCERS)
def test_reducers(name, t):
    reducer = getattr(ak, name)
    for n in SIZES:
        x = ak.Array(numbers(n, t))
        for f in (reducer, lambda x: reducer(x + x), lambda x: reducer(x[len(x) // 2 :])):
            results = [np.asarray(f(x)) for _ in range(3)]
            for r in results[1:]:
                same_bits(r, results[0])
        if name == "max":
            assert ak.max(x) == in_ram(x).max()
        if name in ("sum", "mean") and t in ("f8", "i8", "i4", "i2"):
            expected = getattr(np, name)(in_ram(x).astype("f8"))
            np.testing.assert_allclose(np.float64(reducer(x)), expected, rtol=1e-6, atol=1e-9)


def test_nan_and_infinity():
    for n in SIZES:
        a = numbers(n, "f8")
        a[n // 2] = np.nan
        a[-1] = np.inf
        x = ak.Array(a)
        for _ in range(3):
            np.testing.assert_array_equal(ak.max(x), a.max())
            np.testing.assert_array_equal(ak.nanmin(x), np.nanmin(a) if n > 1 else np.inf)
            np.testing.assert_array_equal(in_ram(ak.compute(x > 0)), a > 0)


def test_a_plan_is_that_of_its_numbers():
    x = ak.Array(np.arange(5.0))
    for k in (0, 1, 2, 3, 0.5, -1, 2, 1, 0, 100, -0.0):
        for _ in range(2):
            same_bits(in_ram(ak.compute(x * k)), np.arange(5.0) * k)
            np.testing.assert_allclose(in_ram(ak.compute(x**k)), np.arange(5.0) ** k)
    for k in (1, 3, 2**40, -5):
        same_bits(
            in_ram(ak.compute((x > k) == (x * 3 > k))),
            (np.arange(5.0) > k) == (np.arange(5) * 3 > k),
        )


def test_a_plan_is_that_of_equal_operands():
    a, b = np.array([1.0, 2.0, np.nan]), np.array([3.0, -4.0, np.inf])
    for _ in range(3):
        for left, right in ((a, b), (a, a), (b, a)):
            x, y = ak.Array(left), ak.Array(right)
            same_bits(in_ram(ak.compute(x * y)), left * right)
            same_bits(in_ram(ak.compute(x - y)), left - right)
            same_bits(in_ram(ak.compute(x * x - y * y)), left * left - right * right)


def test_what_is_not_flat_is_not_taken_for_it():
    a = np.arange(6.0)
    for _ in range(3):
        assert ak.compute(ak.Array([[1.0, 2.0], [3.0]]) + 1).to_list() == [[2, 3], [4]]
        assert ak.compute(ak.Array([1.0, None, 3.0]) + 1).to_list() == [2, None, 4]
        same_bits(in_ram(ak.compute(ak.Array(a.reshape(2, 3)) + 1)), a.reshape(2, 3) + 1)
        same_bits(in_ram(ak.compute(ak.Array(a) + 1)), a + 1)
        assert len(ak.compute(ak.Array(a)[6:] + 1)) == 0
        same_bits(in_ram(ak.compute(ak.Array(a)[::-1] + 1)), a[::-1] + 1)
        same_bits(in_ram(ak.compute(ak.Array(a) + ak.Array(a)[2])), a + 2)


def test_types_and_parameters_stay():
    days = np.array(["2020-01-01", "2021-05-06"], "M8[D]")
    for _ in range(3):
        z = ak.compute(ak.Array(days) - ak.Array(days[::-1].copy()))
        same_bits(in_ram(z), days - days[::-1])
        seconds = ak.compute(ak.Array(days.astype("M8[s]")) - ak.Array(days.astype("M8[s]")))
        assert str(ak.type(seconds)) == "2 * timedelta64[s]"
        named = ak.with_parameter(ak.Array([1.0, 2.0]), "about", "metres")
        assert ak.parameters(ak.compute(named * 2)) == ak.parameters(named * 2)


def test_errors_are_raised_each_time():
    x, bad = ak.Array([1, 2, 3]), ak.Array([1, -2, 3])
    for _ in range(3):
        assert ak.compute(x**x).to_list() == [1, 4, 27]
        with pytest.raises(ValueError, match="negative"):
            in_ram(ak.compute(x**bad))


def test_operands_may_be_dropped():
    for n in (5, 20_000):
        y = ak.Array(np.ones(n)) + ak.Array(np.ones(n))
        for _ in range(3):
            y = ak.compute(y + ak.Array(np.ones(n)))
        same_bits(in_ram(y), np.full(n, 5.0))


def digests():
    """Of results of several tasks, as text."""
    made = hashlib.sha256()
    for name, t in ITEMS:
        for n in (65536, 65537, 131072, 300_001):
            x, y = ak.Array(numbers(n, t)), ak.Array(numbers(n, t, 7))
            for _ in range(2):
                made.update(in_ram(ak.compute(EXPRESSIONS[name](x, y))).tobytes())
                made.update(np.asarray(ak.sum(x * y)).tobytes())
                made.update(np.asarray(ak.any(x == y)).tobytes())
        made.update(name.encode())
    return made.hexdigest()


def test_one_thread_runs_what_several_share():
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); "
        "import test_flat_plans as t; print(t.digests())"
    )
    command = [sys.executable, "-c", program, str(Path(__file__).parent)]
    seen = set()
    for threads in ("1", "3"):
        env = os.environ | {"SERRATE_NUM_THREADS": threads}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        seen.add(done.stdout)
    assert len(seen) == 1


@pytest.mark.parametrize("n", [1, 8_191, 8_192, 8_193, 16_385, 64 * 16_384, 64 * 16_384 + 1])
def test_booleans_that_decide_early(n):
    # Where the one that decides is first, at the ends of blocks, last, or nowhere.
    places = {0, n // 2, min(8_191, n - 1), min(8_192, n - 1), n - 1}
    for at in (*places, None):
        x = np.zeros(n, bool)
        if at is not None:
            x[at] = True
        for given in (x, ~x):
            ours = ak.Array(given)
            for f in (np.any, np.all, np.max, np.min, np.argmax, np.argmin, np.sum):
                assert f(ours) == f(given), (f, at)
            assert ak.count_nonzero(ours) == np.count_nonzero(given)
