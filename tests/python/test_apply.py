# Functions of users in the fused loop: values, types, errors, beside an independent loop.
import math
import os
import subprocess
import sys
from collections import namedtuple

import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak

pytest.importorskip("numba", reason="compiles the functions")
if os.environ.get("SERRATE_CUDA") == "compile-only":  # Numba compiles for a GPU that is there
    pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

Point = namedtuple("Point", "r phi")
FACTOR = 3.0


def bend(x, y):
    if x > y:
        return x * x + y
    return x - y * 0.5


def steps(x):
    total, k = 0.0, 0
    while total < x and k < 50:
        total += math.sqrt(k + 1.0)
        k += 1
    return k


def polar(x, y):
    return Point(math.sqrt(x * x + y * y), math.atan2(y, x))


def both(x, y):
    return x + y, x > y


def positive(x):
    return x if x > 0 else None


def scaled(x):
    return FACTOR * x


def checked(x):
    if x < 0:
        raise ValueError("negative", x)
    return math.sqrt(x)


def expected(f, *arrays):
    """f of the items of nested lists, one by one; None stays."""
    if any(x is None for x in arrays):
        return None
    lists = [x for x in arrays if isinstance(x, list)]
    if not lists:
        out = f(*arrays)
        if hasattr(out, "_asdict"):
            return out._asdict()
        return out
    n = len(lists[0])
    each = [x if isinstance(x, list) else [x] * n for x in arrays]
    return [expected(f, *items) for items in zip(*each, strict=True)]


def close(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(close, a, b))
    if a is None or b is None:
        return a is b
    return a == b or math.isclose(a, b, rel_tol=1e-14) or (a != a and b != b)


def same(result, f, *arrays):
    lists = [x.to_list() if isinstance(x, ak.Array) else x for x in arrays]
    assert close(result.to_list(), expected(f, *lists))


X = [[1.5, -2.0, 3.0], [], [0.25], [7.0, -0.5]]
Y = [[1.0, 2.0, -3.0], [], [0.5], [0.0, -0.5]]


@pytest.mark.parametrize("f", [bend, polar, both])
def test_two_arguments(f):
    x, y = ak.Array(X), ak.Array(Y)
    same(ak.apply(f, x, y), f, x, y)
    same(ak.apply(f, x, 1.0), f, x, 1.0)
    same(ak.apply(f, x, ak.Array([1.0, 2.0, 3.0, 4.0])), f, x, [1.0, 2.0, 3.0, 4.0])


def test_types_of_results():
    x, y = ak.Array(X), ak.Array(Y)
    assert str(ak.apply(bend, x, y).type) == "4 * var * float64"
    assert str(ak.apply(polar, x, y).type) == "4 * var * {r: float64, phi: float64}"
    assert str(ak.apply(both, x, y).type) == "4 * var * (float64, bool)"
    assert str(ak.apply(steps, x).type) == "4 * var * int64"
    assert str(ak.apply(positive, x).type) == "4 * var * ?float64"


def test_none_is_missing():
    x = ak.Array(X)
    assert ak.apply(positive, x).to_list() == [[v if v > 0 else None for v in row] for row in X]

    def pair(v):
        if v < 0:
            return None
        return v, (1 if v > 1 else None)

    got = ak.apply(pair, ak.Array([2.0, -1.0, 0.5]))
    assert got.to_list() == [(2.0, 1), None, (0.5, None)]
    assert str(got.type) == "3 * ?(float64, ?int64)"


def test_missing_arguments_are_not_looked_at():
    x = ak.Array([4.0, None, 9.0])
    got = ak.apply(checked, x)
    assert got.to_list() == [2.0, None, 3.0]
    hidden = ak.mask(ak.Array([4.0, -1.0, 9.0]), ak.Array([True, False, True]))
    assert ak.apply(checked, hidden).to_list() == [2.0, None, 3.0]
    lists = ak.Array([[4.0, None], None, []])
    assert ak.apply(checked, lists).to_list() == [[2.0, None], None, []]


def test_in_a_fused_expression():
    x, y = ak.Array(X), ak.Array(Y)
    got = ak.sum(ak.apply(bend, 2 * x, y + 1)[x > 0] * 2, axis=-1)
    want = [
        sum(2 * bend(2 * a, b + 1) for a, b in zip(p, q, strict=True) if a > 0)
        for p, q in zip(X, Y, strict=True)
    ]
    assert close(got.to_list(), want)
    assert "1 pass" in str(ak.explain(ak.sum(ak.apply(bend, 2 * x, y + 1), axis=-1)))
    assert "bend(" in str(ak.explain(ak.apply(bend, x, y)))


