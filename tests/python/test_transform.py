# transform: functions of the user on the nodes of layouts, as in Awkward.
import awkward
import numpy as np
import pytest
from conftest import assert_same, both
from interface import EVERY, theirs

import serrate

LIBRARIES = pytest.mark.parametrize("ak", [awkward, serrate], ids=["awkward", "serrate"])


def tenfold(ak):
    def f(layout, **kwargs):
        if layout.is_numpy and layout.parameter("__array__") is None:
            return ak.contents.NumpyArray(layout.data * 10)
        return None

    return f


def wrapped(ak):
    def f(layout, continuation, **kwargs):
        if layout.is_option or layout.is_union or layout.parameter("__array__"):
            return None
        return ak.contents.UnmaskedArray(continuation())

    return f


@pytest.mark.parametrize("name", [n for n in EVERY if n != "times"])
def test_numbers_replaced(name):
    both(lambda ak, x: ak.transform(tenfold(ak), x), theirs(name))


@pytest.mark.parametrize("name", ["lists", "deep", "records", "flat", "words", "nested records"])
def test_nodes_put_around(name):
    both(lambda ak, x: ak.transform(wrapped(ak), x), theirs(name))


@LIBRARIES
def test_contexts(ak):
    seen, places = [], []

    def f(layout, depth, depth_context, lateral_context, backend, behavior, **kwargs):
        seen.append((depth, layout.is_numpy, list(depth_context["path"])))
        depth_context["path"].append(depth)
        depth_context["path"] = list(depth_context["path"])
        lateral_context["count"] += 1
        places.append(backend)

    lateral = {"count": 0}
    x = ak.Array([[[1, 2]], [[3]]])
    path = {"path": []}
    ak.transform(f, x, depth_context=path, lateral_context=lateral, return_value="none")
    assert [s[:2] for s in seen] == [(1, False), (2, False), (3, True)]
    assert lateral == {"count": 3}
    assert len(set(map(str, places))) == 1


@LIBRARIES
def test_what_is_refused(ak):
    x = ak.Array([[{"x": 1}], []])
    with pytest.raises(TypeError):
        ak.transform(lambda layout, **kwargs: 5, x)
    with pytest.raises(ValueError):
        ak.transform(lambda layout, **kwargs: None, x, allow_records=False)
    with pytest.raises(ValueError):
        ak.transform(lambda layouts, **kwargs: None, x, x, allow_records=False)
    with pytest.raises(RuntimeError):
        ak.transform(lambda layout, **kwargs: None, x, expect_return_value=True)
    with pytest.raises(ValueError):
        ak.transform(lambda layouts, **kwargs: None, ak.Array([[1], []]), ak.Array([[], [1]]))


@LIBRARIES
def test_numpy_and_regular(ak):
    x = ak.from_numpy(np.arange(6).reshape(3, 2))
    kinds = []

    def f(layout, **kwargs):
        kinds.append(type(layout).__name__)

    ak.transform(f, x, numpy_to_regular=True, return_value="none")
    assert kinds == ["RegularArray", "NumpyArray"]
    kinds.clear()
    ak.transform(f, ak.to_regular([[1, 2], [3, 4]]), regular_to_jagged=True, return_value="none")
    assert kinds == ["ListOffsetArray", "NumpyArray"]


def added(ak):
    def f(layouts, **kwargs):
        if all(x.is_numpy for x in layouts):
            return ak.contents.NumpyArray(layouts[0].data + layouts[1].data)
        return None

    return f


PAIRS = {
    "lists and numbers": ([[1, 2, 3], [], [4, 5]], [10, 20, 30]),
    "equal lists": ([[1, 2, 3], [], [4, 5]], [[1, 2, 3], [], [4, 5]]),
    "options": ([[1, 2, None], [], None], [10, None, 30]),
    "deep": ([[[1, 2], []], [], [[3]]], [[1, 2], [], [3]]),
    "matrices": (np.arange(6).reshape(2, 3), np.arange(3)[np.newaxis]),
    "matrix and column": (np.arange(6).reshape(2, 3), np.arange(2)[:, np.newaxis]),
    "one": ([5], [1, 2, 3]),
    "unknown": ([[], []], [1, 2]),
    "records": ([{"x": 1, "y": [2, 3]}], [{"x": 10, "y": [20, 30]}]),
    "records and numbers": ([{"x": 1, "y": [2, 3]}], [100]),
    "unions": ([1, [2, 3], 4], [10, 20, 30]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_two_arrays(name):
    both(lambda ak, x, y: ak.transform(added(ak), x, y), *map(awkward.Array, PAIRS[name]))


# Awkward's arrays of NumPy's are leaves, which it leaves as they are.
@pytest.mark.parametrize("name", [n for n in PAIRS if n != "matrix and column"])
def test_two_arrays_as_they_are(name):
    both(lambda ak, x, y: ak.transform(lambda _, **k: None, x, y), *map(awkward.Array, PAIRS[name]))


@pytest.mark.parametrize("rule", ["intersect", "one_to_one", "all_or_nothing", "none"])
def test_parameters(rule):
    def call(ak, x, y):
        x = ak.with_parameter(ak.with_parameter(x, "p", 1), "q", 2)
        y = ak.with_parameter(y, "p", 1)
        out = ak.transform(lambda _, **k: None, x, y, broadcast_parameters_rule=rule)
        return [ak.parameters(z) for z in out], list(out)

    both(call, awkward.Array([[1, 2], [3]]), awkward.Array([[4, 5], [6]]))


@LIBRARIES
def test_several_results(ak):
    def f(layouts, **kwargs):
        if layouts[0].is_numpy and layouts[1].is_numpy:
            return layouts[1], layouts[0], layouts[1]
        return None

    x, y = ak.Array([[1, 2], []]), ak.Array([5, 6])
    out = ak.transform(f, x, y)
    assert [z.to_list() for z in out] == [[[5, 5], []], [[1, 2], []], [[5, 5], []]]
    assert ak.transform(f, x, y, return_value="none") is None


def test_attributes_stay():
    x = serrate.Array([[1, 2], []], attrs={"a": 1}, named_axis=("events", None))
    y = serrate.transform(tenfold(serrate), x)
    assert dict(y.attrs)["a"] == 1
    assert y.named_axis == {"events": 0}
    assert_same(serrate.transform(added(serrate), x, x), awkward.Array([[2, 4], []]))
    layout = serrate.transform(tenfold(serrate), x, highlevel=False)
    assert isinstance(layout, serrate.contents.ListOffsetArray)


def test_what_comes_back_may_be_missing():
    def halves(ak):
        def f(layout, **kwargs):
            if layout.is_numpy:
                n = len(layout)
                index = np.where(np.arange(n) % 2 == 0, np.arange(n), -1)
                return ak.contents.IndexedOptionArray(ak.index.Index64(index), layout)
            return None

        return f

    x = awkward.Array([[1, None, 2], [], [3, 4]])
    assert_same(
        serrate.transform(halves(serrate), serrate.Array(x)), awkward.transform(halves(awkward), x)
    )


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_members_that_fit_one_type_are_one():
    def lengths(ak):
        def f(layout, **kwargs):
            if layout.is_list:
                return ak.contents.NumpyArray(np.arange(len(layout)))
            return None

        return f

    x = awkward.concatenate([awkward.Array([1.5, 2.5]), awkward.Array([["a"], ["b"]])])
    f, g = lengths(serrate), lengths(awkward)
    assert_same(serrate.transform(f, serrate.Array(x)), awkward.transform(g, x))
