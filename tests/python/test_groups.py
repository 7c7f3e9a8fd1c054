# Groups of equal items that are found by hashing, against NumPy and plain Python.
import awkward
import numpy as np
import pytest
from host import in_ram
from ordering import order

import serrate as ak

RNG = np.random.default_rng(11)
N = 20_000
KEYS = {
    "few": RNG.integers(-5, 5, N),
    "spread": RNG.integers(0, 500, N) * 7_919_000_003,
    "unsigned": RNG.integers(0, 500, N).astype("u8") << np.uint64(54),
    "bytes": RNG.integers(-128, 128, N).astype("i1"),
    "bools": RNG.integers(0, 2, N) > 0,
    "doubles": np.round(RNG.normal(size=N), 2),
    "floats": np.round(RNG.normal(size=N), 1).astype("f4"),
    "halves": np.round(RNG.normal(size=N), 1).astype("f2"),
    "all different": RNG.normal(size=N),
    "days": RNG.integers(0, 50, N).astype("M8[D]"),
    "one": np.zeros(N),
}


@pytest.mark.parametrize("name", KEYS)
def test_unique_of_flat_arrays(name):
    x = KEYS[name]
    values, index, inverse, counts = ak.unique(
        ak.Array(x), return_index=True, return_inverse=True, return_counts=True
    )
    want = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    for ours, theirs in zip((values, index, inverse, counts), want, strict=True):
        assert np.array_equal(in_ram(ours), theirs)
    assert np.array_equal(in_ram(ak.unique(x)), want[0])
    table = ak.value_counts(x)
    assert np.array_equal(in_ram(table.value), want[0])
    assert np.array_equal(in_ram(table["count"]), want[3])
    assert bool(ak.is_unique(x)) == (len(want[0]) == len(x))


def test_zeros_and_nan_are_one_value_each():
    x = np.tile([0.0, np.nan, -0.0, 1.0, -np.nan], 500)
    table = ak.value_counts(x)
    assert str(table.value.tolist()) == "[0.0, 1.0, nan]"
    assert table["count"].tolist() == [1000, 500, 1000]
    assert ak.unique(x, return_index=True)[1].tolist() == [0, 3, 1]
    assert ak.unique(-x, return_index=True)[1].tolist() == [3, 0, 1]


def test_words():
    words = np.array([("ab" * (i % 23))[: i % 19] + "x" * (i % 3) for i in range(200)])
    x = words[RNG.integers(0, 200, N)]
    ours = ak.Array(x.tolist())
    values, inverse, counts = ak.unique(ours, return_inverse=True, return_counts=True)
    want = np.unique(x, return_inverse=True, return_counts=True)
    assert values.tolist() == want[0].tolist()
    assert inverse.tolist() == want[1].tolist()
    assert counts.tolist() == want[2].tolist()
    assert ak.unique(ours).tolist() == want[0].tolist()


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", ["few", "spread", "doubles", "words"])
def test_lists(name, missing):
    keys = KEYS.get(name, KEYS["few"])[:2000]
    flat = awkward.Array([f"w{k}" for k in keys] if name == "words" else keys)
    if missing:
        flat = awkward.mask(flat, np.arange(len(keys)) % 7 != 3)
    x = awkward.unflatten(flat, [0, 300, 1, 0, 99, 1500, 100, 0])
    ours = ak.from_awkward(x)
    values = RNG.normal(size=2000)
    beside = ak.unflatten(values, ak.num(ours))
    got_keys, groups = ak.group_by(beside, ours)
    plain = beside.to_list()
    for number, row in enumerate(x.to_list()):
        runs = {}
        for i in order(row):
            runs.setdefault(0 if row[i] == 0 else row[i], []).append(plain[number][i])
        assert groups[number].tolist() == list(runs.values())
        assert got_keys[number].tolist() == list(runs)
    counts = ak.value_counts(ours)
    assert counts["count"].to_list() == ak.num(groups, axis=-1).to_list()
    assert ak.unique(ours).to_list() == got_keys.to_list()
    # Lists that are not stored.
    some = ours[ak.num(ours) > 99]
    assert ak.value_counts(some).to_list() == counts[ak.num(ours) > 99].to_list()


