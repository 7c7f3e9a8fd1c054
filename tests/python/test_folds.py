# Folds by list, of every length and type: behind filters, and the places of extremes; against
# plain Python.
import operator

import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak

TYPES = ["float64", "float32", "int64", "int32", "uint8", "int16"]
LENGTHS = [0, 1, 2, 3, 5, 8, 9, 16, 17, 40, 63, 64, 65, 130, 300, 5000]


def lists(dtype, seed, nan=False):
    """Short lists mostly, some of every other length, few different values."""
    random = np.random.default_rng(seed)
    lengths = np.where(
        random.random(1000) < 0.95, random.integers(0, 9, 1000), random.choice(LENGTHS, 1000)
    )
    items = random.integers(0, 90, lengths.sum()).astype(dtype)
    if nan:
        items[random.random(len(items)) < 0.05] = np.nan
    return awkward.unflatten(items, lengths)


def place(items, better):
    """The first item whatever it is, then strictly better ones."""
    best = None
    for k, v in enumerate(items):
        if best is None or better(v, items[best]):
            best = k
    return best


@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize("dtype", TYPES)
def test_places_of_extremes(dtype, nan):
    if nan and dtype[0] != "f":
        dtype = "float32"
    x = lists(dtype, 1, nan)
    ours = ak.from_awkward(x)
    most = [place(p, operator.gt) for p in x.to_list()]
    least = [place(p, operator.lt) for p in x.to_list()]
    assert ak.argmax(ours, axis=-1).tolist() == most
    assert ak.argmin(ours, axis=-1).tolist() == least


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_places_along_an_outer_axis(dtype):
    x = lists(dtype, 2, dtype[0] == "f")[:200]
    ours = ak.from_awkward(x)
    rows = x.to_list()
    columns = [
        [(row, p[j]) for row, p in enumerate(rows) if len(p) > j]
        for j in range(max(map(len, rows)))
    ]
    want = [c[place([v for _, v in c], operator.gt)][0] for c in columns]
    assert ak.argmax(ours, axis=0).tolist() == want


REDUCERS = ["sum", "prod", "min", "max", "any", "all", "count", "count_nonzero"]


@pytest.mark.parametrize("name", [*REDUCERS, "argmax", "mean"])
@pytest.mark.parametrize("dtype", [*TYPES, "bool"])
def test_behind_a_filter(name, dtype):
    x = lists(dtype, 3)
    y = lists("float64", 3)
    kept = x[y > 30] if dtype == "bool" else x[y > 30] % 7
    ours = ak.from_awkward(x)[ak.from_awkward(y) > 30]
    ours = ours if dtype == "bool" else ours % 7
    with np.errstate(all="ignore"):
        want = getattr(awkward, name)(kept, axis=-1)
        np.testing.assert_allclose(
            ak.to_backend(ak.fill_none(getattr(ak, name)(ours, axis=-1), -1), "cpu").to_numpy(),
            awkward.to_numpy(awkward.fill_none(want, -1)),
            rtol=1e-5 if dtype == "float32" else 1e-12,
        )
    assert str(getattr(ak, name)(ours, axis=-1).type) == str(want.type)


def test_dropped_items_do_not_count():
    x = ak.Array([[1.0, np.nan, np.inf], [np.nan], [], [-np.inf, 2.0]])
    finite = x[np.isfinite(x)]
    assert ak.sum(finite, axis=-1).tolist() == [1, 0, 0, 2]
    assert ak.max(finite, axis=-1).tolist() == [1, None, None, 2]
    assert ak.min(finite * 2, axis=-1).tolist() == [2, None, None, 4]
    assert ak.all(finite > 0, axis=-1).tolist() == [True, True, True, True]
    assert ak.sum(x[x > 5][:, :0], axis=-1).tolist() == [0, 0, 0, 0]


def test_filters_of_filters_and_what_else_is_behind_them():
    x = ak.from_awkward(lists("float64", 4))
    a = x[x > 20]
    b = a[a < 70]
    parts = [[v for v in p if 20 < v < 70] for p in lists("float64", 4).to_list()]
    total, number, longest = ak.sum(b, axis=-1), ak.num(b), ak.max(a, axis=-1)
    got = ak.compute(total, number, longest, b)
    assert got[0].tolist() == [sum(p) for p in parts]
    assert got[1].tolist() == [len(p) for p in parts]
    assert got[3].tolist() == parts
    counts = ak.histogram(b, 10, 0, 100)
    assert ak.sum(counts) == sum(map(len, parts))
    pairs = ak.combinations(a[:50], 2)
    assert ak.num(pairs).tolist() == [n * (n - 1) // 2 for n in ak.num(a[:50]).tolist()]


# What a GPU's block has in shared memory: long lists are left out, what does not fit comes in
# turns, the parts of the longest lists are joined level by level.
OF_A_BLOCK = {
    "long ones between": np.tile([0, 3, 300, 1, 0, 17, 900, 257, 2, 256, 40, 1], 20),
    "not at once": np.tile([200, 9, 255, 130], 40),
    "many parts": np.array([3, 135_000, 0, 5, 2049, 1]),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool"])
@pytest.mark.parametrize("name", OF_A_BLOCK)
def test_items_of_blocks(name, dtype, monkeypatch):
    monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", "binned")
    lengths = OF_A_BLOCK[name]
    random = np.random.default_rng(7)
    x = awkward.unflatten(random.integers(0, 50, lengths.sum()).astype(dtype), lengths)
    y = awkward.unflatten(random.integers(0, 50, lengths.sum()).astype("float64"), lengths)
    a, b = ak.from_awkward(x), ak.from_awkward(y)
    for first in (0, 1):  # lists that begin where no 16 bytes do, too
        p, q, u, v = a[first:], b[first:], x[first:], y[first:]
        assert ak.sum(p, axis=-1).tolist() == awkward.sum(u, axis=-1).to_list()
        assert ak.argmax(p, axis=-1).tolist() == awkward.argmax(u, axis=-1).to_list()
        got = ak.sum(q[p > 0] * 2, axis=-1)
        assert got.tolist() == awkward.sum(v[u > 0] * 2, axis=-1).to_list()


@pytest.mark.parametrize("t", ["i1", "i2", "u1", "u2"])
def test_folds_of_small_integers_at_seams(t):
    """They are added up in lanes of 32 bits, some thousand at a time; extremes by registers."""
    info = np.iinfo(t)
    rng = np.random.default_rng(3)
    sizes = [
        0,
        1,
        15,
        127,
        128,
        511,
        512,
        513,
        129,
        255,
        256,
        300,
        16383,
        16384,
        16385,
        16512,
        33000,
        100_003,
    ]
    for n in sizes:
        random = rng.integers(info.min, info.max, n, t, endpoint=True)
        for x in (random, np.full(n, info.min, t), np.full(n, info.max, t), random[1:]):
            got = in_ram(np.sum(ak.Array(x)))
            assert got == np.sum(x), n
            assert got.dtype == np.sum(x).dtype
            for f in (np.max, np.min, np.argmax, np.argmin) if len(x) else ():
                assert in_ram(f(ak.Array(x))) == f(x), (n, f)
    lists = ak.unflatten(ak.Array(random), [100_003 - 3 * 16_512, 16_512, 0, 16_512, 16_512])
    assert ak.sum(lists, axis=1).tolist() == [int(np.sum(np.array(x))) for x in lists.tolist()]
