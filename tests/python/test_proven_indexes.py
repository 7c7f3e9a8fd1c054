# Indexes of views that loops prove to be inside, and those that only look so, with lists on a GPU.
import importlib.util
import itertools
import os

import numpy as np
import pytest

import serrate as ak

pytest.importorskip("numba", reason="compiles the functions")
if os.environ.get("SERRATE_BACKEND") != "cuda" or "SERRATE_CUDA" in os.environ:
    pytest.skip("runs kernels: on a GPU or an emulated one", allow_module_level=True)
if "SERRATE_CUDA_PLUGIN" not in os.environ and importlib.util.find_spec("numba_cuda") is None:
    pytest.skip("numba-cuda compiles for GPUs", allow_module_level=True)

from serrate._apply import bounds, disk

LISTS = [[3.0, 1.0, 2.0], [], [5.0], [4.0, 7.0], [1.0, 8.0, 2.0, 9.0, 0.5]]


@pytest.fixture
def proven(monkeypatch):
    """What was proven of each index that was compiled, in their order."""
    seen, is_inside = [], bounds.Bounds.is_inside

    def spy(self, *args):
        seen.append(is_inside(self, *args))
        return seen[-1]

    monkeypatch.setattr(bounds.Bounds, "is_inside", spy)
    monkeypatch.setattr(disk, "kept", lambda key, make: make())
    return seen


def check(function, *arrays, axis=1):
    """The same as Python, list by list, or the first error of these."""
    rows = list(zip(*(a if isinstance(a, list) else a.to_list() for a in arrays), strict=True))
    given = [ak.to_backend(a if isinstance(a, ak.Array) else ak.Array(a), "cuda") for a in arrays]
    want = []
    for place, row in enumerate(rows):
        try:
            found = function(*row)
            want.append(list(found) if hasattr(found, "__next__") else found)
        except IndexError:
            with pytest.raises(IndexError) as caught:
                ak.apply(function, *given, axis=axis)
            assert f"list [{place}]" in caught.value.__notes__[-1]
            return
    assert ak.apply(function, *given, axis=axis).to_list() == want


def pairs(x):
    best = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            best = max(best, x[i] * x[j])
    return best


def neighbours(x):
    for k in range(1, len(x) - 1):
        if x[k] > x[k - 1] and x[k] > x[k + 1]:
            yield x[k]


def backwards(x):
    n, last = len(x), 0.0
    for k in range(n - 2):
        last = last * 2 + x[k + 2] - x[n - 1]
    return last


def triples(x):
    total = 0.0
    for i in range(len(x) - 2):
        for j in range(i + 1, len(x) - 1):
            for k in range(j + 1, len(x)):
                total += x[i] * x[j] + x[k]
    return total


def both(x, y):
    total = 0.0
    for k in range(min(len(x), len(y))):
        total += x[k] * y[k]
    return total


def from_where(x):
    total = 0.0
    for k in range(max(1, len(x) - 3), len(x)):
        total += x[k] - x[k - 1]
    return total


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (pairs, [True] * 2),
        (neighbours, [True] * 6),
        (backwards, [True, False]),  # n - 1 is inside as there are two more: nobody says so
        (triples, [True] * 3),
        (from_where, [True] * 2),
    ],
)
def test_what_ranges_prove(proven, function, expected):
    check(function, LISTS)
    assert proven[-len(expected) :] == expected


