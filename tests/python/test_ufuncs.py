# Every element-wise operation over every type that NumPy takes, against NumPy itself: values where
# something may go wrong, types of all pairs.
import numpy as np
import pytest
from host import in_ram

import serrate as ak

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
TIMES = ["M8[s]", "M8[D]", "M8[M]", "m8[s]", "m8[ms]", "m8[D]", "m8[Y]"]
PRODUCTS = ("matmul", "matvec", "vecdot", "vecmat")
# Each ufunc once, under its own name.
UFUNCS = sorted(
    {f.__name__: f for f in vars(np).values() if isinstance(f, np.ufunc)}.keys() - {*PRODUCTS}
)
# One rounding of the exact result, or none.
EXACT = {
    *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "negative"),
    *("positive", "absolute", "fabs", "sign", "square", "sqrt", "reciprocal", "maximum", "minimum"),
    *("fmax", "fmin", "rint", "floor", "ceil", "trunc", "copysign", "nextafter", "spacing"),
    *("ldexp", "heaviside", "conjugate", "modf", "frexp", "divmod", "rint"),
}
# Which of two equal zeros comes is left open.
EITHER_ZERO = ("maximum", "minimum", "fmax", "fmin")


def sample(dtype):
    t = np.dtype(dtype)
    if t.kind == "b":
        return np.array([False, True])
    if t.kind in "iu":
        bits, i = 8 * t.itemsize, np.iinfo(t)
        values = [0, 1, 2, 3, 5, 7, bits - 1, bits, i.max // 2, i.max // 2 + 1, i.max - 1, i.max]
        if t.kind == "i":
            values += [-1, -2, -3, -7, -bits, i.min // 2, i.min + 1, i.min]
        return np.array(values, t)
    if t.kind in "mM":
        return np.array([0, 1, -1, 2, -3, 7, 100, -100, 719, -(2**63)]).astype(t)
    if t.kind == "c":
        parts = np.array([0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 3.75], t.type(0).real.dtype)
        x = np.empty((len(parts), len(parts)), t)
        x.real, x.imag = parts[:, None], parts
        return x.ravel()
    f = np.finfo(t)
    small, tiny, big = float(f.smallest_subnormal), float(f.tiny), float(f.max)
    values = [0.0, 0.5, 1.0, 2.0, 3.75, 7.25, 10.0, 1e-3, tiny, small, big, np.inf]
    return np.array([*values, *(-v for v in values), np.nan]).astype(t)


def host(x):
    return ak.to_backend(x, "cpu").to_numpy()


def exclude(name, args):
    """Leaves out what NumPy leaves open, and where it contradicts itself."""
    x, y = args[0], args[-1]
    keep = np.ones(len(x), bool)
    if name == "spacing" and x.dtype != np.float32 and x.dtype.itemsize < 4:
        keep &= ~(x < 0)  # of negative float16 numbers it is that of the one towards zero
    if name == "reciprocal" and x.dtype.kind in "iu":
        keep &= x != 0
    if name in ("left_shift", "right_shift") and x.dtype.kind == "i":
        keep &= y >= 0
    if name == "power" and x.dtype.kind == "i":
        keep &= y >= 0  # refused, see below
    if name == "sign" and x.dtype.kind == "m":
        keep &= ~np.isnat(x)  # -1 there
    if name == "nextafter" and x.dtype == np.float16:
        keep &= (x != 0) | (y != 0)  # the first of two zeros before NumPy 2.5, then the second
    return [a[keep] for a in args]


def ulps(ours, theirs):
    """The distance of two results in units of the last place; infinity where one is no number.

    What was rounded up to infinity is the number behind the largest one.
    """
    largest = np.finfo(theirs.dtype).max
    last = np.longdouble(largest) - np.nextafter(largest, theirs.dtype.type(0))

    def wide(x):
        return np.clip(x.astype(np.longdouble), -largest - last, largest + last)

    with np.errstate(all="ignore"):
        unit = np.fmin(np.abs(np.spacing(theirs)), last)  # NaN of infinity
        far = np.abs(wide(ours) - wide(theirs)) / unit
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    return np.where(same, 0, np.where(np.isnan(far), np.inf, far)).astype(float)


def assert_close(name, ours, theirs, magnitude=False):
    assert ours.dtype == theirs.dtype
    kind = theirs.dtype.kind
    if kind in "biumM":
        np.testing.assert_array_equal(
            ours.view("i8") if kind in "mM" else ours, theirs.view("i8") if kind in "mM" else theirs
        )
    elif kind == "c":
        eps = np.finfo(theirs.dtype).eps
        np.testing.assert_allclose(ours, theirs, rtol=64 * eps, atol=64 * eps * eps)
    else:
        # NumPy's own error is up to 4; where sums of logarithms cancel, that of the arguments.
        bound = 16 if "logaddexp" in name else 0 if name in EXACT and not magnitude else 4
        assert ulps(ours, theirs).max(initial=0) <= bound
        if name in EXACT and name not in EITHER_ZERO:
            zeros = theirs == 0
            np.testing.assert_array_equal(np.signbit(ours[zeros]), np.signbit(theirs[zeros]))


def compare(name, args):
    ufunc = getattr(np, name)
    with np.errstate(all="ignore"):
        try:
            theirs = ufunc(*args)
        except TypeError:
            with pytest.raises(TypeError):
                ufunc(*[ak.Array(a) for a in args])
            return
        ours = ufunc(*[ak.Array(a) for a in args])
        jagged = getattr(ak, name)(*[ak.unflatten(ak.Array(a), [0, len(a)]) for a in args])
    if name == "sign" and args[0].dtype.kind == "m":
        theirs = theirs.astype(args[0].dtype)  # numbers from NumPy 2.5 on
    many = isinstance(theirs, tuple)
    for got, want in zip(ours, theirs, strict=True) if many else [(ours, theirs)]:
        assert_close(name, host(got), want, magnitude=args[0].dtype.kind == "c")
    for got, want in zip(jagged, theirs, strict=True) if many else [(jagged, theirs)]:
        assert ak.num(got).to_list() == [0, len(want)]
        assert str(ak.flatten(got).type.content) == str(ak.Array(want).type.content)


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize("dtype", DTYPES + TIMES)
def test_against_numpy(name, dtype):
    x = sample(dtype)
    args = [x] if getattr(np, name).nin == 1 else [np.repeat(x, len(x)), np.tile(x, len(x))]
    if name == "ldexp" and x.dtype.kind == "f":
        exponents = np.array([0, 1, -1, 30, -30, 2000, -2000, 2**62, -(2**62)])
        args = [np.repeat(x, len(exponents)), np.tile(exponents, len(x))]
    compare(name, exclude(name, args))


MIXED = [("i8", "u8"), ("i1", "u1"), ("i4", "f4"), ("u2", "f2"), ("?", "i2"), ("f4", "f8")]
MIXED += [("f8", "c8"), ("i8", "c8"), ("?", "f4"), ("m8[s]", "i4"), ("m8[s]", "f8")]
MIXED += [("m8[s]", "m8[ms]"), ("M8[D]", "m8[s]"), ("M8[M]", "m8[D]"), ("M8[M]", "M8[D]")]
MIXED += [("M8[M]", "M8[s]"), ("m8[Y]", "m8[D]"), ("M8[D]", "M8[s]"), ("m8[D]", "m8[ms]")]


@pytest.mark.parametrize(("left", "right"), [*MIXED, *((b, a) for a, b in MIXED)])
@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "less", "fmax"]
)
def test_mixed_types(name, left, right):
    x, y = sample(left), sample(right)
    if x.dtype.kind in "mM" and y.dtype.kind in "mM":
        x, y = x[np.abs(x.astype("i8")) < 1000], y[np.abs(y.astype("i8")) < 1000]
    compare(name, [np.repeat(x, len(y)), np.tile(y, len(x))])


