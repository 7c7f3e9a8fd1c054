"""Generators as functions that store what they yield, by a rewrite of their syntax tree.

`yield v` becomes: if there is room, put v at the next place; count it. So one function counts (with
no room) and stores, and a generator needs no frame of its own.
"""

import ast
import inspect

from serrate._apply import yielded
from serrate._apply.copies import text_of
from serrate._apply.numba import numba, with_helpers


def is_generator(function):
    return inspect.isgeneratorfunction(function)


def storing(function, put, all_or_none=False):
    """A function (outs, at, room, *arguments) -> how many it yields; put(outs, k, v) stores one, if
    at + how many were before is below room. `all_or_none`: if room is not 0.
    TypeError for what has no text, or yields in other ways than by the statement `yield value`."""
    rewrite = _Storing(function)
    if all_or_none:
        rewrite.has_room = "_serrate_room != 0"
    return _rewritten(function, rewrite, put)


def probing(function):
    """A function of the same arguments that returns what it yields first, or another one: its
    result has the type that all have together. Only typed, never called. And the names of what is
    yielded, as yielded.py has them."""
    rewrite = _Probing(function)
    return _rewritten(function, rewrite, None), rewrite.names


def _rewritten(function, rewrite, put):
    jit = numba().njit(error_model="numpy", boundscheck=True, nogil=True)
    function = with_helpers(function, jit)
    definition = rewrite.function(_definition(ast.parse(_source(function)), function))
    module = ast.fix_missing_locations(ast.Module([_factory(definition, function)], []))
    ast.increment_lineno(module, function.__code__.co_firstlineno - definition.lineno_before)
    env = dict(function.__globals__)
    exec(compile(module, function.__code__.co_filename, "exec"), env)
    cells = [c.cell_contents for c in function.__closure__ or ()]
    return env["_serrate_make"](put, *cells)


def _source(function):
    text = text_of(function)
    if text is None:
        raise TypeError(
            f"apply: {function.__name__}: the text of a generator is needed, and was not found"
        )
    return text


def _definition(tree, function):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            node.lineno_before = first
            return node
    raise TypeError(f"apply: {function.__name__}: a generator is defined by `def`")


def _factory(definition, function):
    """def make(put, free variables): the definition; return it."""
    names = ["_serrate_put", *function.__code__.co_freevars]
    make = ast.parse(f"def _serrate_make({', '.join(names)}):\n    return {definition.name}").body[
        0
    ]
    make.body.insert(0, definition)
    return make


class _Rewrite(ast.NodeTransformer):
    """`first_arguments` come before those of the function, `begin` before its body; `end` is
    in place of `return`, instead(value) in place of `yield value`."""

    def __init__(self, function):
        self.function_ = function
        self.names = "none"

    def function(self, node):
        node.decorator_list, node.returns = [], None
        try:
            self._find_names(node.body)
        except yielded.Misfit as error:
            self._refuse(error.node, str(error))
        node.args.args = [ast.arg(name) for name in self.first_arguments] + node.args.args
        for a in node.args.args:
            a.annotation = None
        first, last = ast.parse(self.begin).body, ast.parse(self.end).body
        node.body = first + [self.visit(x) for x in node.body] + last
        return node

    def _find_names(self, statements):
        for node in statements:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield):
                value = node.value.value
                if value is not None:
                    found = yielded.names_of(value)
                    self.names = yielded.joined(self.names, found, value)
            elif not isinstance(node, ast.FunctionDef | ast.Lambda):
                self._find_names(ast.iter_child_nodes(node))

    def visit_FunctionDef(self, node):  # what is inside yields for itself
        return node

    visit_Lambda = visit_FunctionDef

    def visit_Return(self, node):
        if node.value is not None:
            self._refuse(node, "`return` of a value is not possible here")
        return ast.copy_location(ast.parse(self.end).body[0], node)

    def visit_While(self, node):
        """`while True` gets a way out, which is never taken: Numba compiles none without one."""
        if isinstance(node.test, ast.Constant) and node.test.value:
            test = ast.parse("_serrate_n >= 0").body[0].value
            node.test = ast.copy_location(test, node.test)
        return self.generic_visit(node)

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Yield):
            return self.generic_visit(node)
        value = yielded.as_tuples(node.value.value or ast.Constant(None), self.names)
        both = ast.If(ast.Constant(True), self.instead(value), [])
        for x in ast.walk(both):
            if not hasattr(x, "elts"):
                ast.copy_location(x, node)
        return both

    def visit_Yield(self, node):
        self._refuse(node, "`yield` inside an expression is not possible here")

    def visit_YieldFrom(self, node):
        self._refuse(node, "`yield from` is not possible here")

    def _refuse(self, node, what):
        line = self.function_.__code__.co_firstlineno + node.lineno - 1
        file = self.function_.__code__.co_filename
        text = f"apply: {self.function_.__name__} ({file}:{line}): {what}"
        raise TypeError(text)


class _Storing(_Rewrite):
    """The value is computed also where there is no room: so equal things happen in each run."""

    first_arguments = ("_serrate_outs", "_serrate_at", "_serrate_room")
    begin = "_serrate_n = 0"
    end = "return _serrate_n"
    has_room = "_serrate_at + _serrate_n < _serrate_room"
    values = 0

    def instead(self, value):
        self.values += 1
        name = f"_serrate_value{self.values}"
        keep, store, count = ast.parse(
            f"{name} = 0\n"
            f"if {self.has_room}:\n"
            f"    _serrate_put(_serrate_outs, _serrate_at + _serrate_n, {name})\n"
            "_serrate_n += 1"
        ).body
        keep.value = value
        return [keep, store, count]


class _Probing(_Rewrite):
    first_arguments = ()
    begin = "_serrate_n = 0"
    end = "raise StopIteration"

    def instead(self, value):
        count, give = ast.parse("_serrate_n += 1\nif _serrate_n > 0:\n    return 0").body
        give.body[0].value = value
        return [count, give]
