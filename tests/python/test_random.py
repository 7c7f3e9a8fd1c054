# Random calls from seeds in Awkward and here (fuzz.py runs more of them), and each difference that
# they have shown, as the smallest call that shows it.
import awkward
import numpy as np
import pytest
from calls import CALLS
from conftest import both
from fuzz import difference

import serrate as ak

SEEDS = {"slices": range(120)}
# Seeds of calls that Awkward refuses or answers by chance (see docs/coming_from_awkward.md), and
# types of unions and categories that become simpler here than there.
DIFFERENT = {
    "slices": [85, 87, 114],
    "without_parameters": [2],
    "categories": [5],
    "real": [1],
    "imag": [3],
    "run_lengths": [0, 1],
    "values_astype": [5],
    "sort": [1, 2, 4],
    "argsort": [1, 2, 3, 4],
    "concatenate": [5],
    "where": [3, 4, 5],
    "cartesian": [5],
    "argcartesian": [5],
    "unflatten": [1],
    "isclose": [3],
    "equal": [5],
}


@pytest.mark.parametrize("name", list(CALLS))
def test_random_calls(name):
    for seed in SEEDS.get(name, range(6)):
        if seed not in DIFFERENT.get(name, ()):
            assert difference(name, seed) is None, (name, seed)


LISTS = [[1, 2, 3], [], [4, 5]]
PAIRS = [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize(
    "where",
    [
        [None, None],
        [True],
        [True, False],
        np.array([True]),
        [False, False, True, False, False],
        [True, None],
        [[True], [], [False, True]],
        [[None], [], [0]],
        [[], [], []],
        (0, None),
        (None, 0),
        (None, -1, None),
        (0, None, slice(1, None)),
        (None, 0, [0, 1]),
        (slice(None), [True, False, False]),
    ],
)
def test_slices(where):
    for x in (LISTS, PAIRS, np.array(PAIRS), [1, 2, 3]):
        both(lambda ak, a: a[where], awkward.Array(x))


def test_masks_of_two_dimensions_are_indices():
    for mask in ([[True, True]], [[True], [False]], [[True, False, False], [False] * 3]):
        both(lambda ak, a, m=mask: a[np.array(m)], awkward.Array(PAIRS))
        both(lambda ak, a, m=mask: a[np.array(m)], awkward.Array(np.array(PAIRS)))


def test_regular_dimensions_check_indices_without_rows():
    empty = awkward.Array(np.zeros((0, 2)))
    for where in (2, -3):
        both(lambda ak, a, i=where: a[:, i], empty)
    both(lambda ak, a: a[[0, -1], [], 0], awkward.Array(np.zeros((3, 2, 2))))
    both(lambda ak, a: a[-1, []], awkward.Array([[1]])[:0])


def test_indices_of_what_has_no_items():
    shapes = (2, 0), (0, 3), (2, 0, 3), (2, 3, 0)
    for x in (*map(np.zeros, shapes), []):
        both(lambda ak, a: a[[5]], awkward.Array(x))
        both(lambda ak, a: a[[5, None]], awkward.Array(x))
    both(lambda ak, a: a[:, [0]], awkward.Array([[], []]))
    both(lambda ak, a: a[[[0], []]], awkward.Array([[], []]))


def unmasked(content):
    return awkward.Array(
        awkward.contents.ListOffsetArray(
            awkward.index.Index64([0, 2, 2, 5]), awkward.contents.UnmaskedArray(content)
        )
    )


def test_filters_by_a_constant():
    x = unmasked(awkward.contents.NumpyArray(np.arange(5)))
    both(lambda ak, a: ak.drop_none(a, axis=1), x)
    both(lambda ak, a: ak.singletons(a, axis=1), x)


def test_broadcasting_of_three_with_an_empty_one():
    for other in (np.zeros((0, 2)), np.zeros(0)):
        both(
            lambda ak, a, b, c: ak.broadcast_arrays(a, b, c),
            awkward.Array([[2, 3], [1]]),
            awkward.Array([[[3]]]),
            awkward.Array(other),
        )


def test_regular_lists_below_lists_of_other_spaces():
    # Their positions are not those of lists that are stored.
    both(lambda ak, a: ak.singletons(a[a > 1], axis=1), awkward.Array([[1, 2], [3, 4, 5]]))
    both(
        lambda ak, a: ak.pad_none(a[a[:, :, 0] > 1], 3, axis=2),
        awkward.to_regular(awkward.Array([[[1, 2]], [[3, 4], [5, 6]]]), axis=2),
    )
    both(
        lambda ak, a, b: ak.broadcast_arrays(a, b, depth_limit=2),
        awkward.Array([[1.5], [2.5]]),
        awkward.from_regular(awkward.Array(np.zeros((2, 1, 0))), axis=1),
    )
    both(
        lambda ak, a: ak.sum(a[a[:, :, 0] > 1], axis=2, keepdims=True),
        awkward.to_regular(awkward.Array([[[1, 2]], [[3, 4], [5, 6]]]), axis=2),
    )


def test_missing_regular_lists_of_where_are_as_long_as_others():
    lists = awkward.mask(awkward.Array(np.array([[1, 2, 3], [4, 5, 6]])), [True, False])
    both(lambda ak, c, x: ak.where(c, x, 2.5), awkward.Array([False, False]), lists)


def test_booleans_stay_apart_in_unions():
    x = awkward.Array([[[True]], [[1, "x"]], 5.5, True])
    both(lambda ak, a: a[::-1], x)
    both(lambda ak, a: a[:1, 0], awkward.Array([[True], [[2]]]))
    layout = awkward.contents.UnionArray(
        awkward.index.Index8([0, 1, 0]),
        awkward.index.Index64([0, 0, 1]),
        [
            awkward.Array([[1, 2], [3]]).layout,
            awkward.to_regular(awkward.Array([[True, False]])).layout,
        ],
    )
    both(lambda ak, a: a[:, 0], awkward.Array(layout))
    both(lambda ak, a: ak.mask(a, [[True, True], [False, True], [True]]), awkward.Array(layout))


def test_lists_that_differ_in_length_slice_with_an_index_error():
    with pytest.raises(IndexError):
        ak.Array(LISTS)[[[0], [0]]].tolist()
    with pytest.raises(IndexError):
        ak.Array([LISTS, LISTS])[[[[0], []], [[], [], []]]].tolist()


def test_a_named_slot_of_a_tuple_makes_a_record():
    both(lambda ak, a: ak.with_field(a, 5, "0"), awkward.Array([(1, 2.5), (3, 4.5)]))


def test_nothing_to_remove_where_there_are_no_records():
    both(lambda ak, a: ak.without_field(a, "x"), awkward.Array([[1], []]))
    both(lambda ak, a: ak.without_field(a, "z"), awkward.Array([{"x": 1, "y": 2}]))


def test_an_option_without_missing_items_is_filled_with_nothing():
    x = awkward.Array(awkward.contents.UnmaskedArray(awkward.Array([[1.5], [2.5]]).layout))
    both(lambda ak, a: ak.fill_none(a, 0, axis=0), x)


def test_all_items_of_categories_are_their_values():
    x = awkward.str.to_categorical(awkward.Array([["one"], ["two", "one"]]))
    both(lambda ak, a: ak.ravel(a), x)
    both(lambda ak, a: ak.flatten(a, axis=None), x)


def test_one_array_for_where_may_miss_items():
    both(lambda ak, a: ak.where(a), awkward.Array([None, 4, 0, 5]))


def test_parts_of_named_records():
    x = awkward.Array([{"x": 1 + 2j, "y": 3}], with_name="Point")
    for name in ("real", "imag", "angle"):
        both(lambda ak, a, f=name: getattr(ak, f)(a), x)
    both(lambda ak, a: ak.round(a), awkward.Array([True, False]))


def test_a_path_through_what_is_no_record():
    both(lambda ak, a: ak.with_field(a, 1, ["x", "y"]), awkward.Array([1, 2]))
    both(lambda ak, a: ak.with_parameter(a, "p", None), awkward.Array([1, 2]))


def test_the_member_of_what_is_missing_is_one_that_there_is():
    # A scalar that is picked from nothing had any tag, and was looked for there.
    x = awkward.where(awkward.Array([True]), awkward.Array([[["a", "b"]]]), 1)
    x = ak.mask(ak.from_awkward(x), [False])
    assert ak.max(x) is None
    assert ak.min(x, axis=None, keepdims=True).tolist() == [None]
    for y in (awkward.Array([1.5, "a", 2.5]), awkward.Array([[1.5, "a"], ["b"]])):
        both(lambda ak, a: a[[1, None, 0]], y)
        taken = ak.from_awkward(y)[[1, None, 0]]
        assert ak.is_valid(taken)
        assert ak.Array(taken.layout).tolist() == taken.tolist()


def test_checks_of_constants_are_seen_from_where_they_are_asked():
    # Whether lists of 2 split into lists of 1 is a constant; that they are there is none.
    x = awkward.mask(awkward.Array(np.arange(6).reshape(3, 2)), [True, False, True])
    both(lambda ak, a: ak.ravel(ak.unflatten(a, 1, axis=1)), x)
    both(lambda ak, a: ak.flatten(ak.unflatten(a, 2, axis=1)), x)
    both(lambda ak, a: ak.drop_none(ak.unflatten(a, 1, axis=1), axis=0)[:, :1], x)
    split = ak.unflatten(ak.from_awkward(x), 4, axis=1)
    with pytest.raises(ValueError, match="can't be split into lists of 4"):
        ak.drop_none(split, axis=0).tolist()


def test_regular_rows_of_unknown_number_are_broadcast():
    # How many rows are left decides whether they are a row of numbers: it is looked at.
    x = awkward.Array(np.arange(9).reshape(3, 3))
    both(lambda ak, a: a[a[:, 0] >= 0] - a[a[:, 0] >= 0, 1], x)
    both(lambda ak, a: a[a[:, 0] > 5] + a[a[:, 0] > 5, 1], x)
    both(lambda ak, a: a[a[:, 0] > 2] + a[a[:, 0] > 2, 1], x)
