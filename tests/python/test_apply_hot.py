# Functions of users compiled with the operations around them: the same bits as before that, for all
# types and operations that take the way, and what does not take it.
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import serrate as ak
from serrate import _core

pytest.importorskip("numba", reason="compiles the functions")
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

HOT = "SERRATE_HOT" in os.environ
REALS = ["float64", "float32"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.skipif(HOT, reason="is the other process")
@pytest.mark.parametrize("seams", ["hot=0", "hot=0,block=64,task=256,large=0"])
def test_from_the_first_item_on(seams):
    """All of this file in a process in which every loop is compiled at once."""
    env = {**os.environ, "SERRATE_SEAMS": seams, "SERRATE_ASSERT": "1", "SERRATE_HOT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.fixture
def compiled(monkeypatch):
    """The loops that were compiled in this test; in a process where they are."""
    from serrate._apply import loop

    loops = []

    def compile_loop(text, name):
        made = loop.compile_loop(text, name)
        loops.append((text, made is not None))
        return made

    _core._set_block_compiler(compile_loop)
    yield loops
    _core._set_block_compiler(loop.compile_loop)
    assert all(made for _, made in loops)


def numbers(dtype, n=1000, seed=3):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(n) < 0.4
    if dtype.startswith("float"):
        x = rng.normal(size=n).astype(dtype)
        x[:: n // 7 or 1] = np.nan
        x[3 :: n // 5 or 1] = -0.0
        x[5 :: n // 5 or 1] = np.inf
        return x
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)


def same(got, want):
    got = np.asarray(ak.to_numpy(got))
    want = np.asarray(want)
    assert got.dtype == want.dtype
    assert np.array_equal(got, want, equal_nan=got.dtype.kind == "f")
    if got.dtype.kind == "f":
        there = ~np.isnan(want)
        assert np.array_equal(np.signbit(got[there]), np.signbit(want[there]))


def twice(make, want):
    """The second run may be by another way."""
    same(make(), want)
    same(make(), want)


def bent(x, y):
    return x * x + y if x > y else x - y * 0.5


def bent_by_numpy(x, y):
    return np.where(x > y, x * x + y, x - y * 0.5)


def passed(x):
    return x


def opposite(x):
    return not x


@pytest.mark.parametrize("n", [0, 1, 7, 8, 63, 64, 65, 1023, 1024, 1025, 100_000])
def test_chain(compiled, n):
    x, y = numbers("float64", n), numbers("float64", n, 4)
    a, b = ak.Array(x), ak.Array(y)
    with np.errstate(all="ignore"):
        want = bent_by_numpy(2 * x, y) + 1
    twice(lambda: ak.apply(bent, 2 * a, b) + 1, want)


@pytest.mark.parametrize("dtype", REALS)
def test_operations_of_reals(compiled, dtype):
    x, y = numbers(dtype), numbers(dtype, seed=4)
    a, b, f = ak.Array(x), ak.Array(y), lambda x: ak.apply(passed, x)
    with np.errstate(all="ignore"):
        for g in (np.add, np.subtract, np.multiply, np.divide):
            twice(lambda g=g: g(f(g(a, b)), b), g(g(x, y), y))
        for g in (np.negative, np.square, np.sqrt, np.absolute, np.fabs):
            twice(lambda g=g: g(f(g(a))), g(g(x)))
        for g in (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal):
            twice(lambda g=g: g(f(a), b), g(x, y))
            twice(lambda g=g: ak.apply(opposite, g(a, b)) ^ g(b, a), ~g(x, y) ^ g(y, x))
        twice(lambda: ak.where(np.isnan(f(a)), b, a), np.where(np.isnan(x), y, x))
        for g in (np.logical_and, np.logical_or, np.logical_xor):
            twice(lambda g=g: g(f(a), b), g(x, y))
        twice(lambda: np.logical_not(f(a)), np.logical_not(x))
    assert compiled or not HOT


@pytest.mark.parametrize("dtype", INTEGERS)
def test_operations_of_integers(compiled, dtype):
    x, y = numbers(dtype), numbers(dtype, seed=4)
    x[:100] = y[:100]
    a, b, f = ak.Array(x), ak.Array(y), lambda x: ak.apply(passed, x)
    for g in (np.add, np.subtract, np.multiply):
        twice(lambda g=g: g(f(g(a, b)), b), g(g(x, y), y))
    for g in (np.negative, np.square):
        twice(lambda g=g: g(f(g(a))), g(g(x)))
    for g in (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal):
        twice(lambda g=g: g(f(a), b), g(x, y))
    twice(lambda: ak.where(f(a) > b, a, f(b)), np.where(x > y, x, y))
    twice(lambda: np.logical_and(f(a), b), np.logical_and(x, y))


@pytest.mark.parametrize("to", ["bool", *REALS, *INTEGERS])
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *REALS])
def test_casts(compiled, dtype, to):
    x = numbers(dtype)
    if dtype in REALS and to in INTEGERS:
        x = np.nan_to_num(np.abs(x), posinf=5)  # what has no room is of no type's own
    with np.errstate(all="ignore"):
        want = x.astype(to)
    a = ak.Array(x)
    twice(lambda: ak.values_astype(ak.apply(passed, a), to), want)
    twice(lambda: ak.apply(passed, ak.values_astype(a, to)), want)


def test_booleans(compiled):
    x, y = numbers("bool"), numbers("bool", seed=4)
    a, b = ak.Array(x), ak.Array(y)
    for g in (np.logical_and, np.logical_or, np.logical_xor, np.equal, np.not_equal):
        twice(lambda g=g: g(ak.apply(opposite, g(a, b)), b), g(~g(x, y), y))


def test_several_outputs_and_what_is_looked_at_twice(compiled):
    x = numbers("float64")
    a = ak.Array(x)

    def pair(v):
        return v + 1, v > 0

    def results():
        y = 2 * a
        total, up = ak.unzip(ak.apply(pair, y))
        ak.compute(total, up, y, total * 3, sum_of := ak.sum(y + total, axis=None))
        return total, up, y, total * 3, sum_of

    want = 2 * x + 1, 2 * x > 0, 2 * x, (2 * x + 1) * 3
    for _ in range(2):
        *got, total = results()
        for g, w in zip(got, want, strict=True):
            same(g, w)
        assert np.isnan(total)


def test_functions_of_functions(compiled):
    x, y = numbers("float64"), numbers("float64", seed=4)
    a, b = ak.Array(x), ak.Array(y)
    with np.errstate(all="ignore"):
        want = bent_by_numpy(bent_by_numpy(x, y) * 2, bent_by_numpy(y, x)) - 1
    twice(lambda: ak.apply(bent, ak.apply(bent, a, b) * 2, ak.apply(bent, b, a)) - 1, want)


def test_maths_in_the_function(compiled):
    x = numbers("float64")
    a = ak.Array(np.abs(x))
    cold = ak.compute(ak.apply(lambda v: math.exp(-v) + math.sqrt(v), a))
    twice(lambda: ak.apply(lambda v: math.exp(-v) + math.sqrt(v), a) * 1.0, ak.to_numpy(cold))


def test_lists_and_missing_values(compiled):
    rng = np.random.default_rng(1)
    counts = np.minimum(rng.pareto(0.8, 100_000), 300).astype(np.int64)
    counts[7] = 20_000
    flat = rng.normal(size=counts.sum())
    x = ak.unflatten(ak.Array(flat), counts)
    e = flat * 2
    with np.errstate(all="ignore"):
        e = bent_by_numpy(e, 0.5) + 1
    for _ in range(2):
        y = ak.apply(bent, 2 * x, 0.5) + 1
        same(ak.flatten(y), e)
        sums = ak.to_numpy(ak.sum(ak.apply(bent, 2 * x, 0.5) + 1, axis=1))
        rows = np.repeat(np.arange(len(counts)), counts)
        assert np.allclose(sums, np.bincount(rows, e, len(counts)))
        kept = ak.apply(bent, 2 * x[x > 0], 0.5) + 1
        same(ak.flatten(kept), e[flat > 0])
        masked = ak.apply(bent, 2 * ak.mask(x, x > 0), 0.5) + 1
        assert ak.sum(ak.is_none(masked, axis=1), axis=None) == np.sum(flat <= 0)
        same(ak.flatten(ak.drop_none(masked, axis=1)), e[flat > 0])


def test_of_missing_values_nothing_is_computed(compiled):
    def quotient(a, b):
        return a // b

    x = ak.Array([7, -(2**63), None, 9])
    y = ak.Array([2, None, -1, -2])
    for _ in range(2):
        assert (ak.apply(quotient, x + 0, y) * 2).to_list() == [6, None, None, -10]


def some(x):
    return x if x > 0 else None


def test_results_that_may_be_missing(compiled):
    x = numbers("float64", 500)
    a = ak.Array(x)
    for _ in range(2):
        got = (ak.apply(some, a - 0.5) * 2).to_list()
        assert got == [2 * (v - 0.5) if v - 0.5 > 0 else None for v in x]


def test_what_does_not_take_the_way(compiled):
    """Maths functions around, gathers, loops, errors: as ever."""

    def loop(x):
        n = 0
        while x > 1:
            x, n = x / 2, n + 1
        return n

    def checked(x):
        if x < -1e9:
            raise ValueError("too small")
        return x

    x = np.nan_to_num(np.abs(numbers("float64")), posinf=4)
    a = ak.Array(x)
    steps = np.array([loop(v) for v in x])
    before = len(compiled)
    for _ in range(2):
        same(ak.apply(loop, a * 2) + 1, np.array([loop(v * 2) for v in x]) + 1)
        same(ak.apply(checked, a * 2) + 1, x * 2 + 1)
        with pytest.raises(ValueError, match="too small"):
            ak.compute(ak.apply(checked, a - 1e10) + 1)
        same(ak.apply(loop, a) + ak.apply(checked, a), steps + x)
    assert len(compiled) == before


def test_other_constants_and_arrays_of_the_same_expression(compiled):
    for k in range(4):
        x = numbers("float64", 300 + k, seed=k)
        with np.errstate(all="ignore"):
            twice(
                lambda x=x, k=k: ak.apply(bent, k * ak.Array(x), 1.0) + k,
                bent_by_numpy(k * x, 1.0) + k,
            )


@pytest.mark.skipif(HOT, reason="starts processes of its own")
def test_kept_on_disk(tmp_path):
    """A loop that another process has compiled is not compiled again; a damaged file is."""
    program = """
import llvmlite.binding as llvm, numpy as np, serrate as ak
parse, texts = llvm.parse_assembly, []
def parsed(text, *more):
    texts.append(text)
    return parse(text, *more)
llvm.parse_assembly = parsed
def f(x, y): return x * y if x > y else y
x = ak.Array(np.arange(100.0))
print(float(ak.sum(ak.apply(f, x + 1, 2 * x) - x)), sum("@serrate_loop" in t for t in texts))
"""
    env = os.environ | {"SERRATE_CACHE_DIR": str(tmp_path), "SERRATE_SEAMS": "hot=0"}
    env["SERRATE_BACKEND"] = "cpu"

    def run():
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    x = np.arange(100.0)
    want = np.sum(np.where(x + 1 > 2 * x, (x + 1) * 2 * x, 2 * x) - x)
    assert run() == f"{want} 1\n"
    kept = [p for p in os.listdir(tmp_path) if p.startswith("function-")]
    assert len(kept) == 2  # of the function, and of the loop
    assert run() == f"{want} 0\n"
    for name in kept:
        (tmp_path / name).write_bytes(b"damaged")
    assert run() == f"{want} 1\n"
