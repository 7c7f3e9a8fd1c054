// Stored trees: recognising them, reading them, making them.
#include <atomic>
#include <optional>
#include <utility>

#include "core/host.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/held_once.h"
#include "graph/lengths.h"
#include "graph/limits.h"
#include "graph/store.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

bool is_stored_space(const SpaceRef& s) {
  switch (s->kind) {
    case SpaceKind::unit:
    case SpaceKind::rows:
      return true;
    case SpaceKind::list:
      return is_plain_list(*s) && is_stored_space(s->parent);
    case SpaceKind::fixed:
      return s->contiguous && is_stored_space(s->parent);
    default:
      return false;
  }
}

bool is_stored_over(const Node& n, const SpaceRef& s) {
  if (n.column && !is_plain_load(n.column) && !is_unmasked(n) &&
      !(s->kind == SpaceKind::unit && n.column->kind == ColumnKind::constant))
    return false;
  if (n.kind == NodeKind::categorical) return true;
  if (n.kind == NodeKind::list && !is_stored_space(n.space)) return false;
  const SpaceRef& inner = n.kind == NodeKind::list ? n.space : s;
  for (const auto& c : n.contents) {
    if (!is_stored_over(*c, inner)) return false;
  }
  return true;
}

int64_t first_position(const Space& s) {
  return std::atomic_ref(const_cast<int64_t&>(s.extent.first)).load(std::memory_order_relaxed);
}

template <class T>
int64_t offset_at(const Buffer& b, int64_t i) {
  if (on_host(b)) return static_cast<int64_t>(b.as<T>()[i]);
  constexpr int64_t size = sizeof(T);
  return static_cast<int64_t>(*to_host(b.slice(i * size, size)).template as<T>());
}

/// Of stored lists that a device made: their numbers may still be on their way.
std::optional<ListSizes> sizes_of(const Space& s, const StoredExtent& parent) {
  const Buffer& b = s.starts->buffer;
  if (on_host(b)) return {};
  const int64_t skipped = parent.first * itemsize(s.starts->dtype);
  return backend(b.device()).list_sizes(b.slice(skipped, 0), parent.size);
}

}  // namespace

const Column* numbers_held_once(const Node& root, int holders) {
  if (root.refs != holders) return nullptr;
  const Node* n = &root;
  while (n->kind == NodeKind::list) {
    n = n->contents[0].get();
    if (n->refs != 1) return nullptr;
  }
  return n->kind == NodeKind::leaf && n->column->refs == 1 ? n->column.get() : nullptr;
}

bool is_plain_load(const ColumnRef& c) {
  return c->kind == ColumnKind::load && c->args[0]->kind == ColumnKind::position;
}

NodeRef with_leaf(const Node& lists, NodeRef leaf) {
  if (lists.kind != NodeKind::list) return leaf;
  return list_node(lists.space, with_leaf(*lists.contents[0], std::move(leaf)), lists.size,
                   lists.parameters);
}

bool is_plain_list(const Space& s) {
  return s.kind == SpaceKind::list && s.contiguous && is_plain_load(s.starts) &&
         is_plain_load(s.stops);
}

bool are_adjacent(const Space& s) {
  if (s.kind != SpaceKind::fixed || !s.contiguous) return false;
  const Column& c = *s.starts;
  if (s.size == 1 && c.kind == ColumnKind::position) return true;
  return c.kind == ColumnKind::op && c.op == Op::multiply &&
         c.args[0]->kind == ColumnKind::position && c.args[1]->kind == ColumnKind::constant &&
         c.args[1]->scalar.i == s.size;
}

bool is_stored(const Node& n) { return is_stored(n, unit()); }
bool is_stored(const Node& n, const SpaceRef& over) { return is_stored_over(n, over); }
bool is_unmasked(const Node& n) {
  return n.kind == NodeKind::option && n.column->kind == ColumnKind::constant &&
         n.column->scalar.i != 0;
}
bool is_stored(const SpaceRef& s) { return is_stored_space(s); }
bool is_numbered(const SpaceRef& s) {
  return is_stored(s) || (s->kind == SpaceKind::fixed && s->size > 0 && is_numbered(s->parent));
}

const void* stored_data(const ColumnRef& c) {
  note_look_at_values();
  return c->buffer.data();
}

