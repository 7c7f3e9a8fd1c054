"""Code that reads values: LLVM instructions for a view's words."""

from llvmlite import ir

from serrate._numba import _forms

I64 = ir.IntType(64)
ONE = ir.Constant(I64, 1)


class Reading:
    """How the views of one target are read. `flat`: the words are members of each view (registers
    of a GPU) instead of a table in memory."""

    def __init__(self, views, flat, space):
        self.views, self.target, self.flat, self.space = views, views.target, flat, space

    # -- words and memory -------------------------------------------------------------------------
    def words_type(self, form):
        types = self.target.types
        return (
            types.UniTuple(types.int64, _forms.words(form))
            if self.flat
            else types.CPointer(types.int64)
        )

    def word(self, builder, words, place):
        if self.flat:
            return builder.extract_value(words, place)
        return self._constant_load(builder, builder.gep(words, [ir.Constant(I64, place)]))

    def _constant_load(self, builder, pointer):
        """Of memory that nobody writes to while the function runs: moved out of loops."""
        loaded = builder.load(pointer)
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    def moved(self, builder, words, place, form):
        """The part of the words that is about `form`."""
        if not self.flat:
            return builder.gep(words, [ir.Constant(I64, place)]) if place else words
        count = _forms.words(form)
        out = ir.Constant(ir.ArrayType(I64, count), ir.Undefined)
        for k in range(count):
            out = builder.insert_value(out, builder.extract_value(words, place + k), k)
        return out

    @staticmethod
    def assume(builder, condition):
        """What the optimiser may take as given: checks of indexes become one, or none."""
        function = builder.module.declare_intrinsic(
            "llvm.assume", fnty=ir.FunctionType(ir.VoidType(), [ir.IntType(1)])
        )
        builder.call(function, [condition])

    def load(self, context, builder, address, ty, position):
        """Item `position` of the buffer there."""
        stored = context.get_data_type(ty)
        pointer = builder.inttoptr(address, stored.as_pointer(self.space))
        loaded = self._constant_load(builder, builder.gep(pointer, [position]))
        return context.data_model_manager[ty].from_data(builder, loaded)

    def integer(self, context, builder, words, place, dtype, position):
        """The same of an integer, as 64 bits."""
        ty = getattr(self.target.types, dtype)
        value = self.load(context, builder, self.word(builder, words, place), ty, position)
        if ty.bitwidth == 64:
            return value
        return builder.sext(value, I64) if ty.signed else builder.zext(value, I64)

    def offset(self, context, builder, words, width, position):
        if isinstance(width, int):
            return builder.mul(position, ir.Constant(I64, width))
        return self.integer(context, builder, words, 0, width, position)

    def make(self, context, builder, ty, **members):
        proxy = self.target.cgutils.create_struct_proxy(ty)(context, builder)
        for name, value in members.items():
            setattr(proxy, name, value)
        return proxy._getvalue()

    def parts(self, context, builder, ty, value):
        return self.target.cgutils.create_struct_proxy(ty)(context, builder, value=value)

    # -- values -----------------------------------------------------------------------------------
    def value_at(self, context, builder, form, behavior, words, position):
        """The value of a form at a position, of the type that Views.value_type says."""
        read = getattr(self, "_" + form[0])
        return read(context, builder, form, behavior, words, position)

    def _num(self, context, builder, form, behavior, words, position):
        address = self.word(builder, words, 0)
        if form[1] == "float16":
            bits = self.load(context, builder, address, self.target.types.uint16, position)
            return half_to_float(builder, bits)
        return self.load(context, builder, address, self.views.value_type(form), position)

    def _time(self, context, builder, form, behavior, words, position):
        address = self.word(builder, words, 0)
        return self.load(context, builder, address, self.target.types.int64, position)

    def _bounds(self, context, builder, form, words, position):
        start = self.offset(context, builder, words, form[1], position)
        stop = self.offset(context, builder, words, form[1], builder.add(position, ONE))
        return {"start": start, "stop": stop}

    def plain_value_at(self, context, builder, form, behavior, words, position):
        """The same, of the type that Views.plain_type says."""
        read = getattr(self, "_plain_" + form[0], None) or getattr(self, "_" + form[0])
        return read(context, builder, form, behavior, words, position)

    def _behaved(self, context, builder, form, behavior, words, position):
        """What a behaviour makes of a list or record."""
        value = self.plain_value_at(context, builder, form, behavior, words, position)
        plain = self.views.plain_type(form, behavior)
        typer, lower = self.views.behaved(plain)
        if typer is None:
            return value
        return lower(context, builder, typer(plain)(plain), (value,))

    _list = _rec = _behaved

    def _plain_list(self, context, builder, form, behavior, words, position):
        inner = self.moved(builder, words, _forms.own_words(form), form[2])
        bounds = self._bounds(context, builder, form, words, position)
        ty = self.views.plain_type(form, behavior)
        return self.make(context, builder, ty, words=inner, **bounds)

    def _str(self, context, builder, form, behavior, words, position):
        address = self.word(builder, words, _forms.own_words(form))
        data = builder.inttoptr(address, ir.IntType(8).as_pointer(self.space))
        bounds = self._bounds(context, builder, form, words, position)
        ty = self.views.value_type(form)
        size = builder.sub(bounds["stop"], bounds["start"])
        first = builder.gep(data, [bounds["start"]])
        if self.space:
            first = builder.addrspacecast(first, ir.IntType(8).as_pointer())
        return self.make(context, builder, ty, data=first, size=size)

    _bytes = _str

    def _plain_rec(self, context, builder, form, behavior, words, position):
        plain = self.views.plain_type(form, behavior)
        return self.make(context, builder, plain, position=position, words=words)

    def _tuple(self, context, builder, form, behavior, words, position):
        values, place = [], 0
        for item in form[2]:
            inner = self.moved(builder, words, place, item)
            values.append(self.value_at(context, builder, item, behavior, inner, position))
            place += _forms.words(item)
        return context.make_tuple(builder, self.views.value_type(form, behavior), values)

    def _none(self, context, builder, form, behavior, words, position):
        return context.get_dummy_value()

    def _all(self, context, builder, form, behavior, words, position):
        value = self.value_at(context, builder, form[1], behavior, words, position)
        ty = self.views.value_type(form, behavior)
        return context.make_optional_value(builder, ty.type, value)

    def _opt(self, context, builder, form, behavior, words, position):
        valid = self.load(
            context, builder, self.word(builder, words, 0), self.target.types.int8, position
        )
        present = builder.icmp_signed("!=", valid, ir.Constant(ir.IntType(8), 0))
        inner = self.moved(builder, words, 1, form[1])
        ty = self.views.value_type(form, behavior)
        return self.where(
            context,
            builder,
            present,
            ty,
            ty.type,
            lambda: self.value_at(context, builder, form[1], behavior, inner, position),
        )

    def where(self, context, builder, present, ty, found, value):
        """An Optional that holds value(), of type `found`, where that is present."""
        none = context.make_optional_none(builder, ty.type)
        out = self.target.cgutils.alloca_once_value(builder, none)
        with builder.if_then(present):
            x = value()
            builder.store(x if found == ty else context.make_optional_value(builder, found, x), out)
        return builder.load(out)

    def _cat(self, context, builder, form, behavior, words, position):
        index = self.integer(context, builder, words, 0, form[1], position)
        inner = self.moved(builder, words, 1, form[2])
        return self.value_at(context, builder, form[2], behavior, inner, index)

    # -- fields -----------------------------------------------------------------------------------
    def fields_of(self, context, builder, ty, value, fields):
        """Field by field, what Views.field_type says of the type."""
        for name in fields:
            value, ty = self._field_of(context, builder, ty, value, name)
        return value

    def _field_of(self, context, builder, ty, value, name):
        types, to = self.target.types, self.views.field_type(ty, (name,))
        if isinstance(ty, types.Optional):
            optional = context.make_helper(builder, ty, value=value)
            return self.where(
                context,
                builder,
                self.target.cgutils.as_bool_bit(builder, optional.valid),
                to,
                self.views.field_type(ty.type, (name,)),
                lambda: self._field_of(context, builder, ty.type, optional.data, name)[0],
            ), to
        if isinstance(ty, self.views.RecordView):
            place, form = _forms.field(ty.form, name)
            record = self.parts(context, builder, ty, value)
            inner = self.moved(builder, record.words, place, form)
            return self.value_at(context, builder, form, ty.behavior, inner, record.position), to
        if isinstance(ty, types.BaseTuple):
            return builder.extract_value(value, int(name)), to
        view = self.parts(context, builder, ty, value)
        members = {"start": view.start, "stop": view.stop, "words": view.words}
        return self.make(context, builder, to, **members), to

    def item(self, context, builder, ty, value, index):
        """Item `index`, which is in range, of a ListView."""
        view = self.parts(context, builder, ty, value)
        position = builder.add(view.start, index)
        read = self.plain_value_at if ty.fields else self.value_at
        found = read(context, builder, ty.form, ty.behavior, view.words, position)
        return self.fields_of(context, builder, ty.base_item, found, ty.fields)


def half_to_float(builder, bits):
    """float16 as float32: its exponent is moved by a product; what is infinite or NaN stays so."""
    i32, f32 = ir.IntType(32), ir.FloatType()
    wide = builder.zext(bits, i32)
    magnitude = builder.shl(builder.and_(wide, ir.Constant(i32, 0x7FFF)), ir.Constant(i32, 13))
    scaled = builder.fmul(builder.bitcast(magnitude, f32), ir.Constant(f32, 2.0**112))
    finite = builder.bitcast(scaled, i32)
    special = builder.icmp_unsigned(">=", magnitude, ir.Constant(i32, 0x0F800000))
    kept = builder.or_(magnitude, ir.Constant(i32, 0x7F800000))
    sign = builder.shl(builder.and_(wide, ir.Constant(i32, 0x8000)), ir.Constant(i32, 16))
    return builder.bitcast(builder.or_(sign, builder.select(special, kept, finite)), f32)
