# Arrays, records and builders in functions that Numba compiles, compared with the same functions in
# Python and with Awkward's arrays in Numba.
import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pyarrow
import pytest

import serrate as ak

numba = pytest.importorskip("numba")
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")

EVENTS = [
    [
        {"pt": 1.5, "q": 1, "name": "a", "hits": [1, 2]},
        {"pt": 2.5, "q": None, "name": "m\xfcon\U0001f986", "hits": []},
    ],
    [],
    [{"pt": 3.0, "q": -1, "name": "", "hits": [7]}],
]
KINDS = {
    "flat": [1, 2, 3],
    "empty": [],
    "lists": [[1.5, 2.5], [], [3.5]],
    "deep": [[[1], [2, 3]], [], [[], [4]]],
    "records": EVENTS,
    "missing": [[1, None], None, [], [None]],
    "missing records": [{"x": 1}, None, {"x": 3}],
    "missing lists": [{"x": [1, 2]}, {"x": None}],
    "strings": [["a", "bcd"], [], ["", "\xf6"]],
    "bytes": [[b"a", b"\xff\x00"], []],
    "tuples": [[(1, 2.5, "x")], [], [(2, 3.5, "y"), (3, 4.5, "")]],
    "nothing known": [[], []],
    "all missing": [None, None],
    "booleans": [[True, False], []],
    "complex": [[1 + 2j], [], [3j]],
    "one slot": [(1,), (2,)],
    "no fields": [{}, {}],
}


def array_of(kind):
    return ak.Array(KINDS[kind])


def same(a, b):
    assert ak.to_list(a) == ak.to_list(b)
    assert str(ak.type(a)) == str(ak.type(b))


@numba.njit
def whole(x):
    return x


@numba.njit
def from_one(x):
    return x[1:]


