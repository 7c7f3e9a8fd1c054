"""What to say where a module of NumPy or Awkward Array has a name that serrate lacks."""

import difflib

_READ = "read with awkward.{0}(...) and pass the result to serrate.Array"
_WRITE = "write with awkward.{0}(serrate.to_awkward(array), ...)"
_MAKE = "make it with numpy.{0}(...) and pass the result to serrate.Array"
_OTHER = "a module of its own; import {0}"
_INSIDE = "a part of Awkward Array that serrate does not have; awkward.{0} is there"

_INSTEAD = {
    **dict.fromkeys(("from_rdataframe",), _READ),
    **dict.fromkeys(("to_rdataframe",), _WRITE),
    **dict.fromkeys(("arange", "array", "asarray", "empty", "eye", "full", "linspace"), _MAKE),
    **dict.fromkeys(("meshgrid", "ones", "random", "zeros"), _MAKE),
    **dict.fromkeys(("awkward", "numpy", "numexpr"), _OTHER),
    **dict.fromkeys(("forth", "prettyprint"), _INSIDE),
    "builder": "serrate.ArrayBuilder is the class",
    "typetracer": "an array that nobody has looked at knows its type: array.type",
    "cppyy": "arrays can't be passed to functions of cppyy; the C++ library has them",
    "jax": "serrate.to_jax(array) and serrate.from_jax(array)",
    "numba": "numba.njit and numba.cuda.jit take arrays as they are; nothing has to be registered",
    "stack": "numpy.stack(arrays)",
    "nonzero": "serrate.where(condition)",
    "set_printoptions": "array.show(limit_rows=..., limit_cols=..., precision=...)",
}
_CLOSE = 0.7  # a name that is less like one of ours means something else


def error(name, known):
    """The AttributeError for a name, with what is there in its place."""
    text = f"serrate has no {name!r}"
    if name in _INSTEAD:
        text += ": " + _INSTEAD[name].format(name)
    elif close := difflib.get_close_matches(name, known, n=3, cutoff=_CLOSE):
        text += "; did you mean " + " or ".join(close) + "?"
    return AttributeError(text, name=name)
