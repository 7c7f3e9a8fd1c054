# What small calls take a short way for: compute without a frame of Python, types of operands that
# are looked at once.
import inspect
import pickle

import awkward
import numpy as np
import pytest
from host import in_ram

import serrate as ak


def test_compute_gives_back_what_it_was_given():
    x = ak.Array([1.5, 2.5, -0.0, np.nan])
    y, z = x + x, ak.Array([[1], [], [2, 3]]) * 2
    assert ak.compute(y) is y
    assert ak.compute(y) is y  # stored already
    both = ak.compute(y, z)
    assert type(both) is tuple
    assert both[0] is y
    assert both[1] is z
    record = ak.Array([{"a": 1}, {"a": 2}])[1]
    assert ak.compute(record) is record
    np.testing.assert_array_equal(in_ram(y), [3, 5, 0, np.nan])
    assert z.to_list() == [[2], [], [4, 6]]


def test_compute_of_other_things():
    x = ak.Array([1, 2, 3])
    total = ak.sum(x)
    assert ak.compute(total) == 6
    assert ak.compute() == ()
    y, six = ak.compute(x + 1, total)
    assert (y.to_list(), six) == ([2, 3, 4], 6)
    parts = ak.scan([[1, 2], [3]])
    assert ak.compute(parts + 1).to_list() == [2, 3, 4]
    a, b = ak.compute(x + 1, parts + 1)
    assert a.to_list() == b.to_list() == [2, 3, 4]
    assert ak.compute(x * 2, progress=False).to_list() == [2, 4, 6]
    with pytest.raises(TypeError, match="compute"):
        ak.compute(object())
    with pytest.raises(TypeError, match="unexpected keyword"):
        ak.compute(x, speed=3)


def test_compute_raises_what_evaluation_finds():
    x = ak.Array([[1, 2], [3]])
    bad = x[:, 1]
    with pytest.raises(IndexError):
        ak.compute(bad).to_list()  # a GPU's errors come when somebody looks
    with pytest.raises(IndexError):
        ak.compute(x + 1, x[:, 1])[1].to_list()


def test_compute_is_described_as_a_function():
    parameters = inspect.signature(ak.compute).parameters
    assert list(parameters) == ["arrays", "scheduler", "progress", "on_error", "report"]
    assert ak.compute.__name__ == "compute"
    assert "in as few passes" in ak.compute.__doc__
    assert pickle.loads(pickle.dumps(ak.compute)) is ak.compute


def test_an_operand_that_is_written_to_has_the_axes_of_what_it_holds():
    for ak_ in (awkward, ak):
        named = ak_.Array(np.arange(6.0).reshape(2, 3), named_axis=("row", "column"))
        plain = ak_.Array(np.arange(3.0))
        first = plain + named  # the shallow one first
        assert first.named_axis == {"row": 0, "column": 1}
        assert (named + plain).named_axis == {"row": 0, "column": 1}
    x = ak.Array([1.0, 2.0])
    x += x
    assert in_ram(x + x).tolist() == [4, 8]
    deep = ak.Array([[1.0], [2.0]])
    assert (deep + x).to_list() == [[3], [6]]
    np.add(deep, deep, out=deep)
    assert (deep + deep).to_list() == [[4], [8]]


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 4095, 4096, 4097, 65535, 65536, 65537, 100000])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "i2", "?"])
def test_flat_expressions_across_blocks_and_tasks(n, dtype):
    rng = np.random.default_rng(n)
    a = rng.integers(-100, 100, n).astype(dtype)
    if dtype[0] == "f" and n > 2:
        a[[0, 1]] = np.nan, -0.0
    m, i = rng.integers(0, 2, n) > 0, rng.integers(-n, max(n, 1), n)
    x, mask, places = ak.Array(a), ak.Array(m), ak.Array(i)
    with np.errstate(all="ignore"):
        cases = [
            (x + x, a + a),
            (x > 0, a > 0),
            (np.sqrt(x), np.sqrt(a)),
            (x[mask], a[m]),
            (x[places], a[i]),
            ((x * 2 + 1)[mask], (a * 2 + 1)[m]),
        ]
    for ours, theirs in cases:
        got = in_ram(ak.compute(ours))
        assert got.dtype == theirs.dtype
        np.testing.assert_array_equal(got, theirs)
        there = theirs == theirs  # the sign of NaN is nobody's
        np.testing.assert_array_equal(np.signbit(got * 1.0)[there], np.signbit(theirs * 1.0)[there])
    assert int(ak.sum(x > 0)) == int(np.sum(a > 0))
