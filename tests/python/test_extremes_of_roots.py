# The smallest root is the root of the smallest number: one root a list, and the same bits.
import awkward
import numpy as np
import pytest
from conftest import both

import serrate as ak

VALUES = [[4.0, 2.0, 9.0], [], [np.nan, 1.0], [np.nan], [0.0, -0.0], [np.inf], [-4.0, 2.0], [-9.0]]


def signed_root(x):
    return np.copysign(np.sqrt(np.absolute(x)), x)


CALLS = {
    "least root": lambda lib, x: lib.min(np.sqrt(x * x + abs(x)), axis=1),
    "of squares": lambda lib, x: lib.min(np.sqrt(np.square(x) + np.square(x + 1)), axis=1),
    "of what may be negative": lambda lib, x: lib.min(np.sqrt(x), axis=1),
    "largest root": lambda lib, x: lib.max(np.sqrt(x**2), axis=1),
    "largest signed root": lambda lib, x: lib.max(signed_root(x), axis=1),
    "least signed root": lambda lib, x: lib.min(signed_root(x), axis=1),
    "of another": lambda lib, x: lib.max(np.copysign(np.sqrt(abs(x)), -x), axis=1),
    "of all": lambda lib, x: lib.min(signed_root(x), axis=None),
    "of no items": lambda lib, x: lib.min(np.sqrt(abs(x)), axis=1, mask_identity=False),
    "largest of none": lambda lib, x: lib.max(signed_root(x), axis=1, mask_identity=False),
    "at most": lambda lib, x: lib.min(np.sqrt(abs(x)), axis=1, initial=1.2),
    "with nothing": lambda lib, x: lib.min(np.sqrt(abs(lib.mask(x, x != 2))), axis=1),
    "outer": lambda lib, x: lib.min(signed_root(x), axis=0),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_roots(name, dtype):
    x = awkward.values_astype(awkward.Array(VALUES), dtype)
    with np.errstate(invalid="ignore"):
        both(CALLS[name], x)


def test_roots_come_last():
    x = ak.Array([[1.0, 2.0], [3.0]])
    for call in ("least root", "of squares", "largest signed root"):
        text = ak.explain(CALLS[call](ak, x)).text
        assert " min(sqrt" not in text
        assert " max(copysign" not in text
    assert " min(sqrt" in ak.explain(CALLS["of what may be negative"](ak, x)).text
