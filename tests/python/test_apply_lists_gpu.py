# Functions of lists with arrays on a GPU or an emulated one, beside plain Python.
import importlib.util
import math
import os

import numpy as np
import pytest
from test_apply_lists import Best, heaviest, nearest, peaks, rule110, spread, waves
from test_apply_yields import GENERATORS, Pair, expected, lists, plain

import serrate as ak

pytest.importorskip("numba", reason="compiles the functions")
if os.environ.get("SERRATE_BACKEND") != "cuda" or "SERRATE_CUDA" in os.environ:
    pytest.skip("runs kernels: on a GPU or an emulated one", allow_module_level=True)
EMULATED = "SERRATE_CUDA_PLUGIN" in os.environ
if not EMULATED and importlib.util.find_spec("numba_cuda") is None:
    pytest.skip("numba-cuda compiles for GPUs", allow_module_level=True)


def on_gpu(x):
    return ak.to_backend(x if isinstance(x, ak.Array) else ak.Array(x), "cuda")


def listed(x):
    assert ak.backend(x) == "cuda"
    return x.to_list()


def test_peaks():
    x = on_gpu(waves())
    got = ak.apply(peaks, x, 0.5, axis=1)
    assert listed(got) == [list(peaks(w, 0.5)) for w in x.to_list()]
    assert str(got.type) == "300 * var * (int64, float64)"
    assert listed(ak.apply(peaks, x[:0], 0.5, axis=1)) == []
    assert listed(ak.apply(peaks, x, 2.0, axis=1)) == [[]] * 300


def test_more_yields_than_items():
    def repeated(x):
        for k in range(len(x)):
            for _ in range(k):
                yield x[k]

    x = on_gpu(waves()[10:100])
    assert listed(ak.apply(repeated, x, axis=-1)) == [list(repeated(w)) for w in x.to_list()]


@pytest.mark.parametrize("rows", [1, 127, 128, 129, 1000])
def test_numbers_of_rows(rows):
    """Blocks of 128 threads."""
    x = on_gpu(np.arange(3.0 * rows).reshape(rows, 3))
    got = ak.apply(lambda row: row[0] + row[1] * row[-1], x, axis=1)
    a = np.arange(3.0 * rows).reshape(rows, 3)
    assert listed(got) == (a[:, 0] + a[:, 1] * a[:, 2]).tolist()
    counted = ak.apply(rule110, ak.values_astype(x, "int64") % 2, axis=1)
    assert listed(counted) == [list(rule110(r)) for r in (a.astype(int) % 2).tolist()]


def test_results_that_may_be_missing():
    x = on_gpu([[1.0, 4.0], [], None, [3.0]])
    got = ak.apply(spread, x, axis=1)
    assert listed(got) == [3.0, None, None, 0.0]
    assert str(got.type) == "4 * ?float64"
    assert listed(ak.apply(peaks, on_gpu([[0, 1.0, 0], None]), 0.5, axis=1)) == [[(1, 1.0)], None]

    def ends(row):
        for v in row:
            yield v > 2, v if v > 2 else None

    got = ak.apply(ends, x, axis=1)
    assert listed(got) == [[(False, None), (True, 4.0)], [], None, [(True, 3.0)]]
    assert str(got.type) == "4 * option[var * (bool, ?float64)]"


def test_records_of_pairs():
    rng = np.random.default_rng(2)
    counts = rng.poisson(2.5, 200)
    x = ak.unflatten(ak.zip({k: rng.random(counts.sum()) for k in ("pt", "eta", "phi")}), counts)
    got = ak.apply(heaviest, on_gpu(x), axis=1)
    want = ak.apply(heaviest, ak.to_backend(x, "cpu"), axis=1)
    assert str(got.type) == str(want.type) == "200 * ?{i: int64, j: int64, mass: float64}"
    for a, b in zip(listed(got), want.to_list(), strict=True):
        assert (a is None and b is None) or (a["i"], a["j"]) == (b["i"], b["j"])
        assert a is None or math.isclose(a["mass"], b["mass"], rel_tol=1e-12)


def test_records_of_lists_and_options():
    def particles(*pairs):
        return [{"eta": float(a), "phi": float(b)} for a, b in pairs]

    events = on_gpu(
        [
            {"electrons": particles((0, 0), (1, 1)), "muons": particles((0.9, 1), (0.1, 0))},
            {"electrons": particles((0.5, 0.5)), "muons": particles()},
            {"electrons": particles(), "muons": particles((0.0, 0.0))},
        ]
    )
    assert listed(ak.apply(nearest, events, axis=1)) == [[1, 0], [-1], []]

    def charge(event):
        total = 0
        for p in event:
            q = p.q
            if q is not None:
                total += q * len(p.name)
        return total

    x = on_gpu([[{"q": 1, "name": "abc"}, {"q": None, "name": "d"}], [], [{"q": -2, "name": "e"}]])
    assert listed(ak.apply(charge, x, axis=1)) == [3, 0, -2]


