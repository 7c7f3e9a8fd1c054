// Functions on the values of arrays: their parts, rounding, types, categories.
#include "common/context.h"
#include "common/operands.h"
#include "core/host.h"
#include "functions/bind.h"
#include "graph/absent.h"
#include "graph/evaluate.h"
#include "interop/whole.h"
#include "ops/elementwise/strings_astype.h"
#include "ops/tree/input.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

// Functions of one array and nothing else.
// Options are given by name, but where NumPy has a function of this name.
auto of_one_array(const char* name, Array (*f)(const Array&)) {
  return [name, f](nb::handle array) { return f(as_array(array, name)); };
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

// Numbers side by side, one by one or in regular lists, of which nothing else has to be copied;
// null for others.
graph::NodeRef copied_numbers(const graph::NodeRef& n, const graph::SpaceRef& over) {
  using namespace graph;
  if (n->kind == NodeKind::list && n->space->kind != SpaceKind::list) {
    const NodeRef content = copied_numbers(n->contents[0], n->space);
    return content ? list_node(n->space, content, n->size, n->parameters) : content;
  }
  if (n->kind != NodeKind::leaf || n->column->kind != ColumnKind::load) return {};
  const StoredExtent e = stored_extent(over);
  if (e.first != 0 || is_absent(n->column->buffer)) return {};
  const DType t = n->column->dtype;
  const Buffer items = Buffer::copy_of(n->column->buffer.data(), e.size * itemsize(t));
  return leaf(stored_column(items, t, over), n->unit, n->parameters);
}

// With buffers that nobody else writes to.
Array copied(const Array& x) {
  const bool record = x.node()->kind == graph::NodeKind::record;
  if ((x.is_scalar() && !record) || !is_host(x.device())) return x.evaluate();
  if (const auto numbers = copied_numbers(x.node(), graph::unit())) return Array(numbers);
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
  def_made<"real">(m, of_one_array, real);
  def_made<"imag">(m, of_one_array, imag);
  def<"angle">(m, [](nb::handle val, Truth deg) { return angles(as_array(val, "angle"), deg); });
  def<"round">(m, [](nb::handle array, int decimals, nb::handle out) {
    check<TypeError>(out.is_none(), "round: out= is not supported");
    return round(as_array(array, "round"), decimals);
  });
  def<"clip">(m, [](nb::handle array, nb::handle min, nb::handle max) {
    const Beside beside(array, min, max);
    const std::optional<Array> lo = optional_array(min, "clip");
    const std::optional<Array> hi = optional_array(max, "clip");
    return clip(as_array(array, "clip"), lo ? &*lo : nullptr, hi ? &*hi : nullptr);
  });
  def<"isclose">(m, [](nb::handle a, nb::handle b, double rtol, double atol, Truth equal_nan) {
    const auto [x, y] = as_operands("isclose", a, b);
    return at_least_one_row(isclose(x, y, {.rtol = rtol, .atol = atol, .equal_nan = equal_nan}));
  });
  def<"nan_to_num">(m, [](nb::handle array, Truth, nb::handle nan, nb::handle posinf,
                          nb::handle neginf) {
    const Beside beside(array);
    const std::optional<Array> high = optional_array(posinf, "nan_to_num");
    const std::optional<Array> low = optional_array(neginf, "nan_to_num");
    return at_least_one_row(nan_to_num(as_array(array, "nan_to_num"), as_array(nan, "nan_to_num"),
                                       high ? &*high : nullptr, low ? &*low : nullptr));
  });
  def_made<"nan_to_none">(m, of_one_array, nan_to_none);
}

void bind_types(nb::module_& m) {
  def<"strings_astype">(m, [](nb::handle array, nb::handle to) {
    std::string unit;
    const DType t = dtype_of_numpy(to, &unit);
    return ops::strings_astype(as_array(array, "strings_astype"), t, unit);
  });
  def<"enforce_type">(m, [](nb::handle array, nb::handle type) {
    return at_least_one_row(enforce_type(as_array(array, "enforce_type"), as_type(type)));
  });
  def<"is_categorical">(
      m, [](nb::handle array) { return is_categorical(as_array(array, "is_categorical")); });
  def<"categories">(
      m,
      [](nb::handle array, Truth highlevel, nb::handle behavior, nb::handle attrs) -> nb::object {
        begin(highlevel, behavior, attrs);
        const std::optional<Array> c = categories(as_array(array, "categories"));
        if (Meta meta = current_meta(); meta.attrs.is_valid()) {
          set_axis_names(meta, nb::none());  // those of the array are not the categories'
          remember_only(meta, {});
        }
        return c ? wrap(*c) : nb::none();
      });
  def_made<"from_categorical">(m, of_one_array, from_categorical);
}

}  // namespace

void bind_values(nb::module_& m) {
  bind_numbers(m);
  bind_types(m);
  def_made<"to_packed">(m, of_one_array, packed);
  def_made<"materialize">(m, of_one_array, [](const Array& x) { return x.evaluate(); });
  def<"copy">(m, [](nb::handle array) {
    begin(true, nb::none(), nb::none());
    const Array a = as_array(array, "copy");
    evaluate(a);
    return wrap(copied(a));
  });
}

}  // namespace serrate::python
