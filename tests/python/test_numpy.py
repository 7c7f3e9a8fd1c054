# NumPy's arrays, types, functions and scalars, coming in and going out.
import gc

import awkward
import numpy as np
import pytest
from conftest import assert_same, both

import serrate as ak

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

X = [[1, 2, 3], [], [4, 5]]


def test_scalars_are_numpy_scalars():
    x = ak.Array(np.array([1, 2], "float32"))
    assert type(x[0]) is np.float32
    assert type(ak.sum(ak.Array([1, 2]))) is np.int64
    assert type(ak.any(ak.Array([True]))) is np.bool_
    assert ak.Array(["one", None])[0] == "one"
    assert ak.Array(["one", None])[1] is None
    assert ak.Array([b"one"])[0] == b"one"
    t = np.datetime64("2020-01-01T00:00", "s")
    assert ak.Array(np.array([t]))[0] == t


def test_numpy_zero_copy():
    a = np.arange(12.0).reshape(3, 4)
    x = ak.Array(a, copy=False)
    assert str(x.type) == "3 * 4 * float64"
    assert np.shares_memory(ak.to_numpy(x, copy=False), a)
    assert ak.Array(a.T).tolist() == a.T.tolist()
    assert ak.Array(a[::-1, ::2]).tolist() == a[::-1, ::2].tolist()
    assert ak.Array(np.broadcast_to(np.arange(3), (2, 3))).tolist() == [[0, 1, 2]] * 2
    assert np.asarray(ak.Array([1, 2]), dtype="float32").dtype == np.float32
    kept = ak.Array(np.arange(1000))
    gc.collect()
    assert ak.sum(kept) == 499500


@pytest.mark.parametrize(
    "dtype",
    [
        "?",
        "i1",
        "i2",
        "i4",
        "i8",
        "u1",
        "u2",
        "u4",
        "u8",
        "f2",
        "f4",
        "f8",
        "c8",
        "c16",
        "M8[s]",
        "m8[ms]",
    ],
)
def test_numpy_dtypes(dtype):
    a = np.array([0, 1, 1]).astype(dtype)
    x = ak.Array(a)
    assert str(x.type) == str(awkward.Array(a).type)
    out = x.to_numpy()
    assert out.dtype == a.dtype
    assert out.tolist() == a.tolist()
    assert x.tolist() == a.tolist()


def test_numpy_masked_structured_and_text():
    m = np.ma.array([1, 2, 3], mask=[False, True, False])
    assert_same(ak.Array(m), awkward.Array(m))
    s = np.array([(1, 2.5), (3, 4.5)], dtype=[("x", "i4"), ("y", "f8")])
    assert_same(ak.Array(s), awkward.Array(s))
    assert ak.Array(s).to_numpy().tolist() == s.tolist()
    assert_same(ak.Array(np.array(["a", "bc"])), awkward.Array(np.array(["a", "bc"])))
    back = ak.Array([[1, None], [3, 4]]).to_numpy()
    assert back.tolist() == [[1, None], [3, 4]]
    assert ak.Array(["a", "bc"]).to_numpy().tolist() == ["a", "bc"]
    big = np.array([1, 2], ">i4")
    assert ak.Array(big).tolist() == [1, 2]


def test_numpy_functions():
    x = [[1.0, 2.0], [], [3.0]]
    for f in (
        np.sum,
        np.prod,
        np.max,
        np.min,
        np.mean,
        np.std,
        np.var,
        np.any,
        np.all,
        np.argmax,
        np.ptp,
        np.count_nonzero,
    ):
        both(lambda ak, x, f=f: f(x, axis=-1), x, rtol=1e-12)
    both(lambda ak, x: np.concatenate([x, x]), x)
    both(lambda ak, x: np.where(x > 1, x, 0), x)
    both(lambda ak, x: np.ravel(x), x)
    both(lambda ak, x: np.zeros_like(x), x)
    both(lambda ak, x: np.clip(x, 1, 2), [1, 2, 3])
    with pytest.raises(ValueError):
        np.flip(ak.Array(x))


