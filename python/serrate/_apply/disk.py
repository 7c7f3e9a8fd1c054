"""Compiled functions on disk, beside the kernels: machine code of this CPU, found by what they
compute."""

import functools
import hashlib
import json
import os
import tempfile
from types import SimpleNamespace

from serrate import _core
from serrate._apply import vector_math
from serrate._apply.numba import numba

_VERSION = 3


@functools.cache
def _machine():
    """What machine code depends on."""
    nb = numba()
    from numba.core.registry import cpu_target

    cpu = cpu_target.target_context.codegen().magic_tuple()
    return f"{_VERSION} {_core.__version__} {nb.__version__} {cpu} {vector_math.machine()}"


def _path(key):
    folder = _core._cache_directory()
    if not folder:
        return None
    name = hashlib.sha256(f"{key} {_machine()}".encode()).hexdigest()
    return os.path.join(folder, f"function-{name}")


def store(key, description, library, entry):
    """Keeps a library of Numba's, and the name of its function; a folder that can't be written to
    keeps nothing."""
    path = _path(key)
    if path is None:
        return
    name, kind, (code, ir) = library.serialize_using_object_code()
    head = json.dumps(
        {
            "description": description,
            "library": name,
            "kind": kind,
            "entry": entry,
            "code": len(code),
        }
    ).encode()
    _write(path, len(head).to_bytes(8, "little") + head + code + ir)


def _write(path, body):
    try:
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), delete=False) as file:
            file.write(hashlib.sha256(body).digest() + body)
        os.replace(file.name, path)
    except OSError:
        return


def _read(path):
    """What was written there; nothing of a damaged file."""
    try:
        with open(path or os.devnull, "rb") as file:
            check, body = file.read(32), file.read()
    except OSError:
        return b""
    return body if hashlib.sha256(body).digest() == check else b""


def kept(key, make):
    """The bytes that make() makes, from disk if somebody made them before."""
    path = _path(key) if key else None
    body = _read(path)
    if not body:
        body = make()
        if path is not None:
            _write(path, body)
    return body


def load(key):
    """(description, address, what keeps the code), or None."""
    body = _read(_path(key))
    if not body:
        return None
    size = int.from_bytes(body[:8], "little")
    head = json.loads(body[8 : 8 + size])
    code = body[8 + size :]
    from numba.core.registry import cpu_target
    from numba.core.runtime import rtsys

    rtsys.initialize(cpu_target.target_context)  # of which errors have memory
    vector_math.register()
    codegen = cpu_target.target_context.codegen()
    parts = (code[: head["code"]], code[head["code"] :])
    library = codegen.unserialize_library((head["library"], head["kind"], parts))
    address = library.get_pointer_to_function(head["entry"])
    return head["description"], address, SimpleNamespace(library=library)
