"""Arguments become views by one call of a C function; views become arrays and records again."""

from llvmlite import ir
from numba.core import cgutils
from numba.extending import NativeValue, box, unbox

from serrate._numba import _forms
from serrate._numba._reading import I64

I32, TEXT = ir.IntType(32), ir.IntType(8).as_pointer()


def call(builder, name, result, arguments):
    """A call of a function of _core._numba_symbols."""
    ty = ir.FunctionType(result, [a.type for a in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, ty, name), arguments)


def every(array, step):
    """Called by compiled code."""
    return array[::step]


def _viewed(c, obj):
    """start, stop, words; and whether that failed."""
    out = cgutils.alloca_once(c.builder, I64, 3)
    failed = call(c.builder, "serrate_numba_view", I32, [obj, out])
    words = [c.builder.load(c.builder.gep(out, [ir.Constant(I64, k)])) for k in range(3)]
    words[2] = c.builder.inttoptr(words[2], I64.as_pointer())
    return words, cgutils.is_not_null(c.builder, failed)


def install(views, reading):
    """Boxing and unboxing of these types."""
    _unboxing(views, reading)
    _lists(views, reading)

    @box(views.SteppedView)
    def box_stepped(ty, value, c):
        """The list from the first item to the last one, sliced."""
        v = reading.parts(c.context, c.builder, ty, value)
        view = reading.parts(c.context, c.builder, ty.view, v.view)
        zero, one = ir.Constant(I64, 0), ir.Constant(I64, 1)
        some = c.builder.icmp_signed(">", v.size, zero)
        reach = c.builder.mul(c.builder.sub(v.size, one), v.step)
        backwards = c.builder.icmp_signed("<", v.step, zero)
        first = c.builder.add(view.start, c.builder.select(backwards, reach, zero))
        last = c.builder.add(view.start, c.builder.select(backwards, zero, reach))
        start = c.builder.select(some, first, view.stop)
        stop = c.builder.select(some, c.builder.add(last, one), view.stop)
        members = {"start": start, "stop": stop, "words": view.words}
        part = reading.make(c.context, c.builder, ty.view, **members)
        part = c.pyapi.from_native_value(ty.view, part, c.env_manager)
        step = c.pyapi.long_from_longlong(v.step)
        module = c.pyapi.import_module(c.context.insert_const_string(c.builder.module, __name__))
        out = c.pyapi.call_method(module, "every", (part, step))
        for used in (part, step, module):
            c.pyapi.decref(used)
        return out

    @box(views.StringView)
    def box_string(ty, value, c):
        v = reading.parts(c.context, c.builder, ty, value)
        if ty.kind == "bytes":
            return c.pyapi.bytes_from_string_and_size(v.data, v.size)
        return call(c.builder, "serrate_numba_text", c.pyapi.pyobj, [v.data, v.size])


def _unboxing(views, reading):
    @unbox(views.ListView)
    def unbox_list(ty, obj, c):
        (start, stop, words), failed = _viewed(c, obj)
        value = reading.make(c.context, c.builder, ty, start=start, stop=stop, words=words)
        return NativeValue(value, is_error=failed)

    @unbox(views.RecordView)
    def unbox_record(ty, obj, c):
        (at, _, words), failed = _viewed(c, obj)
        value = reading.make(c.context, c.builder, ty, position=at, words=words)
        return NativeValue(value, is_error=failed)


def _lists(views, reading):
    def text(c, x):
        return c.context.insert_const_string(c.builder.module, x)

    def address(c, words):
        return c.builder.ptrtoint(words, I64)

    @box(views.ListView)
    def box_list(ty, value, c):
        v = reading.parts(c.context, c.builder, ty, value)
        texts = text(c, _forms.text(ty.form)), text(c, ty.list_name)
        arguments = [v.start, v.stop, address(c, v.words), *texts]
        out = call(c.builder, "serrate_numba_list", c.pyapi.pyobj, arguments)
        for name in ty.fields:
            out = call(c.builder, "serrate_numba_field", c.pyapi.pyobj, [out, text(c, name)])
        return out

    @box(views.RecordView)
    def box_record(ty, value, c):
        v = reading.parts(c.context, c.builder, ty, value)
        arguments = [v.position, address(c, v.words), text(c, _forms.text(ty.form))]
        return call(c.builder, "serrate_numba_record", c.pyapi.pyobj, arguments)
