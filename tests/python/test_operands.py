# Plain values beside arrays: they become arrays where the arrays are, whatever the default is.
import numpy as np
import pytest

import serrate as ak

CALLS = {
    "index by a list": lambda x: x[[1, 0]],
    "index by NumPy's array": lambda x: x[np.array([1, 0])],
    "index by a mask": lambda x: x[[True, False]],
    "index in lists": lambda x: x[[[0], [0]]],
    "operator": lambda x: x + [10, 20],
    "the other way round": lambda x: [10, 20] - x,
    "ufunc": lambda x: np.add(x, [10, 20]),
    "divmod": lambda x: ak.divmod(x, [2, 3])[1],
    "concatenate": lambda x: ak.concatenate([x, [[7]]]),
    "where": lambda x: ak.where(x > 1, [10, 20], x),
    "fill_none": lambda x: ak.fill_none(ak.pad_none(x, 2), 9),
    "mask": lambda x: ak.mask(x, [True, False]),
    "with_field": lambda x: ak.with_field(ak.zip({"a": x}), [5, 6], "b").b,
    "zip": lambda x: ak.zip({"a": x, "b": [5, 6]}).b,
    "broadcast_arrays": lambda x: ak.broadcast_arrays(x, [5, 6])[1],
    "cartesian": lambda x: ak.cartesian({"a": x, "b": [[1], [2]]}).b,
    "isin": lambda x: ak.isin(x, [1, 3]),
    "searchsorted": lambda x: ak.searchsorted(x, [[2], [0]]),
    "unflatten": lambda x: ak.unflatten(ak.flatten(x), [1, 2]),
    "unflatten of a list": lambda x: ak.unflatten([1, 2, 3], ak.num(x)),
    "isclose": lambda x: ak.isclose(x, [[1, 2], [4]]),
    "mean with weights": lambda x: ak.mean(x, [[1, 3], [1]], axis=1),
    "sum of some": lambda x: ak.sum(x, axis=1, where=[[True, False], [True]]),
    "strings": lambda x: ak.zip({"a": ak.num(x) > 1, "b": ["u", "v"]}).b == "u",
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("device", ["cpu", ak.default_backend()])
def test_plain_values_go_where_the_arrays_are(call, device):
    rows = [[1, 2], [3]]
    expected = CALLS[call](ak.Array(rows)).to_list()
    got = CALLS[call](ak.to_backend(ak.Array(rows), device))
    assert ak.backend(got) == device
    assert got.to_list() == expected


def test_a_field_is_set_on_the_device_of_the_records():
    x = ak.to_backend(ak.Array([{"a": 1}, {"a": 2}]), "cpu")
    x["b"] = [3, 4]
    assert ak.backend(x) == "cpu"
    assert x.b.to_list() == [3, 4]


def test_a_layout_becomes_an_array_on_the_default_device():
    layout = ak.contents.NumpyArray(np.array([1, 2, 3]))
    assert ak.backend(ak.Array(layout)) == ak.default_backend()
    assert (ak.Array(layout) + ak.Array([1, 1, 1])).to_list() == [2, 3, 4]


def test_plain_values_are_handed_over_where_they_are():
    for plain in ([1, 2], np.array([1, 2])):
        assert ak.to_numpy(plain).tolist() == ak.to_list(plain) == [1, 2]
        form, length, container = ak.to_buffers(plain)
        assert (form.type, length) == (ak.types.NumpyType("int64"), 2)
        assert all(isinstance(x, np.ndarray) for x in container.values())


def test_a_layout_of_buffers_on_both_devices_is_one_on_the_default_device():
    here = ak.contents.NumpyArray(np.arange(5))
    there = ak.Array([[1, 2], [3, 4, 5]]).layout.offsets
    x = ak.Array(ak.contents.ListOffsetArray(there, here))
    assert x.to_list() == [[0, 1], [2, 3, 4]]
    assert ak.backend(x) == ak.default_backend()
