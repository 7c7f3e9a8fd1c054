# What an expression means is fixed when it is written: it gives what it gives step by step,
# whoever looks at what, and when. SERRATE_PROGRAMS says how many random programs are run.
import os

import numpy as np
import pytest
from conftest import plain, type_text
from programs import Program

import serrate as ak

COUNT = int(os.environ.get("SERRATE_PROGRAMS", "150"))
# Those that found something.
FOUND = [1390, 1991, 3438, 50444, 103365]


@pytest.mark.parametrize("first", range(0, COUNT, 50))
def test_programs(first):
    for seed in range(first, min(first + 50, COUNT)):
        assert not Program(seed).differences(), f"program {seed}"


@pytest.mark.parametrize("seed", FOUND)
def test_programs_that_found_something(seed):
    assert not Program(seed).differences()


def check(result, values, type_=None):
    assert plain(result) == values
    if type_:
        assert type_text(result) == type_


# Whole arrays as regular lists of their length, where a union has something else.
def test_regular_lists_keep_their_size_where_there_are_none():
    for _ in range(50):
        x = ak.Array([3.0, 1.0, 2.0])
        y = x[x > 1]
        check(
            ak.concatenate([ak.Array([1.0, 2.0]), y[np.newaxis]]),
            [1.0, 2.0, [3.0, 2.0]],
            "3 * union[float64, 2 * float64]",
        )
        check(ak.concatenate([ak.Array([1, 2]), ak.topk(x, 2)[np.newaxis]]), [1, 2, [3.0, 2.0]])
        pairs = ak.cartesian([x[x > 2], x], axis=0)
        check(ak.concatenate([ak.Array([1]), pairs[np.newaxis]])[1], plain(pairs))


def test_whole_filtered_arrays_are_picked_where_there_may_be_none():
    x = ak.Array([3, 1, 2])
    check(x[x > 1][np.newaxis][[0, None, 0]], [[3, 2], None, [3, 2]], "3 * option[2 * int64]")
    check(ak.pad_none(x[x > 1][np.newaxis], 2, axis=0), [[3, 2], None])


@pytest.mark.parametrize("name", ["sum", "max", "mean", "ptp", "prod", "count", "argmax"])
def test_single_values_picked_from_joined_lists(name):
    x = ak.Array([[3.0, 1.0], [2.0]])
    f = getattr(ak, name)
    value = plain(f(x, axis=None))

    def lists():
        return f(x, axis=None, keepdims=True)

    for picked in (
        lambda: ak.flatten(lists())[0],
        lambda: ak.flatten(lists())[-1],
        lambda: ak.ravel(lists())[0],
        lambda: ak.firsts(ak.ravel(lists()), axis=0),
        lambda: ak.flatten(ak.zip({"a": lists()}))[0].a,
    ):
        assert plain(picked()) == value
    for index in (1, -2):
        with pytest.raises(IndexError):
            plain(ak.flatten(lists())[index])


CONSTANTS = {
    "zip": lambda c: ak.zip({"a": ak.Array([1, 2]), "b": c})["b"],
    "zip of lists": lambda c: ak.flatten(ak.zip({"a": ak.Array([[1], [2]]), "b": c})["b"]),
    "tuple": lambda c: ak.zip((ak.Array([1, 2]), c))["1"],
    "broadcast_arrays": lambda c: ak.broadcast_arrays(ak.Array([1, 2]), c)[1],
    "values_astype": lambda c: ak.values_astype(
        ak.broadcast_arrays(ak.Array([1, 2]), c)[1], np.int64
    ),
    "with_field": lambda c: ak.with_field(ak.Array([{"a": 1}, {"a": 2}]), c, "b").b,
    "where": lambda c: ak.where(ak.Array([True, False]), c, c),
    "cartesian": lambda c: ak.unzip(ak.cartesian([ak.Array([[1, 2]]), c]))[1][0],
    "concatenate": lambda c: ak.concatenate([ak.Array([[], []]), c], axis=1)[:, 0],
    "fill_none": lambda c: ak.fill_none(ak.Array([None, None]), c),
}


