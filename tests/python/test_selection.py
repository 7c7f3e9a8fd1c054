# Order statistics that are selected, not sorted: against NumPy's sorts.
import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak

RNG = np.random.default_rng(12)
TYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "u8", "u1", "?"]
# Blocks have 1,024 items; up to 4,096 are selected without a sample.
# Shorter lists than 512 are sorted.
SIZES = [1, 2, 511, 512, 513, 1023, 1024, 1025, 2049, 4096, 4097, 9_000, 32_767, 32_768, 200_000]


def numbers(t, n, different):
    x = np.round(RNG.normal(size=n) * different)
    if t[0] in "iu":
        x = np.clip(x, np.iinfo(t).min, np.iinfo(t).max)
    return (x if t[0] in "fi" else np.abs(x)).astype(t)


def in_order(x):
    """NumPy puts zeros of float16 anywhere."""
    return np.sort(x.astype("f4") if x.dtype == "f2" else x)


@pytest.mark.parametrize("different", [1, 50, 6000])
@pytest.mark.parametrize("t", TYPES)
def test_partition(t, different):
    for n in SIZES:
        x = numbers(t, n, different)
        ours, want = ak.Array(x), in_order(x)
        for place in {0, n // 3, n - 1}:
            got = in_ram(ak.partition(ours, place))
            assert got[place] == want[place]
            assert (got[:place] <= got[place]).all()
            assert (got[place:] >= got[place]).all()
            assert np.array_equal(in_order(got), want)
            # Which of the others are where is not said, and need not be the same.
            picked = x[in_ram(ak.argpartition(ours, place))]
            assert picked[place] == want[place]
            assert (picked[:place] <= picked[place]).all()
            assert (picked[place:] >= picked[place]).all()
            assert np.array_equal(in_order(picked), want)
        assert in_ram(ak.partition(ours, -1))[-1] == want[-1]
        assert np.array_equal(in_ram(ak.partition(ours, [0, n - 1])), want)


@pytest.mark.parametrize("t", ["f8", "i4", "i2"])
def test_partition_of_a_giant_list(t):
    """Which all threads share, and one that is just shorter."""
    for n in (1_048_576, 1_048_577):
        x = numbers(t, n, 6000)
        got, want = in_ram(ak.partition(ak.Array(x), n // 2)), np.sort(x)
        assert got[n // 2] == want[n // 2]
        assert (got[: n // 2] <= got[n // 2]).all()
        assert np.array_equal(np.sort(got), want)


@pytest.mark.parametrize("t", ["f8", "f4", "f2"])
@pytest.mark.parametrize("n", [600, 30_000])
def test_partition_of_zeros_with_signs_and_nan(t, n):
    x = RNG.normal(size=n).astype(t)
    x[::7], x[3::50], x[5::90] = 0.0, np.nan, np.inf
    for zero in (0.0, -0.0):
        x[::11] = zero
        numbers = int((~np.isnan(x)).sum())
        want = in_order(x)
        for place in (0, n // 2, numbers - 1, numbers, n - 1):
            got = in_ram(ak.partition(ak.Array(x), place))
            np.testing.assert_array_equal(in_order(got), want)
            np.testing.assert_array_equal(got[place], want[place])
            assert np.signbit(got[got == 0]).sum() == np.signbit(x[x == 0]).sum()


@pytest.mark.parametrize("t", ["f8", "i8", "i2"])
def test_partition_of_rows(t):
    lengths = np.minimum(RNG.zipf(1.3, 100_000), 20_000)
    ends = np.cumsum(lengths)
    x = numbers(t, int(ends[-1]), 100)
    got = in_ram(ak.flatten(ak.partition(ak.unflatten(ak.Array(x), ak.Array(lengths)), -1, axis=1)))
    np.testing.assert_array_equal(got[ends - 1], np.maximum.reduceat(x, ends - lengths))


LOPSIDED = {
    "one value": lambda n: np.full(n, 3),
    "nearly one value": lambda n: np.where(np.arange(n) % 1000 == 7, np.arange(n) % 90, 3),
    "two far apart": lambda n: np.where(RNG.random(n) < 0.5, -100, 100),
    "half of them one": lambda n: np.where(RNG.random(n) < 0.5, 50, RNG.integers(0, 100, n)),
    "in order": lambda n: np.arange(n) * 100 // n,
    "in waves": lambda n: np.arange(n) % 97,
    "few large": lambda n: np.where(np.arange(n) == n // 2, 120, 0),
}


@pytest.mark.parametrize("values", LOPSIDED)
@pytest.mark.parametrize("t", ["f8", "f4", "i8", "i4", "i2", "i1"])
def test_partition_of_few_different_values(t, values):
    """Where pivots are equal to many items, or a sample misleads."""
    for n in (5000, 100_000):
        x = LOPSIDED[values](n).astype(t)
        ours, want = ak.Array(x), np.sort(x)
        for place in {0, 1, n // 4, n // 2 - 1, n // 2, n - 2, n - 1}:
            got = in_ram(ak.partition(ours, place))
            assert got[place] == want[place]
            assert (got[:place] <= got[place]).all()
            assert (got[place:] >= got[place]).all()
            assert np.array_equal(np.sort(got), want)
            # Which of the others are where is not said, and need not be the same.
            picked = x[in_ram(ak.argpartition(ours, place))]
            assert picked[place] == want[place]
            assert (picked[:place] <= picked[place]).all()
            assert (picked[place:] >= picked[place]).all()
            assert np.array_equal(in_order(picked), want)
        for q in (0.25, 0.5, 0.9999):
            assert ak.quantile(ours, q) == np.quantile(x.astype("f8"), q)


@pytest.mark.parametrize("different", [1, 50])
@pytest.mark.parametrize("t", TYPES)
def test_topk(t, different):
    for n in SIZES:
        x = numbers(t, n, different)
        ours = ak.Array(x)
        keys = x.astype("f8")
        for k in (1, 7, n // 9, n):
            assert np.array_equal(ak.argtopk(ours, k), np.argsort(-keys, kind="stable")[:k])
            order = np.argsort(keys, kind="stable")[:k]
            assert np.array_equal(ak.argtopk(ours, k, largest=False), order)
            assert np.array_equal(ak.topk(ours, k, largest=False), x[order])


@pytest.mark.parametrize("t", ["f8", "f4", "i8", "u1"])
def test_quantile(t):
    for n in SIZES:
        x = numbers(t, n, 50)
        for q in (0, 0.1, 0.5, 0.999, 1):
            # A GPU fuses the product of the interpolation with its sum.
            want = np.quantile(x.astype("f8"), q)
            assert ak.quantile(ak.Array(x), q) == pytest.approx(want, rel=1e-15, abs=0)
        assert ak.median(ak.Array(x)) == np.median(x)


@pytest.mark.parametrize("t", [*TYPES, "i1", "u2", "u4"])
def test_quantiles_of_items_as_they_are(t):
    """What is chosen is converted, not what is selected from."""
    # From so many items on what is selected is written to sparse memory.
    for n in (1, 2, 511, 512, 65_535, 65_536, 65_537):
        x = RNG.integers(0, 1 << 62, n).astype(t) if t[0] in "iu?" else RNG.normal(size=n).astype(t)
        wide, ours = x.astype("f8"), ak.Array(x)
        want = np.quantile(wide, 0.3)
        assert ak.quantile(ours, 0.3) == pytest.approx(want, rel=1e-13, abs=1e-15)
        assert ak.median(ours) == pytest.approx(np.median(wide), rel=1e-13, abs=1e-15)
        assert ak.quantile(ours, 0.0) == wide.min()
        assert ak.quantile(ours, 1.0) == wide.max()
        some = np.arange(n) % 3 != 1
        got = ak.nanmedian(ak.mask(ours, some))
        assert got == pytest.approx(np.median(wide[some]), rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("t", ["f8", "f4", "i8", "i2", "i1", "?"])
def test_places_on_both_sides_of_many_equal_items(t):
    for n in (600, 5_000, 65_536, 100_000):
        x = RNG.permutation(np.arange(n) * 2 // n).astype(t)  # half of them each
        assert ak.median(ak.Array(x)) == 0.5
        y = x.astype("i1").astype("f8") * 3
        y[:: n // 100] += 1
        assert ak.median(ak.Array(y)) == pytest.approx(np.median(y), abs=1e-12)
        for q in (0.001, 0.499, 0.501, 0.999):
            assert ak.quantile(ak.Array(y), q) == pytest.approx(np.quantile(y, q), abs=1e-12)


@pytest.mark.parametrize("t", ["f8", "f4", "i1", "?"])
def test_first_of_many_equal_items(t):
    """Of those at the last place only the first ones are kept."""
    for n in (512, 4_097, 65_535, 65_536, 200_000):
        x = (RNG.random(n) < 0.7).astype(t)
        x[n // 2] = 3
        ours = ak.Array(x)
        for k in (1, 2, 5, n // 64, n // 64 + 1, n // 8, n // 8 + 1):
            order = np.argsort(-x.astype("f8"), kind="stable")[:k]
            assert np.array_equal(ak.argtopk(ours, k), order)
            assert np.array_equal(ak.topk(ours, k), x[order])
            some = np.arange(n) % 5 > 0
            order = np.flatnonzero(some)[np.argsort(x[some].astype("f8"), kind="stable")[:k]]
            assert np.array_equal(ak.argtopk(ak.mask(ours, some), k, largest=False), order)


def test_quantiles_of_many_skewed_lists():
    lengths = np.minimum(RNG.zipf(1.7, 100_000), 80_000)
    for t in ("f4", "i2", "?"):
        x = numbers(t, lengths.sum(), 9)
        rows = ak.unflatten(x, lengths)
        starts = np.cumsum(lengths) - lengths
        assert ak.median(rows) == np.median(x.astype("f8"))
        inner = ak.median(rows, axis=-1)
        for i in [*range(0, 100_000, 997), *np.argsort(lengths)[-3:]]:
            row = x[starts[i] : starts[i] + lengths[i]]
            assert inner[i] == np.median(row.astype("f8"))
        first = ak.median(rows, axis=0)
        for k in (0, 1, 7):
            here = lengths > k
            assert first[k] == np.median(x[starts[here] + k].astype("f8"))


@pytest.mark.parametrize("n", [10, 3_000, 60_000])
def test_what_is_missing_or_nan(n):
    x = RNG.normal(size=n)
    x[:: max(4, n // 40)] = np.nan
    known = x[~np.isnan(x)]
    valid = np.arange(n) % 3 != 1
    some = ak.mask(x, valid)
    for q in (0.0, 0.3, 1.0):
        assert np.isnan(ak.quantile(x, q))
        of_known, of_valid = np.quantile(known, q), np.quantile(x[valid & ~np.isnan(x)], q)
        assert ak.nanquantile(x, q) == pytest.approx(of_known, rel=1e-15, abs=0)
        assert ak.nanquantile(some, q) == pytest.approx(of_valid, rel=1e-15, abs=0)
        assert ak.quantile(ak.mask(np.arange(n), valid), q) == np.quantile(np.arange(n)[valid], q)
    for place in (0, n // 2, n - 1):
        got = ak.partition(some, place)
        missing = in_ram(ak.is_none(got))
        assert missing.tolist() == [False] * valid.sum() + [True] * (~valid).sum()
        want = np.sort(x[valid])
        front = np.array(got.to_list()[: valid.sum()], float)
        assert np.array_equal(np.sort(front), want, equal_nan=True)
        if place < len(want):
            assert np.array_equal(front[place], want[place], equal_nan=True)
    order = in_ram(ak.argsort(some, ascending=False))
    for k in (1, n // 9, n):
        assert np.array_equal(ak.argtopk(some, k), order[:k])


def test_negative_zeros_stay():
    x = np.append(np.tile([1.0, -0.0, 0.0, -1.0], 1_024), 2.0)
    for place in (1_024, 1_025, 2_500):
        want = np.sort(x, kind="stable")[place]
        assert str(ak.quantile(x, place / 4_096)) == str(want)


def test_lists_of_any_length():
    lengths = [0, 5_000, 1, 3, 700, 0, 2_000]
    x = RNG.integers(0, 90, sum(lengths)).astype("f8")
    rows = awkward.unflatten(x, lengths)
    ours = ak.from_awkward(rows)
    plain = rows.to_list()
    for f in (np.median, lambda row: np.quantile(row, 0.7)):
        want = [float(f(row)) if row else None for row in plain]
        got = ak.median(ours, axis=-1) if f is np.median else ak.quantile(ours, 0.7, axis=-1)
        got = [None if np.isnan(v) else v for v in got.to_list()]
        assert got == [w if w is None else pytest.approx(w, rel=3e-16) for w in want]
    assert ak.topk(ours, 4).to_list() == [sorted(row)[::-1][:4] for row in plain]
    for row, parted in zip(plain, ak.partition(ours, 2).to_list(), strict=True):
        assert sorted(row) == sorted(parted)
        assert parted[2:3] == sorted(row)[2:3]
    # Lists that nothing of is stored.
    doubled = (ours * 2)[ak.num(ours) > 1]
    want = [2 * float(np.median(row)) for row in plain if len(row) > 1]
    assert ak.median(doubled, axis=-1).to_list() == want


def test_the_same_with_other_places():
    x = ak.Array(RNG.normal(size=5_000))
    want = np.sort(in_ram(x))
    for k in (1, 2, 3):
        assert np.array_equal(ak.topk(x + 0, k, largest=False), want[:k])
        assert in_ram(ak.partition(x + 0, k))[k] == want[k]
    both = ak.zip({"a": ak.topk(x, 2), "b": ak.topk(x, 3)[:2]})
    assert both.a.tolist() == both.b.tolist()


@pytest.mark.parametrize("missing", [0, 3])
@pytest.mark.parametrize("n", [1, 511, 513, 5_000, 20_000])
def test_first_of_strings(n, missing):
    """Of words that begin as others do, are equal, empty, and end in zeros."""
    parts = ["", "a", "abcdefgh", "abcdefghi", "abcdefgh\0", "\u00e9", "zz", "z" * 20]
    texts = [parts[i % 8] + str(k) for i, k in enumerate(RNG.integers(0, n, n))]
    if n > 600:
        texts[n // 2] = texts[n // 3] = ""
        texts[n // 5] = texts[n // 4] = "zzzzzzzzz" * 9
    is_there = np.arange(n) % 7 >= missing
    x = ak.mask(ak.Array(texts), ak.Array(is_there)) if missing else ak.Array(texts)
    there = np.flatnonzero(is_there)
    up = sorted(there.tolist(), key=lambda i: texts[i].encode())
    # In either direction those that are equal stay in order.
    down = sorted(there.tolist(), key=lambda i: texts[i].encode(), reverse=True)
    absent = np.flatnonzero(~is_there).tolist()
    for k in (1, 300):
        for ascending, order in ((True, up), (False, down)):
            want = (order + absent)[:k]
            got = ak.argtopk(x, k, largest=not ascending)
            assert got.tolist() == want
            texts_at = [texts[i] if is_there[i] else None for i in want]
            assert ak.topk(x, k, largest=not ascending).tolist() == texts_at
    if up:
        assert (ak.min(x, axis=0), ak.argmin(x, axis=0)) == (texts[up[0]], up[0])
        assert (ak.max(x, axis=0), ak.argmax(x, axis=0)) == (texts[down[0]], down[0])


def test_first_of_strings_of_which_few_are_there():
    x = [None] * 3000
    x[1000], x[2000] = "b", "a"
    assert ak.argtopk(x, 4, largest=False).tolist() == [2000, 1000, 0, 1]
    assert ak.topk([x, [], x], 4).tolist() == [["b", "a", None, None], [], ["b", "a", None, None]]
    assert ak.min(x) == "a"
    assert ak.argmax([[None] * 600, x], axis=1).tolist() == [None, 1000]
