# Array and Record as Python objects: indexing, fields, iteration, pickling, Awkward.
import copy
import pickle
import subprocess
import sys

import awkward
import numpy as np
import pytest
from conftest import assert_same, both

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

X = [[1, 2, 3], [], [4, 5]]
RECORDS = [{"x": 1, "y": [1.5]}, {"x": 2, "y": []}, {"x": 3, "y": [2.5, 3.5]}]


@pytest.mark.parametrize(
    "where",
    [
        0,
        -1,
        np.int32(1),
        slice(1, None),
        (0, 1),
        (slice(None), slice(None, 1)),
        [2, 0],
        [True, False, True],
        np.array([0, -1]),
        np.array([True, True, False]),
        (..., slice(0, 1)),
        [[0], [], [1]],
        ([0, 2], 0),
        [0, None],
        np.array([[0, 1], [2, 0]]),
    ],
    ids=str,
)
def test_getitem(where):
    def call(lib, x):
        return x[
            lib.Array(where)
            if isinstance(where, list) and where and isinstance(where[0], list)
            else where
        ]

    both(call, X)


@pytest.mark.parametrize(
    "where",
    ["x", ["x"], ("y", 0), (0, "x"), (slice(1, 3), "y"), ("y", slice(None), slice(0, 1))],
    ids=str,
)
def test_getitem_of_records(where):
    both(lambda ak, x: x[where], RECORDS)


def test_fields():
    x = ak.Array(RECORDS)
    assert x.fields == ["x", "y"]
    assert x.x.tolist() == [1, 2, 3]
    assert not hasattr(x, "z")
    assert "x" in dir(x)
    assert "to_list" in dir(x)
    with pytest.raises(AttributeError):
        _ = x.z
    with pytest.raises(ak.errors.FieldNotFoundError):
        x["z"]


def test_record():
    r = ak.Array(RECORDS)[2]
    assert isinstance(r, ak.Record)
    assert r.x == 3
    assert r["y"].tolist() == [2.5, 3.5]
    assert r["y", 1] == 3.5
    assert r.tolist() == RECORDS[2]
    assert r.fields == ["x", "y"]
    theirs = awkward.Array(RECORDS)[2]
    assert str(r.type) == str(theirs.type)
    assert repr(r) == repr(theirs)
    assert pickle.loads(pickle.dumps(r)).tolist() == RECORDS[2]
    with pytest.raises(TypeError):
        len(r)
    with pytest.raises(TypeError):
        iter(r)


def test_setting_fields():
    x = ak.Array(RECORDS)
    y = x
    z = ak.Array(x)
    x["z"] = x.x + 10
    assert x.z.tolist() == [11, 12, 13]
    assert y is x
    assert z.fields == ["x", "y"]
    x["z"] = 0
    assert x.z.tolist() == [0, 0, 0]
    del x["z"]
    assert x.fields == ["x", "y"]
    n = ak.Array([{"a": {"b": 1}}])
    n["a", "c"] = 2
    assert n.tolist() == [{"a": {"b": 1, "c": 2}}]
    with pytest.raises(TypeError):
        x[0] = 5


def test_iteration_length_truth_membership():
    x = ak.Array(X)
    assert len(x) == 3
    assert [i.tolist() for i in x] == X
    assert list(ak.Array([1, 2])) == [1, 2]
    assert [type(i) for i in ak.Array([1, 2])] == [np.int64, np.int64]
    assert list(ak.Array(["a", None])) == ["a", None]
    assert [r.x for r in ak.Array(RECORDS)] == [1, 2, 3]
    assert list(ak.Array([[1, 2], [3]])[1]) == [3]
    assert bool(ak.Array([True]))
    assert not bool(ak.Array([0]))
    assert 2 in ak.Array([1, 2])
    assert 7 not in ak.Array([1, 2])
    assert "b" in ak.Array(["a", "b"])
    with pytest.raises(ValueError):
        bool(x)
    with pytest.raises(TypeError):
        hash(x)


