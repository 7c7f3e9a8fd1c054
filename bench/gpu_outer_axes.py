"""Outer axes on a GPU: reducers, sorts and scans along them, and views of whole arrays; 1M lists of
lists, of all shapes. ./dev gpu-bench outer"""

import numpy as np
import outer_axes
from gpu_timing import looked

import serrate as ak


def along(function, shape, axis, most):
    here = ak.from_awkward(outer_axes.array(shape))
    there = ak.to_backend(here, "cuda")

    def work(x):
        return getattr(ak, function)(x, axis=axis)

    got = np.asarray(ak.ravel(ak.to_backend(work(there), "cpu")))
    np.testing.assert_allclose(got, np.asarray(ak.ravel(work(here))), rtol=1e-8, atol=1e-8)
    return {"ours": looked(lambda: work(there)), "aim_us": most}


def two_levels(function, most):
    here = ak.flatten(ak.from_awkward(outer_axes.array("poisson")), axis=1)
    there = ak.to_backend(here, "cuda")
    return {"ours": looked(lambda: getattr(ak, function)(there, axis=0)), "aim_us": most}


def view(*where):
    there = ak.to_backend(ak.from_awkward(outer_axes.array("poisson")), "cuda")
    return {"ours": looked(lambda: there[where]), "aim_us": 50}


CASES = {
    **{
        f"outer_{function}_{shape}": lambda f=function, s=shape: along(f, s, 0, 1000)
        for function in ("sum", "max", "argmax", "any", "count", "prod")
        for shape in outer_axes.SHAPES
    },
    "outer_sum_axis1": lambda: along("sum", "poisson", 1, 1000),
    "outer_sort": lambda: along("sort", "poisson", 0, 20_000),
    "outer_cumsum": lambda: along("cumsum", "poisson", 0, 20_000),
    "outer_sort_2": lambda: two_levels("sort", 20_000),
    "outer_cumsum_2": lambda: two_levels("cumsum", 20_000),
    "outer_sum_2": lambda: two_levels("sum", 1000),
    "outer_newaxis": lambda: view(None),
    "outer_newaxis_inside": lambda: view(slice(None), None),
}