@pytest.mark.parametrize("constant", [100, 1000, -1, 2.5, True])
@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_in_arrays_have_the_type_that_the_array_shows(name, constant):
    make = CONSTANTS[name]
    looked_at = ak.materialize(make(constant))
    for other in (np.array([100, 1], np.int8), np.float32(0.5), np.array([True, False])):
        expected = looked_at * other
        check(make(constant) * other, plain(expected), type_text(expected))


def test_a_number_alone_takes_the_type_of_what_it_meets():
    assert type_text(ak.Array(np.array([1, 2], np.int8)) + 100) == "2 * int8"
    with pytest.raises(OverflowError):
        ak.Array(np.array([1, 2], np.int8)) + 1000


BROADCAST = {
    "add": lambda x, y: x + y,
    "greater": lambda x, y: x > y,
    "zip": lambda x, y: ak.zip({"a": x, "b": y}),
    "cartesian": lambda x, y: ak.cartesian([x[:, np.newaxis], y[:, np.newaxis]]),
    "where": lambda x, y: ak.where(x > 0, x, y),
    "where of conditions": lambda x, y: ak.where(y > 1, x, 0),
    "concatenate": lambda x, y: ak.concatenate([x[:, np.newaxis], y[:, np.newaxis]], axis=1),
    "with_field": lambda x, y: ak.with_field(ak.zip({"a": x}), y, "b"),
    "broadcast_arrays": lambda x, y: ak.broadcast_arrays(x, y)[0],
    "ufunc": lambda x, y: np.clip(x, y, y),
    "isclose": lambda x, y: ak.isclose(x, y),
}


