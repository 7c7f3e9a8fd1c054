"""Slices of flat arrays with steps, beside NumPy's: sizes around vectors, blocks and tasks, all
types, slices of slices, what is computed of them."""

import os

import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak

ON_GPU = os.environ.get("SERRATE_BACKEND", "cpu") != "cpu"
SIZES = (0, 1, 2, 7, 31, 63, 64, 65, 129, 8191, 8193) + (() if ON_GPU else (100_003,))
TYPES = ("bool", "int8", "uint16", "float16", "int32", "float32", "int64", "float64", "complex128")
STEPS = (-1, -2, -3, 2, 3, 7)


def numbers(n, dtype):
    rng = np.random.default_rng(n)
    x = rng.integers(-100, 100, n)
    if dtype == "bool":
        return x > 0
    x = (x + 1j * np.arange(n)).astype(dtype) if dtype == "complex128" else x.astype(dtype)
    if np.issubdtype(dtype, np.inexact):
        x[rng.random(n) < 0.1] = np.nan
        x[rng.random(n) < 0.1] = -0.0
    return x


def check(ours, expected):
    """As views, of which NumPy copies the items, and as the engine copies them."""
    for way in (
        (lambda x: x, ak.compute, ak.to_packed) if isinstance(ours, ak.Array) else (np.asarray,)
    ):
        got = np.asarray(ak.to_backend(way(ours), "cpu"))
        assert got.dtype == expected.dtype
        assert got.tobytes() == np.ascontiguousarray(expected).tobytes()


