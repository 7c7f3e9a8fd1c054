// Functions on the values of arrays: their parts, rounding, types, categories.
#include "bind.h"
#include "context.h"
#include "core/host.h"
#include "interop/whole.h"
#include "operands.h"
#include "ops/input.h"
#include "ops/strings_astype.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

// Functions of one array and nothing else.
// Options are given by name, but where NumPy has a function of this name.
template <class... By>
void bind_one(nb::module_& m, const char* name, const char* argument, Array (*f)(const Array&),
              const char* doc, By... by_name) {
  def(
      m, name, [name, f](nb::handle array) { return f(as_array(array, name)); }, nb::arg(argument),
      by_name..., doc);
}

Array from_parts(const Buffers& b) {
  return interop::from_whole_buffers(b.form_json, b.length, [&](const std::string& key) {
    for (const auto& [name, buffer] : b.buffers) {
      if (name == key) return buffer;
    }
    return Buffer();
  });
}

Array packed(const Array& x) {
  if (x.is_scalar() || !is_host(x.device())) return x.evaluate();
  return from_parts(to_buffers(x));
}

// With buffers that nobody else writes to.
Array copied(const Array& x) {
  const bool record = x.node()->kind == graph::NodeKind::record;
  if ((x.is_scalar() && !record) || !is_host(x.device())) return x.evaluate();
  Buffers b = to_buffers(record ? rows_of_one(x) : x);
  for (auto& [name, buffer] : b.buffers) buffer = Buffer::copy_of(buffer.data(), buffer.bytes());
  const Array all = from_parts(b);
  return record ? serrate::getitem(all, {int64_t{0}}) : all;
}

// As NumPy's, whose angle of a boolean is that of an integer.
Array angles(const Array& x, bool degrees) {
  using namespace graph;
  const auto map = [](const Array& a, auto&& f) {
    return Array(ops::map_leaves(unit(), a.node(), [&](const SpaceRef&, const NodeRef& n) {
      return n->kind == NodeKind::leaf ? leaf(f(n->column)) : n;
    }));
  };
  const Array out = angle(map(x, [](const ColumnRef& c) {
    return c->dtype == DType::boolean ? cast(c, DType::int64) : c;
  }));
  if (!degrees) return out;
  return map(out, [](const ColumnRef& c) { return apply(Op::rad2deg, {c}); });
}

Type as_type(nb::handle type) {
  if (nb::isinstance<Type>(type)) return nb::cast<Type>(type);
  check<TypeError>(PyUnicode_Check(type.ptr()), "enforce_type: expected a type or its text");
  return parse_type(std::string(text_in(type)), false);
}

void bind_numbers(nb::module_& m) {
  bind_one(m, "real", "array", real,
           "Real parts.\n\n>>> real([1 + 2j])\n<Array [1] type='1 * float64'>");
  bind_one(m, "imag", "val", imag,
           "Imaginary parts.\n\n>>> imag([1 + 2j])\n<Array [2] type='1 * float64'>");
  def(
      m, "angle", [](nb::handle val, Truth deg) { return angles(as_array(val, "angle"), deg); },
      "val"_a, "deg"_a = false,
      "Angles of complex numbers, in radians or degrees.\n\n>>> angle([1j], deg=True)\n<Array [90] "
      "type='1 * float64'>");
  def(
      m, "round",
      [](nb::handle array, int decimals, nb::handle out) {
        check<TypeError>(out.is_none(), "round: out= is not supported");
        return round(as_array(array, "round"), decimals);
      },
      "array"_a, "decimals"_a = 0, "out"_a = nb::none(),
      "To this many decimals, halves to the even neighbour.\n\n>>> round([1.25, 2.5], 1)\n<Array "
      "[1.2, 2.5] type='2 * float64'>");
  def(
      m, "clip",
      [](nb::handle array, nb::handle min, nb::handle max) {
        const Beside beside(array, min, max);
        const std::optional<Array> lo = optional_array(min, "clip");
        const std::optional<Array> hi = optional_array(max, "clip");
        return clip(as_array(array, "clip"), lo ? &*lo : nullptr, hi ? &*hi : nullptr);
      },
      "array"_a, "min"_a = nb::none(), "max"_a = nb::none(),
      "Values below min as min, above max as max; None is no bound.\n\n>>> clip([[1, 5], [9]], 2, "
      "6)\n<Array [[2, 5], [6]] type='2 * var * int64'>");
  def(
      m, "isclose",
      [](nb::handle a, nb::handle b, double rtol, double atol, Truth equal_nan) {
        const auto [x, y] = as_operands("isclose", a, b);
        return at_least_one_row(
            isclose(x, y, {.rtol = rtol, .atol = atol, .equal_nan = equal_nan}));
      },
      "a"_a, "b"_a, "rtol"_a = 1e-5, "atol"_a = 1e-8, "equal_nan"_a = false, nb::kw_only(),
      "True where |a - b| <= atol + rtol |b|.\n\n>>> isclose([1.0, 2.0], [1.0 + 1e-9, "
      "2.1])\n<Array "
      "[True, False] type='2 * bool'>");
  def(
      m, "nan_to_num",
      [](nb::handle array, Truth, nb::handle nan, nb::handle posinf, nb::handle neginf) {
        const Beside beside(array);
        const std::optional<Array> high = optional_array(posinf, "nan_to_num");
        const std::optional<Array> low = optional_array(neginf, "nan_to_num");
        return at_least_one_row(nan_to_num(as_array(array, "nan_to_num"),
                                           as_array(nan, "nan_to_num"), high ? &*high : nullptr,
                                           low ? &*low : nullptr));
      },
      "array"_a, "copy"_a = true, "nan"_a = 0.0, "posinf"_a = nb::none(), "neginf"_a = nb::none(),
      nb::kw_only(),
      "Numbers in place of NaN and infinities.\n\n>>> nan_to_num([1, np.nan])\n<Array [1, 0] "
      "type='2 * float64'>");
  bind_one(m, "nan_to_none", "array", nan_to_none,
           "Missing in place of NaN.\n\n>>> nan_to_none([1, np.nan])\n<Array [1, None] type='2 * "
           "?float64'>",
           nb::kw_only());
}

