"""A pass over Numba's typed IR: indexes of views that are inside for certain (bounds.py) are not
looked at, nor counted from the end, others are as before; ranges that count up are loops as C has
them. Types of _numba/_proven.py in place of Numba's say which code is made."""

import functools
from types import SimpleNamespace

from serrate._apply.bounds import Bounds


def _replace(mapping, key, value):
    del mapping[key]  # Numba's dicts take each key once
    mapping[key] = value


class _Choices:
    """What is changed in a function, after all of it was looked at."""

    def __init__(self, func_ir, typemap, calltypes, m):
        self._typemap, self._calltypes, self._m = typemap, calltypes, m
        self._bounds = Bounds(func_ir, typemap, m)
        self._changes = []
        for label, block in func_ir.blocks.items():
            for k, s in enumerate(block.body):
                if isinstance(s, m.ir.Assign) and isinstance(s.value, m.ir.Expr):
                    self._look(s, (label, k))
        for change in self._changes:
            change()
        self.any = bool(self._changes)

    def _look(self, statement, place):
        value = statement.value
        if value.op in ("getitem", "static_getitem"):
            index = value.index if value.op == "getitem" else value.index_var
            if index is not None and self._is_item(value.value, index):
                is_proven = self._bounds.is_inside(value.value, index, place)
                self._changes.append(functools.partial(self._item, value, is_proven))
        elif value.op == "iternext":
            loop = self._bounds.range_of(value.value, place)
            if loop is not None:
                self._changes.append(functools.partial(self._loop, value, loop))
        elif value.op == "call":
            instead = self._bounds.extreme(value, place)
            if instead is not None and self._is_of_two(value):
                self._changes.append(functools.partial(self._extreme, statement, instead))

    def _is_item(self, view, index):
        views = self._m.views
        is_view = isinstance(self._typemap[view.name], views.ListView)
        return is_view and isinstance(self._typemap[index.name], views.target.types.Integer)

    def _is_of_two(self, call):
        types = self._m.views.target.types
        signature = self._calltypes[call]
        both = {self._typemap[x.name] for x in call.args} | {signature.return_type}
        return len(call.args) == 2 and both in ({types.float64}, {types.float32})

    def _signature(self, *types):
        return self._m.views.target.templates.signature(*types)

    def _item(self, value, is_proven):
        old, views = self._calltypes[value], self._m.views
        index = views.Inside() if is_proven else views.Looked()
        _replace(self._calltypes, value, self._signature(old.return_type, old.args[0], index))

    def _loop(self, value, loop):
        counted = self._m.views.Counted()
        counting, pair = counted.iterator_type, self._calltypes[value].return_type
        _replace(self._calltypes, value, self._signature(pair, counting))
        _replace(self._calltypes, loop.begin, self._signature(counting, counted))
        for name in loop.names:
            _replace(self._typemap, name, counting)

    def _extreme(self, statement, instead):
        call, unknown = statement.value, self._m.ir.UNDEFINED
        sides = {"lhs": call.args[0], "rhs": call.args[1]}
        sides |= {"static_lhs": unknown, "static_rhs": unknown}
        statement.value = self._m.ir.Expr(op="binop", loc=call.loc, fn=instead, **sides)
        of = self._calltypes[call].return_type
        self._calltypes[statement.value] = self._signature(of, of, of)


def pass_of(m):
    """The pass for what a target has of Numba's modules (ir, FunctionPass, register_pass ...)."""

    @m.register_pass(mutates_CFG=False, analysis_only=False)
    class ProveIndexes(m.FunctionPass):
        _name = "serrate_prove_indexes"

        def __init__(self):
            m.FunctionPass.__init__(self)

        def run_pass(self, state):
            return _Choices(state.func_ir, state.typemap, state.calltypes, m).any

    return ProveIndexes


def _pipeline(m, base, pipelines):
    """A class of compilers with the pass, before what adds the ends of variables."""
    proving = pass_of(m)

    class Proving(base):
        def define_pipelines(self):
            (manager,) = pipelines(self)
            classes = [cls for cls, _ in manager.passes]
            manager.passes.insert(classes.index(m.IRLegalization), (proving, "prove indexes"))
            manager.finalize()
            return [manager]

    return Proving


@functools.cache
def host_pipeline():
    """A class of compilers for `njit(pipeline_class=...)`."""
    from numba.core import analysis, compiler, compiler_machinery, ir, typed_passes, types

    from serrate._numba import _cpu

    m = _modules(ir, types, analysis, compiler_machinery, typed_passes, _cpu.VIEWS)
    return _pipeline(m, compiler.Compiler, compiler.Compiler.define_pipelines)


@functools.cache
def gpu_pipeline():
    """The same of numba-cuda's."""
    from numba.cuda import compiler, types
    from numba.cuda.core import analysis, compiler_machinery, ir, typed_passes

    from serrate._numba import _gpu

    m = _modules(ir, types, analysis, compiler_machinery, typed_passes, _gpu.VIEWS)
    return _pipeline(m, compiler.CUDACompiler, compiler.CUDACompiler.define_pipelines)


def _modules(ir, types, analysis, compiler_machinery, typed_passes, views):
    """What the pass uses of a target."""
    return SimpleNamespace(
        ir=ir,
        views=views,
        range_type=types.range_state64_type,
        compute_cfg_from_blocks=analysis.compute_cfg_from_blocks,
        FunctionPass=compiler_machinery.FunctionPass,
        register_pass=compiler_machinery.register_pass,
        IRLegalization=typed_passes.IRLegalization,
    )
