"""What views can do in compiled code: len, items, slices, iteration, fields, comparison of text."""

import operator

from llvmlite import ir

from serrate._numba import _proven, _steps
from serrate._numba._reading import I64


def install(views, reading):
    """Teaches a target's Numba the types of `views`."""
    _models(views, reading)
    intrinsics = _intrinsics(views, reading)
    _fields(views, reading)
    _iteration(views, reading)
    _items(views, *intrinsics[:3])
    _steps.install(views, reading, intrinsics[1], indexed)
    _optional_lists(views, intrinsics[3])
    _proven.install(views, reading)
    return intrinsics


def _models(views, reading):
    target, types = views.target, views.target.types

    def struct(cls, members):
        @target.register_model(cls)
        class Model(target.models.StructModel):
            def __init__(self, manager, ty):
                super().__init__(manager, ty, members(ty))

    def bounds(ty):
        return [
            ("start", types.int64),
            ("stop", types.int64),
            ("words", reading.words_type(ty.form)),
        ]

    struct(views.ListView, bounds)
    struct(
        views.RecordView,
        lambda ty: [("position", types.int64), ("words", reading.words_type(ty.form))],
    )
    struct(
        views.StringView, lambda _: [("data", types.CPointer(types.uint8)), ("size", types.int64)]
    )
    struct(
        views.Iterator,
        lambda ty: [("view", ty.view), ("at", types.EphemeralPointer(types.int64))],
    )


def _intrinsics(views, reading):
    types, intrinsic = views.target.types, views.target.extending.intrinsic

    @intrinsic
    def item(typingctx, view, i):
        def codegen(context, builder, signature, args):
            return reading.item(context, builder, signature.args[0], *args)

        return view.item(view, types.int64), codegen

    @intrinsic
    def size(typingctx, view):
        def codegen(context, builder, signature, args):
            v = reading.parts(context, builder, signature.args[0], args[0])
            if isinstance(signature.args[0], views.StringView):
                return v.size
            n = builder.sub(v.stop, v.start)
            reading.assume(builder, builder.icmp_signed(">=", n, ir.Constant(I64, 0)))
            return n

        return types.int64(view), codegen

    @intrinsic
    def part(typingctx, view, begin, end):
        def codegen(context, builder, signature, args):
            ty = signature.args[0]
            v = reading.parts(context, builder, ty, args[0])
            start, stop = builder.add(v.start, args[1]), builder.add(v.start, args[2])
            return reading.make(context, builder, ty, start=start, stop=stop, words=v.words)

        return view(view, types.int64, types.int64), codegen

    @intrinsic
    def present(typingctx, value):
        def codegen(context, builder, signature, args):
            return context.cast(builder, args[0], signature.args[0], signature.return_type)

        return value.type(value), codegen

    @intrinsic
    def byte(typingctx, text, i):
        def codegen(context, builder, signature, args):
            v = reading.parts(context, builder, signature.args[0], args[0])
            return builder.load(builder.gep(v.data, [args[1]]))

        return types.uint8(text, types.int64), codegen

    return item, size, part, present, byte


def _fields(views, reading):
    target = views.target

    def resolved(ty, name):
        return views.field_type(ty, (name,))

    @target.infer_getattr
    class ListFields(target.templates.AttributeTemplate):
        key = views.ListView

        def generic_resolve(self, ty, name):
            return resolved(ty, name)

    @target.infer_getattr
    class RecordFields(target.templates.AttributeTemplate):
        key = views.RecordView

        def generic_resolve(self, ty, name):
            found = target.behaved_attribute(ty, name) or resolved(ty, name)
            if found is None and target.vectors:
                found = target.vectors.attribute(ty, name)
            return found

    def field(context, builder, ty, value, name):
        return reading.fields_of(context, builder, ty, value, (name,))

    target.lower_getattr_generic(views.ListView)(field)

    @target.lower_getattr_generic(views.RecordView)
    def record_field(context, builder, ty, value, name):
        lower = target.lowered_attribute(ty, name)
        if not lower and target.vectors and resolved(ty, name) is None:
            lower = target.vectors.lowered(ty, name)
        return lower(context, builder, value) if lower else field(context, builder, ty, value, name)

    @target.infer_global(operator.getitem)
    class ByName(target.templates.AbstractTemplate):
        key = operator.getitem

        def generic(self, args, kws):
            name = named(*args)
            to = None if name is None else resolved(args[0], name)
            return to and target.templates.signature(to, *args)

    def named(view, where):
        """The field that view[where] is, or None."""
        literal = getattr(where, "literal_value", None)
        if isinstance(literal, str) and isinstance(view, views.ListView | views.RecordView):
            return literal
        a_slot = isinstance(view, views.RecordView) and view.form[0] == "tuple"
        return str(literal) if a_slot and isinstance(literal, int) else None

    @target.lower_builtin(operator.getitem, views.ListView, target.types.StringLiteral)
    @target.lower_builtin(operator.getitem, views.RecordView, target.types.Literal)
    def by_name(context, builder, signature, args):
        return field(context, builder, signature.args[0], args[0], named(*signature.args))


