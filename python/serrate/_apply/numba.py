"""Numba, or what to do without it; errors of its compiler as ours."""

import functools
import inspect
import os
import types

from serrate._apply.copies import copy_with
from serrate._apply.key import cell_content, names_in


@functools.cache
def numba():
    """The module."""
    try:
        import numba
    except ImportError as error:
        text = "functions are compiled by Numba: pip install numba"
        raise ImportError(text, name="numba") from error
    return numba


def python_function(function):
    """What a function was before Numba's decorators, and the options of these."""
    if hasattr(function, "py_func"):
        return function.py_func, dict(getattr(function, "targetoptions", {}))
    return function, {}


def check_function(function, name):
    """TypeError for what has no Python code."""
    plain, _ = python_function(function)
    if not hasattr(plain, "__code__"):
        raise TypeError(f"{name}: expected a function written in Python, got {function!r}")


def with_helpers(function, jit, is_known=None):
    """The function, where plain functions of Python that it names are compiled by `jit`, too, but
    those that Numba, or a target of its own, knows."""
    made = {function: function}

    def needs_code(x):
        is_plain = isinstance(x, types.FunctionType)
        return is_plain and not _is_known(x) and not (is_known and is_known(x))

    return _with_helpers(function, jit, needs_code, made)


def _with_helpers(function, jit, needs_code, made):
    def helper(x):
        if not needs_code(x):
            return x
        if x not in made:
            made[x] = x  # of what calls itself: Numba says what it thinks of that
            made[x] = jit(_with_helpers(x, jit, needs_code, made))
        return made[x]

    names = names_in(function.__code__) & function.__globals__.keys()
    named = {name: function.__globals__[name] for name in names}
    cells = function.__closure__ or ()
    new = [_cell(cell, helper) for cell in cells]
    changed = {k: helper(v) for k, v in named.items() if helper(v) is not v}
    if not changed and all(a is b for a, b in zip(new, cells, strict=True)):
        return function
    return copy_with(function, function.__code__, changed, new)


def _cell(cell, helper):
    content = cell_content(cell)
    return cell if helper(content) is content else types.CellType(helper(content))


def _is_known(function):
    """Whether Numba has code of its own for it (NumPy's functions, what is overloaded)."""
    from numba.core.registry import cpu_target

    return knows(cpu_target.typing_context, function)


def knows(context, function):
    """Whether a target, by its context of types, has code for a function."""
    context.refresh()
    try:
        context.resolve_value_type(function)
    except ValueError:
        return False
    return True


def compiled(function, types, options=None):
    """A dispatcher of Numba's with the function compiled for these types, and the result's type."""
    nb = numba()
    plain, own = python_function(function)
    kept = {k: own[k] for k in ("fastmath", "inline") if k in own}
    chosen = {"error_model": "numpy", "boundscheck": True, "nogil": True} | kept | (options or {})
    _check_count(plain, len(types))
    refused = nb.core.errors.NumbaError, nb.core.errors.UnsupportedBytecodeError
    dispatcher = nb.njit(**chosen)(with_helpers(plain, nb.njit(**chosen)))
    try:
        dispatcher.compile(tuple(types))
    except refused as error:
        raise TypeError(uncompilable(plain, error)) from error
    return dispatcher, dispatcher.overloads[tuple(types)].signature.return_type


def _check_count(function, given):
    code = function.__code__
    takes, more = code.co_argcount, code.co_flags & inspect.CO_VARARGS
    if given < takes or (given > takes and not more):
        at = f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        raise TypeError(
            f"{function.__name__} ({at}) takes {takes} argument{'s' * (takes != 1)}, got {given}; "
            "defaults are not used"
        )


def uncompilable(function, error, where=""):
    """The message, and where in the user's file."""
    line, file = function.__code__.co_firstlineno, function.__code__.co_filename
    loc = getattr(error, "loc", None)
    if loc is not None and getattr(loc, "filename", None) and os.path.isabs(loc.filename):
        line, file = loc.line, loc.filename
    elif found := _line_in(str(error), file):
        line = found
    said = [x.strip() for x in str(error).splitlines() if x.strip()]
    skipped = ("Failed in ", "During:", "File ", "This error")
    ours = (x for x in said if "can't be used in functions that Numba compiles" in x)
    told = next((x for x in said if not x.startswith(skipped)), said[0] if said else "?")
    told = next(ours, told)
    return f"{function.__name__} ({os.path.basename(file)}:{line}) can't be compiled{where}: {told}"


def _line_in(text, file):
    """The last line of a file that a text of Numba's names."""
    import re

    found = re.findall(re.escape(os.path.basename(file)) + r'", line (\d+)', text)
    found += re.findall(re.escape(os.path.basename(file)) + r" \((\d+)\)", text)
    return int(found[-1]) if found else None
