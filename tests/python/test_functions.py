# Every function once or more on small arrays, beside Awkward.
import awkward
import numpy as np
import pytest
import rows
from conftest import assert_same, both

import serrate as ak

LISTS = [[1.5, 2.5, 3.5], [], [4.5, 5.5]]
DEEP = [[[1, 2], []], [], [[3], [4, 5, 6]]]
OPTION = [[1, None, 3], None, [4], []]
RECORDS = [[{"x": 1, "y": [1.1]}, {"x": 2, "y": []}], [], [{"x": 3, "y": [3.3, 4.4]}]]
STRINGS = [["one", "two"], [], ["", "three"]]
UNION = [1, "two", [3, 4], None]
TUPLES = [[(1, 2.5), (3, 4.5)], [], [(5, 6.5)]]
REGULAR = np.arange(24).reshape(2, 3, 4)
EVERYTHING = [LISTS, DEEP, OPTION, RECORDS, STRINGS, UNION, TUPLES, REGULAR, [], [[]], [None]]


@pytest.mark.parametrize("data", EVERYTHING, ids=str)
def test_from_and_to_python(data):
    ours, theirs = ak.Array(data), awkward.Array(data)
    assert_same(ours, theirs)
    assert ours.typestr == theirs.typestr
    assert ours.fields == theirs.fields
    assert ours.tolist() == theirs.tolist()
    assert ak.is_tuple(ours) == awkward.is_tuple(theirs)


@pytest.mark.parametrize("data", EVERYTHING, ids=str)
def test_printed(data):
    ours, theirs = ak.Array(data), awkward.Array(data)
    assert str(ours) == str(theirs)
    assert repr(ours) == repr(theirs)
    assert ours.show(stream=None) == theirs.show(stream=None)


CALLS = {
    "sum": lambda ak, x: ak.sum(x, axis=1),
    "sum keepdims": lambda ak, x: ak.sum(x, axis=-1, keepdims=True),
    "sum mask_identity": lambda ak, x: ak.sum(x, axis=-1, mask_identity=True),
    "sum None": lambda ak, x: ak.sum(x),
    "prod": lambda ak, x: ak.prod(x, axis=-1),
    "min": lambda ak, x: ak.min(x, axis=-1),
    "min initial": lambda ak, x: ak.min(x, axis=-1, initial=2, mask_identity=False),
    "max no mask": lambda ak, x: ak.max(x, axis=-1, mask_identity=False),
    "max axis 0": lambda ak, x: ak.max(x, axis=0),
    "any": lambda ak, x: ak.any(x, axis=-1),
    "all": lambda ak, x: ak.all(x, axis=-1),
    "count": lambda ak, x: ak.count(x, axis=-1),
    "count_nonzero": lambda ak, x: ak.count_nonzero(x, axis=-1),
    "argmin": lambda ak, x: ak.argmin(x, axis=-1),
    "argmax keepdims": lambda ak, x: ak.argmax(x, axis=-1, keepdims=True),
    "mean": lambda ak, x: ak.mean(x, axis=-1),
    "mean weight": lambda ak, x: ak.mean(x, weight=x, axis=-1),
    "var ddof": lambda ak, x: ak.var(x, ddof=1, axis=-1),
    "std": lambda ak, x: ak.std(x, axis=-1),
    "ptp": lambda ak, x: ak.ptp(x, axis=-1),
    "num": lambda ak, x: ak.num(x),
    "num axis 0": lambda ak, x: ak.num(x, axis=0),
    "flatten": lambda ak, x: ak.flatten(x),
    "flatten None": lambda ak, x: ak.flatten(x, axis=None),
    "ravel": lambda ak, x: ak.ravel(x),
    "local_index": lambda ak, x: ak.local_index(x),
    "combinations": lambda ak, x: ak.combinations(x, 2, fields=["a", "b"], with_name="Pair"),
    "argcombinations": lambda ak, x: ak.argcombinations(x, 2),
    "cartesian": lambda ak, x: ak.cartesian({"a": x, "b": x}),
    "cartesian nested": lambda ak, x: ak.cartesian([x, x], nested=True),
    "cartesian axis 0": lambda ak, x: ak.cartesian([x, x], axis=0),
    "argcartesian": lambda ak, x: ak.argcartesian([x, x]),
    "mask": lambda ak, x: ak.mask(x, ak.num(x) > 0),
    "is_none": lambda ak, x: ak.is_none(x),
    "fill_none": lambda ak, x: ak.fill_none(ak.firsts(x), 9, axis=0),
    "drop_none": lambda ak, x: ak.drop_none(x),
    "pad_none": lambda ak, x: ak.pad_none(x, 2),
    "pad_none clip": lambda ak, x: ak.pad_none(x, 2, clip=True),
    "firsts": lambda ak, x: ak.firsts(x),
    "singletons": lambda ak, x: ak.singletons(ak.firsts(x)),
    "where": lambda ak, x: ak.where(ak.num(x) > 1, ak.num(x), -1),
    "broadcast_arrays": lambda ak, x: ak.broadcast_arrays(ak.num(x), x),
    "zeros_like": lambda ak, x: ak.zeros_like(x),
    "ones_like dtype": lambda ak, x: ak.ones_like(x, dtype="float32"),
    "full_like": lambda ak, x: ak.full_like(x, 7),
    "values_astype": lambda ak, x: ak.values_astype(x, "float32"),
    "concatenate": lambda ak, x: ak.concatenate([x, x]),
    "concatenate axis 1": lambda ak, x: ak.concatenate([x, x], axis=1),
    "from_regular": lambda ak, x: ak.from_regular(x, axis=None),
    "with_name": lambda ak, x: ak.with_name(ak.zip({"x": x}), "Point"),
    "with_field": lambda ak, x: ak.with_field(ak.zip({"x": x}), x, "y"),
    "without_field": lambda ak, x: ak.without_field(ak.zip({"x": x, "y": x}), "y"),
    "unflatten": lambda ak, x: ak.unflatten(ak.flatten(x), ak.num(x)),
}


