# ak.types: making, reading, comparing and asking types, as in Awkward.
import pickle

import awkward
import numpy as np
import pytest

import serrate

LIBRARIES = pytest.mark.parametrize("ak", [awkward, serrate], ids=["awkward", "serrate"])


@LIBRARIES
def test_made(ak):
    t = ak.types
    number = t.NumpyType("int64")
    made = {
        "int64": number,
        "var * int64": t.ListType(number),
        "3 * int64": t.RegularType(number, 3),
        "?int64": t.OptionType(number),
        "option[var * int64]": t.OptionType(t.ListType(number)),
        "{x: int64, y: var * int64}": t.RecordType([number, t.ListType(number)], ["x", "y"]),
        "(int64, ?float32)": t.RecordType([number, t.OptionType(t.NumpyType("float32"))], None),
        "Point[x: int64]": t.RecordType([number], ["x"], parameters={"__record__": "Point"}),
        "union[int64, var * int64]": t.UnionType([number, t.ListType(number)]),
        "unknown": t.UnknownType(),
        'int64[parameters={"unit": "m"}]': t.NumpyType("int64", parameters={"unit": "m"}),
        "datetime64[s]": t.NumpyType("datetime64[s]"),
    }
    for text, type in made.items():
        assert str(type) == text
        assert type == t.from_datashape(text, highlevel=False)
        assert pickle.loads(pickle.dumps(type)) == type
    assert str(t.ArrayType(t.ListType(number), 5)) == "5 * var * int64"
    for wrong in (lambda: t.NumpyType("int65"), lambda: t.ListType("int64")):
        with pytest.raises(TypeError):
            wrong()


@LIBRARIES
def test_asked(ak):
    t = ak.types
    x = ak.Array([[{"x": 1, "y": None}], [{"x": 2, "y": 3.5}]]).type
    assert isinstance(x, t.ArrayType)
    assert x.length == 2
    assert isinstance(x.content, t.ListType)
    assert not isinstance(x.content, t.RegularType)
    record = x.content.content
    assert isinstance(record, t.RecordType)
    assert record.fields == ["x", "y"]
    assert not record.is_tuple
    assert isinstance(record.content("y"), t.OptionType)
    assert record.content(0).primitive == "int64"
    assert record.field_to_index("y") == 1
    assert record.index_to_field(0) == "x"
    assert record.has_field("x")
    assert not record.has_field("z")
    named = ak.with_name([{"x": 1}], "P").type.content
    assert named.parameters == {"__record__": "P"}
    assert named.parameter("__record__") == "P"
    assert named.parameter("none") is None
    assert ak.Array(np.zeros((2, 3))).type.content.size == 3
    text = ak.Array(["a"]).type.content
    assert isinstance(text, t.ListType)
    assert text.parameters == {"__array__": "string"}
    assert isinstance(ak.Array([]).type.content, t.UnknownType)
    assert isinstance(ak.Array([1, "a"]).type.content, t.UnionType)


@LIBRARIES
def test_compared(ak):
    t = ak.types
    a = t.from_datashape("{x: int64, y: var * float64}", highlevel=False)
    b = t.from_datashape("{y: var * float64, x: int64}", highlevel=False)
    assert a == b
    assert a.is_equal_to(b)
    noted = t.NumpyType("int64", parameters={"note": 1})
    assert noted == t.NumpyType("int64")
    assert not noted.is_equal_to(t.NumpyType("int64"), all_parameters=True)
    assert a != t.from_datashape("{x: int64}", highlevel=False)


@LIBRARIES
def test_dtypes(ak):
    t = ak.types
    assert t.dtype_to_primitive(np.dtype("float32")) == "float32"
    assert t.primitive_to_dtype("uint8") == np.dtype("uint8")
    assert t.is_primitive("bool")
    assert not t.is_primitive("string")
    with pytest.raises(TypeError):
        t.primitive_to_dtype("int65")


def test_types_are_hashable():
    a = serrate.types.from_datashape("{x: int64, y: int8}", highlevel=False)
    b = serrate.types.from_datashape("{y: int8, x: int64}", highlevel=False)
    assert len({a, b}) == 1
