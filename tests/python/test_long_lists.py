# Lists longer than what one block of a GPU takes: scans across tiles, sums along axis 0 that are
# cut into parts, filters whose lists begin where bits say. On a CPU: longer than its blocks.
import itertools

import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, plain

import serrate as ak

RNG = np.random.default_rng(11)
LENGTHS = {
    "tiles": [4095, 1, 0, 4097, 8192, 0, 0, 3, 20_000, 4096],
    "one": [30_000],
    "short": RNG.integers(0, 6, 9000).tolist(),
    "empty at both ends": [0, 0, 300, 0, 5000, 0],
}
ROWS = {
    name: np.split(RNG.integers(-20, 20, sum(n)), np.cumsum(n)[:-1]) for name, n in LENGTHS.items()
}


@pytest.fixture(params=ROWS)
def rows(request):
    return ROWS[request.param]


def array(rows, dtype="int64"):
    flat = ak.from_numpy(np.concatenate(rows).astype(dtype))
    return ak.unflatten(flat, ak.from_numpy(np.array([len(r) for r in rows])))


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float32", "float64", "int16"])
@pytest.mark.parametrize(
    ("scan", "ufunc"),
    [
        (ak.cumsum, np.add),
        (ak.cumprod, np.multiply),
        (ak.cummin, np.minimum),
        (ak.cummax, np.maximum),
    ],
)
def test_scans(rows, scan, ufunc, dtype):
    rows = [np.abs(r) % 2 + 1 if ufunc is np.multiply else np.abs(r) for r in rows]
    rows = [np.where(np.arange(len(r)) % 97 < 60, r, 1) for r in rows]
    if ufunc is np.multiply:
        rows = [np.where(np.arange(len(r)) < 12, r, 1) for r in rows]
    got = plain(scan(array(rows, dtype)))
    assert got == [ufunc.accumulate(r).tolist() if len(r) else [] for r in rows]


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_scans_of_a_list_of_many_tiles(dtype):
    x = RNG.integers(-9, 9, 700_000).astype(dtype)
    lengths = [2, 600_000, 0, 99_997, 1]
    rows = np.split(x, np.cumsum(lengths)[:-1])
    lists = ak.unflatten(ak.from_numpy(x), ak.from_numpy(np.array(lengths)))
    for scan, ufunc in ((ak.cumsum, np.add), (ak.cummax, np.maximum)):
        got = np.asarray(ak.to_backend(ak.flatten(scan(lists)), "cpu"))
        np.testing.assert_array_equal(got, np.concatenate([ufunc.accumulate(r) for r in rows]))


def test_scan_of_kept_items(rows):
    x = array(rows)
    assert plain(ak.cumsum(x[x > 3])) == [np.cumsum(r[r > 3]).tolist() for r in rows]


def test_kept_items(rows):
    x = array(rows)
    kept = x[x % 3 == 1]
    assert plain(kept) == [r[r % 3 == 1].tolist() for r in rows]
    assert plain(ak.num(kept)) == [int(np.sum(r % 3 == 1)) for r in rows]
    assert plain(kept[:, :1] + 1) == [(r[r % 3 == 1][:1] + 1).tolist() for r in rows]


@pytest.mark.parametrize("schedule", ["", "cut"])
@pytest.mark.parametrize("name", ["sum", "max", "argmin", "any", "count"])
def test_along_axis_0(monkeypatch, schedule, name):
    monkeypatch.setenv("SERRATE_CUDA_SCHEDULE", schedule)
    rows = ROWS["short"]
    columns = [[int(r[k]) for r in rows if len(r) > k] for k in range(max(map(len, rows)))]
    at = [[i for i, r in enumerate(rows) if len(r) > k] for k in range(len(columns))]
    want = {
        "sum": [sum(c) for c in columns],
        "max": [max(c) for c in columns],
        "argmin": [at[k][c.index(min(c))] for k, c in enumerate(columns)],
        "any": [any(c) for c in columns],
        "count": [len(c) for c in columns],
    }
    assert plain(getattr(ak, name)(array(rows), axis=0)) == want[name]


# Items of one derived list, which threads share in ranges that follow each other.
@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("n", [2, 3])
def test_combinations_of_all_rows_are_in_order(n, replacement):
    choose = itertools.combinations_with_replacement if replacement else itertools.combinations
    count = 700 if n == 2 else 60
    got = ak.combinations(ak.from_numpy(np.arange(count)), n, axis=0, replacement=replacement)
    assert got.to_list() == list(choose(range(count), n))


def test_pairs_of_chosen_rows_are_in_order():
    x = ak.from_numpy(np.arange(900))
    x = x[x % 3 != 0]
    kept = [i for i in range(900) if i % 3]
    pairs = ak.combinations(x, 2, axis=0, fields=["a", "b"])
    pairs = pairs[(pairs.a + pairs.b) % 5 == 0]
    expected = [p for p in itertools.combinations(kept, 2) if sum(p) % 5 == 0]
    assert ak.zip((pairs.a, pairs.b)).to_list() == expected


def test_products_of_all_rows_are_in_order():
    x, y = ak.from_numpy(np.arange(300)), ak.from_numpy(np.arange(400))
    got = ak.cartesian([x, y], axis=0)
    assert got.to_list() == list(itertools.product(range(300), range(400)))
    some = got[(got["0"] + got["1"]) % 7 == 0]
    assert some.to_list() == [p for p in got.to_list() if sum(p) % 7 == 0]


@pytest.mark.skipif(KERNELS_ARE_SLOW, reason="2**24 items")
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_positions_of_extremes_beyond_a_block(dtype):
    """Lanes count up to 2**24 items; the first of equal ones counts."""
    edge = 1 << 24
    flat = np.zeros(2 * edge + 100, dtype)
    for places in ((edge - 1, edge), (edge, edge + 5), (2 * edge + 99,), (3, 2 * edge)):
        flat[list(places)] = 1
        x = ak.from_numpy(flat)
        assert ak.argmax(x, axis=None) == places[0]
        assert ak.argmin(-x, axis=None) == places[0]
        one = ak.unflatten(x, [len(flat)])
        assert ak.argmax(one, axis=-1).to_list() == [places[0]]
        flat[list(places)] = 0
