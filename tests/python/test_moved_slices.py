# Slices that start late, moved to a GPU and back: what is before their first item is not there, and
# guarded reads must not need it.
import itertools

import numpy as np
import pytest
from conftest import assert_same
from gpu import VALUES

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

SLICES = {
    "late": lambda x: x[len(x) // 2 :],
    "inner": lambda x: x[1:-1],
    "none": lambda x: x[len(x) :],
    "backwards": lambda x: x[::-2],
}
CALLS = {
    "itself": lambda x: x,
    "filled": lambda x: ak.fill_none(ak.mask(x, ak.local_index(x, axis=0) > 0), 0, axis=0),
    "joined": lambda x: ak.concatenate([x, x[:1]]),
}
OF_LISTS = {
    "lengths": lambda x: ak.num(x),
    "firsts": lambda x: ak.firsts(x),
    "second or none": lambda x: ak.pad_none(x, 2)[..., 1],
    "longer": lambda x: x[ak.fill_none(ak.num(x), 0) > 1],
    "heads": lambda x: x[ak.num(x) > 0, 0],
    "flat": lambda x: ak.flatten(x),
    "sorted": lambda x: ak.sort(x),
    "sums": lambda x: ak.sum(x, axis=-1),
    "greatest": lambda x: ak.argmax(x, axis=-1),
}
OF_TEXT = {
    "equal": lambda x: x == x[::-1],
    "sorted": lambda x: ak.sort(x),
    "unique": lambda x: ak.unique(x),
    "grouped": lambda x: ak.group_by(x, x),
    "runs": lambda x: ak.run_lengths(x),
}
LISTS = ("ragged", "missing lists")
TEXT = ("strings", "bytes")
CASES = [
    *((v, c, CALLS[c]) for v in VALUES for c in CALLS if VALUES[v]),
    *((v, c, OF_LISTS[c]) for v in LISTS for c in OF_LISTS if "missing" not in v or c != "heads"),
    *((v, f"{c} text", OF_TEXT[c]) for v in TEXT for c in OF_TEXT),
]


@pytest.mark.parametrize(("values", "name", "call"), CASES, ids=[f"{v}-{c}" for v, c, _ in CASES])
def test_slices_there_and_back(values, name, call):
    for sliced in SLICES.values():
        x = sliced(ak.Array(VALUES[values] * 3))
        expected = call(x)
        back = ak.to_backend(ak.to_backend(x, "cuda"), "cpu")
        assert_same(call(back), expected)


@pytest.mark.parametrize("items", [1, 7, 511, 513, 2048, 8191, 8192, 8193, 140_000])
@pytest.mark.parametrize("columns", [1, 9, 70])
def test_columns_there_and_back(items, columns):
    """They share pinned memory: in one chunk, in several, cut by their ends."""
    x = ak.zip(
        {
            f"x{i}": ak.unflatten(
                np.arange(items, dtype=dtype) + i, [items // 2, items - items // 2]
            )
            for i, dtype in zip(range(columns), itertools.cycle(["i1", "f8", "i2"]))
        },
        depth_limit=1,
    )
    there = ak.to_backend(x, "cuda")
    assert (
        ak.to_backend(ak.sum(there["x0"], axis=-1), "cpu").to_list()
        == ak.sum(x["x0"], axis=-1).to_list()
    )
    assert_same(ak.to_backend(there, "cpu"), x)