def test_two_lists(proven):
    other = [[1.0], [2.0, 3.0], [], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
    check(both, LISTS, other)
    assert proven[-2:] == [True, True]

    def of_one(x, y):
        total = 0.0
        for k in range(len(x)):
            total += y[k]
        return total

    check(of_one, LISTS[:1], [[1.0, 2.0, 3.0, 4.0]])
    assert proven[-1:] == [False]
    check(of_one, LISTS, other)


def beyond(x):
    total = 0.0
    for k in range(len(x)):
        total += x[k + 1]
    return total


def one_more(x):
    total = 0.0
    for k in range(len(x) + 1):
        total += x[k]
    return total


def around(x):
    for k in range(len(x)):
        yield x[k - 1]


def from_below(x):
    total = 0.0
    for k in range(-len(x), len(x)):
        total = total * 3 + x[k]
    return total


def from_minus_two(x):
    total = 0.0
    for k in range(-2, len(x)):
        total = total * 3 + x[k]
    return total


def after_the_loop(x):
    k = -1
    for k in range(len(x)):
        if x[k] > 100:
            break
    return x[k]


def moved(x):
    total = 0.0
    for k in range(len(x)):
        k += 2
        total += x[k]
    return total


def earlier(x):
    """The index of the turn before."""
    last, total = -1, 0.0
    for k in range(len(x)):
        total += x[last]
        last = k
    return total


def of_a_slice(x):
    total = 0.0
    rest = x[1:]
    for k in range(len(x)):
        total += rest[k]
    return total


def shrinking(x):
    """The list has another length than the one that the range was made of."""
    total = 0.0
    for k in range(len(x)):
        total += x[k]
        x = x[1:]
    return total


def scaled(x):
    total = 0.0
    for k in range(len(x)):
        total += x[2 * k]
    return total


def down(x):
    for k in range(len(x) - 1, -1, -1):
        yield x[k]


def down_too_far(x):
    for k in range(len(x), -1, -1):
        yield x[k]


def by_two(x):
    for k in range(0, len(x) + 1, 2):
        yield x[k]


def with_first(x):
    return x[0] + x[-1]


@pytest.mark.parametrize(
    "function",
    [
        beyond,
        one_more,
        around,
        from_below,
        from_minus_two,
        after_the_loop,
        moved,
        earlier,
        of_a_slice,
        shrinking,
        scaled,
        down,
        down_too_far,
        by_two,
        with_first,
    ],
)
def test_what_they_do_not(proven, function):
    check(function, LISTS)
    assert not proven[-1]
    for x in LISTS:
        if x:
            check(function, [x])


def test_while_and_numbers_of_the_user(proven):
    def until(x, n):
        total, k = 0.0, 0
        while k < n:
            total += x[k]
            k += 1
        for j in range(n):
            total += x[j]
        return total

    check(until, LISTS, [3, 0, 1, 2, 5])
    assert proven[-2:] == [False, False]
    check(until, LISTS, [3, 0, 1, 3, 5])
    check(until, LISTS, [3, 0, 2**62, 2, 5])


def test_large_constants_do_not_wrap_around(proven):
    def wraps(x):
        total = 0.0
        for k in range(len(x)):
            total += x[k + 9223372036854775807 + 2]
        return total

    given = ak.to_backend(ak.Array(LISTS[:1]), "cuda")
    with pytest.raises((IndexError, RuntimeError)):
        ak.apply(wraps, given, axis=1)
    assert proven[-1:] == [False]


def test_fields_of_lists_and_lists_of_records(proven):
    def products(event):
        total = 0.0
        for k in range(len(event)):
            total += event.a[k] * event[k].b
        for k in range(1, len(event.b)):
            total += event["a"][k - 1] + event.b[k]
        return total

    records = ak.zip({"a": ak.Array(LISTS), "b": ak.Array(LISTS) + 1})
    got = ak.apply(products, ak.to_backend(records, "cuda"), axis=1)
    assert proven[-4:] == [True] * 4
    want = [
        sum(a * (a + 1) for a in x) + sum(a + b + 1 for a, b in itertools.pairwise(x))
        for x in LISTS
    ]
    assert np.allclose(got.to_list(), want)

    def of_two(event):
        total = 0.0
        for k in range(len(event.left)):
            total += event.left[k]
        for k in range(len(event.left)):
            total += event.right[k]
        return total

    def parts(left, right):
        return ak.Array([[{"x": {"left": left, "right": right}}]])["x"]

    def outer(events):
        total = 0.0
        for e in events:
            total += of_two(e)
        return total

    array = ak.to_backend(parts([1.0, 2.0], [3.0, 4.0]), "cuda")
    assert ak.apply(outer, array, axis=1).to_list() == [10.0]
    assert proven[-2:] == [True, False] or proven[:2] == [True, False]
    with pytest.raises(IndexError):
        ak.apply(outer, ak.to_backend(parts([1.0, 2.0], [3.0]), "cuda"), axis=1)


def test_helpers_get_lists(proven):
    def dot(x, n):
        total = 0.0
        for k in range(n):
            total += x[k]
        return total

    def calls(x):
        return dot(x, len(x)) + dot(x[1:], len(x) - 1) if len(x) else 0.0

    check(calls, LISTS)
    assert not any(proven)  # n is any number


def test_loops_with_breaks_and_else():
    def first_above(x, least):
        for k in range(len(x)):
            if x[k] <= least:
                continue
            if k > 0 and x[k - 1] > 100:
                break
            yield x[k]
        else:
            yield -1.0

    check(first_above, LISTS, [1.0, 1.0, 9.0, 4.0, 0.0])


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64", "float32", "bool"])
def test_types_of_items_and_indexes(dtype):
    def sums(x, at):
        total = 0.0
        for k in range(len(x)):
            total += x[at] * (k + 1)
        return total

    lists = [[1, 0, 1], [1], [0, 1]]
    x = ak.to_backend(ak.values_astype(ak.Array(lists), dtype), "cuda")
    for index in ("int8", "int64", "uint32"):
        at = ak.to_backend(ak.Array(np.array([2, 0, 1], index)), "cuda")
        want = [
            float(r[a] * sum(range(1, len(r) + 1))) for r, a in zip(lists, (2, 0, 1), strict=True)
        ]
        assert ak.apply(sums, x, at, axis=1).to_list() == want
        with pytest.raises(IndexError):
            ak.apply(sums, x, at + 1, axis=1)


def test_extremes_of_nan_are_those_of_python():
    def largest(x):
        best = x[0]
        for k in range(len(x)):
            best = max(best, x[k])
        return best

    def smallest(x):
        best = x[0]
        for k in range(len(x)):
            best = min(x[k], best)
        return best

    nan = float("nan")
    lists = [[nan, 1.0], [1.0, nan], [nan, 3.0, 2.0], [0.0, -0.0], [2.0, nan, 3.0]]
    for dtype in ("float64", "float32"):
        x = ak.to_backend(ak.values_astype(ak.Array(lists), dtype), "cuda")
        for function in (largest, smallest):
            want = [function(r) for r in lists]
            got = ak.to_numpy(ak.to_backend(ak.apply(function, x, axis=1), "cpu"))
            np.testing.assert_array_equal(got, np.array(want, dtype))
            np.testing.assert_array_equal(np.signbit(got), np.signbit(np.array(want, dtype)))


def test_many_skewed_lists():
    rng = np.random.default_rng(3)
    counts = np.minimum(rng.zipf(1.6, 100_000), 300) - 1
    y = rng.integers(0, 50, counts.sum()).astype(float)
    x = ak.to_backend(ak.unflatten(ak.Array(y), ak.Array(counts)), "cuda")
    offsets = np.concatenate([[0], np.cumsum(counts)])
    found = ak.apply(neighbours, x, axis=1)
    k = np.arange(1, len(y) - 1)
    row = np.searchsorted(offsets, k, side="right") - 1
    inner = (k > offsets[row]) & (k < offsets[row + 1] - 1)
    is_peak = inner & (y[k] > y[k - 1]) & (y[k] > y[k + 1])
    assert ak.to_numpy(ak.to_backend(ak.flatten(found), "cpu")).tolist() == y[k[is_peak]].tolist()
    want = np.bincount(row[is_peak], minlength=len(counts))
    assert ak.to_numpy(ak.to_backend(ak.num(found, axis=1), "cpu")).tolist() == want.tolist()
