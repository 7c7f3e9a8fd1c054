// Importing Arrow's lists, records and tables.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "interop/arrow/importer.h"
#include "serrate/error.h"

namespace serrate::interop::arrow {

using graph::apply;
using graph::ColumnRef;
using graph::constant;
using graph::NodeRef;
using graph::SpaceRef;

namespace {

alignas(8) constexpr int64_t kNoLists[2] = {0, 0};

DType offset_type(const Field& f) { return f.width == 8 ? DType::int64 : DType::int32; }

template <class T>
void check_offsets(const Field& f, const T* o, int64_t n, int64_t most) {
  // The signs of all offsets, which are not negative, and of their differences, which do not
  // overflow then: in vectors, which have no comparison of 64 bits on older processors.
  using U = std::make_unsigned_t<T>;
  U signs = static_cast<U>(o[0]);
  for (int64_t i = 0; i < n; ++i) {
    const auto next = static_cast<U>(o[i + 1]);
    signs |= next | (next - static_cast<U>(o[i]));
  }
  const bool bad = static_cast<T>(signs) < 0;
  check<ValueError>(o[0] >= 0, "from_arrow: offsets of {} start at {}", f, o[0]);
  if (bad) {
    int64_t i = 0;
    while (o[i + 1] >= o[i]) ++i;
    throw ValueError(
        fmt::format("from_arrow: offsets of {} decrease at {}: {}, {}", f, i, o[i], o[i + 1]));
  }
  check<ValueError>(o[n] <= most, "from_arrow: offsets of {} end at {}, but there are {} items", f,
                    o[n], most);
}

}  // namespace

Importer::Offsets Importer::offsets(const Field& f, const Items& x, int64_t most) const {
  if (x.n == 0) {
    const Buffer none(kNoLists, 2 * f.width, nullptr);
    return {placed(none), 0, 0};
  }
  Offsets o{memory(f, x, 1, x.begin(), x.n + 1, f.width, f.width)};
  const Buffer host = graph::to_host(o.buffer);
  const auto look = [&](const auto* p) {
    check_offsets(f, p, x.n, most);
    o.first = p[0];
    o.last = p[x.n];
  };
  f.width == 8 ? look(host.as<int64_t>()) : look(host.as<int32_t>());
  return o;
}

NodeRef Importer::list(const Field& f, const Items& x) const {
  const ArrowArray* items = x.child(0);
  const Offsets o = offsets(f, x, items == nullptr ? 0 : items->length);
  const SpaceRef child = graph::stored_list(x.s, o.buffer, offset_type(f));
  return graph::list_node(child, build(f.children[0], {items, 0, o.last, child}), -1,
                          parameters_of(f));
}

NodeRef Importer::list_view(const Field& f, const Items& x) const {
  const DType t = offset_type(f);
  const Buffer starts = memory(f, x, 1, t), sizes = memory(f, x, 2, t);
  const ArrowArray* items = x.child(0);
  int64_t last = 0;
  const Buffer host_starts = graph::to_host(starts), host_sizes = graph::to_host(sizes);
  const auto look = [&](const auto* a, const auto* size) {
    for (int64_t i = 0; i < x.n; ++i) {
      if (size[i] == 0) continue;  // an empty list may point anywhere
      const bool ok =
          a[i] >= 0 && size[i] > 0 && items->length >= size[i] && a[i] <= items->length - size[i];
      check<ValueError>(ok, "from_arrow: list {} of {} has {} items from {} on, there are {}", i, f,
                        size[i], a[i], items->length);
      last = std::max(last, static_cast<int64_t>(a[i]) + size[i]);
    }
  };
  t == DType::int64 ? look(host_starts.as<int64_t>(), host_sizes.as<int64_t>())
                    : look(host_starts.as<int32_t>(), host_sizes.as<int32_t>());
  const auto column = [&](const Buffer& b) {
    return graph::cast(graph::stored_column(b, t, x.s), DType::int64);
  };
  const ColumnRef from = column(starts);
  const SpaceRef child = graph::list(x.s, from, apply(Op::add, {from, column(sizes)}));
  return graph::list_node(child, build(f.children[0], {items, 0, last, child}), -1,
                          parameters_of(f));
}

std::vector<int64_t> tensor_shape(const Field& f) {
  if (f.extension() != "arrow.fixed_shape_tensor" || f.kind != Kind::fixed_list) return {};
  const auto j = nlohmann::json::parse(f.meta("ARROW:extension:metadata"), nullptr, false);
  if (!j.is_object() || !j.contains("shape") || !j["shape"].is_array()) return {};
  std::vector<int64_t> shape;
  int64_t items = 1;
  for (const auto& n : j["shape"]) {
    const bool ok = n.is_number_integer() && n.get<int64_t>() >= 0 && n.get<int64_t>() <= f.width;
    if (!ok || __builtin_mul_overflow(items, n.get<int64_t>(), &items)) return {};
    shape.push_back(n.get<int64_t>());
  }
  if (items != f.width || shape.empty() || shape.size() > 64) return {};
  if (j.contains("permutation")) {
    const auto& p = j["permutation"];
    if (!p.is_array() || p.size() != shape.size()) return {};
    for (size_t i = 0; i < shape.size(); ++i) {
      if (p[i] != static_cast<int64_t>(i)) return {};
    }
  }
  return shape;
}

NodeRef Importer::fixed_list(const Field& f, const Items& x) const {
  const std::vector<int64_t> shape = tensor_shape(f);
  const std::vector<int64_t> sizes = shape.empty() ? std::vector<int64_t>{f.width} : shape;
  std::vector<SpaceRef> levels;
  SpaceRef s = x.s;
  for (const int64_t size : sizes) levels.push_back(s = graph::stored_fixed(s, size));
  const Items inner{x.child(0), graph::items_of(x.begin(), f.width), graph::items_of(x.n, f.width),
                    s};
  NodeRef out = build(f.children[0], inner);
  for (size_t i = levels.size(); i-- > 0;)
    out = graph::list_node(levels[i], out, sizes[i], i == 0 ? parameters_of(f) : Parameters{});
  return out;
}

std::vector<std::string> different_names(const Field& f) {
  std::vector<std::string> names;
  names.reserve(f.children.size());
  for (const Field& c : f.children) names.push_back(c.name);
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return names;
  const std::set<std::string> taken(names.begin(), names.end());
  std::set<std::string> used;
  for (std::string& name : names) {
    std::string other = name;
    for (int i = 1; used.contains(other) || (i > 1 && taken.contains(other)); ++i)
      other = fmt::format("{}_{}", name, i);
    used.insert(other);
    name = other;
  }
  return names;
}

NodeRef Importer::record(const Field& f, const Items& x, bool is_tuple) const {
  std::vector<NodeRef> contents;
  for (size_t i = 0; i < f.children.size(); ++i)
    contents.push_back(
        build(f.children[i], {x.child(static_cast<int64_t>(i)), x.begin(), x.n, x.s}));
  Parameters p = parameters_of(f);
  if (is_tuple) return graph::tuple_node(std::move(contents), std::move(p));
  return graph::record_node(different_names(f), std::move(contents), std::move(p));
}

// Awkward's tables say of records that may be missing nothing but that each of their fields is.
NodeRef Importer::table(const Field& f, const Items& x, const AwkwardTable& t) const {
  ColumnRef some;
  bool all = f.children.empty();
  std::vector<NodeRef> contents;
  for (size_t i = 0; i < f.children.size(); ++i) {
    NodeRef c = build(f.children[i], {x.child(static_cast<int64_t>(i)), x.begin(), x.n, x.s});
    const auto& kept = t.optional_fields;
    if (t.option && std::find(kept.begin(), kept.end(), f.children[i].name) == kept.end()) {
      if (c->kind == graph::NodeKind::option && c->contents[0]->kind != graph::NodeKind::unknown) {
        some = some ? apply(Op::logical_or, {some, c->column}) : c->column;
        c = c->contents[0];
      } else {
        all = true;
      }
    } else if (t.option) {
      if (c->kind == graph::NodeKind::option)
        some = some ? apply(Op::logical_or, {some, c->column}) : c->column;
      else
        all = true;
    }
    contents.push_back(c);
  }
  const NodeRef records = graph::record_node(different_names(f), std::move(contents), t.record);
  if (!t.option) return records;
  return graph::option_node(some && !all ? some : constant(Scalar::boolean(true)), records);
}

}  // namespace serrate::interop::arrow
