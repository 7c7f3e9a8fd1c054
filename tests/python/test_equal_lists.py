"""Lists that are stored twice, with offsets of their own that are equal: one walk serves both."""

import numpy as np
import pytest

import serrate as ak

COUNTS = [3, 0, 2, 1, 0, 4]


def lists(values, counts=COUNTS, offsets=np.int64):
    """Offsets that no other array has."""
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(offsets)
    content = {"class": "NumpyArray", "primitive": "float64", "form_key": "1"}
    form = {
        "class": "ListOffsetArray",
        "offsets": {np.int64: "i64", np.int32: "i32"}[offsets],
        "content": content,
        "form_key": "0",
    }
    values = np.asarray(values, np.float64)
    return ak.from_buffers(form, len(counts), {"0-offsets": ends, "1-data": values})


@pytest.fixture
def x():
    return lists(np.arange(10.0))


@pytest.fixture
def y():
    return lists(np.arange(10.0)[::-1])


def walks(*arrays):
    return str(ak.explain(*arrays)).count("for each item of")


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_one_walk_serves_both(x, y):
    assert walks(x[y > 4]) == 1
    assert walks(x + y) == 1
    assert walks(ak.sum(x * y, axis=1), ak.max(x - y, axis=1)) == 1
    made = ak.materialize(ak.zip({"x": x, "y": y}))
    assert "equal length" not in str(ak.explain(made.x + made.y * 2))


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_equal_for_one_expression_is_remembered_for_the_next(x, y):
    z = lists(np.ones(10))
    assert walks(x + y) == walks(y + z) == walks(x + z) == walks(x + y + z) == 1
    other = lists(np.ones(10), [3, 0, 2, 0, 1, 4])
    assert walks(x + other) > 1
    with pytest.raises(ValueError, match="cannot broadcast"):
        (x + other).to_list()
    with pytest.raises(ValueError, match="cannot broadcast"):
        (z + other).to_list()


def test_values(x, y):
    rows, others = x.to_list(), y.to_list()
    pairs = [list(zip(a, b, strict=True)) for a, b in zip(rows, others, strict=True)]
    assert x[y > 4].to_list() == [[a for a, b in p if b > 4] for p in pairs]
    assert (x * y).to_list() == [[a * b for a, b in p] for p in pairs]
    mean = x - ak.mean(x, axis=1, keepdims=True)
    keep = (y - ak.max(y, axis=1, keepdims=True)) > -2
    wanted = [
        [a - sum(r) / len(r) for a, b in p if b - max(o) > -2]
        for p, r, o in zip(pairs, rows, others, strict=True)
    ]
    assert mean[keep].to_list() == [pytest.approx(w) for w in wanted]


def test_what_is_below_the_lists_goes_with_them(x, y):
    pairs = ak.combinations(y, 2, fields=["a", "b"])
    order = ak.argsort(y, axis=1)
    expected = [sorted(r) for r in y.to_list()]
    assert y[order].to_list() == expected
    assert (x[ak.argsort(y, axis=1)]).to_list() == [r[::-1] for r in x.to_list()]
    near = ak.min(abs(x[:, :, None] - y[:, None, :]), axis=2)
    together = x + near
    assert together.to_list() == [
        [a + min(abs(a - b) for b in o) for a in r]
        for r, o in zip(x.to_list(), y.to_list(), strict=True)
    ]
    assert ak.num(pairs).to_list() == [3, 0, 1, 0, 0, 6]


def test_masks_of_other_lengths_pick_what_they_name(x):
    mask = lists(np.ones(9), [2, 0, 2, 1, 0, 4]) > 0
    assert x[mask].to_list() == [[0.0, 1.0], [], [3.0, 4.0], [5.0], [], [6.0, 7.0, 8.0, 9.0]]
    with pytest.raises(IndexError):
        x[lists(np.ones(11), [3, 0, 2, 2, 0, 4]) > 0].to_list()


def test_offsets_of_different_types_and_beginnings(x):
    narrow = lists(np.arange(10.0), offsets=np.int32)
    assert (x + narrow).to_list() == (x + x).to_list()
    assert x[narrow > 3].to_list() == x[x > 3].to_list()
    # The same lists, but their items are at other places of the memory.
    longer = lists(np.arange(12.0), [2, *COUNTS])
    assert (x + longer[1:]).to_list() == (x + x + 2).to_list()
    assert (longer[1:] + x)[longer[1:] > 5].to_list() == (x + x + 2)[x > 3].to_list()


def test_missing_lists(x, y):
    some = ak.mask(y, np.array([1, 1, 0, 1, 1, 1], bool))
    assert (x + some).to_list() == [None if k == 2 else r for k, r in enumerate((x + y).to_list())]
    assert x[some > 4].to_list() == [
        None if k == 2 else r for k, r in enumerate(x[y > 4].to_list())
    ]


def test_lists_of_lists(x, y):
    a, b = (ak.unflatten(z, [2, 4]) for z in (x, y))
    assert a[b > 4].to_list() == [
        [[p for p, q in zip(s, t, strict=True) if q > 4] for s, t in zip(u, v, strict=True)]
        for u, v in zip(a.to_list(), b.to_list(), strict=True)
    ]
    assert (a + b).to_list() == [[[9.0] * len(s) for s in u] for u in a.to_list()]


def test_no_lists_at_all():
    x, y = lists([], []), lists([], [])
    assert (x + y).to_list() == x[y > 0].to_list() == []
