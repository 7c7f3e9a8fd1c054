# Whose memory it is: what others write to theirs changes no array, and what is written to what we
# hand out changes none either.
import awkward
import numpy as np
import pytest
from gpu import Foreign, on_gpu

import serrate as ak

N = 6
X = ak.Array(np.arange(10.0, 10.0 + N), backend="cpu")
LISTS = ak.Array([[1, 2, 3], [4, 5, 6], [7, 8, 9]] * 2, backend="cpu")
MISSING = ak.Array([1, None, 3, None, 5, None], backend="cpu")
NUMPY_FORM = '{"class": "NumpyArray", "primitive": "float64", "form_key": "x"}'
LIST_FORM = (
    '{"class": "ListOffsetArray", "offsets": "i64", "form_key": "l", "content": ' + NUMPY_FORM + "}"
)


class Protocol:
    """What has nothing but __array__, which gives its own memory."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class Dlpack:
    """What NumPy can not tell to be writable."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def structured(a):
    both = np.zeros(len(a), [("p", a.dtype), ("q", a.dtype)])
    both["p"] = a
    return both


NUMBERS = {
    "Array": ak.Array,
    "columns": lambda a: ak.Array({"x": a})["x"],
    "record": lambda a: ak.Record({"x": a})["x"],
    "steps": lambda a: ak.Array(a[::2]),
    "reversed": lambda a: ak.Array(a[::-1]),
    "fortran": lambda a: ak.Array(a.reshape(2, 3).T),
    "windows": lambda a: ak.Array(np.lib.stride_tricks.sliding_window_view(a, 3)),
    "read-only view": lambda a: ak.Array(np.broadcast_to(a, (2, N))),
    "from_numpy": ak.from_numpy,
    "from_dlpack": ak.from_dlpack,
    "dlpack": lambda a: ak.Array(Dlpack(a)),
    "__array__": lambda a: ak.Array(Protocol(a)),
    "masked": lambda a: ak.Array(np.ma.MaskedArray(a, np.array([0, 1] * 3, bool))),
    "from_buffers": lambda a: ak.from_buffers(NUMPY_FORM, N, {"x-data": a}),
    "memoryview": lambda a: ak.from_buffers(NUMPY_FORM, N, {"x-data": memoryview(a)}),
    "read-only memoryview": lambda a: ak.from_buffers(
        NUMPY_FORM, N, {"x-data": memoryview(a).toreadonly()}
    ),
    "layout": lambda a: ak.Array(ak.contents.NumpyArray(a)),
    "to_layout": lambda a: ak.Array(ak.to_layout(a)),
    "copy": lambda a: ak.Array(a, copy=True),
    "operand": lambda a: X * a,
    "left operand": lambda a: a - X,
    "ufunc": lambda a: np.add(X, a),
    "maximum": lambda a: ak.maximum(a, 2),
    "where": lambda a: ak.where(X > 12, a, X),
    "zip": lambda a: ak.zip({"x": X, "a": a})["a"],
    "with_field": lambda a: ak.with_field(ak.zip({"x": X}), a, "a")["a"],
    "concatenate": lambda a: ak.concatenate([X, a]),
    "unflatten": lambda a: ak.unflatten(a, [1, 2, 3]),
    "fill_none": lambda a: ak.fill_none(MISSING, a, axis=0),
    "isin": lambda a: ak.isin(X, a + 9),
    "clip": lambda a: ak.clip(X, a + 10, None),
    "broadcast": lambda a: ak.broadcast_arrays(LISTS, a)[1],
    "sum of lists": lambda a: ak.sum(LISTS * a, axis=-1),
    "enforce": lambda a: ak.enforce_type(a, "?float32"),
    "sort": lambda a: ak.sort(a)[1:],
}
INDEXES = {
    "x[index]": lambda i: X[i],
    "x[:, index]": lambda i: LISTS[:, i[:3] % 3],
    "x[index, index]": lambda i: LISTS[i, i % 3],
    "x[lists]": lambda i: LISTS[ak.unflatten(i % 3, [1] * N)],
    "lengths": lambda i: ak.unflatten(np.arange(15), i),
    "mask and index": lambda i: LISTS[np.array([True] * N), i % 3],
}
MASKS = {
    "x[mask]": lambda m: X[m],
    "x[mask, 0]": lambda m: LISTS[m, 0],
    "mask": lambda m: ak.mask(X, m),
    ".mask": lambda m: X.mask[m],
    "where": lambda m: ak.where(m, X, 0),
    "drop": lambda m: ak.drop_none(ak.mask(LISTS, m), axis=0),
    "booleans": lambda m: ak.Array(m),
    "shared booleans": lambda m: ak.Array(m, copy=False),
}


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize("looked", [False, True])
@pytest.mark.parametrize("way", NUMBERS)
def test_numbers_are_what_they_were(way, looked):
    a = np.arange(1.0, N + 1)
    make = NUMBERS[way]
    expected = ak.to_list(make(a.copy()))
    x = make(a)
    if looked:
        ak.to_list(x)
    twice = x * 2 if way != "isin" else x
    a[:] = 100
    assert ak.to_list(x) == expected
    assert ak.to_list(twice) == ak.to_list(make(np.arange(1.0, N + 1)) * 2 if way != "isin" else x)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize("way", INDEXES)
