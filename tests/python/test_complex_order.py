# Complex numbers in order, selected and sorted, beside NumPy.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

TYPES = ["c16", "c8"]
# On both sides of where lists are selected, of blocks, of what needs no sample, of runs of counts.
SIZES = [1, 2, 3, 15, 16, 17, 64, 65, 511, 512, 513, 1023, 1025, 4096, 4097, 9_000, 100_000]


def special(t, n, rng):
    """NaN in either part or both, zeros of both signs, infinities, and small integers."""
    parts = np.array([0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan])
    x = np.empty(n, t)
    x.real, x.imag = rng.choice(parts, n), rng.choice(parts, n)
    return x


def shape(kind, t, n):
    rng = np.random.default_rng(n)
    normal = (rng.normal(size=n) + 1j * rng.normal(size=n)).astype(t)
    ramp = np.arange(n)
    return {
        "normal": lambda: normal,
        "special": lambda: special(t, n, rng),
        "some special": lambda: np.where(rng.random(n) < 0.05, special(t, n, rng), normal),
        "few": lambda: (rng.integers(0, 3, n) + 1j * rng.integers(0, 4, n)).astype(t),
        "equal": lambda: np.full(n, 1 + 2j, t),
        "one real part": lambda: (1 + 1j * normal.imag).astype(t),
        "few real parts": lambda: (np.round(normal.real) + 1j * normal.imag).astype(t),
        "imaginary NaN": lambda: (normal.real + 1j * np.where(ramp % 3, 1, np.nan)).astype(t),
        "sorted": lambda: np.sort(normal),
        "reversed": lambda: np.sort(normal)[::-1].copy(),
        "organ pipe": lambda: (np.minimum(ramp, n - ramp) - 1j * ramp).astype(t),
    }[kind]()


KINDS = ["normal", "special", "some special", "few", "equal", "one real part", "few real parts"]
KINDS += ["imaginary NaN", "sorted", "reversed", "organ pipe"]


def ranks(x):
    """Equal for equal numbers, in the order of numpy.sort."""
    re, im, a, b = x.real, x.imag, np.isnan(x.real), np.isnan(x.imag)
    keys = np.stack([a * 2 + b, np.where(a, 0, re) + 0.0, np.where(b, 0, im) + 0.0])
    order = np.lexsort(keys[::-1])
    keys = keys[:, order]
    steps = np.concatenate([[False], (keys[:, 1:] != keys[:, :-1]).any(axis=0)])[: len(x)]
    out = np.empty(len(x), int)
    out[order] = np.cumsum(steps)
    return out


def bits(x):
    """As integers; of NaN in any part which bits these are is not said."""
    x = np.array(x)
    parts = np.stack([x.real, x.imag])
    parts[np.isnan(parts)] = np.nan
    return parts.view(f"i{parts.itemsize}")


