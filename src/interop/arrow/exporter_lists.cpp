// Exporting lists, records, unions and categories.
#include <cstring>

#include "graph/backend.h"
#include "graph/evaluate.h"
#include "interop/arrow/exporter.h"
#include "serrate/error.h"

namespace serrate::interop::arrow {

using graph::apply;
using graph::ColumnRef;
using graph::constant;
using graph::Node;
using graph::NodeKind;
using graph::NodeRef;
using graph::SpaceRef;

namespace {

int64_t offset_at(const ColumnRef& c, int64_t p) {
  const int64_t size = itemsize(c->dtype);
  const Buffer b = graph::to_host(c->buffer.slice(p * size, size));
  return c->dtype == DType::int32    ? *b.as<int32_t>()
         : c->dtype == DType::uint32 ? *b.as<uint32_t>()
                                     : *b.as<int64_t>();
}

ColumnRef less(const ColumnRef& c, int64_t base) {
  const ColumnRef wide = graph::cast(c, DType::int64);
  return base == 0 ? wide : apply(Op::subtract, {wide, constant(base)});
}

}  // namespace

Exporter::Lists Exporter::lists(const Part& p, bool to32) const {
  const SpaceRef& s = p.n.space;
  if (s->kind == graph::SpaceKind::fixed) {
    Lists l{{}, DType::int64, p.first * s->size, p.count * s->size};
    if (p.n.size >= 0) return l;
    // All of one length, but of a type that does not say so.
    void* made = nullptr;
    l.offsets = Buffer::allocate((p.count + 1) * 8, &made);
    for (int64_t i = 0; i <= p.count; ++i) static_cast<int64_t*>(made)[i] = i * s->size;
    l.offsets = placed(l.offsets);
    return l;
  }
  Lists l;
  if (p.count == 0) {
    if (p.n.size >= 0) return l;
    static constexpr int64_t zero = 0;
    l.type = to32 || s->starts->dtype == DType::int32 ? DType::int32 : DType::int64;
    l.offsets = placed(Buffer(&zero, itemsize(l.type), nullptr));
    return l;
  }
  const DType t = s->starts->dtype;
  l.first = offset_at(s->starts, p.first);
  l.items = offset_at(s->stops, p.first + p.count - 1) - l.first;
  if (p.n.size >= 0) return l;
  const bool narrow = t == DType::int32 || ((t == DType::uint32 || to32) && l.items < INT32_MAX);
  l.type = narrow ? DType::int32 : DType::int64;
  const int64_t size = itemsize(t);
  const Buffer &starts = s->starts->buffer, &stops = s->stops->buffer;
  const bool together = stops.data() == starts.data() + size && s->stops->dtype == t;
  const Buffer all = together ? Buffer(starts.data() + p.first * size, (p.count + 1) * size,
                                       starts.owner(), starts.device())
                              : Buffer();
  if (together && l.first == 0 && t == l.type) {
    l.offsets = all;
    return l;
  }
  if (together) {
    l.offsets = computed(all, t, p.count + 1, l.type, less, l.first);
    return l;
  }
  void* made = nullptr;
  const Buffer wide = Buffer::allocate((p.count + 1) * 8, &made);
  for (int64_t i = 0; i < p.count; ++i)
    static_cast<int64_t*>(made)[i] = offset_at(s->starts, p.first + i) - l.first;
  static_cast<int64_t*>(made)[p.count] = l.items;
  l.offsets = computed(placed(wide), DType::int64, p.count + 1, l.type, less, 0);
  return l;
}

Made Exporter::list(const Part& p) const {
  const Node& content = *p.n.contents[0];
  const Field* want =
      p.want != nullptr && p.want->children.size() == 1 ? &p.want->children[0] : nullptr;
  const bool is_wanted =
      p.want != nullptr && (p.want->kind == Kind::list || p.want->kind == Kind::list_view);
  if (p.n.size >= 0 && !is_wanted) {
    const Lists l = lists(p, false);
    Made m = begin(p, fmt::format("+w:{}", p.n.size), "RegularArray");
    m.children.push_back(make(content, l.first, l.items, want));
    m.children[0].name = "item";
    return m;
  }
  const auto map = o_.extensionarray ? std::optional<Field>() : arrow_parameter(p.n);
  const bool is_map = map && map->is_map && content.kind == NodeKind::record &&
                      content.contents.size() == 2 && !content.is_tuple &&
                      content.contents[0]->kind != NodeKind::option;
  Lists l = lists(p, is_map || (is_wanted ? p.want->width == 4 : o_.list_to32));
  if (l.offsets.data() == nullptr) {
    void* made = nullptr;
    const Buffer made_offsets = Buffer::allocate((p.count + 1) * 8, &made);
    for (int64_t i = 0; i <= p.count; ++i) static_cast<int64_t*>(made)[i] = i * p.n.size;
    l.offsets = placed(made_offsets);
  }
  const bool is_small = l.type == DType::int32;
  if (is_wanted && p.want->kind == Kind::list_view) {
    Made m = begin(p, is_small ? "+vl" : "+vL", "ListOffsetArray");
    const int64_t size = itemsize(l.type);
    const SpaceRef rows = graph::rows(p.count);
    m.buffers.push_back(l.offsets.slice(0, p.count * size));
    if (p.count == 0) {
      m.buffers.emplace_back();
    } else {
      const ColumnRef sizes = graph::cast(
          apply(Op::subtract, {graph::stored_column(l.offsets.slice(size), l.type, rows),
                               graph::stored_column(l.offsets, l.type, rows)}),
          l.type);
      const NodeRef out = graph::evaluate(graph::list_node(rows, graph::leaf(sizes)));
      m.buffers.push_back(items_of_column(out->contents[0]->column, 0, p.count));
    }
    m.children.push_back(make(content, l.first, l.items, want));
    m.children[0].name = "item";
    return m;
  }
  const bool as_map = is_map && is_small;
  Made m = begin(p, as_map ? "+m" : is_small ? "+l" : "+L", "ListOffsetArray");
  if (as_map && map->keys_sorted) m.flags |= ARROW_FLAG_MAP_KEYS_SORTED;
  m.buffers.push_back(l.offsets);
  m.children.push_back(make(content, l.first, l.items, want));
  m.children[0].name = as_map ? "entries" : "item";
  return m;
}

Made Exporter::record(const Part& p) const {
  const auto as = o_.extensionarray ? std::optional<Field>() : arrow_parameter(p.n);
  if (as && as->kind == Kind::interval && !p.n.is_tuple) {
    const std::vector<DType> types = as->width == 8
                                         ? std::vector{DType::int32, DType::int32}
                                         : std::vector{DType::int32, DType::int32, DType::int64};
    bool fits = p.n.contents.size() == types.size();
    for (size_t i = 0; fits && i < types.size(); ++i)
      fits = p.n.contents[i]->kind == NodeKind::leaf && p.n.contents[i]->column->dtype == types[i];
    if (fits) return interval(p, *as);
  }
  const bool wants = p.want != nullptr && p.want->kind == Kind::record;
  check<ValueError>(!wants || p.want->children.size() == p.n.contents.size(),
                    "to_arrow: a schema of {} fields is asked for, the records have {}",
                    wants ? p.want->children.size() : 0, p.n.contents.size());
  Made m = begin(p, "+s", "RecordArray");
  for (size_t i = 0; i < p.n.contents.size(); ++i) {
    const Node& c = *p.n.contents[i];
    m.children.push_back(make(c, p.first, p.count, wants ? &p.want->children[i] : nullptr));
    m.children[i].name = p.n.is_tuple ? fmt::format("{}", i) : (*p.n.fields)[i];
    const bool optional = c.kind == NodeKind::option || c.kind == NodeKind::unknown;
    if (o_.extensionarray)
      m.children[i].metadata.emplace_back("option_type", optional ? "True" : "False");
  }
  return m;
}

// Contents are as long as the union: item i of each of them is at place i.
Made Exporter::union_of(const Part& p) const {
  const bool sparse =
      (p.want != nullptr && p.want->kind == Kind::sparse_union) || p.count > INT32_MAX;
  std::string codes;
  for (size_t i = 0; i < p.n.contents.size(); ++i) codes += fmt::format("{}{}", i ? "," : "", i);
  Made m;
  m.format = (sparse ? "+us:" : "+ud:") + codes;
  m.length = p.count;
  m.buffers.push_back(items_of_column(p.n.column, p.first, p.count));
  if (!sparse) {
    void* made = nullptr;
    const Buffer places = Buffer::allocate(p.count * 4, &made);
    for (int64_t i = 0; i < p.count; ++i) static_cast<int32_t*>(made)[i] = static_cast<int32_t>(i);
    m.buffers.push_back(placed(places));
  }
  const Mask none;
  finish(m, {p.n, p.first, p.count, p.want, none}, "UnionArray");
  const bool wants = p.want != nullptr && p.want->children.size() == p.n.contents.size();
  for (size_t i = 0; i < p.n.contents.size(); ++i) {
    m.children.push_back(
        make(*p.n.contents[i], p.first, p.count, wants ? &p.want->children[i] : nullptr, p.mask));
    m.children[i].name = fmt::format("{}", i);
  }
  return m;
}

Made Exporter::categorical(const Part& p) const {
  const DType t = p.n.column->dtype;
  const bool plain = p.want != nullptr ? p.want->dictionary.empty() : !o_.categorical_as_dictionary;
  const Buffer index = items_of_column(p.n.column, p.first, p.count);
  if (plain) {
    const SpaceRef rows = graph::rows(p.count);
    const ColumnRef at = p.count == 0
                             ? constant(int64_t{0})
                             : graph::cast(graph::stored_column(index, t, rows), DType::int64);
    const NodeRef values = graph::evaluate(graph::list_node(
        rows, graph::rebase_pick(p.n.contents[0], rows, p.n.space, at,
                                 p.count == 0 ? constant(Scalar::boolean(false)) : ColumnRef())));
    const graph::StoredExtent e = graph::stored_extent(values->space);
    return make(*values->contents[0], e.first, e.size, p.want, p.mask);
  }
  constexpr std::string_view formats = "csilCSIL";
  constexpr DType types[] = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                             DType::uint8, DType::uint16, DType::uint32, DType::uint64};
  size_t k = 0;
  while (k + 1 < formats.size() && types[k] != t) ++k;
  Made m = begin(p, std::string(1, formats[k]), "IndexedArray");
  m.buffers.push_back(index);
  const NodeRef values = graph::evaluate(graph::list_node(p.n.space, p.n.contents[0]));
  const graph::StoredExtent e = graph::stored_extent(values->space);
  const Field* want = p.want != nullptr ? p.want->dictionary.data() : nullptr;
  m.dictionary.push_back(make(*values->contents[0], e.first, e.size, want));
  return m;
}

}  // namespace serrate::interop::arrow
