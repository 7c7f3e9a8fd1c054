# Random expressions: fused into kernels they must give what they give step by step. On a GPU they
# must give what the CPU gives. SERRATE_STRESS says how many, SERRATE_STRESS_SETS how many data sets
# each has.
import os

import numpy as np
import pytest
from conftest import plain, same_values, type_text
from expressions import Expression

import serrate as ak

COUNT = int(os.environ.get("SERRATE_STRESS", "75"))
SETS = int(os.environ.get("SERRATE_STRESS_SETS", "4"))
# Of the first 10,000, those that found something wrong on a GPU.
FOUND = [556, 902, 983, 1641, 2433, 3348, 4211, 4407, 4622, 6068, 8211, 8520, 9621, 9774]
ERRORS = (TypeError, ValueError, IndexError, OverflowError)


def outcome(call):
    """Type and values, or the family of the error."""
    try:
        with np.errstate(all="ignore"):
            result = call()
            return type_text(result), plain(result)
    except ERRORS as e:
        return None, str(e).split("\n")[0]


def step_by_step(expression, x):
    return expression(ak.to_backend(x, "cpu"), each=ak.materialize)


@pytest.mark.parametrize("number", sorted({*range(COUNT), *FOUND}))
def test_expression(number):
    expression = Expression(number)
    rounding = 1e-2 if expression.dtype == "float16" else 1e-4
    for data in range(number, number + SETS):
        x = expression.data(data)
        type_, values = outcome(lambda x=x: expression(x))
        expected_type, expected = outcome(lambda x=x: step_by_step(expression, x))
        where = f"{expression}; data {data}"
        assert type_ == expected_type, f"{where}: {values}, {expected}"
        if type_ is not None:
            assert same_values(values, expected, rounding), f"{where}:\n{values}\n!=\n{expected}"