def test_deeper_axes_and_several_arguments():
    x = on_gpu([[[1.0, 4.0], []], [], [[3.0]]])
    for axis in (2, -1):
        assert listed(ak.apply(spread, x, axis=axis)) == [[3.0, None], [], [0.0]]
    ramp = on_gpu([[[0.0, 1.0, 0.0], []], [], [[3.0]]])
    assert listed(ak.apply(peaks, ramp, 0.5, axis=2)) == [[[(1, 1.0)], []], [], [[]]]

    def weighted(row, by, scale, up):
        total = 0.0
        for v in row:
            total += v * by
        return (total if up else -total) * scale

    rows, by = on_gpu([[1.0, 2.0], [], [3.0]]), on_gpu([10, 20, 30])
    assert listed(ak.apply(weighted, rows, by, 0.5, True, axis=1)) == [15.0, 0.0, 45.0]
    for two in (np.float32(2), np.float64(2)):
        assert listed(ak.apply(weighted, rows, by, two, False, axis=1)) == [-60.0, 0, -180]
    sliced = rows[1:]  # positions do not begin at 0
    assert listed(ak.apply(weighted, sliced, by[1:], 1, True, axis=1)) == [0.0, 90.0]


def test_a_column_of_the_result_goes_on():
    """Results are arrays like others: fused with what follows."""
    x = on_gpu(waves())
    got = ak.apply(peaks, x, 0.5, axis=1)
    want = [sum(v * k for k, v in peaks(w, 0.5)) for w in x.to_list()]
    assert np.allclose(ak.sum(got["0"] * got["1"], axis=1).to_list(), want)


def test_slices_with_a_step():
    def mixed(row, step):
        total = 0.0
        for v in row[::-1]:
            total = total * 3 + v
        for v in row[1::step]:
            total = total * 2 + v
        last = row[::step]
        return total + last[-1] if len(last) > 0 else total

    x = on_gpu([[1.0, 4.0, 2.0, 5.0], [], [7.0], [1.0, 2.0]])
    for step in (1, 2, 3, -1):
        want = [mixed(row, step) for row in x.to_list()]
        assert listed(ak.apply(mixed, x, step, axis=1)) == want


def test_exceptions_arrive():
    x = on_gpu([[1.0, 4.0], None, [], [1.0]])

    def beyond(row):
        return row[len(row) - 1] + row[1]

    with pytest.raises(IndexError) as caught:
        ak.apply(beyond, x, axis=1)
    assert "list [2]" in caught.value.__notes__[-1]
    lines = [f.lineno for f in caught.traceback if f.name == "beyond"]
    assert lines == [beyond.__code__.co_firstlineno]

    def refuses(row):
        for v in row:
            if v > 3:
                raise KeyError("large", v)
            yield v

    deep = on_gpu([[[1.0]], [], [[2.0], [], [3.0, 5.0]]])
    with pytest.raises(KeyError, match=r"5\.0") as caught:
        ak.apply(refuses, deep, axis=2)
    assert "list [2, 2] of arguments <Array [3, 5]" in caught.value.__notes__[-1]
    assert listed(deep) == [[[1.0]], [], [[2.0], [], [3.0, 5.0]]]
    # The next call finds no error left.
    assert listed(ak.apply(refuses, deep[:2], axis=2)) == [[[1.0]], []]


def test_functions_that_can_not_be_compiled():
    x = on_gpu([[1.0, 4.0], []])

    def unknown(row):
        return row.nothing

    with pytest.raises(TypeError, match=r"unknown \(test_apply_lists_gpu\.py:\d+\)"):
        ak.apply(unknown, x, axis=1)

    def two_types(row):
        return "text" if len(row) else 1.5

    with pytest.raises(TypeError, match="two_types"):
        ak.apply(two_types, x, axis=1)

    def sends(row):
        y = yield 1.0
        yield y

    with pytest.raises(TypeError, match="inside an expression"):
        ak.apply(sends, x, axis=1)
    with pytest.raises(ValueError, match="different lengths"):
        ak.apply(lambda a, b: len(a) + len(b), x, x[:1], axis=1)
    with pytest.raises(TypeError, match="complex128"):
        ak.apply(lambda row, z: len(row), x, 1j, axis=1)
    with pytest.raises(TypeError, match="complex128"):
        ak.apply(lambda row: row[0] * 1j, x[:1], axis=1)


@pytest.mark.skipif(EMULATED, reason="a CPU has memory for arrays, and calls itself")
def test_what_gpus_have_not():
    x = on_gpu([[1.0, 4.0], []])

    def makes(row):
        a = np.zeros(len(row))
        return a[0]

    with pytest.raises(TypeError, match=r"makes \(test_apply_lists_gpu\.py:\d+\)"):
        ak.apply(makes, x, axis=1)


