"""Views on GPUs: numba.cuda, of the package numba-cuda or of Numba itself."""

from types import SimpleNamespace

from numba import cuda
from numba.cuda import dispatcher, extending
from numba.cuda.cudadecl import registry as declared
from numba.cuda.cudaimpl import registry as implemented

from serrate import _core
from serrate._numba import _behaviors, _forms, _operations, _strings
from serrate._numba._reading import Reading
from serrate._numba._types import Views

try:  # numba-cuda has everything of its own
    from numba.cuda import cgutils, types
    from numba.cuda.core import errors, imputils
    from numba.cuda.datamodel import models
    from numba.cuda.typing import templates
    from numba.cuda.typing.typeof import typeof, typeof_impl
except ImportError:
    from numba.core import cgutils, errors, imputils, types
    from numba.core.datamodel import models
    from numba.core.typing import templates
    from numba.core.typing.typeof import typeof, typeof_impl


__all__ = ["VIEWS", "compiled", "install", "type_of", "typeof", "types"]


def remade(kind, args):
    """A type that was pickled."""
    return getattr(VIEWS, kind)(*args)


def call_convention(context):
    """By which functions return errors: numba-cuda keeps it with each function, Numba does not."""
    return getattr(getattr(context, "fndesc", context), "call_conv", None) or context.call_conv


TARGET = SimpleNamespace(
    remade=remade,
    types=types,
    errors=errors,
    cgutils=cgutils,
    models=models,
    templates=templates,
    extending=extending,
    overload=extending.overload,
    overload_method=extending.overload_method,
    register_model=extending.register_model,
    inner=extending.register_jitable,
    infer=declared.register,
    infer_global=declared.register_global,
    infer_getattr=declared.register_attr,
    lower_builtin=implemented.lower,
    lower_cast=implemented.lower_cast,
    lower_getattr_generic=implemented.lower_getattr_generic,
    iternext_impl=imputils.iternext_impl,
    untracked=imputils.RefType.UNTRACKED,
    unicode=None,
    call_convention=call_convention,
)
VIEWS = Views(TARGET)
_behaviors.install(VIEWS)
READING = Reading(VIEWS, flat=True, space=1)
ITEM, SIZE, PART, PRESENT, BYTE = _operations.install(VIEWS, READING)
_strings.install_without_str(VIEWS, SIZE, BYTE)


def type_of(array):
    """The type of an array or record on the GPU: flat and regular numbers are device arrays."""
    form, list_name, record, behavior = _core._numba_parts(array)
    item = _forms.parse(form)
    if record:
        return VIEWS.RecordView(item, behavior)
    dimensions, leaf = 1, item
    while leaf[0] == "list" and isinstance(leaf[1], int):
        dimensions, leaf = dimensions + 1, leaf[2]
    if leaf[0] == "num" and leaf[1] != "float16":
        return types.Array(VIEWS.value_type(leaf), dimensions, "C")
    return VIEWS.ListView(item, list_name, (), behavior)


def _typeof(array, context):
    return type_of(array)


def _stream_of(stream):
    """CUDA's number of a stream of Numba's; its default stream is CUDA's legacy one."""
    handle = getattr(stream, "handle", stream)
    number = getattr(handle, "value", handle)
    return int(number or 0) or 1


def _hook():
    """Kernels take views without `extensions`, in order with serrate's work."""
    kernel = dispatcher._Kernel
    prepare, launch = kernel._prepare_args, kernel.launch

    def _prepare_args(self, ty, val, stream, retr, kernelargs):
        if isinstance(ty, VIEWS.ListView | VIEWS.RecordView):
            words = _core._numba_words(val)
            val = words if isinstance(ty, VIEWS.ListView) else (words[0], *words[2:])
            ty = types.UniTuple(types.int64, len(val))
        return prepare(self, ty, val, stream, retr, kernelargs)

    def in_order(self, args, griddim, blockdim, stream=0, sharedmem=0):
        ours = any(isinstance(x, _core.Array | _core.Record) for x in args)
        number = _stream_of(stream) if ours else 0
        if ours:
            _core._cuda_let_wait(number)
        launch(self, args, griddim, blockdim, stream, sharedmem)
        if ours:
            _core._cuda_wait_for(number)

    kernel._prepare_args, kernel.launch = _prepare_args, in_order


def install():
    """numba.cuda.jit takes arrays and records."""
    for cls in (_core.Array, _core.Record):
        typeof_impl.register(cls)(_typeof)
    _hook()


def compiled(kernel, signature):
    """PTX of a kernel and the name of its entry."""
    options = getattr(kernel, "targetoptions", {})
    arch = _core._cuda_arch()
    ptx, _ = cuda.compile(
        kernel.py_func,
        types.void(*signature),
        device=False,
        abi="numba",
        output="ptx",
        cc=(arch // 10, arch % 10),
        fastmath=bool(options.get("fastmath")),
    )
    return ptx, ptx.partition(".entry")[2].split("(")[0].strip()
