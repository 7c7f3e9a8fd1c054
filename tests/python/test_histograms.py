# Histograms against boost-histogram and NumPy.
import itertools
import math
import os

import boost_histogram as bh
import numpy as np
import pytest
from conftest import plain

import serrate as ak
from serrate import axis

RANDOM = np.random.default_rng(7)
VALUES = np.concatenate(
    [RANDOM.normal(size=300), [np.nan, np.inf, -np.inf, -1, 1, 0, 2, -0.0, 1e-320, -1e-320]]
)
COUNTS = RANDOM.integers(-3, 7, len(VALUES))
WORDS = np.array(["a", "bb", "c", ""])[RANDOM.integers(0, 4, len(VALUES))].tolist()
WEIGHTS = RANDOM.integers(0, 8, len(VALUES)) / 4
LISTS = [100, 0, 200, len(VALUES) - 300]

AXES = [
    (axis.Regular(5, -1, 1), VALUES),
    (axis.Regular(7, -1, 2, underflow=False), VALUES),
    (axis.Regular(7, -1, 1, overflow=False), VALUES),
    (axis.Regular(3, -1, 1, underflow=False, overflow=False), VALUES),
    (axis.Regular(4, 0, 0.5, circular=True), VALUES),
    (axis.Regular(4, 0.1, 2, transform="log"), VALUES),
    (axis.Regular(4, 0, 2, transform="sqrt"), VALUES),
    (axis.Regular(4, 0.5, 2, transform=("pow", 3)), VALUES),
    (axis.Variable([-1, -0.5, 0, 0.25, 1]), VALUES),
    (axis.Variable([-1, 0, 1, 1.5], overflow=False), VALUES),
    (axis.Variable([0, 1], underflow=False), VALUES),
    (axis.Integer(-1, 4), COUNTS),
    (axis.Integer(0, 3, underflow=False, overflow=False), COUNTS),
    (axis.Boolean(), COUNTS > 2),
    (axis.IntCategory([5, 2, -1]), COUNTS),
    (axis.IntCategory([3], overflow=False), COUNTS),
    (axis.StrCategory(["c", "a"]), WORDS),
    (axis.StrCategory(["bb", "", "x"], overflow=False), WORDS),
]
IDS = [f"{i} {a.kind}" for i, (a, _) in enumerate(AXES)]


def lists_of(values):
    return ak.unflatten(ak.Array(values), LISTS)


def filled(h, *arrays, **options):
    return h.fill(*arrays, **options)


