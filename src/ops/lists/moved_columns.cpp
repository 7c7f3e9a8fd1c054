// Columns without an order of all items: see moved_columns.h.
#include "ops/lists/moved_columns.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/seams.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "ops/tree/contents.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// Numbers, options of them, and records of such.
bool can_move(const Node& n) {
  if (n.kind == NodeKind::leaf) return true;
  if (n.kind != NodeKind::option && n.kind != NodeKind::record) return false;
  return std::ranges::all_of(n.contents, [](const NodeRef& c) { return can_move(*c); });
}

/// f(first item, itemsize) of each column of stored numbers over a space, over `to`; null of
/// anything else.
template <class F>
NodeRef moved_items(const Node& n, const SpaceRef& over, const SpaceRef& to, F&& f) {
  if (n.kind == NodeKind::record) {
    std::vector<NodeRef> contents;
    for (const auto& field : n.contents) {
      contents.push_back(moved_items(*field, over, to, f));
      if (!contents.back()) return {};
    }
    return record_like(n, std::move(contents));
  }
  if (n.kind != NodeKind::leaf && n.kind != NodeKind::option) return {};
  ColumnRef c = n.column;
  if (c->kind == ColumnKind::load) {
    if (c->args[0]->kind != ColumnKind::position) return {};
    const int64_t item = itemsize(c->dtype);
    c = stored_column(f(c->buffer.data() + stored_extent(over).first * item, item), c->dtype, to);
  } else if (c->kind != ColumnKind::constant) {
    return {};
  }
  if (n.kind == NodeKind::leaf) return leaf(c, n.unit, n.parameters);
  const NodeRef values = moved_items(*n.contents[0], over, to, f);
  return values ? option_node(c, values) : NodeRef();
}

Backend& backend_of(const ListColumns& c) { return graph::backend(c.items.device()); }

/// Offsets `first` to `end` of some, from 0 on.
Buffer from_zero(const Buffer& offsets, int64_t first, int64_t end) {
  if (first == 0) return offsets.slice(0, 8 * (end + 1));
  void* p = nullptr;
  const Buffer out = Buffer::allocate(8 * (end - first + 1), &p);
  const auto* from = offsets.as<int64_t>();
  std::transform(from + first, from + end + 1, static_cast<int64_t*>(p),
                 [&](int64_t offset) { return offset - from[first]; });
  return out;
}

}  // namespace

std::optional<ItemsToMove> ItemsToMove::of(const Columns& columns, const NodeRef& value,
                                           const ColumnRef& who, bool with_row) {
  if (!can_move(*value)) return {};
  auto m = columns.as_lists();
  // In the caches a sort that puts others behind the last column is as fast as a look at each.
  if (!m || (who && m->count < seams().moved)) return {};
  ItemsToMove out;
  const SpaceRef& items = columns.items();
  std::vector<NodeRef> fields{value};
  if (who) fields.push_back(leaf(who));
  const bool few = stored_extent(items->parent).size <= std::numeric_limits<int32_t>::max();
  out.with_row_ = with_row;
  out.stores_row_ = with_row && !(columns.tells_lists() && few);
  if (out.stores_row_) fields.push_back(leaf(columns.row()));
  out.stored_ = stored_items(items, tuple_node(fields));
  if (who) {
    const ColumnRef& part = out.stored_.items->contents[1]->column;
    if (part->kind != ColumnKind::load) return {};
    m->take_part = part->buffer.slice(stored_extent(out.stored_.space).first);
  }
  out.columns_ = *std::move(m);
  out.cells_ = columns.cells()->size;
  ListColumns& c = out.columns_;
  const Buffer counts = out.backend().count_in_columns(c);
  std::byte* const own = counts.writable();
  const KnownOffsets places =
      own ? offsets_in_place(counts, own, out.cells_) : offsets_of_lengths(counts, out.cells_);
  c.places = places.buffer;
  c.placed = places.total;
  out.longest_ = places.longest;
  return out;
}

Backend& ItemsToMove::backend() const { return backend_of(columns_); }

ColumnLists ItemsToMove::lists_of(int64_t first, int64_t end, const SpaceRef& cells) const {
  ListColumns m = columns_;
  m.first_column = first;
  if (end < cells_) m.end_column = end;
  const auto* places = m.places.as<int64_t>();
  ColumnLists out;
  out.lists = stored_list(cells, from_zero(m.places, first, end), DType::int64,
                          {0, places[end] - places[first], longest_});
  Backend& b = backend();
  const auto to_columns = [&](const std::byte* p, int64_t item) {
    return b.to_columns(m, p, item);
  };
  const auto& fields = stored_.items->contents;
  out.values = moved_items(*fields[0], stored_.space, out.lists, to_columns);
  if (!out.values) return out;
  if (stores_row_) {
    out.row = moved_items(*fields.back(), stored_.space, out.lists, to_columns)->column;
  } else if (with_row_) {
    out.row = cast(stored_column(b.lists_in_columns(m), DType::int32, out.lists), DType::int64);
  }
  return out;
}

std::optional<ColumnLists> moved_columns(const Columns& columns, const NodeRef& value,
                                         const ColumnRef& who, bool with_row) {
  const auto items = ItemsToMove::of(columns, value, who, with_row);
  if (!items) return {};
  ColumnLists out = items->lists_of(0, items->cells(), columns.cells());
  if (!out.values) return {};
  out.moved = items->columns();
  return out;
}

NodeRef moved_back(const ColumnLists& lists, const NodeRef& stored, const SpaceRef& items) {
  const ListColumns& m = *lists.moved;
  Backend& b = backend_of(m);
  const SpaceRef all = rows(m.count);
  // Fields of records are picked by what reads them: each would be moved by itself.
  const NodeRef moved =
      stored->kind == NodeKind::record
          ? NodeRef()
          : moved_items(*stored, lists.lists, all, [&](const std::byte* p, int64_t item) {
              void* to = nullptr;
              const Buffer out = Buffer::allocate(m.count * item, &to);
              b.from_columns(m, p, item, static_cast<std::byte*>(to));
              return out;
            });
  if (moved) return over_same_items(moved, all, items);
  const SpaceRef joined = rows(m.placed);
  const ColumnRef place = stored_column(b.places_in_columns(m), DType::int64, all);
  return rebase_pick(over_same_items(stored, lists.lists, joined), items, joined,
                     over_same_items(leaf(place), all, items)->column);
}

}  // namespace serrate::ops
