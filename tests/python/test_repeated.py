# The same expression again, with other data, lengths and constants: plans and kernels are kept.
import numpy as np
import pytest
from conftest import assert_same, both

import serrate as ak

EXPRESSIONS = {
    "threshold": lambda lib, x, c: x[x > c],
    "count": lambda lib, x, c: lib.num(x[x * c < 3]),
    "sums": lambda lib, x, c: lib.sum(x * c + 1, axis=-1),
    "everything": lambda lib, x, c: lib.sum(x[x > c], axis=None),
    "centred": lambda lib, x, c: x - lib.mean(x, axis=-1) * c,
    "arguments": lambda lib, x, c: lib.argmax(abs(x - c), axis=-1),
    "pairs": lambda lib, x, c: lib.max(heights(lib, x) + c, axis=-1),
    "products": lambda lib, x, c: lib.cartesian([x[x > c], x]),
    "padded": lambda lib, x, c: lib.fill_none(lib.pad_none(x, 3, axis=1), c),
    "flat": lambda lib, x, c: lib.flatten(x * c),
    "first": lambda lib, x, c: lib.fill_none(lib.firsts(x), c),
    "rows": lambda lib, x, c: x[len(x) // 2 :] + c,
    "sorted": lambda lib, x, c: lib.sort(x * c, axis=-1),
    "integers": lambda lib, x, c: lib.sum(lib.local_index(x) * int(10 * c), axis=-1),
    "powers": lambda lib, x, c: x**c,
}
LENGTHS = {
    "none": [],
    "empty": [0, 0, 0],
    "few": [3, 0, 1, 2],
    "many": [i % 7 for i in range(500)],
    "one": [40],
    "uneven": [1] * 60 + [300] + [0, 2] * 20,
}
CONSTANTS = [0.0, 1.0, 2.0, 0.25, 0.75, -1.5, 3e6]


# What only serrate has, or has in one call, with the same in plain Python.
def in_python(f):
    return lambda x: [f(sorted(row), row) for row in x]


OWN = {
    "ranks": (
        lambda x: ak.rank(x, method="min"),
        in_python(lambda s, r: [s.index(v) + 1 for v in r]),
    ),
    "distinct": (ak.unique, in_python(lambda s, r: sorted(set(r)))),
    "of the largest": (
        lambda x: ak.sort(x[x > 3], axis=-1)[:, ::-1],
        in_python(lambda s, r: [v for v in reversed(s) if v > 3]),
    ),
    "sums so far": (
        lambda x: ak.sort(ak.cumsum(x, axis=-1), axis=-1, ascending=False),
        in_python(lambda s, r: sorted((sum(r[: i + 1]) for i in range(len(r))), reverse=True)),
    ),
}


def heights(lib, x):
    a, b = lib.unzip(lib.combinations(x, 2))
    return np.sqrt(abs(a * b))


def data(library, lengths, seed):
    values = np.random.default_rng(seed).normal(size=sum(lengths))
    return library.unflatten(library.Array(values), np.array(lengths, np.int64))


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_same_structure_other_numbers(name):
    import awkward

    expression = EXPRESSIONS[name]
    for seed, lengths in enumerate([*LENGTHS.values(), *reversed(LENGTHS.values())]):
        c = CONSTANTS[seed % len(CONSTANTS)]
        both(lambda lib, x: expression(lib, x, c), data(awkward, lengths, seed), rtol=1e-9)  # noqa: B023


@pytest.mark.parametrize("name", OWN)
def test_steps_of_other_data(name):
    ours, right = OWN[name]
    for seed, lengths in enumerate([*LENGTHS.values(), *reversed(LENGTHS.values())]):
        whole = np.random.default_rng(seed).integers(0, 9, sum(lengths))
        x = ak.unflatten(ak.Array(whole), np.array(lengths, np.int64))
        assert ak.to_list(ours(x)) == right(ak.to_list(x))


@pytest.mark.parametrize("schedule", ["lanes", "lanes4", "lanes32", "warps", "binned"])
def test_same_structure_other_schedule(schedule, monkeypatch):
    import awkward

    def look(lib, x):
        return [lib.sum(x * 2.5, axis=-1), lib.max(x, axis=-1), lib.num(lib.combinations(x, 2))]

    for lengths in (LENGTHS["many"], LENGTHS["uneven"]):
        theirs = data(awkward, lengths, 3)
        for value in (schedule, ""):
            monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", value)
            for ours, right in zip(
                look(ak, data(ak, lengths, 3)), look(awkward, theirs), strict=True
            ):
                assert_same(ours, right, rtol=1e-9)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float32", "complex128"])
def test_constants_of_every_type(dtype):
    for c in (0, 1, 2, 3, 100, 7):
        both(lambda lib, x: x * np.dtype(dtype).type(c) + c, np.arange(5).astype(dtype))  # noqa: B023
        both(lambda lib, x: x == c, np.array([c, 1, 2]).astype(dtype))  # noqa: B023


def test_equal_and_different_thresholds():
    x = ak.Array([[1.0, 5.0, 9.0], [], [7.0]])
    for a, b in [(2, 6), (6, 6), (3, 8), (8, 3), (2.5, 2.5)]:
        both_sums = ak.compute(ak.sum(x[x > a], axis=-1), ak.sum(x[x > b], axis=-1))
        for ours, t in zip(both_sums, (a, b), strict=True):
            assert ak.to_list(ours) == [sum(v for v in r if v > t) for r in ak.to_list(x)]


def test_checks_name_their_own_line():
    def third(x):
        return ak.to_list(x[:, 2])

    x, y = ak.Array([[1, 2, 3], [4, 5, 6, 7]]), ak.Array([[1, 2, 3], [4, 5, 6], [7]])
    assert third(x) == [3, 6]
    with pytest.raises(IndexError, match="position 2"):
        third(y)
    assert third(x[:, ::-1]) == [1, 5]
    with pytest.raises(IndexError) as here:
        ak.to_list(y[:, 2])
    with pytest.raises(IndexError) as there:
        ak.to_list(y[:, 2])
    assert str(here.value) != str(there.value)  # other lines


def test_lengths_that_differ_are_told_each_time():
    x = ak.Array([[1, 2], [3], []])
    for counts in ([2, 2, 0], [2, 1, 1]):
        y = ak.unflatten(np.arange(sum(counts)), counts)
        bad = next(i for i, n in enumerate(counts) if n != [2, 1, 0][i])
        with pytest.raises(ValueError, match=f"position {bad}"):
            ak.to_list(x + y)
    assert ak.to_list(x + ak.Array([[1, 2], [3], []])) == [[2, 4], [6], []]


def test_plans_tell_how_often_they_wait():
    x = ak.Array([[1.0, 5.0, 9.0], [], [7.0]])
    assert ak.explain(ak.sum(x * 2, axis=-1), backend="cuda").waits == 0
    assert ak.explain(x[x > 1], backend="cuda").waits == 0
    # Nobody makes room for so much that may not come.
    many = ak.unflatten(np.zeros(3_000_000), [1_000_000, 2_000_000])
    assert ak.explain(many[many > 1], backend="cuda").waits == 1
    assert "waits for the GPU 1 time" in str(ak.explain(many[many > 1], backend="cuda"))


def test_steps_of_arrays_without_items():
    # Whatever the order of empty and other arrays, each result is its own.
    def twice_sorted(x):
        return ak.sort(ak.sort(x)[:, ::-1])

    empty = np.zeros(0, "int8")
    for lengths in ([0, 0], [0, 0], [2, 0], [0, 1], [0], [], [], [3, 1]):
        x = ak.unflatten(np.arange(sum(lengths), dtype="int8"), lengths)
        assert ak.to_list(twice_sorted(x)) == [sorted(r) for r in ak.to_list(x)]
        counts = ak.histogram(twice_sorted(x), 4, 0, 4)
        assert ak.to_list(counts) == np.histogram(np.arange(sum(lengths)), 4, (0, 4))[0].tolist()
        assert ak.to_list(ak.sort(ak.Array(empty))) == []
