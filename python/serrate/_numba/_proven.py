"""What a compiler's pass may choose instead of an index and a range (see _apply/proofs.py): items
that are known to be there, items that are looked for in place, ranges that count up by one."""

import operator

from llvmlite import ir

from serrate._numba import _extremes
from serrate._numba._reading import I64, ONE


def install(views, reading):
    """Adds the types to `views`: Inside and Looked in place of an index, Counted of a range."""
    target, types = views.target, views.target.types

    class Index(types.Type):
        """An int64; Numba's own operations don't know it, so nothing but items are asked by it."""

        def __init__(self):
            super().__init__(f"serrate.{type(self).__name__}")

    class Inside(Index):
        """0 <= i < len(view): neither looked at nor counted from the end."""

    class Looked(Index):
        """Any index. The error is returned where the item is asked: no call, whose result would be
        zeros after an error, and is chosen between at each use."""

    class Counted(types.IterableType):
        """range(start, stop) of int64."""

        def __init__(self):
            super().__init__("serrate.Counted")

        @property
        def iterator_type(self):
            return Counting()

    class Counting(types.SimpleIteratorType):
        def __init__(self):
            super().__init__("serrate.Counting", types.int64)

    views.Inside, views.Looked, views.Counted = Inside, Looked, Counted
    _models(target, (Inside, Looked), Counted, Counting)
    _items(views, reading, Index, Inside, Looked)
    _counting(target, Counted, Counting)
    _extremes.install(target)


def _models(target, indexes, counted, counting):
    types, models = target.types, target.models
    for cls in indexes:
        target.register_model(cls)(_as_int64(models))

    @target.register_model(counted)
    class CountedModel(models.StructModel):
        def __init__(self, manager, ty):
            super().__init__(manager, ty, [("start", types.int64), ("stop", types.int64)])

    @target.register_model(counting)
    class CountingModel(models.StructModel):
        def __init__(self, manager, ty):
            members = [("at", types.EphemeralPointer(types.int64)), ("stop", types.int64)]
            super().__init__(manager, ty, members)


def _as_int64(models):
    class Int64(models.PrimitiveModel):
        def __init__(self, manager, ty):
            super().__init__(manager, ty, I64)

    return Int64


def _items(views, reading, index, inside, looked):
    target, types = views.target, views.target.types

    @target.infer_global(operator.getitem)
    class ByIndex(target.templates.AbstractTemplate):
        key = operator.getitem

        def generic(self, args, kws):
            if isinstance(args[0], views.ListView) and isinstance(args[1], index):
                return target.templates.signature(args[0].item, *args)

    def cast(context, builder, from_, to, value):
        return context.cast(builder, value, types.unliteral(from_), types.int64)

    for to in (inside, looked):
        target.lower_cast(types.Integer, to)(cast)

    @target.lower_builtin(operator.getitem, views.ListView, inside)
    def inside_item(context, builder, signature, args):
        return reading.item(context, builder, signature.args[0], *args)

    @target.lower_builtin(operator.getitem, views.ListView, looked)
    def looked_item(context, builder, signature, args):
        view = reading.parts(context, builder, signature.args[0], args[0])
        n = builder.sub(view.stop, view.start)
        zero = ir.Constant(I64, 0)
        reading.assume(builder, builder.icmp_signed(">=", n, zero))
        negative = builder.icmp_signed("<", args[1], zero)
        k = builder.add(args[1], builder.select(negative, n, zero))
        with target.cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", k, n)):
            convention = target.call_convention(context)
            convention.return_user_exc(builder, IndexError, ("index out of range",))
        return reading.item(context, builder, signature.args[0], args[0], k)


def _counting(target, counted, counting):
    """The loop of C: compilers know what is true of its variable, unlike that of Numba's ranges,
    which count how many are left and step only if there is one."""
    types, cgutils = target.types, target.cgutils

    @target.lower_cast(types.RangeType, counted)
    def cast(context, builder, from_, to, value):
        state = cgutils.create_struct_proxy(from_)(context, builder, value=value)
        out = cgutils.create_struct_proxy(to)(context, builder)
        out.start, out.stop = state.start, state.stop
        return out._getvalue()

    @target.lower_builtin("getiter", counted)
    def begin(context, builder, signature, args):
        state = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        it = context.make_helper(builder, signature.return_type)
        before = builder.sub(state.start, ONE)
        it.at, it.stop = cgutils.alloca_once_value(builder, before), state.stop
        return it._getvalue()

    @target.lower_builtin("iternext", counting)
    @target.iternext_impl(target.untracked)
    def advance(context, builder, signature, args, result):
        it = context.make_helper(builder, signature.args[0], value=args[0])
        # Added before it is compared: the loop has this one number, from which items are addressed.
        at = builder.add(builder.load(it.at), ONE)
        builder.store(at, it.at)
        result.set_valid(builder.icmp_signed("<", at, it.stop))
        result.yield_(at)
