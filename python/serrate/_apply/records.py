"""Dict literals as results: the function with a namedtuple, which Numba knows, in place of each."""

import ast
import dis
import functools
import inspect
import os
import types
import weakref
from collections import namedtuple

from serrate._apply import yielded
from serrate._apply.copies import copy_with, text_of

_made = weakref.WeakKeyDictionary()


def with_records(function):
    """The function, where `return {"name": value ...}` gives a record; itself if it has none.
    TypeError for a dict that is no record, with its line."""
    if not isinstance(function, types.FunctionType) or not _has_dict(function.__code__):
        return function
    if inspect.isgeneratorfunction(function):
        return function
    if function not in _made:
        made = _Records(function).function()
        _made[function] = None if made is function else made  # nothing that keeps the function
    return _made[function] or function


@functools.lru_cache(maxsize=4096)
def _has_dict(code):
    return any(x.opname in ("BUILD_MAP", "BUILD_CONST_KEY_MAP") for x in dis.get_instructions(code))


class _Records(ast.NodeTransformer):
    def __init__(self, function):
        self.of, self.keys, self.record = function, None, None

    def function(self):
        found = self._definition()
        if found is None:
            return self.of
        tree, first = found
        if isinstance(tree, ast.Lambda):
            tree.body = self._value(tree.body)
            definition = ast.FunctionDef("_serrate_lambda", tree.args, [ast.Return(tree.body)], [])
            ast.copy_location(definition, tree)
        else:
            tree.decorator_list, tree.returns = [], None
            tree.body = [self.visit(x) for x in tree.body]
            definition = tree
        if self.record is None:
            return self.of
        return self._compiled(definition, first)

    def _definition(self):
        """(the tree of its text, the line before it in its file), or nothing."""
        code, text = self.of.__code__, text_of(self.of)
        if text is None:
            return None
        try:
            tree = ast.parse(text)
        except SyntaxError:  # a lambda inside an expression of several lines
            return None
        names = code.co_varnames[: code.co_argcount]
        if code.co_name != "<lambda>":
            same = (x for x in ast.walk(tree) if isinstance(x, ast.FunctionDef))
            found = [x for x in same if x.name == code.co_name][:1]
        else:
            same = (x for x in ast.walk(tree) if isinstance(x, ast.Lambda))
            found = [x for x in same if tuple(a.arg for a in x.args.args) == names]
        if len(found) > 1:
            self._refuse(found[0], "one of several lambdas of its line: `def` says which")
        return (found[0], code.co_firstlineno - 1) if found else None

    def _compiled(self, definition, first):
        """With the cells and globals of the function."""
        for a in definition.args.args:
            a.annotation = None
        free = self.of.__code__.co_freevars
        make = ast.parse(f"def _serrate_make({', '.join(free)}):\n    pass")
        make.body[0].body = [definition]
        ast.increment_lineno(make, first)
        module = compile(ast.fix_missing_locations(make), self.of.__code__.co_filename, "exec")
        (outer,) = (x for x in module.co_consts if isinstance(x, types.CodeType))
        (code,) = (x for x in outer.co_consts if isinstance(x, types.CodeType))
        cells = dict(zip(free, self.of.__closure__ or (), strict=True))
        used = [cells[name] for name in code.co_freevars]
        return copy_with(self.of, code, {"_serrate_record": self.record}, used)

    # -- the tree ---------------------------------------------------------------------------------
    def visit_FunctionDef(self, node):  # what is inside returns for itself
        return node

    visit_Lambda = visit_FunctionDef

    def visit_Return(self, node):
        if node.value is not None:
            node.value = self._value(node.value)
        return node

    def _value(self, node):
        if isinstance(node, ast.IfExp):
            node.body, node.orelse = self._value(node.body), self._value(node.orelse)
        return self._record(node) if isinstance(node, ast.Dict) else node

    def _record(self, node):
        try:
            keys = yielded.keys_of(node)
        except yielded.Misfit as error:
            self._refuse(node, str(error))
        if self.record is None:
            self.keys, self.record = set(keys), namedtuple("record", keys)
        if set(keys) != self.keys:
            other = ", ".join(sorted(self.keys ^ set(keys)))
            self._refuse(node, f"dicts of different keys ({other})")
        named = [ast.keyword(k, v) for k, v in zip(keys, node.values, strict=True)]
        call = ast.Call(ast.Name("_serrate_record", ast.Load()), [], named)
        for x in (call, call.func, *named):
            ast.copy_location(x, node)
        return call

    def _refuse(self, node, what):
        code = self.of.__code__
        line, file = code.co_firstlineno + node.lineno - 1, os.path.basename(code.co_filename)
        raise TypeError(f"{self.of.__name__} ({file}:{line}) can't be compiled: {what}")
