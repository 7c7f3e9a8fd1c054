# Errors: the family, and that the text says what was asked and where.
import json
import re

import awkward
import numpy as np
import pytest

import serrate as ak

X = ak.Array([[1, 2, 3], [], [4, 5]])


def look(x):
    return ak.to_list(x)


def test_unknown_field():
    r = ak.Array([{"x": 1}])
    with pytest.raises(IndexError, match="z"):
        r["z"]
    with pytest.raises(ak.errors.FieldNotFoundError):
        ak.without_field(r, "z")
    with pytest.raises(AttributeError, match="z"):
        _ = r.z


@pytest.mark.parametrize("reducer", [ak.sum, ak.max, ak.any])
def test_a_single_value_of_items_of_which_one_is_missing(reducer):
    """Whichever block of a GPU finds it, no value is seen before."""
    n = 100_000
    x = ak.Array(np.arange(n))
    for bad in (0, n // 2, n - 1):
        places = np.arange(n)[::-1].copy()
        assert reducer(x[ak.Array(places)]) == reducer(x)
        places[bad] = n
        with pytest.raises(IndexError, match=str(n)):
            reducer(x[ak.Array(places)])


@pytest.mark.parametrize("f", [ak.sum, ak.num, ak.local_index, ak.flatten, ak.max, ak.is_none])
def test_wrong_axis(f):
    with pytest.raises(ValueError, match="axis"):
        look(f(X, axis=7))
    with pytest.raises(IndexError):
        look(f(X, axis=7))


def test_axis_of_the_wrong_class():
    for axis in ("x", 1.5):  # no axis is named x
        with pytest.raises((TypeError, ValueError)):
            ak.sum(X, axis=axis)


def test_unequal_lists():
    with pytest.raises(ValueError):
        look(X + ak.Array([[1], [2, 3], []]))
    with pytest.raises(ValueError):
        look(ak.zip({"x": X, "y": ak.Array([[1], [2, 3], []])}))
    with pytest.raises(ValueError):
        look(X[:2] + X)


def test_index_out_of_range():
    for i in (3, -4, 10**30):
        with pytest.raises(IndexError):
            X[i]
    with pytest.raises(IndexError):
        look(X[:, 1])
    with pytest.raises(IndexError):
        look(X[[0, 5]])
    with pytest.raises(IndexError):
        look(X[ak.Array([[0], [0], []])])


def test_a_wrong_result_beside_a_right_one():
    x = ak.Array([[1.0, 2.0], [3.0]])

    def look():
        total, second = ak.compute(ak.sum(x, axis=None), x[:, 1])
        try:
            assert float(total) == 6.0
        finally:
            second.to_list()

    with pytest.raises(IndexError, match="index 1"):
        look()


@pytest.mark.parametrize(
    "lists",
    [
        lambda x: ak.broadcast_arrays(ak.Array([1, 2]), x)[0],
        lambda x: ak.zip({"a": ak.broadcast_arrays(ak.Array([1, 2]), x)[0]}),
        lambda x: ak.broadcast_arrays(ak.Array([1, None]), x)[0],
        lambda x: ak.broadcast_arrays(ak.Array([[1], [2, 3]]), x, depth_limit=1)[0],
        lambda x: ak.broadcast_arrays(ak.Array(["a", "bc"]), x)[0],
        lambda x: ak.zeros_like(x) + ak.Array([1, 2]),
        lambda x: x[ak.argmax(x, axis=-1, keepdims=True)],
        lambda x: x[ak.argmax(x, axis=-1, keepdims=True)] + ak.num(x),
        lambda x: ak.singletons(ak.Array([1, None]) + 1),
    ],
)
def test_index_of_items_that_are_the_same_all_along_a_list(lists):
    x = ak.Array([[1], [4, 5]])
    for index in (1, 7, -2):
        with pytest.raises(IndexError, match="out of range"):
            look(lists(x)[:, index])
    full = lists(x)[:1]
    assert look(full[:, 0]) == look(ak.materialize(full)[:, 0]) == look(full[:, -1])


def test_errors_at_evaluation_name_the_line():
    bad = X[:, 1]
    with pytest.raises(IndexError, match=r"test_errors\.py:\d+"):
        look(bad)
    worse = X + ak.Array([[1], [2, 3], []])
    with pytest.raises(ValueError, match=r"test_errors\.py:\d+") as e:
        look(worse)
    line = int(re.search(r"test_errors\.py:(\d+)", str(e.value)).group(1))
    with open(__file__) as f:
        assert "worse = X +" in f.read().splitlines()[line - 1]


def test_wrong_slicers():
    for where in (1.5, True, b"x", {"a": 1}, object()):
        with pytest.raises(ValueError if isinstance(where, dict) else TypeError):
            X[where]
    with pytest.raises((IndexError, ValueError)):
        look(X[0, 0, 0])
    with pytest.raises(IndexError):
        look(X[[False] * len(X) + [True]])


@pytest.mark.parametrize(
    "text", ["3 * ", "var * foo", "{x: int64", "3 * var * int64]", "?", "union[", ""]
)
def test_bad_type_strings(text):
    with pytest.raises(ValueError):
        ak.types.from_datashape(text)


def form_of(data):
    return awkward.to_buffers(awkward.Array(data))


def test_short_buffer():
    form, length, container = form_of([[1, 2], [], [3]])
    for key in container:
        short = dict(container)
        short[key] = short[key][:-1]
        with pytest.raises(ValueError, match=key):
            ak.from_buffers(form, length, short)
    with pytest.raises(ValueError):
        ak.from_buffers(form, length, {})
    with pytest.raises(ValueError):
        ak.from_buffers(form, -1, container)


@pytest.mark.parametrize("offsets", [[0, 2, 1, 3], [0, 2, 2, 9], [-1, 0, 1, 3], [3, 2, 1, 0]])
def test_bad_offsets(offsets):
    form, length, container = form_of([[1, 2], [], [3]])
    container["node0-offsets"] = np.array(offsets, "int64")
    with pytest.raises(ValueError):
        look(ak.from_buffers(form, length, container))


def test_bad_tags_index_and_form():
    form, length, container = form_of([1, "a"])
    bad = dict(container)
    bad["node0-tags"] = np.array([0, 5], "int8")
    with pytest.raises(ValueError):
        look(ak.from_buffers(form, length, bad))
    with pytest.raises(ValueError):
        ak.from_buffers("{", 0, {})
    for wrong in (
        {"class": "NoSuchArray"},
        {"class": "NumpyArray", "primitive": "float17", "form_key": "a"},
        [1],
    ):
        with pytest.raises((ValueError, TypeError)):
            ak.from_buffers(json.dumps(wrong), 1, {"a-data": np.zeros(8)})
    with pytest.raises(TypeError):
        ak.from_buffers(5, 0, {})


def test_foreign_objects():
    class Foreign:
        pass

    for call in (
        lambda o: ak.Array(o),
        lambda o: ak.sum(o),
        lambda o: X + o,
        lambda o: o * X,
        lambda o: np.add(X, o),
        lambda o: ak.zip({"x": o}),
        lambda o: ak.concatenate(o),
    ):
        with pytest.raises(TypeError):
            call(Foreign())
    with pytest.raises(TypeError):
        ak.Array(5)
    with pytest.raises(ValueError):
        ak.Array("no JSON text")
    with pytest.raises(ValueError):
        ak.from_iter([Foreign()])
    with pytest.raises(TypeError):
        ak.Array(np.array([1, "a"], dtype=object))


def test_lists_that_contain_themselves():
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError):
        ak.Array(loop)


