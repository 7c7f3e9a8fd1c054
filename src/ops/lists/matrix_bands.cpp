// Bands of the columns of matrices: see column_bands.h.
#include <algorithm>

#include "core/seams.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "ops/lists/column_bands.h"

namespace serrate::ops {

using namespace graph;

namespace {

constexpr int64_t kLine = 64;  // bytes: bands are whole lines of the caches

/// A band is one or all columns of some matrices, or some columns of one.
class MatrixBands final : public ColumnBands {
 public:
  MatrixBands(const Matrices& shape, StoredItems value, Backend& backend)
      : shape_(shape), value_(std::move(value)), backend_(backend) {}

 protected:
  std::vector<Band> bands() const override;
  int64_t items() const override { return columns() * shape_.rows; }
  int64_t columns() const override { return shape_.count * shape_.columns; }
  ColumnLists lists_of(const Band& band) const override;
  void put(const std::byte* from, int64_t itemsize, const Band& band,
           std::byte* all) const override;

 private:
  /// The part of the matrices that is a band; where it begins among all items.
  Matrices part(const Band& band) const;
  int64_t first_item(const Band& band) const;

  Matrices shape_;  // of all items, without their memory
  StoredItems value_;
  Backend& backend_;
};

std::vector<ColumnBands::Band> MatrixBands::bands() const {
  const int64_t most = seams().banded * backend_.parts_at_once();
  const int64_t column = shape_.rows * bytes_of_item(shape_.itemsize);
  const int64_t line = std::max<int64_t>(1, kLine / shape_.itemsize);
  std::vector<Band> out;
  if (const int64_t whole = most / (column * shape_.columns); whole > 0) {
    for (int64_t m = 0; m < shape_.count; m += whole)
      out.push_back({m * shape_.columns, std::min(whole, shape_.count - m) * shape_.columns});
    return out;
  }
  const int64_t width = std::max<int64_t>(1, most / column / line) * line;
  for (int64_t m = 0; m < shape_.count; m++)
    for (int64_t c = 0; c < shape_.columns; c += width)
      out.push_back({m * shape_.columns + c, std::min(width, shape_.columns - c)});
  return out;
}

Matrices MatrixBands::part(const Band& band) const {
  Matrices m = shape_;
  m.stride = shape_.columns;
  m.count = std::max<int64_t>(1, band.columns / shape_.columns);
  m.columns = std::min(band.columns, shape_.columns);
  return m;
}

int64_t MatrixBands::first_item(const Band& band) const {
  const int64_t matrix = band.first / shape_.columns;
  return matrix * shape_.rows * shape_.columns + band.first % shape_.columns;
}

ColumnLists MatrixBands::lists_of(const Band& band) const {
  ColumnLists out;
  out.lists = stored_fixed(rows(band.columns), shape_.rows);
  out.values = transposed_items(*value_.items, part(band),
                                stored_extent(value_.space).first + first_item(band), out.lists);
  out.row = local(out.lists);
  return out;
}

void MatrixBands::put(const std::byte* from, int64_t itemsize, const Band& band,
                      std::byte* all) const {
  const Matrices m = part(band);
  backend_.transpose({from, m.count, m.columns, m.rows, itemsize},
                     all + first_item(band) * itemsize, shape_.columns);
}

}  // namespace

std::unique_ptr<const ColumnBands> bands_of_matrices(const Columns& columns, const NodeRef& value) {
  auto m = columns.as_matrices();
  if (!m || m->rows == 0 || m->columns == 0) return {};
  Backend& b = backend(some_device(value).value_or(surrounding_device()));
  const Node& number = value->kind == NodeKind::option ? *value->contents[0] : *value;
  m->itemsize = itemsize(number.column->dtype);
  const int64_t few = 2 * seams().banded * b.parts_at_once();
  const int64_t items = m->count * m->rows * m->columns;
  if (!b.capabilities().transposes_bands || items * bytes_of_item(m->itemsize) <= few) return {};
  StoredItems stored = stored_items(columns.items(), value);
  if (stored_extent(stored.space).size != items) return {};
  for (const Node* n = stored.items.get();; n = n->contents[0].get()) {
    if (n->column->kind != ColumnKind::load) return {};
    settle(n->column->buffer);
    if (n->kind == NodeKind::leaf) return std::make_unique<MatrixBands>(*m, std::move(stored), b);
  }
}

}  // namespace serrate::ops
