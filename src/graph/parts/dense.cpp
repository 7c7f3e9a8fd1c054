// Dense arrays as flat ones: see dense.h.
#include "graph/parts/dense.h"

#include <algorithm>
#include <utility>

#include "core/host.h"
#include "core/seams.h"
#include "core/types/load_scalar.h"
#include "graph/absent.h"
#include "graph/evaluate.h"

namespace serrate::graph {
namespace {

/// For a column that is found elsewhere: as many have places of their own as are strided together.
Buffer no_memory(int64_t number) {
  constexpr int64_t kPlace = 16;
  static constexpr std::array<std::byte, kMostStrided * kPlace> nothing{};
  static const Buffer& all = *new Buffer(Buffer::copy_of(nothing.data(), std::ssize(nothing)));
  return all.slice(number * kPlace, kPlace);
}

bool is_number(const Column& c) { return c.kind == ColumnKind::constant && is_integer(c.dtype); }

}  // namespace

DenseExpression::DenseExpression(const NodeRef& root) : root_(root) {
  is_dense_ = has_dimensions(*root) && items_ > 0 && dimensions_ > 1 &&
              add(*leaf_->column, dimensions_) && copied_ > 0;
  has_long_rows_ = is_dense_ && are_rows_long();
  if (is_dense_)
    piece_ = has_long_rows_ && !is_slice() ? std::max<int64_t>(1, seams().flat) : items_of_row();
  // A walk reads what is repeated of a large matrix as fast; lists in lists it walks list by list.
  if (repeats_ && dimensions_ < 3 && !has_long_rows_ && items_ > seams().flat) is_dense_ = false;
}

/// Of many items, which lie side by side as they are, or are one.
bool DenseExpression::are_rows_long() const {
  return items_of_row() >= seams().block &&
         std::all_of(views_.begin(), views_.begin() + static_cast<std::ptrdiff_t>(count_),
                     [&](const View& v) {
                       const StridedItems row = strided(v, 0, 1);
                       return is_whole(row) || is_one(row);
                     });
}

bool DenseExpression::has_dimensions(const Node& root) {
  const Node* n = &root;
  for (; n->kind == NodeKind::list; n = n->contents[0].get()) {
    const Space& s = *n->space;
    const bool is_outermost = n == &root;
    if (dimensions_ == kMostDimensions) return false;
    const bool are_rows = is_outermost && s.kind == SpaceKind::rows;
    const bool is_regular = n->size == s.size || (is_outermost && n->size < 0);
    if (!is_regular || !(are_rows || s.kind == SpaceKind::fixed)) return false;
    are_adjacent_ = are_adjacent_ && (is_outermost ? are_rows : are_adjacent(s));
    if (__builtin_mul_overflow(items_, s.size, &items_)) return false;
    sizes_[static_cast<size_t>(dimensions_++)] = s.size;
  }
  leaf_ = n;
  return dimensions_ > 0 && n->kind == NodeKind::leaf;
}

bool DenseExpression::add(const Column& c, int dimensions) {
  switch (c.kind) {
    case ColumnKind::constant:
      return true;
    case ColumnKind::load:
      return add_load(c, dimensions);
    case ColumnKind::parent:
      // What is said of a list, of each of its items.
      return dimensions > 1 && add(*c.args[0], dimensions - 1);
    case ColumnKind::op:
    case ColumnKind::cast:
      return dimensions == dimensions_ && operations_++ < kMostOperations &&
             std::ranges::all_of(c.args,
                                 [&](const ColumnRef& a) { return !a || add(*a, dimensions); });
    default:
      return false;
  }
}

bool DenseExpression::add_load(const Column& c, int dimensions) {
  const auto is_it = [&](const View& v) { return v.load == &c; };
  const auto known = views_.begin() + static_cast<std::ptrdiff_t>(count_);
  if (std::find_if(views_.begin(), known, is_it) != known) return true;
  if (count_ == kMostViews || !on_host(c.buffer) || is_absent(c.buffer) || c.check) return false;
  Places places;
  if (!find_places(*c.args[0], dimensions, places)) return false;
  places.simplify();
  int64_t least = places.first, most = places.first;
  for (size_t d = 0; d < static_cast<size_t>(dimensions_); d++) {
    const bool is_told = places.table_dimension == static_cast<int>(d);
    repeats_ = repeats_ || (places.strides[d] == 0 && sizes_[d] > 1 && !is_told);
    (places.strides[d] < 0 ? least : most) += (sizes_[d] - 1) * places.strides[d];
  }
  if (places.table_dimension >= 0) {
    const auto [low, high] = std::ranges::minmax(places.table);
    least += low;
    most += high;
  }
  if (least < 0 || most >= c.buffer.bytes() / itemsize(c.dtype)) return false;
  View& v = views_[count_++];
  v = {&c, std::move(places)};
  const StridedItems all = strided(v, 0, rows());
  if (!is_whole(all)) copied_ += items_ * all.itemsize;
  return true;
}

/// Of some rows, by the indexes of all dimensions.
StridedItems DenseExpression::items(const View& v, int64_t first, int64_t last) const {
  StridedItems of;
  of.itemsize = static_cast<int>(itemsize(v.load->dtype));
  of.items = v.load->buffer.data() + v.places.first * of.itemsize;
  of.dimensions = dimensions_;
  of.sizes = sizes_;
  of.strides = v.places.strides;
  of.table_dimension = v.places.table_dimension;
  of.table = of.table_dimension < 0 ? nullptr : v.places.table.data();
  return part_of(of, {}, first, last - first);
}

/// Positions of the items of lists inside of so many dimensions.
bool DenseExpression::find_places(const Space& s, int dimensions, Places& to) const {
  const auto d = static_cast<size_t>(dimensions - 1);
  if (dimensions == 0 || s.depth != dimensions || s.size != sizes_[d]) return false;
  if (s.kind == SpaceKind::fixed) {
    if (!find_places(*s.starts, dimensions - 1, to)) return false;
  } else if (s.kind != SpaceKind::rows) {
    return false;
  }
  to.strides[d]++;
  return true;
}

/// Adds what an index of the items of so many dimensions comes to.
bool DenseExpression::find_places(const Column& index, int dimensions, Places& to) const {
  switch (index.kind) {
    case ColumnKind::constant:
      to.first += index.scalar.i;
      return is_integer(index.dtype);
    case ColumnKind::position:
      return find_places(*index.space, dimensions, to);
    case ColumnKind::local:
      if (index.link >= 0 || dimensions == 0) return false;
      to.strides[static_cast<size_t>(dimensions - 1)]++;
      return true;
    case ColumnKind::parent:
      return find_places(*index.args[0], dimensions - 1, to);
    case ColumnKind::op: {
      const Column &a = *index.args[0], &b = *index.args[1];
      if (index.op == Op::add)
        return find_places(a, dimensions, to) && find_places(b, dimensions, to);
      if (index.op != Op::multiply || !is_number(b)) return false;
      Places of_a;
      if (!find_places(a, dimensions, of_a)) return false;
      to.first += of_a.first * b.scalar.i;
      for (size_t d = 0; d < of_a.strides.size(); d++)
        to.strides[d] += of_a.strides[d] * b.scalar.i;
      return of_a.table_dimension < 0 || to.add(of_a.table_dimension, of_a.table, b.scalar.i);
    }
    case ColumnKind::load:
      return find_told(index, dimensions, to);
    default:
      return false;
  }
}

/// Those that a stored array says, along one dimension, of few against all items.
bool DenseExpression::find_told(const Column& table, int dimensions, Places& to) const {
  if (table.dtype != DType::int64 || !on_host(table.buffer) || is_absent(table.buffer) ||
      table.check)
    return false;
  Places at;
  if (!find_places(*table.args[0], dimensions, at) || at.table_dimension >= 0) return false;
  int dimension = -1;
  for (size_t d = 0; d < at.strides.size(); d++) {
    if (at.strides[d] == 0 || sizes_[d] == 1) continue;
    if (dimension >= 0 || at.strides[d] != 1) return false;
    dimension = static_cast<int>(d);
  }
  const int64_t n = dimension < 0 ? 1 : sizes_[static_cast<size_t>(dimension)];
  if (at.first < 0 || at.first + n > table.buffer.bytes() / 8 || 2 * n > items_) return false;
  const int64_t* const places = table.buffer.as<int64_t>() + at.first;
  if (dimension >= 0) return to.add(dimension, {places, static_cast<size_t>(n)});
  to.first += places[0];
  return true;
}

bool DenseExpression::Places::add(int dimension, std::span<const int64_t> places, int64_t times) {
  if (table_dimension >= 0 && table_dimension != dimension) return false;
  table_dimension = dimension;
  table.resize(places.size(), 0);
  for (size_t i = 0; i < places.size(); i++) table[i] += times * places[i];
  return true;
}

/// Of equal steps no table is needed.
void DenseExpression::Places::simplify() {
  if (table_dimension < 0) return;
  int64_t& stride = strides[static_cast<size_t>(table_dimension)];
  for (size_t i = 0; i < table.size(); i++) table[i] += static_cast<int64_t>(i) * stride;
  stride = 0;
  const int64_t start = table[0], step = table.size() > 1 ? table[1] - start : 0;
  for (size_t i = 0; i < table.size(); i++) {
    if (table[i] != start + static_cast<int64_t>(i) * step) return;
  }
  first += start;
  stride = step;
  table_dimension = -1;
}

int64_t DenseExpression::rows_of(int64_t bytes) const {
  if (has_long_rows_ && !is_slice()) return 1;
  return std::clamp<int64_t>(bytes / std::max<int64_t>(1, copied_ / rows()), 1, rows());
}

bool DenseExpression::is_faster_by_blocks() const {
  if (is_slice() || has_long_rows_ || items_of_row() > seams().flat) return false;
  const bool has_long_lists = sizes_[static_cast<size_t>(dimensions_ - 1)] >= kShort;
  return repeats_ ? items_ > seams().block : has_long_lists && items_ > seams().flat;
}

int64_t DenseExpression::rows_of_one_loop() const {
  return std::clamp<int64_t>(seams().flat / items_of_row(), 1, rows());
}

NodeRef DenseExpression::flat(int64_t first, int64_t last,
                              std::vector<StridedColumn>& strided) const {
  Rows some{first, last, 0, graph::rows((last - first) * items_of_row()), {}, &strided};
  return list_node(some.items, leaf(flat(leaf_->column, some)));
}

NodeRef DenseExpression::flat(int64_t first, int64_t last, int64_t piece) const {
  const int64_t begin = piece * piece_, end = std::min(begin + piece_, items_of_row());
  Rows some{first, last, begin, graph::rows((last - first) * (end - begin)), {}};
  return list_node(some.items, leaf(flat(leaf_->column, some)));
}

ColumnRef DenseExpression::flat(const ColumnRef& c, Rows& rows) const {
  if (c->kind == ColumnKind::constant) return c;
  if (c->kind == ColumnKind::parent) return flat(c->args[0], rows);
  if (c->kind == ColumnKind::load) {
    size_t i = 0;
    while (views_[i].load != c.get()) i++;
    if (!rows.loads[i]) rows.loads[i] = side_by_side(views_[i], rows);
    return rows.loads[i];
  }
  return operation_over(c, rows.items, [&](const ColumnRef& a) { return flat(a, rows); });
}

ColumnRef DenseExpression::side_by_side(const View& v, const Rows& rows) const {
  const StridedItems of = strided(v, rows.first, rows.last);
  const Buffer& b = v.load->buffer;
  const DType t = v.load->dtype;
  if (is_whole(of))
    return stored_column(b.slice(of.items - b.data() + rows.begin * of.itemsize), t, rows.items);
  if (has_long_rows_ && is_one(of)) return constant(load_scalar(of.items, t));
  if (rows.strided != nullptr) {
    ColumnRef c = stored_column(no_memory(&v - views_.data()), t, rows.items);
    rows.strided->push_back({c.get(), items(v, rows.first, rows.last)});
    return c;
  }
  void* p = nullptr;
  const Buffer out = Buffer::allocate(rows.items->size * of.itemsize, &p);
  backend(b.device()).copy_strided(of, static_cast<std::byte*>(p));
  return stored_column(out, t, rows.items);
}

void DenseExpression::copy(int64_t first, int64_t last, std::byte* to) const {
  const View& v = views_[0];
  backend(v.load->buffer.device()).copy_strided(strided(v, first, last), to);
}

NodeRef DenseExpression::of_items(const Buffer& items) const {
  SpaceRef space = root_->space->kind == SpaceKind::rows ? root_->space : graph::rows(rows());
  std::array<SpaceRef, kMostDimensions> spaces;
  const Node* n = root_.get();
  for (size_t d = 0; n->kind == NodeKind::list; n = n->contents[0].get(), d++) {
    if (d > 0) space = are_adjacent_ ? n->space : stored_fixed(space, n->space->size);
    spaces[d] = space;
  }
  const auto around = [&](auto&& self, const Node& of, size_t d) -> NodeRef {
    if (of.kind != NodeKind::list)
      return leaf(stored_column(items, of.column->dtype, space), of.unit, of.parameters);
    return list_node(spaces[d], self(self, *of.contents[0], d + 1), of.size, of.parameters);
  };
  return around(around, *root_, 0);
}

}  // namespace serrate::graph
