"""What to say where a module of NumPy or Awkward Array has a name that serrate lacks."""

import difflib

_READ = "read with awkward.{0}(...) and pass the result to serrate.Array"
_WRITE = "write with awkward.{0}(serrate.to_awkward(array), ...)"
_MAKE = "make it with numpy.{0}(...) and pass the result to serrate.Array"

_INSTEAD = {
    **dict.fromkeys(
        ("from_arrow", "from_avro_file", "from_feather", "from_json", "from_parquet"), _READ
    ),
    **dict.fromkeys(("from_raggedtensor", "from_rdataframe", "from_safetensors"), _READ),
    **dict.fromkeys(("to_arrow", "to_arrow_table", "to_feather", "to_json", "to_parquet"), _WRITE),
    **dict.fromkeys(("to_raggedtensor", "to_rdataframe", "to_safetensors"), _WRITE),
    **dict.fromkeys(("arange", "array", "asarray", "empty", "eye", "full", "linspace"), _MAKE),
    **dict.fromkeys(("meshgrid", "ones", "random", "zeros"), _MAKE),
    "from_torch": "serrate.from_dlpack(tensor) shares its memory",
    "from_jax": "serrate.from_dlpack(array) shares its memory",
    "to_torch": "torch.from_dlpack(array) shares its memory",
    "to_jax": "jax.numpy.from_dlpack(array) shares its memory",
    "str": "strings compare with == and !=, sort and group; for more, "
    "awkward.str of serrate.to_awkward(array)",
    "numba": "numba.vectorize makes ufuncs that arrays take; see the page on your own kernels",
    "stack": "numpy.stack(arrays)",
    "nonzero": "serrate.where(condition)",
    "set_printoptions": "array.show(limit_rows=..., limit_cols=..., precision=...)",
}


def error(name, known):
    """The AttributeError for a name, with what is there in its place."""
    text = f"serrate has no {name!r}"
    if name in _INSTEAD:
        text += ": " + _INSTEAD[name].format(name)
    elif close := difflib.get_close_matches(name, known, n=3):
        text += "; did you mean " + " or ".join(close) + "?"
    return AttributeError(text, name=name)
