// Items at places of stored arrays: see take_stored.h.
#include "ops/slice/take_stored.h"

#include "core/host.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/operation.h"
#include "ops/tree/input.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// The column of a flat array of numbers that is stored in the host's memory; null: it is none.
const Column* stored_numbers(const Node& n) {
  if (!is_list(n) || n.space->kind != SpaceKind::rows || n.contents[0]->kind != NodeKind::leaf)
    return nullptr;
  const ColumnRef& c = n.contents[0]->column;
  return is_plain_load(c) && on_host(c->buffer) ? c.get() : nullptr;
}

}  // namespace

std::optional<Array> take_stored(const Array& x, const Array& places) {
  if (looks_of_thread != nullptr) return {};
  const Operation operation;
  const NodeRef from = input(x), at = input(places);
  const Column *items = stored_numbers(*from), *index = stored_numbers(*at);
  if (items == nullptr || index == nullptr || !is_integer(index->dtype)) return {};
  const DType t = items->dtype;
  const int64_t count = length_of(at->space);
  const std::optional<Buffer> taken =
      backend(Device::cpu)
          .take({items->buffer.data(), length_of(from->space), itemsize(t), index->dtype,
                 index->buffer.data(), count});
  if (!taken) return {};
  const Node& old = *from->contents[0];
  const SpaceRef to = rows(count);
  return Array(list_node(to, leaf(stored_column(*taken, t, to), old.unit, old.parameters)));
}

}  // namespace serrate::ops
