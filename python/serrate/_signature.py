"""Signatures of compiled functions for inspect.signature, from the texts that nanobind keeps."""

import numbers
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


def misfit(function, error, args, kwargs):
    """What is wrong with a call that nanobind found no function for: the text of a TypeError, or
    another exception; None if that is not what failed."""
    if "(): incompatible function arguments." not in str(error):
        return None
    signature = of(function)
    name = function.__name__
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as e:
        return f"{name}: {e}; the arguments are {name}{signature}"
    for key, x in bound.arguments.items():
        if isinstance(x, numbers.Integral) and not -(2**31) <= x < 2**31:
            return ValueError(f"{name}: {key}={_short(x)} is out of range")
    given = ", ".join(f"{key}={type(x).__name__}" for key, x in bound.arguments.items())
    return f"{name}: the types of the arguments do not fit: {given}; see help(serrate.{name})"


def _short(integer):
    """Integers of thousands of digits have no text."""
    bits = integer.bit_length() if isinstance(integer, int) else 0
    return str(integer) if bits < 1000 else f"(an integer of {bits} bits)"


# Parameters that may be arrays, in the order in which __awkward_function__ gets them.
_ARRAYS = [
    "array",
    "arrays",
    "more_arrays",
    "args",
    "condition",
    "x",
    "y",
    "weight",
    "a",
    "b",
    "left",
    "right",
    "a1",
    "a2",
    "val",
    "value",
    "fill_value",
    "mask",
    "what",
    "counts",
    "nan",
    "posinf",
    "neginf",
]


def array_likes(function, args, kwargs):
    """The arguments that may be arrays; of lists and dicts of arrays, these."""
    bound = of(function).bind(*args, **kwargs)
    bound.apply_defaults()
    out = []
    for name in _ARRAYS:
        if name not in bound.arguments:
            continue
        value = bound.arguments[name]
        if name in ("arrays", "more_arrays", "args") and isinstance(value, dict | list | tuple):
            out += value.values() if isinstance(value, dict) else value
        else:
            out.append(value)
    return tuple(out)


class OfClass:
    """The signature of a class is that of its __init__."""

    def __get__(self, instance, owner):
        return of(owner.__init__, bound=True)
