# Indexes into lists that a condition has found long enough: never out of range, and all others are.
import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak

ROWS = [[1.0, 2.0, 3.0], [], [4.0], [5.0, 6.0], [7.0, 8.0, 9.0, 10.0]]
OTHER = [[1], [2, 3, 4], [], [5, 6, 7], [8, 9, 10]]
CONDITIONS = {
    "num >= 1": lambda lib, x, y: lib.num(x) >= 1,
    "num >= 2": lambda lib, x, y: lib.num(x) >= 2,
    "num > 2": lambda lib, x, y: lib.num(x) > 2,
    "num >= 2 and more": lambda lib, x, y: (lib.num(x) >= 2) & (lib.num(y) > 2),
    "more and num >= 2": lambda lib, x, y: (lib.num(y) > 2) & (lib.num(x) > 1),
    "num != 0": lambda lib, x, y: lib.num(x) != 0,
    "2 <= num": lambda lib, x, y: lib.num(x) >= np.int64(2),
    "of others": lambda lib, x, y: lib.num(y) >= 3,
    "either": lambda lib, x, y: (lib.num(x) >= 2) | (lib.num(y) >= 3),
    "floats": lambda lib, x, y: lib.num(x) >= 1.5,
}
WAYS = {
    "filter": lambda lib, x, keep: x[keep],
    "mask": lambda lib, x, keep: lib.mask(x, keep),
}


def given(lib, condition, way, index):
    x, y = lib.Array(ROWS), lib.Array(OTHER)
    some = WAYS[way](lib, x, CONDITIONS[condition](lib, x, y))
    try:
        out = some[:, index]
        return str(out.type), out.to_list()
    except IndexError:
        return "out of range"


@pytest.mark.parametrize("index", [-4, -3, -2, -1, 0, 1, 2, 3])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_as_awkward(condition, way, index):
    assert given(ak, condition, way, index) == given(awkward, condition, way, index)


def test_of_a_part_and_of_filtered_items():
    x, y = ak.Array(ROWS), awkward.Array(ROWS)
    for i in (-2, 0, 1):
        ours = x[1:][ak.num(x[1:]) >= 2][:, i] + 1
        assert ours.to_list() == (y[1:][awkward.num(y[1:]) >= 2][:, i] + 1).to_list()
        large, other = x[x > 4.5], y[y > 4.5]
        ours = large[ak.num(large) >= 2][:, i]
        assert ours.to_list() == other[awkward.num(other) >= 2][:, i].to_list()
        with pytest.raises(IndexError):
            large[ak.num(x) >= 1][:, 0].to_list()


def test_of_rows_picked_again():
    x = ak.Array(ROWS)
    kept = x[ak.num(x) >= 2]
    assert kept[::-1][:, 1].to_list() == [8.0, 6.0, 2.0]
    with pytest.raises(IndexError):
        x[[0, 1]][ak.num(x)[[0, 3]] >= 2][:, 1].to_list()


def test_many_skewed_lists():
    rng = np.random.default_rng(5)
    counts = np.minimum(rng.zipf(1.7, 100_000) - 1, 4_000)
    values = rng.normal(size=int(counts.sum()))
    x = ak.unflatten(values, counts)
    ends = np.cumsum(counts)
    keep = counts >= 2
    first, last = values[(ends - counts)[keep]], values[ends[keep] - 1]
    some = x[ak.num(x) >= 2]
    assert np.array_equal(in_ram(some[:, 0] - some[:, -1]), first - last)
    some = ak.mask(x, ak.num(x) >= 2)
    got = in_ram(ak.drop_none(some[:, 0] - some[:, -2]))
    assert np.array_equal(got, first - values[ends[keep] - 2])
    with pytest.raises(IndexError):
        float(ak.sum(x[ak.num(x) >= 2][:, 2]))
    lengths = ak.fill_none(ak.firsts(x[:, -1:]) - ak.firsts(x[:, :1]), -7)
    full = counts > 0
    expected = np.full(len(counts), -7.0)
    expected[full] = values[ends[full] - 1] - values[(ends - counts)[full]]
    assert np.array_equal(in_ram(lengths), expected)


@pytest.mark.parametrize("first", [None, 0, 1, 2, -1, -2, -9])
@pytest.mark.parametrize("last", [None, 0, 1, 3, -1, -2, 2**62])
def test_lengths_of_slices(first, last):
    both = []
    for lib in (ak, awkward):
        x = lib.Array(ROWS)
        part = x[:, first:last]
        again = part[:, :2][:, -1:]
        both.append(
            (
                lib.num(part).to_list(),
                lib.firsts(part).to_list(),
                lib.num(again).to_list(),
                (lib.firsts(again) + lib.num(part)).to_list(),
                lib.sum(part[lib.num(part) > 1], axis=1).to_list(),
            )
        )
    assert both[0] == both[1]