def test_several_keys_at_once():
    a, b = KEYS["few"], KEYS["bytes"]
    c = np.round(RNG.normal(size=N)) + 1j * (a % 3)
    keys, groups = ak.group_by(np.arange(N), (a, ak.Array([f"{v % 7}" for v in b]), c))
    together = {}
    for i in range(N):
        together.setdefault((a[i], f"{b[i] % 7}", c[i].real, c[i].imag), []).append(i)
    want = sorted(together.items())
    assert groups.tolist() == [rows for _, rows in want]
    assert keys.tolist() == [(k[0], k[1], complex(k[2], k[3])) for k, _ in want]


def test_sums_of_groups():
    keys, x = KEYS["spread"], RNG.integers(0, 1000, N)
    values, groups = ak.group_by(x, keys)
    for f in ("sum", "min", "max", "argmax", "count", "prod", "any"):
        got = getattr(ak, f)(groups, axis=-1).tolist()
        assert got == getattr(ak, f)(ak.Array(groups.tolist()), axis=-1).tolist()
    assert ak.sum(groups * 2 + 1, axis=-1).tolist() == [
        int((x[keys == k] * 2 + 1).sum()) for k in values.tolist()
    ]


def test_groups_of_nothing():
    empty = np.array([], "i8")
    assert ak.unique(empty).tolist() == []
    assert ak.value_counts(ak.Array([[], []])).to_list() == [[], []]
    keys, groups = ak.group_by(empty, empty)
    assert keys.tolist() == groups.tolist() == []
    nothing = ak.mask(np.arange(100), np.zeros(100, bool))
    assert ak.value_counts(nothing).to_list() == [{"value": None, "count": 100}]


def groups_one_by_one(x, keys):
    """What group_by gives, stored: no reducer knows where its lists are from."""
    return ak.Array([x[keys == k] for k in np.unique(keys)])


def same_reduced(f, lazy, stored, **options):
    ours, theirs = f(lazy, axis=-1, **options), f(stored, axis=-1, **options)
    assert str(ours.type) == str(theirs.type)
    assert ak.all(ak.isclose(ours, theirs, equal_nan=True)) if len(ours) else True
    assert ak.is_none(ours).tolist() == ak.is_none(theirs).tolist()


REDUCERS = ["sum", "prod", "min", "max", "argmin", "argmax", "any", "all", "count", "count_nonzero"]
REDUCERS += ["mean", "var", "std", "ptp", "median"]


@pytest.mark.parametrize(
    ("keys", "dtype"),
    [
        *((k, "f8") for k in ("few", "spread", "doubles", "all different", "one", "words")),
        *(("few", t) for t in ("f4", "i1", "u4", "u8", "?", "c16")),
    ],
)
def test_reducers_scatter_the_items_of_groups(keys, dtype):
    k = np.array([f"w{v}" for v in KEYS["few"]]) if keys == "words" else KEYS[keys]
    x = (RNG.normal(size=N) * 100).round().astype(dtype)
    if dtype in ("f8", "f4"):
        x[::97] = np.nan
    lists = ak.group_by(x, ak.Array(k.tolist()) if keys == "words" else k)[1]
    stored = ak.materialize(lists | False if dtype == "?" else ak.values_astype(lists * 1, dtype))
    for name in REDUCERS:
        if (dtype == "c16" and name in ("median", "ptp")) or (dtype == "?" and name == "ptp"):
            continue
        same_reduced(getattr(ak, name), lists, stored)
    same_reduced(ak.sum, lists, stored, keepdims=True)
    same_reduced(ak.max, lists, stored, mask_identity=False)


