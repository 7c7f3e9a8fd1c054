# Sorts of lists that are in order, nearly so, or in order the other way round.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

SIZES = [1, 2, 1_024, 1_025, 5_000, 20_000]
CHANGES = [None, 0, 1_023, 1_024, -1]


@pytest.mark.parametrize("t", ["f8", "f4", "i8", "u2", "i1"])
@pytest.mark.parametrize("ascending", [True, False])
def test_sorted_lists(t, ascending):
    for n in SIZES:
        rising = np.sort(np.random.default_rng(n).integers(0, min(n, 100), n)).astype(t)
        strict = np.arange(n).astype(t)
        for x in (rising, rising[::-1], strict, strict[::-1]):
            for change in CHANGES:
                y = x.copy()
                if change is not None and change < n:
                    y[change] = 3
                keys = y.astype("f8")
                want = np.argsort(keys if ascending else -keys, kind="stable")
                ours = ak.Array(y)
                assert np.array_equal(ak.argsort(ours, ascending=ascending), want)
                assert np.array_equal(ak.sort(ours, ascending=ascending), y[want])


def test_zeros_and_nan_in_order():
    x = np.concatenate([np.arange(-3_000.0, 0), [-0.0, 0.0, -0.0, 1.0], np.full(3_000, np.nan)])
    assert str(ak.sort(x)[2_999:3_005].tolist()) == "[-1.0, -0.0, 0.0, -0.0, 1.0, nan]"
    assert np.array_equal(ak.argsort(x), np.arange(len(x)))
    assert np.array_equal(ak.argsort(x[::-1]), np.argsort(x[::-1], kind="stable"))


LONG = {
    "few": lambda rng, n: rng.integers(0, 3, n),
    "none": lambda rng, n: np.arange(n),
    "one": lambda rng, n: np.zeros(n),
    "nan": lambda rng, n: np.where(rng.random(n) < 0.5, np.nan, 1.0),
    "bools": lambda rng, n: rng.random(n) < 0.9,
    "times": lambda rng, n: rng.integers(0, 2, n).astype("M8[s]"),
    "complex": lambda rng, n: rng.integers(0, 2, n) * 1j,
}


@pytest.mark.parametrize("n", [0, 1, 2, 9, 4_095, 4_096, 4_097, 5_003, 70_000])
@pytest.mark.parametrize("name", LONG)
def test_run_lengths_of_flat_arrays(name, n):
    x = LONG[name](np.random.default_rng(n), n)
    begins = np.flatnonzero(np.r_[True, x[1:] != x[:-1]][:n])
    want = np.diff(np.r_[begins, n])
    for ours in (ak.Array(x), ak.Array(np.r_[x[:1], x])[1:], ak.Array(x)[::1][:]):
        for axis in (-1, 0):
            got = ak.run_lengths(ours, axis=axis)
            assert str(got.type) == f"{len(want)} * int64"
            assert in_ram(got).tolist() == want.tolist()


# Runs end with their lists, whether the next one begins with the same item or not.
@pytest.mark.parametrize("length", [1, 3, 31, 33, 700])
@pytest.mark.parametrize("name", [*LONG, "words"])
def test_run_lengths_of_lists(name, length):
    rng = np.random.default_rng(length)
    lengths = rng.integers(0, 2 * length, 6_000 // length + 9)
    n = int(lengths.sum())
    x = rng.integers(0, 3, n) if name == "words" else LONG[name](rng, n)
    parts = np.split(x, np.cumsum(lengths)[:-1])
    begins = [np.flatnonzero(np.r_[True, p[1:] != p[:-1]][: len(p)]) for p in parts]
    want = [np.diff(np.r_[b, len(p)]).tolist() for b, p in zip(begins, parts, strict=True)]
    flat = ak.Array(["", "a", "ab"])[x] if name == "words" else ak.Array(x)
    ours = ak.materialize(ak.unflatten(flat, lengths))
    assert ak.run_lengths(ours).to_list() == want
    assert ak.run_lengths(ours[2:-1]).to_list() == want[2:-1]
    assert ak.run_lengths(ours[::-1]).to_list() == want[::-1]
    deep = ak.unflatten(ours[: len(ours) // 2 * 2], 2)
    assert ak.flatten(ak.run_lengths(deep), axis=1).to_list() == want[: len(ours) // 2 * 2]
    gaps = ak.mask(ours, np.arange(len(ours)) % 3 > 0)
    expected = [w if i % 3 > 0 else None for i, w in enumerate(want)]
    assert ak.run_lengths(gaps).to_list() == expected


@pytest.mark.parametrize("n", [0, 1, 2, 9, 1_023, 1_025, 100_000])
def test_run_lengths_of_words_and_of_all_items(n):
    rng = np.random.default_rng(n)
    numbers = np.repeat(rng.integers(0, 4, n), (rng.pareto(1.5, n) * 2).astype(int).clip(0, 300))
    begins = np.flatnonzero(np.r_[True, numbers[1:] != numbers[:-1]][: len(numbers)])
    want = np.diff(np.r_[begins, len(numbers)])
    words = ak.Array(["", "a", "ab", "b"])[numbers]
    assert in_ram(ak.run_lengths(words)).tolist() == want.tolist()
    assert in_ram(ak.run_lengths(words[:], axis=None)).tolist() == want.tolist()
    lists = ak.unflatten(numbers, [0, len(numbers) // 3, 0, len(numbers) - len(numbers) // 3])
    assert in_ram(ak.run_lengths(lists, axis=None)).tolist() == want.tolist()
    assert in_ram(ak.run_lengths(ak.unflatten(lists, [1, 3]), axis=None)).tolist() == want.tolist()