def test_ufunc_forms_that_are_refused():
    x = ak.Array([1, 2])
    with pytest.raises(ValueError, match="binary functions"):
        np.negative.reduce(ak.Array([1]))
    with pytest.raises(TypeError, match="cast"):
        np.add(x, 1.5, out=ak.Array([0, 0]))
    with pytest.raises(ValueError, match="fit"):
        np.add(ak.Array([[1, 2]]), 1, out=ak.Array([0]))
    with pytest.raises(TypeError, match="go on"):
        np.less.reduce(x)
    with pytest.raises(ValueError, match="expected arrays"):
        x @ 1


def test_records_and_strings_refuse_arithmetic():
    with pytest.raises((TypeError, ValueError)):
        look(ak.Array([{"x": 1}]) + 1)
    with pytest.raises(TypeError):
        look(ak.Array(["a"]) + 1)
    with pytest.raises((TypeError, ValueError)):
        look(ak.sum(ak.Array(["a"]), axis=-1))


def test_unknown_arguments():
    with pytest.raises(TypeError):
        ak.sum(X, no_such_argument=1)
    with pytest.raises(ValueError, match="tpu"):
        ak.to_backend(X, "tpu")


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_to_numpy_of_ragged_arrays():
    with pytest.raises(ValueError):
        ak.to_numpy(X.to_list())
    with pytest.raises(ValueError):
        ak.to_numpy(ak.Array([1, None]), allow_missing=False)
    with pytest.raises(TypeError):
        ak.to_numpy(ak.Array([1, "a"]))


