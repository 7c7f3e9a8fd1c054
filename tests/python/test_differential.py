# Random arrays through serrate and Awkward: same values, same types.
import awkward
import numpy as np
import pytest
from conftest import assert_same_values, both
from hypothesis import given
from hypothesis import strategies as st
from strategies import arrays, floats, jagged_pairs, numbers, small_integers, structured

import serrate as ak


@given(arrays())
def test_handed_over_unchanged(x):
    both(lambda ak, x: x, x)


@given(arrays(), st.sampled_from([-1, 0, 1, 2, None]))
@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "count", "count_nonzero"])
def test_reducers(name, x, axis):
    rounding = 1e-4 if "float32" in str(x.type) else 1e-12  # sums in another order
    both(lambda ak, x: getattr(ak, name)(x, axis=axis), x, rtol=rounding)


@given(arrays(leaf=numbers(special=False)), st.sampled_from([-1, 0, 1, None]), st.booleans())
@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_extrema(name, x, axis, keepdims):
    keepdims = keepdims and axis is not None
    if name.startswith("arg") and axis in (0, 1) and axis != x.ndim - 1:
        return  # see test_known_differences
    both(lambda ak, x: getattr(ak, name)(x, axis=axis, keepdims=keepdims), x)


@given(arrays(leaf=floats(special=False), optional=False))
@pytest.mark.parametrize("name", ["mean", "var", "std", "ptp"])
def test_statistics(name, x):
    both(lambda ak, x: getattr(ak, name)(x, axis=-1), x, rtol=1e-9)


@given(jagged_pairs(dtypes=("int8", "int32", "uint8", "float32", "float64")))
@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.maximum, np.less, np.equal])
def test_binary_ufuncs(ufunc, pair):
    with np.errstate(all="ignore"):
        both(lambda ak, x, y: ufunc(x, y), *pair)


@given(jagged_pairs(dtypes=("float32", "float64")))
@pytest.mark.parametrize("ufunc", [np.divide, np.arctan2, np.hypot, np.fmin])
def test_floating_ufuncs(ufunc, pair):
    with np.errstate(all="ignore"):
        # + 0.0: which zero fmin gives for -0.0 and 0.0 is not defined.
        both(lambda ak, x, y: ufunc(x, y) + 0.0, *pair, rtol=1e-6)


@given(arrays())
@pytest.mark.parametrize("name", ["num", "flatten", "firsts", "is_none"])
def test_structure(name, x):
    types = name != "num"  # see test_known_differences
    both(lambda ak, x: getattr(ak, name)(x, axis=1), x, types=types)


# Awkward's drop_none fails for many layouts (options over regular lists, masks longer than their
# content, ListArrays) and drops at axis=2 what only axis=1 was asked for: Python is the oracle.
@given(arrays(min_depth=1))
def test_drop_none(x):
    def kept(row):
        return [i for i in row if i is not None] if isinstance(row, list) else row

    ours = ak.from_awkward(x)
    assert_same_values(ak.drop_none(ours, axis=1), [kept(row) for row in x.to_list()])
    assert_same_values(ak.drop_none(ours, axis=0), kept(x.to_list()))


@given(arrays())
def test_drop_none_everywhere(x):
    def kept(x):
        return [kept(i) for i in x if i is not None] if isinstance(x, list) else x

    assert_same_values(ak.drop_none(ak.from_awkward(x)), kept(x.to_list()))


@given(arrays(), st.sampled_from([-1, 0, 1, 2]))
def test_local_index(x, axis):
    both(lambda ak, x: ak.local_index(x, axis=axis), x)


@given(arrays())
@pytest.mark.parametrize("name", ["ravel", "zeros_like", "ones_like", "singletons"])
def test_whole_array(name, x):
    both(lambda ak, x: getattr(ak, name)(x), x)


@given(arrays(optional=False), st.integers(0, 4), st.booleans(), st.sampled_from([0, 1, -1]))
def test_pad_none(x, target, clip, axis):
    types = clip or (axis == 0 and target > len(x))  # else in Awkward the data decide
    both(lambda ak, x: ak.pad_none(x, target, axis=axis, clip=clip), x, types=types)


# Awkward puts lists and missing lists in another order where the mask is one of bytes.
@given(arrays(min_depth=1), st.integers(0, 4))
def test_pad_none_of_missing_lists(x, target):
    def pad(row):
        return None if row is None else row + [None] * (target - len(row))

    ours = ak.pad_none(ak.from_awkward(x), target)
    assert_same_values(ours, [pad(row) for row in x.to_list()])