/// Offset i of lists over a stored space of this extent: to ask for that here would be to ask
/// thrice at each level.
static int64_t offset_over(const Space& s, const StoredExtent& p, int64_t i) {
  switch (s.kind) {
    case SpaceKind::rows:
      return i * s.size;
    case SpaceKind::fixed:
      return (p.first + i) * s.size;
    case SpaceKind::list: {
      // offsets[i] = starts[i]; the last one is stops[i - 1].
      const bool last = i == p.size;
      const ColumnRef& c = last ? s.stops : s.starts;
      const int64_t k = p.first + (last ? i - 1 : i);
      if (p.size == 0) return 0;
      switch (c->dtype) {
        case DType::int32:
          return offset_at<int32_t>(c->buffer, k);
        case DType::uint32:
          return offset_at<uint32_t>(c->buffer, k);
        default:
          return offset_at<int64_t>(c->buffer, k);
      }
    }
    default:
      throw ValueError("stored_offset: not a stored list");
  }
}

int64_t stored_offset(const SpaceRef& s, int64_t i) {
  note_look_at_values();
  return offset_over(*s, stored_extent(s->parent), i);
}

StoredExtent stored_extent(const SpaceRef& s) {
  note_look_at_size(*s);
  switch (s->kind) {
    case SpaceKind::unit:
      return {0, 1};
    case SpaceKind::rows:
      return {0, s->size};
    case SpaceKind::fixed: {
      const StoredExtent p = stored_extent(s->parent);
      return {p.first * s->size, items_of(p.size, s->size)};
    }
    default: {
      auto& known = const_cast<Extent&>(s->extent);
      const std::atomic_ref<int64_t> size(known.size);
      if (size.load(std::memory_order_acquire) >= 0) return {known.first, known.size};
      const StoredExtent p = stored_extent(s->parent);
      const bool is_far = !on_host(s->starts->buffer);
      int64_t first, items;
      if (const auto sizes = sizes_of(*s, p)) {
        first = 0;
        items = sizes->total;
        std::atomic_ref<int64_t>(known.longest).store(sizes->longest, std::memory_order_relaxed);
      } else if (is_far && p.size > 0 && s->starts->dtype == s->stops->dtype) {
        const int64_t step = itemsize(s->starts->dtype);
        const Buffer &starts = s->starts->buffer, &stops = s->stops->buffer;
        const auto [begin, end] =
            backend(starts.device())
                .integers(s->starts->dtype, starts.slice(p.first * step, step),
                          stops.slice((p.first + p.size - 1) * step, step));
        first = begin;
        items = end - begin;
      } else {
        first = offset_over(*s, p, 0);
        items = offset_over(*s, p, p.size) - first;
      }
      if (is_far) {
        // Asking a GPU costs more than most kernels: once is enough, whoever asks.
        std::atomic_ref<int64_t>(known.first).store(first, std::memory_order_relaxed);
        size.store(items, std::memory_order_release);
      }
      return {first, items};
    }
  }
}

int64_t size_at_hand(const SpaceRef& s) {
  note_look_at_size(*s);
  if (s->kind == SpaceKind::fixed) {
    const int64_t owners = size_at_hand(s->parent);
    return owners < 0 ? -1 : items_of(owners, s->size);
  }
  const bool is_far = s->kind == SpaceKind::list && !on_host(s->starts->buffer);
  if (!is_far) return stored_extent(s).size;
  return std::atomic_ref(const_cast<int64_t&>(s->extent.size)).load(std::memory_order_acquire);
}

int64_t stored_first(const SpaceRef& s) {
  note_look_at_size(*s);
  if (s->kind == SpaceKind::fixed) return stored_first(s->parent) * s->size;
  if (s->kind != SpaceKind::list) return 0;
  const int64_t first = first_position(*s);
  return first >= 0 ? first : stored_extent(s).first;
}

int64_t longest_list(const SpaceRef& s) {
  note_look_at_size(*s);
  if (s->kind != SpaceKind::list) return -1;
  if (!on_host(s->starts->buffer) && is_stored(s)) stored_extent(s);
  return std::atomic_ref(const_cast<int64_t&>(s->extent.longest)).load(std::memory_order_relaxed);
}

void note_longest_list(const SpaceRef& s, int64_t longest) {
  auto& known = const_cast<int64_t&>(s->extent.longest);
  std::atomic_ref(known).store(longest, std::memory_order_relaxed);
}

ColumnRef stored_column(const Buffer& data, DType t, const SpaceRef& s) {
  return load(data, t, position(s));
}

SpaceRef stored_list(const SpaceRef& parent, const Buffer& offsets, DType offsets_type,
                     const Extent& extent) {
  const ColumnRef p = position(parent);
  const SpaceRef s = list(parent, load(offsets, offsets_type, p),
                          load(offsets.slice(itemsize(offsets_type)), offsets_type, p), true);
  const_cast<Space&>(*s).extent = extent;  // nobody else has seen it yet
  return s;
}

SpaceRef stored_fixed(const SpaceRef& parent, int64_t size) {
  return fixed(parent, apply(Op::multiply, {position(parent), constant(size)}), size, true);
}

}  // namespace serrate::graph
