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
