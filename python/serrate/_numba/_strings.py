"""Text in compiled code: compared where it lies, made a str where a method needs one."""

import operator

from serrate._numba._operations import indexed

METHODS = [
    "capitalize",
    "casefold",
    "center",
    "count",
    "endswith",
    "expandtabs",
    "find",
    "index",
    "isalnum",
    "isalpha",
    "isdecimal",
    "isdigit",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "partition",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "upper",
    "zfill",
]
PAIRS = (operator.lt, operator.le, operator.gt, operator.ge, operator.add, operator.contains)


def install_without_str(views, size, byte):
    """What StringViews can do where there are no strings: len, equality, bytes."""
    decode = _decoder(views, size, byte)
    _lengths(views, size, decode)
    _bytes(views, size, byte)
    _equality(views, size, byte)
    return decode


def install(views, size, byte):
    """What StringViews can do."""
    decode = install_without_str(views, size, byte)
    _as_str(views, decode, size)
    _equality_with_str(views, size, decode)
    for name in METHODS:
        _method(views, name)
    for op in PAIRS:
        _by_str(views, op)


def _is(v, kind, views):
    return isinstance(v, views.StringView) and v.kind == kind


def _decoder(views, size, byte):
    """decode(v, i): the character at byte i and how many bytes it has; bytes that are no UTF-8
    become what Python's surrogateescape makes of them."""

    def follows(v, i):
        return i < size(v) and (byte(v, i) & 0xC0) == 0x80

    def bits(v, i):
        return byte(v, i) & 0x3F

    follows, bits = (views.target.inner(f) for f in (follows, bits))

    def decode(v, i):
        b = int(byte(v, i))
        if b < 0x80:
            return b, 1
        if 0xC2 <= b < 0xE0 and follows(v, i + 1):
            return (b & 0x1F) << 6 | bits(v, i + 1), 2
        if 0xE0 <= b < 0xF0 and follows(v, i + 1) and follows(v, i + 2):
            return (b & 0x0F) << 12 | bits(v, i + 1) << 6 | bits(v, i + 2), 3
        if 0xF0 <= b < 0xF5 and follows(v, i + 1) and follows(v, i + 2) and follows(v, i + 3):
            high = (b & 0x07) << 18 | bits(v, i + 1) << 12
            return high | bits(v, i + 2) << 6 | bits(v, i + 3), 4
        return 0xDC00 + b, 1

    return views.target.inner(decode)


def _as_str(views, decode, size):
    from numba.cpython.unicode import _empty_string, _set_code_point

    target = views.target

    def to_str(v):
        count, largest, i = 0, 0, 0
        while i < size(v):
            c, n = decode(v, i)
            count, largest, i = count + 1, max(largest, c), i + n
        kind = 1 if largest < 256 else 2 if largest < 65536 else 4
        out = _empty_string(kind, count, largest < 128)
        i = 0
        for k in range(count):
            c, n = decode(v, i)
            _set_code_point(out, k, c)
            i += n
        return out

    @target.overload_method(views.StringView, "__str__")
    def as_str(v):
        if _is(v, "str", views):
            return to_str

    @target.lower_cast(views.StringView, type(target.unicode))
    def cast(context, builder, from_type, to_type, value):
        return context.compile_internal(builder, to_str, to_type(from_type), (value,))

    @target.overload(hash)
    def hashed(v):
        if _is(v, "str", views):
            return lambda v: hash(str(v))

    @target.overload(operator.getitem)
    def get(v, i):
        if _is(v, "str", views):
            return lambda v, i: str(v)[i]


def _lengths(views, size, decode):
    target = views.target

    @target.overload(len)
    def length(v):
        if _is(v, "bytes", views):
            return lambda v: size(v)
        if _is(v, "str", views):
            return characters

    def characters(v):
        count, i = 0, 0
        while i < size(v):
            i += decode(v, i)[1]
            count += 1
        return count

    @target.overload(bool)
    def any_text(v):
        if isinstance(v, views.StringView):
            return lambda v: size(v) != 0


def _bytes(views, size, byte):
    types = views.target.types
    at_index = indexed(views.target, size, byte)

    @views.target.overload(operator.getitem)
    def get(v, i):
        if _is(v, "bytes", views) and isinstance(i, types.Integer):
            return at_index


def _equality(views, size, byte):
    target = views.target

    @target.inner
    def same_bytes(a, b):
        if size(a) != size(b):
            return False
        for k in range(size(a)):  # noqa: SIM110  (compiled)
            if byte(a, k) != byte(b, k):
                return False
        return True

    def are(a, b):
        both = isinstance(a, views.StringView) and isinstance(b, views.StringView)
        return both and a.kind == b.kind

    @target.overload(operator.eq)
    def equal(a, b):
        if are(a, b):
            return lambda a, b: same_bytes(a, b)

    @target.overload(operator.ne)
    def unequal(a, b):
        if are(a, b):
            return lambda a, b: not same_bytes(a, b)


def _equality_with_str(views, size, decode):
    target = views.target

    @target.inner
    def same_text(a, b):
        i = 0
        for k in range(len(b)):
            if i >= size(a):
                return False
            c, n = decode(a, i)
            if c != ord(b[k]):
                return False
            i += n
        return i == size(a)

    def is_str(v):
        return isinstance(v, target.types.UnicodeType | target.types.StringLiteral)

    @target.overload(operator.eq)
    def equal(a, b):
        if _is(a, "str", views) and is_str(b):
            return lambda a, b: same_text(a, b)
        if _is(b, "str", views) and is_str(a):
            return lambda a, b: same_text(b, a)

    @target.overload(operator.ne)
    def unequal(a, b):
        if _is(a, "str", views) and is_str(b):
            return lambda a, b: not same_text(a, b)
        if _is(b, "str", views) and is_str(a):
            return lambda a, b: not same_text(b, a)


def _method(views, name):
    source = f"def method(v, *args):\n    return str(v).{name}(*args)\n"
    made = {}
    exec(source, made)

    @views.target.overload_method(views.StringView, name)
    def method(v, *args):
        if v.kind == "str":
            return made["method"]


def _by_str(views, op):
    @views.target.overload(op)
    def both(a, b):
        one, other = _is(a, "str", views), _is(b, "str", views)
        unicode = views.target.types.UnicodeType | views.target.types.StringLiteral
        if one and (other or isinstance(b, unicode)):
            return (lambda a, b: op(str(a), str(b))) if other else (lambda a, b: op(str(a), b))
        if other and isinstance(a, unicode):
            return lambda a, b: op(a, str(b))