@pytest.mark.parametrize("left", DTYPES + TIMES)
@pytest.mark.parametrize("name", [n for n in UFUNCS if getattr(np, n).nin == 2])
def test_types_of_all_pairs(name, left):
    ufunc = getattr(np, name)
    for right in DTYPES + TIMES:
        a, b = np.ones(1, "i8").astype(left), np.ones(1, "i8").astype(right)
        x, y = ak.Array(a), ak.Array(b)
        with np.errstate(all="ignore"):
            try:
                theirs = ufunc(a, b)
            except TypeError:
                with pytest.raises(TypeError):
                    ufunc(x, y)
                continue
            ours = ufunc(x, y)
        for got, want in zip(ours, theirs, strict=True) if ufunc.nout == 2 else [(ours, theirs)]:
            assert str(got.type.content) == str(ak.Array(want).type.content), (left, right)


WEAK = [True, 0, 1, -1, 100, 127, 128, -129, 255, 256, 2**31, 2**63 - 1, 2**63, 2**64 - 1]
WEAK += [0.5, 1e300, 1j, -0.0]


@pytest.mark.parametrize("dtype", DTYPES[:12])
@pytest.mark.parametrize("name", ["add", "multiply", "less", "maximum", "true_divide"])
def test_python_numbers_are_weak(name, dtype):
    ufunc = getattr(np, name)
    a = np.ones(3, dtype)
    x = ak.Array(a)
    for value in WEAK:
        for plain, ours in (((a, value), (x, value)), ((value, a), (value, x))):
            with np.errstate(all="ignore"):
                try:
                    theirs = ufunc(*plain)
                except OverflowError:
                    with pytest.raises(OverflowError):
                        ufunc(*ours)
                    continue
                got = host(ufunc(*ours))
            assert got.dtype == theirs.dtype, value
            np.testing.assert_array_equal(got, theirs)


