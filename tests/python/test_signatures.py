# Functions as inspect has them: names, kinds, defaults and order of arguments are Awkward's.
import inspect
from inspect import Parameter

import awkward
import pytest

import serrate as ak


def parameters(f):
    return {p.name: (p.kind, p.default) for p in inspect.signature(f).parameters.values()}


DEFAULTS = {"from_buffers": "backend", "round": "out", "to_dataframe": "levelname"}


@pytest.mark.parametrize(
    "name", [n for n in dir(awkward) if inspect.isfunction(getattr(awkward, n)) and n in ak.__all__]
)
def test_signature(name):
    ours, theirs = parameters(getattr(ak, name)), parameters(getattr(awkward, name))
    theirs.pop(DEFAULTS.get(name), None)  # those with a default of our own
    assert {k: v for k, v in ours.items() if k in theirs} == theirs
    positional = [k for k, (kind, _) in theirs.items() if kind == Parameter.POSITIONAL_OR_KEYWORD]
    assert [k for k in ours if k in theirs][: len(positional)] == positional
