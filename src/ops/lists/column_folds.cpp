// What a back end makes of columns where their items lie, folds and scans: see columns.h.
#include "core/seams.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "ops/lists/columns.h"
#include "ops/tree/levels.h"

namespace serrate::ops {

using namespace graph;

std::optional<ListColumns> Columns::as_long_lists() const {
  const bool is_one_level = sizes_.size() == 1 && all_take_part_ && tells_indexes_;
  if (!is_one_level || !are_few_long_lists(items_)) return {};
  return as_lists();
}

std::optional<ListColumns> Columns::as_lists_for(Reducer r) const {
  if (r != Reducer::prod) return as_long_lists();
  return all_take_part_ && looks_of_thread == nullptr ? as_lists() : std::nullopt;
}

ColumnRef Columns::counts() const {
  const auto lists = as_long_lists();
  if (!lists) return {};
  return stored_column(backend().count_in_columns(*lists), DType::int64, cells_);
}

ColumnRef Columns::folded(const ColumnFold& fold, const ColumnRef& load) const {
  auto m = as_matrices();
  const auto lists = m ? std::nullopt : as_lists_for(fold.reducer);
  if ((!m && !lists) || load->kind != ColumnKind::load || !is_stored(*leaf(load), items_))
    return {};
  const StoredExtent items = stored_extent(items_);
  if (m && items.size != m->count * m->rows * m->columns) return {};
  settle(load->buffer);
  const int64_t size = itemsize(load->dtype);
  const std::byte* const first = load->buffer.data() + items.first * size;
  Backend& b = graph::backend(some_device(leaf(load)).value_or(surrounding_device()));
  std::optional<Buffer> results;
  if (m) {
    m->itemsize = size;
    m->items = first;
    results = b.folded(fold, *m);
  } else {
    results = b.folded(fold, *lists, first);
  }
  return results ? stored_column(*results, fold.result(), cells_) : ColumnRef();
}

NodeRef Columns::scanned(Reducer r, const NodeRef& value, const ColumnRef& who) const {
  const bool is_option = value->kind == NodeKind::option;
  const Node& number = is_option ? *value->contents[0] : *value;
  if (number.kind != NodeKind::leaf || is_time(number.column->dtype) || !is_stored(items_))
    return {};
  Backend& b = backend();
  auto m = as_matrices();
  auto lists = m ? std::nullopt : as_lists();
  if ((!m && !lists) || !b.capabilities().moves_to_columns) return {};
  std::vector<NodeRef> fields{value};
  if (who) fields.push_back(leaf(who));
  const StoredItems stored = stored_items(items_, tuple_node(fields));
  const StoredExtent extent = stored_extent(stored.space);
  const auto data = [&](const ColumnRef& c) -> const std::byte* {
    if (!is_plain_load(c)) return nullptr;
    settle(c->buffer);
    return c->buffer.data() + extent.first * itemsize(c->dtype);
  };
  const Node& values = *stored.items->contents[0];
  const ColumnRef& item = is_option ? values.contents[0]->column : values.column;
  ColumnScan scan{r, item->dtype, graph::scan(r, stored.space, item)->dtype, nullptr};
  const std::byte* const items = data(item);
  if (is_option) scan.valid = data(values.column);
  if (items == nullptr || (is_option && scan.valid == nullptr)) return {};
  std::optional<Buffer> results;
  if (m) {
    if (who || extent.size != m->count * m->rows * m->columns) return {};
    m->items = items;
    m->itemsize = itemsize(item->dtype);
    results = b.scanned(scan, *m);
  } else {
    const ColumnRef part = who ? stored.items->contents[1]->column : ColumnRef();
    if (part && data(part) == nullptr) return {};
    if (part) lists->take_part = part->buffer.slice(extent.first);
    results = b.scanned(scan, *lists, items);
  }
  if (!results) return {};
  const SpaceRef all = rows(extent.size);
  const NodeRef out = leaf(stored_column(*results, scan.result, all), number.unit);
  const NodeRef over_items = over_same_items(out, all, items_);
  if (!is_option) return over_items;
  const NodeRef valid = over_same_items(leaf(values.column), stored.space, items_);
  return option_node(valid->column, over_items);
}

}  // namespace serrate::ops
