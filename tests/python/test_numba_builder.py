# ArrayBuilder in functions that Numba compiles, compared with the same calls in Python.
import numpy as np
import pytest
from test_numba import KINDS, array_of

import serrate as ak

numba = pytest.importorskip("numba")
pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


def both_ways(f, *args):
    """What f builds, compiled and in Python, is the same."""
    plain, compiled = ak.ArrayBuilder(), ak.ArrayBuilder()
    f(plain, *args)
    assert numba.njit(f)(compiled, *args) is None
    expected, got = plain.snapshot(), compiled.snapshot()
    assert ak.to_list(got) == ak.to_list(expected)
    assert str(got.type) == str(expected.type)


def of_values(b):
    b.null()
    b.boolean(True)
    b.integer(-5)
    b.real(2.5)
    b.complex(1 + 2j)
    b.string("m\xfcon\U0001f986\u20ac")


def of_lists(b):
    for i in range(4):
        b.begin_list()
        for j in range(i):
            b.real(j / 2)
        b.end_list()


def of_records(b):
    for i in range(3):
        b.begin_record("point")
        b.field("x").integer(i)
        b.field("name").string("a" * i)
        b.field("near")
        b.begin_list()
        b.end_list()
        b.end_record()
    b.begin_record("point")
    b.end_record()


def of_tuples(b):
    for i in range(3):
        b.begin_tuple(2)
        b.index(0).integer(i)
        b.index(1).boolean(i > 1)
        b.end_tuple()


def of_anything(b):
    b.append(1)
    b.append(2.5)
    b.append(None)
    b.append("text")
    b.append((1, 2.5))
    b.begin_record()
    b.field("x").append(True)
    b.end_record()


@pytest.mark.parametrize("f", [of_values, of_lists, of_records, of_anything])
def test_methods(f):
    if f is of_anything:
        b = ak.ArrayBuilder()
        numba.njit(f)(b)
        assert ak.to_list(b.snapshot()) == [1, 2.5, None, "text", (1, 2.5), {"x": True}]
    else:
        both_ways(f)


def test_tuples():
    both_ways(of_tuples)


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_are_appended(kind):
    x = array_of(kind)
    b = ak.ArrayBuilder()

    @numba.njit
    def copied(x, b):
        for i in range(len(x)):
            b.append(x[i])

    copied(x, b)
    assert ak.to_list(b.snapshot()) == ak.to_list(x)
    assert len(b) == len(x)


def test_times():
    x = ak.Array(np.array(["2020-01-01", "NaT"], "datetime64[s]"))
    b = ak.ArrayBuilder()

    @numba.njit
    def f(x, b):
        b.datetime(x[0])
        b.append(x[1])

    f(x, b)
    assert str(b.snapshot().type) == "2 * datetime64[s]"


def test_what_does_not_nest():
    @numba.njit
    def f(b):
        b.begin_list()
        b.integer(1)
        b.end_list()
        b.end_list()

    b, plain = ak.ArrayBuilder(), ak.ArrayBuilder()
    with pytest.raises(ValueError) as expected:
        plain.end_list()
    with pytest.raises(ValueError) as got:
        f(b)
    assert str(got.value) == str(expected.value)
    assert ak.to_list(b.snapshot()) == [[1]]
    f2 = numba.njit(nogil=True)(lambda b: b.end_list())
    with pytest.raises(ValueError, match="end_list"):
        f2(b)


def test_it_comes_back_and_has_a_length():
    @numba.njit
    def f(b):
        b.integer(len(b))
        return b

    b = ak.ArrayBuilder()
    assert f(b) is b
    assert f(f(b)) is b
    assert ak.to_list(b.snapshot()) == [0, 1, 2]
    numba.njit(lambda b: b.clear())(b)
    assert len(b) == 0
    with pytest.raises(numba.TypingError):
        numba.njit(lambda b: b.integer(1.5))(b)