@given(arrays(min_depth=1, optional=False, max_length=4), st.integers(1, 3), st.booleans())
def test_combinations(x, n, replacement):
    if any(c > 40 for c in awkward.to_list(awkward.ravel(awkward.num(x)))):
        return  # choices of 3 out of 300 take too long in lists of Python
    both(lambda ak, x: ak.combinations(x, n, replacement=replacement), x)
    both(lambda ak, x: ak.argcombinations(x, n, replacement=replacement), x)


@given(arrays(max_length=4))
@pytest.mark.parametrize(
    "where",
    [
        (slice(None), slice(0, 1)),
        (slice(None), slice(1, None)),
        (slice(None, None, 2),),
        (slice(None), slice(None, None, -1)),
        (slice(1, -1),),
        (Ellipsis, slice(0, 2)),
        (None, slice(0, 2)),
        ([],),
    ],
    ids=range(8),
)
def test_slices(where, x):
    both(lambda ak, x: x[where], x)


@given(arrays(min_depth=1, max_depth=1, leaf=small_integers(), regular=False))
def test_jagged_masks(x):
    both(lambda ak, x: x[x > 5], x)
    both(lambda ak, x: ak.mask(x, x > 5), x)
    both(lambda ak, x: ak.sum(x[x > 5], axis=1), x)


@given(arrays(min_depth=1, max_depth=1, optional=False, leaf=floats(False), regular=False))
def test_argmax_as_an_index(x):
    both(lambda ak, x: x[ak.argmax(x, axis=1, keepdims=True)], x)


@given(jagged_pairs(dtypes=("int64", "float64"), special=False))
def test_zip_and_back(pair):
    both(lambda ak, x, y: ak.zip({"x": x, "y": y}), *pair)
    both(lambda ak, x, y: ak.unzip(ak.zip([x, y])), *pair)
    both(lambda ak, x, y: ak.zip({"x": x, "y": y}, depth_limit=1).y, *pair)


@given(jagged_pairs(dtypes=("int64", "float64"), special=False))
def test_where_and_concatenate(pair):
    both(lambda ak, x, y: ak.where(x > 3, x, y), *pair)
    both(lambda ak, x, y: ak.concatenate([x, y]), *pair)


@given(arrays(min_depth=1, max_depth=1, optional=False, leaf=small_integers(), regular=False))
def test_inner_concatenate_and_cartesian(x):
    x = x[awkward.num(x) < 10]
    both(lambda ak, x: ak.concatenate([x, x + 1], axis=1), x)
    both(lambda ak, x: ak.cartesian([x, x]), x)
    both(lambda ak, x: ak.argcartesian({"a": x, "b": x}), x)
    both(lambda ak, x: ak.cartesian([x, x], nested=True), x)


@given(arrays(), st.sampled_from([0, 1, -1, None]))
def test_fill_none(x, axis):
    both(lambda ak, x: ak.fill_none(x, 0, axis=axis), x)


@given(arrays(optional=False), st.sampled_from(["int32", "float32", "float64", "bool"]))
def test_values_astype(x, dtype):
    with np.errstate(all="ignore"):
        finite = awkward.where(np.isfinite(x) & (abs(x) < 1e9), x, 0)
    both(lambda ak, x: ak.values_astype(x, dtype), awkward.values_astype(finite, "float64"))


STRUCTURED = {
    "itself": lambda ak, x: x,
    "num": lambda ak, x: ak.num(x),
    "flatten": lambda ak, x: ak.flatten(x),
    "firsts": lambda ak, x: ak.firsts(x),
    "is_none": lambda ak, x: ak.is_none(x, axis=1),
    "local_index": lambda ak, x: ak.local_index(x, axis=1),
    "slice": lambda ak, x: x[:, 1:],
    "reversed": lambda ak, x: x[::-1, ::-1],
    "mask": lambda ak, x: ak.mask(x, ak.num(x) > 1),
    "select": lambda ak, x: x[ak.local_index(x, axis=1) > 0],
    "pick": lambda ak, x: x[ak.num(x) > 0][:, 0],
    "concatenate": lambda ak, x: ak.concatenate([x, x[:1]]),
    "pad_none": lambda ak, x: ak.pad_none(x, 2),
    "combinations": lambda ak, x: ak.combinations(x[ak.num(x) < 9], 2),
    "cartesian": lambda ak, x: ak.cartesian([x[ak.num(x) < 9], x[ak.num(x) < 9]]),
    "zip": lambda ak, x: ak.zip({"a": x, "b": ak.local_index(x, axis=1)}, depth_limit=2),
}


@given(arrays(min_depth=1, max_depth=2, optional=False, leaf=structured(), regular=False))
@pytest.mark.parametrize("name", STRUCTURED)
def test_strings_records_unions(name, x):
    # Awkward's num of 32-bit offsets may be int32, and its pad_none an option or not.
    both(STRUCTURED[name], x, types=name not in ("num", "pad_none"))
