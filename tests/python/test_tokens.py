# What other libraries ask of an array: Dask's token, hist's columns, bytes; and what is not there.
import pickle
import subprocess
import sys

import awkward
import numpy as np
import pytest
from conftest import plain
from interface import DATA, theirs
from nestings import nestings

import serrate as ak

ARRAYS = nestings() | {name: theirs(name) for name in [*DATA, "sliced", "categorical"]}


def token(x):
    return x.__dask_tokenize__()


@pytest.mark.parametrize("name", ARRAYS)
def test_tokens_say_what_an_array_holds(name):
    x = ak.from_awkward(ARRAYS[name])
    assert token(x) == token(ak.from_awkward(ARRAYS[name]))
    assert token(x) == token(ak.to_packed(x))
    assert token(x) == token(pickle.loads(pickle.dumps(ak.to_backend(x, "cpu"))))
    twice = ak.concatenate([x, x])[len(x) :]
    if twice.type == x.type:
        assert token(x) == token(twice)
    assert len(x) == 0 or token(x) != token(x[1:])


def test_tokens_of_different_arrays_differ():
    tokens = {}
    for x in map(ak.from_awkward, ARRAYS.values()):
        tokens.setdefault(token(x), []).append(x)
    for same in tokens.values():
        assert len({str(x.type) for x in same}) == 1
        assert len({str(plain(x)) for x in same}) == 1


def test_what_is_missing_has_no_value():
    x, y = ak.mask([1, 2, 3], [True, False, True]), ak.mask([1, 7, 3], [True, False, True])
    assert token(x) == token(y)
    assert token(x) != token(ak.mask([1, 2, 4], [True, False, True]))


def test_tokens_of_records_attrs_and_behaviors():
    x = ak.Array([{"x": 1, "y": [1, 2]}, {"x": 2, "y": []}, {"x": 1, "y": [1, 2]}])
    assert token(x[0]) == token(x[2]) != token(x[1])
    assert token(x[0]) != token(x[:1])
    noted = ak.Array(x, attrs={"unit": "GeV", "@cache": object()})
    assert token(noted) == token(ak.Array(x, attrs={"unit": "GeV"})) != token(x)

    class Named(ak.Array):
        pass

    assert token(ak.Array(x, behavior={("*", "P"): Named})) != token(x)
    assert token(ak.Array(x, behavior={(ak.sum, "P"): Named})) != token(x)


def test_tokens_are_the_same_in_every_process():
    code = "import serrate as ak; print(ak.Array([[1, 2], [], None]).__dask_tokenize__())"
    run = [sys.executable, "-c", code]
    out = subprocess.run(run, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == token(ak.Array([[1, 2], [], None]))


def test_bytes():
    for data in ([1, 2, 255], []):
        assert bytes(ak.Array(data)) == bytes(awkward.Array(data))
    for wrong, error in (([[1]], TypeError), ([1.5], TypeError), ([300], ValueError)):
        with pytest.raises(error):
            bytes(ak.Array(wrong))


def test_columns_for_histograms():
    module = ak.Array._histogram_module_
    x = ak.Array([{"x": [1, 2], "y": 1.5}, {"x": [], "y": 2.5}, {"x": [5], "y": 3.5}])
    columns = module.unpack(x)
    assert list(columns) == ["x", "y"]
    assert module.unpack(x.x) is None
    flat = module.broadcast_and_flatten([columns["x"], columns["y"]])
    assert [a.tolist() for a in flat] == [[1, 2, 5], [1.5, 1.5, 3.5]]
    assert all(isinstance(a, np.ndarray) for a in flat)
    with pytest.raises(ValueError, match="fields"):
        module.broadcast_and_flatten([x])
    assert module.broadcast_and_flatten([object()]) is NotImplemented


def test_what_is_not_there_says_so():
    x = ak.Array([{"x": 1}])
    with pytest.raises(NotImplementedError, match="to_awkward"):
        _ = x.cpp_type
