// Bands of columns, to lists and back: see column_bands.h.
#include "ops/lists/column_bands.h"

#include <cstring>
#include <optional>
#include <utility>

#include "core/memory.h"
#include "graph/device.h"
#include "graph/evaluate.h"

namespace serrate::ops {

using namespace graph;

namespace {

const Node& number_in(const Node& n) { return n.kind == NodeKind::option ? *n.contents[0] : n; }

bool is_here(const ColumnRef& c) { return is_plain_load(c) && on_host(c->buffer); }

}  // namespace

std::unique_ptr<const ColumnBands> ColumnBands::of(const Columns& columns, const NodeRef& value,
                                                   const ColumnRef& who, bool with_row) {
  if (number_in(*value).kind != NodeKind::leaf) return {};
  if (!who) {
    if (auto bands = bands_of_matrices(columns, value)) return bands;
  }
  return bands_of_lists(columns, value, who, with_row);
}

NodeRef ColumnBands::joined(const std::function<NodeRef(ColumnLists&)>& f,
                            bool one_a_column) const {
  const int64_t results = one_a_column ? columns() : items();
  Buffer numbers, valid;
  void *to_numbers = nullptr, *to_valid = nullptr;
  NodeRef like;
  const auto put_all = [&](const Column& c, int64_t skip, const Band& band, Buffer& all,
                           void** to) {
    const int64_t size = itemsize(c.dtype);
    if (*to == nullptr) all = Buffer::allocate(results * size, to);
    const std::byte* from = c.buffer.data() + skip * size;
    auto* const out = static_cast<std::byte*>(*to);
    if (!one_a_column) return put(from, size, band, out);
    std::memcpy(out + band.first * size, from, static_cast<size_t>(band.columns * size));
  };
  for (const Band& band : bands()) {
    std::optional<PartByPart> memory(std::in_place);
    ColumnLists lists = lists_of(band);
    if (!lists.values) return {};
    const SpaceRef made_over = one_a_column ? lists.lists->parent : lists.lists;
    const NodeRef made = f(lists);
    memory.reset();
    const Node& number = number_in(*made);
    const bool is_option = made->kind == NodeKind::option;
    if (number.kind != NodeKind::leaf || !is_here(number.column) ||
        (is_option && !is_here(made->column)))
      return {};
    const int64_t skip = stored_extent(made_over).first;
    put_all(*number.column, skip, band, numbers, &to_numbers);
    if (is_option) put_all(*made->column, skip, band, valid, &to_valid);
    like = made;
  }
  if (!like) return {};
  const Node& number = number_in(*like);
  const SpaceRef all = rows(results);
  const NodeRef n =
      leaf(stored_column(numbers, number.column->dtype, all), number.unit, number.parameters);
  const NodeRef out =
      to_valid == nullptr ? n : option_node(stored_column(valid, DType::boolean, all), n);
  return list_node(all, out);
}

NodeRef ColumnBands::map(const SpaceRef& items,
                         const std::function<NodeRef(ColumnLists&)>& f) const {
  const NodeRef n = joined(f, false);
  return n ? over_same_items(n->contents[0], n->space, items) : n;
}

NodeRef ColumnBands::fold(const SpaceRef& cells,
                          const std::function<NodeRef(ColumnLists&)>& f) const {
  const NodeRef n = joined(f, true);
  return n ? over_same_items(n->contents[0], n->space, cells) : n;
}

}  // namespace serrate::ops
