"""Signatures of compiled functions for inspect.signature, from the texts that nanobind keeps."""

import re

_DEFAULT = "default_"


def of(function, *, bound=False):
    """The inspect.Signature of a function, without types; `bound`: without its first parameter."""
    import ast
    import inspect

    text, _, defaults = function.__nb_signature__[0]
    text = re.sub(r"\\(\d+)", rf"{_DEFAULT}\1", text)
    arguments = ast.parse(text + ": ...").body[0].args
    kinds = inspect.Parameter
    required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    positional = [
        *((a, kinds.POSITIONAL_ONLY) for a in arguments.posonlyargs),
        *((a, kinds.POSITIONAL_OR_KEYWORD) for a in arguments.args),
    ]

    def value(node):
        if node is None:
            return kinds.empty
        return defaults[int(node.id.removeprefix(_DEFAULT))]

    out = [
        kinds(a.arg, kind, default=value(node))
        for (a, kind), node in zip(positional, [None] * required + arguments.defaults, strict=True)
    ]
    if arguments.vararg:
        out.append(kinds(arguments.vararg.arg, kinds.VAR_POSITIONAL))
    out += [
        kinds(a.arg, kinds.KEYWORD_ONLY, default=value(node))
        for a, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    if arguments.kwarg:
        out.append(kinds(arguments.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(out[1:] if bound else out)


class OfClass:
    """The signature of a class is that of its __init__."""

    def __get__(self, instance, owner):
        return of(owner.__init__, bound=True)
