"""Python functions around a user's: results become plain outputs, errors codes."""

import functools
from types import SimpleNamespace

from serrate._apply import vector_math
from serrate._apply.numba import compiled, numba


@functools.cache
def helpers():
    """What compiled wrappers call: `value` and `present` of what may be None, `is_null` of
    pointers."""
    nb = numba()
    from numba.extending import intrinsic, overload

    made = of_optional(nb.types, intrinsic, overload)

    @intrinsic
    def is_null(typingctx, p):
        from llvmlite import ir

        def codegen(context, builder, sig, args):
            null = ir.Constant(args[0].type, None)
            return builder.icmp_unsigned("==", args[0], null)

        return nb.types.boolean(p), codegen

    made.is_null = is_null
    return made


def of_optional(types, intrinsic, overload):
    """`value` and `present`, made of the parts of one target of Numba's."""

    def present(x):
        return x is not None

    def value(x):
        return x

    @overload(present, inline="always")
    def _present(x):
        if isinstance(x, types.Optional):
            return lambda x: x is not None
        return lambda x: True

    @overload(value)
    def _value(x):
        if not isinstance(x, types.Optional):
            return lambda x: x
        unwrapped = _unwrapped(x.type, intrinsic)
        return lambda x: unwrapped(x)

    return SimpleNamespace(present=present, value=value)


def _unwrapped(t, intrinsic):
    """The value that may be missing, zeros if it is."""

    @intrinsic
    def unwrapped(typingctx, x):
        def codegen(context, builder, sig, args):
            optional = context.make_helper(builder, sig.args[0], value=args[0])
            null = context.get_constant_null(t)
            return builder.select(optional.valid, optional.data, null)

        return t(x), codegen

    return unwrapped


def cast_to(t, intrinsic):
    """as_result(x): x as a t, which it can become."""

    @intrinsic
    def as_result(typingctx, x):
        def codegen(context, builder, sig, args):
            return context.cast(builder, args[0], x, t)

        return t(x), codegen

    return as_result


def put_of(shape, result, intrinsic, value, present, jit):
    """put(outs, k, v): stores what a generator yields, of which all together have the type
    `result`; jit(function) compiles it."""
    env = {"f": cast_to(result, intrinsic), "value": value, "present": present}
    exec(flat_source(shape, 1), env)
    env = {"flat": jit(env["flat"])}
    lines = ["def put(outs, k, v):", "    r = flat(v)"]
    lines += [f"    outs[{k}][k] = r[{k}]" for k in range(len(shape.outputs()))]
    exec("\n".join(lines), env)
    return jit(env["put"])


def pointer(t):
    """pointer(ps, k) of a table of addresses: the k-th, to items of type t."""
    from numba.extending import intrinsic

    nb = numba()

    @intrinsic
    def at(typingctx, ps, k):
        def codegen(context, builder, sig, args):
            address = builder.load(builder.gep(args[0], [args[1]]))
            return builder.bitcast(address, context.get_value_type(sig.return_type))

        return nb.types.CPointer(t)(ps, k), codegen

    return at


def pointer_at(t):
    """pointer(address): to items of type t."""
    from numba.extending import intrinsic

    nb = numba()

    @intrinsic
    def at(typingctx, address):
        def codegen(context, builder, sig, args):
            return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

        return nb.types.CPointer(t)(address), codegen

    return at


def status_call(dispatcher, types, vectors=False):
    """call((a, b ...)) -> (result, code): the code of what it raised, 0 for nothing. With `vectors`
    maths are bound to vector functions, for loops that call it."""
    from numba.extending import intrinsic

    cres = dispatcher.overloads[tuple(types)]
    library = vector_math.library(cres) if vectors else cres.library
    return status_call_of(cres, types, numba().types, intrinsic, library)


def status_call_of(cres, types, all_types, intrinsic, library=None):
    """The same of compiled code, with the parts of one target of Numba's."""
    result = cres.signature.return_type
    library = library or cres.library

    @intrinsic
    def call(typingctx, args):
        sig = all_types.Tuple((result, all_types.int32))(args)

        def codegen(context, builder, sig, args):
            if library is not cres.library:
                vector_math.widen(builder.function)
            return _checked_call(context, builder, sig, args, cres, types, all_types, library)

        return sig, codegen

    return call


def _checked_call(context, builder, sig, args, cres, types, all_types, library):
    """Code of a call that keeps its status: (result, code), zeros where it failed."""
    from numba.core import cgutils

    result = sig.return_type.types[0]
    context.active_code_library.add_linking_library(library)
    given = cgutils.unpack_tuple(builder, args[0], len(types))
    given = [
        context.cast(builder, v, have, want)
        for v, have, want in zip(given, sig.args[0].types, types, strict=True)
    ]
    status, out = context.call_internal_no_propagate(builder, cres.fndesc, cres.signature, given)
    zero = context.get_constant_null(all_types.int32)
    out = builder.select(status.is_error, context.get_constant_null(result), out)
    code = builder.select(status.is_error, status.code, zero)
    return context.make_tuple(builder, sig.return_type, (out, code))


def flat(function, shape, types):
    """The function with its outputs as one tuple of numbers, compiled."""
    h = helpers()
    env = {"f": function, "value": h.value, "present": h.present}
    exec(flat_source(shape, len(types)), env)
    return compiled(env["flat"], types)[0]


def flat_source(shape, count):
    """Python of it, around `f`."""
    names = ", ".join(f"a{i}" for i in range(count))
    lines, outputs = [], []
    _flatten(shape, "r", lines, outputs)
    return "\n".join(
        [
            f"def flat({names}):",
            f"    r = f({names})",
            *lines,
            f"    return ({', '.join(outputs)},)",
        ]
    )


def _flatten(shape, x, lines, outputs):
    """The outputs of x, of that shape."""
    whole = "value(" * shape.may_be_missing + x + ")" * shape.may_be_missing
    w = f"w{len(lines)}"
    lines.append(f"    {w} = {whole}")
    for k, (t, missing, _) in enumerate(shape.parts):
        part = w if shape.kind == "number" else f"{w}[{k}]"
        if hasattr(t, "parts"):
            _flatten(t, part, lines, outputs)
        else:
            outputs += [f"value({part})"] + ([f"present({part})"] if missing else [])
    if shape.may_be_missing:
        outputs.append(f"present({x})")


def can_fail(dispatcher, types):
    """Whether the code gives anything but success, as its optimised text says."""
    cres = dispatcher.overloads[tuple(types)]
    text = cres.library.get_llvm_str()
    name = cres.fndesc.llvm_func_name
    begin = text.find(f"@{name}(")
    while begin >= 0 and not text[text.rfind("\n", 0, begin) + 1 :].startswith("define"):
        begin = text.find(f"@{name}(", begin + 1)
    if begin < 0:
        return True
    body = text[begin : text.find("\n}", begin)]
    returns = [x.strip() for x in body.splitlines() if x.strip().startswith("ret ")]
    return any(x != "ret i32 0" for x in returns)
