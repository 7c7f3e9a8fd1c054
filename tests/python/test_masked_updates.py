# x[mask] = v: in the memory of x, where nobody else holds it, or as a part of an expression.
import numpy as np
import pytest
from test_updates import HOLDERS, TYPES, host, numbers, numbers_of, same

import serrate as ak

RNG = np.random.default_rng(5)
MASKS = {
    "NumPy": lambda a, m: m,
    "array": lambda a, m: ak.Array(m),
    "expression": lambda a, m: ak.Array(m.astype("i1")) > 0,
    "every second": lambda a, m: np.repeat(m, 2)[::2],
    "bytes": lambda a, m: (m * 3).astype("u1").view("?") if m.any() else m,
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("mask", MASKS)
def test_one_number_under_a_mask(dtype, mask):
    for n in (0, 1, 7, 64, 255, 1023, 1024, 1025, 8191, 100_000):
        for part in (0, 0.01, 0.5, 1):
            x, chosen = numbers(dtype, n), RNG.random(n) < part
            a, want = ak.copy(ak.Array(x)), x.copy()
            ak.materialize(a)
            a[MASKS[mask](a, chosen)] = x.dtype.type(3)
            want[chosen] = 3
            same(a, want)


@pytest.mark.parametrize("n", [100, 5000])
def test_a_mask_of_the_array_itself(n):
    x = RNG.normal(size=n)
    a = ak.copy(ak.Array(x))
    a[a > 0.5] = 0
    a[~(a < 0.1)] += 2
    a[a != a] = 1
    y = np.where(x > 0.5, 0, x)
    same(a, np.where(y < 0.1, y, y + 2))
    b = ak.Array(np.arange(n) % 3 > 0)
    b[b] = False
    assert not ak.any(b)


@pytest.mark.parametrize("holder", HOLDERS)
def test_nobody_else_sees_it(holder):
    n = 5000
    x = np.arange(float(n))
    a = ak.copy(ak.Array(x))
    other = (lambda a: ak.unflatten(a, [2500, 2500])) if holder == "lists" else HOLDERS[holder]
    if holder in ("NumPy", "view", "layout"):
        a = ak.to_backend(a, "cpu")
    seen, before = other(a), str(other(ak.to_backend(ak.Array(x), ak.backend(a))))
    a[x > 100] = -1
    assert str(seen) == before
    same(a, np.where(x > 100, -1, x))


def test_in_its_own_memory(new_arrays_on_the_cpu):
    a = ak.copy(ak.Array(np.arange(5000.0)))
    where = numbers_of(a).ctypes.data
    a[np.arange(5000) > 10] = 9
    a[a > 5] = 8
    assert numbers_of(a).ctypes.data == where
    assert host(a)[:8].tolist() == [0, 1, 2, 3, 4, 5, 8, 8]
    part = ak.copy(ak.Array(np.arange(6000)))[1000:]
    part[np.arange(5000) < 2] = -7
    assert host(part)[:3].tolist() == [-7, -7, 1002]


def test_what_cannot_be_written_changes_nothing():
    x = np.arange(5000)
    a = ak.copy(ak.Array(x))

    def write_outside():
        a[np.ones(5001, bool)] = 1
        ak.materialize(a)

    with pytest.raises(IndexError, match="index 5000 is out of range"):
        write_outside()
    a = ak.copy(ak.Array(x))
    a[np.ones(4999, bool)] = 1  # as of x[mask], its items are the first ones
    same(a, np.append(np.ones(4999, int), 4999))
    with pytest.raises((TypeError, ValueError)):
        a[x > 3] = "text"
    a = ak.copy(ak.Array(x))
    missing = ak.mask(ak.Array(x > 3), x % 2 == 0)
    a[ak.fill_none(missing, False)] = 1
    same(a, np.where((x > 3) & (x % 2 == 0), 1, x))