def same(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize(("one", "values"), AXES, ids=IDS)
def test_axis_as_boost_histogram(one, values):
    theirs = filled(bh.Histogram(axis.to_boost(one), storage=bh.storage.Int64()), values)
    ours = ak.Histogram(one).fill(lists_of(values))
    same(ours.values(flow=True), theirs.values(flow=True).astype(float))
    same(ours.values(), theirs.values().astype(float))
    assert ours.to_boost() == theirs
    if one.kind != "text":
        assert one.edges == pytest.approx(theirs.axes[0].edges)
    assert len(one) == len(theirs.axes[0])
    assert one.extent == theirs.axes[0].extent
    assert axis.from_boost(theirs.axes[0]).traits == one.traits


@pytest.mark.parametrize(("one", "values"), AXES, ids=IDS)
def test_weights_and_variances(one, values):
    theirs = bh.Histogram(axis.to_boost(one), storage=bh.storage.Weight())
    theirs.fill(values, weight=WEIGHTS)
    ours = ak.Histogram(one, weighted=True).fill(lists_of(values), weight=lists_of(WEIGHTS))
    same(ours.values(flow=True), theirs.values(flow=True))
    same(ours.variances(flow=True), theirs.variances(flow=True))
    some = ours.variances() > 0
    effective = ours.values()[some] ** 2 / ours.variances()[some]
    assert ours.counts()[some] == pytest.approx(effective)
    assert ours.to_boost() == theirs


@pytest.mark.parametrize("bins", [7, 90, 3000])
def test_sums_of_weights_of_all_sizes(bins):
    """On a GPU, where threads add in any order, sums are exact: rounded once."""
    random = np.random.default_rng(bins)
    x = random.uniform(0, bins, 4000)
    weights = random.normal(size=4000) * np.exp(random.normal(size=4000) * 20)
    weights[:50] = [0, -0.0, 5e-324, -5e-324, 1e300] * 10
    cells = [weights[x.astype(int) == k] for k in range(bins)]
    got = np.asarray(plain(ak.histogram(x, bins, 0, bins, weight=weights)))
    want = np.asarray([math.fsum(w) for w in cells])
    on_gpu = ak.default_backend() == "cuda" and os.environ.get("SERRATE_CUDA") != "compile-only"
    if on_gpu:
        assert got.tolist() == want.tolist()
    else:
        most = np.asarray([np.sum(np.abs(w)) for w in cells])
        assert np.all(np.abs(got - want) <= 1e-13 * most)
    weights[:2] = np.inf, np.nan
    got = plain(ak.histogram(x, bins, 0, bins, weight=weights))
    assert np.isnan(got[int(x[1])])
    assert int(x[0]) == int(x[1]) or got[int(x[0])] == np.inf


PAIRS = list(itertools.product([0, 3, 8, 11, 14, 17], [1, 4, 10, 12, 16]))


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_two_axes(i, j):
    pair = AXES[i], AXES[j]
    theirs = bh.Histogram(*(axis.to_boost(a) for a, _ in pair), storage=bh.storage.Int64())
    theirs.fill(*(v for _, v in pair))
    into = theirs.copy().reset()
    assert ak.fill_histogram(into, *(lists_of(v) for _, v in pair)) is into
    assert into == theirs
    ours = ak.Histogram(*(a for a, _ in pair)).fill(*(lists_of(v) for _, v in pair))
    same(ours.values(flow=True), theirs.values(flow=True).astype(float))


def test_three_axes_several_fills_and_missing_values():
    h = ak.Histogram(axis.Regular(2, 0, 2), axis.Integer(0, 3), axis.StrCategory(["x", "y"]))
    a = ak.Array([[0.5, None, 1.5], None, [0.5]])
    b = ak.Array([[0, 1, 2], [1], [7]])
    h.fill(a, b, ak.Array([["x", "x", "y"], ["x"], ["y"]]))
    h.fill(ak.Array([0.5]), ak.Array([0]), ak.Array(["x"]))
    values = h.values(flow=True)
    assert values.shape == (4, 5, 3)
    assert values.sum() == 4
    assert values[1, 1, 0] == 2
    assert values[2, 3, 1] == 1
    assert values[1, 4, 1] == 1
    assert (h + h).values(flow=True).sum() == 8
    assert str(h.array().type) == "4 * 5 * 3 * int64"


def test_broadcasting_of_values_and_weights():
    h = ak.Histogram(axis.Regular(2, 0, 2), axis.Integer(0, 2), weighted=True)
    h.fill(ak.Array([[0.5, 1.5], [], [0.5]]), ak.Array([0, 1, 1]), weight=2)
    assert h.values().tolist() == [[2, 2], [2, 0]]
    assert h.variances().tolist() == [[4, 4], [4, 0]]


def test_integer_weights_are_exact():
    big = 2**53 + 1
    sums = ak.Histogram(axis.Integer(0, 1), weighted=True).fill([0, 0], weight=[big, 0]).array()
    assert sums.to_list() == [0, big, 0]


def test_what_is_not_looked_at_is_not_computed():
    x = lists_of(VALUES)
    h = ak.Histogram(axis.Regular(5, -1, 1)).fill(x[x > 0])
    k = ak.Histogram(axis.Variable([0, 1, 2])).fill(x[x > 0] * 2)
    assert ak.explain(h.array(), k.array()).passes == 1
    theirs = filled(bh.Histogram(bh.axis.Regular(5, -1, 1)), VALUES[VALUES > 0])
    same(h.values(flow=True), theirs.values(flow=True))


@pytest.mark.parametrize("storage", [bh.storage.Int64, bh.storage.Double, bh.storage.Weight])
def test_fill_of_what_exists(storage):
    a, b = (bh.Histogram(bh.axis.Regular(5, -1, 1), storage=storage()) for _ in range(2))
    weight = {} if storage is bh.storage.Int64 else {"weight": WEIGHTS}
    for _ in range(2):
        a.fill(VALUES, **weight)
        ak.fill_histogram(b, lists_of(VALUES), **{k: lists_of(v) for k, v in weight.items()})
    assert a == b


def test_fill_of_axes_that_grow():
    h = bh.Histogram(bh.axis.StrCategory([], growth=True), bh.axis.Integer(0, 2))
    ak.fill_histogram(h, ak.Array([["b", "a"], [], ["b"]]), ak.Array([1, 0, 0]))
    assert list(h.axes[0]) == ["b", "a"]
    assert h.values().tolist() == [[1, 1], [0, 1]]


def test_fill_of_hist():
    hist = pytest.importorskip("hist")
    h = hist.Hist(hist.axis.Regular(2, 0, 2, name="x"))
    assert ak.fill_histogram(h, [[0.5], [1.5, 1.6]]).values().tolist() == [1, 2]
    assert ak.Histogram(axis.Regular(2, 0, 2)).fill([[0.5]]).to_hist().values().tolist() == [1, 0]


@pytest.mark.parametrize(
    "bins",
    [
        {"bins": 10},
        {"bins": 7, "range": (-1, 1)},
        {"bins": [-1, 0, 0.5, 1]},
        {"bins": 3, "range": (0, 0)},
    ],
    ids=str,
)
def test_numpy_histogram(bins):
    finite = np.round(VALUES[np.isfinite(VALUES)], 1)
    x = ak.unflatten(ak.Array(finite), [100, 0, len(finite) - 100])
    counts, edges = np.histogram(x, **bins)
    want, want_edges = np.histogram(finite, **bins)
    assert counts.to_list() == want.tolist()
    assert edges.tolist() == want_edges.tolist()
    weights = np.arange(len(finite)) / 8
    sums, _ = np.histogram(x, weights=ak.unflatten(ak.Array(weights), ak.num(x)), **bins)
    assert sums.to_list() == np.histogram(finite, weights=weights, **bins)[0].tolist()
    density = np.histogram(x, density=True, **bins)[0]
    assert isinstance(edges, ak.Array)
    assert density.to_list() == pytest.approx(np.histogram(finite, density=True, **bins)[0])


def test_numpy_histograms_of_more_dimensions():
    x, y = RANDOM.normal(size=(2, 200))
    lists = [ak.unflatten(ak.Array(v), [50, 0, 150]) for v in (x, y)]
    got = np.histogram2d(*lists, bins=[4, [-1, 0, 2]])
    want = np.histogram2d(x, y, bins=[4, [-1, 0, 2]])
    assert got[0].to_list() == want[0].tolist()
    for a, b in zip(got[1:], want[1:], strict=True):
        assert a.tolist() == b.tolist()
    got, edges = np.histogramdd(lists, bins=3, density=True)
    want, want_edges = np.histogramdd([x, y], bins=3, density=True)
    assert ak.to_list(got) == [pytest.approx(row) for row in want]
    assert ak.to_list(edges) == [e.tolist() for e in want_edges]


@pytest.mark.parametrize("t", ["i8", "u1", "i2", "u4", "?"])
@pytest.mark.parametrize("different", [1, 2, 10, 200, 600])
def test_numpy_bincount(t, different):
    """Bins of up to 512 cells are four tables, whose sums are taken in the end."""
    for n in (1, 15, 16, 33, 5_000):
        x = RANDOM.integers(0, min(different, 255), n).astype(t)
        weights = RANDOM.integers(-8, 8, n) / 4
        for options in ({}, {"minlength": 3}, {"minlength": 700}):
            got = np.bincount(ak.Array(x), **options)
            want = np.bincount(x, **options)
            assert got.to_list() == want.tolist()
            assert str(got.type) == f"{len(want)} * int64"
            got = np.bincount(ak.Array(x), ak.Array(weights), **options)
            assert got.to_list() == np.bincount(x, weights, **options).tolist()
            assert str(got.type) == f"{len(want)} * float64"


def test_bincount_of_lists():
    x = ak.Array([[3, None, 1], [], None, [3]])
    assert np.bincount(x).to_list() == [0, 1, 0, 2]
    assert np.bincount(x, ak.Array([2, 3, 4, 5])).to_list() == [0, 2, 0, 7]
    assert np.bincount(x, x).to_list() == [0, 1, 0, 6]
    assert np.bincount(ak.Array([1, 2])[:0]).to_list() == []
    assert np.bincount(ak.Array([])).to_list() == []
    assert np.bincount(ak.Array([]), minlength=2).to_list() == [0, 0]
    large = np.arange(30_000) % 7
    ours = ak.Array(large)
    assert np.bincount(ours[ours > 2] * 2).to_list() == np.bincount(large[large > 2] * 2).tolist()
    for wrong in ([1.5], ["a"], np.array([1], "u8"), [{"x": 1}], np.array([1], "m8[s]")):
        with pytest.raises(TypeError, match="bincount"):
            np.bincount(ak.Array(wrong))
    with pytest.raises(ValueError, match="negative"):
        np.bincount(ak.Array([2, -1]))
    with pytest.raises(ValueError, match="minlength"):
        np.bincount(ak.Array([2]), minlength=-1)
    with pytest.raises(ValueError):
        np.bincount(ak.Array([2, 1]), ak.Array([1, 2, 3]))


def test_refused():
    with pytest.raises(TypeError, match="numbers"):
        ak.Histogram(axis.Regular(2, 0, 1)).fill(["a"])
    with pytest.raises(TypeError, match="strings"):
        ak.Histogram(axis.StrCategory(["a"])).fill([1])
    with pytest.raises(ValueError, match="lo < hi"):
        ak.Histogram(axis.Regular(2, 1, 1)).fill([1])
    with pytest.raises(ValueError, match="ascend"):
        ak.Histogram(axis.Variable([1, 0])).fill([1])
    with pytest.raises(ValueError, match="expected 1 arrays"):
        ak.Histogram(axis.Regular(2, 0, 1)).fill([1], [2])
    with pytest.raises(ValueError, match="weighted"):
        ak.Histogram(axis.Regular(2, 0, 1)).fill([1], weight=[2])
    with pytest.raises(TypeError):
        ak.fill_histogram(
            bh.Histogram(bh.axis.Integer(0, 1), storage=bh.storage.Int64()), [1], weight=[1]
        )
    with pytest.raises(ValueError, match="transform"):
        axis.Regular(2, 0, 1, transform="sin")