def test_integers_to_negative_powers():
    x = ak.Array([[2, 3], [], [4]])
    for bad in (-1, ak.Array([[1, -2], [], [0]])):
        with pytest.raises(ValueError, match="negative integer powers"):
            ak.to_list(x**bad)
    # Where nobody looks there may be anything.
    y = ak.Array([[1, -2], [], [2]])
    assert ak.to_list(x ** ak.mask(y, y > 0)) == [[2, None], [], [16]]
    result = ak.flatten(x ** ak.Array([1.0, -1.0, -2.0]))
    np.testing.assert_allclose(host(result), [2, 3, 0.0625], rtol=1e-15)


def test_units_that_do_not_fit():
    seconds = ak.Array(np.array([1, 2**62, -(2**63)], "m8[s]"))
    with pytest.raises(OverflowError, match="does not fit"):
        ak.to_list(seconds + ak.Array(np.array([1, 1, 1], "m8[ns]")))
    small = ak.mask(seconds, [True, False, True])
    got = small + np.timedelta64(1, "ms")
    assert str(got.type) == "3 * ?timedelta64[ms]"
    assert ak.to_list(got)[1] is None
    assert ak.to_list(np.isnat(got)) == [False, None, True]
    with pytest.raises(TypeError):
        seconds + ak.Array(np.array([1, 1, 1], "m8[Y]"))


def test_months_and_days():
    months = np.arange(-25000, 30000, 7).astype("M8[M]")
    days = np.arange(-800000, 900000, 97).astype("M8[D]")
    np.testing.assert_array_equal(
        host(ak.values_astype(ak.Array(months), "M8[D]")), months.astype("M8[D]")
    )
    np.testing.assert_array_equal(
        host(ak.values_astype(ak.Array(days), "M8[M]")), days.astype("M8[M]")
    )
    np.testing.assert_array_equal(
        host(ak.Array(months) - np.datetime64("1999-02-11", "h")),
        months - np.datetime64("1999-02-11", "h"),
    )


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


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "float16", "bool"])
def test_any_integer_is_true_or_false(name, dtype):
    x, f = np.array([0, 1, 1], dtype), getattr(np, name)
    for n in (0, 1, 300, -200, 2**40):
        assert f(ak.Array(x), n).tolist() == f(x, n).tolist()
        assert f(n, ak.Array(x)).tolist() == f(n, x).tolist()


def test_ranges_are_arrays():
    x = ak.Array([[1, 2], [], [3]])
    assert (x + range(3)).tolist() == [[1, 2], [], [5]]
    assert (range(3) * x).tolist() == [[0, 0], [], [6]]


def test_every_ufunc_is_a_function():
    # NumExpr, where pandas finds it, adds one.
    names = [n for n in np.__all__ if isinstance(getattr(np, n), np.ufunc)]
    assert len(names) > 80
    assert [n for n in names if not callable(getattr(ak, n, None))] == []
    x = ak.Array([[-0.5, 0.25], []])
    assert ak.to_list(ak.abs(x)) == ak.to_list(ak.absolute(x)) == [[0.5, 0.25], []]
    assert ak.to_list(ak.acos(x)) == ak.to_list(ak.arccos(x))
    assert ak.to_list(ak.pow(x, 2)) == [[0.25, 0.0625], []]


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


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_sizes_angles_and_squares_of_complex_numbers(dtype):
    part = np.array([0.0, -0.0, 1.0, -3.5, 1e-300, 3e-45, 1e30, 1e300, np.inf, -np.inf, np.nan])
    with np.errstate(all="ignore"):
        re, im = (
            p.ravel().astype(dtype.replace("c16", "f8").replace("c8", "f4"))
            for p in np.meshgrid(part, part)
        )
        z = np.empty(len(re), dtype)
        z.real, z.imag = re, im
        x = ak.Array(z)
        for got, want in ((abs(x), np.abs(z)), (np.angle(x), np.angle(z)), (x**2, in_ram(x * x))):
            assert str(got.type) == f"{len(z)} * {want.dtype}"
            for f in (np.real, np.imag):
                assert np.allclose(f(in_ram(got)), f(want), rtol=1e-6, atol=0, equal_nan=True)
        finite = z[np.isfinite(z)]
        signs = np.signbit(np.angle(finite))
        assert np.array_equal(np.signbit(in_ram(np.angle(ak.Array(finite)))), signs)
        assert ak.sum(abs(ak.Array([[3 + 4j], [], [1j, 6 - 8j]])), axis=-1).to_list() == [5, 0, 11]
