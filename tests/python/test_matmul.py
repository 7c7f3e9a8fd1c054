# matmul, vecdot, matvec and vecmat: NumPy's on regular arrays, list by list on ragged ones.
import numpy as np
import pytest
from conftest import KERNELS_ARE_SLOW, assert_same_values, some

import serrate as ak

RNG = np.random.default_rng(1)


def host(x):
    return ak.to_backend(x, "cpu").to_numpy() if isinstance(x, ak.Array) else np.asarray(x)


SHAPES = {
    "matmul": [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (5, 3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((5, 2, 3), (3,)),
        ((3,), (5, 3, 4)),
        ((6, 5, 2, 3), (5, 3, 4)),
    ],
    "vecdot": [((3,), (3,)), ((5, 3), (5, 3)), ((5, 3), (3,))],
    "matvec": [((2, 3), (3,)), ((5, 2, 3), (5, 3)), ((5, 2, 3), (3,))],
    "vecmat": [((3,), (3, 2)), ((5, 3), (5, 3, 2)), ((3,), (5, 3, 2))],
}
CASES = [(name, *shapes) for name in SHAPES for shapes in SHAPES[name]]


@pytest.mark.parametrize(("name", "left", "right"), CASES)
@pytest.mark.parametrize("dtype", ["f8", "i4", "c16", "?"])
def test_as_numpy(name, left, right, dtype):
    a, b = (RNG.integers(0, 3, shape) + RNG.integers(0, 2, shape) for shape in (left, right))
    if dtype == "c16":
        a, b = a + 1j * RNG.integers(-2, 2, left), b + 1j * RNG.integers(-2, 2, right)
    a, b = a.astype(dtype), b.astype(dtype)
    ufunc = getattr(np, name)
    theirs = ufunc(a, b)
    for ours in (ufunc(ak.Array(a), ak.Array(b)), getattr(ak, name)(ak.Array(a), b)):
        ours = host(ours)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_lists_of_matrices():
    shapes = [(2, 3, 4), (1, 1, 1), (3, 2, 5), (2, 0, 3), (0, 3, 2)]
    left = [RNG.integers(0, 9, (n, k)) for n, k, _ in shapes]
    right = [RNG.integers(0, 9, (k, m)) for _, k, m in shapes]
    ours = ak.Array([a.tolist() for a in left]) @ ak.Array([b.tolist() for b in right])
    theirs = [(a @ b).tolist() for a, b in zip(left, right, strict=True)]
    theirs[3] = [[], []]  # lists without rows do not say how many columns there are
    assert_same_values(ours, theirs)


def test_ragged_by_vectors():
    m = ak.Array([[[1, 2], [3, 4], [5, 6]], [[7]], []])
    assert_same_values(np.matvec(m, ak.Array([[1, 10], [2], [3]])), [[21, 43, 65], [14], []])
    assert_same_values(np.vecmat(ak.Array([[1, 0, 2], [3], []]), m), [[11, 14], [21], []])
    assert_same_values(np.vecdot(ak.Array([[1, 2], [], [3]]), [[4, 5], [], [6]]), [14, 0, 18])


def test_of_expressions():
    x = ak.Array([[[1.0, 2.0], [3.0, 4.0]], [[5.0]]])
    assert_same_values((x + 1) @ (x * 2), [[[22.0, 32.0], [38.0, 56.0]], [[60.0]]])
    y = ak.Array([[[1.0, 2.0], [3.0, 4.0]], [[5.0]]])
    y @= x
    assert_same_values(y, [[[7.0, 10.0], [15.0, 22.0]], [[25.0]]])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([[[1, 2]]], [[[1, 2]]]),
        ([[[1, 2], [3]]], [[[1], [2]]]),
        ([[[1, 2]]], [[[1, 2], [3]]]),
        ([1, 2], [1, 2, 3]),
    ],
)
def test_lengths_that_do_not_match(left, right):
    with pytest.raises(ValueError):
        ak.to_list(ak.Array(left) @ ak.Array(right))


def test_lengths_of_regular_arrays_are_known():
    vector, matrix = ak.Array(np.arange(3.0)), ak.Array(np.arange(6.0).reshape(3, 2))
    assert ak.explain(np.vecmat(vector, matrix)).passes == 1
    assert str(np.vecmat(vector, matrix).type) == "2 * float64"
    for other in (vector[:2], vector[:0]):
        with pytest.raises(ValueError, match="another number of rows"):
            ak.to_list(np.vecmat(other, matrix))


