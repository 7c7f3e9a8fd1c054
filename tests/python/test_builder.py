# ArrayBuilder: every method, as Awkward's.
import awkward
import numpy as np
import pytest
from conftest import assert_same

import serrate


def numbers(b):
    b.integer(1)
    b.real(2.5)
    b.null()
    b.complex(1 + 2j)


def lists(b):
    for n in range(3):
        with b.list():
            for i in range(n):
                b.integer(i)
    b.begin_list()
    b.end_list()


def records(b):
    with b.record("Point"):
        b.field("x").real(1.5)
        b.field("y")
        with b.list():
            b.integer(3)
    b.begin_record("Point")
    b.field("x").real(2)
    b.end_record()


def tuples(b):
    with b.tuple(2):
        b.index(0).integer(1)
        b.index(1).string("one")
    b.begin_tuple(2)
    b.index(0).integer(2)
    b.index(1).string("two")
    b.end_tuple()


def mixture(b):
    b.append([1, {"x": 2}, None])
    b.append("text")
    b.extend([[1.5], True])
    b.bytestring(b"raw")
    b.boolean(False)


def times(b):
    b.datetime(np.datetime64("2020-01-01T00:00", "s"))
    b.datetime("2021-01-01T00:00:00")


def durations(b):
    b.timedelta(np.timedelta64(5, "s"))


@pytest.mark.parametrize("fill", [numbers, lists, records, tuples, mixture, times, durations])
def test_filled(fill):
    theirs, ours = awkward.ArrayBuilder(), serrate.ArrayBuilder()
    fill(theirs)
    fill(ours)
    assert_same(ours.snapshot(), theirs.snapshot())
    assert len(ours) == len(theirs)
    assert ours.to_list() == ours.tolist() == theirs.to_list()
    assert str(ours.type) == str(theirs.type)
    assert repr(ours) == repr(theirs)
    assert ours.show(stream=None) == theirs.show(stream=None)


@pytest.mark.parametrize("ak", [awkward, serrate])
def test_as_numpy(ak):
    b = ak.ArrayBuilder()
    assert len(b) == 0
    assert str(b.type) == "0 * unknown"
    b.extend([1, 2])
    assert b.to_numpy().tolist() == [1, 2]
    assert np.asarray(b).tolist() == [1, 2]


@pytest.mark.parametrize("ak", [awkward, serrate])
def test_behavior_and_attrs(ak):
    class Points(ak.Array):
        pass

    b = ak.ArrayBuilder(behavior={("*", "P"): Points}, attrs={"a": 1})
    with b.record("P"):
        b.field("x").integer(1)
    assert type(b.snapshot()) is Points
    assert dict(b.snapshot().attrs) == {"a": 1}


@pytest.mark.parametrize("call", ["end_list", "end_record", "end_tuple"])
def test_calls_that_do_not_nest(call):
    with pytest.raises(ValueError):
        getattr(serrate.ArrayBuilder(), call)()


def test_values_of_wrong_classes():
    b = serrate.ArrayBuilder()
    for method, value in (("integer", "x"), ("real", "x"), ("string", 1), ("bytestring", "x")):
        with pytest.raises(TypeError):
            getattr(b, method)(value)


def test_data_classes_are_records():
    import dataclasses

    @dataclasses.dataclass
    class Point:
        x: int
        y: list

    assert serrate.Array([Point(1, [2.5]), Point(3, [])]).to_list() == [
        {"x": 1, "y": [2.5]},
        {"x": 3, "y": []},
    ]


@pytest.mark.parametrize("ak", [awkward, serrate], ids=["awkward", "serrate"])
def test_builders_are_arrays(ak):
    b = ak.ArrayBuilder()
    b.begin_record()
    b.field("x").integer(1)
    b.end_record()
    assert ak.Array(b).x.to_list() == [1]
    assert str(ak.type(b)) == str(b.type) == "1 * {x: int64}"
    assert str(b) == repr(b) == "<ArrayBuilder type='1 * {x: int64}'>"
    c = ak.ArrayBuilder()
    assert str(ak.type(c)) == "0 * unknown"
    with pytest.raises(ValueError):
        bool(c)
    c.boolean(5)
    assert bool(c)
    assert c.to_list() == [True]
    assert ak.sum(c) == 1


@pytest.mark.parametrize("ak", [awkward, serrate], ids=["awkward", "serrate"])
def test_values_of_every_kind(ak):
    assert ak.from_iter([np.complex64(1j)]).to_list() == [1j]
    assert ak.from_iter("text") == "text"
    assert ak.from_iter(b"bytes") == b"bytes"
    assert ak.Array("[[1, 2], []]").to_list() == [[1, 2], []]
    assert str(ak.Array(b"ab").type) == "2 * byte"
    assert ak.Record('{"x": 1}').x == 1
    for wrong in (
        lambda: ak.from_iter([object()]),
        lambda: ak.Array([{1: 2}]),
        lambda: ak.Array("no json"),
        lambda: ak.Array({"x": [1, 2], "y": [1]}),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        ak.Array({})
    assert None in ak.Array([1, None])
    assert [x.to_list() for x in reversed(ak.Array([[1], [2, 3]]))] == [[2, 3], [1]]


@pytest.mark.parametrize("begun_inside", [None, 1, "text"], ids=str)
def test_looking_in_the_middle_changes_nothing(begun_inside):
    def types(lib, look):
        b = lib.ArrayBuilder()
        seen = []

        def call(name, *args):
            getattr(b, name)(*args)
            if look:
                seen.append((b.typestr, str(b.type), len(b), b.to_list()))

        call("append", begun_inside)
        call("begin_tuple", 2)
        for slot in (0, 1):
            call("index", slot)
            call("integer", 1)
        call("end_tuple")
        call("begin_record", "P")
        call("field", "x")
        call("begin_list")
        call("real", 1.5)
        call("end_list")
        call("end_record")
        call("begin_record", "P")
        call("end_record")
        return seen, b.typestr, b.to_list()

    assert types(serrate, True) == types(awkward, True)
    assert types(serrate, True)[1:] == types(serrate, False)[1:]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_what_has_no_values_yet_comes_back_from_its_buffers():
    def parts(lib):
        b = lib.ArrayBuilder()
        b.begin_tuple(2)
        b.end_tuple()
        b.begin_tuple(2)
        b.index(1)
        b.begin_record()
        b.field("x")
        form, length, container = lib.to_buffers(b.snapshot())
        return str(lib.from_buffers(form, length, container).type), b.to_list()

    assert parts(serrate) == parts(awkward) == ("1 * (?unknown, ?{x: unknown})", [(None, None)])


# Rows of arrays are filled some at a time; what each of them is filled as is the same.
@pytest.mark.parametrize("rows", [0, 1, 1023, 1024, 1025, 3000])
def test_arrays_are_filled_as_their_rows(rows):
    counts = np.arange(rows) % 7
    lists = serrate.unflatten(np.arange(counts.sum(), dtype="f4"), counts)
    for x in (
        lists,
        serrate.Array(np.arange(2 * rows, dtype="u2").reshape(rows, 2)),
        serrate.Array(np.arange(rows) % 3 == 0),
        serrate.mask(lists, serrate.num(lists) > 2),
        serrate.zip({"a": lists, "b": lists * 1j}),
        serrate.Array([["ab", "c"], []] * (rows // 2)),
        serrate.Array(np.arange(rows).astype("M8[s]")),
        serrate.concatenate([lists, serrate.Array([1, 2])]),
    ):
        want = serrate.from_iter(list(x))
        got = serrate.from_iter(x)
        assert got.type == want.type
        assert got.to_list() == want.to_list()