def test_builder_that_does_not_nest():
    b = ak.ArrayBuilder()
    with pytest.raises(ValueError):
        b.end_list()


AXIS_CALLS = {
    "sum": lambda ak, x, axis: ak.sum(x, axis=axis),
    "argmax": lambda ak, x, axis: ak.argmax(x, axis=axis),
    "mean": lambda ak, x, axis: ak.mean(x, axis=axis),
    "num": lambda ak, x, axis: ak.num(x, axis=axis),
    "flatten": lambda ak, x, axis: ak.flatten(x, axis=axis),
    "sort": lambda ak, x, axis: ak.sort(x, axis=axis),
    "fill_none": lambda ak, x, axis: ak.fill_none(x, 0, axis=axis),
    "is_none": lambda ak, x, axis: ak.is_none(x, axis=axis),
    "to_regular": lambda ak, x, axis: ak.to_regular(x, axis=axis),
    "combinations": lambda ak, x, axis: ak.combinations(x, 2, axis=axis),
    "concatenate": lambda ak, x, axis: ak.concatenate([x, x], axis=axis),
    "corr": lambda ak, x, axis: ak.corr(x, x, axis=axis),
}


@pytest.mark.parametrize("axis", [1.5, (0, 1), True, [1]], ids=repr)
@pytest.mark.parametrize("name", AXIS_CALLS)
def test_what_is_no_axis(name, axis):
    """Some of Awkward's functions raise TypeError, some ValueError: ours are both."""
    with pytest.raises((TypeError, ValueError)) as theirs:
        AXIS_CALLS[name](awkward, awkward.Array([[1, 2], [3, 4]]), axis)
    with pytest.raises(theirs.type):
        AXIS_CALLS[name](ak, ak.Array([[1, 2], [3, 4]]), axis)
    with pytest.raises(ak.errors.AxisTypeError):
        AXIS_CALLS[name](ak, ak.Array([[1, 2], [3, 4]]), axis)


def message(f, error):
    with pytest.raises(error) as caught:
        f()
    return str(caught.value)


def test_attributes_that_are_elsewhere():
    r = ak.Array([{"x": 1, "y": 2}])
    assert "serrate.sum(x)" in message(lambda: X.sum(), AttributeError)
    assert "values_astype" in message(lambda: X.astype(float), AttributeError)
    assert "x.type" in message(lambda: X.shape, AttributeError)
    assert "the fields are x, y" in message(lambda: r.z, AttributeError)
    assert "the fields are x, y" in message(lambda: r[0].z, AttributeError)
    wide = ak.Array([{f"f{i}": i for i in range(20)}])
    assert "f9 ..." in message(lambda: wide.z, AttributeError)
    assert not hasattr(X, "shape")


def test_attributes_that_raise_keep_their_error():
    behavior = {}

    @ak.mixin_class(behavior)
    class Point:
        @property
        def broken(self):
            raise AttributeError("of my own")

    p = ak.Array([{"x": 1}], with_name="Point", behavior=behavior)
    assert message(lambda: p.broken, AttributeError) == "of my own"


def test_names_that_the_module_lacks():
    assert "awkward.from_rdataframe" in message(lambda: ak.from_rdataframe("f"), AttributeError)
    assert "to_awkward" in message(lambda: ak.to_rdataframe(X), AttributeError)
    assert "numpy.arange" in message(lambda: ak.arange(3), AttributeError)
    assert "flatten" in message(lambda: ak.flaten(X), AttributeError)
    assert not hasattr(ak, "from_rdataframe")
    assert not hasattr(ak, "_nothing")


def test_calls_that_do_not_fit():
    text = message(lambda: ak.sum(X, axes=1), TypeError)
    assert "sum: got an unexpected keyword argument 'axes'" in text
    assert "sum(array, axis=None" in text
    assert "missing a required argument" in message(lambda: ak.num(), TypeError)
    assert "too many positional" in message(lambda: ak.num(X, 1, 2), TypeError)
    assert "n=str" in message(lambda: ak.combinations(X, "two"), TypeError)
    # Errors of the functions themselves are as they were.
    assert "not defined for strings" in message(lambda: ak.sum(["a"]), TypeError)


def test_data_that_are_no_array():
    assert "list of them" in message(lambda: ak.Array("abc"), ValueError)
    assert "NoneType" in message(lambda: ak.Array(None), TypeError)
    assert "no records" in message(lambda: X["x"], IndexError)
