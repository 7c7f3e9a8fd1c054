"""What behaviours say of records in compiled code, registered as for Awkward Array:

behavior["__numba_typer__", name] and ["__numba_lower__", name]: what a record is in compiled code,
or a list whose __list__ is this; [..., "*", name]: what a list of records of this name is.
typer(view) -> type, lower(context, builder, signature, (view,));
[..., name, attribute]: typer(record) -> type, lower(context, builder, signature, args);
[..., name, method, ()]: typer(record, args) -> signature;
[..., operator, name] and [..., left, operator, right]: typer(operator, left[, right]) -> signature,
where left and right are names of records or types of Numba's.
"""

import operator

UNARY = (abs, operator.invert, operator.neg, operator.not_, operator.pos, operator.truth)
BINARY = tuple(
    getattr(operator, name)
    for name in [
        "add",
        "and_",
        "contains",
        "eq",
        "floordiv",
        "ge",
        "gt",
        "le",
        "lshift",
        "lt",
        "matmul",
        "mod",
        "mul",
        "ne",
        "or_",
        "pow",
        "rshift",
        "sub",
        "truediv",
        "xor",
    ]
)


def install(views):
    """Adds what the types of views need: attributes, methods, operators."""
    target = views.target

    def method_of(ty, name):
        key = (ty.record_name, name, ())
        typer = views.behavior_of(ty, "__numba_typer__", *key)
        if typer is None:
            return None
        lower = views.behavior_of(ty, "__numba_lower__", *key)
        lowered_as = f"serrate.{ty.record_name}.{name}"

        class Method(target.templates.AbstractTemplate):
            key = lowered_as

            def generic(self, args, kws):
                if kws:
                    return None
                found = typer(ty, args)
                plain = [getattr(x, "literal_type", x) for x in args]
                target.lower_builtin(lowered_as, ty, *plain)(lower)
                return target.templates.Signature(found.return_type, found.args, ty)

        return target.types.BoundFunction(Method, ty)

    def attribute(ty, name):
        method = method_of(ty, name)
        if method is not None:
            return method
        typer = views.behavior_of(ty, "__numba_typer__", ty.record_name, name)
        return typer and typer(ty)

    def lowered(ty, name):
        lower = views.behavior_of(ty, "__numba_lower__", ty.record_name, name)
        if lower is None:
            return None
        to = attribute(ty, name)
        return lambda context, builder, value: lower(context, builder, to(ty), (value,))

    target.behaved_attribute, target.lowered_attribute = attribute, lowered
    for op in UNARY:
        _operator(views, op, 1)
    for op in BINARY:
        _operator(views, op, 2)


def _operator(views, op, operands):
    target = views.target

    def named(ty):
        return ty.record_name if isinstance(ty, views.RecordView) else ty

    @target.infer_global(op)
    class Operator(target.templates.AbstractTemplate):
        key = op

        def generic(self, args, kws):
            records = [x for x in args if isinstance(x, views.RecordView)]
            if kws or len(args) != operands or not records:
                return None
            names = [named(x) for x in args]
            key = (op, names[0]) if operands == 1 else (names[0], op, names[1])
            typer = views.behavior_of(records[0], "__numba_typer__", *key)
            if typer is None:
                return target.vectors and target.vectors.operation(op, args)
            lower = views.behavior_of(records[0], "__numba_lower__", *key)
            target.lower_builtin(op, *args)(lower)
            return typer(op, *args)
