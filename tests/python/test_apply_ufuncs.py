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
