"""Functions of numbers compiled with the operations around them: what a plan for a CPU says of its
loop as LLVM's text, with the text of the functions in it."""

import functools
import hashlib
import re

from serrate import _core
from serrate._apply import disk, vector_math


def item(dispatcher, types):
    """(name, text) of the compiled function of one item, as code of its own; empty where it loops
    (what is around it would be computed item by item, too) or is not only numbers and maths."""
    cres = dispatcher.overloads[tuple(types)]
    name = re.escape(cres.fndesc.llvm_func_name)
    found = re.search(
        rf'^define [^@\n]*@"?{name}"?(\([^\n]*\)) [^\n]*\{{\n(.*?)^\}}',
        cres.library.get_llvm_str(),
        re.MULTILINE | re.DOTALL,
    )
    if found is None or vector_math.has_loop(found[2]):
        return "", ""
    called = re.findall(r'@("[^"\n]*"|[\w.$-]+)', found[2])
    if not all(x.startswith("llvm.") or vector_math.is_known(x) for x in called):
        return "", ""
    body = re.sub(r", ![\w.]+ ![\w.]+", "", found[2])  # notes about what is in the module
    text = re.sub(
        r" #\d+(?=,|$)", "", f"{found[1]} alwaysinline {{\n{body}}}\n", flags=re.MULTILINE
    )
    symbol = f"serrate_item_{hashlib.sha256(text.encode()).hexdigest()[:32]}"
    return symbol, f"define internal i32 @{symbol}{text}"


@functools.lru_cache(256)
def compile_loop(text, name):
    """(address, what keeps the code) of the function of this name, from disk if somebody compiled
    it before; None if LLVM can't."""
    symbol = f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:32]}"
    if loaded := disk.load(symbol):
        return loaded[1:]
    import llvmlite.binding as llvm
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target

    vector_math.register()
    text = (vector_math.bound(text) or text).replace(f"@{name}(", f"@{symbol}(")
    wide = f'"prefer-vector-width"="{vector_math.bits()}"'
    text = re.sub(rf"(?m)^(define void @{symbol}\(.*\)) \{{$", rf"\1 nounwind {wide} {{", text)
    library = cpu_target.target_context.codegen().create_library(symbol)
    library.enable_object_caching()
    try:
        with global_compiler_lock:
            module = llvm.parse_assembly(text)
            library.add_llvm_module(module)
            library.finalize()
        disk.store(symbol, None, library, symbol)
        return library.get_pointer_to_function(symbol), library
    except RuntimeError:
        return None


@functools.cache
def register():
    """Before there are functions with a text."""
    _core._set_block_compiler(compile_loop)