def test_refused():
    x = ak.Array([[1, 2]])
    for other in (2, ak.Array([["a"]]), ak.Array([[{"x": 1}]])):
        with pytest.raises((TypeError, ValueError)):
            ak.to_list(x @ other)
    with pytest.raises(ValueError):
        np.matvec(ak.Array([1]), ak.Array([1]))


MATRICES = [((40, 30), (30, 50)), ((3, 400), (400, 2)), ((500, 9), (9,)), ((1, 2000), (2000, 1))]
MATRICES += [((130, 90), (90, 100))]  # more products than a GPU makes by a kernel of ours


@pytest.mark.parametrize(("left", "right"), MATRICES)
@pytest.mark.parametrize("dtypes", ["f8 f8", "f4 f4", "c16 c16", "c8 f4", "f4 i4", "i8 f8"])
def test_dense_matrices(left, right, dtypes):
    a, b = (
        (RNG.integers(-9, 9, shape) + (1j if t[0] == "c" else 0)).astype(t)
        for shape, t in zip((left, right), dtypes.split(), strict=True)
    )
    want = a @ b
    got = ak.Array(a) @ ak.Array(b)
    assert got.type == ak.Array(want).type
    assert np.array_equal(host(got), want)
    # Rows from the midst of a matrix, and what is not stored.
    x, y = ak.Array(np.concatenate([a, a, a])), ak.Array(np.concatenate([b, b]))
    part = x[len(a) : 2 * len(a)] @ y[len(b) :]
    assert np.array_equal(host(part), want)
    assert np.array_equal(host((ak.Array(a) * 2) @ (ak.Array(b) + 1)), (a * 2) @ (b + 1))
    assert host(got[0]).tolist() == want[0].tolist()
    if len(right) == 1:
        assert np.array_equal(host(ak.matvec(a, b)), want)


BATCHES = [
    ((9, 2, 2), (9, 2, 2)),
    ((9, 3, 3), (9, 3, 3)),
    ((9, 4, 4), (9, 4, 4)),
    ((4, 2, 3), (4, 3, 5)),
    ((3, 12, 11), (3, 11, 13)),
    ((120, 21, 20), (120, 20, 23)),
    ((0, 3, 3), (0, 3, 3)),
    ((5, 3, 0), (5, 0, 2)),
]


@pytest.mark.parametrize(("left", "right"), BATCHES)
@pytest.mark.parametrize("dtypes", ["f8 f8", "f4 f4", "c16 c8", "f4 i4"])
def test_lists_of_dense_matrices(left, right, dtypes):
    a, b = (
        (RNG.integers(-9, 9, shape) + (1j if t[0] == "c" else 0)).astype(t)
        for shape, t in zip((left, right), dtypes.split(), strict=True)
    )
    want = a @ b
    got = ak.Array(a) @ ak.Array(b)
    assert got.type == ak.Array(want).type
    assert np.array_equal(host(got), want)
    # Pairs from the midst of an array, and what is not stored.
    x, y = ak.Array(np.concatenate([a, a, a])), ak.Array(np.concatenate([b, b]))
    assert np.array_equal(host(x[len(a) : 2 * len(a)] @ y[len(b) :]), want)
    assert np.array_equal(host((ak.Array(a) * 2) @ (ak.Array(b) + 1)), (a * 2) @ (b + 1))
    vectors = b[:, :, 0] if right[2] else np.zeros(right[:2], b.dtype)
    assert np.array_equal(host(ak.matvec(a, vectors)), np.matvec(a, vectors))


def test_lists_of_dense_matrices_that_do_not_fit():
    a = np.ones((4, 3, 3))
    with pytest.raises(ValueError, match=r"rows|length"):
        (ak.Array(a) @ ak.Array(a[:, :2])).tolist()
    with pytest.raises(ValueError, match=r"broadcast|length"):
        (ak.Array(a) @ ak.Array(a[:3])).tolist()
    assert np.array_equal(host(ak.Array(a) @ ak.Array(a[:1])), a @ a[:1])
    assert np.array_equal(host(ak.Array(a) @ ak.Array(a[0])), a @ a[0])
    missing = ak.mask(ak.Array(a), [True, False, True, True])
    got = (missing @ ak.Array(a)).tolist()
    assert got[1] is None
    assert got[0] == (a @ a)[0].tolist()