# Those whose results are objects of each library, or say where arrays are.
NOT_BESIDE = ["backend", "from_buffers", "to_buffers", "type"]


@pytest.mark.parametrize("name", [n for n in rows.ROWS if hasattr(awkward, n)])
def test_every_row(name):
    if name not in NOT_BESIDE:
        both(rows.call(name), awkward.Array(rows.LISTS), rtol=1e-12)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    "data", [LISTS, DEEP, OPTION, REGULAR], ids=["lists", "deep", "option", "regular"]
)
def test_call(name, data):
    if data is OPTION and name in ("combinations", "cartesian nested"):
        return  # see test_known_differences
    both(CALLS[name], awkward.Array(data), rtol=1e-12)


@pytest.mark.parametrize(
    "name",
    [
        "num",
        "flatten",
        "firsts",
        "pad_none",
        "is_none",
        "mask",
        "concatenate",
        "combinations",
        "drop_none",
        "cartesian",
        "local_index",
        "singletons",
    ],
)
@pytest.mark.parametrize("data", [RECORDS, STRINGS, TUPLES], ids=["records", "strings", "tuples"])
def test_call_on_structured_values(name, data):
    if data is RECORDS and name == "local_index":
        return  # see test_known_differences
    both(CALLS[name], awkward.Array(data))


def test_to_regular():
    both(lambda ak, x: ak.to_regular(x), awkward.Array([[1, 2], [3, 4]]))
    with pytest.raises(ValueError):
        ak.to_list(ak.to_regular(ak.Array(LISTS)))


def test_compare_whole_arrays():
    x = ak.Array([[1.0, 2.0], []])
    assert ak.array_equal(x, [[1.0, 2.0], []])
    assert not ak.array_equal(x, [[1.0, 2.5], []])
    assert not ak.array_equal(x, [[1.0], [2.0]])
    assert ak.almost_equal(x, x + 1e-9)
    assert not ak.almost_equal(x, ak.values_astype(x, "float32"))
    assert ak.almost_equal(x, ak.values_astype(x, "float32"), dtype_exact=False)


