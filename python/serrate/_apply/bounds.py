"""Bounds of integers and names of lists in a function in static single assignment form, as Numba's
typed IR is.

The bounds check elimination of Bodik, Gupta, Sarkar (ABCD, 2000), for what `range`, `len`, `min`,
`max` and sums with constants say.
"""

import operator
from types import SimpleNamespace

from serrate._numba._extremes import INSTEAD

_STEPS = 24  # of a search where a number comes from
_LARGE = 1 << 31  # constants from here on might make sums wrap around


class Bounds:
    """What is known of the integers of a function in static single assignment form."""

    def __init__(self, func_ir, typemap, m):
        self._m, self._types, self._blocks = m, typemap, func_ir.blocks
        self._dominators = m.compute_cfg_from_blocks(func_ir.blocks).dominators()
        self._once, self._copies, several = {}, {}, set()
        for label, block in func_ir.blocks.items():
            for k, s in enumerate(block.body):
                if isinstance(s, m.ir.Assign):
                    name = s.target.name
                    several |= {name} & self._once.keys()
                    self._once[name] = (s.value, (label, k))
                    if isinstance(s.value, m.ir.Var):
                        self._copies.setdefault(s.value.name, set()).add(name)
        for name in several:
            del self._once[name]

    def is_inside(self, view, index, place):
        """Whether 0 <= index < len(view) where a statement at `place` asks for the item."""
        list_ = self._list(view, place, _STEPS)
        if list_ is None:
            return False
        most = self._uppers(index, place, _STEPS).get(list_)
        least = self._lower(index, place, _STEPS)
        return most is not None and most < 0 and least is not None and least >= 0

    # -- where values come from -------------------------------------------------------------------
    def source(self, var, place):
        """(the expression that a variable has at a place, where it is computed), or (None, None):
        there are several, or it may not have been computed."""
        while True:
            value, at = self._once.get(var.name, (None, None))
            if value is None or not self._comes_before(at, place):
                return None, None
            if not isinstance(value, self._m.ir.Var):
                return value, at
            var, place = value, at

    def _comes_before(self, at, place):
        if at[0] == place[0]:
            return at[1] < place[1]
        return at[0] in self._dominators.get(place[0], ())  # nothing comes before dead code

    def _call(self, value, place, function):
        """The arguments of a call of one of Python's functions, else None."""
        ir = self._m.ir
        if not isinstance(value, ir.Expr) or value.op != "call" or value.kws or value.vararg:
            return None
        called, _ = self.source(value.func, place)
        is_it = isinstance(called, ir.Global | ir.FreeVar) and called.value is function
        return value.args if is_it else None

    def extreme(self, value, place):
        """What is called in place of `max` or `min`."""
        for function, instead in INSTEAD.items():
            if self._call(value, place, function) is not None:
                return instead
        return None

    def range_of(self, iterator, place):
        """Arguments of `range`, where it is called, what variables hold the iterator; None if it
        does not count int64 by ones."""
        names, ir = [], self._m.ir
        while True:
            value, at = self._once.get(iterator.name, (None, None))
            names.append(iterator.name)
            if value is None or not self._comes_before(at, place):
                return None
            if not isinstance(value, ir.Var):
                break
            iterator, place = value, at
        if not isinstance(value, ir.Expr) or value.op != "getiter":
            return None
        is_range = self._types[value.value.name] == self._m.range_type
        if not is_range or any(self._copies.get(n, set()) - set(names) for n in names):
            return None
        called, where = self.source(value.value, at)
        args = self._call(called, where, range)
        if args is None or len(args) > 2:
            return None
        return SimpleNamespace(args=args, place=where, names=names, begin=value)

    def _loop(self, value, at, place):
        """The range whose number an expression is, if there is one wherever `place` is reached."""
        ir = self._m.ir
        if not isinstance(value, ir.Expr) or value.op != "pair_first":
            return None
        pair, where = self.source(value.value, at)
        if not isinstance(pair, ir.Expr) or pair.op != "iternext":
            return None
        branch = self._blocks[where[0]].terminator
        if not isinstance(branch, ir.Branch) or branch.truebr == branch.falsebr:
            return None
        valid, seen = self.source(branch.cond, (where[0], len(self._blocks[where[0]].body)))
        if not isinstance(valid, ir.Expr) or valid.op != "pair_second":
            return None
        if self.source(valid.value, seen)[0] is not pair:
            return None
        if branch.truebr not in self._dominators.get(place[0], ()):
            return None
        return self.range_of(pair.value, where)

    def _list(self, view, place, steps):
        """What names a list: views of one name have one length."""
        views = self._m.views
        value, at = self.source(view, place)
        if value is None or steps == 0:
            return None
        name = self._field(value)
        if name is None:
            return at
        of = self._types[value.value.name]
        if isinstance(of, views.ListView):  # the field of each item
            return self._list(value.value, at, steps - 1)
        if not isinstance(of, views.RecordView) or views.target.behaved_attribute(of, name):
            return at
        record = self._list(value.value, at, steps - 1)
        return record and (*record, name)

    def _field(self, value):
        if not isinstance(value, self._m.ir.Expr):
            return None
        if value.op == "getattr":
            return value.attr
        is_name = value.op == "static_getitem" and isinstance(value.index, str)
        return value.index if is_name else None

    # -- bounds -----------------------------------------------------------------------------------
    def _is_int64(self, var):
        ty, types = self._types[var.name], self._m.views.target.types
        return isinstance(ty, types.Integer) and types.unliteral(ty) == types.int64

    def _sum(self, value, at):
        """(variable, c) of variable + c, else None."""
        ir = self._m.ir
        if not isinstance(value, ir.Expr) or value.op not in ("binop", "inplace_binop"):
            return None
        function = value.fn if value.op == "binop" else value.immutable_fn
        if function not in (operator.add, operator.sub):
            return None
        right = self._constant(value.rhs, at)
        if right is not None:
            return value.lhs, right if function is operator.add else -right
        left = self._constant(value.lhs, at) if function is operator.add else None
        return None if left is None else (value.rhs, left)

    def _constant(self, var, place):
        value, _ = self.source(var, place)
        ir = self._m.ir
        if not isinstance(value, ir.Const | ir.Global | ir.FreeVar) or type(value.value) is not int:
            return None
        return value.value if abs(value.value) < _LARGE else None

    def _uppers(self, var, place, steps):
        """{list: c}, where var <= len(list) + c."""
        value, at = self.source(var, place)
        if value is None or steps == 0 or not self._is_int64(var):
            return {}
        if (args := self._call(value, at, len)) is not None:
            list_ = self._list_of_length(args, at)
            return {} if list_ is None else {list_: 0}
        if (args := self._call(value, at, min)) is not None:
            return _least(self._uppers(x, at, steps - 1) for x in args)
        if (sum_ := self._sum(value, at)) is not None:
            base, c = sum_
            if c < 0 and self._lower(base, at, steps - 1) is None:
                return {}  # it might wrap around
            return {k: v + c for k, v in self._uppers(base, at, steps - 1).items()}
        if (loop := self._loop(value, at, place)) is not None:
            stop = self._uppers(loop.args[-1], loop.place, steps - 1)
            return {k: v - 1 for k, v in stop.items()}
        return {}

    def _list_of_length(self, args, at):
        views = self._m.views
        if len(args) != 1 or not isinstance(self._types[args[0].name], views.ListView):
            return None
        return self._list(args[0], at, _STEPS)

    def _lower(self, var, place, steps):
        """A constant that var is not below, or None."""
        value, at = self.source(var, place)
        if value is None or steps == 0 or not self._is_int64(var):
            return None
        if (constant := self._constant(var, place)) is not None:
            return constant
        if self._call(value, at, len) is not None:
            return 0
        if (args := self._call(value, at, max)) is not None:
            known = [self._lower(x, at, steps - 1) for x in args]
            return max((x for x in known if x is not None), default=None)
        if (sum_ := self._sum(value, at)) is not None:
            base, c = sum_
            least = self._lower(base, at, steps - 1)
            if least is None or (c > 0 and not self._uppers(base, at, steps - 1)):
                return None
            return least + c
        if (loop := self._loop(value, at, place)) is not None:
            if len(loop.args) == 1:
                return 0
            return self._lower(loop.args[0], loop.place, steps - 1)
        return None


def _least(bounds):
    out = {}
    for found in bounds:
        for k, v in found.items():
            out[k] = min(v, out.get(k, v))
    return out
