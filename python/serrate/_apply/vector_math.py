"""Maths of compiled functions by serrate's own vector functions: LLVM makes vectors of a loop over
a block only if it knows functions of vectors, and results are those of the same operations."""

import functools
import re
from types import SimpleNamespace

from serrate import _core

_PURE = "nounwind willreturn memory(none)"
_C = {"float64": "double", "float32": "float"}


class _Function:
    """One function as LLVM's text has it: called `symbol`, of vectors `wide`."""

    def __init__(self, name, dtype, arity, lanes, vector, scalar):
        short = "f64" if dtype == "float64" else "f32"
        self.symbol, self.wide = f"sr_{short}_{name}", f"sr_{short}x{lanes}_{name}"
        self.addresses = {self.symbol: scalar, self.wide: vector}
        self.names = f"llvm.{name}.{short}", name + ("f" if dtype == "float32" else "")
        one, many = _C[dtype], f"<{lanes} x {_C[dtype]}>"
        self.declared = "\n".join(
            f"declare {t} @{symbol}({', '.join([t] * arity)}) {_PURE}"
            for t, symbol in ((one, self.symbol), (many, self.wide))
        )
        variant = f"_ZGV_LLVM_N{lanes}{'v' * arity}_{self.symbol}({self.wide})"
        self.attribute = f'{_PURE} "vector-function-abi-variant"="{variant}"'


@functools.cache
def _known():
    """By the names that calls have, and the bits of a vector; LLVM knows the addresses from now."""
    import llvmlite.binding as llvm

    rows = _core._vector_functions()
    functions = [_Function(*row) for row in rows]
    for f in functions:
        for symbol, address in f.addresses.items():
            llvm.add_symbol(symbol, address)
    by_name = {name: f for f in functions for name in f.names}
    bits = max(lanes * (64 if dtype == "float64" else 32) for _, dtype, _, lanes, _, _ in rows)
    called = "|".join(map(re.escape, sorted(by_name, key=len, reverse=True)))
    call = re.compile(rf"(\bcall\b[^@\n]*) @({called})(\([^()\n]*\))")
    return SimpleNamespace(by_name=by_name, bits=bits, call=call)


def register():
    """Before code is loaded that calls the functions."""
    _known()


def is_known(name):
    """A maths function that is ours where it is called."""
    return name in _known().by_name


def bits():
    """Of a vector."""
    return _known().bits


def machine():
    """What compiled code depends on."""
    return f"vectors of {bits()} bits"


def bound(text):
    """LLVM's text of a module with its calls bound to vector functions. None without such, and
    where they are in loops: what is around these stays a loop over items, and one item by a
    function of vectors takes longer than by the C library's."""
    known, used = _known(), {}
    if "@llvm.compiler.used" in text or any(
        known.call.search(body) and has_loop(body) for body in _bodies(text)
    ):
        return None

    def call(found):
        f = known.by_name[found[2]]
        used[f.symbol] = f
        return f"{found[1]} @{f.symbol}{found[3]} {f.attribute}"

    out = known.call.sub(call, text)
    if not used:
        return None
    kept = ", ".join(f"ptr @{f.wide}" for f in used.values())
    declared = "\n".join(f.declared for f in used.values())
    return (
        f"{out}\n{declared}\n@llvm.compiler.used = appending global [{len(used)} x ptr] [{kept}], "
        'section "llvm.metadata"\n'
    )


def _bodies(text):
    """Of each function, line by line."""
    return re.findall(r"^define [^\n]*\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)


def has_loop(body):
    """Whether blocks come again: not all can be taken away from the front."""
    name = r'([\w.$-]+|"[^"\n]*")'
    parts = re.split(rf"^{name}:", body, flags=re.MULTILINE)
    blocks = dict(zip(["", *parts[1::2]], parts[::2], strict=True))
    after = {k: set(re.findall(rf"label %{name}", v)) for k, v in blocks.items()}
    while blocks:
        reached = set().union(*(after[k] for k in blocks))
        first = [k for k in blocks if k not in reached]
        if not first:
            return True
        for k in first:
            del blocks[k]
    return False


def library(cres):
    """The code of a compiled function with its maths bound to vectors."""
    text = bound(cres.library.get_llvm_str())
    if text is None:
        return cres.library
    name = re.escape(cres.fndesc.llvm_func_name)  # a call that stays would stay one of an item
    text = re.sub(
        rf'(?m)^(define [^\n]*@"?{name}"?\([^\n]*\)[^\n]*?)( \{{)$', r"\1 alwaysinline\2", text
    )
    import llvmlite.binding as llvm
    from numba.core.compiler_lock import global_compiler_lock

    made = cres.library.codegen.create_library(f"{cres.library.name}_of_vectors")
    with global_compiler_lock:
        made.add_llvm_module(llvm.parse_assembly(text))
        made.finalize()
    return made


def widen(function):
    """Loops of this function of LLVM's are of vectors as long as ours."""
    function.attributes.add("noinline")
    set.add(function.attributes, f'"prefer-vector-width"="{bits()}"')