def test_items_of_sliced_and_computed_arrays():
    x = ak.Array([[[1, 2], [3]], [], [[4], [], [5, 6]]])[1:]
    assert [i.tolist() for i in x] == [[], [[4], [], [5, 6]]]
    assert x[-1][2][1] == 6
    y = x + 1
    assert y[1][0].tolist() == [5]
    assert [[j.tolist() for j in i] for i in y] == [[], [[5], [], [6, 7]]]
    u = ak.Array([1, "two", [3, None], None])
    assert [v if not isinstance(v, ak.Array) else v.tolist() for v in u] == [
        1,
        "two",
        [3, None],
        None,
    ]


def test_copy_and_pickle():
    for data in (X, RECORDS, [1, None, "a"], [], [["a"], []]):
        x = ak.Array(data)
        for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
            assert_same(y, awkward.Array(data))
    x = ak.Array(RECORDS)
    y = copy.copy(x)
    y["z"] = 1
    assert x.fields == ["x", "y"]


def test_awkward_both_ways():
    for data in (X, RECORDS, [1, None], ["a", "bc"], [1, "a"]):
        theirs = awkward.Array(data)
        assert_same(ak.Array(theirs), theirs)
        assert_same(ak.to_awkward(ak.Array(data)), theirs)
    assert ak.to_awkward(ak.Array(RECORDS)[1]).tolist() == RECORDS[1]
    assert (ak.Array([1, 2]) + awkward.Array([10, 20])).tolist() == [11, 22]


def test_buffers():
    x = ak.Array([[1, None], [], [3]])
    form, length, container = ak.to_buffers(x)
    assert_same(
        ak.from_buffers(form, length, container),
        awkward.from_buffers(form.to_json(), length, container),
    )
    form, length, container = awkward.to_buffers(awkward.Array(RECORDS))
    assert_same(ak.from_buffers(form, length, container), awkward.Array(RECORDS))
    named = ak.to_buffers(x, buffer_key="part0-{form_key}-{attribute}", form_key="n{id}")[2]
    assert all(key.startswith("part0-n") for key in named)
    swapped = ak.to_buffers(x, byteorder=">")
    assert ak.from_buffers(*swapped, byteorder=">").tolist() == x.tolist()


def test_columns_to_records():
    assert_same(
        ak.Array({"x": [1, 2], "y": [[1], []]}), awkward.Array({"x": [1, 2], "y": [[1], []]})
    )


def test_mask_property():
    both(lambda ak, x: x.mask[x > 1], [[1, 2], [], [3]])


def test_show_html_and_properties():
    x = ak.Array(X)
    assert x.ndim == 2
    assert x.nbytes > 0
    assert "[1, 2, 3]" in x._repr_html_()
    assert ak.backend(x) == "cpu"
    assert ak.to_backend(x, "cpu").tolist() == X


def test_imports_nothing_heavy():
    heavy = ["awkward", "pandas", "pyarrow", "matplotlib", "boost_histogram", "uproot"]
    code = f"import sys, serrate; print([m for m in {heavy} if m in sys.modules])"
    run = [sys.executable, "-c", code]
    out = subprocess.run(run, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_regular_lists_inside_lists_that_start_late():
    inner = awkward.contents.RegularArray(awkward.contents.NumpyArray(np.arange(18)), 2)
    x = ak.Array(awkward.contents.ListOffsetArray(awkward.index.Index64([2, 4, 6]), inner))
    assert x[:, :, :1].tolist() == [[[4], [6]], [[8], [10]]]
    assert (x + 1)[:, :, 1:].tolist() == [[[6], [8]], [[10], [12]]]


def test_nothing_is_read_where_there_is_nothing():
    # Padded rows have no item to copy: not even an empty buffer is looked at.
    for x in (np.zeros((0, 2, 100_000)), np.zeros((0, 3)), np.zeros(0)):
        assert ak.pad_none(ak.Array(x), 2, axis=0).tolist() == [None, None]
    lists = awkward.contents.ListOffsetArray(
        awkward.index.Index64(np.zeros(1, int)), awkward.contents.NumpyArray(np.zeros(0))
    )
    x = ak.Array(awkward.contents.RegularArray(lists, 2, 0))
    assert ak.pad_none(x, 2, axis=0).tolist() == [None, None]
    assert ak.firsts(ak.Array([[]])).tolist() == [None]


def test_operations_are_the_functions():
    assert ak.operations.sum is ak.sum
    assert "concatenate" in dir(ak.operations)
    with pytest.raises(AttributeError):
        _ = ak.operations.nothing
