// values_astype, and constants in the shape of an array: full_like, zeros_like, ones_like.
#include <fmt/format.h>

#include <cstdlib>

#include "core/lazy_text.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/tree/categories.h"
#include "ops/tree/input.h"
#include "ops/tree/units.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// Times and differences are each other's numbers, in whatever unit: as in NumPy.
ColumnRef as_time(const Node& n, DType to, const std::string& unit) {
  const DType t = n.column->dtype;
  if (t == to && n.unit != unit) return convert_unit(n.column, n.unit, unit);
  return is_time(t) && t != to ? cast(cast(n.column, DType::int64), to) : cast(n.column, to);
}

std::string text_of(const Scalar& v) {
  if (v.dtype == DType::boolean) return v.i ? "True" : "False";
  if (is_unsigned_integer(v.dtype)) return std::to_string(v.u);
  if (!is_floating(v.dtype)) return std::to_string(v.i);
  const std::string text = fmt::format("{}", v.f);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

/// Text in place of the strings, or of the bytestrings, of `like`.
NodeRef constant_text(const SpaceRef& space, const Node& like, std::string_view text) {
  const NodeRef s = constant_string(space, text, NodeRef(&like));
  return list_node(s->space, leaf(s->contents[0]->column, {}, like.contents[0]->parameters), -1,
                   like.parameters);
}

/// What a value is in the place of numbers, and of texts.
struct Fill {
  std::optional<Scalar> number;
  std::string text, unit;
};

/// As NumPy casts text: any but the empty one is true.
Scalar number_in(const std::string& text, DType t) {
  if (t == DType::boolean) return Scalar::boolean(!text.empty());
  char* end = nullptr;
  const long long whole = std::strtoll(text.c_str(), &end, 10);
  const bool is_whole = !text.empty() && *end == 0;
  if (is_whole && !is_floating(t)) return Scalar::of(int64_t{whole});
  const double v = std::strtod(text.c_str(), &end);
  check<ValueError>(!text.empty() && *end == 0 && is_floating(t) && !is_time(t),
                    "full_like: the text '{}' is not a number of type {}", text, name(t));
  return Scalar::of(v);
}

Array filled(const Array& x, const Fill& fill, const LikeOptions& o) {
  return Array(map_categories(unit(), input(x), [&](const SpaceRef& space, const NodeRef& n) {
    if (n->kind == NodeKind::unknown) {
      if (!o.dtype || !o.including_unknown) return n;
      return leaf(constant(Scalar::of(int64_t{0}).as(*o.dtype)));
    }
    if (is_string(*n) && !o.dtype) return constant_text(space, *n, fill.text);
    const DType t = o.dtype.value_or(is_string(*n) ? DType::int64 : n->column->dtype);
    const Scalar number = fill.number ? *fill.number : number_in(fill.text, t);
    std::string unit = n->unit;
    if (is_time(t) && is_time(number.dtype) && !fill.unit.empty()) unit = fill.unit;
    return leaf(constant(number.as(t)), is_time(t) ? unit : "",
                is_string(*n) ? Parameters{} : n->parameters);
  }));
}

Fill fill_of(const Array& value) {
  const NodeRef n = evaluate_on_host(value.node());
  if (n->kind == NodeKind::leaf) {
    const Scalar v = value.item_scalar();
    return {v, text_of(v), n->unit};
  }
  check<TypeError>(is_string(*n), "full_like: expected a number or text, got {}", type_text(*n));
  const int64_t begin = stored_offset(n->space, 0), end = stored_offset(n->space, 1);
  const auto* text = static_cast<const char*>(stored_data(n->contents[0]->column));
  return {{}, std::string(text + begin, text + end), ""};
}

}  // namespace

Array values_astype(const Array& x, DType to, const std::string& unit, bool including_unknown) {
  const graph::Operation operation;
  return Array(map_categories(graph::unit(), input(x), [&](const SpaceRef&, const NodeRef& n) {
    if (n->kind == NodeKind::unknown && including_unknown)
      return leaf(constant(Scalar::of(int64_t{0}).as(to)), unit);
    if (n->kind != NodeKind::leaf) return n;
    if (!is_time(to)) return leaf(cast(n->column, to), "", n->parameters);
    const std::string u = unit.empty() ? n->unit : unit;
    return leaf(as_time(*n, to, u), u, n->parameters);
  }));
}

namespace {

/// The values of an array, repeated as NumPy would.
Array full_of(const Array& x, const Array& values, LikeOptions o) {
  Type t = x.type();
  while (t.is(Type::Kind::array) || t.is(Type::Kind::regular)) t = t.content();
  check<ValueError>(t.is(Type::Kind::number),
                    "full_like: an array of values fits numbers in regular lists only, got {}",
                    lazily([&] { return x.type().str(); }));
  const Array repeated = broadcast_arrays({x, values}, {})[1];
  return values_astype(repeated, o.dtype.value_or(t.dtype()), std::string(t.unit()));
}

}  // namespace

Array full_like(const Array& x, const Array& value, LikeOptions o) {
  const graph::Operation operation;
  if (is_list(*value.node())) return full_of(x, value, o);
  return filled(x, fill_of(value), o);
}
Array zeros_like(const Array& x, LikeOptions o) {
  const graph::Operation operation;
  return filled(x, {Scalar::of(int64_t{0}), "", ""}, o);
}
Array ones_like(const Array& x, LikeOptions o) {
  const graph::Operation operation;
  return filled(x, {Scalar::of(int64_t{1}), "1", ""}, o);
}

}  // namespace serrate
