# Chunks of Arrow whose dictionaries differ become one categorical.
import numpy as np
import pytest

import serrate as ak

pa = pytest.importorskip("pyarrow")

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")
VALUES = {
    "text": ["u", "v", "", "th\u00e9", "w"],
    "bytes": [b"u", b"\xff", b"", b"w", b"x"],
    "integers": [5, -1, 3, 2**40, 0],
    "floats": [1.5, float("nan"), -0.5, 2.5, 3.5],
    "booleans": [True, False],
    "times": list(np.array(["2020-01-01", "1969-12-31", "2030-05-05"], "M8[s]")),
}


def chunk(values, rng, n, missing):
    """Some of the values, in an order of their own, as a dictionary with an index of any type."""
    kept = rng.permutation(len(values))[: rng.integers(1, len(values) + 1)]
    index = rng.integers(0, len(kept), n)
    mask = rng.random(n) < 0.3 if missing else None
    width = pa.from_numpy_dtype(
        rng.choice(["uint16", "int32", "int64"] + ["int8"] * (len(kept) < 100))
    )
    return pa.DictionaryArray.from_arrays(
        pa.array(index, width, mask=mask), pa.array([values[i] for i in kept])
    ), [None if missing and mask[i] else values[kept[index[i]]] for i in range(n)]


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("missing", [False, True])
def test_different_dictionaries(name, missing):
    rng = np.random.default_rng(len(name))
    for _ in range(10):
        made = [chunk(VALUES[name], rng, n, missing) for n in (7, 0, 1, 20)]
        kind = pa.dictionary(pa.int64(), made[0][0].dictionary.type)
        chunks = pa.chunked_array([a.cast(kind) for a, _ in made])
        x = ak.Array(chunks)
        assert ak.is_categorical(x)
        want = [v for _, values in made for v in values]
        # As text: NaN equals NaN.
        plain = ak.Array(chunks.combine_chunks().dictionary_decode())
        assert str(x.to_list()) == str(plain.to_list())
        assert len(x) == len(want)
        used = ak.categories(x).to_list()
        assert len(set(map(str, used))) == len(used)
        # In the order in which they come first.
        all_of = [str(v.as_py()) for a, _ in made if len(a) for v in a.dictionary]
        assert [str(v) for v in pa.array(x).dictionary.to_pylist()] == list(dict.fromkeys(all_of))
        assert pa.types.is_dictionary(pa.array(x).type)


def test_the_same_dictionary_again():
    d = pa.array(["b", "a", "unused"])
    parts = [pa.DictionaryArray.from_arrays(pa.array(i), d) for i in ([0, 1], [1, None], [0])]
    x = ak.Array(pa.chunked_array(parts))
    assert x.to_list() == ["b", "a", "a", None, "b"]
    assert ak.categories(x).to_list() == ["b", "a", "unused"]


def nested(index, dictionary):
    d = pa.DictionaryArray.from_arrays(pa.array(index), pa.array(dictionary))
    lists = pa.ListArray.from_arrays([0, 1, len(index)], d)
    return pa.StructArray.from_arrays([lists, d[:2]], ["lists", "flat"])


def test_dictionaries_inside_of_lists_and_records():
    parts = [nested([0, 1, 0], ["a", "b"]), nested([1, 0], ["c", "b"]), nested([0, 0], ["d"])]
    chunks = pa.chunked_array(parts)
    x = ak.Array(chunks)
    assert x.to_list() == chunks.to_pylist()
    assert str(x.type).count("categorical") == 2
    assert ak.categories(x.flat).to_list() == ["a", "b", "c", "d"]
    assert (x.flat == "b").to_list() == [False, True, True, False, False, False]
    assert ak.sum(x.lists == "a", axis=-1).to_list() == [1, 1, 0, 0, 0, 0]


def test_deltas_of_a_stream():
    kind = pa.dictionary(pa.int32(), pa.string())
    d = [
        pa.DictionaryArray.from_arrays(pa.array([0, len(v) - 1], pa.int32()), pa.array(v))
        for v in (["a"], ["a", "b"], ["a", "b", "c"])
    ]
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    schema = pa.schema({"x": kind})
    with pa.ipc.new_stream(sink, schema, options=options) as writer:
        for part in d:
            writer.write_batch(pa.record_batch([part], schema))
    x = ak.Array(pa.ipc.open_stream(sink.getvalue())).x
    assert x.to_list() == ["a", "a", "a", "b", "a", "c"]
    assert ak.categories(x).to_list() == ["a", "b", "c"]


def test_what_has_no_order_or_no_values_comes_as_values():
    lists = [pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([[i]])) for i in range(2)]
    x = ak.Array(pa.chunked_array(lists))
    assert x.to_list() == [[0], [1]]
    absent = pa.DictionaryArray.from_arrays(pa.array([None], pa.int64()), pa.array([], pa.string()))
    some = pa.DictionaryArray.from_arrays(pa.array([0]), pa.array(["a"]))
    assert ak.Array(pa.chunked_array([absent, some])).to_list() == [None, "a"]


def test_many_rows():
    rng = np.random.default_rng(0)
    words = [f"word {i}" for i in range(1000)]
    made = [chunk(words, rng, 100_000, True) for _ in range(3)]
    kind = pa.dictionary(pa.int64(), pa.string())
    x = ak.Array(pa.chunked_array([a.cast(kind) for a, _ in made]))
    assert x.to_list() == [v for _, values in made for v in values]


def test_no_rows_are_categoricals_too():
    nothing = pa.array([], pa.dictionary(pa.int32(), pa.string()))
    assert str(ak.from_arrow(nothing).type) == "0 * categorical[type=string]"
    missing = pa.DictionaryArray.from_arrays(
        pa.array([None, None], pa.int8()), pa.array([], pa.string())
    )
    assert ak.from_arrow(missing).to_list() == [None, None]
