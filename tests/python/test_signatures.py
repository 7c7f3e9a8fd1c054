# Names, order, kinds and defaults of parameters, as inspect sees them, against Awkward Array's.
import inspect

import awkward
import pytest

import serrate as ak

# What is another object in each library, or means something of its own here.
OTHER_DEFAULTS = {
    ("from_buffers", "backend"),
    ("round", "out"),
    ("to_dataframe", "levelname"),
    ("show", "stream"),
}


def shared():
    for name in sorted(dir(awkward)):
        function = getattr(awkward, name)
        if not name.startswith("_") and callable(function) and hasattr(ak, name):
            yield name, function, getattr(ak, name)
    for kind in ("Array", "Record", "ArrayBuilder"):
        yield "show", getattr(awkward, kind).show, getattr(ak, kind).show


def described(function, name):
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # exceptions and the like
        return []
    return [
        (p.name, p.kind, None if (name, p.name) in OTHER_DEFAULTS else repr(p.default))
        for p in parameters
    ]


@pytest.mark.parametrize(
    ("name", "theirs", "ours"), list(shared()), ids=[name for name, _, _ in shared()]
)
def test_parameters_are_those_of_awkward(name, theirs, ours):
    theirs, ours = described(theirs, name), described(ours, name)
    assert [x for x in ours if x in theirs] == theirs
    more = [x for x in ours if x not in theirs]
    assert all(default != repr(inspect.Parameter.empty) for _, _, default in more)


def test_an_array_is_made_with_the_signature_of_its_class():
    class Points(ak.Array):
        pass

    class Named(ak.Array):
        def __init__(self, name):
            super().__init__([name])

    assert inspect.signature(Points) == inspect.signature(ak.Array)
    assert str(inspect.signature(Named)) == "(name)"
