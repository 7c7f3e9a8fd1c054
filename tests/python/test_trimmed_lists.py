# Lists that were cut at different ends, but by as much: x[:, 1:] - x[:, :-1].
import awkward
import numpy as np
import pytest

import serrate as ak

ENDS = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (0, 3)]


def cut(x, front, back):
    return x[:, front : -back or None]


def numbers(n=300, seed=1):
    r = np.random.default_rng(seed)
    counts = r.poisson(2, n) * (r.random(n) < 0.9)
    return awkward.unflatten(r.normal(size=counts.sum()), counts)


def nested(n=100):
    x = numbers(n)
    return (
        awkward.unflatten(x[awkward.num(x) > 1], 1, axis=0)
        if n == 0
        else awkward.Array(
            [[[v, 2 * v][: 1 + i % 2] for i, v in enumerate(row)] for row in x.to_list()]
        )
    )


def same(got, want):
    assert ak.to_list(got) == awkward.to_list(want)
    assert str(got.type) == str(want.type)


@pytest.mark.parametrize("a", ENDS)
@pytest.mark.parametrize("b", ENDS)
def test_differences(a, b):
    want = numbers()
    x = ak.Array(want)
    if sum(a) == sum(b):
        same(cut(x, *a) - cut(x, *b), cut(want, *a) - cut(want, *b))
        same(
            ak.sum(cut(x, *a) * cut(x, *b), axis=-1) > 0,
            awkward.sum(cut(want, *a) * cut(want, *b), axis=-1) > 0,
        )
    else:
        with pytest.raises(ValueError, match="broadcast"):
            ak.to_list(cut(x, *a) - cut(x, *b))


@pytest.mark.parametrize(("a", "b"), [((1, 0), (0, 1)), ((0, 2), (2, 0)), ((1, 1), (2, 0))])
class TestWhatIsCut:
    def both(self, f, a, b, want):
        x = ak.Array(want)
        same(f(ak, cut(x, *a), cut(x, *b)), f(awkward, cut(want, *a), cut(want, *b)))

    def test_chosen_rows(self, a, b):
        want = numbers()
        self.both(lambda ak, p, q: p - q, a, b, want[np.arange(300) % 3 != 1])
        self.both(lambda ak, p, q: p - q, a, b, want[::-2])

    def test_filtered_items(self, a, b):
        want = numbers()
        self.both(lambda ak, p, q: p - q, a, b, want[want > -0.5])

    def test_integers_of_32_bits(self, a, b):
        want = awkward.values_astype(10 * numbers(), np.int32)
        self.both(lambda ak, p, q: p - q, a, b, want)

    def test_missing_items(self, a, b):
        want = numbers()
        want = awkward.mask(want, want > -0.5)
        self.both(lambda ak, p, q: ak.fill_none(p - q, 9, axis=-1), a, b, want)

    def test_missing_lists(self, a, b):
        want = awkward.mask(numbers(), np.arange(300) % 5 != 2)
        self.both(lambda ak, p, q: p - q, a, b, want)

    def test_lists_of_lists(self, a, b):
        want = nested()
        self.both(lambda ak, p, q: ak.sum(p, axis=-1) - ak.sum(q, axis=-1), a, b, want)
        self.both(lambda ak, p, q: p[:, :, :1] + ak.sum(q, axis=-1), a, b, want)

    def test_records(self, a, b):
        x = numbers()
        want = awkward.zip({"x": x, "y": 2 * x})
        self.both(lambda ak, p, q: ak.zip({"p": p.x, "q": q.y}), a, b, want)

    def test_where(self, a, b):
        self.both(lambda ak, p, q: ak.where(p > q, p, -q), a, b, numbers())

    def test_order(self, a, b):
        self.both(lambda ak, p, q: ak.sort(p) - ak.sort(q), a, b, numbers())
        self.both(lambda ak, p, q: p - ak.sort(q)[:, ::-1], a, b, numbers())

    def test_indexes(self, a, b):
        self.both(lambda ak, p, q: ak.local_index(p) - ak.local_index(q), a, b, numbers())

    def test_regular(self, a, b):
        want = awkward.from_numpy(np.arange(24.0).reshape(4, 6), regulararray=True)
        self.both(lambda ak, p, q: p - q, a, b, want)
        x, n = ak.Array(want), awkward.to_numpy(want)
        assert (cut(x, *a) - cut(x, *b)).to_list() == (cut(n, *a) - cut(n, *b)).tolist()

    def test_results_are_cut_again(self, a, b):
        def f(ak, p, q):
            d = p - q
            return d[:, 1:] - d[:, :-1]

        self.both(f, a, b, numbers())

    def test_a_mask_of_one_for_the_other(self, a, b):
        x = ak.Array(numbers())
        p, q = cut(x, *a), cut(x, *b)
        mask = p > q
        want = [
            [w for v, w in zip(s, t, strict=True) if v > w]
            for s, t in zip(p.to_list(), q.to_list(), strict=True)
        ]
        assert q[mask].to_list() == want


