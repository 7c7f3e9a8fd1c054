"""Signatures of the module's functions as inspect has them."""

import ast
import inspect
import re
from inspect import Parameter


def signature(function):
    """From what nanobind notes: the text of a def, whose defaults are numbers of a tuple."""
    text, *_, defaults = function.__nb_signature__[0]
    text = re.sub(r"\\(\d+)", r"__defaults__[\1]", text)
    given = ast.parse(f"{text}: ...").body[0].args

    def parameter(name, kind, default=None):
        value = defaults[default.slice.value] if default else Parameter.empty
        return Parameter(name.arg, kind, default=value)

    names = [*given.posonlyargs, *given.args]
    own = [None] * (len(names) - len(given.defaults)) + given.defaults
    out = [
        parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default)
        for name, default in zip(names, own, strict=True)
    ]
    if given.vararg:
        out.append(parameter(given.vararg, Parameter.VAR_POSITIONAL))
    for name, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        out.append(parameter(name, Parameter.KEYWORD_ONLY, default))
    if given.kwarg:
        out.append(parameter(given.kwarg, Parameter.VAR_KEYWORD))
    return inspect.Signature(out)
