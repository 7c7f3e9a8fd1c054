// Importing Arrow's arrays: what holds for all of them, and memory.
#include "interop/arrow/importer.h"

#include <algorithm>

#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "interop/foreign.h"
#include "interop/snapshot.h"
#include "serrate/error.h"

namespace serrate::interop::arrow {

using graph::ColumnRef;
using graph::NodeRef;
using graph::SpaceRef;

namespace {

alignas(64) constexpr int64_t kZeros[8] = {};

int64_t expected_buffers(const Field& f) {
  switch (f.kind) {
    case Kind::null:
    case Kind::run_ends:
      return 0;
    case Kind::record:
    case Kind::fixed_list:
    case Kind::sparse_union:
      return 1;
    case Kind::text:
    case Kind::text_view:  // and more
    case Kind::list_view:
      return 3;
    default:
      return 2;
  }
}

bool has_validity(const Field& f) {
  return f.kind != Kind::null && f.kind != Kind::run_ends && f.kind != Kind::dense_union &&
         f.kind != Kind::sparse_union;
}

/// Unions have had no validity since format 1.0; pyarrow up to 25 hands on one that is null for
/// those of extension types.
bool has_null_validity(const Field& f, const ArrowArray& a) {
  return (f.kind == Kind::dense_union || f.kind == Kind::sparse_union) && a.buffers != nullptr &&
         a.n_buffers == expected_buffers(f) + 1 && a.buffers[0] == nullptr;
}

NodeRef with_parameters(const NodeRef& n, const Parameters& p) {
  if (p.empty()) return n;
  auto* copy = new graph::Node(*n);
  const NodeRef out(copy);
  for (const auto& [key, json] : p) {
    std::erase_if(copy->parameters, [&k = key](const auto& kv) { return kv.first == k; });
    copy->parameters.emplace_back(key, json);
  }
  return out;
}

Parameters without(Parameters p, std::string_view key) {
  std::erase_if(p, [&](const auto& kv) { return kv.first == key; });
  return p;
}

}  // namespace

void Importer::check_array(const Field& f, const Items& x) {
  if (x.array == nullptr) return;
  const ArrowArray& a = *x.array;
  check<ValueError>(a.release != nullptr, "from_arrow: the array of {} is released", f);
  check<ValueError>(a.length >= 0 && a.length <= graph::kMaxItems && a.offset >= 0 &&
                        a.offset <= graph::kMaxItems,
                    "from_arrow: {} has length {} and offset {}", f, a.length, a.offset);
  check<ValueError>(x.n <= a.length && x.first <= a.length - x.n,
                    "from_arrow: {} has {} items, but {} are needed", f, a.length, x.first + x.n);
  const int64_t buffers = expected_buffers(f);
  const bool ok = f.kind == Kind::text_view ? a.n_buffers >= buffers && a.n_buffers < INT32_MAX
                  : f.kind == Kind::null    ? a.n_buffers == 0 || a.n_buffers == 1
                                            : a.n_buffers == buffers || has_null_validity(f, a);
  check<ValueError>(ok && (a.n_buffers == 0 || a.buffers != nullptr),
                    "from_arrow: {} has {} buffers, expected {}", f, a.n_buffers, buffers);
  const auto children = static_cast<int64_t>(f.children.size());
  check<ValueError>(a.n_children == children && (children == 0 || a.children != nullptr),
                    "from_arrow: {} has {} arrays of children, expected {}", f, a.n_children,
                    children);
  for (int64_t i = 0; i < children; ++i)
    check<ValueError>(a.children[i] != nullptr, "from_arrow: the array of child {} of {} is null",
                      i, f);
  check<ValueError>((a.dictionary != nullptr) == !f.dictionary.empty(),
                    "from_arrow: {} has {} dictionary", f,
                    a.dictionary != nullptr ? "an unexpected" : "no");
}

// -- memory ---------------------------------------------------------------------------------------

Buffer Importer::nothing() const { return Buffer(kZeros, 0, nullptr, source_.device); }
Buffer Importer::placed(const Buffer& b) const { return graph::to_device(b, source_.device); }

Buffer Importer::memory(const Field& f, const Items& x, int64_t buffer, int64_t first, int64_t n,
                        int64_t size, int64_t alignment) const {
  if (n == 0 || size == 0) return nothing();
  const int64_t before = has_null_validity(f, *x.array) ? 1 : 0;
  const auto* start = static_cast<const std::byte*>(x.array->buffers[before + buffer]);
  check<ValueError>(start != nullptr, "from_arrow: buffer {} of {} is null, but has {} items",
                    buffer, f, n);
  const int64_t skipped = graph::items_of(first, size), bytes = graph::items_of(n, size);
  const Buffer b(start + skipped, bytes, source_.owner, source_.device);
  const bool aligned =
      reinterpret_cast<uintptr_t>(b.data()) % static_cast<uintptr_t>(alignment) == 0;
  if (aligned && !source_.copy) return b;
  if (!on_host(b)) {
    const Buffer host = graph::to_host(b);
    return placed(host);
  }
  return snapshot(b);
}

ColumnRef Importer::bits(const Field& f, const Items& x, int64_t buffer) const {
  using graph::apply;
  using graph::constant;
  const int64_t begin = x.begin(), shift = begin & 7;
  const Buffer b = memory(f, x, buffer, begin >> 3, (shift + x.n + 7) >> 3, 1, 1);
  ColumnRef i = graph::position(x.s);
  if (shift != 0) i = apply(Op::add, {i, constant(shift)});
  const ColumnRef byte =
      graph::load(b, DType::uint8, apply(Op::right_shift, {i, constant(int64_t{3})}));
  const ColumnRef bit =
      graph::cast(apply(Op::bitwise_and, {i, constant(int64_t{7})}), DType::uint8);
  const ColumnRef one = constant(Scalar::of(int64_t{1}, DType::uint8));
  return apply(Op::not_equal, {apply(Op::bitwise_and, {apply(Op::right_shift, {byte, bit}), one}),
                               constant(Scalar::of(int64_t{0}, DType::uint8))});
}

ColumnRef Importer::validity(const Field& f, const Items& x) const {
  if (x.array == nullptr || !has_validity(f)) return {};
  const ArrowArray& a = *x.array;
  if (a.null_count == 0) return {};
  if (a.buffers[0] == nullptr) {
    check<ValueError>(a.null_count < 0,
                      "from_arrow: {} has {} missing items, and no bits to say which", f,
                      a.null_count);
    return {};
  }
  if (x.n == 0) return graph::constant(Scalar::boolean(true));
  return bits(f, x, 0);
}

// -- fields ---------------------------------------------------------------------------------------

NodeRef Importer::optional(const Field& f, const ColumnRef& valid, const NodeRef& content,
                           const std::optional<AwkwardNode>& ak, Place place) const {
  // Bits of these are those of the records around them.
  if (f.meta("option_type") == "False") return content;
  const bool top = place == Place::top;
  const bool says_so = ak && !ak->mask_type.empty() && ak->mask_type != "IndexedArray";
  if (!valid && (top ? !says_so : !f.nullable)) return content;
  if (top && ak && !says_so) return content;
  const NodeRef n =
      graph::option_node(valid ? valid : graph::constant(Scalar::boolean(true)), content);
  return ak ? with_parameters(n, without(ak->mask_parameters, "__array__")) : n;
}

NodeRef Importer::value(const Field& f, const Items& x,
                        const std::optional<AwkwardNode>& ak) const {
  switch (f.kind) {
    case Kind::null:
      return graph::unknown_node();
    case Kind::boolean:
      return graph::leaf(
          x.n == 0 ? graph::stored_column(nothing(), DType::boolean, x.s) : bits(f, x, 1), {},
          parameters_of(f));
    case Kind::number:
      return number(f, x);
    case Kind::decimal:
      return decimal(f, x);
    case Kind::interval:
      return interval(f, x);
    case Kind::text:
      return text(f, x);
    case Kind::text_view:
      return text_view(f, x);
    case Kind::fixed_bytes:
      return fixed_bytes(f, x);
    case Kind::list:
      return list(f, x);
    case Kind::list_view:
      return list_view(f, x);
    case Kind::fixed_list:
      return fixed_list(f, x);
    case Kind::record:
      return record(f, x, ak && ak->is_tuple);
    case Kind::dense_union:
    case Kind::sparse_union:
      return union_of(f, x);
    case Kind::run_ends:
      return run_ends(f, x);
  }
  return graph::unknown_node();
}

NodeRef Importer::build(const Field& f, const Items& x, Place place) const {
  check_array(f, x);
  std::optional<AwkwardNode> ak;
  if (f.extension() == "awkward") ak = read_awkward(f.meta("ARROW:extension:metadata"));
  if (f.kind == Kind::null) {
    if (ak && ak->never_missing) return graph::unknown_node();
    const NodeRef n =
        graph::option_node(graph::constant(Scalar::boolean(false)), graph::unknown_node());
    return ak ? with_parameters(n, ak->mask_parameters) : n;
  }
  if (place == Place::top && f.kind == Kind::record) {
    if (const auto t = read_awkward_table(f.meta("ak:parameters"))) return table(f, x, *t);
    // A table of one column without a name is that column.
    if (!ak && f.children.size() == 1 && f.children[0].name.empty())
      return build(f.children[0], {x.child(0), x.begin(), x.n, x.s});
  }
  const ColumnRef valid = validity(f, x);
  if (!f.dictionary.empty()) {
    NodeRef n = dictionary(f, x, valid);
    if (ak) n = with_parameters(n, without(ak->node_parameters, "__array__"));
    return optional(f, valid, n, ak, place);
  }
  NodeRef n = value(f, x, ak);
  if (ak) n = with_parameters(n, ak->node_parameters);
  return optional(f, valid, n, ak, place);
}

NodeRef Importer::root(const Field& f, const ArrowArray* a) const {
  const int64_t n = a == nullptr ? 0 : a->length;
  check<ValueError>(n >= 0 && n <= graph::kMaxItems, "from_arrow: {} has length {}", f, n);
  const SpaceRef rows = graph::rows(n);
  NodeRef out = graph::list_node(rows, build(f, {a, 0, n, rows}, Place::top));
  // What has no type is refused here: options add levels.
  if (f.levels > kMaxTypeDepth / 4) graph::type_of(*out);
  return out;
}

}  // namespace serrate::interop::arrow
