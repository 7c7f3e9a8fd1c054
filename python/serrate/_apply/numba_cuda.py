"""What is asked of the package numba-cuda (or of numba.cuda): device functions as LTO-IR."""

import contextlib
import functools
import os
from types import SimpleNamespace

import numpy as np

from serrate._apply import proofs, wrap
from serrate._apply.numba import knows, with_helpers

# LTO-IR of an architecture is linked for newer ones.
_CC = (7, 5)


@functools.cache
def _modules():
    if not hasattr(np, "row_stack"):  # which numba-cuda 0.30 asks for, and NumPy 2.5 has not
        np.row_stack = np.vstack
    from numba import cuda
    from numba.cuda import types
    from numba.cuda.compiler import compile_cuda
    from numba.cuda.core.callconv import CUDACallConv
    from numba.cuda.extending import intrinsic, overload

    if not hasattr(CUDACallConv, "return_dynamic_user_exc"):
        CUDACallConv.return_dynamic_user_exc = _raise_without_arguments
    return SimpleNamespace(
        cuda=cuda, types=types, compile_cuda=compile_cuda, intrinsic=intrinsic, overload=overload
    )


def _raise_without_arguments(self, builder, exc, exc_args, nb_types, loc=None, func_name=None):
    """Errors with arguments that are computed, which the CPU finds: see _Replay."""
    self.return_user_exc(builder, exc, (), loc=loc, func_name=func_name)


@functools.cache
def _helpers():
    """`value` and `present` of what may be None, in device functions."""
    m = _modules()
    return wrap.of_optional(m.types, m.intrinsic, m.overload)


def parts():
    """(what was found of numba.cuda, `value` and `present` of what may be None)."""
    return _modules(), _helpers()


def compiled(function, types, fastmath=False):
    """(a device function, its code, the type of its result). No GPU is asked."""
    m = _modules()
    function = with_helpers(function, m.cuda.jit(device=True, fastmath=fastmath), _is_known)
    dispatcher = m.cuda.jit(device=True, fastmath=fastmath)(function)
    types = tuple(types)
    with _proving():
        cres = m.compile_cuda(function, None, types, cc=_CC, fastmath=fastmath)
    dispatcher.overloads[types] = cres
    cres.target_context.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
    return dispatcher, cres, cres.signature.return_type


def _is_known(function):
    """Whether numba-cuda has code of its own for it: what is overloaded for GPUs only, too."""
    from numba.cuda.descriptor import cuda_target

    return knows(cuda_target.typing_context, function)


@contextlib.contextmanager
def _proving():
    """What is compiled goes through our pass, helpers of the function, too: numba-cuda has no
    argument for it."""
    from numba.cuda import compiler

    with compiler.global_compiler_lock:
        before, compiler.CUDACompiler = compiler.CUDACompiler, proofs.gpu_pipeline()
        try:
            yield
        finally:
            compiler.CUDACompiler = before


def check_memory(function, cres):
    """TypeError for functions that make arrays, for which GPUs have no memory here."""
    if "NRT_" in cres.library.get_llvm_str():
        line, file = function.__code__.co_firstlineno, function.__code__.co_filename
        raise TypeError(
            f"{function.__name__} ({os.path.basename(file)}:{line}) makes an array, for which "
            "functions on GPUs have no memory: numba.cuda.local.array(size, dtype) of a constant "
            "size can be used"
        )


def lto_ir_of(name, function, signature):
    """LTO-IR of a function of numbers and pointers under this name."""
    m = _modules()
    code, _ = m.cuda.compile(
        function,
        m.types.void(*signature),
        device=True,
        abi_info={"abi_name": name},
        output="ltoir",
        cc=_CC,
    )
    return bytes(code)


def lto_ir(name, function, nb_types, shape, outputs, source):
    """LTO-IR of `source`'s f, under this name, around the function."""
    m = _modules()
    types = [_type(m.types, str(t)) for t in nb_types]
    helpers = _helpers()
    env = {
        "f": m.cuda.jit(device=True)(with_helpers(function, m.cuda.jit(device=True), _is_known)),
        "value": helpers.value,
        "present": helpers.present,
    }
    exec(wrap.flat_source(shape, len(types)), env)
    flat = m.compile_cuda(env["flat"], None, tuple(types), cc=_CC)
    env = {"call": wrap.status_call_of(flat, types, m.types, m.intrinsic)}
    exec(source, env)
    pointers = [m.types.CPointer(_stored(m.types, _type(m.types, x))) for x in outputs]
    return lto_ir_of(name, env["f"], [*[_stored(m.types, t) for t in types], *pointers])


def _type(types, name):
    return types.boolean if name == "bool" else getattr(types, name)


def _stored(types, t):
    return types.uint8 if t == types.boolean else t
