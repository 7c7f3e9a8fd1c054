// Dense arrays as flat ones: see dense.h.
#include "graph/parts/dense.h"

#include <algorithm>
#include <utility>

#include "core/host.h"
#include "graph/absent.h"
#include "graph/evaluate.h"

namespace serrate::graph {
namespace {

/// Do they lie side by side?
bool is_whole(const StridedItems& of) {
  return of.dimensions == 0 || (of.dimensions == 1 && of.strides[0] == 1);
}

bool is_number(const Column& c) { return c.kind == ColumnKind::constant && is_integer(c.dtype); }

}  // namespace

DenseExpression::DenseExpression(const NodeRef& root) : root_(root) {
  is_dense_ = has_dimensions(*root) && items_ > 0 && dimensions_ > 1 &&
              add(*leaf_->column, dimensions_) && copied_ > 0;
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
      return dimensions > 1 && c.args[0]->kind == ColumnKind::load &&
             add_load(*c.args[0], dimensions - 1);
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
  int64_t least = places.first, most = places.first;
  for (size_t d = 0; d < static_cast<size_t>(dimensions_); d++) {
    // What is repeated is read again faster than copied, but for lists that are walked in lists.
    if (places.strides[d] == 0 && sizes_[d] > 1 && dimensions_ < 3) return false;
    (places.strides[d] < 0 ? least : most) += (sizes_[d] - 1) * places.strides[d];
  }
  if (least < 0 || most >= c.buffer.bytes() / itemsize(c.dtype)) return false;
  View& v = views_[count_++];
  v = {&c, places};
  const StridedItems all = strided(v, 0, rows());
  if (!is_whole(all)) copied_ += items_ * all.itemsize;
  return true;
}

/// Dimensions of which one goes on where the one inside of it ends are one.
StridedItems DenseExpression::strided(const View& v, int64_t first, int64_t last) const {
  StridedItems of;
  of.itemsize = static_cast<int>(itemsize(v.load->dtype));
  of.items = v.load->buffer.data() + (v.places.first + first * v.places.strides[0]) * of.itemsize;
  size_t n = 0;
  for (size_t d = 0; d < static_cast<size_t>(dimensions_); d++) {
    const int64_t size = d == 0 ? last - first : sizes_[d], stride = v.places.strides[d];
    if (size == 1) continue;
    if (n > 0 && of.strides[n - 1] == stride * size) {
      of.sizes[n - 1] *= size;
      of.strides[n - 1] = stride;
    } else {
      of.sizes[n] = size;
      of.strides[n++] = stride;
    }
  }
  of.dimensions = static_cast<int>(n);
  return of;
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
      return true;
    }
    default:
      return false;
  }
}

int64_t DenseExpression::rows_of(int64_t bytes) const {
  return std::clamp<int64_t>(bytes / std::max<int64_t>(1, copied_ / rows()), 1, rows());
}

NodeRef DenseExpression::flat(int64_t first, int64_t last) const {
  Rows some{first, last, graph::rows(items_ / rows() * (last - first)), {}};
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
  return stored_column(
      is_whole(of) ? b.slice(of.items - b.data()) : backend(b.device()).side_by_side(of),
      v.load->dtype, rows.items);
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
