# Names of axes: given, used for axis= and in slices, and what operations leave of them.
import awkward
import numpy as np
import pytest

import serrate

LIBRARIES = pytest.mark.parametrize("ak", [awkward, serrate], ids=["awkward", "serrate"])


def named(ak):
    return ak.Array([[[1, 2], [3]], [[4]]], named_axis=("a", "b", "c"))


CALLS = {
    "sum": lambda ak, x: ak.sum(x, axis="b"),
    "sum keepdims": lambda ak, x: ak.sum(x, axis="b", keepdims=True),
    "mean": lambda ak, x: ak.mean(x, axis="c"),
    "var": lambda ak, x: ak.var(x, axis=1),
    "argmax": lambda ak, x: ak.argmax(x, axis="c"),
    "num": lambda ak, x: ak.num(x, axis="c"),
    "flatten": lambda ak, x: ak.flatten(x, axis="b"),
    "flatten last": lambda ak, x: ak.flatten(x, axis="c"),
    "ravel": lambda ak, x: ak.ravel(x),
    "local_index": lambda ak, x: ak.local_index(x, axis="b"),
    "firsts": lambda ak, x: ak.firsts(x, axis="b"),
    "is_none": lambda ak, x: ak.is_none(x, axis="b"),
    "singletons": lambda ak, x: ak.singletons(x, axis=0),
    "pad_none": lambda ak, x: ak.pad_none(x, 3, axis="b"),
    "with_named_axis of nothing": lambda ak, x: ak.with_named_axis(x, None),
    "with_named_axis of no names": lambda ak, x: ak.with_named_axis(x, ()),
    "cartesian nested": lambda ak, x: ak.cartesian([x, x], axis=-3, nested=True),
    "cartesian nested inside": lambda ak, x: ak.cartesian([x, x], axis=-2, nested=True),
    "combinations": lambda ak, x: ak.combinations(x, 2, axis="b"),
    "concatenate": lambda ak, x: ak.concatenate([x, x], axis="b"),
    "zip": lambda ak, x: ak.zip({"q": x}),
    "where": lambda ak, x: ak.where(x > 1, x, 0),
    "arithmetic": lambda ak, x: x * 2 + x,
    "ufunc": lambda ak, x: np.sqrt(x),
    "values_astype": lambda ak, x: ak.values_astype(x, "float32"),
    "x[0]": lambda ak, x: x[0],
    "x[:, 0]": lambda ak, x: x[:, 0],
    "x[..., 0]": lambda ak, x: x[..., 0],
    "x[None]": lambda ak, x: x[None],
    "x[x > 1]": lambda ak, x: x[x > 1],
    "x[{a: 0}]": lambda ak, x: x[{"a": 0}],
    "x[{c: 1:}]": lambda ak, x: x[{"c": slice(0, 1), 0: slice(1, None)}],
    "without": lambda ak, x: ak.without_named_axis(x),
    "with": lambda ak, x: ak.with_named_axis(x, {"z": 2}),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_left(name):
    theirs, ours = (CALLS[name](ak, named(ak)) for ak in (awkward, serrate))
    assert ours.to_list() == theirs.to_list()
    assert ours.named_axis == theirs.named_axis


@LIBRARIES
def test_wrong_names(ak):
    x = named(ak)
    with pytest.raises(ValueError):
        ak.sum(x, axis="z")
    with pytest.raises(ValueError):
        x + ak.with_named_axis(x, ("z", None, None))
    with pytest.raises(ValueError):
        ak.with_named_axis(x, ("a", "b", "c", "d"))
    with pytest.raises((ValueError, TypeError)):
        ak.with_named_axis(x, 5)


@LIBRARIES
def test_properties(ak):
    x = named(ak)
    assert x.named_axis == {"a": 0, "b": 1, "c": 2}
    assert x.positional_axis == (0, 1, 2)
    assert ak.with_named_axis([1, 2], (None,)).named_axis == {}


def test_records_are_compared_by_value():
    # Awkward refuses without an overload.
    x = serrate.Array([{"x": 1, "y": [1.5]}, {"x": 2, "y": []}, None])
    y = serrate.Array([{"x": 1.0, "y": [1.5]}, {"x": 2, "y": [3]}, {"x": 0, "y": []}])
    assert (x == y).to_list() == [True, False, None]
    assert (x != y).to_list() == [False, True, None]
    assert x[0] == y[0]
    assert not (x[1] == y[1])  # noqa: SIM201
    assert (x == serrate.Array([{"z": 1}])[0]).to_list() == [False, False, None]


NAMED = [[1, 2, 3], [], [4, 5]]
BY_NAME = {
    "sort": lambda ak, x: ak.sort(x, axis="jets"),
    "argsort": lambda ak, x: ak.argsort(x, axis="jets"),
    "cartesian": lambda ak, x: ak.cartesian([x, x], axis="jets"),
    "cartesian of a dict": lambda ak, x: ak.cartesian({"a": x, "b": x}, axis="jets"),
    "argcartesian": lambda ak, x: ak.argcartesian([x, x], axis="jets"),
    "moment": lambda ak, x: ak.moment(x, 2, axis="jets"),
    "flatten 0": lambda ak, x: ak.flatten(x, axis=0),
    "unflatten": lambda ak, x: ak.unflatten(x, [1, 2], axis="events"),
    "broadcast": lambda ak, x: ak.broadcast_arrays(x, ak.Array([1, 2, 3]))[1],
    "from_iter": lambda ak, x: ak.from_iter(x),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_axes_by_name(name):
    results = []
    for ak in (awkward, serrate):
        out = BY_NAME[name](ak, ak.Array(NAMED, named_axis=("events", "jets")))
        results.append((dict(out.named_axis), str(out.type)))
    assert results[0] == results[1]


@pytest.mark.parametrize("ak", [awkward, serrate], ids=["awkward", "serrate"])
def test_equal_with_names(ak):
    x = ak.Array(NAMED, named_axis=("events", "jets"))
    other = ak.with_named_axis(ak.without_named_axis(x), (None, "jets"))
    assert ak.almost_equal(x, x)
    assert not ak.almost_equal(x, other)
    assert ak.almost_equal(x, other, check_named_axis=False)
    assert ak.array_equal(x, ak.without_named_axis(x))
    assert repr(x).endswith("events:0,jets:1 type='3 * var * int64'>")


DATA = {2: [[1, 2], [3], [4]], 3: [[[1, 2], [3]], [[4]]]}
NAMES = {
    2: [{"x": 0, "y": 1}, {"x": -2, "y": -1}, {"x": 0, "y": -1}],
    3: [{"x": 0, "y": 1, "z": 2}, {"x": -3, "y": -2, "z": -1}],
}
ALONG = {
    name: lambda ak, a, axis, name=name: getattr(ak, name)(a, axis=axis)
    for name in ["sum", "max", "argmin", "mean", "std", "local_index", "flatten", "is_none"]
    + ["firsts", "singletons", "drop_none", "sort", "argsort"]
}
ALONG["kept"] = lambda ak, a, axis: ak.sum(a, axis=axis, keepdims=True)
ALONG["combinations"] = lambda ak, a, axis: ak.combinations(a, 2, axis=axis)
ALONG["pad_none"] = lambda ak, a, axis: ak.pad_none(a, 3, axis=axis)


@pytest.mark.parametrize("call", ALONG.values(), ids=ALONG)
@pytest.mark.parametrize("ndim", DATA)
def test_along_every_axis(call, ndim):
    for names in NAMES[ndim]:
        for axis in [*range(-ndim, ndim), *names]:
            assert names_left(serrate, call, ndim, names, axis) == names_left(
                awkward, call, ndim, names, axis
            )


def names_left(ak, call, ndim, names, *args):
    """Names of the result, None of what has none."""
    result = call(ak, ak.with_named_axis(ak.Array(DATA[ndim]), names), *args)
    return getattr(result, "named_axis", None)


ROWS = slice(0, 1)
SLICERS = [0, ROWS, slice(None), ..., None, (..., 0), (slice(None), 0), (slice(None), ROWS)]
SLICERS += [(0, ...), (None, slice(None)), (slice(None), None), (..., None), (0, 0), (..., ROWS)]


@pytest.mark.parametrize("where", SLICERS, ids=str)
@pytest.mark.parametrize("ndim", DATA)
def test_slices_keep_names_where_they_are(where, ndim):
    for names in NAMES[ndim]:
        both = [names_left(m, lambda _, a: a[where], ndim, names) for m in (serrate, awkward)]
        assert both[0] == both[1]
        both = [
            names_left(m, lambda _, a: a[{"x": ROWS, "y": ROWS}], ndim, names)
            for m in (serrate, awkward)
        ]
        assert both[0] == both[1]
        both = [names_left(m, lambda _, a: a[a > 1], ndim, names) for m in (serrate, awkward)]
        assert both[0] == both[1]


def test_operands_of_other_depths():
    for names, fewer in [({"x": 0, "y": 1}, {"x": 0}), ({"x": -2, "y": -1}, {"x": -1})]:

        def add(m, names=names, fewer=fewer):
            deep = m.with_named_axis(m.Array(DATA[2]), names)
            return deep + m.with_named_axis(m.Array([10, 20, 30]), fewer)

        assert add(serrate).named_axis == add(awkward).named_axis == names


def test_each_keeps_its_own():
    x = serrate.with_named_axis(serrate.Array([{"x": [1]}]), ("x", "y"))
    y = serrate.with_named_axis(serrate.Array([{"z": 1}]), ("a",))
    assert [a.named_axis for a in serrate.broadcast_fields(x, y)] == [{"x": 0, "y": 1}, {"a": 0}]
    assert not serrate.array_equal(x, y)
    assert serrate.array_equal(serrate.Array([1]), serrate.with_named_axis([1], ("a",)))
    other = serrate.with_named_axis([1], ("b",))
    assert not serrate.array_equal(other, serrate.with_named_axis([1], ("a",)))
    assert serrate.array_equal(other, serrate.with_named_axis([1], ("a",)), check_named_axis=False)


def test_slicers_of_axes_that_are_not_there():
    x = serrate.with_named_axis(serrate.Array([[1, 2], [3]]), ("x", "y"))
    for where in ({5: 0}, {-3: 0}):
        with pytest.raises(serrate.errors.AxisError):
            x[where]
