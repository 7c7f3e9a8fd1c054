# Ufuncs of SciPy and numba.vectorize as operations of the fused loop.
import os

import numpy as np
import pytest
from host import in_ram

import serrate as ak

if os.environ.get("SERRATE_CUDA") == "compile-only":  # Numba compiles for a GPU that is there
    pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")
X = [[0.5, 2.0, 3.0], [], [4.0, None]]


def values(f, *more):
    return [[None if v is None else f(v, *more) for v in row] for row in X]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_loops_of_scipy():
    special = pytest.importorskip("scipy.special")
    x = ak.Array(X)
    y = special.erf(x * 2)
    assert "erf(multiply" in str(ak.explain(y))
    assert y.to_list() == values(lambda v: special.erf(v * 2))
    assert special.jv(1, x).to_list() == values(lambda v: special.jv(1, v))
    both = special.sici(x)
    assert [b.to_list() for b in both] == [
        values(lambda v, k=k: special.sici(v)[k]) for k in (0, 1)
    ]
    narrow = ak.values_astype(x, "float32")
    assert str(special.erf(narrow).type) == "3 * var * ?float32"


@pytest.mark.skipif(
    os.environ.get("SERRATE_BACKEND") != "cuda" or "SERRATE_CUDA" in os.environ,
    reason="runs kernels: on a GPU or an emulated one",
)
@pytest.mark.parametrize("name", ["erf", "erfc", "gamma", "gammaln", "j0", "y1", "expm1"])
def test_functions_of_scipy_that_cuda_has(name):
    special = pytest.importorskip("scipy.special")
    f, x = getattr(special, name), ak.Array(X)
    y = f(x * 2) + 1
    assert ak.backend(y) == "cuda"
    assert "1 pass" in str(ak.explain(y))
    got = in_ram(ak.drop_none(ak.flatten(y)))
    want = f(in_ram(ak.drop_none(ak.flatten(x))) * 2) + 1
    np.testing.assert_allclose(got, want, rtol=1e-13)
    narrow = f(ak.values_astype(x, "float32"))
    assert str(narrow.type) == "3 * var * ?float32"
    np.testing.assert_allclose(in_ram(ak.drop_none(ak.flatten(narrow)))[:2], f([0.5, 2.0]), 1e-5)


@pytest.mark.skipif(os.environ.get("SERRATE_CUDA") != "compile-only", reason="compiles kernels")
def test_each_function_that_cuda_has():
    special = pytest.importorskip("scipy.special")
    from serrate._apply.ufuncs import _OF_CUDA

    for dtype in ("float64", "float32"):
        x = ak.to_backend(ak.Array(np.ones(3, dtype)), "cuda")
        for name in _OF_CUDA:
            with pytest.raises(TypeError, match="no code for CPUs"):  # which compute what compiled
                ak.compute(getattr(special, name)(x))


@pytest.mark.skipif(os.environ.get("SERRATE_BACKEND") != "cuda", reason="of arrays on a GPU")
def test_functions_of_scipy_that_cuda_has_not():
    special = pytest.importorskip("scipy.special")
    x = ak.to_backend(ak.Array([1.0]), "cuda")
    with pytest.raises(TypeError, match=r"zeta computes on the CPU.*device_function"):
        special.zeta(x, 2.0)


def test_vectorize():
    numba = pytest.importorskip("numba")

    @numba.vectorize
    def free(x, y):
        return x * 2 + y

    @numba.vectorize(["float32(float32)", "float64(float64)"])
    def typed(x):
        return x * 2

    @numba.vectorize
    def fails(x):
        if x > 3:
            raise ValueError("large", x)
        return x

    x = ak.Array(X)
    assert free(x, 1).to_list() == values(lambda v: v * 2 + 1)
    assert "free(" in str(ak.explain(free(x, x)))
    assert typed(x).to_list() == values(lambda v: v * 2)
    assert str(typed(ak.Array([1, 2])).type) == "2 * float64"
    assert str(typed(ak.Array(np.ones(2, "float32"))).type) == "2 * float32"
    with pytest.raises(ValueError, match="large"):
        fails(x).to_list()
    assert in_ram(ak.sum(free(x[:, :1], 1), axis=-1)).tolist() == [2.0, 0.0, 9.0]


def running_total(x, out):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        out[i] = total


def place(x, out):
    out[0] = x.ctypes.data


def test_generalized_ufuncs_of_flat_and_regular_arrays():
    numba = pytest.importorskip("numba")
    total = numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(running_total)
    where = numba.guvectorize(["void(float64[:], int64[:])"], "(n)->()")(place)
    x = np.arange(24.0).reshape(2, 3, 4)
    a = ak.to_backend(ak.Array(x), "cpu")
    for got, want in ((total(a), x.cumsum(-1)), (total(2 * a[:, 1]), (2 * x[:, 1]).cumsum(-1))):
        assert isinstance(got, ak.Array)
        assert got.to_list() == want.tolist()
    assert total(ak.to_backend(ak.Array([1.0, 2.0]), "cpu")).to_list() == [1, 3]
    assert total(a[:, :0]).to_list() == [[], []]
    flat = ak.to_backend(ak.Array(np.arange(1000.0)), "cpu")
    assert where(flat) == ak.to_numpy(flat, copy=False).ctypes.data
    out = np.zeros((2, 3, 4))
    assert total(a, out=out) is out
    assert out.tolist() == x.cumsum(-1).tolist()


@pytest.mark.parametrize("x", [[[1.0], []], [[1.0, None]]])
def test_generalized_ufuncs_of_others_are_refused(x):
    numba = pytest.importorskip("numba")
    total = numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(running_total)
    with pytest.raises(TypeError, match="works on whole dimensions"):
        total(ak.to_backend(ak.Array(x), "cpu"))
