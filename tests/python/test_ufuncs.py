# Every element-wise operation over every type that NumPy takes, against NumPy itself.
import numpy as np
import pytest

import serrate as ak

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
NAMES = [n for n in ak._core.elementwise_names if isinstance(getattr(np, n, None), np.ufunc)]


def sample(dtype):
    t = np.dtype(dtype)
    if t.kind == "b":
        return np.array([False, True, True, False])
    if t.kind == "u":
        return np.array([0, 1, 2, 3, 7, np.iinfo(t).max], t)
    if t.kind == "i":
        return np.array([0, 1, -1, 2, 7, np.iinfo(t).min, np.iinfo(t).max], t)
    values = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 3.75, np.inf, -np.inf, np.nan]
    return np.array(values[:8] if t.kind == "c" else values, t)


def host(x):
    return ak.to_backend(x, "cpu").to_numpy()


def close(ours, theirs):
    assert ours.dtype == theirs.dtype
    if theirs.dtype.kind in "biu":
        np.testing.assert_array_equal(ours, theirs)
        return
    eps = np.finfo(theirs.dtype).eps
    scale = 64 if theirs.dtype.kind == "c" else 8
    tiny = np.finfo(theirs.dtype).tiny
    np.testing.assert_allclose(
        ours, theirs, rtol=scale * eps, atol=scale * max(eps * eps, tiny), equal_nan=True
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_against_numpy(name, dtype):
    ufunc = getattr(np, name)
    x = sample(dtype)
    if name == "spacing":  # of negative float16 numbers, NumPy gives the one towards zero
        x = x[~(x < 0)]
    if name == "reciprocal" and x.dtype.kind in "iu":  # 1 / 0 is undefined in C
        x = x[x != 0]
    args = [x] if ufunc.nin == 1 else [np.repeat(x, len(x)), np.tile(x, len(x))]
    shifts = name in ("left_shift", "right_shift") and x.dtype.kind in "iu"
    if shifts:  # beyond the width they are undefined in C
        args[1] = np.abs(args[1]) % 8
    if name == "power" and x.dtype.kind in "i":  # NumPy refuses negative powers of integers
        args[1] = np.abs(args[1]) % 8
    if name == "ldexp":  # an exponent is an int32, and only integers are
        args[1] = np.full(len(args[0]), 3, "i4" if x.dtype.kind in "fc" else x.dtype)
    with np.errstate(all="ignore"):
        try:
            theirs = ufunc(*args)
        except TypeError:
            with pytest.raises(TypeError):
                host(ufunc(*[ak.Array(a) for a in args]))
            return
        ours = host(ufunc(*[ak.Array(a) for a in args]))
        close(ours, theirs)
        jagged = [ak.unflatten(ak.Array(a), [0, len(a)]) for a in args]
        assert len(ak.flatten(getattr(ak, name)(*jagged))) == len(theirs)


@pytest.mark.parametrize("left", DTYPES[:12])
@pytest.mark.parametrize("right", DTYPES[:12])
def test_promotion(left, right):
    a, b = np.ones(3, left), np.ones(3, right)
    ours = host(ak.Array(a) + ak.Array(b))
    theirs = a + b
    assert ours.dtype == theirs.dtype
    assert ours.tolist() == theirs.tolist()


def test_operators():
    a, b = np.array([5, -7, 9]), np.array([2, 3, -4])
    x, y = ak.Array(a), ak.Array(b)
    pairs = [
        (x + y, a + b),
        (x - y, a - b),
        (x * y, a * b),
        (x / y, a / b),
        (x // y, a // b),
        (x % y, a % b),
        (x**2, a**2),
        (2 - x, 2 - a),
        (10 / x, 10 / a),
        (2 ** abs(y), 2 ** abs(b)),
        (-x, -a),
        (+x, +a),
        (abs(x), abs(a)),
        (~x, ~a),
        (x & y, a & b),
        (x | y, a | b),
        (x ^ y, a ^ b),
        (x << 1, a << 1),
        (x >> 1, a >> 1),
        (x < y, a < b),
        (x <= y, a <= b),
        (x == y, a == b),
        (x != y, a != b),
        (x > y, a > b),
        (x >= y, a >= b),
        (divmod(x, y)[0], a // b),
        (divmod(x, y)[1], a % b),
        (a + y, a + b),
        (np.float32(2) * x, np.float32(2) * a),
    ]
    for ours, theirs in pairs:
        assert isinstance(ours, ak.Array)
        np.testing.assert_array_equal(host(ours), theirs)


def test_modf():
    a = np.array([1.5, -2.25, 0.0, -0.0, np.inf, np.nan])
    for ours, theirs in zip(np.modf(ak.Array(a)), np.modf(a), strict=True):
        np.testing.assert_array_equal(host(ours), theirs)
        np.testing.assert_array_equal(np.signbit(host(ours)[:5]), np.signbit(theirs[:5]))


def test_overflow_wraps_as_in_numpy():
    a = np.array([127, -128, 1], "i1")
    with np.errstate(all="ignore"):
        assert (ak.Array(a) + ak.Array(a)).tolist() == (a + a).tolist()
        assert (ak.Array(a) * 3).tolist() == (a * np.int8(3)).tolist()


def test_times():
    t = np.array(["2020-01-01", "2021-06-15"], "M8[s]")
    d = np.array([3600, 60], "m8[s]")
    x, y = ak.Array(t), ak.Array(d)
    assert host(x + y).tolist() == (t + d).tolist()
    assert host(x - x[::-1]).tolist() == (t - t[::-1]).tolist()
    assert (x < x[::-1]).tolist() == (t < t[::-1]).tolist()


@pytest.mark.parametrize(
    "compare",
    [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("signed", [np.int8, np.int32, np.int64])
def test_signed_and_unsigned_compare_exactly(compare, signed):
    # As float64 many of these would be equal.
    i = np.array([-1, 0, 1, np.iinfo(signed).max, np.iinfo(signed).max - 1, -128], signed)
    u = np.array([0, 1, 2**63 - 1, 2**63 - 2, 2**63, 2**64 - 1, 127, 2**31 - 1], np.uint64)
    i, u = (x.ravel() for x in np.meshgrid(i, u))
    for a, b in ((i, u), (u, i)):
        got = compare(ak.Array(a), ak.Array(b))
        assert got.to_list() == compare(a, b).tolist()
        assert compare(ak.Array(a), b[3]).to_list() == compare(a, b[3]).tolist()
    assert compare(ak.Array(u), -1).to_list() == compare(u, -1).tolist()
