// Places in a sorted array, now: see search_stored.h.
#include "ops/slice/search_stored.h"

#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"

namespace serrate::ops {

using namespace graph;

namespace {

bool is_stored_number(const Node& n) { return n.kind == NodeKind::leaf && is_plain_load(n.column); }

/// Address of the number at a position of the column's space.
const std::byte* address(const Column& c, int64_t position) {
  return c.buffer.data() + position * itemsize(c.dtype);
}

}  // namespace

std::optional<ColumnRef> searched_stored(const SpaceRef& space, const Node& item,
                                         const Node& sorted, bool right) {
  const Node& value = *sorted.contents[0];
  if (space->kind == SpaceKind::unit || !is_stored_number(item) || !is_stored_number(value) ||
      !is_stored(sorted.space) || !is_stored(space))
    return {};
  const Column &keys = *item.column, &table = *value.column;
  if (keys.buffer.device() != table.buffer.device()) return {};
  note_look_at_values();
  const StoredExtent e = stored_extent(space), t = stored_extent(sorted.space);
  const auto places = backend(keys.buffer.device())
                          .searched({table.dtype, address(table, t.first), t.size, keys.dtype,
                                     address(keys, e.first), e.size, right});
  if (!places) return {};
  return stored_items_over(space, space, *places, DType::int64);
}

}  // namespace serrate::ops
