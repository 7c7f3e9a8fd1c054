# Random arrays of pyarrow of all types, and what serrate's lists of their values are.
import datetime
import decimal

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

NUMBERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
NUMBERS += ["float16", "float32", "float64"]
FLAT = [
    pa.null(),
    pa.bool_(),
    *(pa.type_for_alias(name) for name in NUMBERS),
    pa.date32(),
    pa.timestamp("s"),
    pa.timestamp("us"),
    pa.timestamp("ms", "Europe/Paris"),
    pa.duration("ms"),
    pa.time32("s"),
    pa.time64("us"),
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
    pa.binary(3),
    pa.decimal32(9, 2),
    pa.decimal64(15, 4),
    pa.decimal128(12, 3),
    pa.decimal256(15, 1),
    pa.month_day_nano_interval(),
]


def value(t):
    """A Python value of this type, as pyarrow takes it."""
    if pa.types.is_null(t):
        return st.none()
    if pa.types.is_boolean(t):
        return st.booleans()
    if pa.types.is_integer(t):
        low, high = np.iinfo(t.to_pandas_dtype()).min, np.iinfo(t.to_pandas_dtype()).max
        return st.integers(int(low), int(high))
    if pa.types.is_float16(t):
        return st.integers(-100, 100).map(np.float16)
    if pa.types.is_floating(t):
        return st.floats(allow_nan=False, width=32)
    if pa.types.is_date(t):
        return st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1))
    if pa.types.is_time(t):
        return st.integers(0, 86399).map(lambda s: (datetime.datetime.min + S * s).time())
    if pa.types.is_timestamp(t) or pa.types.is_duration(t):
        return st.integers(-(10**9), 10**9)
    if pa.types.is_decimal(t):
        most = 10 ** (t.precision - 1)
        return st.integers(-most, most).map(lambda i: decimal.Decimal(i).scaleb(-t.scale))
    if t == pa.month_day_nano_interval():
        return st.tuples(*[st.integers(-1000, 1000)] * 3)
    if pa.types.is_fixed_size_binary(t):
        return st.binary(min_size=t.byte_width, max_size=t.byte_width)
    if pa.types.is_string(t) or pa.types.is_large_string(t) or t == pa.string_view():
        return st.text(max_size=20)
    if pa.types.is_map(t):
        pairs = st.tuples(st.text(max_size=4), value(t.item_type) | st.none())
        return st.lists(pairs, max_size=3)
    if pa.types.is_fixed_size_list(t):
        return st.lists(optional(t.value_type), min_size=t.list_size, max_size=t.list_size)
    if pa.types.is_struct(t):
        return st.fixed_dictionaries({f.name: optional(f.type) for f in t})
    if pa.types.is_nested(t):
        return st.lists(optional(t.value_type), max_size=4)
    return st.binary(max_size=20)


S = datetime.timedelta(seconds=1)


def optional(t):
    return value(t) | st.none()


NESTED = st.recursive(
    st.sampled_from(FLAT),
    lambda inner: (
        inner.map(pa.list_)
        | inner.map(pa.large_list)
        | inner.map(pa.list_view)
        | inner.map(lambda t: pa.list_(t, 2))
        | inner.map(lambda t: pa.map_(pa.string(), t))
        | st.tuples(inner, inner).map(lambda t: pa.struct({"x": t[0], "y": t[1]}))
    ),
    max_leaves=4,
)


@st.composite
def encoded(draw, array):
    """The array, or the same as a dictionary or as runs, where that can be."""
    t = array.type
    if pa.types.is_nested(t) or pa.types.is_null(t) or t == pa.month_day_nano_interval():
        return array
    how = draw(st.sampled_from(["plain", "plain", "dictionary", "runs"]))
    if how == "plain" or t in (pa.string_view(), pa.binary_view()) or pa.types.is_float16(t):
        return array
    plain = pa.types.is_integer(t) or pa.types.is_string(t) or pa.types.is_floating(t)
    if how == "dictionary" and plain:
        index = draw(st.sampled_from(NUMBERS[:8]))
        made = array.dictionary_encode()
        return pa.DictionaryArray.from_arrays(made.indices.cast(index), made.dictionary)
    if how == "runs" and len(array):
        ends = np.cumsum(draw(st.lists(st.integers(1, 3), min_size=len(array), max_size=40)))
        ends = pa.array(ends[: len(array)], draw(st.sampled_from(["int16", "int32", "int64"])))
        return pa.RunEndEncodedArray.from_arrays(ends, array)
    return array


