# Expressions of hundreds of arrays, and of hundreds of results.
import functools
import operator

import numpy as np

import serrate as ak

N = 320


def arrays():
    return [ak.from_numpy(np.arange(5) + i) for i in range(N)]


def balanced(values):
    """Their sum, in a tree that is not high."""
    while len(values) > 1:
        values = [
            functools.reduce(operator.add, values[i : i + 4]) for i in range(0, len(values), 4)
        ]
    return values[0]


def test_hundreds_of_inputs():
    expected = [N * j + N * (N - 1) // 2 for j in range(5)]
    assert balanced(arrays()).to_list() == expected
    lists = [ak.unflatten(x, [2, 0, 3]) for x in arrays()]
    total = balanced(lists)
    assert ak.sum(total, axis=-1).to_list() == [sum(expected[:2]), 0, sum(expected[2:])]


def test_hundreds_of_results():
    r = ak.compute(ak.zip({f"f{i}": x * 2 for i, x in enumerate(arrays())}))
    assert len(r.fields) == N
    for i in (0, 1, 100, N - 1):
        assert r[f"f{i}"].to_list() == [2 * (j + i) for j in range(5)]


def test_thousands_of_results_of_thousands_of_inputs():
    n = 2000
    inputs = [ak.from_numpy(np.arange(5) + i) for i in range(n)]
    r = ak.compute(ak.zip({f"f{i}": x * i for i, x in enumerate(inputs)}))
    assert all(r[f"f{i}"].to_list() == [i * (j + i) for j in range(5)] for i in range(0, n, 97))
    x = ak.unflatten(ak.from_numpy(np.arange(7)), [3, 0, 4])
    fields = ak.compute(ak.zip({f"f{i}": x - i for i in range(300)})[x % 2 == 0])
    assert fields.f299.to_list() == [[-299, -297], [], [-295, -293]]
    assert fields.f0.to_list() == [[0, 2], [], [4, 6]]


def test_hundreds_of_reductions_of_everything():
    sums = [ak.sum(x, axis=0, keepdims=True) for x in arrays()]
    r = ak.compute(ak.zip({f"f{i}": s for i, s in enumerate(sums)}))
    assert [r[f"f{i}"].to_list() for i in (0, 99, N - 1)] == [[10], [505], [5 * N + 5]]


def test_thousands_of_arrays_end_to_end():
    n = 25_000
    parts = [ak.from_numpy(np.arange(i, i + i % 3)) for i in range(n)]
    expected = np.concatenate([np.arange(i, i + i % 3) for i in range(n)])
    np.testing.assert_array_equal(ak.to_backend(ak.concatenate(parts), "cpu"), expected)
    halves = ak.concatenate([x * 2 for x in parts[:200]]) / 4
    assert halves.to_list() == (expected[: len(halves)] / 2).tolist()


def test_hundreds_of_arrays_of_several_types_end_to_end():
    kinds = [
        [[1, 2], [], [3]],
        [[1.5], [None, 2.5], [4]],
        [["a"], ["bc", "d"], []],
        [None, [1], [2, None]],
    ]
    parts = [kinds[i % 4] for i in range(130)]
    arrays = [ak.Array(p) for p in parts]
    whole = ak.concatenate(arrays)
    assert whole.to_list() == [row for p in parts for row in p]
    assert whole.type.content == ak.concatenate(arrays[:8]).type.content
    lists = ak.concatenate(arrays, axis=1)
    rows = [[v for p in parts for v in p[i] or []] for i in range(3)]
    assert lists.to_list() == rows


def test_thousands_of_inputs_of_one_result():
    n = 5000
    inputs = [ak.from_numpy(np.arange(5) + i) for i in range(n)]
    expected = [n * j + n * (n - 1) // 2 for j in range(5)]
    assert balanced(inputs).to_list() == expected
    lists = [ak.unflatten(x, [2, 0, 3]) for x in inputs[:N]]
    positive = [x[x > 2 * i % 7] for i, x in enumerate(lists)]
    sums = balanced([ak.sum(x, axis=-1) for x in positive])
    rows = [[0, 1], [], [2, 3, 4]]
    want = [sum(i + j for i in range(N) for j in row if i + j > 2 * i % 7) for row in rows]
    assert sums.to_list() == want


def test_what_is_shared_is_compared_once():
    x = ak.Array([[[], [[3, 2]]], [[[4, 6, 7], [6, 7]], [[6], [8], [3]]]])
    deepest = ak.max(ak.max(x[None], axis=0, keepdims=True), axis=2)
    pairs = ak.combinations(deepest, 2, axis=0)
    assert ak.to_list(pairs) == []
    assert ak.to_list(ak.combinations(ak.materialize(deepest), 2, axis=0)) == []
    twice = ak.combinations(ak.concatenate([deepest, deepest]), 2, axis=0)
    assert ak.to_list(twice) == [(deepest[0].to_list(), deepest[0].to_list())]
