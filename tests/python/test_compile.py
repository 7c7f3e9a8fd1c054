# Functions of arrays that are written down once: the same as their calls, on other arrays of the
# structure too, and called again where they look at values.
import threading

import numpy as np
import pytest
from host import in_ram
from interface import DATA, theirs
from test_interface import DIFFERENT, ROWS
from traced import KEEPS, compiled, outcome, reversed_rows, rows, shown

import serrate as ak


@pytest.mark.parametrize("name", ROWS)
def test_every_function(name):
    """Every call of test_interface.py, traced with the rows in reverse."""
    call, names, arguments = ROWS[name]
    for data in names:
        before = reversed_rows(ak.from_awkward(theirs(data)))
        now = reversed_rows(before)
        for options in arguments:
            if any(d in DIFFERENT for d in [name, (name, data), (name, data, str(options))]):
                continue
            f, counted = compiled(lambda x, o=options: call(ak, x, **o))
            outcome(lambda f=f, x=before: f(x))
            got = outcome(lambda f=f, x=now: f(x))
            want = outcome(lambda g=counted.function, x=now: g(x))
            assert got == want, (name, data, options, counted.calls)


@pytest.mark.parametrize("name", DATA)
def test_arguments_as_results(name):
    before = reversed_rows(ak.from_awkward(theirs(name)))
    now = reversed_rows(before)
    for g in [lambda x: x, lambda x: (x, x), lambda x: {"a": x[1:], "b": [x[:2], None]}]:
        f, _ = compiled(g)
        f(before)
        assert shown(f(now)) == shown(g(now))


ANALYSES = {
    "sum": lambda e: ak.sum(e.x[e.y > 0], axis=-1),
    "slices": lambda e: e.x[:, 1:] - e.x[:, :-1],
    "rows": lambda e: ak.num(e[100:-7].x[:, ::-1]),
    "pairs": lambda e: ak.max(np.hypot(*ak.unzip(ak.combinations(e.x, 2))), axis=-1),
    "nested": lambda e: ak.sum(
        ak.any(np.less(*ak.unzip(ak.cartesian([e.x, e.x], nested=True))), axis=-1), axis=-1
    ),
    "picks": lambda e: ak.firsts(e.y[ak.argmin(abs(e.x), axis=-1, keepdims=True)]),
    "sorts": lambda e: e[ak.argsort(e.x, axis=-1)].y,
    "ranks": lambda e: ak.local_index(ak.sort(e.x, axis=-1))[:, :3],
    "masks": lambda e: ak.mask(e.x, e.x > 0),
    "columns": lambda e: ak.sum(ak.pad_none(e.x, 3, clip=True), axis=0),
    "flat": lambda e: np.sqrt(ak.flatten(e.x) ** 2),
    "filtered": lambda e: e[ak.num(e.x) >= 2].x[:, 1],
    "several": lambda e: (e.x * 2, {"n": ak.num(e), "all": e.y}),
    "histogram": lambda e: ak.histogram(e.x, 10, -3, 3),
}


@pytest.mark.parametrize("name", ANALYSES)
@pytest.mark.parametrize("n", [1, 60, 100_000])
def test_other_arrays_of_a_structure(name, n):
    analysis = ANALYSES[name]
    f, counted = compiled(analysis)
    for seed in (1, 2, 3):
        e = rows(n, seed)
        got, want = outcome(lambda e=e: f(e)), outcome(lambda e=e: analysis(e))
        assert got == want
    # The number of all items, and of columns, is that of the data; kernels know lengths roughly.
    if n > 1 and name not in ("columns", "flat") and ak.default_backend() == "cpu":
        assert counted.was_called(1)
        assert f._kept == 1 or not KEEPS


def test_looks_are_called_each_time():
    def largest(x):
        return x * 2 if ak.max(x, axis=None) > 2 else x

    f, counted = compiled(largest)
    assert shown(f(ak.Array([1.0, 3.0]))) == "[2.0, 6.0] 2 * float64"
    assert shown(f(ak.Array([1.0, 2.0]))) == "[1.0, 2.0] 2 * float64"
    assert counted.was_called(2)
    assert f._kept == 0


LOOKS = [
    lambda x: x + len(ak.to_list(x)[0]),
    lambda x: x + in_ram(x[:, 0])[0],
    lambda x: x + float(x[0, 0]),
    lambda x: x + next(iter(x[0])),
    lambda x: x + ak.to_backend(x, "cpu")[1, 0],
    lambda x: x + ak.sum(x, axis=None),
    lambda x: ak.concatenate([x, x]),
    lambda x: ak.unflatten(ak.flatten(x), ak.num(x)) + x,
    lambda x: x + len(str(x)),
    lambda x: x + ak.to_layout(x).offsets.data[1],
    lambda x: x + ak.materialize(x)[-1, -1],
    lambda x: ak.from_iter(ak.to_list(x)),
    lambda x: x[ak.argsort(ak.num(x))],
    lambda x: ak.to_regular(x[:, :2]),
    lambda x: ak.array_equal(x, x[::-1]),
    lambda x: (x, ak.array_equal(x, x[::-1])),
    lambda x: (x, bool(ak.any(x > 3))),
    lambda x: (x, x.nbytes),
    lambda x: (x, ak.validity_error(x)),
    lambda x: (x, x.to_list()),
]


