# A number beside an array is the same as an array of that number: inner loops of one number have
# ways of their own. Lengths are around registers and blocks.
import numpy as np
import pytest
from host import in_ram
from test_ufuncs import DTYPES, PRODUCTS, sample

import serrate as ak

BINARY = sorted(
    {f.__name__: f for f in vars(np).values() if isinstance(f, np.ufunc) and f.nin == 2}.keys()
    - {*PRODUCTS, "logaddexp", "logaddexp2"}
)
LENGTHS = (1, 15, 64, 65, 130, 5000)


def parts(result):
    return [in_ram(r) for r in (result if isinstance(result, tuple) else (result,))]


def check(name, args, many):
    """args with a number among them, beside the same with an array of that number."""
    ufunc = getattr(np, name)
    try:
        want = parts(ufunc(*many))
    except (TypeError, ValueError):  # no such types, integers to negative powers
        return False
    for got, expected in zip(parts(ufunc(*args)), want, strict=True):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)
    return True


@pytest.mark.parametrize("dtype", [*DTYPES, "M8[s]", "m8[s]"])
def test_one_number_is_many(dtype):
    values = sample(dtype)
    exact = np.dtype(dtype).kind in "?biumM"
    x = np.resize(np.random.default_rng(1).permutation(values), max(LENGTHS))
    found = 0
    for name in BINARY:
        if not exact and name in ("power", "float_power", "pow"):
            continue  # small exponents are multiplied by
        for n, k in zip(LENGTHS, (0, -1, 1, 2, 3, len(values) // 2), strict=True):
            a, one = ak.Array(x[:n]), values[k % len(values)]
            b = ak.Array(np.repeat(one, n))
            with np.errstate(all="ignore"):
                found += check(name, (a, one), (a, b))
                found += check(name, (one, a), (b, a))
    assert found > 100


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2"])
@pytest.mark.parametrize(
    "name", ["floor_divide", "remainder", "divmod", "left_shift", "right_shift", "bitwise_count"]
)
def test_all_small_integers(name, dtype):
    """Against NumPy, by every number of eight bits, and some of sixteen."""
    info, ufunc = np.iinfo(dtype), getattr(np, name)
    x = np.arange(info.min, info.max + 1).astype(dtype)
    a = ak.Array(x)
    if ufunc.nin == 1:
        np.testing.assert_array_equal(in_ram(ufunc(a)), ufunc(x))
        return
    shifts = "shift" in name
    step = 1 if x.itemsize == 1 else 2111
    numbers = range(8 * x.itemsize + 1) if shifts else range(info.min, info.max + 1, step)
    with np.errstate(all="ignore"):
        for number in numbers:
            y = np.dtype(dtype).type(number)
            want = ufunc(x, y)
            for got, w in zip(
                parts(ufunc(a, y)), want if isinstance(want, tuple) else (want,), strict=True
            ):
                np.testing.assert_array_equal(got, w)


@pytest.mark.parametrize("op", ["less", "greater_equal", "maximum", "fmin", "subtract", "equal"])
@pytest.mark.parametrize("n", [1, 8, 64, 65, 4097, 100_000])
def test_times_of_any_length(op, n):
    rng = np.random.default_rng(n)
    x, y = (rng.integers(-5, 5, n).astype("M8[s]") for _ in range(2))
    x[rng.random(n) < 0.1] = "NaT"
    y[rng.random(n) < 0.1] = "NaT"
    f = getattr(np, op)
    for a, b in [(x, y), (x, y[0]), (x[0], y), (x, np.datetime64("NaT", "s"))]:
        ours = f(*(ak.Array(v) if v.ndim else v for v in (a, b)))
        np.testing.assert_array_equal(in_ram(ours), f(a, b))


@pytest.mark.parametrize("unit", ["Y", "D", "s", "25s", "ns", "generic"])
def test_times_of_numpy_beside_arrays(unit):
    unit = "" if unit == "generic" else f"[{unit}]"
    steps = np.array([-(2**61), -1, 0, 1, 2**61, np.iinfo("int64").min]).view(f"m8{unit}")
    x = ak.Array(steps)
    for step in steps:
        for ufunc in (np.add, np.minimum, np.less, np.equal):
            want = ufunc(steps, step)
            got = in_ram(ufunc(x, step))
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)
    times = steps.view(steps.dtype.str.replace("m8", "M8"))
    for time in times[unit == "" :]:
        np.testing.assert_array_equal(in_ram(ak.Array(times) >= time), times >= time)
        assert ak.Array(times).type == ak.from_numpy(times).type


def test_divmod_of_lists_and_missing_items():
    x = ak.Array([[7, -7, None], [], [0]])
    y = ak.Array([2, 3, 0])
    quotient, rest = np.divmod(x, y)
    assert quotient.to_list() == (x // y).to_list() == [[3, -4, None], [], [0]]
    assert rest.to_list() == (x % y).to_list() == [[1, 1, None], [], [0]]
    assert str(rest.type) == str((x % y).type)
    assert [p.to_list() for p in np.divmod(7, ak.Array([2, 0]))] == [[3, 0], [1, 0]]
