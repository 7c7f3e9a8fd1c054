# Classes of users: what they print inside of arrays, and what they refuse to hold.
import pytest

import serrate as ak


class Shown(ak.Record):
    def __repr__(self):
        return f"<{self.x} of {self.y.tolist()}>"


class Spoken(ak.Array):
    def __str__(self):
        return "some " + super().__str__()


def test_text_of_classes_inside_of_arrays():
    behavior = {"p": Shown, "l": Spoken}
    x = ak.Array([[{"x": 1, "y": [1.5]}], []], with_name="p", behavior=behavior)
    assert repr(x[0, 0]) == "<1 of [1.5]>"
    assert str(x[0, 0]) == "{x: 1, y: [1.5]}"
    assert str(x) == "[[<1 of [1.5]>], []]"
    assert repr(x).startswith("<Array [[<1 of [1.5]>], []]")
    assert x.show(stream=None) == "[[<1 of [1.5]>],\n []]"
    assert x[0].show(stream=None) == "[{x: 1, y: [1.5]}]"
    # What does not fit is not written as its fields, which its class hides.
    long = ak.Array([[{"x": 1, "y": [1.25] * 40}] * 3], with_name="p", behavior=behavior)
    assert str(long[0]) == "[...]"
    assert str(long[:, :1]) == "[[...]]"
    assert str(ak.zip({"q": long[0], "r": [1, 2, 3]}, depth_limit=1)[0]) == "{q: ..., ...}"
    y = ak.with_parameter([[1, 2], []], "__list__", "l", behavior=behavior)
    assert str(y) == "some [[1, 2], []]"
    assert str(ak.unflatten(y, [2])) == "[some [[1, 2], []]]"


class Refused(Exception):
    pass


class OnlyX:
    def __awkward_validation__(self):
        if self.fields != ["x"]:
            raise Refused(self.fields)


class OnlyXRecord(OnlyX, ak.Record):
    pass


class OnlyXArray(OnlyX, ak.Array):
    pass


def test_classes_refuse_what_they_can_not_hold():
    behavior = {"only": OnlyXRecord, ("*", "only"): OnlyXArray, "list": OnlyXArray}
    x = ak.Array([{"x": 1}], with_name="only", behavior=behavior)
    record = x[0]
    with pytest.raises(Refused):
        x["y"] = [2]
    with pytest.raises(Refused):
        record["y"] = 2
    with pytest.raises(Refused):
        del x["x"]
    with pytest.raises(Refused):
        ak.with_field(x, 1, "y")
    assert x.tolist() == [{"x": 1}]
    assert record.tolist() == {"x": 1}
    y = ak.Array([{"x": 1, "y": 2}], with_name="only")
    with pytest.raises(Refused):
        y.behavior = behavior
    assert type(y) is ak.Array
    assert y.behavior is None
    with pytest.raises(Refused):
        ak.with_parameter([1], "__list__", "list", behavior=behavior)