@pytest.mark.parametrize("groups", [1, 300, 15_000])
def test_expressions_of_groups_scatter_too(groups):
    k, x, y = RNG.integers(0, groups, N) * 13, RNG.normal(size=N), RNG.integers(-9, 9, N)
    table = ak.zip({"x": x, "y": y})
    lists = ak.group_by(table, k)[1]
    stored = ak.zip({"x": groups_one_by_one(x, k), "y": groups_one_by_one(y, k)})
    for f in (
        lambda t: ak.sum(t.x * t.y - 1, axis=-1),
        lambda t: ak.max(t.x - ak.mean(t.x, axis=-1), axis=-1),
        lambda t: ak.sum(t.x[t.y > 0], axis=-1),
        lambda t: ak.sum(ak.mask(t.x, t.y > 2), axis=-1),
        lambda t: ak.max(ak.mask(t.x, t.y > 7), axis=-1),
        lambda t: ak.sum(ak.local_index(t.x) * t.y, axis=-1),
        lambda t: ak.mean(t.x, t.y + 10.0, axis=-1),
        lambda t: ak.corr(t.x, t.y + t.x, axis=-1),
        lambda t: ak.sum(t.x, axis=None) + ak.sum(t.x[:5], axis=-1)[:1],
        lambda t: ak.sum(t[::-1].y, axis=-1),
        lambda t: ak.sum(t.y, axis=0),
    ):
        ours, theirs = f(lists), f(stored)
        assert str(ours.type) == str(theirs.type)
        assert ak.is_none(ours).tolist() == ak.is_none(theirs).tolist()
        assert ak.all(ak.isclose(ours, theirs, atol=1e-9, equal_nan=True))


def test_groups_of_slices_and_of_none():
    k, x = RNG.integers(0, 30, N), RNG.integers(0, 100, N)
    for part in (slice(7, -11), slice(None, None, -1), slice(0, 0)):
        keys, lists = ak.group_by(ak.Array(x)[part], ak.Array(k)[part])
        want = [int(x[part][k[part] == v].sum()) for v in keys.tolist()]
        assert ak.sum(lists, axis=-1).tolist() == want
        assert ak.count(lists, axis=-1).tolist() == ak.num(lists).tolist()
    nested, of = ak.unflatten(x, [N // 2, 0, N - N // 2]), ak.unflatten(k, [N // 2, 0, N - N // 2])
    keys, lists = ak.group_by(ak.flatten(nested), ak.flatten(of))
    assert ak.sum(lists, axis=-1).tolist() == np.bincount(k, x).tolist()


def test_sums_of_more_groups_than_a_task_has_items():
    k = RNG.integers(0, 150_000, 200_000)
    x = RNG.integers(-1000, 1000, 200_000)
    keys, lists = ak.group_by(x, k)
    assert np.array_equal(in_ram(ak.sum(lists, axis=-1)), np.bincount(k, x)[in_ram(keys)])


@pytest.mark.parametrize("missing", [1, 2, 5, 11])
def test_nearly_all_different_with_missing_items(missing):
    """Missing items are one group, which does not make hashing pay."""
    for n in (1000, 30_000):
        values = RNG.normal(size=n)
        values[n // 2] = values[n // 3]
        is_missing = np.arange(n) % 12 < missing
        is_missing[[n // 2, n // 3]] = False
        kept = values[~is_missing]
        x = ak.mask(ak.Array(values), ak.Array(~is_missing))
        assert not ak.is_unique(x, axis=0)
        got = ak.unique(x, axis=0).tolist()
        assert got == [*np.unique(kept).tolist(), None]
        numbers, inverse, counts = ak.unique(x, axis=0, return_inverse=True, return_counts=True)
        assert numbers.tolist() == got
        place = np.searchsorted(np.unique(kept), values)
        assert np.array_equal(in_ram(inverse), np.where(is_missing, len(got) - 1, place))
        want = np.append(np.unique(kept, return_counts=True)[1], is_missing.sum())
        assert np.array_equal(in_ram(counts), want)
