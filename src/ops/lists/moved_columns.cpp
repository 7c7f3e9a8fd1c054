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

Backend& backend_of(const ListColumns& c) { return backend(c.items.device()); }

}  // namespace

std::optional<ColumnLists> moved_columns(const Columns& columns, const NodeRef& value,
                                         const ColumnRef& who, bool with_row) {
  if (!can_move(*value)) return {};
  auto m = columns.as_lists();
  // In the caches a sort that puts others behind the last column is as fast as a look at each.
  if (!m || (who && m->count < seams().moved)) return {};
  const SpaceRef &items = columns.items(), &cells = columns.cells();
  std::vector<NodeRef> fields{value};
  if (who) fields.push_back(leaf(who));
  const bool few = stored_extent(items->parent).size <= std::numeric_limits<int32_t>::max();
  const bool stores_row = with_row && !(columns.tells_lists() && few);
  if (stores_row) fields.push_back(leaf(columns.row()));
  const StoredItems stored = stored_items(items, tuple_node(fields));
  const StoredExtent extent = stored_extent(stored.space);
  if (who) {
    const ColumnRef& part = stored.items->contents[1]->column;
    if (part->kind != ColumnKind::load) return {};
    m->take_part = part->buffer.slice(extent.first);
  }
  ColumnLists out;
  Backend& b = backend_of(*m);
  const KnownOffsets places = offsets_of_lengths(b.count_in_columns(*m), cells->size);
  out.lists = stored_list(cells, places.buffer, DType::int64, {0, places.total, places.longest});
  m->places = places.buffer;
  m->placed = places.total;
  const auto to_columns = [&](const std::byte* p, int64_t item) {
    return b.to_columns(*m, p, item);
  };
  out.values = moved_items(*stored.items->contents[0], stored.space, out.lists, to_columns);
  if (!out.values) return {};
  if (stores_row) {
    const Node& row = *stored.items->contents.back();
    out.row = moved_items(row, stored.space, out.lists, to_columns)->column;
  } else if (with_row) {
    out.row = cast(stored_column(b.lists_in_columns(*m), DType::int32, out.lists), DType::int64);
  }
  out.moved = std::move(m);
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
              return b.from_columns(m, p, item);
            });
  if (moved) return over_same_items(moved, all, items);
  const SpaceRef joined = rows(m.placed);
  const ColumnRef place = stored_column(b.places_in_columns(m), DType::int64, all);
  return rebase_pick(over_same_items(stored, lists.lists, joined), items, joined,
                     over_same_items(leaf(place), all, items)->column);
}

}  // namespace serrate::ops
