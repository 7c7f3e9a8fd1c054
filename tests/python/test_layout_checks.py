# What the constructors of layouts, forms and types refuse, as Awkward does.
import awkward
import numpy as np
import pytest

import serrate as ak


def numbers(m):
    return m.contents.NumpyArray(np.arange(3))


def index(m, dtype="int64"):
    return m.index.Index(np.array([0, 1], dtype))


def both_raise(make, error):
    for m in (awkward, ak):
        with pytest.raises(error):
            make(m)


REFUSED = {
    "parameters of nothing": lambda m: m.contents.EmptyArray(parameters={"a": 1}),
    "parameters of no form": lambda m: m.forms.EmptyForm(parameters={"a": 1}),
    "parameters of no type": lambda m: m.types.UnknownType(parameters={"a": 1}),
    "offsets": lambda m: m.contents.ListOffsetArray(index(m, "int8"), numbers(m)),
    "starts": lambda m: m.contents.ListArray(index(m, "uint8"), index(m, "uint8"), numbers(m)),
    "stops": lambda m: m.contents.ListArray(index(m), index(m, "int32"), numbers(m)),
    "index": lambda m: m.contents.IndexedArray(index(m, "int8"), numbers(m)),
    "unsigned": lambda m: m.contents.IndexedOptionArray(index(m, "uint32"), numbers(m)),
    "bytes": lambda m: m.contents.ByteMaskedArray(index(m, "uint8"), numbers(m), True),
    "bits": lambda m: m.contents.BitMaskedArray(index(m, "int8"), numbers(m), True, 2, True),
    "no bool": lambda m: m.contents.ByteMaskedArray(index(m, "int8"), numbers(m), 1),
    "no bool in a form": lambda m: m.forms.ByteMaskedForm("i8", m.forms.NumpyForm("bool"), 1),
    "tags": lambda m: m.contents.UnionArray(index(m), index(m), [numbers(m), numbers(m)]),
    "int16": lambda m: index(m, "int16"),
    "zeros_length": lambda m: m.contents.RegularArray(numbers(m), 0, -1),
    "length": lambda m: m.contents.RecordArray([numbers(m)], ["x"], -1),
    "field": lambda m: m.contents.RecordArray([numbers(m)], [1]),
    "at": lambda m: m.record.Record(m.contents.RecordArray([numbers(m)], ["x"]), "0"),
    "notes of nothing in a text": lambda m: m.types.from_datashape(
        '?unknown[parameters={"a": 1}]', highlevel=False
    ),
    "array of arrays": lambda m: m.types.ArrayType(m.types.ArrayType(m.types.UnknownType(), 2), 2),
    "list of arrays": lambda m: m.types.ListType(m.types.ArrayType(m.types.UnknownType(), 2)),
    "one of nothing": lambda m: m.forms.EmptyForm().length_one_array(),
    "contents by name": lambda m: m.forms.from_dict(
        {"class": "RecordArray", "fields": ["x"], "contents": {"x": "int64"}}
    ),
    "primitive": lambda m: m.forms.from_dict({"class": "NumpyArray", "primitive": "int65"}),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_refused(make):
    both_raise(make, TypeError)


@pytest.mark.parametrize("form", [{}, {"class": "ListOffsetArray", "offsets": "i64"}])
def test_parts_of_forms_that_are_missing(form):
    both_raise(lambda m: m.forms.from_dict(form), KeyError)


def wrapped(m, content):
    """Nodes that want no option, union or index inside."""
    c = m.contents
    yield lambda: c.IndexedArray(index(m), content)
    yield lambda: c.IndexedOptionArray(index(m), content)
    yield lambda: c.ByteMaskedArray(index(m, "int8"), content, True)
    yield lambda: c.BitMaskedArray(index(m, "uint8"), content, True, 2, True)
    yield lambda: c.UnmaskedArray(content)


def test_nodes_that_a_simpler_layout_can_say():
    for m in (awkward, ak):
        c = m.contents
        union = c.UnionArray(index(m, "int8"), index(m), [numbers(m), c.EmptyArray()])
        inside = [c.UnmaskedArray(numbers(m)), c.IndexedArray(index(m), numbers(m)), union]
        for content in inside:
            for make in wrapped(m, content):
                with pytest.raises(TypeError):
                    make()
            with pytest.raises(TypeError):
                c.UnionArray(index(m, "int8"), index(m), [numbers(m), content])


def test_simplified_takes_any():
    for m in (awkward, ak):
        c = m.contents
        option = c.IndexedOptionArray(m.index.Index64([1, -1, 2]), numbers(m))
        x = c.IndexedArray.simplified(m.index.Index64([2, 1, 0]), option)
        assert x.to_list() == [2, None, 1]
        y = c.ByteMaskedArray.simplified(m.index.Index8([1, 1, 0]), option, True)
        assert y.to_list() == [1, None, None]


def test_integers_of_the_c_compiler():
    assert ak.index.Index64(np.array([1, 2], np.longlong)).to64().data.tolist() == [1, 2]


def test_keys_that_say_the_way():
    data = {"x": [1, 2], "y": [[1, None], []]}
    assert str(ak.Array(data).layout.form_with_key_path().content("x").form_key) == "('x',)"
    ours = ak.forms.from_type(ak.Array(data).type.content)
    theirs = awkward.forms.from_type(awkward.Array(data).type.content)
    keyed = ak.forms.form_with_unique_keys(ours, ("top",))
    assert keyed.to_dict() == awkward.forms.form_with_unique_keys(theirs, ("top",)).to_dict()


def test_numbers_in_regular_lists_as_one_node():
    for m in (awkward, ak):
        content = m.contents.NumpyArray(np.arange(6))
        layout = m.contents.RegularArray(m.contents.RegularArray(content, 3), 2)
        assert np.asarray(layout.maybe_to_NumpyArray().data).tolist() == [[[0, 1, 2], [3, 4, 5]]]
