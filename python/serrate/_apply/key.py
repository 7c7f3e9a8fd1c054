"""What a function computes, as a hash: code, constants, globals and closures."""

import builtins
import hashlib
import sys
import types

import numpy as np


class Unknown(Exception):
    """Something that two processes can't compare."""


def key_of(function, *more):
    """64 hexadecimal digits; None if it uses what has no name of its own."""
    h = hashlib.sha256()
    try:
        for part in (*more, sys.version, *_of_function(function, set())):
            h.update(part.encode() + b"\0")
    except Unknown:
        return None
    return h.hexdigest()


def _of_function(f, seen):
    if f in seen:
        yield "again"
        return
    seen.add(f)
    code = f.__code__
    yield from _of_code(code)
    for value in (f.__defaults__, f.__kwdefaults__):
        yield from _of_value(value, (), seen)
    names = names_in(code)
    for cell in f.__closure__ or ():
        yield from _of_value(cell_content(cell), names, seen)
    for name in sorted(names):
        if name in f.__globals__:
            yield name
            yield from _of_value(f.__globals__[name], names, seen)


def cell_content(cell):
    """What a closure has there; None where it is not there yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def names_in(code):
    """Names that a code and what is defined in it look up."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(names_in, inner))


def _of_code(code):
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount))
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            yield from _of_code(c)
        else:
            yield repr((type(c).__name__, c))


def _of_value(x, names, seen):
    plain = bool | int | float | complex | str | bytes | None | np.generic
    if isinstance(x, plain):
        yield repr((type(x).__name__, x))
    elif isinstance(x, tuple):
        yield f"tuple of {len(x)} {type(x).__name__}"
        for item in x:
            yield from _of_value(item, names, seen)
    elif isinstance(x, np.ndarray) and not x.dtype.hasobject:
        yield repr((x.dtype.str, x.shape))
        yield hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest()
    elif isinstance(x, types.FunctionType):
        yield from _of_function(x, seen)
    elif isinstance(x, types.ModuleType):
        yield from _of_module(x, names, seen)
    elif hasattr(x, "py_func"):  # of Numba
        yield repr(sorted(getattr(x, "targetoptions", {}).items(), key=str))
        yield from _of_function(x.py_func, seen)
    elif isinstance(x, type | types.BuiltinFunctionType | np.ufunc):
        yield f"{getattr(x, '__module__', '')}.{getattr(x, '__qualname__', x.__name__)}"
        if isinstance(x, type) and issubclass(x, tuple):
            yield repr(getattr(x, "_fields", ()))
    else:
        raise Unknown


_LIBRARIES = {*sys.stdlib_module_names, "numpy", "numba", "scipy", builtins.__name__}


def _of_module(module, names, seen):
    """Of modules of users, which may change, what is named of them."""
    yield f"{module.__name__} {getattr(module, '__version__', '')}"
    if module.__name__.partition(".")[0] in _LIBRARIES:
        return
    for name in sorted(names & vars(module).keys()):
        yield name
        if vars(module)[name] is not module:
            yield from _of_value(vars(module)[name], names, seen)