def test_ranks_are_of_numpys_order():
    x = shape("special", "c16", 1_000)
    assert (np.diff(ranks(np.sort(x))) >= 0).all()
    assert (np.diff(ranks(x)[np.argsort(x, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("t", TYPES)
def test_sorts(t, kind):
    for n in SIZES:
        x = shape(kind, t, n)
        ours, order = ak.Array(x), np.argsort(x, kind="stable")
        assert np.array_equal(in_ram(ak.argsort(ours)), order)
        assert np.array_equal(bits(in_ram(ak.sort(ours))), bits(x[order]))
        # Downwards equal ones stay in order, too, and NaN comes last, in its order of kinds.
        kinds = np.isnan(x.real) * 2 + np.isnan(x.imag)
        parts = [np.where(np.isnan(p), 0, -p) + 0.0 for p in (x.imag, x.real)]
        down = np.lexsort([*parts, kinds])
        assert np.array_equal(in_ram(ak.argsort(ours, ascending=False)), down)
        assert np.array_equal(bits(in_ram(ak.sort(ours, ascending=False))), bits(x[down]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("t", TYPES)
def test_partition(t, kind):
    for n in SIZES:
        x = shape(kind, t, n)
        ours, rank = ak.Array(x), ranks(x)
        want, order = np.sort(rank), np.argsort(rank, kind="stable")
        for place in sorted({0, n // 100, n // 3, n // 2, n - 2, n - 1} - {-1}):
            where = in_ram(ak.argpartition(ours, place))
            assert np.array_equal(np.sort(where), np.arange(n))
            got = np.asarray(in_ram(ak.partition(ours, place)))
            assert np.array_equal(np.sort(bits(got), axis=1), np.sort(bits(x), axis=1))
            joined = ranks(np.concatenate([x, got]))
            for of in (rank[where], joined[n:]):
                middle = want[place] if of is not joined[n:] else of[place]
                assert of[place] == middle
                assert (of[:place] <= of[place]).all()
                assert (of[place:] >= of[place]).all()
            assert joined[n + place] == joined[order[place]]
        for k in {1, n // 9, n // 2, n}:
            down = in_ram(ak.argsort(ours, ascending=False))[:k]
            assert np.array_equal(in_ram(ak.argtopk(ours, k)), down)
            assert np.array_equal(bits(in_ram(ak.topk(ours, k))), bits(x[down]))
            up = in_ram(ak.argtopk(ours, k, largest=False))
            assert np.array_equal(up, order[:k])


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("kind", ["some special", "few", "few real parts"])
def test_lists_with_missing_items(t, kind):
    rng = np.random.default_rng(5)
    counts = rng.choice([0, 1, 2, 3, 17, 30, 511, 600, 5_000], 300)
    ends = np.cumsum(counts)
    x = shape(kind, t, ends[-1])
    there = rng.random(len(x)) < 0.8
    for mask in (np.ones(len(x), bool), there):
        items = ak.Array(x) if mask.all() else ak.mask(ak.Array(x), ak.Array(mask))
        lists = ak.unflatten(items, counts)
        order, sorted_ = ak.argsort(lists), ak.sort(lists)
        place = 2
        parted, where = ak.partition(lists, place), ak.argpartition(lists, place)
        best = ak.argtopk(lists, 20, largest=False)
        for k in range(0, 300, 7):
            part = slice(ends[k] - counts[k], ends[k])
            own, has = x[part], mask[part]
            some = np.flatnonzero(has)
            want = np.concatenate(
                [some[np.argsort(own[has], kind="stable")], np.flatnonzero(~has)]
            ).astype(int)
            assert np.array_equal(in_ram(order[k]), want)
            assert np.array_equal(in_ram(best[k]), want[:20])
            got = ak.to_list(sorted_[k])
            assert got[len(some) :] == [None] * (len(own) - len(some))
            assert np.array_equal(bits(np.array(got[: len(some)], t)), bits(own[want[: len(some)]]))
            if len(some) <= place:
                continue
            positions = np.asarray(in_ram(where[k]))
            assert np.array_equal(np.sort(positions), np.arange(len(own)))
            rank = ranks(own)
            assert rank[positions[place]] == rank[want[place]]
            assert has[positions[: len(some)]].all()
            assert (rank[positions[place : len(some)]] >= rank[want[place]]).all()
            assert ak.to_list(parted[k])[place] == own[want[place]] or np.isnan(own[want[place]])


def test_extremes_ranks_and_groups():
    """What is found by orders."""
    for t in TYPES:
        x = shape("few", t, 3_000)
        lists = ak.unflatten(ak.Array(x), [1_000, 0, 2_000])
        assert ak.to_list(ak.min(lists, axis=1)) == [x[:1000].min(), None, x[1000:].min()]
        assert ak.to_list(ak.max(lists, axis=1)) == [x[:1000].max(), None, x[1000:].max()]
        assert np.array_equal(in_ram(ak.unique(ak.Array(x))), np.unique(x))
        assert np.array_equal(in_ram(ak.rank(ak.Array(x), method="dense")), ranks(x) + 1)


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("kind", ["normal", "few real parts", "equal"])
def test_a_giant_list(t, kind):
    """Which all threads share."""
    n = 1_048_577
    x = shape(kind, t, n)
    order = np.argsort(x, kind="stable")
    assert np.array_equal(in_ram(ak.argsort(ak.Array(x))), order)
    assert np.array_equal(in_ram(ak.sort(ak.Array(x))), x[order])
    got = in_ram(ak.partition(ak.Array(x), n // 2))
    assert got[n // 2] == x[order[n // 2]]
    assert np.array_equal(np.sort(got), x[order])
    assert np.array_equal(in_ram(ak.argtopk(ak.Array(x), 1000, largest=False)), order[:1000])
