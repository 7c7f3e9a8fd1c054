"""Views on CPUs: Numba itself."""

from types import SimpleNamespace

import llvmlite.binding
from numba import typeof, types
from numba.core import cgutils, errors, imputils
from numba.core.datamodel import models
from numba.core.typeconv import Conversion
from numba.core.typing import templates
from numba.extending import (
    intrinsic,
    lower_builtin,
    lower_cast,
    lower_getattr_generic,
    overload,
    overload_attribute,
    overload_method,
    register_jitable,
    register_model,
)

from serrate import _core
from serrate._numba import _behaviors, _boxing, _operations, _strings, _vectors
from serrate._numba._reading import Reading
from serrate._numba._types import Views

# By name, so that what Numba keeps on disk finds them in the next process.
for _name, _address in _core._numba_symbols.items():
    llvmlite.binding.add_symbol(_name, _address)


def remade(kind, args):
    """A type that was pickled."""
    return getattr(VIEWS, kind)(*args)


TARGET = SimpleNamespace(
    remade=remade,
    types=types,
    typeof=typeof,
    errors=errors,
    cgutils=cgutils,
    models=models,
    templates=templates,
    extending=SimpleNamespace(intrinsic=intrinsic),
    overload=overload,
    overload_method=overload_method,
    overload_attribute=overload_attribute,
    register_model=register_model,
    infer=templates.infer,
    infer_global=templates.infer_global,
    infer_getattr=templates.infer_getattr,
    lower_builtin=lower_builtin,
    lower_cast=lower_cast,
    lower_getattr_generic=lower_getattr_generic,
    iternext_impl=imputils.iternext_impl,
    untracked=imputils.RefType.UNTRACKED,
    unicode=types.unicode_type,
    safe=Conversion.safe,
    call_convention=lambda context: context.call_conv,
    inner=register_jitable,
)
VIEWS = Views(TARGET)
_vectors.install(VIEWS)
_behaviors.install(VIEWS)
READING = Reading(VIEWS, flat=False, space=0)
ITEM, SIZE, PART, PRESENT, BYTE = _operations.install(VIEWS, READING)
_strings.install(VIEWS, SIZE, BYTE)
_boxing.install(VIEWS, READING)