def test_dlpack():
    x = ak.Array([1.0, 2.0])
    assert np.from_dlpack(x).tolist() == [1, 2]
    assert ak.from_dlpack(np.arange(3)).tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match="fixed lengths"):
        np.from_dlpack(ak.Array(X))


def test_python_scalars_are_weak():
    x = ak.Array(np.array([1, 2], "int8"))
    assert str((x + 1).type) == "2 * int8"
    assert str((x + 1.5).type) == str((awkward.Array(np.array([1, 2], "int8")) + 1.5).type)
    assert str((x + np.float32(1)).type) == "2 * float32"
    assert str((ak.Array(np.array([1], "float32")) * 2.5).type) == "1 * float32"
    assert str((np.float64(2) * ak.Array(np.array([1], "float32"))).type) == "1 * float64"


def test_columns_of_tables():
    """What to_dataframe puts into pandas: rows, paths of fields, values."""
    from serrate._frames import dataframe

    x = ak.Array(
        [{"a": [1, 2], "b": {"c": 1.5}}, {"a": [], "b": {"c": 2.5}}, {"a": [3], "b": None}]
    )
    (rows, path, values), (no_rows, deep, numbers) = dataframe._columns(x, [], ())
    assert [r.tolist() for r in rows] == [[0, 0, 2], [0, 1, 0]]
    assert path == ("a",)
    assert values.tolist() == [1, 2, 3]
    assert no_rows == []
    assert deep == ("b", "c")
    assert numbers.tolist() == [1.5, 2.5, None]
    words = dataframe._columns(ak.Array(["a", None, "four"]), [], ())
    assert words[0][2].tolist() == ["a", "nan", "four"]


def test_what_from_numpy_takes():
    for wrong in (lambda: ak.from_numpy(5), lambda: ak.from_numpy([1]), lambda: ak.from_dlpack(5)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError):
        ak.from_numpy(np.array(5))
    assert ak.from_numpy(np.array(5), primitive_policy="promote").to_list() == [5]
    with pytest.raises(TypeError):
        ak.to_numpy(ak.Record({"x": 1}))
    with pytest.raises(ValueError):
        np.asarray(ak.Array([1, None]))
    assert ak.to_list(None) is None


@pytest.mark.parametrize("data", [["a", "bc"], [b"a", b"bc"], [1, 2], [1.5, 2.5]], ids=str)
def test_what_numpy_makes_of_arrays_is_regular(data):
    both(lambda ak, x: np.stack([x, x]), data)
    both(lambda ak, x: np.expand_dims(x, 0), data)
    both(lambda ak, x: np.hstack([x, x]), data)


WORDS = [
    ["", "\u00e9", "\u65e5\u672c", "a\U0001f600b", "x" * 50, "a\0b", "\ud7ff\ue000\U0010ffff"],
    ["", ""],
    [b"a\xff", b"", b"abc\0"],
]


@pytest.mark.parametrize("words", WORDS, ids=["text", "empty", "bytes"])
@pytest.mark.parametrize("times", [1, 500])
def test_words_become_text_of_numpy(words, times):
    want = np.array(words * times)
    got = ak.to_numpy(ak.Array(words * times))
    assert got.dtype == want.dtype
    assert got.tolist() == want.tolist()
    part = ak.to_numpy(ak.Array(words * times)[1:])
    assert part.tolist() == want[1:].tolist()
    pairs = ak.to_numpy(ak.unflatten(ak.Array(words[:2] * times), 2))
    assert pairs.tolist() == want.reshape(times, -1)[:, :2].tolist()
    assert ak.to_numpy(ak.Array(words)[:0]).tolist() == []


@pytest.mark.parametrize(
    "bad",
    [b"\x80", b"\xc0\xaf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\xe2\x82"],
)
def test_words_that_are_no_text(bad):
    words = ak.from_awkward(
        awkward.enforce_type(awkward.Array([b"fine", bad, bad + b"x"]), "string")
    )
    assert ak.to_numpy(words).tolist() == words.to_list()
