"""A function of numbers for GPUs: LTO-IR that is linked into kernels. It defines a `__device__`
function of the arguments and pointers to the outputs."""

import importlib.util
import os

from serrate import _core
from serrate._apply import disk, wrap
from serrate._apply.numba import numba, python_function
from serrate._kernels._c import NAMES

_TYPES = NAMES | {"bool": "unsigned char"}  # bools go as bytes


def check_types(names):
    """TypeError for numbers that kernels do not have."""
    for t in names:
        if t not in _TYPES:
            raise TypeError(f"apply: functions on GPUs take and give numbers and bool, not {t}")


def code(function, types, nb_types, shape, may_fail, key):
    """(name, text that declares it, LTO-IR). `key` says what it computes; None: like no other."""
    name = f"sr_python_{(key or os.urandom(32).hex())[:32]}"
    outputs = [*shape.outputs(), *(["int32"] if may_fail else [])]
    check_types((*types, *outputs))
    given = [f"{_TYPES[t]} a{i}" for i, t in enumerate(types)]
    given += [f"{_TYPES[t]}* o{i}" for i, t in enumerate(outputs)]
    text = f'extern "C" __device__ void {name}({", ".join(given)});\n'
    form = _core._link_format()
    make = _object if form == "object" else _lto_ir
    code = disk.kept(
        key and f"{key} {form}",
        lambda: make(name, function, nb_types, shape, outputs, may_fail),
    )
    return name, text, code


def _source(types, outputs, may_fail, boolean):
    names = [f"a{i}" for i in range(len(types))] + [f"o{k}" for k in range(len(outputs))]
    given = "".join(f"a{i}{' != 0' if x == boolean else ''}, " for i, x in enumerate(types))
    lines = [f"def f({', '.join(names)}):", f"    r, s = call(({given}))"]
    lines += [f"    o{k}[0] = r[{k}]" for k in range(len(outputs) - may_fail)]
    lines += [f"    o{len(outputs) - 1}[0] = s"] * may_fail
    return "\n".join(lines)


def _stored(t, types):
    return types.uint8 if t == types.boolean else t


def _object(name, function, nb_types, shape, outputs, may_fail):
    """An object file of this CPU, where GPUs are emulated."""
    nb = numba()
    t = nb.types
    flat = wrap.flat(_host(function, nb_types), shape, nb_types)
    env = {"call": wrap.status_call(flat, nb_types)}
    exec(_source(nb_types, outputs, may_fail, t.boolean), env)
    pointers = [t.CPointer(_stored(_numba_type(x, t), t)) for x in outputs]
    return object_of(name, env["f"], [*[_stored(x, t) for x in nb_types], *pointers])


def object_of(name, function, signature):
    """An object file that defines a function of numbers and pointers under this name."""
    nb = numba()
    made = nb.cfunc(nb.types.void(*signature), error_model="numpy", nogil=True)(function)
    text = made._library.get_llvm_str().replace(f'@"{made._wrapper_name}"', f"@{name}")
    return _assembled(text.replace(f"@{made._wrapper_name}(", f"@{name}("))


def _host(function, nb_types):
    from serrate._apply.numba import compiled

    return compiled(function, nb_types)[0]


def _numba_type(name, types):
    return types.boolean if name == "bool" else getattr(types, name)


def _assembled(text):
    """Machine code of LLVM's text that may lie anywhere."""
    import llvmlite.binding as llvm

    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(opt=2, reloc="pic", codemodel="default")
    return machine.emit_object(llvm.parse_assembly(text))


def check_numba_cuda():
    """Device functions are of the package numba-cuda, which takes the place of numba.cuda."""
    numba()
    if importlib.util.find_spec("numba_cuda") is None:
        text = "functions for GPUs are compiled by Numba's package: pip install numba-cuda[cu13]"
        raise ImportError(text, name="numba_cuda")


def _lto_ir(name, function, nb_types, shape, outputs, may_fail):
    from serrate._apply import numba_cuda

    check_numba_cuda()
    source = _source(nb_types, outputs, may_fail, numba().types.boolean)
    plain = python_function(function)[0]
    return numba_cuda.lto_ir(name, plain, nb_types, shape, outputs, source)
