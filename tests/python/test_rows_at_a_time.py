"""Steps that store what is no result do so for some rows at a time: the same values as of all rows
together, on both sides of the seam."""

import itertools
import os
import subprocess
import sys

import awkward
import numpy as np
import pytest
from traced import KEEPS, compiled

import serrate as ak

ON_GPU = os.environ.get("SERRATE_BACKEND", "cpu") != "cpu"
RNG = np.random.default_rng(23)
SEAM = 65536  # at_a_time in src/core/seams.def; twice as many items go at once
IS_SMALL = ON_GPU or "SERRATE_SEAMS" in os.environ  # parts of some items there
ROWS = 2_000 if IS_SMALL else 100_000
GIANT = ROWS // 3


def lists_of(counts):
    return awkward.unflatten(RNG.integers(-40, 40, int(np.sum(counts))) / 4, counts)


def skewed(n):
    counts = np.minimum(RNG.pareto(1.1, n) * 2, 3000).astype(int)
    counts[[0, n // 2, n - 1]] = 0
    counts[GIANT] = n if IS_SMALL else 2 * SEAM + 5  # no part has as many
    return lists_of(counts)


LISTS = skewed(ROWS)
SOME = awkward.unflatten(RNG.random(awkward.count(LISTS)) > 0.3, awkward.num(LISTS))
WORDS = np.array(["", "a", "bc", "longer than these"])[RNG.integers(0, 4, 2 * ROWS)]
ARRAYS = {
    "lists": LISTS,
    "missing": awkward.mask(LISTS, SOME),
    "missing lists": awkward.mask(LISTS, RNG.random(ROWS) > 0.1),
    "ints": awkward.values_astype(LISTS, "i4"),
    "bools": LISTS > 0,
    "records": awkward.zip({"x": LISTS, "y": -LISTS}),
    "regular": awkward.to_regular(lists_of(np.full(ROWS, 4)), axis=1),
    "deep": awkward.unflatten(LISTS, np.r_[0, np.full(ROWS // 4, 4), 0]),
    "deep missing": awkward.unflatten(
        awkward.mask(LISTS, RNG.random(ROWS) > 0.1), np.r_[0, np.full(ROWS // 4, 4), 0]
    ),
    "words": awkward.unflatten(WORDS, np.full(ROWS, 2)),
}
CALLS = {
    "median": lambda x: ak.median(x, axis=-1),
    "quantile": lambda x: ak.quantile(x, 0.9, axis=-1),
    "nanquantile": lambda x: ak.nanquantile(x, 0.3, axis=-1),
    "rank": lambda x: ak.rank(x, axis=-1),
    "unique": lambda x: ak.unique(x, axis=-1),
    "value_counts": lambda x: ak.value_counts(x, axis=-1),
    "topk": lambda x: ak.topk(x, 2, axis=-1),
    "argtopk": lambda x: ak.argtopk(x, 2, axis=-1),
    "sorted differences": lambda x: ak.diff(ak.sort(x, axis=-1), axis=-1),
    "sum of sorted": lambda x: ak.sum(ak.sort(x, axis=-1) * 2, axis=-1),
    "columns": lambda x: ak.median(x, axis=1),
    "two": lambda x: ak.zip(
        {"sorted": ak.sort(x, axis=-1) * 2, "largest": ak.max(ak.sort(-x, axis=-1), axis=-1)},
        depth_limit=1,
    ),
}


def pieces(x, of):
    """So few rows that they are evaluated together, and the giant list alone."""
    giant = GIANT if x.ndim == 2 else 1 + GIANT // 4
    cuts = sorted({*range(0, len(x), len(x) // 20 + 1), giant, giant + 1, len(x)})
    return ak.concatenate([of(x[i:j]) for i, j in itertools.pairwise(cuts)])


@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("call", CALLS)
def test_rows_at_a_time(call, kind):
    x, f = ak.Array(ARRAYS[kind]), CALLS[call]
    try:
        expected = pieces(x, f)
    except (TypeError, ValueError):
        return
    got = f(x)
    assert got.type == expected.type
    assert ak.array_equal(got, expected, equal_nan=True)
    # What is passed on begins late.
    assert ak.array_equal(f(x[7:]), got[7:], equal_nan=True)


@pytest.mark.parametrize("call", CALLS)
def test_compiled_functions(call):
    """Of types that nobody else has here: what is kept is that of many rows."""
    x = ak.values_astype(ak.Array(LISTS), "float32")
    f, counted = compiled(lambda x: CALLS[call](x + np.int8(1)))
    for rows in (x, -x, x * 2):
        rows = ak.compute(rows)
        assert ak.array_equal(f(rows), counted.function(rows), equal_nan=True)
    if not ON_GPU:
        assert counted.was_called(1)
        assert f._kept == 1 or not KEEPS


@pytest.mark.parametrize("items", [2 * SEAM - 1, 2 * SEAM, 2 * SEAM + 1])
def test_sizes_on_both_sides(items):
    counts = np.full(items // 3 + 1, 3)
    counts[-1] = items - 3 * (len(counts) - 1)
    x = ak.Array(lists_of(counts))
    of_pieces = pieces(x, lambda y: ak.median(y, axis=-1))
    assert ak.array_equal(ak.median(x, axis=-1), of_pieces, equal_nan=True)


THREADS = """
import sys, numpy as np, serrate as ak
rng = np.random.default_rng(3)
counts = np.minimum(rng.pareto(1.1, 60_000) * 2, 3000).astype(int)
x = ak.unflatten(ak.Array(rng.normal(size=int(counts.sum()))), counts)
y = ak.sum(ak.sort(x, axis=-1) * x, axis=-1)
sys.stdout.buffer.write(np.asarray(ak.to_backend(y, "cpu")).tobytes())
"""


@pytest.mark.skipif(ON_GPU, reason="threads of a CPU")
def test_any_number_of_threads():
    bits = set()
    for threads in ("1", "2", "5"):
        env = os.environ | {"SERRATE_NUM_THREADS": threads}
        bits.add(
            subprocess.run(
                [sys.executable, "-c", THREADS], env=env, capture_output=True, check=True
            ).stdout
        )
    assert len(bits) == 1
    assert len(bits.pop()) == 8 * 60_000


def test_offsets_of_stored_lists_are_passed_on():
    x = ak.Array(LISTS)
    y = ak.sort(x, axis=-1) * 2
    ak.compute(y)
    assert ak.array_equal(ak.num(x), ak.num(y))
    ours, theirs = (ak.to_layout(ak.to_backend(a, "cpu")).offsets.data for a in (x, y))
    if not ON_GPU:
        assert np.shares_memory(ours, theirs)


def test_errors_name_the_row_of_all():
    x = ak.Array(LISTS)
    first = int(np.argmax(awkward.num(LISTS) < 1))
    with pytest.raises(IndexError, match=rf"\b{first}\b"):
        ak.to_list(ak.sort(x, axis=-1)[:, 0])
