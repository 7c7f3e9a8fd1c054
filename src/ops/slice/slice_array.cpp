// Slicing by arrays of NumPy's kind: advanced indexing, masks of the outermost axes, indices with
// None.
#include <algorithm>
#include <utility>

#include "core/host.h"
#include "core/seams.h"
#include "core/types/with_number.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "ops/slice/slice.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;
using Kind = SliceStep::Kind;

namespace {

std::vector<int64_t> shape(const NodeRef& tree) {
  std::vector<int64_t> out;
  for (const Node* n = tree.get(); is_list(*n); n = n->contents[0].get())
    out.push_back(shown_size(*n));
  return out;
}

void spaces_of(const Node& tree, std::vector<SpaceRef>& dims, std::vector<int64_t>& sizes,
               ColumnRef& column) {
  const Node* n = &tree;
  for (; is_list(*n); n = n->contents[0].get()) {
    dims.push_back(n->space);
    sizes.push_back(n == &tree ? -1 : n->size);
  }
  column = n->column;
}

/// Have these dimensions the same length, as the types of the arrays show it?
bool same_lengths(const Node& a, const Node& b) {
  if (a.space->depth == 1)
    return same(a.space, b.space) || length_of(a.space) == length_of(b.space);
  return a.size >= 0 && a.size == b.size;
}

/// Stored indexes of one dimension as those of lists of `size` items, counted from the front: each
/// list looks at the same ones. Null where that is another array, or one of them is out of range.
NodeRef indexes_in(const Node& tree, int64_t size) {
  const Node& item = *tree.contents[0];
  if (looks_of_thread != nullptr || tree.space->kind != SpaceKind::rows || !is_stored(tree) ||
      item.kind != NodeKind::leaf || item.column->kind != ColumnKind::load ||
      !is_integer(item.column->dtype) || !on_host(item.column->buffer))
    return {};
  const DType t = item.column->dtype;
  const SpaceRef all = rows(tree.space->size);
  void* p = nullptr;
  const Buffer made = Buffer::allocate(8 * all->size, &p);
  bool are_inside = true;
  with_integer(t, [&]<class I>(I) {
    const auto* from = static_cast<const I*>(stored_data(item.column));
    auto* out = static_cast<int64_t*>(p);
    for (int64_t i = 0; i < all->size; i++) {
      const bool is_below = std::cmp_less(from[i], 0);
      out[i] = static_cast<int64_t>(from[i]) + (is_below ? size : 0);
      are_inside &= (is_below || std::cmp_less(from[i], size)) && out[i] >= 0;
    }
  });
  if (!are_inside) return {};
  return list_node(all, leaf(load(made, DType::int64, position(all))));
}

}  // namespace

/// The arrays of indexes from step i on; those of regular lists, and short ones, counted from the
/// front, if they are all in range: nobody needs to check them where the result is made.
void Slicer::look_at_indexes(const SpaceRef& space, const Node& n, size_t i) {
  indexes_.clear();
  for (const SliceStep& s : steps_) indexes_.push_back(s.tree);
  are_known_.assign(steps_.size(), false);
  const bool is_one = std::ranges::count(steps_, Kind::array, &SliceStep::kind) == 1;
  const Node* lists = &n;
  for (size_t k = i; k < steps_.size() && steps_[k].kind == Kind::array && is_list(*lists); k++) {
    const bool are_rows = lists->space->kind == SpaceKind::rows;
    const int64_t size = are_rows ? lists->space->size : lists->size;
    const Node& tree = *indexes_[k];
    const bool are_inner = is_one && space->kind != SpaceKind::unit;
    if (size < 0 || !(are_inner || tree.space->size <= seams().looked_at)) return;
    if (NodeRef known = indexes_in(tree, size)) {
      indexes_[k] = std::move(known);
      are_known_[k] = true;
    }
    lists = lists->contents[0].get();
  }
}

/// NumPy's broadcasting of the index arrays: the dimensions that replace the indexed ones, under
/// `space`.
void Slicer::broadcast_indexes(const SpaceRef& space) {
  dims_.clear();
  sizes_.clear();
  columns_.assign(steps_.size(), {});
  std::vector<size_t> arrays;
  for (size_t i = 0; i < steps_.size(); i++) {
    if (steps_[i].kind == Kind::array) arrays.push_back(i);
  }
  if (arrays.size() == 1 && space->kind == SpaceKind::unit) {
    spaces_of(*indexes_[arrays[0]], dims_, sizes_, columns_[arrays[0]]);
    return;
  }
  std::vector<std::vector<int64_t>> shapes;
  std::vector<int64_t> common;
  for (size_t a : arrays) {
    shapes.push_back(shape(indexes_[a]));
    auto& s = shapes.back();
    if (s.size() > common.size()) common.insert(common.begin(), s.size() - common.size(), 1);
    for (size_t d = 0; d < s.size(); d++) {
      int64_t& c = common[common.size() - s.size() + d];
      check<ValueError>(c == 1 || s[d] == 1 || c == s[d],
                        "getitem: index arrays of sizes {} and {} can't be broadcast together", c,
                        s[d]);
      if (c == 1) c = s[d];
    }
  }
  SpaceRef below = space;
  for (int64_t size : common) {
    sizes_.push_back(below->kind == SpaceKind::unit ? -1 : size);
    below = fresh_lists(below, size);
    dims_.push_back(below);
  }
  for (size_t k = 0; k < arrays.size(); k++) {
    NodeRef n = indexes_[arrays[k]];
    const size_t skip = common.size() - shapes[k].size();
    for (size_t d = 0; d < shapes[k].size(); d++) {
      const SpaceRef& to = dims_[skip + d];
      const ColumnRef index = shapes[k][d] == 1 ? constant(0) : local(to);
      n = rebase_pick(n->contents[0], to, n->space, index);
    }
    // A shape like (1,) against (3, 2) is over an inner dimension already; (3, 1) ends at the last
    // one always.
    columns_[arrays[k]] = n->column;
  }
}