def test_pairs_and_picks():
    x = ak.Array(X)
    a, b = ak.unzip(ak.combinations(x, 2))
    got = ak.max(ak.apply(bend, a, b), axis=-1)
    want = [max((bend(p, q) for i, p in enumerate(r) for q in r[i + 1 :]), default=None) for r in X]
    assert close(got.to_list(), want)
    assert close(ak.apply(steps, x)[0, 2], steps(3.0))
    assert close(
        ak.apply(polar, x, 1.0).r[:, :1].to_list(), [[polar(r[0], 1).r] if r else [] for r in X]
    )


def test_of_its_own_results():
    x = ak.Array([1.0, 4.0, 9.0])
    for _ in range(120):
        x = ak.apply(scaled, x) / FACTOR
    assert np.allclose(x.to_list(), [1.0, 4.0, 9.0])


def test_elementwise_and_closures():
    def make(c):
        @ak.elementwise
        def plus(x):
            """Adds."""
            return x + c

        return plus

    x = ak.Array([1, 2, 3])
    assert make(10)(x).to_list() == [11, 12, 13]
    assert make(20)(x).to_list() == [21, 22, 23]
    assert make(1).__doc__ == "Adds."
    assert ak.apply(lambda v: v * FACTOR, x).to_list() == [3.0, 6.0, 9.0]


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64"]
)
def test_dtypes(dtype):
    def twice(v):
        return v, v + v

    values = np.array([0, 1, 1, 0, 1]).astype(dtype)
    got = ak.apply(twice, ak.Array(values))
    assert str(got.type.content.contents[0]) == dtype
    assert got["0"].to_list() == values.tolist()
    assert got["1"].to_list() == [int(v) + int(v) for v in values]


def test_scalars_and_regular():
    x32 = ak.apply(bend, ak.Array([2.0]), np.float32(1))
    assert x32.to_list() == ak.apply(bend, ak.Array([2.0]), np.float64(1)).to_list() == [5.0]
    got = ak.apply(bend, 2.0, 1.0)
    assert float(got) == bend(2.0, 1.0)
    x = ak.Array(np.arange(6.0).reshape(2, 3))
    assert str(ak.apply(scaled, x).type) == "2 * 3 * float64"
    assert ak.apply(scaled, x[:, 1:]).to_list() == [[3.0, 6.0], [12.0, 15.0]]


def test_large_and_skewed():
    rng = np.random.default_rng(1)
    counts = rng.poisson(1.5, 100_000)
    counts[77] = 30_000
    flat = rng.normal(size=counts.sum())
    x = ak.unflatten(ak.Array(flat), ak.Array(counts))
    want = np.where(flat > 0.5, flat * flat + 0.5, flat - 0.25)
    got = ak.flatten(ak.apply(bend, x, 0.5))
    assert np.allclose(
        in_ram(got), want, rtol=1e-14
    )  # on a GPU products and sums are one operation
    sums = in_ram(ak.sum(ak.apply(bend, x, 0.5), axis=-1))
    starts = np.cumsum(counts) - counts
    assert np.allclose(sums[counts > 0], np.add.reduceat(want, starts[counts > 0]))


def limited(x):
    return min(square(x), 10.0)


def square(x):
    return x * x


def test_functions_that_it_calls():
    """Plain ones, of the module and around it, that call others."""

    def inner(x):
        return limited(x) + 1

    def outer(x):
        return inner(x) if x > 0 else square(x)

    x = ak.Array(X)
    same(ak.apply(outer, x), outer, x)
    same(ak.apply(limited, x), limited, x)

    def broken(x):
        return x.nothing

    with pytest.raises(TypeError, match=r"test_apply\.py:\d+\) can't be compiled"):
        ak.apply(lambda v: broken(v), x)


# -- errors


def test_the_true_exception():
    x = ak.Array([[1.0, 4.0], [], [9.0, -2.0, -3.0]])
    y = ak.apply(checked, x)
    for _ in range(2):
        with pytest.raises(ValueError, match="negative") as caught:
            y.to_list()
        assert caught.value.args == ("negative", -2.0)
        assert "item [2, 1]" in caught.value.__notes__[0]
    with pytest.raises(ValueError, match="negative"):
        ak.sum(y * 0).to_list() if hasattr(ak.sum(y * 0), "to_list") else float(ak.sum(y * 0))
    assert x.to_list() == [[1.0, 4.0], [], [9.0, -2.0, -3.0]]
    assert ak.apply(checked, x[x > 0]).to_list() == [[1.0, 2.0], [], [3.0]]


def test_errors_behind_filters_and_classes():
    def odd(v):
        if v % 2 == 0:
            raise KeyError("even")
        return v

    with pytest.raises(KeyError):
        ak.apply(odd, ak.Array([1, 3, 4])).to_list()

    def looked_up(v):
        return (1.0, 2.0, 3.0)[v]

    with pytest.raises(IndexError):
        ak.apply(looked_up, ak.Array([0, 1, 7])).to_list()