def test_parameters():
    assert ak.parameters(ak.Array(["a"])) == {"__array__": "string"}
    x = ak.with_parameter([1, 2], "note", {"a": [1]})
    assert ak.parameters(x) == {"note": {"a": [1]}}
    assert ak.parameters(ak.without_parameters(x)) == {}


def test_types():
    x = ak.Array(RECORDS)
    assert x.type == ak.type(x)
    assert x.type == ak.types.from_datashape(str(x.type))
    assert str(ak.type(1.5)) == "float64"
    assert ak.type(ak.Array([1])) != ak.type(ak.Array([1.5]))


def test_where_alone():
    assert [a.tolist() for a in ak.where(ak.Array([True, False, True]))] == [[0, 2]]


@pytest.mark.parametrize(
    "y", [[[10, 20], [30, 40], [50, 60]], [None, [30, 40], None], [1, None, 3], 7], ids=str
)
@pytest.mark.parametrize(
    "x", [[[1, 2], [3, 4], [5, 6]], [[1, 2], None, [5, 6]], [1, 2, None], 5], ids=str
)
def test_where_keeps_missing_lists_to_the_chosen_side(x, y):
    conditions = [[True, False], [False, None], [True, True]]
    both(lambda ak, c: ak.where(c, x, y), conditions)
    # A missing list of conditions gives a missing list; Awkward one as long as the others.
    known = ak.to_list(ak.where(ak.Array(conditions), x, y))
    got = ak.where(ak.Array([*conditions[:2], None]), x, y).to_list()
    assert got == [*known[:2], None]


