// Axis arithmetic on value trees.
#include "ops/tree/levels.h"

#include <algorithm>

#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/merge.h"
#include "ops/tree/shift.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

namespace {

class Walk {
 public:
  Walk(int axis, std::string_view where, const OnList& f, AxisOptions options)
      : axis_(axis), where_(where), f_(f), options_(options) {}

  NodeRef step(const SpaceRef& space, const NodeRef& n, int level, const ColumnRef& guard) {
    switch (n->kind) {
      case NodeKind::list: {
        if (is_string(*n)) {
          if (options_.strings && axis_ == level) return f_(n, guard);
          break;
        }
        if (positive_axis(*n, axis_, level) == level) return f_(n, guard);
        const ColumnRef below = guard ? lift(guard, space, n->space) : guard;
        return list_node(n->space, step(n->space, n->contents[0], level + 1, below), n->size,
                         n->parameters);
      }
      case NodeKind::option:
        return option_node(n->column, step(space, n->contents[0], level, both(guard, n->column)));
      case NodeKind::record: {
        std::vector<NodeRef> contents;
        for (const auto& c : n->contents) contents.push_back(step(space, c, level, guard));
        return record_like(*n, std::move(contents));
      }
      case NodeKind::union_: {
        std::vector<NodeRef> contents;
        for (size_t k = 0; k < n->contents.size(); k++)
          contents.push_back(step(space, n->contents[k], level, both(guard, is_member(*n, k))));
        if (options_.simplify) return simplified_union(space, n->column, contents);
        return union_node(n->column, std::move(contents), n->parameters);
      }
      case NodeKind::categorical:
        return step(space, project_categorical(space, n), level, guard);
      case NodeKind::unknown:
        if (options_.unknown) return n;
        break;
      default:
        break;
    }
    if (options_.skip && axis_ < 0) return n;
    axis_too_large(where_, axis_, level);
  }

 private:
  int axis_;
  std::string_view where_;
  const OnList& f_;
  AxisOptions options_;
};

}  // namespace

Levels levels(const Node& n) {
  switch (n.kind) {
    case NodeKind::list: {
      if (is_string(n)) return {};
      Levels l = levels(*n.contents[0]);
      return {l.min + 1, l.max + 1};
    }
    case NodeKind::option:
    case NodeKind::categorical:
      return levels(*n.contents[0]);
    case NodeKind::record:
    case NodeKind::union_: {
      if (n.contents.empty()) return {};
      Levels l = levels(*n.contents[0]);
      for (size_t i = 1; i < n.contents.size(); i++) {
        const Levels o = levels(*n.contents[i]);
        l = {std::min(l.min, o.min), std::max(l.max, o.max)};
      }
      return l;
    }
    default:
      return {};
  }
}

std::optional<int> positive_axis(const Node& n, int axis, int level) {
  if (axis >= 0) return axis;
  const Levels l = levels(n);
  if (l.min != l.max) return std::nullopt;
  return level + l.max + axis;
}

NodeRef at_axis(const NodeRef& root, int axis, std::string_view where, const OnList& f,
                AxisOptions options) {
  if (const auto a = positive_axis(*root, axis, 0); a && *a < 0)
    axis_too_large(where, axis, levels(*root).max);
  return Walk(axis, where, f, options).step(unit(), root, 0, {});
}

void axis_too_large(std::string_view where, int axis, int depth) {
  throw AxisError(
      fmt::format("{}: axis={} exceeds the depth of the nested list structure (which is {})", where,
                  axis, depth));
}

ColumnRef both(const ColumnRef& a, const ColumnRef& b) {
  if (!a) return b;
  return b ? apply(Op::logical_and, {a, b}) : a;
}

ColumnRef is_member(const Node& u, size_t k) {
  return apply(Op::equal, {u.column, constant(Scalar::of(static_cast<int64_t>(k), DType::int8))});
}

HostIntegers integers_on_host(const NodeRef& list) {
  const NodeRef content = leaf(cast(list->contents[0]->column, DType::int64));
  HostIntegers out{evaluate_on_host(list_node(list->space, content)), {}, nullptr, 0};
  const StoredExtent e = stored_extent(out.stored->space);
  const ColumnRef& c = out.stored->contents[0]->column;
  out.size = e.size;
  if (c->kind == ColumnKind::constant) {
    out.same.assign(static_cast<size_t>(e.size), c->scalar.i);
    out.data = out.same.data();
  } else if (e.size > 0) {
    out.data = static_cast<const int64_t*>(stored_data(c)) + e.first;
  }
  return out;
}

std::vector<int64_t> look_at_integers(const NodeRef& list) {
  const HostIntegers n = integers_on_host(list);
  return {n.data, n.data + n.size};
}

int64_t shown_size(const Node& list) {
  if (list.size >= 0) return list.size;
  return list.space->parent->kind == SpaceKind::unit ? length_of(list.space) : -1;
}

NodeRef lift_node(const NodeRef& n, const SpaceRef& from, const SpaceRef& to) {
  const NodeRef out = rebase_lift(n, from, to);
  if (from->kind != SpaceKind::unit || !is_list(*n)) return out;
  return list_node(out->space, out->contents[0], shown_size(*n), out->parameters);
}

SpaceRef fresh_lists(const SpaceRef& parent, int64_t size) {
  return parent->kind == SpaceKind::unit ? rows(size) : fixed(parent, constant(0), size);
}

SpaceRef adjacent_lists(const SpaceRef& parent, int64_t size) {
  if (!is_plain(parent)) return fresh_lists(parent, size);
  return fixed(parent, apply(Op::multiply, {position(parent), constant(size)}), size, true);
}

SpaceRef fresh_lists(const SpaceRef& parent, const ColumnRef& size) {
  if (size->kind == ColumnKind::constant) return fresh_lists(parent, size->scalar.i);
  return list(parent, constant(0), size);
}

NodeRef tuple_base(const NodeRef& list) {
  const Space& s = *list->space;
  const bool has_items_by_number =
      s.bases.empty() || (s.kind == SpaceKind::aligned && std::ranges::all_of(s.bases, is_plain));
  if (s.depth != 1 || has_items_by_number || !capabilities_of(list).numbers_tuples) return list;
  return evaluate(list);
}

}  // namespace serrate::ops
