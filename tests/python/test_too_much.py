# What is too large, too deep, in a circle, or raises where nobody thinks of it: a clear error.
import gc
import weakref

import numpy as np
import pytest

import serrate as ak


# -- cycles ----------------------------------------------------------------------------------------
class Witness:
    """Goes when what holds it does."""


@pytest.mark.parametrize(
    "make",
    [
        lambda held: ak.Array([1], behavior=held),
        lambda held: ak.Array([1], behavior=held) + 1,
        lambda held: -ak.Array([1], behavior=held),
        lambda held: ak.Array([[1]], behavior=held)[0],
        lambda held: ak.Array([{"x": 1}], behavior=held)[0],
        lambda held: ak.Array([{"x": 1}], behavior=held).x,
        lambda held: ak.Record({"x": 1}, behavior=held),
        lambda held: ak.ArrayBuilder(behavior=held),
        lambda held: ak.sum(ak.Array([[1]], behavior=held), axis=-1),
        lambda held: np.sqrt(ak.Array([1.0], behavior=held)),
        lambda held: np.add(ak.Array([1.0], behavior=held), 1),
        lambda held: ak.Array([1], behavior=held).mask,
        lambda held: ak.Array([1], behavior=held).mask[[True]],
        lambda held: next(iter(ak.Array([[1]], behavior=held))),
    ],
)
def test_behaviours_that_hold_their_array_are_collected(make):
    held = {}
    held["self"] = make(held)
    held["witness"] = Witness()
    seen = weakref.ref(held["witness"])
    del held
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize(
    "make", [lambda: ak.Array([1]), lambda: ak.Array([1]) + 1, ak.ArrayBuilder]
)
def test_attributes_that_hold_their_array_are_collected(make):
    x = make()
    x.attrs["self"] = x
    x.attrs["witness"] = Witness()
    seen = weakref.ref(x.attrs["witness"])
    del x
    gc.collect()
    assert seen() is None


# -- too large, too deep ---------------------------------------------------------------------------
@pytest.mark.parametrize("n", [2**31 - 1, 2**31, 2**64, 10**400, -(2**70)])
def test_numbers_of_items_that_are_too_large(n):
    text = "bits" if n > 2**200 else str(n)
    with pytest.raises(ValueError, match=text):
        ak.combinations(ak.Array([[1, 2]]), n)
    if not 0 <= n < 2**56:
        with pytest.raises(ValueError, match=text):
            ak.from_buffers('"int64"', n, {"None-data": np.array([1])})


def test_builders_that_are_too_large():
    b = ak.ArrayBuilder()
    with pytest.raises(ValueError, match=r"slots.*2147483648"):
        b.begin_tuple(2**31)
    b.append(1)
    assert b.to_list() == [1]


def begin_lists(b, levels):
    for _ in range(levels):
        b.begin_list()


def begin_tuples(b, levels):
    for _ in range(levels):
        b.begin_tuple(1)
        b.index(0)


def begin_records(b, levels):
    for _ in range(levels):
        b.begin_record()
        b.field("x")


@pytest.mark.parametrize("begin", [begin_lists, begin_tuples, begin_records])
def test_builders_that_are_too_deep(begin):
    b = ak.ArrayBuilder()
    with pytest.raises(ValueError, match="levels"):
        begin(b, 20_000)
    assert repr(b).startswith("<ArrayBuilder")
    assert len(b.snapshot()) == 0


LEVELS = 10_000


def deep_dict(levels):
    form = "int64"
    for _ in range(levels):
        form = {"class": "ListOffsetArray", "offsets": "i64", "content": form}
    return form


def deep_json(levels):
    start = '{"class": "ListOffsetArray", "offsets": "i64", "content": '
    return start * levels + '"int64"' + "}" * levels


def deep_list(levels):
    out = []
    for _ in range(levels):
        out = [out]
    return out


def deep_form(levels):
    form = ak.forms.NumpyForm("int64")
    for _ in range(levels):
        form = ak.forms.ListOffsetForm("i64", form)
    return form


def deep_layout(levels):
    layout = ak.contents.NumpyArray(np.array([1]))
    for _ in range(levels):
        layout = ak.contents.RegularArray(layout, 1)
    return layout


def deep_type(levels):
    type = ak.types.NumpyType("int64")
    for _ in range(levels):
        type = ak.types.ListType(type)
    return type


