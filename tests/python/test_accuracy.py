# The bounds of docs/accuracy.md, with the measure's own code and fewer arguments.
import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("accuracy", ROOT / "bench" / "accuracy.py")
accuracy = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(accuracy)
accuracy.SIZE = 20_000

EXACT = ("sqrt", "reciprocal", "divide")
FAST = ("sin", "cos", "sinh", "cosh", "tanh")
# A GPU's own functions have bounds of their own (CUDA's programming guide): at most 2 for float64,
# 4 for float32, 8 where it divides by powers.
OTHER = {"logaddexp": 6, "logaddexp2": 6, "deg2rad": 1.5, "rad2deg": 1.5, "remainder": 0.51}
GPU = {"float32": 4, "float64": 2.5}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", accuracy.NAMES)
def test_error_is_bounded(name, dtype):
    import serrate as ak

    bound = 0.501 if name in EXACT else 0 if name == "fmod" else OTHER.get(name, 1.0)
    if name in FAST and dtype == "float32":
        bound = 3.5
    if ak.default_backend() == "cuda" and name not in EXACT and name != "fmod":
        bound = max(bound, GPU[dtype])
    assert accuracy.error(name, dtype) <= bound