def test_indexes_are_what_they_were(way):
    i = np.arange(N)
    expected = ak.to_list(INDEXES[way](i.copy()))
    x = INDEXES[way](i)
    i[:] = 1 << 40
    assert ak.to_list(x) == expected


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize("way", MASKS)
def test_masks_are_what_they_were(way):
    m = np.array([True, False] * 3)
    expected = ak.to_list(MASKS[way](m.copy()))
    x = MASKS[way](m)
    m.view("uint8")[:] = 7
    assert ak.to_list(x) == expected


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_structured_arrays_are_what_they_were():
    a = structured(np.arange(N))
    x = ak.Array(a)
    a["p"] = a["q"] = 100
    assert x.p.to_list() == list(range(N))
    assert x.q.to_list() == [0] * N


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_a_buffer_that_is_filled_again():
    buffer, read = np.empty(4), []
    for i in range(3):
        buffer[:] = i
        read.append(ak.Array(buffer) + 0.5)
    assert [x.to_list() for x in read] == [[i + 0.5] * 4 for i in range(3)]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_bytes_of_a_bytearray():
    data = bytearray(np.arange(N, dtype=float).tobytes())
    x = ak.from_buffers(NUMPY_FORM, N, {"x-data": data})
    data[:] = bytes(len(data))
    assert x.to_list() == list(range(N))


def shares(x, a):
    return np.shares_memory(ak.to_numpy(x, copy=False), a)


def test_single_numbers_of_numpy_arrays():
    a, m = np.arange(1.0, N + 1), np.array([True, False] * 3)
    assert ak.sum(a) == 21
    assert ak.max(a, where=m, initial=2) == 5
    assert ak.argmin(a, where=~m) == 1
    assert ak.any(m)
    assert ak.sum(np.ma.MaskedArray(a, m)) == 12
    assert ak.sum(a[::2]) == 9
    lists = ak.sum(a.reshape(2, 3), axis=None, keepdims=True)
    a[:] = 0
    assert lists.to_list() == [[21]]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_what_nobody_writes_to_is_shared():
    a = np.arange(8.0)
    assert not shares(ak.Array(a), a)
    for make in [ak.Array, ak.from_numpy, ak.from_dlpack]:
        assert shares(make(a, copy=False), a)
        assert not shares(make(a, copy=True), a)
    assert shares(ak.from_buffers(NUMPY_FORM, 8, {"x-data": a}, copy=False), a)
    assert shares(ak.Array(awkward.Array(a)), a)
    assert shares(ak.from_awkward(awkward.Array(a)), a)
    assert not shares(ak.Array(awkward.Array(a), copy=True), a)
    view = a[1:]
    view.flags.writeable = False
    assert not shares(ak.Array(view), a)
    a.flags.writeable = False
    assert shares(ak.Array(a), a)
    assert shares(ak.Array(view), a)
    assert shares(ak.from_buffers(NUMPY_FORM, 8, {"x-data": a}), a)
    assert not shares(ak.Array(a, copy=True), a)
    text = b"12345678" * 4
    assert shares(ak.from_buffers(NUMPY_FORM, 4, {"x-data": text}), np.frombuffer(text, "uint8"))
    made = []

    class Maker:
        def __array__(self, dtype=None, copy=None):
            out = np.arange(8.0)
            made.append(out.__array_interface__["data"][0])
            return out

    fresh = ak.to_numpy(ak.Array(Maker()), copy=False)
    assert fresh.__array_interface__["data"][0] == made[-1]
    arrow = pytest.importorskip("pyarrow").array(np.arange(8.0))
    assert shares(ak.from_dlpack(arrow), np.asarray(arrow))
    with pytest.raises(TypeError, match="copy must be None, False or True"):
        ak.Array(a, copy=1)