void bind_types(nb::module_& m) {
  def(
      m, "strings_astype",
      [](nb::handle array, nb::handle to) {
        std::string unit;
        const DType t = dtype_of_numpy(to, &unit);
        return ops::strings_astype(as_array(array, "strings_astype"), t, unit);
      },
      "array"_a, "to"_a, nb::kw_only(),
      "Texts as numbers, or as times in NumPy's way of writing them.\n\n>>> strings_astype([\"1\", "
      "\"2.5\"], float)\n<Array [1, 2.5] type='2 * "
      "float64'>");
  def(
      m, "enforce_type",
      [](nb::handle array, nb::handle type) {
        return at_least_one_row(enforce_type(as_array(array, "enforce_type"), as_type(type)));
      },
      "array"_a, "type"_a, nb::kw_only(),
      "The array as a type that it can be converted to.\n\n>>> enforce_type([[1], []], \"var * "
      "?float32\")\n<Array [[1], []] type='2 * var * ?float32'>");
  m.def(
      "is_categorical",
      [](nb::handle array) { return is_categorical(as_array(array, "is_categorical")); }, "array"_a,
      "True if equal values are stored once.\n\n>>> is_categorical([\"a\", \"b\"])\nFalse");
  m.def(
      "categories",
      [](nb::handle array, Truth highlevel, nb::handle behavior, nb::handle attrs) -> nb::object {
        begin(highlevel, behavior, attrs);
        const std::optional<Array> c = categories(as_array(array, "categories"));
        if (Meta meta = current_meta(); meta.attrs.is_valid()) {
          set_axis_names(meta, nb::none());  // those of the array are not the categories'
          remember_only(meta, {});
        }
        return c ? wrap(*c) : nb::none();
      },
      "array"_a, "highlevel"_a = true, nb::kw_only(), "behavior"_a = nb::none(),
      "attrs"_a = nb::none(),
      "The distinct values of a categorical; None of anything else.\n\n>>> categories([1, 2])");
  bind_one(
      m, "from_categorical", "array", from_categorical,
      "A categorical as plain values.\n\n>>> from_categorical([\"a\"])\n<Array ['a'] type='1 * "
      "string'>",
      nb::kw_only());
}

}  // namespace

void bind_values(nb::module_& m) {
  bind_numbers(m);
  bind_types(m);
  bind_one(
      m, "to_packed", "array", packed,
      "The same values in the smallest buffers.\n\n>>> to_packed(Array([1, 2, 3])[1:])\n<Array "
      "[2, 3] type='2 * int64'>",
      nb::kw_only());
  bind_one(
      m, "materialize", "array", [](const Array& x) { return x.evaluate(); },
      "The array, computed.\n\n>>> materialize([1, 2])\n<Array [1, 2] type='2 * int64'>");
  m.def(
      "copy",
      [](nb::handle array) {
        begin(true, nb::none(), nb::none());
        const Array a = as_array(array, "copy");
        evaluate(a);
        return wrap(copied(a));
      },
      "array"_a,
      "The array as another object.\n\n>>> copy([1, 2])\n<Array [1, 2] type='2 * int64'>");
}

}  // namespace serrate::python
