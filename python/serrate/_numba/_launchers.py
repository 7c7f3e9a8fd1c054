"""What launches a kernel of numba.cuda for arguments of some types."""

import inspect

from serrate import _core
from serrate._apply.cuda import check_numba_cuda
from serrate._numba import _forms

check_numba_cuda()  # Numba's own numba.cuda has not all that views are made of
from serrate._numba._gpu import VIEWS, compiled, type_of, typeof, types  # noqa: E402


def launcher_of(kernel, args):
    """Compiles it; TypeError for arguments that kernels do not take."""
    name = kernel.py_func.__name__
    names = list(inspect.signature(kernel.py_func).parameters)
    if len(names) != len(args):
        raise TypeError(f"kernel {name} takes {len(names)} arguments, got {len(args)}")
    signature = [_type_of(x) for x in args]
    parameters = [_parameter(t, n, name) for t, n in zip(signature, names, strict=True)]
    ptx, entry = compiled(kernel, signature)
    code = ptx if isinstance(ptx, bytes) else ptx.encode()
    return _core._Launcher(entry, code, parameters, f"kernel {name}")


def _type_of(x):
    if isinstance(x, _core.Array | _core.Record):
        return type_of(x)
    found = typeof(x)
    # Arrays of others may have any strides; those of a launch do not depend on them.
    return found.copy(layout="A") if isinstance(found, types.Array) else found


def _parameter(ty, name, kernel):
    """As _core._Launcher takes it."""
    if isinstance(ty, types.Array):
        return "array", str(ty.dtype), name, ty.ndim
    if isinstance(ty, VIEWS.ListView | VIEWS.RecordView):
        own = 2 if isinstance(ty, VIEWS.ListView) else 1
        return "view", None, name, own + _forms.words(ty.form), _forms.text(ty.form)
    if isinstance(ty, types.Number | types.Boolean):
        return "scalar", str(ty), name, 0
    raise TypeError(f"kernel {kernel}: argument {name!r}: kernels take no {ty}")