def offsets_of(offsets, copy=None):
    data = np.arange(6.0)
    return ak.from_buffers(LIST_FORM, 3, {"l-offsets": offsets, "x-data": data}, copy=copy)


OFFSETS = {
    "from_buffers": offsets_of,
    "copy=False": lambda o: offsets_of(o, copy=False),
    "layout": lambda o: ak.Array(
        ak.contents.ListOffsetArray(ak.index.Index64(o), ak.contents.NumpyArray(np.arange(6.0)))
    ),
    "starts and stops": lambda o: ak.Array(
        ak.contents.ListArray(
            ak.index.Index64(o[:-1]),
            ak.index.Index64(o[1:]),
            ak.contents.NumpyArray(np.arange(6.0)),
        )
    ),
    "Awkward's": lambda o: ak.Array(
        awkward.contents.ListOffsetArray(
            awkward.index.Index64(o), awkward.contents.NumpyArray(np.arange(6.0))
        )
    ),
}


@pytest.mark.parametrize("way", OFFSETS)
def test_offsets_stay_what_was_checked(way):
    offsets = np.array([0, 2, 3, 6])
    x = OFFSETS[way](offsets)
    y = ak.sum(x, axis=-1)
    offsets[:] = [0, 1 << 50, 5, 1 << 40]
    assert x.to_list() == [[0, 1], [2], [3, 4, 5]]
    assert y.to_list() == [1, 2, 12]


@pytest.mark.parametrize("kind", ["indexed", "option", "union", "bytes", "bits"])
def test_indexes_masks_and_tags_stay_what_was_checked(kind):
    c, i = ak.contents, ak.index
    numbers = c.NumpyArray(np.array([1.5, 2.5, 3.5]))
    index, tags = np.array([2, 0, 1]), np.array([0, 1, 0], "int8")
    if kind == "indexed":
        layout = c.IndexedArray(i.Index64(index), numbers)
    elif kind == "option":
        layout = c.IndexedOptionArray(i.Index64(index), numbers)
    elif kind == "union":
        words = ak.Array(["a", "b", "c"]).layout
        layout = c.UnionArray(i.Index8(tags), i.Index64(index), [numbers, words])
    elif kind == "bytes":
        layout = c.ByteMaskedArray(i.Index8(tags), numbers, True)
    else:
        layout = c.BitMaskedArray(i.IndexU8(tags.view("uint8")), numbers, True, 3, True)
    x = ak.Array(layout)
    expected = ak.Array(layout).to_list()
    index[:], tags[:] = 1 << 40, 77
    assert x.to_list() == expected
    assert ak.to_list(x[::-1]) == expected[::-1]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_lists_with_the_same_offsets_share_them_afterwards():
    events = awkward.Array([{"x": [1, 2], "y": [3, 4]}, {"x": [], "y": []}])
    same = events.x.layout.offsets
    a = awkward.contents.ListOffsetArray(same, events.x.layout.content)
    b = awkward.contents.ListOffsetArray(same, events.y.layout.content)
    x, y = ak.Array(a), ak.Array(b)
    assert np.shares_memory(x.layout.offsets.data, y.layout.offsets.data)
    assert not np.shares_memory(x.layout.offsets.data, same.data)


def test_large_arrays_are_copied_in_parts():
    a = np.arange(5_000_000.0)
    matrix, cube = a.reshape(1000, 5000), a.reshape(50, 1000, 100)
    for view in [a, a[1::2], matrix[:, 3:4999], matrix.T[:, ::3], matrix[::-7, ::-2]]:
        assert np.array_equal(ak.to_numpy(ak.to_backend(ak.Array(view), "cpu")), view)
    for view in [cube.transpose(2, 0, 1)[::2], cube[:, ::3, 5:], cube.transpose(1, 2, 0)[..., 1:]]:
        assert np.array_equal(ak.to_numpy(ak.to_backend(ak.Array(view), "cpu")), view)
    small = a[:300].astype("int8").reshape(10, 30)
    for dtype in ["int8", "int16", "float32", "complex128", "M8[s]", "bool"]:
        view = small.astype(dtype)[1::3, ::-2]
        assert np.array_equal(ak.to_numpy(ak.to_backend(ak.Array(view), "cpu")), view)