@numba.njit
def last(x):
    return x[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_what_goes_in_comes_out(kind):
    x = array_of(kind)
    same(whole(x), x)
    same(from_one(x), x[1:])
    lazy = ak.concatenate([x, x])[len(x) :]
    same(whole(lazy), lazy)


@pytest.mark.parametrize("kind", [k for k in KINDS if KINDS[k]])
def test_items(kind):
    x = array_of(kind)
    got, expected = last(x), x[-1]
    if kind in ("tuples", "one slot"):
        return  # compared below: a tuple is one of Python's
    assert ak.to_list(got) == ak.to_list(expected)


def walked(x):
    total, missing, letters, hits, found = 0.0, 0, 0, 0, 0
    for event in x:
        for i in range(len(event)):
            p = event[i]
            total += p.pt
            if p.q is None:
                missing += 1
            else:
                total += p.q
            letters += len(p.name)
            found += p.name == "m\xfcon\U0001f986"
            for j, h in enumerate(p["hits"]):
                hits += h * (j + 1)
    return total, missing, letters, hits, found


def test_nested_loops():
    x = ak.Array(EVENTS)
    assert numba.njit(walked)(x) == (7.0, 1, 6, 12, 1)
    assert numba.njit(walked)(x[::-1]) == (7.0, 1, 6, 12, 1)


def test_random_lists_at_a_hundred_thousand_rows():
    rng = np.random.default_rng(8)
    counts = np.where(rng.random(100_000) < 0.001, 1000, rng.integers(0, 4, 100_000))
    data = rng.normal(size=counts.sum())
    x = ak.unflatten(data, counts)

    @numba.njit(parallel=True)
    def sums(x, out):
        for i in numba.prange(len(x)):
            s = 0.0
            for v in x[i]:
                s += v
            out[i] = s

    out = np.empty(len(x))
    sums(x, out)
    np.testing.assert_allclose(out, ak.to_numpy(ak.sum(x, axis=-1)), atol=1e-9)
    sums(x[777:], out[777:])
    np.testing.assert_allclose(out, ak.to_numpy(ak.sum(x, axis=-1)), atol=1e-9)


@pytest.mark.parametrize(
    "dtype",
    [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float32",
        "float64",
    ],
)
def test_numbers_of_every_type(dtype):
    x = ak.Array(np.array([0, 1, 1, 0], dtype))
    got = numba.njit(lambda x: x[1])
    assert got(x) == 1
    assert str(got.nopython_signatures[0].return_type) == dtype


def test_halves():
    bits = np.arange(65536, dtype=np.uint16).view(np.float16)
    out = np.empty(len(bits), np.float32)

    @numba.njit
    def read(x, out):
        for i in range(len(x)):
            out[i] = x[i]

    read(ak.Array(bits), out)
    np.testing.assert_array_equal(out, bits.astype(np.float32))


def test_times():
    x = ak.Array(np.array(["2020-01-01", "2021-02-03", "NaT"], "datetime64[s]"))
    span = numba.njit(lambda x: x[1] - x[0])(x)
    assert span == np.timedelta64(34473600, "s")
    assert numba.njit(lambda x: np.isnat(x[2]))(x)
    with pytest.raises(numba.TypingError, match="10us"):
        numba.njit(lambda x: x[0])(ak.Array(np.array([1], "timedelta64[10us]")))


def test_bounds():
    x = ak.Array([[1, 2], []])
    get = numba.njit(lambda x, i, j: x[i][j])
    assert get(x, -2, -1) == 2
    for i, j in [(2, 0), (-3, 0), (1, 0), (0, 2), (0, -3)]:
        with pytest.raises(IndexError, match="index out of range"):
            get(x, i, j)
    with pytest.raises(numba.TypingError, match="slices of slices"):
        numba.njit(lambda x: x[::2][1:])(x)


@numba.njit
def stepped(x, a, b, c):
    total, n = 0.0, 0
    for v in x[a:b:c]:
        total, n = total * 3 + v, n + 1
    items = x[a:b:c]
    return (total + items[-1] + len(items), n) if items else (total, n)


def test_slices_with_a_step():
    values = np.arange(7.0) + 1
    x = ak.Array(values)
    ends = (-9, -7, -3, -1, 0, 1, 3, 6, 7, 8)
    for a in ends:
        for b in ends:
            for c in (-8, -3, -1, 1, 2, 7, 9):
                assert stepped(x, a, b, c) == stepped.py_func(values.tolist(), a, b, c), (a, b, c)
    with pytest.raises(ValueError, match="step cannot be zero"):
        stepped(x, 0, 1, 0)
    with pytest.raises(IndexError):
        numba.njit(lambda x: x[::2][4])(x)


def test_slices_with_a_step_come_back():
    x = ak.Array([{"pt": 1.5, "l": [1, 2]}, {"pt": 2.5, "l": []}, {"pt": 3.5, "l": [3]}])
    back = numba.njit(lambda x: x[::-1])
    assert back(x).to_list() == x.to_list()[::-1]
    assert back(x[:0]).to_list() == []
    assert numba.njit(lambda x: x[2:0:-2].l)(x).to_list() == [[3]]
    assert numba.njit(lambda x: x.pt[::2])(x).to_list() == [1.5, 3.5]
    assert numba.njit(lambda x: x[::2].pt)(x).to_list() == [1.5, 3.5]
    assert numba.njit(lambda x: x[1:][::-1])(x[1:]).to_list() == x[:1:-1].to_list()


@pytest.mark.parametrize("a", [None, 0, 1, -1, -9, 9])
@pytest.mark.parametrize("b", [None, 0, 2, -1, -9, 9])
def test_slices(a, b):
    x = ak.Array([[0, 1], [2], [], [3, 4]])
    same(numba.njit(lambda x: x[a:b])(x), x[a:b])


def test_fields_at_any_depth():
    x = ak.Array(EVENTS)
    same(numba.njit(lambda x: x.pt)(x), x.pt)
    same(numba.njit(lambda x: x["hits"][0])(x), x.hits[0])
    same(numba.njit(lambda x: x.q[0])(x), x.q[0])
    assert numba.njit(lambda x: x.pt[-1][0])(x) == 3.0
    y = ak.Array([{"a": {"b": [1, 2]}}, {"a": {"b": [3]}}])
    same(numba.njit(lambda x: x.a.b)(y), y.a.b)
    same(numba.njit(lambda x: x.a[1].b)(y), y.a[1].b)
    z = ak.Array([{"a": {"b": 1}}, {"a": None}])
    same(numba.njit(lambda x: x.a.b)(z), z.a.b)
    assert numba.njit(lambda x: x[1].a is None)(z)
    with pytest.raises(numba.TypingError, match="nothing"):
        numba.njit(lambda x: x.nothing)(x)


def test_records():
    x = ak.Array(EVENTS)
    r = x[0][1]
    same(whole(r), r)
    assert numba.njit(lambda r: (r.pt, r["name"]))(r) == (2.5, "m\xfcon\U0001f986")
    same(numba.njit(lambda r: r.hits)(x[0][0]), x[0][0].hits)
    pair = ak.Array([(1, [2.5])])[0]
    same(numba.njit(lambda r: r["1"])(pair), pair["1"])
    assert numba.njit(lambda r: r[0])(pair) == 1


def test_tuples_are_unpacked():
    x = ak.combinations(ak.Array([[1.0, 2.0, 4.0], [], [8.0, 16.0]]), 2)

    @numba.njit
    def products(x):
        total = 0.0
        for event in x:
            for a, b in event:
                total += a * b
        return total

    assert products(x) == 2 + 4 + 8 + 128
    assert numba.njit(lambda x: x[0][1])(x) == (1.0, 4.0)
    same(numba.njit(lambda x: x["1"][2])(x), x["1"][2])


def test_text():
    x = ak.Array(["one", "Zwei", "tr\xeas", "\U0001f986\U0001f986"])
    assert [numba.njit(lambda x, i: x[i])(x, i) for i in range(4)] == ak.to_list(x)

    @numba.njit
    def all_of(x):
        counts = {}
        for i in range(len(x)):
            word = x[i]
            counts[str(word)] = len(word)
        return (
            counts,
            x[1].upper(),
            x[0] + "!",
            x[0] < x[1],
            x[2][2],
            "e" in x[0],
            x[0].startswith("on"),
            x[0] != "one",
            x[3] == x[3],
            x[2] == "tr\xeas",
        )

    counts, *rest = all_of(x)
    assert dict(counts) == {"one": 3, "Zwei": 4, "tr\xeas": 4, "\U0001f986\U0001f986": 2}
    assert rest == ["ZWEI", "one!", False, "\xea", True, True, False, True, True]
    b = ak.Array([b"ab\xff"])
    assert numba.njit(lambda x: (len(x[0]), x[0][2], x[0][-3]))(b) == (3, 255, 97)


def test_bytes_that_are_no_utf8():
    data = np.frombuffer(b"\xffa\xc3\xa9\xe2\x82", np.uint8)
    x = ak.enforce_type(ak.Array([bytes(data)]), "string")
    assert numba.njit(lambda x: str(x[0]))(x) == ak.to_list(x)[0]


def test_categories_regular_and_small_offsets():
    x = ak.from_arrow(pyarrow.array(["a", "b", "a"]).dictionary_encode())
    assert numba.njit(lambda x: x[2])(x) == "a"
    regular = ak.Array(np.arange(24).reshape(2, 3, 4))
    same(numba.njit(lambda x: x[1])(regular), regular[1])
    assert numba.njit(lambda x: x[1][2][3])(regular) == 23
    small = ak.from_buffers(
        {"class": "ListOffsetArray", "offsets": "i32", "content": "int64", "form_key": "n"}
        | {"content": {"class": "NumpyArray", "primitive": "int64", "form_key": "m"}},
        2,
        {"n-offsets": np.array([1, 2, 4], np.int32), "m-data": np.arange(5)},
    )
    assert numba.njit(lambda x: x[1][1])(small) == 3
    same(whole(small), small)


def test_unions():
    x = ak.Array([{"x": 1, "u": 1}, {"x": 2, "u": "two"}])
    assert numba.njit(lambda x: x[0].x + x[1].x)(x) == 3
    same(whole(x), x)
    with pytest.raises(numba.TypingError, match="values of several types"):
        numba.njit(lambda x: x[0].u)(x)


def test_the_same_type_for_the_same_form():
    a, b = ak.Array([[1.5], []]), ak.Array([[2.5, 3.5]])
    assert a.numba_type is b.numba_type
    assert a.numba_type is not ak.Array([[1]]).numba_type
    assert pickle.loads(pickle.dumps(a.numba_type)) == a.numba_type
    f = numba.njit(lambda x: len(x))
    assert (f(a), f(b)) == (2, 1)
    assert len(f.nopython_signatures) == 1


def test_a_changed_array_is_looked_at_again():
    x = ak.Array([{"x": 1}, {"x": 2}])
    assert numba.njit(lambda x: x[1].x)(x) == 2
    x["x"] = [3, 4]
    assert numba.njit(lambda x: x[1].x)(x) == 4
    x["y"] = [5.5, 6.5]
    assert numba.njit(lambda x: x[1].y)(x) == 6.5


def test_what_fails_as_it_is_computed():
    x = ak.Array([[1, 2], [3]])
    with pytest.raises(IndexError):
        whole(x[:, 1])


def test_attributes_and_names_go_along():
    x = ak.Array([[{"x": 1}]], with_name="point", attrs={"a": 1})
    got = whole(x)
    assert got.attrs == {"a": 1}
    assert ak.parameters(got[0, 0]) == {"__record__": "point"}
    lists = ak.with_parameter(ak.Array([[1], [2]]), "__list__", "mine")
    same(numba.njit(lambda x: x[1:])(lists), lists[1:])


def test_awkward_says_the_same():
    awkward = pytest.importorskip("awkward")
    x = ak.Array(EVENTS)

    def f(x):
        total = 0.0
        for event in x:
            for p in event:
                total += p.pt * math.sqrt(len(p.hits))
        return total, len(x[0]), x[-1][0].pt

    compiled = numba.njit(f)
    assert compiled(x) == compiled(awkward.Array(EVENTS))


def test_kept_on_disk(tmp_path):
    code = """
import numba, serrate as ak
@numba.njit(cache=True)
def f(x):
    return x[1:], x[0][0].pt
y, pt = f(ak.Array([[{"pt": 1.5}], [{"pt": 2.5}]]))
assert ak.to_list(y) == [[{"pt": 2.5}]] and pt == 1.5
print(sum(f.stats.cache_hits.values()))
"""
    script = tmp_path / "kept.py"
    script.write_text(code)
    runs = [
        subprocess.run(
            [sys.executable, script],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | {"SERRATE_BACKEND": "cpu"},
        )
        for _ in range(2)
    ]
    assert [r.stdout.strip() for r in runs] == ["0", "1"], runs[1].stderr


def test_numba_is_not_imported_before_it_is_needed():
    code = "import serrate, sys; serrate.Array([[1]]).to_list(); print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "False", run.stderr


@pytest.mark.skipif(
    os.environ.get("SERRATE_BACKEND") != "cuda", reason="needs a GPU, or an emulated one"
)
def test_arrays_on_a_gpu_are_refused_by_njit():
    x = ak.to_backend(ak.Array([[1]]), "cuda")
    with pytest.raises(TypeError, match="to_backend"):
        whole(x)