@pytest.mark.usefixtures("new_arrays_on_the_cpu")
@pytest.mark.parametrize(
    "data",
    [
        [[1.5, 2.5], None, [3.5, 4.5]],
        [None, [1, 2]],
        [None, []],
        [[1, None], None, [2, 3]],
        [[[1, 2], [3, 4]], None, [[5, 6], None]],
        [["a", "b"], None, ["c", "dd"]],
    ],
    ids=str,
)
def test_masked_arrays_of_missing_lists(data):
    ours, theirs = ak.to_numpy(ak.Array(data)), awkward.to_numpy(awkward.Array(data))
    assert type(ours) is type(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    assert ours.tolist() == theirs.tolist()


def test_histogram():
    x = ak.Array([[0.5, 1.5], [], [1.6, -1, 7, np.nan, None]])
    assert ak.histogram(x, 2, 0, 2).tolist() == [1, 2]
    assert ak.histogram(x, 2, 0, 2, flow=True).tolist() == [1, 1, 2, 2]
    w = ak.Array([[2.0, 3.0], [], [4.0, 1.0, 1.0, 1.0, 1.0]])
    assert ak.histogram(x, 2, 0, 2, weight=w).tolist() == [2, 7]


def test_boost_histogram():
    x = ak.Array([[0.5, 1.5], [], [1.6, -1, 7]])
    h = ak.boost_histogram(x, 2, 0, 2)
    assert h.view(flow=True).tolist() == [1, 1, 2, 1]
    assert h.axes[0].edges.tolist() == [0, 1, 2]


def test_explain_and_compute():
    x = ak.Array(LISTS)
    plan = ak.explain(ak.sum(x * x + 1, axis=1))
    assert plan.passes >= 1
    assert plan.bytes_read > 0
    assert str(plan)
    a, b = ak.compute(x + 1, ak.sum(x, axis=1))
    assert a.tolist() == [[2.5, 3.5, 4.5], [], [5.5, 6.5]]
    assert b.tolist() == [7.5, 0, 10]


def test_every_docstring_has_an_example_and_every_function_a_doc():
    for name in ak.__all__:
        f = getattr(ak, name)
        if callable(f) and not isinstance(f, type):
            assert f.__doc__, name


def test_builder():
    b = ak.ArrayBuilder()
    b.begin_list()
    b.integer(1)
    b.real(2.5)
    b.end_list()
    b.append([])
    b.null()
    assert len(b) == 3
    assert_same(b.snapshot(), awkward.Array([[1, 2.5], [], None]))


PARTS = {
    "lists": [[1.5, 2.5, 3.5], [], [4.5], [5.5] * 20, [6.5, 7.5]],
    "options": [[1.5, None], None, [], [2.5], None],
    "records": [[{"x": 1, "y": "one"}], [], [{"x": 2, "y": ""}, {"x": 3, "y": "three"}], [], []],
    "words": ["one", "", "three", "four", "five"],
    "flags": [[True], [], [False, True], [True] * 40, [False]],
    "deep": [[[1], []], [], [[2, 3]], [[]], []],
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("axis", [0, 1])
def test_concatenate_what_is_stored(name, axis):
    """Parts that begin inside their buffers, in every order."""
    theirs = awkward.Array(PARTS[name])
    ours = ak.Array(theirs)
    for cuts in [(0, 2, 2), (1, 3, 4), (2, 2, 3)]:
        parts = [slice(i, i + 2) for i in cuts]
        stored = [ours[p] for p in parts]
        ak.compute(*stored)
        if name == "words" and axis == 1:
            continue
        sizes = {len(theirs[p]) for p in parts}
        if axis == 1 and len(sizes) > 1:
            parts, stored = parts[:2], stored[:2]
        expected = awkward.concatenate([theirs[p] for p in parts], axis=axis)
        assert_same(ak.concatenate(stored, axis=axis), expected)


@pytest.mark.parametrize("rule", ["one_to_one", "intersect", "all_or_nothing", "none"])
def test_parameters_of_broadcast_options(rule):
    def marked(lib, data, **parameters):
        x = lib.Array(data)
        for name, value in parameters.items():
            x = lib.with_parameter(x, name, value)
        return x

    def broadcast(lib):
        numbers = marked(lib, [1, 2], p=1)
        missing = marked(lib, [1, None], p=1, q=2)
        lists = marked(lib, [[1], None], p=1)
        operands = (numbers, missing, lists)
        pairs = [(x, y) for x in operands for y in operands if x is not y]
        return [
            lib.broadcast_arrays(x, y, broadcast_parameters_rule=rule, depth_limit=1)
            for x, y in pairs
        ], [x + 1 for x in operands]

    assert_same(broadcast(ak), broadcast(awkward))


@pytest.mark.parametrize("deg", [False, True])
@pytest.mark.parametrize(
    "data", [[True, False], [[{"x": 1j, "y": [1, None]}], []], [1j, None, -2], UNION[:1]], ids=str
)
def test_angles(data, deg):
    both(lambda lib, x: lib.angle(x, deg=deg), data, rtol=1e-14)


@pytest.mark.parametrize("name", ["cartesian", "argcartesian"])
def test_an_ambiguous_axis_is_an_axis_error(name):
    with pytest.raises(np.exceptions.AxisError):
        getattr(ak, name)([RECORDS, RECORDS], axis=-1)
    with pytest.raises(np.exceptions.AxisError):
        ak.flatten(UNION)


def test_where_of_unions_reads_the_member_that_is_meant():
    """Texts and lists of one array that are longer than those in the other's place, at the end of
    the memory."""
    values = ["a much longer text than the others", 5, "b", 3, "", [1, 2, 3], [4]]
    for x, y in [(values, values[::-1]), (values[::-1], values)]:
        for keep in ([True] * 7, [False] * 7, [i % 2 == 0 for i in range(7)]):
            want = [a if k else b for k, a, b in zip(keep, x, y, strict=True)]
            assert ak.where(keep, ak.Array(x), ak.Array(y)).to_list() == want