# -- what we hand out -----------------------------------------------------------------------------
RESULTS = {
    "numbers": lambda: ak.Array([3.0, 1.0, 2.0]) * 2,
    "regular": lambda: ak.to_regular([[3, 1], [2, 0]]) + 1,
    "slice": lambda: ak.Array([9, 3, 1, 2])[1:],
    "booleans": lambda: ak.Array([3, 1, 2]) > 1,
    "equal lists": lambda: ak.Array([[3, 1], [2, 0]]),
    "times": lambda: ak.Array(np.array([3, 1], "M8[s]")),
    "records": lambda: ak.zip({"x": [3, 1], "y": [1.5, 0.5]}),
    "missing": lambda: ak.Array([3, None, 2]),
    "missing lists": lambda: ak.Array([[3, 1], None, [2, 0]]),
}


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize("name", RESULTS)
def test_results_can_be_written_to(name):
    x = RESULTS[name]()
    twice = x if name == "records" else ak.concatenate([x, x])
    kept, kept_twice = x.to_list(), twice.to_list()
    for n in [ak.to_numpy(x), x.to_numpy(), ak.to_numpy(RESULTS[name]())]:
        assert n.flags.writeable
        n.sort(axis=-1) if name != "missing lists" else None
        n[...] = n[::-1].copy()
        n[0] = n[1]
        assert x.to_list() == kept
        assert twice.to_list() == kept_twice
    assert type(n) is (np.ma.MaskedArray if "missing" in name else np.ndarray)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_asarray_can_be_written_to():
    x = ak.Array([3.0, 1.0, 2.0])
    for n in [np.asarray(x), np.array(x), np.asarray(x * 1, dtype="float32"), np.asarray(x + 0)]:
        n += 1
        n.sort()
        assert n.tolist() == [2, 3, 4]
    assert x.to_list() == [3, 1, 2]
    view = x.__array__(copy=False)
    assert not view.flags.writeable
    assert np.shares_memory(view, x.__array__(copy=False))
    with pytest.raises(ValueError, match="without a copy"):
        x.__array__("float32", copy=False)
    assert not np.from_dlpack(x).flags.writeable


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_what_is_not_regular_is_no_numpy_array_by_chance():
    for x in [ak.Array([[1, 2], [3, 4]]), ak.Array([]), ak.zip({"x": [[1], [2]]}, depth_limit=1)]:
        if x.fields or x.ndim > 1:
            with pytest.raises(ValueError, match=r"to_numpy.*to_regular"):
                np.asarray(x)
        with pytest.raises(TypeError, match=r"to_regular.*to_numpy"):
            x.__dlpack__()
        assert not hasattr(x, "__dlpack_device__")
    for x in [ak.Array(["a"]), ak.Array([None]), ak.Array([1, None])]:
        assert not hasattr(x, "__dlpack_device__")
    assert np.asarray(ak.to_regular([[1, 2], [3, 4]])).tolist() == [[1, 2], [3, 4]]
    assert np.asarray(ak.Array(["a", "b"])).tolist() == ["a", "b"]
    assert ak.to_numpy([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]


# -- on a GPU -------------------------------------------------------------------------------------
def rewritten(foreign, value):
    ak.cuda.synchronize()
    foreign.array[...] = value


@pytest.mark.parametrize("way", ["Array", "from_cupy", "operand", "from_buffers", "layout"])
def test_memory_on_the_gpu_is_what_it_was(way):
    foreign = Foreign(np.arange(1.0, N + 1))
    x = on_gpu(np.full(N, 10.0))
    make = {
        "Array": ak.Array,
        "from_cupy": ak.from_cupy,
        "operand": lambda f: x * f,
        "from_buffers": lambda f: ak.from_buffers(NUMPY_FORM, N, {"x-data": f}),
        "layout": lambda f: ak.Array(ak.contents.NumpyArray(f)),
    }[way]
    expected = [10.0 * v if way == "operand" else v for v in range(1, N + 1)]
    y = make(foreign)
    rewritten(foreign, -1)
    assert ak.backend(y) == "cuda"
    assert y.to_list() == expected


def test_steps_on_the_gpu_are_what_they_were():
    base = np.arange(12.0).reshape(3, 4)
    for view in [base[:, ::2], base[::-1], base.T]:
        foreign = Foreign(view)
        x = ak.Array(foreign)
        rewritten(foreign, -1)
        expected = np.arange(12.0).reshape(3, 4)
        expected = {(3, 2): expected[:, ::2], (3, 4): expected[::-1], (4, 3): expected.T}
        assert x.to_list() == expected[view.shape].tolist()
        base[...] = np.arange(12.0).reshape(3, 4)


def test_numpy_beside_a_gpu_is_what_it_was():
    ak.set_default_backend("cuda")
    a = np.arange(1.0, N + 1)
    x, y = ak.Array(a), ak.Array([1.0] * N) + a
    a[:] = -1
    assert x.to_list() == list(range(1, N + 1))
    assert y.to_list() == list(range(2, N + 2))