@pytest.mark.parametrize(
    "make",
    [
        lambda n: ak.from_buffers(deep_json(n), 0, {}),
        lambda n: ak.from_buffers(deep_dict(n), 0, {}),
        lambda n: ak.forms.from_json(deep_json(n)),
        lambda n: ak.forms.from_dict(deep_dict(n)),
        lambda n: ak.from_iter([deep_list(n)]),
        lambda n: ak.Array(deep_list(n)),
        lambda n: ak.Array("[" * n + "]" * n),
        lambda n: ak.types.from_datashape("var * " * n + "int64"),
        lambda n: ak.enforce_type(ak.Array([1]), "var * " * n + "int64"),
        deep_form,
        deep_layout,
        deep_type,
    ],
)
@pytest.mark.parametrize("levels", [300, LEVELS])
def test_what_is_nested_too_deep(make, levels):
    with pytest.raises(ValueError, match=r"deep|levels|nest"):
        make(levels)


def test_what_is_nested_deep():
    """Below the limit all of it works."""
    levels = 150
    form = ak.forms.from_json(deep_json(levels))
    assert ak.forms.from_dict(form.to_dict()) == form
    assert str(form.type).count("var") == levels
    assert str(deep_form(levels).type).count("var") == levels
    x = ak.Array(deep_layout(levels))
    assert x.ndim == levels + 1
    assert ak.Array(x.layout).ndim == levels + 1
    assert ak.Array(deep_list(levels)).ndim == levels + 1


# -- objects that are slicers ----------------------------------------------------------------------
class Raises:
    def __index__(self):
        raise RuntimeError("mine")


class NoInteger:
    def __index__(self):
        return "one"


class NoClass:
    @property
    def __class__(self):
        raise RuntimeError("mine")


@pytest.mark.parametrize(
    "use",
    [
        lambda x, o: x[o],
        lambda x, o: x[:, o],
        lambda x, o: x[0, o],
        lambda x, o: x[o:],
        lambda x, o: x[:, :o],
        lambda x, o: ak.Array([{"x": 1}])[o, "x"],
    ],
)
def test_what_index_raises_is_passed_on(use):
    x = ak.Array([[1, 2], [3]])
    with pytest.raises(RuntimeError, match="mine"):
        use(x, Raises())
    with pytest.raises(TypeError):
        use(x, NoInteger())
    with pytest.raises((RuntimeError, TypeError, ValueError)):
        use(x, NoClass())
    assert x[0].to_list() == [1, 2]


class NoTruth:
    def __bool__(self):
        raise RuntimeError("mine")


def test_what_truth_raises_is_passed_on():
    x = ak.Array([1, 2])
    with pytest.raises(RuntimeError, match="mine"):
        ak.with_named_axis(x, NoTruth())

    class Compared:
        def __eq__(self, other):
            raise RuntimeError("mine")

        __hash__ = None

    with pytest.raises(RuntimeError, match="mine"):
        Compared() in x  # noqa: B015
    b = ak.ArrayBuilder()
    b.append([1, 2])
    with pytest.raises(ValueError, match="truth value"):
        bool(b)
    for call in (ak.sum, ak.Array, lambda o: x + o, lambda o: ak.from_iter([o])):
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            call(NoClass())


# -- many fields -----------------------------------------------------------------------------------
def test_records_of_many_fields():
    """Whatever looks at all fields does so in linear time: these would take minutes."""
    n = 30_000
    names = [f"field{i}" for i in range(n)]
    x = ak.from_iter([dict.fromkeys(names, 1), dict.fromkeys(names, 2)])
    assert x.fields == names
    assert x[names[-1]].to_list() == [1, 2]
    assert len(x.to_list()[1]) == n
    assert len(repr(x)) <= 90
    y = ak.zip(dict(zip(names, ak.unzip(x), strict=True)))
    assert ak.array_equal(x, y)
    assert x.type == y.type
    z = ak.with_field(x, [3, 4], names[5])
    assert z[names[5]].to_list() == [3, 4]
    assert len(ak.without_field(x, names[7]).fields) == n - 1
    assert ak.concatenate([x, y])[names[9]].to_list() == [1, 2, 1, 2]
    assert ak.Array(x.layout).fields == names
    assert x[names[::-1]].fields == names[::-1]