@st.composite
def unions(draw):
    types = draw(st.lists(st.sampled_from([pa.int64(), pa.string(), pa.list_(pa.bool_())]),
                          min_size=2, max_size=3, unique=True))  # fmt: skip
    codes = draw(st.permutations(range(0, 120, 7)))[: len(types)]
    kinds = draw(st.lists(st.integers(0, len(types) - 1), max_size=12))
    tags = pa.array([codes[k] for k in kinds], pa.int8())
    names = [f"f{i}" for i in range(len(types))]
    if draw(st.booleans()):
        children = [pa.array([draw(optional(t)) for _ in kinds], t) for t in types]
        return pa.UnionArray.from_sparse(tags, children, names, list(codes))
    children = [pa.array([draw(optional(t)) for _ in range(kinds.count(i))], t)
                for i, t in enumerate(types)]  # fmt: skip
    seen = [0] * len(types)
    places = []
    for k in kinds:
        places.append(seen[k])
        seen[k] += 1
    return pa.UnionArray.from_dense(
        tags, pa.array(places, pa.int32()), children, names, list(codes)
    )


@st.composite
def arrays(draw):
    """An array of any type, cut out of a longer one."""
    if draw(st.integers(0, 7)) == 0:
        a = draw(unions())
    else:
        t = draw(NESTED)
        a = draw(encoded(pa.array(draw(st.lists(optional(t), max_size=30)), t)))
    begin = draw(st.integers(0, len(a)))
    return a.slice(begin, draw(st.integers(0, len(a) - begin)))


def values(a):
    """The list that serrate makes of this array, by pyarrow's own reading of it."""
    return [plain(x, a.type) for x in _scalars(a)]


def _scalars(a):
    if pa.types.is_run_end_encoded(a.type):
        return [x.value for x in a] if len(a) else []
    return list(a)


def plain(x, t):
    """A scalar of pyarrow as serrate's to_list gives it."""
    if isinstance(t, pa.BaseExtensionType):
        return plain(x.value, t.storage_type) if x.is_valid else None
    if pa.types.is_run_end_encoded(t):
        return plain(x, t.value_type)
    if pa.types.is_union(t):
        return plain(x.value, x.value.type) if x.value is not None else None
    if not x.is_valid:
        return None
    if pa.types.is_dictionary(t):
        return plain(x.value, t.value_type) if x.value is not None else None
    if pa.types.is_map(t):
        return [{"key": k, "value": _again(v, t.item_type)} for k, v in x.as_py()]
    if pa.types.is_struct(t):
        return dict(zip(names(t), [plain(x[i], f.type) for i, f in enumerate(t)], strict=True))
    if pa.types.is_nested(t):
        return [plain(item, t.value_type) for item in x.values]
    if pa.types.is_decimal(t):
        return float(x.as_py())
    if pa.types.is_time(t) or pa.types.is_timestamp(t) or t == pa.date64():
        number = x.cast(pa.int32() if pa.types.is_time32(t) else pa.int64()).as_py()
        return np.datetime64(number, getattr(t, "unit", "ms"))
    if pa.types.is_duration(t):
        return np.timedelta64(x.cast(pa.int64()).as_py(), t.unit)
    if pa.types.is_date(t):
        return np.datetime64(x.as_py(), "D")
    if t == pa.month_day_nano_interval():
        return dict(zip(("months", "days", "nanoseconds"), x.as_py(), strict=True))
    return x.as_py()


def names(fields):
    """Names of fields, equal ones as serrate tells them apart."""
    out = []
    for f in fields:
        same = [f.name, *(f"{f.name}_{i}" for i in range(1, len(out) + 1))]
        out.append(next(name for name in same if name not in out))
    return out


def _again(v, t):
    return plain(pa.scalar(v, t), t)


def listed(x):
    """The values of a serrate array, times as NumPy's."""
    return _as_numpy(x.layout)


def _as_numpy(layout):
    import serrate as ak

    if layout.is_option:
        inner = _as_numpy(layout.content) if not layout.is_indexed else None
        if inner is None:
            return ak.to_list(ak.Array(layout))
        valid = layout.mask_as_bool(valid_when=True)
        return [v if ok else None for v, ok in zip(inner, valid, strict=False)]
    if layout.is_numpy and layout.parameter("__array__") is None:
        data = np.asarray(layout.data)
        return list(data) if data.dtype.kind in "mM" else data.tolist()
    if layout.is_record:
        columns = [_as_numpy(c[: len(layout)]) for c in layout.contents]
        if not columns:
            return [{}] * len(layout)
        return [dict(zip(layout.fields, row, strict=True)) for row in zip(*columns, strict=True)]
    if layout.is_list and layout.parameter("__array__") is None:
        items = _as_numpy(layout.content)
        return [items[a:b] for a, b in zip(layout.starts, layout.stops, strict=True)]
    return ak.to_list(ak.Array(layout))
