"""Loops that Ctrl-C ends: a pass over Numba's IR adds a look at a flag where loops begin again.

Inner loops over what has an end near by (items of a view, a range of lengths) get none: those stay
fit for vectors, and the loops around them look.
"""

import functools
import operator

from serrate._apply.numba import numba

_SHORT = 1 << 24  # constants below make ranges that end soon
_MOST_STEPS = 20  # of a search where numbers come from


class Stopped(Exception):
    """A loop ended because its run is to stop; Numba raises nothing but subclasses of Exception."""


@functools.cache
def _look():
    """What a loop calls: raises Stopped if its run is to."""
    nb = numba()
    from llvmlite import ir
    from numba.core import cgutils
    from numba.extending import intrinsic

    from serrate._numba import _cpu  # which names the symbols

    assert _cpu.VIEWS

    @intrinsic
    def must_stop(typingctx):
        def codegen(context, builder, signature, args):
            i64, i32 = ir.IntType(64), ir.IntType(32)
            flag = cgutils.add_global_variable(builder.module, i64, "serrate_numba_asked")
            flag.linkage = "external"
            asked = builder.load_atomic(flag, "monotonic", 8)
            out = cgutils.alloca_once_value(builder, ir.Constant(i32, 0))
            with builder.if_then(cgutils.is_not_null(builder, asked), likely=False):
                ty = ir.FunctionType(i32, [])
                f = cgutils.get_or_insert_function(builder.module, ty, "serrate_numba_must_stop")
                builder.store(builder.call(f, []), out)
            return cgutils.is_not_null(builder, builder.load(out))

        return nb.types.boolean(), codegen

    @nb.njit
    def look():
        if must_stop():
            raise Stopped

    return look


@functools.cache
def pipeline():
    """A class of compilers for `njit(pipeline_class=...)`."""
    from numba.core import ir
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import FunctionPass, register_pass
    from numba.core.ir_utils import mk_unique_var
    from numba.core.untyped_passes import IRProcessing

    look = _look()

    @register_pass(mutates_CFG=False, analysis_only=False)
    class LookInLoops(FunctionPass):
        _name = "serrate_look_in_loops"

        def __init__(self):
            FunctionPass.__init__(self)

        def run_pass(self, state):
            blocks = state.func_ir.blocks
            added = [blocks[x] for x in _ends_that_look(state.func_ir)]
            for block in added:
                loc, scope = block.terminator.loc, block.scope
                function = ir.Var(scope, mk_unique_var("$look"), loc)
                result = ir.Var(scope, mk_unique_var("$looked"), loc)
                said = ir.Global("serrate_look", look, loc)
                for value, to in ((said, function), (ir.Expr.call(function, (), (), loc), result)):
                    block.insert_before_terminator(ir.Assign(value, to, loc))
                    state.func_ir._definitions[to.name].append(value)
            return bool(added)

    class Looking(CompilerBase):
        def define_pipelines(self):
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
            passes.add_pass_after(LookInLoops, IRProcessing)
            passes.finalize()
            return [passes]

    return Looking


def _ends_that_look(func_ir):
    """The blocks from which loops begin again."""
    from numba.core.analysis import compute_cfg_from_blocks

    graph = compute_cfg_from_blocks(func_ir.blocks)
    loops = graph.loops()
    ends = []
    for header, loop in loops.items():
        is_inner = loop.body & set(loops) == {header}
        if not (is_inner and _ends_soon(func_ir, func_ir.blocks[header])):
            ends += [x for x in sorted(loop.body) if header in dict(graph.successors(x))]
    return ends


def _ends_soon(func_ir, header):
    """Whether it is a `for` over items that lie in memory, or over a range of lengths."""
    from numba.core import ir

    for statement in header.find_insts(ir.Assign):
        value = statement.value
        if isinstance(value, ir.Expr) and value.op == "iternext":
            return _is_short(func_ir, value.value, _MOST_STEPS)
    return False


def _is_short(func_ir, var, steps):
    """Whether an iterable or a number is bounded by lengths."""
    from numba.core import ir

    def of(x):
        return _is_short(func_ir, x, steps - 1)

    try:
        value = func_ir.get_definition(var) if isinstance(var, ir.Var) else var
    except KeyError:  # of several places
        return False
    if steps == 0:
        return False
    if isinstance(value, ir.Const | ir.Global | ir.FreeVar):
        return isinstance(value.value, int) and abs(value.value) < _SHORT
    if not isinstance(value, ir.Expr):
        return False
    if value.op == "getiter":
        return _is_short_iterable(func_ir, value.value, of)
    if value.op in ("binop", "inplace_binop"):
        shrinks = value.fn in (operator.floordiv, operator.rshift, operator.mod)
        return of(value.lhs) and (shrinks or of(value.rhs)) if _is_sum(value.fn) else False
    if value.op in ("pair_first", "exhaust_iter", "static_getitem", "iternext"):
        return of(value.value)  # of an outer loop over a short range, of a shape
    if value.op == "getattr":
        return value.attr in ("size", "shape", "ndim")
    return value.op == "call" and _called(func_ir, value.func) in (len, min, max)


def _is_sum(function):
    known = (operator.add, operator.sub, operator.floordiv, operator.rshift, operator.mod)
    return function in (*known, operator.iadd, operator.isub)


def _is_short_iterable(func_ir, var, of):
    from numba.core import ir

    value = func_ir.get_definition(var)
    if isinstance(value, ir.Expr) and value.op == "call":
        function = _called(func_ir, value.func)
        if function is range:
            return all(map(of, value.args))
        return function in (enumerate, zip, reversed)
    return True


def _called(func_ir, var):
    from numba.core import ir

    value = func_ir.get_definition(var)
    return value.value if isinstance(value, ir.Global | ir.FreeVar | ir.Const) else None
