"""The text of a function, and functions that are another one but for their code or names."""

import inspect
import linecache
import textwrap
import types


def text_of(function):
    """From its first line on, without what it is indented by; None where there is no text."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if len(lines) < code.co_firstlineno:
        return None
    return textwrap.dedent("".join(inspect.getblock(lines[code.co_firstlineno - 1 :])))


def copy_with(function, code, names, cells):
    """The function with this code, other globals beside its own, and these cells."""
    out = types.FunctionType(
        code,
        function.__globals__ | names,
        function.__name__,
        function.__defaults__,
        tuple(cells) or None,
    )
    out.__kwdefaults__, out.__module__ = function.__kwdefaults__, function.__module__
    out.__qualname__ = function.__qualname__
    return out