def test_what_does_not_compile():
    def bad(x):
        return x.no_such_thing

    with pytest.raises(TypeError, match=r"bad \(test_apply\.py:\d+\) can't be compiled"):
        ak.apply(bad, ak.Array([1.0]))

    def text(x):
        return "text"

    with pytest.raises(TypeError, match="text: gives unicode_type; items are numbers"):
        ak.apply(text, ak.Array([1.0]))

    def nothing(x):
        return None

    with pytest.raises(TypeError, match="gives nothing but None"):
        ak.apply(nothing, ak.Array([1.0]))

    def mixed(x):
        if x > 0:
            return x
        return 1, 2

    with pytest.raises(TypeError, match="mixed"):
        ak.apply(mixed, ak.Array([1.0]))
    with pytest.raises(TypeError, match="written in Python"):
        ak.apply(math.sqrt, ak.Array([1.0]))
    with pytest.raises(TypeError, match="has an argument"):
        ak.apply(scaled)
    for words in (ak.Array(["a"]), ak.Array([{"x": 1}])):
        with pytest.raises(TypeError, match="called with numbers"):
            ak.apply(scaled, words)
    with pytest.raises(TypeError, match="datetime64"):
        ak.apply(scaled, ak.Array(np.array(["2020-01-01"], "datetime64[s]")))
    with pytest.raises(TypeError):
        ak.apply(bend, ak.Array([1.0]))


class Answer(int):
    """Python's integers may have classes of their own."""


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (True, "bool"),
        (np.True_, "bool"),
        (3, "int64"),
        (Answer(3), "int64"),
        (np.int8(3), "int8"),
        (2.5, "float64"),
        (np.float32(2.5), "float32"),
        (np.float16(2.5), "float32"),
        (2j, "complex128"),
        (np.complex64(2j), "complex64"),
        ([1, 2], "int64"),
        (np.array([1, 2], np.uint16), "uint16"),
        (lambda: ak.Array([1.5, None]), "float64"),
        (lambda: ak.Array([[], []]), "float64"),
        (lambda: ak.Array(np.array([[1], [2]], np.int32)), "int32"),
    ],
)
@pytest.mark.usefixtures("new_arrays_on_the_cpu")  # complex functions are for CPUs
def test_types_that_a_function_is_called_with(given, dtype):
    x = given() if callable(given) else given
    out = ak.apply(lambda x, y: x, x, ak.Array([1.0, 2.0]))
    assert str(out.type).endswith(dtype), out.type


def test_where_numbers_alone_are_computed():
    for f in (positive, ak.elementwise(positive)):
        assert ak.to_list(ak.apply(f, 3) if f is positive else f(3)) == 3


def test_lists_that_do_not_fit():
    with pytest.raises(ValueError, match="broadcast"):
        ak.apply(bend, ak.Array([[1.0], [2.0]]), ak.Array([[1.0], [2.0, 3.0]])).to_list()


def test_kept_on_disk(tmp_path):
    program = """
import serrate as ak, sys
c = float(sys.argv[1])
def f(x): return x * c + 1
print(ak.apply(f, ak.Array([1.0, 2.0])).to_list())
"""
    backend = ak.default_backend()
    env = os.environ | {"SERRATE_CACHE_DIR": str(tmp_path), "SERRATE_BACKEND": backend}

    def run(c):
        command = [sys.executable, "-c", program, c]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    assert run("2") == "[3.0, 5.0]\n"
    kept = sorted(p for p in os.listdir(tmp_path) if p.startswith("function-"))
    assert run("2") == "[3.0, 5.0]\n"
    assert sorted(p for p in os.listdir(tmp_path) if p.startswith("function-")) == kept
    assert len(kept) == (2 if backend == "cuda" else 1)
    assert run("3") == "[4.0, 7.0]\n"
    for name in kept:
        (tmp_path / name).write_bytes(b"damaged")
    assert run("2") == "[3.0, 5.0]\n"


def test_awkward_broadcasts_alike():
    x = awkward.Array([[1.0, None, 3.0], None, [], [4.0]])
    y = awkward.Array([1.0, 2.0, 3.0, None])
    want = awkward.Array(x) * 2 + y
    got = ak.apply(lambda a, b: a * 2 + b, ak.Array(x), ak.Array(y))
    assert got.to_list() == want.to_list()
    assert str(got.type) == str(want.type)


def test_without_numba(monkeypatch):
    from serrate._apply.numba import numba

    monkeypatch.setitem(sys.modules, "numba", None)
    numba.cache_clear()
    try:
        with pytest.raises(ImportError, match="pip install numba"):
            ak.apply(lambda x: x + 41.5, ak.Array([1.0]))
    finally:
        numba.cache_clear()
