// Bands of the columns of lists of any lengths: see column_bands.h.
#include <algorithm>

#include "core/seams.h"
#include "graph/evaluate.h"
#include "ops/lists/column_bands.h"
#include "ops/lists/moved_columns.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// Each band looks at all lists of its owner: in all bands these have about as many items, a line
/// of the caches.
constexpr int64_t kOfList = 8;

class ListBands final : public ColumnBands {
 public:
  ListBands(ItemsToMove items, int64_t itemsize) : items_(std::move(items)), size_(itemsize) {}

 protected:
  std::vector<Band> bands() const override;
  int64_t items() const override { return items_.columns().count; }
  int64_t columns() const override { return items_.cells(); }
  ColumnLists lists_of(const Band& band) const override {
    return items_.lists_of(band.first, band.first + band.columns, rows(band.columns));
  }
  void put(const std::byte* from, int64_t itemsize, const Band& band,
           std::byte* all) const override;

 private:
  ItemsToMove items_;
  int64_t size_;
};

std::vector<ColumnBands::Band> ListBands::bands() const {
  const ListColumns& c = items_.columns();
  const auto *places = c.places.as<int64_t>(), *columns = c.columns.as<int64_t>(),
             *lists = c.lists.as<int64_t>();
  const int64_t few = seams().banded * items_.backend().parts_at_once() / bytes_of_item(size_);
  std::vector<Band> out;
  int64_t first = 0;
  for (int64_t owner = 0; owner < c.owners; owner++) {
    const int64_t begin = columns[owner], end = columns[owner + 1];
    if (places[end] - places[first] <= few) continue;
    const int64_t most = std::max(few, kOfList * (lists[owner + 1] - lists[owner]));
    for (int64_t k = begin; k < end; k++) {
      if (k == first || places[k + 1] - places[first] <= most) continue;
      out.push_back({first, k - first});
      first = k;
    }
  }
  out.push_back({first, items_.cells() - first});
  return out;
}

void ListBands::put(const std::byte* from, int64_t itemsize, const Band& band,
                    std::byte* all) const {
  ListColumns m = items_.columns();
  m.first_column = band.first;
  if (band.first + band.columns < items_.cells()) m.end_column = band.first + band.columns;
  items_.backend().from_columns(m, from, itemsize, all);
}

}  // namespace

std::unique_ptr<const ColumnBands> bands_of_lists(const Columns& columns, const NodeRef& value,
                                                  const ColumnRef& who, bool with_row) {
  if (!is_stored(columns.items()) || columns.cells()->size == 0) return {};
  const Node& number = value->kind == NodeKind::option ? *value->contents[0] : *value;
  const int64_t size = itemsize(number.column->dtype);
  const int64_t bytes = stored_extent(columns.items()).size * bytes_of_item(size);
  const Backend& b = columns.backend();
  const int64_t few = seams().banded * b.parts_at_once();
  if (!b.capabilities().moves_to_columns || bytes <= 2 * few) return {};
  // Of one owner's lists that are short all columns are one band.
  const SpaceRef& lists = columns.items()->parent;
  const bool are_short =
      stored_extent(columns.items()).size < 2 * kOfList * stored_extent(lists).size;
  if (are_short && bytes > few * columns.owners()) return {};
  auto items = ItemsToMove::of(columns, value, who, with_row);
  if (!items) return {};
  return std::make_unique<ListBands>(*std::move(items), size);
}

}  // namespace serrate::ops
