# Results whose size is known when they are there: room is made for as many items as those before
# let expect, whatever comes then.
import numpy as np
import pytest
from host import in_ram

import serrate as ak


def kept(where, n):
    """Which of n items a filter keeps."""
    place = np.arange(n) / max(n, 1)
    return {
        "first": place < 0.05,
        "last": place > 0.95,
        "all": place >= 0,
        "none": place < 0,
        "rising": np.random.default_rng(1).random(n) < place**4,
        "one": np.arange(n) == n // 2,
    }[where]


# An emulated GPU takes minutes for more, and grows nothing.
MANY = 1_000_000 if ak.default_backend() == "cpu" else 10_000
WHERE = ["first", "last", "all", "none", "rising", "one"]


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("n", [0, 1, 7, 20_000, MANY])
def test_filters(where, n):
    values, keep = np.arange(n, dtype=np.float64), kept(where, n)
    x = ak.from_numpy(values)
    assert np.array_equal(in_ram((x * 2)[ak.from_numpy(keep)]), (values * 2)[keep])


@pytest.mark.parametrize("where", WHERE)
def test_rows_of_skewed_lists(where):
    lengths = np.minimum(np.random.default_rng(2).zipf(1.5, MANY // 10), 3_000) - 1
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = np.arange(offsets[-1])
    keep = kept(where, len(lengths))
    lists = ak.unflatten(ak.from_numpy(values), ak.from_numpy(lengths))
    rows = ak.zip({"x": lists, "y": lists * 0.5})[ak.from_numpy(keep)]
    items = values[np.repeat(keep, lengths)]
    assert np.array_equal(in_ram(ak.num(rows)), lengths[keep])
    assert np.array_equal(in_ram(ak.flatten(rows.x)), items)
    assert np.array_equal(in_ram(ak.flatten(rows.y)), items * 0.5)


def test_one_list_has_nearly_all():
    lengths = np.ones(5_000, int)
    for place in (0, 2_500, 4_999):
        lengths[:] = 1
        lengths[place] = MANY
        values = np.arange(lengths.sum())
        lists = ak.unflatten(ak.from_numpy(values), ak.from_numpy(lengths))
        got = lists[lists % 3 != 0]
        assert np.array_equal(in_ram(ak.flatten(got)), values[values % 3 != 0])
        backwards = lists[::-1]
        assert np.array_equal(in_ram(ak.num(backwards)), lengths[::-1])
        assert int(ak.sum(backwards, axis=None)) == values.sum()
