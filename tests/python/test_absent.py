"""Regular lists behind missing values have items that are not there. What is computed from such an
item is never a place to look at: run with SERRATE_ASSERT=1 and MALLOC_PERTURB_=165 to see more."""

import numpy as np
import pytest
from conftest import plain, same_values, some, type_text

import serrate as ak


def array(values, type_):
    """Values as this type, whose outer dimension is their number; expressions, not stored lists."""
    return ak.enforce_type(ak.Array(values), type_)


def numbers(n, *shape, dtype=float):
    return ak.from_numpy(np.random.default_rng(n).integers(0, 9, (n, *shape)).astype(dtype))


def masked(n):
    return ak.mask(numbers(n, 3, 1), np.random.default_rng(n).random(n) < 0.7)


DEEP = "option[var * option[1 * ?float64]]"
ARRAYS = {
    "empty": array([[[], []]], "var * var * option[1 * ?float64]"),
    "one missing": array([[[None, [3.0]], [None]]], "var * var * option[1 * ?float64]"),
    "missing lists": array([[None, [2.0]], None], DEEP),
    "all missing": array([[None, [None]], None, [[1.0], None, [5.0]]], DEEP),
    "masked": masked(5),
    "more masked": masked(50),
    "none": ak.from_numpy(np.zeros((0, 2, 2), np.int16)),
}
STEPS = {
    "filter": lambda x: x[x > 1],
    "twice": lambda x: x * 2,
    "newaxis": lambda x: x[:, np.newaxis],
    "flatten": ak.flatten,
    "sort": lambda x: ak.sort(x, axis=1),
    "sort of rows": lambda x: ak.sort(x, axis=0),
    "argsort": lambda x: ak.argsort(x, axis=1),
    "down": lambda x: ak.argsort(x, axis=0, ascending=False),
    "pad": lambda x: ak.pad_none(x, 5, axis=-2),
    "pad rows": lambda x: ak.pad_none(x, 3, axis=0),
    "last": lambda x: ak.broadcast_arrays(x, 1)[1][..., -1:],
    "firsts": lambda x: ak.firsts(x, axis=1),
    "once more": lambda x: ak.concatenate([x, x], axis=1),
}
ERRORS = (TypeError, ValueError, IndexError, OverflowError)


def outcome(x, steps, each):
    try:
        for step in steps:
            x = each(STEPS[step](x))
        return type_text(x), plain(x)
    except ERRORS as e:
        return None, type(e)


@pytest.mark.parametrize("name", some(ARRAYS, 2))
@pytest.mark.parametrize("first", some(STEPS, 5))
def test_three_steps_at_once_are_those_one_by_one(name, first):
    for second in some(STEPS, 4):
        for third in some(STEPS, 3):
            steps = (first, second, third)
            x = ARRAYS[name]
            type_, values = outcome(x, steps, lambda y: y)
            expected_type, expected = outcome(x, steps, ak.materialize)
            assert type_ == expected_type, (steps, values, expected)
            assert type_ is None or same_values(values, expected, 0.0), (steps, values, expected)


def test_padded_records_of_empty_broadcast_arrays():
    s = ak.argsort(ARRAYS["none"], axis=0, ascending=False)
    a = ak.broadcast_arrays(s, 1)[1][..., -1]
    padded = ak.pad_none(ak.zip({"a": a, "b": s}), 3, axis=0)
    assert padded.to_list() == [None, None, None]
