// Slicing by lists of lists: each list of the slicer picks from the list at the same place.
#include "graph/type_text.h"
#include "ops/slice/slice.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "ops/tree/share_offsets.h"
#include "ops/tree/shift.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

namespace {

struct Aligned {
  SpaceRef space;
  NodeRef x, by;
};

/// Contents of two lists over one space with equal lengths, which evaluation checks where `guard`
/// holds.
Aligned align_lists(const Node& x, const Node& by, const ColumnRef& guard) {
  SpaceRef a = x.space, b = by.space;
  NodeRef xc = x.contents[0], bc = by.contents[0];
  if (have_equal_lists(a, b)) {
    bc = rebase_equal(bc, b, a);
    b = a;
  }
  if (guard && !same(a, b)) {
    const SpaceRef a2 = select(a, parent(a, guard)), b2 = select(b, parent(b, guard));
    xc = rebase_at(xc, a, a2);
    bc = rebase_at(bc, b, b2);
    a = a2;
    b = b2;
  }
  const SpaceRef to = align({a, b}, "getitem");
  return {to, rebase_at(xc, a, to), rebase_at(bc, b, to)};
}

/// The indices where lists of booleans are true or missing: those of other lengths than what they
/// slice pick what they name.
NodeRef indices(const Node& by) {
  ColumnRef valid, keep;
  const NodeRef& content = by.contents[0];
  if (content->kind == NodeKind::option) {
    valid = content->column;
    keep = apply(Op::logical_or, {content->contents[0]->column, apply(Op::logical_not, {valid})});
  } else {
    keep = content->column;
  }
  const SpaceRef to = select(by.space, keep);
  const NodeRef index = leaf(at(to, 0, local(by.space)));
  return list_node(to, valid ? option_node(at(to, 0, valid), index) : index);
}

const Node& without_option(const NodeRef& n) {
  return n->kind == NodeKind::option ? *n->contents[0] : *n;
}

}  // namespace

NodeRef Slicer::jagged(const SpaceRef& space, const NodeRef& n, size_t i, const Guard& guard) {
  const NodeRef& tree = steps_[i].tree;
  const bool outermost = space->kind == SpaceKind::unit;
  const NodeRef by = outermost ? tree : lift_node(tree, unit(), space);
  const ColumnRef a = count(n->space), b = count(by->space);
  check<IndexError>(
      a->kind != ColumnKind::constant || b->kind != ColumnKind::constant || a->scalar == b->scalar,
      "getitem: a jagged slicer of length {} for a dimension of length {}", b->scalar.i,
      a->scalar.i);
  const Aligned both_lists = align_lists(*n, *by, guard);
  const Guard below = guard ? lift(guard, space, both_lists.space) : guard;
  NodeRef out = jagged_below(both_lists.space, both_lists.x, both_lists.by, i, below);
  return list_node(both_lists.space, out, outermost ? -1 : by->size, n->parameters);
}

NodeRef Slicer::jagged_below(const SpaceRef& space, const NodeRef& n, const NodeRef& by, size_t i,
                             const Guard& guard) {
  if (by->kind == NodeKind::option)
    return option_node(by->column,
                       jagged_below(space, n, by->contents[0], i, both(guard, by->column)));
  switch (n->kind) {
    case NodeKind::option:
      return option_node(n->column,
                         jagged_below(space, n->contents[0], by, i, both(guard, n->column)));
    case NodeKind::categorical:
      return jagged_below(space, project_categorical(space, n), by, i, guard);
    case NodeKind::record: {
      std::vector<NodeRef> contents;
      for (const auto& c : n->contents) contents.push_back(jagged_below(space, c, by, i, guard));
      return record_like(*n, std::move(contents));
    }
    case NodeKind::unknown:
      return n;
    case NodeKind::list: {
      const Node& inner = without_option(by->contents[0]);
      if (!is_list(inner)) return jagged_pick(space, *n, *by, i, guard);
      const Aligned a = align_lists(*n, *by, guard);
      const Guard below = guard ? lift(guard, space, a.space) : guard;
      return list_node(a.space, jagged_below(a.space, a.x, a.by, i, below), -1, n->parameters);
    }
    case NodeKind::union_:
      throw IndexError(fmt::format("getitem: a jagged array can't slice {}", type_text(*n)));
    default:
      throw IndexError(fmt::format(
          "getitem: too many indices: a jagged slicer has more dimensions than {}", type_text(*n)));
  }
}

/// The innermost lists of the slicer: integers gather, booleans filter, None gives None.
NodeRef Slicer::jagged_pick(const SpaceRef& space, const Node& n, const Node& by, size_t i,
                            const Guard& guard) {
  const Node& inner = without_option(by.contents[0]);
  const bool boolean = inner.kind == NodeKind::leaf && inner.column->dtype == DType::boolean;
  if (boolean && !have_equal_lists(n.space, by.space))
    return jagged_pick(space, n, *indices(by), i, guard);
  if (boolean) {
    const Aligned a = align_lists(n, by, guard);
    ColumnRef keep = without_option(a.by).column, valid;
    if (a.by->kind == NodeKind::option) {
      valid = a.by->column;
      keep = apply(Op::logical_or, {keep, apply(Op::logical_not, {valid})});
    }
    const SpaceRef to = select(a.space, keep);
    if (valid) valid = at(to, 0, valid);
    const Guard below = both(guard ? lift(guard, space, to) : guard, valid);
    NodeRef out = next(to, rebase_at(a.x, a.space, to), i + 1, below);
    return list_node(to, valid ? option_node(valid, out) : out);
  }
  const SpaceRef& to = by.space;
  ColumnRef valid;
  if (by.contents[0]->kind == NodeKind::option) valid = by.contents[0]->column;
  const Guard below = both(guard ? lift(guard, space, to) : guard, valid);
  const ColumnRef index = checked_index(to, n.space, inner.column, below, "getitem");
  NodeRef out = next(to, rebase_pick(n.contents[0], to, n.space, index, below), i + 1, below);
  return list_node(to, valid ? option_node(valid, out) : out);
}

}  // namespace serrate::ops