@pytest.mark.parametrize("more", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("name", BROADCAST)
def test_lengths_that_only_data_tell_broadcast_like_others(name, more):
    """Arrays of one item repeat along axis 0, those of none leave nothing."""
    f = BROADCAST[name]

    def outcome(x, y):
        try:
            result = f(x, y)
            return plain(result), type_text(result)
        except ValueError:
            return "ValueError"

    def filtered():
        i = ak.Array([1, 2, 3, 4, 5])
        return i[i > 5 - more]

    for other in (lambda: ak.Array([10, 20, 30]), lambda: filtered()[:1], filtered):
        known = ak.materialize(filtered()), ak.materialize(other())
        assert outcome(filtered(), other()) == outcome(*known)
        assert outcome(other(), filtered()) == outcome(*known[::-1])


def test_masks_of_other_lengths_name_what_they_keep():
    i = ak.Array([1, 2, 3])
    for mask in (i[i > 5] > 0, i[i > 2] > 0, (i > 1)[i > 1]):
        expected = plain(i[ak.materialize(mask)])
        check(i[(mask)], expected)
    record = ak.Array([{"x": [1, 2, 3]}])[0]
    check(record[i[i > 5] > 0], {"x": []})


# Writing an expression down must not compute it: what fails shows who looks.
FUSED = {
    "arithmetic": lambda y: (y + 1) * y,
    "filter": lambda y: y[y > 0] + y[y > 0] * 2,
    "filtered fields": lambda y: (lambda r: r.a + r.b)(ak.zip({"a": y, "b": y * 2})[y > 1]),
    "reducer": lambda y: ak.sum(y[y > 1] ** 2) + ak.Array([1, 2]),
    "where": lambda y: ak.where(y > 1, y, -y),
    "zip": lambda y: ak.zip({"a": y, "b": y + 1, "c": 1}),
    "masked": lambda y: ak.mask(y, y > 1)[y > 0],
    "known lengths": lambda y: y + ak.Array([1, 2]),
}


@pytest.mark.parametrize("name", FUSED)
def test_nobody_looks_while_an_expression_is_written(name):
    y = ak.Array([[1, 2], [3]])[:, 1]
    if name == "reducer":
        y = y[np.newaxis]
    result = FUSED[name](y) if name != "reducer" else ak.sum(y[:, :1], axis=-1)
    with pytest.raises(IndexError):
        ak.to_list(result)


def test_what_was_aligned_is_nothing_where_there_is_nothing():
    def z(slicer):
        y = ak.Array([[[1]]])[::-1]
        return y[slicer(y)]

    for slicer in (
        lambda y: ak.argmin(y, axis=None, keepdims=True),
        lambda y: ak.argmax(y, axis=1, keepdims=True),
        lambda y: ak.argsort(y, axis=-1),
    ):
        known = plain(ak.materialize(z(slicer)))
        check(ak.concatenate([z(slicer), z(slicer)]), known * 2)
        check(ak.pad_none(z(slicer), 2, axis=0), [*known, None])


# Errors belong to values: what is made of one that fails fails, though it may need nothing of it.
NEEDLESS = {
    "is_none": lambda y: ak.is_none(y),
    "zeros_like": lambda y: ak.zeros_like(y),
    "ones_like": lambda y: ak.ones_like(y),
    "full_like": lambda y: ak.full_like(y, 7),
    "num": lambda y: ak.num(y[:, np.newaxis]),
    "count": lambda y: ak.count(y[:, np.newaxis], axis=1),
    "local_index": lambda y: ak.local_index(y, axis=0),
    "slice": lambda y: y[:1],
    "no rows": lambda y: y[:0],
    "item": lambda y: y[0],
    "rows": lambda y: y[[0]],
    "mask": lambda y: ak.mask(y, [True, False]),
    "where": lambda y: ak.where([True, False], y, 0),
    "a field": lambda y: ak.zip({"a": y, "b": [1, 2]}).b,
    "unzip": lambda y: ak.unzip(ak.zip({"a": y, "b": [1, 2]}))[1],
    "item of a field": lambda y: ak.zip({"a": y, "b": [1, 2]})[0].b,
    "broadcast": lambda y: ak.broadcast_arrays(y, 1)[1],
    "no items": lambda y: y + ak.Array(np.array([], np.int64))[np.newaxis, :][:, :0],
    "pad_none": lambda y: ak.pad_none(y, 1, axis=0, clip=True),
    "concatenate": lambda y: ak.concatenate([[5], y])[:1],
    "long way": lambda y: ak.zeros_like(ak.ones_like(y) + 1)[:0],
    "regular": lambda y: ak.unflatten(y, 1)[:, :0],
    "product": lambda y: ak.unzip(ak.cartesian([y, [1]], axis=0))[1],
}
FAILING = {
    "item": (IndexError, lambda: ak.Array([[1, 2], [3]])[:, 1]),
    "lists": (ValueError, lambda: (ak.Array([[1, 2], [3]]) + ak.Array([[1, 2], []]))[:, 0]),
    "slicer": (IndexError, lambda: ak.Array([[1, 2], [3]])[[[0], [5]]][:, 0]),
    "missing": (ValueError, lambda: ak.Array([2, 3]) ** ak.Array([1, -1])),
}


@pytest.mark.parametrize("failing", FAILING)
@pytest.mark.parametrize("name", NEEDLESS)
def test_what_is_made_of_an_error_fails(name, failing):
    error, y = FAILING[failing]
    with pytest.raises(error):
        ak.to_list(NEEDLESS[name](y()))


def test_errors_are_of_what_was_written_first():
    x, y = ak.Array([[1, 2], [3]]), ak.Array([[1], [2]])
    with pytest.raises(ValueError, match="broadcast"):
        ak.to_list((x + y)[:, 1])
    with pytest.raises(IndexError):
        ak.to_list(x[:, 1][:, np.newaxis] + ak.Array([[1, 2], []]))


def test_what_holds_is_looked_at_once_and_then_forgotten():
    x = ak.Array([[1, 2], [3]])
    y = x[:, 0]
    first, second = y[:1], ak.zeros_like(y)
    check(first, [1])
    check(second, [0, 0])
    check(y[1:], [3])
    assert y[0] == 1


def test_others_are_not_made_of_it():
    x = ak.Array([[1, 2], [3]])
    wrong = ak.zeros_like(x[:, 1])
    check(ak.zeros_like(x[:, 0]), [0, 0])
    check(ak.Array([1]) + 1, [2])
    with pytest.raises(IndexError):
        ak.to_list(wrong)
    with pytest.raises(IndexError):
        ak.to_list(wrong)
