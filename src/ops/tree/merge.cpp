// Merging value trees over one space: each position takes one of several, types unified.
#include "ops/tree/merge.h"

#include <algorithm>

#include "core/lazy_text.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"

namespace serrate::ops {
namespace {

using namespace graph;

/// A node and where it is meant; the last of several has no condition: everywhere else.
struct Entry {
  ColumnRef here;
  NodeRef node;
};
using Entries = std::vector<Entry>;

/// One column per entry to one: the first whose condition holds.
template <class F>
ColumnRef cascade(const Entries& entries, F&& column) {
  ColumnRef c = column(entries.back());
  for (size_t i = entries.size() - 1; i-- > 0;) {
    ColumnRef first = column(entries[i]);
    if (!same(first, c)) c = apply(Op::where, {entries[i].here, first, c});
  }
  return c;
}

bool all_of_kind(const Entries& entries, NodeKind kind) {
  return std::all_of(entries.begin(), entries.end(),
                     [&](const Entry& e) { return e.node->kind == kind; });
}

Parameters common_parameters(const Entries& entries) {
  Parameters common = entries[0].node->parameters;
  for (const auto& e : entries) {
    const Parameters& p = e.node->parameters;
    std::erase_if(common,
                  [&](const auto& x) { return std::find(p.begin(), p.end(), x) == p.end(); });
  }
  return common;
}

NodeRef merge(const SpaceRef& space, Entries entries, bool mergebool);

NodeRef merge_lists(const SpaceRef& space, const Entries& entries, bool mergebool) {
  const int64_t size = entries[0].node->size;
  bool equal = true, regular = size >= 0;
  for (const auto& e : entries) {
    equal = equal && same(e.node->space, entries[0].node->space);
    regular = regular && e.node->size == size;
  }
  SpaceRef child = entries[0].node->space;
  if (!equal && regular)
    child = adjacent_lists(space, size);
  else if (!equal)
    child = list(space, constant(0),
                 cascade(entries, [](const Entry& e) { return count(e.node->space); }));
  Entries inner;
  ColumnRef rest;  // where no earlier entry is meant
  for (const auto& e : entries) {
    const ColumnRef here = e.here ? parent(child, e.here) : e.here;
    NodeRef content = e.node->contents[0];
    if (!equal) {
      // Elsewhere the list is another entry's, which may be longer.
      const ColumnRef guard = both(rest, here);
      content = rebase_pick(content, child, e.node->space, local(child), guard);
    }
    inner.push_back({here, content});
    if (!here) break;
    const ColumnRef other = apply(Op::logical_not, {here});
    rest = rest ? apply(Op::logical_and, {rest, other}) : other;
  }
  return list_node(child, merge(child, inner, mergebool), regular ? size : -1,
                   common_parameters(entries));
}

NodeRef merge_records(const SpaceRef& space, const Entries& entries, bool mergebool) {
  const Node& first = *entries[0].node;
  std::vector<NodeRef> contents;
  for (size_t f = 0; f < first.contents.size(); f++) {
    Entries inner;
    for (const auto& e : entries) {
      const int64_t i =
          first.is_tuple ? static_cast<int64_t>(f) : field_index(*e.node, (*first.fields)[f]);
      inner.push_back({e.here, e.node->contents[i]});
    }
    contents.push_back(merge(space, inner, mergebool));
  }
  const Parameters p = common_parameters(entries);
  return first.is_tuple ? tuple_node(contents, p) : record_node(*first.fields, contents, p);
}

/// Are all of them categoricals of the very same categories?
bool same_categories(const Entries& entries) {
  const Node& first = *entries[0].node;
  return all_of_kind(entries, NodeKind::categorical) &&
         std::all_of(entries.begin(), entries.end(), [&](const Entry& e) {
           return same(e.node->space, first.space) && e.node->contents[0] == first.contents[0];
         });
}

/// Nodes of mergeable types, without options, to one.
NodeRef merge_group(const SpaceRef& space, Entries entries, const Type& type, bool mergebool) {
  Entries known;
  for (const auto& e : entries) {
    if (e.node->kind != NodeKind::unknown) known.push_back(e);
  }
  if (known.empty()) return unknown_node();
  if (known.size() == 1) return known[0].node;
  if (same_categories(known)) {
    auto* n = new Node(*known[0].node);
    n->column = cascade(known, [](const Entry& e) { return cast(e.node->column, DType::int64); });
    return n;
  }
  for (auto& e : known) e.node = project_categorical(space, e.node);
  if (all_of_kind(known, NodeKind::list)) return merge_lists(space, known, mergebool);
  if (all_of_kind(known, NodeKind::record)) return merge_records(space, known, mergebool);
  check<TypeError>(all_of_kind(known, NodeKind::leaf), "cannot merge values into {}",
                   lazily([&] { return type.str(); }));
  const DType t = type.dtype();
  ColumnRef c = cascade(known, [&](const Entry& e) { return cast(e.node->column, t); });
  return leaf(c, known[0].node->unit, common_parameters(known));
}

/// Unions inside become entries of their own.
Entries flatten_unions(const Entries& entries) {
  Entries out;
  for (const auto& e : entries) {
    if (e.node->kind != NodeKind::union_) {
      out.push_back(e);
      continue;
    }
    for (size_t j = 0; j < e.node->contents.size(); j++) {
      const bool last = j + 1 == e.node->contents.size();
      ColumnRef is_j = apply(Op::equal, {e.node->column, constant(static_cast<int64_t>(j))});
      if (last)
        is_j = e.here;  // the earlier ones are taken already
      else if (e.here)
        is_j = apply(Op::logical_and, {e.here, is_j});
      out.push_back({is_j, e.node->contents[j]});
    }
  }
  return out;
}

NodeRef merge(const SpaceRef& space, Entries entries, bool mergebool) {
  entries = flatten_unions(entries);
  ColumnRef valid;
  if (std::any_of(entries.begin(), entries.end(),
                  [](const Entry& e) { return e.node->kind == NodeKind::option; })) {
    valid = cascade(entries, [](const Entry& e) {
      return e.node->kind == NodeKind::option ? e.node->column : constant(Scalar::boolean(true));
    });
    for (auto& e : entries) {
      if (e.node->kind == NodeKind::option) e.node = e.node->contents[0];
    }
    // An option of a union is a union of options, so there may be more inside.
    if (std::any_of(entries.begin(), entries.end(),
                    [](const Entry& e) { return e.node->kind == NodeKind::union_; }))
      return option_node(valid, merge(space, entries, mergebool));
  }
  struct Group {
    Type type;
    std::vector<size_t> members;
  };
  std::vector<Group> groups;
  for (size_t i = 0; i < entries.size(); i++) {
    const Type t = type_of(*entries[i].node);
    auto g = std::find_if(groups.begin(), groups.end(),
                          [&](const Group& g) { return mergeable(g.type, t, mergebool); });
    if (g == groups.end()) {
      groups.push_back({t, {i}});
    } else {
      g->type = unify(g->type, t, mergebool);
      g->members.push_back(i);
    }
  }
  std::vector<NodeRef> contents;
  std::vector<int64_t> group_of(entries.size());
  for (size_t g = 0; g < groups.size(); g++) {
    Entries members;
    for (size_t i : groups[g].members) {
      members.push_back(entries[i]);
      group_of[i] = static_cast<int64_t>(g);
    }
    contents.push_back(merge_group(space, members, groups[g].type, mergebool));
  }
  NodeRef out = contents[0];
  if (groups.size() > 1) {
    const Entry* begin = entries.data();
    ColumnRef tag = cascade(entries, [&](const Entry& e) {
      return constant(Scalar::of(group_of[&e - begin], DType::int8));
    });
    out = union_node(tag, contents);
  }
  return valid ? option_node(valid, out) : out;
}

}  // namespace

NodeRef simplified_union(const SpaceRef& space, const ColumnRef& tag,
                         const std::vector<NodeRef>& contents, bool mergebool) {
  check<ValueError>(!contents.empty(), "union: at least one content is needed");
  Entries entries;
  for (size_t i = 0; i < contents.size(); i++) {
    const bool last = i + 1 == contents.size();
    entries.push_back(
        {last ? ColumnRef()
              : apply(Op::equal, {cast(tag, DType::int64), constant(static_cast<int64_t>(i))}),
         contents[i]});
  }
  return merge(space, entries, mergebool);
}

ColumnRef choose_numbers(const ColumnRef& condition, const ColumnRef& x, const ColumnRef& y,
                         bool mergebool) {
  const DType a = x->dtype, b = y->dtype;
  if (is_time(a) || is_time(b)) return {};
  if (a != b && !mergebool && (a == DType::boolean || b == DType::boolean)) return {};
  const DType t = a == b ? a : promote(a, b);
  const ColumnRef first = cast(x, t), second = cast(y, t);
  if (same(first, second)) return second;
  return apply(Op::where, {cast(condition, DType::boolean), first, second});
}

NodeRef choose(const SpaceRef& space, const ColumnRef& condition, const NodeRef& x,
               const NodeRef& y, bool mergebool) {
  const auto is_plain = [](const Node& n) {
    return n.kind == NodeKind::leaf && n.parameters.empty() && n.unit.empty();
  };
  if (is_plain(*x) && is_plain(*y)) {
    if (ColumnRef c = choose_numbers(condition, x->column, y->column, mergebool))
      return leaf(std::move(c));
  }
  return merge(space, {{cast(condition, DType::boolean), x}, {ColumnRef(), y}}, mergebool);
}

NodeRef project_categorical(const SpaceRef& space, const NodeRef& n) {
  if (n->kind != NodeKind::categorical) return n;
  return rebase_pick(n->contents[0], space, n->space, n->column);
}

NodeRef option_outside(const NodeRef& n) {
  if (n->kind != NodeKind::union_) return n;
  if (std::none_of(n->contents.begin(), n->contents.end(),
                   [](const NodeRef& c) { return c->kind == NodeKind::option; }))
    return n;
  ColumnRef valid;
  std::vector<NodeRef> contents = n->contents;
  for (size_t k = contents.size(); k-- > 0;) {
    const bool option = contents[k]->kind == NodeKind::option;
    const ColumnRef own = option ? contents[k]->column : constant(Scalar::boolean(true));
    const ColumnRef here =
        apply(Op::equal, {n->column, constant(Scalar::of(static_cast<int64_t>(k), DType::int8))});
    valid = valid ? apply(Op::where, {here, own, valid}) : own;
    if (option) contents[k] = contents[k]->contents[0];
  }
  // Not option_node, which would put the option inside again.
  auto* out = new Node;
  out->kind = NodeKind::option;
  out->column = valid;
  out->contents = {union_node(n->column, std::move(contents), n->parameters)};
  return NodeRef(out);
}

NodeRef list_like(const Node& like, const SpaceRef& child, const NodeRef& content) {
  return list_node(child, content, like.size, like.parameters);
}

}  // namespace serrate::ops