def test_cut_twice():
    want = numbers()
    x = ak.Array(want)
    same(x[:, 1:][:, :-1] - x[:, 2:], want[:, 1:][:, :-1] - want[:, 2:])
    same(x[:, :-1][:, 1:] - x[:, :-2], want[:, :-1][:, 1:] - want[:, :-2])
    same(x[:, 1:][:, 1:] - x[:, :-2], want[:, 1:][:, 1:] - want[:, :-2])


def test_other_lists_too():
    want = numbers()
    x = ak.Array(want)
    other = ak.Array(awkward.Array(want.layout)[:, 1:].to_list())
    same(x[:, 1:] - x[:, :-1] + other, want[:, 1:] - want[:, :-1] + want[:, 1:])


@pytest.mark.parametrize("slices", [((1, 3), (0, 2)), ((-2, None), (-3, -1)), ((0, 3), (1, 4))])
def test_other_slices_are_compared(slices):
    (a, b), (c, d) = slices
    want = numbers()[awkward.num(numbers()) > 4]
    x = ak.Array(want)
    same(x[:, a:b] - x[:, c:d], want[:, a:b] - want[:, c:d])


def test_one_walk_over_what_is_compared_with_its_neighbour():
    x = ak.Array(numbers())
    text = str(ak.explain(ak.sum(abs(x[:, 1:] - x[:, :-1]), axis=-1)))
    assert "equal length" not in text
    assert text.count("for each item") == 1


def test_many_lists():
    r = np.random.default_rng(3)
    counts = np.minimum(r.pareto(1.0, 100_000) * 2, 5000).astype(int)
    items = r.normal(size=counts.sum())
    x = ak.unflatten(items, counts)
    got = ak.max(abs(x[:, 1:] - x[:, :-1]), axis=-1, mask_identity=False).to_list()
    steps = np.append(abs(np.diff(items)), -np.inf)
    ends = np.cumsum(counts)[counts > 0] - 1
    steps[ends] = -np.inf
    want = np.full(len(counts), -np.inf)
    starts = (np.cumsum(counts) - counts)[counts > 0]
    want[counts > 0] = np.maximum.reduceat(steps[: counts.sum()], starts)
    assert got == want.tolist()


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["f8", "?", "i2"])
def test_repeated_differences(times, dtype):
    r = np.random.default_rng(times)
    rows = [
        (10 * r.random(n)).astype(dtype) % 3 > 1
        if dtype == "?"
        else r.integers(0, 9, n).astype(dtype)
        for n in [0, 1, 2, 7, 0, 30]
    ]
    want = [np.diff(x, min(times, len(x))).tolist() if len(x) > times else [] for x in rows]
    x = ak.Array(awkward.Array([row.tolist() for row in rows]))
    x = ak.values_astype(x, dtype) if dtype != "?" else x
    assert ak.diff(x, times).to_list() == want
    filtered = ak.diff(x[ak.num(x) > 1], times)
    assert filtered.to_list() == [w for w, row in zip(want, rows, strict=True) if len(row) > 1]
    flat = np.concatenate(rows * 60)
    assert ak.diff(ak.Array(flat), times).to_list() == np.diff(flat, times).tolist()


def test_differences_of_indexes():
    x = ak.Array(numbers())
    assert ak.sum(ak.diff(ak.local_index(x)) != 1, axis=None) == 0
    assert ak.sum(ak.diff(ak.local_index(x[:, 1:]))[:, 1:] != 1, axis=None) == 0
