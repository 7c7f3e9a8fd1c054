"""view[begin:end:step]: every so-many-th item of a view, also backwards."""

import operator

from llvmlite import ir

from serrate._numba._reading import I64


def install(views, reading, size, indexed):
    """The type, what it can do, and how views give it."""
    target, types = views.target, views.target.types
    overload, errors = target.overload, target.errors

    class SteppedView(types.IterableType, types.Sized):
        """Items of a ListView: {view, which begins at the first of them; step; size}."""

        mutable = False

        def __init__(self, view):
            self.view = view
            super().__init__(f"stepped({view.name})")

        @property
        def iterator_type(self):
            return Iterator(self)

    class Iterator(types.SimpleIteratorType):
        def __init__(self, stepped):
            self.stepped = stepped
            super().__init__(f"iter({stepped.name})", stepped.view.item)

    views.SteppedView = SteppedView
    _models(target, SteppedView, Iterator)
    made, count, item = _intrinsics(views, reading, SteppedView)
    at_index = indexed(target, count, item)
    _iteration(target, reading, SteppedView, Iterator)

    @target.infer_getattr
    class Fields(target.templates.AttributeTemplate):
        key = SteppedView

        def generic_resolve(self, ty, name):
            view = views.field_type(ty.view, (name,))
            return view and SteppedView(view)

    @target.lower_getattr_generic(SteppedView)
    def field(context, builder, ty, value, name):
        parts = reading.parts(context, builder, ty, value)
        view = reading.fields_of(context, builder, ty.view, parts.view, (name,))
        to = SteppedView(views.field_type(ty.view, (name,)))
        return reading.make(context, builder, to, view=view, step=parts.step, size=parts.size)

    @overload(len)
    def length(v):
        if isinstance(v, SteppedView):
            return lambda v: count(v)

    @overload(bool)
    def any_items(v):
        if isinstance(v, SteppedView):
            return lambda v: count(v) != 0

    @overload(operator.getitem)
    def part(v, i):
        if isinstance(v, views.ListView) and isinstance(i, types.SliceType) and i.has_step:
            return cut

    def cut(v, i):
        n, step = size(v), i.step
        if step == 0:
            raise ValueError("slice step cannot be zero")
        low, high = (0, n) if step > 0 else (-1, n - 1)
        begin, end = i.start, i.stop
        begin = max(begin + n, low) if begin < 0 else min(begin, high)
        end = max(end + n, low) if end < 0 else min(end, high)
        items = (end - begin + step - 1) // step if step > 0 else (begin - end - step - 1) // -step
        return made(v, begin, step, max(items, 0))

    @overload(operator.getitem)
    def get(v, i):
        if not isinstance(v, SteppedView):
            return None
        if isinstance(i, types.Integer):
            return at_index
        raise errors.TypingError("slices of slices with a step: one slice of the list can say both")


def _models(target, stepped, iterator):
    types, models = target.types, target.models

    @target.register_model(stepped)
    class Stepped(models.StructModel):
        def __init__(self, manager, ty):
            members = [("view", ty.view), ("step", types.int64), ("size", types.int64)]
            super().__init__(manager, ty, members)

    @target.register_model(iterator)
    class Iterating(models.StructModel):
        def __init__(self, manager, ty):
            members = [("stepped", ty.stepped), ("at", types.EphemeralPointer(types.int64))]
            super().__init__(manager, ty, members)


def _item(reading, context, builder, ty, parts, index):
    return reading.item(context, builder, ty.view, parts.view, builder.mul(index, parts.step))


def _intrinsics(views, reading, stepped):
    types, intrinsic = views.target.types, views.target.extending.intrinsic

    @intrinsic
    def made(typingctx, view, begin, step, count):
        def codegen(context, builder, signature, args):
            ty = signature.args[0]
            v = reading.parts(context, builder, ty, args[0])
            start = builder.add(v.start, args[1])
            first = reading.make(context, builder, ty, start=start, stop=v.stop, words=v.words)
            members = {"view": first, "step": args[2], "size": args[3]}
            return reading.make(context, builder, signature.return_type, **members)

        return stepped(view)(view, types.int64, types.int64, types.int64), codegen

    @intrinsic
    def count(typingctx, v):
        def codegen(context, builder, signature, args):
            return reading.parts(context, builder, signature.args[0], args[0]).size

        return types.int64(v), codegen

    @intrinsic
    def item(typingctx, v, i):
        def codegen(context, builder, signature, args):
            ty = signature.args[0]
            parts = reading.parts(context, builder, ty, args[0])
            return _item(reading, context, builder, ty, parts, args[1])

        return v.view.item(v, types.int64), codegen

    return made, count, item


def _iteration(target, reading, stepped, iterator):
    cgutils = target.cgutils

    @target.lower_builtin("getiter", stepped)
    def begin(context, builder, signature, args):
        it = context.make_helper(builder, signature.return_type)
        it.stepped = args[0]
        it.at = cgutils.alloca_once_value(builder, ir.Constant(I64, 0))
        return it._getvalue()

    @target.lower_builtin("iternext", iterator)
    @target.iternext_impl(target.untracked)
    def advance(context, builder, signature, args, result):
        it = context.make_helper(builder, signature.args[0], value=args[0])
        ty = signature.args[0].stepped
        parts = reading.parts(context, builder, ty, it.stepped)
        at = builder.load(it.at)
        more = builder.icmp_signed("<", at, parts.size)
        result.set_valid(more)
        with builder.if_then(more):
            result.yield_(_item(reading, context, builder, ty, parts, at))
            builder.store(builder.add(at, ir.Constant(I64, 1)), it.at)