@pytest.mark.skipif(EMULATED, reason="of numba.cuda")
def test_local_arrays_and_device_functions():
    cuda = pytest.importorskip("numba.cuda")

    @cuda.jit(device=True)
    def half(a):
        return a / 2

    def smoothed(row):
        last = cuda.local.array(2, np.float64)
        for k in range(len(row)):
            last[k % 2] = row[k]
            if k > 0:
                yield half(last[0] + last[1])

    x = on_gpu([[1.0, 4.0, 2.0], [], [3.0]])
    assert listed(ak.apply(smoothed, x, axis=1)) == [[2.5, 3.0], [], []]


def test_an_index_beyond_the_list_in_what_is_yielded():
    def next_ones(row):
        for k in range(len(row)):
            yield row[k + 1]

    with pytest.raises(IndexError) as caught:
        ak.apply(next_ones, on_gpu([[], [1.0, 4.0], []]), axis=1)
    assert "list [1]" in caught.value.__notes__[-1]


def again(row):
    return again(row[1:]) + 1 if len(row) else 0


def test_recursion_without_a_type():
    with pytest.raises(TypeError, match=r"again \(test_apply_lists_gpu\.py:\d+\)"):
        ak.apply(again, on_gpu([[1.0, 4.0], []]), axis=1)


def test_arrays_on_both_devices():
    a, b = on_gpu([[1.0, 4.0]]), ak.to_backend(ak.Array([[1.0]]), "cpu")
    with pytest.raises((TypeError, ValueError), match=r"(?i)cpu"):
        ak.apply(lambda a, b: len(a) + len(b), a, b, axis=1)


@pytest.mark.parametrize("f", GENERATORS, ids=lambda f: f.__name__)
def test_records_that_are_yielded(f):
    x = on_gpu(lists())
    got = ak.apply(f, x, axis=1)
    assert listed(got) == expected(f, x)
    assert str(got.type) == f"400 * var * {GENERATORS[f]}"
    assert listed(ak.apply(f, x[:0], axis=1)) == []


def test_tuples_of_tuples():
    def ends(y):
        return None if len(y) == 0 else (len(y), Pair(y[0], (y[-1], None if len(y) < 2 else y[1])))

    x = on_gpu(lists())
    assert listed(ak.apply(ends, x, axis=1)) == [plain(ends(y)) for y in x.to_list()]


def test_namedtuples_of_numbers():
    def best(row):
        return Best(len(row), 1, 2.5)

    got = ak.apply(best, on_gpu([[1], []]), axis=1)
    assert listed(got) == [{"i": 1, "j": 1, "mass": 2.5}, {"i": 0, "j": 1, "mass": 2.5}]


def test_calls_that_were_made_before():
    """They take a short way, which must tell apart what the long one does."""

    def above(row, least):
        total = 0
        for v in row:
            if v == 7:
                raise ZeroDivisionError("seven")
            if v > least:
                total += v
        return total

    def after(rows, least):
        return [above(row, least) for row in rows]

    first, second = [[1, 2, 3], [], [4]], [[5], [6, 9, 8], [], [1, 1]]
    for rows in (first, second, second, [], [[]]):
        x = on_gpu(ak.values_astype(ak.Array([*rows, [0]]), "int64")[:-1])
        for axis in (1, -1):
            for least in (2, 2, 2.5, True):
                assert listed(ak.apply(above, x, least, axis=axis)) == after(rows, least)
    x = on_gpu(second)
    kept = ak.apply(above, x, 2, axis=1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            ak.apply(above, on_gpu([[1], [7]]), 2, axis=1)
        with pytest.raises(ValueError, match="lengths"):
            ak.apply(lambda a, b: len(a) + len(b), x, x[:2], axis=1)
        with pytest.raises(ak.errors.AxisError):
            ak.apply(above, x, 2, axis=2)
    assert listed(kept) == listed(ak.apply(above, x, 2, axis=1)) == after(second, 2)
    real = on_gpu([[1.5, 3.5], []])
    assert listed(ak.apply(above, real, 2, axis=1)) == [3.5, 0]
    missing = on_gpu([[1, 3], None, [5]])
    for _ in range(2):
        assert listed(ak.apply(above, missing, 2, axis=1)) == [3, None, 5]
    assert ak.apply(above, ak.Array(second), 2, axis=1).to_list() == after(second, 2)
    both = lambda a, b: len(a) - len(b)  # noqa: E731
    assert listed(ak.apply(both, x, on_gpu(second), axis=1)) == [0] * 4
    for _ in range(2):
        with pytest.raises(ValueError, match="lengths"):
            ak.apply(both, on_gpu(second), on_gpu(first), axis=1)
