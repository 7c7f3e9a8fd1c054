"""What functions of lists are compiled with for GPUs: numba-cuda, or Numba itself where a GPU is
emulated. Both teach their compiler the same views."""

import functools
import sys

from serrate import _core, _numba
from serrate._apply import cuda, numba_cuda, proofs, wrap
from serrate._apply.numba import compiled, numba, python_function, uncompilable


class Host:
    """Object files of this CPU."""

    def __init__(self):
        from numba.core import cgutils
        from numba.extending import intrinsic

        from serrate._numba import _cpu

        self.types, self.intrinsic, self.cgutils = numba().types, intrinsic, cgutils
        self.reading, self.item = _cpu.READING, _cpu.ITEM
        self.helpers = wrap.helpers()

    def view(self, form, list_name, behavior):
        return _numba.type_of(form, list_name, False, behavior)

    def compile(self, function, types):
        """(what compiled functions call, its code, the type of its result)."""
        options = {"pipeline_class": proofs.host_pipeline()}
        dispatcher, result = compiled(function, types, options)
        return dispatcher, dispatcher.overloads[tuple(types)], result

    def jit(self, function):
        """What compiled functions call, compiled for the types that they call it with."""
        return numba().njit(error_model="numpy", nogil=True)(function)

    def words(self, builder, values):
        """The words as a view has them: a table."""
        from llvmlite import ir

        table = self.cgutils.alloca_once(builder, ir.IntType(64), size=max(len(values), 1))
        for k, x in enumerate(values):
            builder.store(x, self.cgutils.gep_inbounds(builder, table, k))
        return table

    def code(self, name, function, signature):
        return cuda.object_of(name, function, signature)


class Gpu:
    """LTO-IR."""

    def __init__(self):
        cuda.check_numba_cuda()
        m, self.helpers = numba_cuda.parts()
        self._cuda = m.cuda
        from serrate._numba import _gpu

        self.views, self.reading, self.item = _gpu.VIEWS, _gpu.READING, _gpu.ITEM
        self.types, self.intrinsic, self.cgutils = m.types, m.intrinsic, _gpu.TARGET.cgutils

    def view(self, form, list_name, behavior):
        from serrate._numba import _forms

        return self.views.ListView(_forms.parse(form), list_name, (), behavior)

    def compile(self, function, types):
        plain, options = python_function(function)
        try:
            made = numba_cuda.compiled(plain, types, bool(options.get("fastmath")))
        except (numba().core.errors.NumbaError, ImportError) as error:
            raise TypeError(uncompilable(plain, error, " for GPUs")) from error
        numba_cuda.check_memory(plain, made[1])
        return made

    def jit(self, function):
        return self._cuda.jit(device=True)(function)

    def words(self, builder, values):
        return self.cgutils.pack_array(builder, values)

    def code(self, name, function, signature):
        return numba_cuda.lto_ir_of(name, function, signature)


@functools.cache
def target():
    """That of the GPU that there is."""
    return Host() if _core._link_format() == "object" else Gpu()


def has_behaviors(behavior):
    """Whether somebody says what records are in compiled code."""
    keys = [*(behavior or ()), *_core.behavior]
    return any(isinstance(k, tuple) and str(k[0]).startswith("__numba_") for k in keys)


def version():
    """What the code depends on besides the function."""
    package = sys.modules.get("numba_cuda") if _core._link_format() == "ltoir" else numba()
    return f"{_core._link_format()} {getattr(package, '__version__', '')}"
