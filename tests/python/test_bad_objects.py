# Objects that lie, raise, or are no values: a clear error, and nothing is lost.
import datetime
import pickle
import random

import numpy as np
import pytest

import serrate as ak

POINTS = [{"x": 1, "y": [1, 2]}, {"x": 2, "y": []}]


def boom(*_, **__):
    raise RuntimeError("boom")


def with_property(name):
    return type("Liar", (), {name: property(boom)})()


class Foreign:
    """Of a library with ufuncs of its own."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method, [type(x).__name__ for x in inputs]


class Unwilling:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"


def test_what_properties_raise_is_passed_on():
    for name in ("__array__", "__dlpack__", "__cuda_array_interface__", "__iter__", "shape"):
        if name == "shape":
            continue
        for call in (ak.Array, ak.sum, lambda o: ak.Array([1]) + o):
            with pytest.raises(RuntimeError, match="boom"):
                call(with_property(name))
    with pytest.raises(RuntimeError, match="boom"):
        ak.from_iter([with_property("tolist")])


def test_operators_ask_foreign_ufuncs():
    x = ak.Array([1, 2])
    assert x + Foreign() == ("add", "__call__", ["Array", "Foreign"])
    assert Foreign() * x == ("multiply", "__call__", ["Foreign", "Array"])
    assert (x < Foreign()) == ("less", "__call__", ["Array", "Foreign"])
    assert x + Unwilling() == "radd"
    with pytest.raises(TypeError):
        x + object()


def test_casts_that_give_no_array():
    class Thing:
        pass

    class Other:
        pass

    behavior = {
        ("__cast__", Thing): lambda _: [5],
        ("__cast__", Other): lambda x: x,
    }
    x = ak.Array([1], behavior=behavior)
    assert (x + Thing()).to_list() == [6]
    with pytest.raises(TypeError, match="__cast__"):
        x + Other()
    assert (x + Thing()).to_list() == [6]
    behavior[("__cast__", Other)] = boom
    with pytest.raises(RuntimeError, match="boom"):
        x + Other()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda x: x.__setitem__(0, "x"), TypeError),
        (lambda x: x.__setitem__(0, [["a", "b"]]), (TypeError, ValueError)),
        (lambda x: x.__setitem__(0, {"a": 1}), (TypeError, ValueError)),
        (lambda x: x.__setitem__((0, 7), 5), IndexError),
        (lambda x: x.__setitem__(slice(None), [[1, 2, 3], [1]]), ValueError),
        (lambda x: x.__setitem__(0, x[:, 1]), (IndexError, ValueError)),
        (lambda x: x.__iadd__([[1], [1]]), ValueError),
        (lambda x: x.__iadd__(x[:, 1]), IndexError),
        (lambda x: x.__imul__("x"), ValueError),
        (lambda x: x.__ipow__(-1), ValueError),
        (lambda x: np.add(x, [[1], [1]], out=x), ValueError),
        (lambda x: np.add.at(x, (0, 7), 1), IndexError),
        (lambda x: np.add(x, 1, out=ak.Array(POINTS)), (TypeError, ValueError)),
    ],
)
def test_changes_that_fail_leave_what_was_there(change, error):
    x = ak.Array([[1, 2], [3]])
    with pytest.raises(error):
        change(x)
    assert x.to_list() == [[1, 2], [3]]
    x += 1
    assert x.to_list() == [[2, 3], [4]]


def test_messages_name_the_index():
    x = ak.Array([[1, 2, 3], [4]])
    for index in (-5, 3, 2**62, -(2**63)):
        with pytest.raises(IndexError, match=f"index {index} is out of range.* at position 0"):
            x[:, index].to_list()
    with pytest.raises(IndexError, match=r"index 1 is .* position 1"):
        x[ak.Array([[1], [1]])].to_list()
    with pytest.raises(IndexError, match=r"index -1 \(from the front\) is .* position 1"):
        x[ak.Array([[1], [-2]])].to_list()


def test_fields_that_fail_leave_what_was_there():
    r = ak.Array(POINTS)
    for value in (object(), with_property("__array__"), [1, 2, 3], (boom() for _ in [1])):
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            r["z"] = value
    assert r.to_list() == POINTS


class Dlpack:
    def __init__(self, capsule=None, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **_):
        return self.capsule() if callable(self.capsule) else self.capsule

    def __dlpack_device__(self):
        return self.device() if callable(self.device) else self.device


@pytest.mark.parametrize(
    "liar",
    [
        Dlpack(),
        Dlpack(5),
        Dlpack(boom),
        Dlpack(device=boom),
        Dlpack(device=None),
        Dlpack(device=("a", "b")),
        Dlpack(device=()),
        Dlpack(device=(7, 0)),
        5,
    ],
)
def test_dlpack_that_lies(liar):
    with pytest.raises((TypeError, ValueError, RuntimeError, IndexError, BufferError)) as e:
        ak.from_dlpack(liar)
    assert "bad_cast" not in str(e.value)


@pytest.mark.parametrize(
    ("items", "error", "text"),
    [
        ([10**30], ValueError, "10{30} does not fit|1000000"),
        ([-(10**5000)], ValueError, "16610 bits"),
        ([{1: 2}], ValueError, "keys of records"),
        ([{"\ud800": 1}], UnicodeEncodeError, "surrogates"),
        (["a\ud800"], UnicodeEncodeError, "surrogates"),
        ([object()], ValueError, "object of class object"),
        ([datetime.time, 1], ValueError, "class type"),
        ((boom() for _ in [1]), RuntimeError, "boom"),
        ([[1, (boom() for _ in [1])]], RuntimeError, "boom"),
    ],
)
def test_items_that_are_no_values(items, error, text):
    with pytest.raises(error, match=text):
        ak.from_iter(items)


def test_text_that_is_no_text():
    for call in (
        lambda: ak.from_buffers("\ud800", 1, {}),
        lambda: ak.Array([1])["\ud800"],
        lambda: ak.Array([{"x": 1}])["\ud800"],
        lambda: ak.enforce_type(ak.Array([1]), "\ud800"),
    ):
        with pytest.raises((UnicodeEncodeError, TypeError, ValueError)) as e:
            call()
        assert "bad_cast" not in str(e.value)
    with pytest.raises(TypeError):
        ak.from_buffers('"int64"', 1, {}, buffer_key=lambda **_: None)


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
def test_pickles_that_were_changed():
    """What unpickles is an array that can be looked at; the rest raises."""
    good = pickle.dumps(ak.Array([[1, 2], [3], None, ["a"]]))
    form, length, buffers = ak.to_buffers(ak.Array([[1, 2], [3], None, ["a"]]))
    assert ak.Array(pickle.loads(good)).to_list() == [[1, 2], [3], None, ["a"]]
    from serrate._convert import unpickle

    r = random.Random(5)
    looked_at = 0
    for _ in range(400):
        changed = {k: bytearray(v) for k, v in buffers.items()}
        some = r.choice([k for k, v in changed.items() if v])
        changed[some][r.randrange(len(changed[some]))] = r.choice([0, 1, 7, 128, 255])
        try:
            x = unpickle(str(form), length, {k: bytes(v) for k, v in changed.items()})
        except ValueError:
            continue
        looked_at += 1
        assert len(x.to_list()) == length
    assert looked_at > 0
    for n in range(0, len(good), 7):
        with pytest.raises((pickle.UnpicklingError, EOFError, ValueError)):
            pickle.loads(good[:n])


@pytest.mark.parametrize("x", [ak.Array([1, 2]), ak.Array(POINTS), ak.Array(POINTS)[0]])
def test_names_that_python_does_not_remember(x):
    """Its lookup in a class, of names of more than 100 characters each time, clears an error that
    is set before."""
    for name in ("_" + "n" * 150, "__" + "n" * 150 + "__", "n" * 150, "", "_"):
        for _ in range(3):
            with pytest.raises(AttributeError):
                getattr(x, name)
        assert not hasattr(x, name)