@pytest.mark.parametrize("dtype", TYPES)
def test_steps(dtype):
    for n in SIZES:
        a = numbers(n, dtype)
        x = ak.Array(a)
        for step in STEPS:
            check(x[::step], a[::step])
        check(x[n // 3 :: -1], a[n // 3 :: -1])
        check(x[-2:3:-2], a[-2:3:-2])
        check(x[5:][::-1], a[5:][::-1])


@pytest.mark.parametrize("dtype", ["int16", "float64"])
def test_what_is_computed_of_them(dtype):
    for n in SIZES:
        a = numbers(n, dtype)
        x = ak.Array(a)
        check(x[::-1] + x, a[::-1] + a)
        check(x[::-1] + x[::-1], a[::-1] + a[::-1])
        check(x[::-1][::2], a[::-1][::2])
        check(x[::2][1:][::-3], a[::2][1:][::-3])
        check(x[::-1] > x[::-1][::-1], a[::-1] > a[::-1][::-1])
        check(ak.where(x > x[::-1], x, x[::-1]), np.where(a > a[::-1], a, a[::-1]))
        check((x + 1)[::-1] * 2, (a + 1)[::-1] * 2)
        check(ak.Array(np.arange(n))[::-1] - ak.local_index(x)[::-1], np.zeros(n, "int64"))
        y = ak.zip({"r": x[::-1], "s": x[::-1] + 1, "x": x})
        check(y.r, a[::-1])
        check(y.s, a[::-1] + 1)
        check(y[::-1].r, a)
        if dtype == "int16":
            assert ak.sum(x[::-1][: n // 2]) == a[::-1][: n // 2].sum()
            check(ak.cumsum(x[::-1]), np.cumsum(a[::-1]))
            check(x[x[::-1] > 0], a[a[::-1] > 0])


def test_plans_do_not_keep_the_step():
    x = np.arange(1000.0)
    for step in (-1, 2, -2, 3, 10, -999, 5000, -5000, 2**62, -(2**62)):
        for start in (None, 0, 5, 999):
            check(ak.Array(x)[start::step], x[start::step])
    big = ak.Array(x)[:: 2**62][:: 2**62][:: -(2**62)]
    check(big, x[:1])


def test_lists_and_missing_items():
    counts = np.random.default_rng(5).integers(0, 5, 3000)
    counts[1000] = 9000
    lists = awkward.unflatten(np.arange(counts.sum()), counts)
    x = ak.Array(lists)
    for step in (-1, 2, -3):
        assert x[::step].to_list() == lists[::step].to_list()
        assert x[:, ::step].to_list() == lists[:, ::step].to_list()
    missing = awkward.firsts(lists)
    assert ak.Array(missing)[::-1].to_list() == missing[::-1].to_list()
    matrix = np.arange(12_000).reshape(3000, 4)
    check(ak.Array(matrix)[::-1], matrix[::-1])
    check(ak.Array(matrix)[::-2, ::-1], matrix[::-2, ::-1])


def address(x):
    return x.__array_interface__["data"][0]


@pytest.mark.skipif(ON_GPU, reason="NumPy sees memory of a CPU")
@pytest.mark.parametrize("dtype", [*TYPES, "datetime64[s]"])
def test_computed_slices_are_views(dtype):
    a = numbers(500, "int64" if "time" in dtype else dtype).astype(dtype)
    x = ak.Array(a)
    memory = ak.to_numpy(x, copy=False)
    for s in (np.s_[::-1], np.s_[3:400:7], np.s_[400:3:-7], np.s_[:498:-1], np.s_[77:79:2]):
        y = ak.compute(x[s])
        seen = ak.to_numpy(y, copy=False)
        assert address(seen) == address(memory[s])
        assert not seen.flags.writeable
        check(y, a[s])
        own = np.asarray(y)
        assert not np.may_share_memory(own, memory)
        assert own.flags.writeable
        one, other = ak.compute(x[s], x[::2])
        assert np.shares_memory(ak.to_numpy(one, copy=False), memory)
        assert np.shares_memory(ak.to_numpy(other, copy=False), memory)
        packed = ak.to_numpy(ak.to_packed(y), copy=False)
        assert not np.may_share_memory(packed, memory)
        check(y, a[s])


def test_views_and_updates():
    a = np.arange(1000.0)
    x = ak.Array(a)
    y = ak.compute(x[::-1])
    seen = None if ON_GPU else ak.to_numpy(y, copy=False)
    x[:] = 7
    check(y, a[::-1])
    y[0] = -1
    check(y, np.append(-1.0, a[::-1][1:]))
    check(x, np.full(1000, 7.0))
    if seen is not None:
        del y, x
        assert np.array_equal(seen, a[::-1])


def test_views_of_records_and_missing_items():
    a = np.arange(300)
    e = ak.compute(ak.zip({"x": a, "y": a * 0.5}))
    missing = ak.compute(ak.mask(ak.Array(a), a % 3 > 0))
    words = ak.Array([str(i) for i in a])
    for s in (np.s_[::-1], np.s_[5:200:7]):
        assert ak.compute(e[s]).to_list() == [{"x": i, "y": i * 0.5} for i in a[s].tolist()]
        assert ak.compute(missing[s]).to_list() == [i if i % 3 else None for i in a[s].tolist()]
        assert ak.compute(words[s]).to_list() == [str(i) for i in a[s]]
        for x in (e, missing, words):
            assert str(ak.compute(x[s]).type) == str(x[s].type)
            assert len(ak.to_backend(ak.compute(x[s]), "cpu").to_list()) == len(a[s])


def test_errors_are_raised_where_computed():
    x = ak.Array([[1, 2], [], [3]])
    with pytest.raises(IndexError):
        ak.compute(x[:, 0][::-1])
    with pytest.raises(IndexError):
        ak.compute(ak.Array([1, 2, 3])[ak.Array([0, 9])][::-1])


@pytest.mark.parametrize(
    "where", [slice(10, None), slice(0, 7), slice(-5, None), slice(3, 3), slice(50, 90)]
)
def test_rows_of_regular_lists_are_where_they_are(where):
    """Regular lists at any depth, records and missing items: no item is moved."""
    x = np.arange(20 * 3 * 2.0).reshape(20, 3, 2)
    a = ak.Array(x)
    part = a[where]
    assert str(part.type) == str(ak.Array(x[where]).type)
    np.testing.assert_array_equal(in_ram(part), x[where])
    np.testing.assert_array_equal(in_ram(part * 2 + part), x[where] * 3)
    np.testing.assert_array_equal(in_ram(part[..., ::-1][1:]), x[where][..., ::-1][1:])
    np.testing.assert_array_equal(in_ram(ak.sum(part, axis=1)), x[where].sum(axis=1))
    records = ak.zip({"a": a, "b": ak.mask(a, a > 5)}, depth_limit=1)[where]
    assert records.a.to_list() == x[where].tolist()
    assert records.b.to_list() == [
        [[v if v > 5 else None for v in p] for p in r] for r in x[where].tolist()
    ]
    if ak.backend(part) == "cpu" and len(part) > 0:
        assert np.shares_memory(ak.to_numpy(part, copy=False), ak.to_numpy(a, copy=False))