@pytest.mark.parametrize("i", range(len(LOOKS)))
def test_looks_of_every_kind(i):
    f = ak.compile(LOOKS[i])
    for x in (
        [[1.0, 2.0], [4.0, 5.0, 3.0]],
        [[7.0, 0.0, 2.0], [5.0, 3.0]],
        [[7.0, 5.0], [0.5, 1.0]],
    ):
        a = ak.Array(x)
        assert outcome(lambda a=a: f(a)) == outcome(lambda a=a: LOOKS[i](a))


@pytest.mark.parametrize("cut", [slice(3), slice(-3, None), slice(7, None), slice(None, -7)])
def test_plans_of_slices_are_kept(cut):
    """Numbers that a plan needs are those of the expression."""
    f, counted = compiled(lambda x: (x[:, cut], ak.num(x[:, cut])))
    for seed in (1, 2):
        x = rows(60, seed).x
        assert shown(f(x)) == shown((x[:, cut], ak.num(x[:, cut])))
    assert counted.was_called(1) or ak.default_backend() != "cpu"


def test_items_of_some_rows():
    """Their number is that of the data, though all rows together have as many."""
    f, counted = compiled(lambda x: ak.flatten(x[:-1]))
    for x in ([[1, 2], [3]], [[1], [2, 3]], [[], [1, 2, 3]]):
        assert shown(f(ak.Array(x))) == shown(ak.Array(x[0]) if x[0] else ak.Array([1])[:0])
    assert counted.was_called(3)


def test_errors_are_those_of_the_call():
    def second(x):
        return x[:, 1]

    f, counted = compiled(second)
    f(ak.Array([[1, 2], [3, 4, 5]]))
    assert shown(f(ak.Array([[1, 2, 3], [4, 5]]))) == "[2, 5] 2 * int64"
    assert counted.was_called(1)
    bad = ak.Array([[1, 2], [3]])
    assert outcome(lambda: f(bad)) == outcome(lambda: second(bad))
    assert outcome(lambda: f(bad))[0] is IndexError
    assert shown(f(ak.Array([[8, 9], [3, 4, 5]]))) == "[9, 4] 2 * int64"


def test_several_checks():
    def product(x, y):
        return x[:, 1] * y[:, 0]

    f = ak.compile(product)
    good, bad, empty = ak.Array([[1, 2], [3, 4]]), ak.Array([[1], [2]]), ak.Array([[1, 2], []])
    f(good, good)
    assert shown(f(good, good)) == "[2, 12] 2 * int64"
    for a, b in [(bad, good), (good, empty), (bad, empty)]:
        want = outcome(lambda a=a, b=b: product(a, b))
        assert outcome(lambda a=a, b=b: f(a, b)) == want
        assert want[0] is IndexError


def test_errors_of_the_function():
    f, counted = compiled(lambda x: x.nothing)
    for _ in range(2):
        with pytest.raises(AttributeError):
            f(ak.Array([{"a": 1}]))
    assert counted.was_called(2)


def test_functions_that_call_each_other():
    inner, calls_of_inner = compiled(lambda x: x + 1)
    outer, calls_of_outer = compiled(lambda x: inner(x) * 2)
    for k in (1, 2, 3):
        assert shown(outer(ak.Array([k]))) == f"[{2 * k + 2}] 1 * int64"
    assert calls_of_inner.was_called(1)
    assert calls_of_outer.was_called(1)

    @ak.compile
    def factorial(x, n):
        return x if n == 0 else factorial(x * n, n - 1)

    for _ in range(2):
        assert shown(factorial(ak.Array([1]), 5)) == "[120] 1 * int64"


def test_closures_keep_their_arrays():
    table = ak.Array([10.0, 20.0, 30.0])
    f, counted = compiled(lambda i: table[i])
    for i in ([0, 2], [1, 1]):
        assert shown(f(ak.Array(i))) == shown(table[i])
    assert counted.was_called(1)


def test_results_are_computed():
    f = ak.compile(lambda x: x * 2)
    for _ in range(2):
        assert ak.explain(f(ak.Array([1, 2]))).passes == 0


def test_threads_share_what_is_kept():
    f, counted = compiled(ANALYSES["pairs"])
    arrays = [rows(3000, seed) for seed in range(8)]
    want = [shown(ANALYSES["pairs"](e)) for e in arrays]
    f(arrays[0])
    wrong = []

    def work(k):
        for i in range(20):
            if shown(f(arrays[(k + i) % 8])) != want[(k + i) % 8]:
                wrong.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert counted.calls <= 81 or not KEEPS


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_own_functions():
    pytest.importorskip("numba")
    f, _ = compiled(lambda x: ak.apply(lambda v: v * v if v > 1 else 0.0, x))
    for k in (1.0, 2.0):
        x = ak.Array([[k, 2 * k], []])
        assert shown(f(x)) == shown(ak.apply(lambda v: v * v if v > 1 else 0.0, x))
