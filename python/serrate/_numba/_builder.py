"""ArrayBuilder in compiled code: each method is a call of a function of C."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.extending import (
    NativeValue,
    box,
    intrinsic,
    overload,
    overload_method,
    register_model,
    unbox,
)

from serrate._numba._boxing import I32, call
from serrate._numba._cpu import VIEWS
from serrate._numba._reading import I64

ADDRESS = ir.IntType(8).as_pointer()


class Builder(types.Type):
    """An ArrayBuilder: its address, and the object that keeps it."""

    def __init__(self):
        super().__init__("serrate.ArrayBuilder")


BUILDER = Builder()


@register_model(Builder)
class BuilderModel(models.StructModel):
    def __init__(self, manager, ty):
        members = [("address", types.voidptr), ("object", types.voidptr)]
        super().__init__(manager, ty, members)


@unbox(Builder)
def unbox_builder(ty, obj, c):
    proxy = cgutils.create_struct_proxy(ty)(c.context, c.builder)
    proxy.address = call(c.builder, "serrate_builder_address_of", ADDRESS, [obj])
    proxy.object = c.builder.bitcast(obj, ADDRESS)
    return NativeValue(proxy._getvalue(), is_error=cgutils.is_null(c.builder, proxy.address))


@box(Builder)
def box_builder(ty, value, c):
    proxy = cgutils.create_struct_proxy(ty)(c.context, c.builder, value=value)
    obj = c.builder.bitcast(proxy.object, c.pyapi.pyobj)
    c.pyapi.incref(obj)
    return obj


def _run(context, builder, value, symbol, arguments):
    """Calls the function; what it raised is raised."""
    proxy = cgutils.create_struct_proxy(BUILDER)(context, builder, value=value)
    failed = call(builder, f"serrate_builder_{symbol}", I32, [proxy.address, *arguments])
    with builder.if_then(cgutils.is_not_null(builder, failed), likely=False):
        context.call_conv.return_exc(builder)
    return value


def _plain(symbol):
    @intrinsic
    def run(typingctx, b):
        def codegen(context, builder, signature, args):
            return _run(context, builder, args[0], symbol, [])

        return b(b), codegen

    return run


def _number(symbol, ty):
    @intrinsic
    def run(typingctx, b, x):
        def codegen(context, builder, signature, args):
            x = args[1]
            if ty == types.boolean:
                x = builder.zext(x, ir.IntType(8))
            return _run(context, builder, args[0], symbol, [x])

        return b(b, ty), codegen

    return run


def _text(symbol):
    @intrinsic
    def run(typingctx, b, x):
        def codegen(context, builder, signature, args):
            text = cgutils.create_struct_proxy(types.unicode_type)(context, builder, value=args[1])
            arguments = [text.data, text.length, text.kind]
            return _run(context, builder, args[0], symbol, arguments)

        return b(b, types.unicode_type), codegen

    return run


@intrinsic
def _complex(typingctx, b, x):
    def codegen(context, builder, signature, args):
        z = context.make_complex(builder, types.complex128, value=args[1])
        return _run(context, builder, args[0], "complex", [z.real, z.imag])

    return b(b, types.complex128), codegen


@intrinsic
def _time(typingctx, b, x):
    symbol = "datetime" if isinstance(x, types.NPDatetime) else "timedelta"

    def codegen(context, builder, signature, args):
        unit = context.insert_const_string(builder.module, x.unit)
        return _run(context, builder, args[0], symbol, [args[1], unit])

    return b(b, x), codegen


@intrinsic
def _view(typingctx, b, x):
    symbol = "string" if x.kind == "str" else "bytestring"

    def codegen(context, builder, signature, args):
        text = cgutils.create_struct_proxy(x)(context, builder, value=args[1])
        return _run(context, builder, args[0], symbol, [text.data, text.size])

    return b(b, x), codegen


@intrinsic
def _size(typingctx, b):
    def codegen(context, builder, signature, args):
        proxy = cgutils.create_struct_proxy(BUILDER)(context, builder, value=args[0])
        return call(builder, "serrate_builder_size", I64, [proxy.address])

    return types.int64(b), codegen


@overload(len)
def length(b):
    if isinstance(b, Builder):
        return lambda b: _size(b)


def _method(name, accepted, run):
    """The method `name`, which gives nothing."""

    @overload_method(Builder, name)
    def method(b, x):
        if isinstance(x, accepted):
            return lambda b, x: _nothing(run(b, x))


@intrinsic
def _nothing(typingctx, b):
    return types.none(b), lambda context, builder, signature, args: context.get_dummy_value()


def _without_arguments(name):
    run = _plain(name)

    @overload_method(Builder, name)
    def method(b):
        return lambda b: _nothing(run(b))


for _name in ("null", "begin_list", "end_list", "end_tuple", "end_record", "clear"):
    _without_arguments(_name)

TEXT = (types.UnicodeType, types.StringLiteral)
INTEGER, REAL = _number("integer", types.int64), _number("real", types.float64)
BOOLEAN, STRING = _number("boolean", types.boolean), _text("text")
NUMBERS = (types.Integer, types.Float)
_method("boolean", (types.Boolean,), BOOLEAN)
_method("integer", (types.Integer,), INTEGER)
_method("real", NUMBERS, REAL)
_method("complex", (*NUMBERS, types.Complex), _complex)
_method("datetime", (types.NPDatetime,), _time)
_method("timedelta", (types.NPTimedelta,), _time)
_method("begin_tuple", (types.Integer,), _number("begin_tuple", types.int64))
_method("bytestring", (VIEWS.StringView,), _view)


@overload_method(Builder, "string")
def string(b, x):
    if isinstance(x, VIEWS.StringView):
        return lambda b, x: _nothing(_view(b, x))
    if isinstance(x, TEXT):
        return lambda b, x: _nothing(STRING(b, x))


INDEX, FIELD, RECORD = _number("index", types.int64), _text("field"), _text("begin_record")


@overload_method(Builder, "index")
def index(b, i):
    if isinstance(i, types.Integer):
        return lambda b, i: INDEX(b, i)


@overload_method(Builder, "field")
def field(b, key):
    if isinstance(key, TEXT):
        return lambda b, key: FIELD(b, key)


@overload_method(Builder, "begin_record")
def begin_record(b, name=""):
    return lambda b, name="": _nothing(RECORD(b, name))


@overload_method(Builder, "append")
def append(b, x):
    """A value of any type, with all that is in it."""
    for kinds, run in APPENDED:
        if isinstance(x, kinds):
            return lambda b, x: _nothing(run(b, x))
    if x == types.none:
        return lambda b, x: b.null()
    if isinstance(x, types.Optional):
        inner = x.type
        present = _present(inner)
        return lambda b, x: b.null() if x is None else b.append(present(x))
    if isinstance(x, VIEWS.ListView):
        return _append_list
    if isinstance(x, VIEWS.RecordView):
        return _append_record(x.form)
    if isinstance(x, types.BaseTuple):
        return _append_tuple(len(x))


APPENDED = (
    (types.Boolean, BOOLEAN),
    (types.Integer, INTEGER),
    (types.Float, REAL),
    (types.Complex, _complex),
    ((types.NPDatetime, types.NPTimedelta), _time),
    (VIEWS.StringView, _view),
    (TEXT, STRING),
)


def _present(inner):
    @intrinsic
    def present(typingctx, x):
        def codegen(context, builder, signature, args):
            return context.cast(builder, args[0], signature.args[0], inner)

        return inner(x), codegen

    return present


def _append_list(b, x):
    b.begin_list()
    for item in x:
        b.append(item)
    b.end_list()


def _written(lines):
    made = {}
    exec("\n".join(["def append(b, x):", *(f"    {line}" for line in lines)]), made)
    return made["append"]


def _append_record(form):
    if form[0] == "tuple":
        return _append_tuple(len(form[1]))
    lines = [f"b.begin_record({form[3]!r})"]
    for name in form[1]:
        lines += [f"b.field({name!r})", f"b.append(x[{name!r}])"]
    return _written([*lines, "b.end_record()"])


def _append_tuple(slots):
    lines = [f"b.begin_tuple({slots})"]
    for i in range(slots):
        lines += [f"b.index({i})", f"b.append(x[{i}])"]
    return _written([*lines, "b.end_tuple()"])
