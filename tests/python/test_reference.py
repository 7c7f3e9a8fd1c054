# The slow evaluator that follows the definitions, as a back end like the others: what it gives is
# what the CPU gives. SERRATE_BACKEND=reference runs any other test with it.
import os
import subprocess
import sys

import pytest
from conftest import plain, same_values, type_text
from expressions import Expression

import serrate as ak

ERRORS = (TypeError, ValueError, IndexError, OverflowError)


def outcome(call):
    """Type and values, or the error."""
    try:
        result = call()
        return type_text(result), plain(result)
    except ERRORS as e:
        return None, str(e).split("\n")[0]


@pytest.mark.parametrize("number", range(40))
def test_random_expressions(number):
    expression = Expression(number)
    x = expression.data(number)
    type_, values = outcome(lambda: expression(ak.to_backend(x, "reference")))
    expected_type, expected = outcome(lambda: expression(ak.to_backend(x, "cpu")))
    assert type_ == expected_type, f"{expression}: {values}, {expected}"
    if type_ is not None:
        rounding = 1e-2 if expression.dtype == "float16" else 1e-4
        assert same_values(values, expected, rounding), f"{expression}:\n{values}\n!=\n{expected}"


def test_arrays_stay_there():
    x = ak.to_backend(ak.Array([[3, 1, 2], [], [5, 4]]), "reference")
    y = ak.sort(x[x > 1], axis=-1) + 0.5
    assert ak.backend(x) == ak.backend(y) == "reference"
    assert y.to_list() == [[2.5, 3.5], [], [4.5, 5.5]]
    assert ak.backend(y) == "reference"
    assert ak.backend(ak.to_backend(y, "cpu")) == "cpu"
    with pytest.raises(ValueError, match="to_backend"):
        ak.materialize(ak.to_backend(x, "cpu") + x)


def test_plans_are_compared():
    """Kept plans and kept steps are those that would be made anew, here of the CPU."""
    code = """
import serrate as ak
for k in range(3):
    x = ak.Array([[3 + k, 1, 2], [], [5, 4]])
    y = ak.sort(x, axis=-1)[:, :1] - ak.mean(x, axis=-1) + ak.cumsum(x, axis=-1)[:, :1]
    print(ak.to_list(ak.sum(y, axis=None)))
"""
    env = {**os.environ, "SERRATE_BACKEND": "cpu", "SERRATE_COMPARE_PLANS": "1"}
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    plain_env = {**env, "SERRATE_COMPARE_PLANS": "0"}
    other = subprocess.run(
        [sys.executable, "-c", code], env=plain_env, capture_output=True, text=True
    )
    assert said.stdout == other.stdout != "", said.stderr