def _iteration(views, reading):
    target, cgutils = views.target, views.target.cgutils

    @target.lower_builtin("getiter", views.ListView)
    def begin(context, builder, signature, args):
        it = context.make_helper(builder, signature.return_type)
        it.view = args[0]
        it.at = cgutils.alloca_once_value(builder, ir.Constant(I64, 0))
        return it._getvalue()

    @target.lower_builtin("iternext", views.Iterator)
    @target.iternext_impl(target.untracked)
    def advance(context, builder, signature, args, result):
        it = context.make_helper(builder, signature.args[0], value=args[0])
        ty = signature.args[0].view
        view = reading.parts(context, builder, ty, it.view)
        at = builder.load(it.at)
        more = builder.icmp_signed("<", builder.add(view.start, at), view.stop)
        result.set_valid(more)
        with builder.if_then(more):
            result.yield_(reading.item(context, builder, ty, it.view, at))
            builder.store(builder.add(at, ir.Constant(I64, 1)), it.at)


def indexed(target, size, item):
    """v[i] by what gives the item at a position; negative ones count from the end. Without branches
    but one, so that equal indexes are looked at once and loads of them are one load."""
    types, intrinsic = target.types, target.extending.intrinsic

    @intrinsic
    def from_begin(typingctx, i, n):
        def codegen(context, builder, signature, args):
            i, n = args
            negative = builder.icmp_signed("<", i, ir.Constant(I64, 0))
            return builder.add(i, builder.select(negative, n, ir.Constant(I64, 0)))

        return types.int64(types.int64, types.int64), codegen

    @intrinsic
    def is_outside(typingctx, k, n):
        def codegen(context, builder, signature, args):
            return builder.icmp_unsigned(">=", *args)

        return types.boolean(types.int64, types.int64), codegen

    def at_index(v, i):
        n = size(v)
        k = from_begin(i, n)
        if is_outside(k, n):
            raise IndexError("index out of range")
        return item(v, k)

    return at_index


def _items(views, item, size, part):
    types, overload = views.target.types, views.target.overload
    at_index = indexed(views.target, size, item)

    @overload(len)
    def length(v):
        if isinstance(v, views.ListView):
            return lambda v: size(v)

    @overload(bool)
    def any_items(v):
        if isinstance(v, views.ListView):
            return lambda v: size(v) != 0

    @overload(operator.getitem)
    def get(v, i):
        if not isinstance(v, views.ListView):
            return None
        if isinstance(i, types.Integer):
            return at_index
        if isinstance(i, types.SliceType):
            return None if i.has_step else cut

    def cut(v, i):
        n = size(v)
        begin, end = i.start, i.stop
        begin = max(begin + n, 0) if begin < 0 else min(begin, n)
        end = max(end + n, 0) if end < 0 else min(end, n)
        return part(v, begin, max(begin, end))


def _optional_lists(views, present):
    """Lists that may be missing are used like others; where one is missing, that fails."""
    target, types = views.target, views.target.types

    def is_one(v):
        kinds = views.ListView | views.RecordView | views.StringView
        return isinstance(v, types.Optional) and isinstance(v.type, kinds)

    @target.overload(len)
    def length(v):
        if is_one(v):
            return lambda v: len(present(v))

    @target.overload(operator.getitem)
    def get(v, i):
        if is_one(v):
            return lambda v, i: present(v)[i]

    @target.infer
    class Begin(target.templates.AbstractTemplate):
        key = "getiter"

        def generic(self, args, kws):
            if len(args) == 1 and is_one(args[0]) and isinstance(args[0].type, views.ListView):
                return target.templates.signature(args[0].type.iterator_type, args[0])

    @target.lower_builtin("getiter", types.Optional)
    def begin(context, builder, signature, args):
        inner = signature.args[0].type
        value = context.cast(builder, args[0], signature.args[0], inner)
        of = target.templates.signature(signature.return_type, inner)
        return context.get_function("getiter", of)(builder, (value,))