NodeRef Slicer::array(const SpaceRef& space, const NodeRef& n, size_t i, const Guard& guard) {
  bool first = true;
  for (size_t k = 0; k < i; k++) first = first && steps_[k].kind != Kind::array;
  const auto place = [&](const SpaceRef& to, ColumnRef index, const Guard& where) {
    return are_known_[i] ? index : checked_index(to, n->space, std::move(index), where, "getitem");
  };
  if (!first) {
    const ColumnRef index = place(space, lift(columns_[i], dims_.back(), space), guard);
    return next(space, rebase_pick(n->contents[0], space, n->space, index, guard), i + 1, guard);
  }
  look_at_indexes(space, *n, i);
  broadcast_indexes(space);
  of_item_ = of_item_ && space->kind != SpaceKind::unit;
  const std::vector<SpaceRef> dims = dims_;
  const std::vector<int64_t> sizes = sizes_;
  const SpaceRef to = dims.back();
  const Guard below = guard ? lift(guard, space, to) : guard;
  const ColumnRef index = place(to, columns_[i], below);
  NodeRef out = next(to, rebase_pick(n->contents[0], to, n->space, index, below), i + 1, below);
  for (size_t d = dims.size(); d-- > 0;) out = list_node(dims[d], out, sizes[d]);
  return out;
}

NodeRef Slicer::missing(const SpaceRef& space, const NodeRef& n, size_t i, const Guard& guard) {
  const NodeRef& tree = steps_[i].tree;
  SpaceRef to = tree->space;
  NodeRef by = tree->contents[0];
  int64_t size = -1;
  if (space->kind != SpaceKind::unit) {
    size = shown_size(*tree);
    to = fresh_lists(space, size);
    by = rebase_pick(by, to, tree->space, local(to));
  }
  const ColumnRef valid = by->column;
  const Guard below = both(guard ? lift(guard, space, to) : guard, valid);
  const ColumnRef index = checked_index(to, n->space, by->contents[0]->column, below, "getitem");
  const NodeRef content = rebase_pick(n->contents[0], to, n->space, index, below);
  return list_node(to, option_node(valid, next(to, content, i + 1, below)), size);
}

/// Rows (or, for a mask of several dimensions, items of regular lists) where the mask holds. A mask
/// of other lengths stands for the indices where it is true.
NodeRef Slicer::mask(const SpaceRef& space, const NodeRef& n, size_t i, const Guard& guard) {
  const int dims = levels(*steps_[i].tree).max;
  bool fits = space->kind == SpaceKind::unit;
  const Node *x = n.get(), *m = steps_[i].tree.get();
  for (int d = 0; d < dims && fits; d++) {
    fits = is_list(*x) && same_lengths(*x, *m);
    if (fits) x = x->contents[0].get(), m = m->contents[0].get();
  }
  if (!fits) {
    std::vector<SliceStep> steps = nonzero(steps_[i]);
    steps.insert(steps.end(), steps_.begin() + static_cast<std::ptrdiff_t>(i) + 1, steps_.end());
    return Slicer(steps).next(space, n, 0, guard);
  }
  NodeRef by = steps_[i].tree, content = n;
  SpaceRef to;
  for (int d = 0; d < dims; d++) {
    to = align({content->space, by->space}, "getitem");
    content = rebase_at(content->contents[0], content->space, to);
    by = rebase_at(by->contents[0], by->space, to);
  }
  ColumnRef keep, valid;
  if (by->kind == NodeKind::option) {
    valid = by->column;
    keep = apply(Op::logical_or, {by->contents[0]->column, apply(Op::logical_not, {valid})});
  } else {
    keep = by->column;
  }
  const SpaceRef kept = select(to, keep);
  content = rebase_at(content, to, kept);
  to = kept;
  for (int d = 1; d < dims; d++) {
    const SpaceRef joined = flat(to);
    content = rebase_at(content, to, joined);
    to = joined;
  }
  if (!valid) return list_node(to, next(to, content, i + 1, {}), -1, n->parameters);
  valid = at(kept, 0, valid);
  return list_node(to, option_node(valid, next(to, content, i + 1, valid)), -1, n->parameters);
}

}  // namespace serrate::ops
