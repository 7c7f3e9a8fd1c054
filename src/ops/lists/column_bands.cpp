// Bands of columns, transposed to lists and back: see column_bands.h.
#include "ops/lists/column_bands.h"

#include <algorithm>
#include <cstring>

#include "core/seams.h"
#include "graph/device.h"
#include "graph/evaluate.h"

namespace serrate::ops {

using namespace graph;

namespace {

constexpr int64_t kLine = 64;  // bytes: bands are whole lines of the caches

/// Bytes of an item, or of what becomes of it, as of indexes.
int64_t bytes_of_item(const Matrices& m) { return std::max<int64_t>(m.itemsize, 8); }

const Node& number_in(const Node& n) { return n.kind == NodeKind::option ? *n.contents[0] : n; }

Backend& backend_of(const NodeRef& n) {
  return backend(some_device(n).value_or(surrounding_device()));
}

}  // namespace

std::optional<ColumnBands> ColumnBands::of(const Columns& columns, const NodeRef& value) {
  auto m = columns.as_matrices();
  const Node& number = number_in(*value);
  if (!m || number.kind != NodeKind::leaf || m->rows == 0 || m->columns == 0) return {};
  Backend& b = backend_of(value);
  m->itemsize = itemsize(number.column->dtype);
  const int64_t few = 2 * seams().banded * b.parts_at_once();
  if (!b.capabilities().transposes_bands ||
      m->count * m->rows * m->columns * bytes_of_item(*m) <= few)
    return {};
  StoredItems stored = stored_items(columns.items(), value);
  if (stored_extent(stored.space).size != m->count * m->rows * m->columns) return {};
  for (const Node* n = stored.items.get();; n = n->contents[0].get()) {
    if (n->column->kind != ColumnKind::load) return {};
    settle(n->column->buffer);
    if (n->kind == NodeKind::leaf) return ColumnBands(*m, std::move(stored));
  }
}

std::vector<ColumnBands::Band> ColumnBands::bands() const {
  const int64_t most = seams().banded * backend_of(value_.items).parts_at_once();
  const int64_t column = shape_.rows * bytes_of_item(shape_);
  const int64_t line = std::max<int64_t>(1, kLine / shape_.itemsize);
  std::vector<Band> out;
  if (const int64_t whole = most / (column * shape_.columns); whole > 0) {
    for (int64_t m = 0; m < shape_.count; m += whole)
      out.push_back({m, std::min(whole, shape_.count - m), 0, shape_.columns});
    return out;
  }
  const int64_t width = std::max<int64_t>(1, most / column / line) * line;
  for (int64_t m = 0; m < shape_.count; m++)
    for (int64_t c = 0; c < shape_.columns; c += width)
      out.push_back({m, 1, c, std::min(width, shape_.columns - c)});
  return out;
}

ColumnLists ColumnBands::lists_of(const Band& band) const {
  ColumnLists out;
  out.lists = stored_fixed(rows(band.matrices * band.columns), shape_.rows);
  Matrices m = shape_;
  m.count = band.matrices;
  m.columns = band.columns;
  m.stride = shape_.columns;
  const int64_t first = band.matrix * shape_.rows * shape_.columns + band.first;
  out.values =
      transposed_items(*value_.items, m, stored_extent(value_.space).first + first, out.lists);
  out.row = local(out.lists);
  return out;
}

void ColumnBands::put(const Column& c, int64_t skip, const Band& band, bool one_a_column,
                      Numbers& all) const {
  const int64_t size = itemsize(c.dtype), columns = shape_.count * shape_.columns;
  if (all.data == nullptr) {
    void* p = nullptr;
    all.buffer = Buffer::allocate(columns * (one_a_column ? 1 : shape_.rows) * size, &p);
    all.data = static_cast<std::byte*>(p);
  }
  const std::byte* from = c.buffer.data() + skip * size;
  if (one_a_column) {
    const int64_t at = band.matrix * shape_.columns + band.first;
    std::memcpy(all.data + at * size, from,
                static_cast<size_t>(band.matrices * band.columns * size));
    return;
  }
  const int64_t at = band.matrix * shape_.rows * shape_.columns + band.first;
  backend(c.buffer.device())
      .transpose({from, band.matrices, band.columns, shape_.rows, size}, all.data + at * size,
                 shape_.columns);
}

NodeRef ColumnBands::joined(const Made& f, bool one_a_column) const {
  Numbers numbers, valid;
  NodeRef like;
  for (const Band& band : bands()) {
    ColumnLists lists = lists_of(band);
    if (!lists.values) return {};
    const SpaceRef made_over = one_a_column ? lists.lists->parent : lists.lists;
    const NodeRef made = f(lists);
    const Node& number = number_in(*made);
    const bool is_option = made->kind == NodeKind::option;
    const auto is_here = [](const Column& c) {
      return c.kind == ColumnKind::load && c.args[0]->kind == ColumnKind::position &&
             on_host(c.buffer);
    };
    if (number.kind != NodeKind::leaf || !is_here(*number.column) ||
        (is_option && !is_here(*made->column)))
      return {};
    const int64_t skip = stored_extent(made_over).first;
    put(*number.column, skip, band, one_a_column, numbers);
    if (is_option) put(*made->column, skip, band, one_a_column, valid);
    like = made;
  }
  const Node& number = number_in(*like);
  const SpaceRef all = rows(shape_.count * shape_.columns * (one_a_column ? 1 : shape_.rows));
  const NodeRef n = leaf(stored_column(numbers.buffer, number.column->dtype, all), number.unit,
                         number.parameters);
  const NodeRef out =
      valid.data == nullptr ? n : option_node(stored_column(valid.buffer, DType::boolean, all), n);
  return list_node(all, out);
}

NodeRef ColumnBands::map(const SpaceRef& items, const Made& f) const {
  const NodeRef n = joined(f, false);
  return n ? over_same_items(n->contents[0], n->space, items) : n;
}

NodeRef ColumnBands::fold(const SpaceRef& cells, const Made& f) const {
  const NodeRef n = joined(f, true);
  return n ? over_same_items(n->contents[0], n->space, cells) : n;
}

}  // namespace serrate::ops