def test_dense_matrices_that_do_not_fit():
    a = np.ones((40, 30))
    with pytest.raises(ValueError, match="rows"):
        (ak.Array(a) @ ak.Array(a)).tolist()
    with pytest.raises(ValueError, match=r"rows|length"):
        (ak.Array(a) @ ak.Array(a[:, 0])).tolist()
    assert host(ak.Array(a[:0]) @ ak.Array(a.T)).shape == (0, 40)
    assert host(ak.Array(a) @ ak.Array(a.T)[:, :0]).shape == (40, 0)
    rows = ak.from_regular(ak.Array(a))
    assert (rows @ ak.Array(a.T)).tolist() == (a @ a.T).tolist()


def test_what_fails_in_an_operand_is_raised():
    a = np.ones((120, 130))
    lists = ak.from_regular(ak.Array(a), axis=1)
    good, bad = lists[:, list(range(120))], lists[:, [k + 11 for k in range(120)]]
    want = a[:, :120] @ a[:, :110]
    assert np.array_equal(host(ak.to_regular(good) @ ak.Array(a[:, :110])), want)
    with pytest.raises(IndexError):
        host(ak.to_regular(bad) @ ak.Array(a[:, :110]))


@pytest.mark.parametrize("n", [50, 110])
def test_dense_matrices_with_nan_and_infinity(n):
    a = RNG.integers(-3, 4, (n, n)).astype("f8")
    a[3, 5], a[7, 7], a[9, 9] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        want = a @ a
    assert np.array_equal(host(ak.Array(a) @ ak.Array(a)), want, equal_nan=True)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "u8"])
def test_two_vectors(dtype):
    """Stored ones are a library's from some length on; what is computed is added up in its pass."""
    rtol = {"f4": 1e-5, "c8": 1e-5}.get(dtype, 1e-13)
    for n in (300, 1023, 1024, 1025, 5000):
        a, b = RNG.uniform(1, 9, n), RNG.uniform(1, 9, n)
        if dtype[0] == "c":
            a, b = a + 1j * RNG.uniform(1, 2, n), b - 1j * RNG.uniform(1, 2, n)
        a, b = a.astype(dtype), b.astype(dtype)
        x, y = ak.Array(a), ak.Array(b)
        for f in (np.vecdot, np.matmul):
            for ours, theirs in (
                (f(x, y), f(a, b)),
                (f(y, x), f(b, a)),
                (f(x[1:], y[:-1]), f(a[1:], b[:-1])),
                (f(x + y, y), f(a + b, b)),
            ):
                ours = host(ours)
                assert ours.dtype == theirs.dtype
                np.testing.assert_allclose(ours, theirs, rtol)
        if dtype[0] != "c":
            assert host(np.vecdot(x, y)) == host(x @ y)
        for f in (np.vecdot, np.matmul):
            with pytest.raises(ValueError, match="length"):
                ak.compute(f(x, y[1:]))


def test_two_vectors_with_infinities():
    a = np.ones(2000)
    a[7], a[1500] = np.inf, np.nan
    b = np.ones(2000)
    assert np.isnan(host(np.vecdot(ak.Array(a), ak.Array(b))))
    assert host(np.vecdot(ak.Array(a[:1500]), ak.Array(b[:1500]))) == np.inf


@pytest.mark.parametrize("n", [1, 64, 299, 300, 301, 1000, 4097])
def test_products_of_booleans(n):
    """Which are true at the first pair that is."""
    for at in {None, 0, min(63, n - 1), min(64, n - 1), n - 1}:
        x, y = np.zeros(n, bool), np.ones(n, bool)
        if at is not None:
            x[at] = True
        for f in (np.vecdot, np.matmul):
            got = f(ak.Array(x), ak.Array(y))
            assert got.dtype == bool
            assert bool(got) == (at is not None)


EXACT = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
LARGE = [
    (1, 1, 40),
    (5, 3, 17),
    (70, 600, 33),
    (4, 1025, 100),
    (9, 0, 30),
    (40, 50, 515),
    (0, 4, 20),
]


@pytest.mark.parametrize("dtype", some(EXACT, 4))
def test_matrices_of_integers_and_booleans(dtype):
    """Around the rows, columns and inner items that are multiplied together; integers wrap."""
    for n, k, m in LARGE if not KERNELS_ARE_SLOW else LARGE[:2]:
        if dtype == "?":
            a, b = RNG.random((n, k)) < 0.05, RNG.random((k, m)) < 0.05
        else:
            a, b = (RNG.integers(-100, 100, shape).astype(dtype) for shape in ((n, k), (k, m)))
        pairs = [(a, b), (np.stack([a, a]), np.stack([b, b[::-1]])), (a[::-1], b[:, ::-1])]
        for x, y in pairs:
            ours, theirs = host(ak.Array(x) @ ak.Array(y)), x @ y
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)
