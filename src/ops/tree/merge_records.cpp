// merge_union_of_records, merge_option_of_records, broadcast_fields: records of other fields.
#include <algorithm>
#include <functional>
#include <unordered_set>

#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

using Names = std::vector<std::string>;

/// Calls f with every option and union whose items are those of `axis`; f may return null.
class AtItems {
 public:
  using F = std::function<NodeRef(const SpaceRef&, const NodeRef&)>;
  AtItems(const char* name, int axis, F f) : name_(name), axis_(axis), f_(std::move(f)) {}

  NodeRef operator()(const SpaceRef& space, const NodeRef& n) const {
    const int level = space->depth;
    const auto axis = positive_axis(*n, axis_, level);
    if (level > 0 && axis && *axis + 1 == level) {
      if (NodeRef done = f_(space, n)) return done;
    }
    check<TypeError>(n->kind != NodeKind::union_ || axis.has_value(),
                     "{}: axis={} is at different levels of nesting in {}; use one that is not "
                     "negative",
                     name_, axis_, type_text(*n));
    if (n->kind == NodeKind::leaf || n->kind == NodeKind::unknown) {
      if (!axis || *axis < 0 || level < *axis + 1) axis_too_large(name_, axis_, level);
    }
    return map_contents(space, n, *this);
  }

 private:
  const char* name_;
  int axis_;
  F f_;
};

NodeRef missing() { return option_node(constant(Scalar::boolean(false)), unknown_node()); }

NodeRef field_or_missing(const Node& record, const std::string& name) {
  const int64_t i = field_index(record, name);
  return i < 0 ? missing() : record.contents[static_cast<size_t>(i)];
}

/// The names of all records, each once.
Names names_of(const std::vector<NodeRef>& records) {
  Names all;
  std::unordered_set<std::string> known;
  for (const auto& r : records) {
    for (const auto& name : field_names(*r))
      if (known.insert(name).second) all.push_back(name);
  }
  return all;
}

NodeRef merge_union(const SpaceRef& space, const NodeRef& n) {
  if (n->kind == NodeKind::option) {
    const NodeRef merged = merge_union(space, n->contents[0]);
    return merged ? option_node(n->column, merged) : merged;
  }
  if (n->kind != NodeKind::union_) return {};
  std::vector<NodeRef> records;
  ColumnRef valid;
  bool optional = false;
  for (size_t k = n->contents.size(); k-- > 0;) {
    NodeRef c = n->contents[k];
    ColumnRef own = constant(Scalar::boolean(true));
    if (c->kind == NodeKind::option) {
      own = c->column;
      c = c->contents[0];
    }
    if (c->kind != NodeKind::record) return {};
    optional = optional || c->kind != n->contents[k]->kind;
    valid = valid ? apply(Op::where, {is_member(*n, k), own, valid}) : own;
    records.insert(records.begin(), c);
  }
  const Names names = names_of(records);
  std::vector<NodeRef> contents;
  for (const auto& name : names) {
    std::vector<NodeRef> members;
    for (const auto& r : records) members.push_back(field_or_missing(*r, name));
    contents.push_back(simplified_union(space, n->column, members));
  }
  const NodeRef merged = record_node(names, contents);
  return optional ? option_node(valid, merged) : merged;
}

/// The record or leaf below lists and options, and how to put another one in its place.
struct Core {
  NodeRef node;
  std::vector<NodeRef> above;

  explicit Core(NodeRef n) : node(std::move(n)) {
    while (is_list(*node) || node->kind == NodeKind::option) {
      above.push_back(node);
      node = node->contents[0];
    }
  }
  NodeRef with(NodeRef n) const {
    for (size_t i = above.size(); i-- > 0;) {
      const Node& a = *above[i];
      n = a.kind == NodeKind::option ? option_node(a.column, n)
                                     : list_node(a.space, n, a.size, a.parameters);
    }
    return n;
  }
};

std::vector<NodeRef> same_fields(const std::vector<NodeRef>& nodes) {
  std::vector<Core> cores(nodes.begin(), nodes.end());
  std::vector<NodeRef> records;
  for (const auto& c : cores)
    if (c.node->kind == NodeKind::record) records.push_back(c.node);
  if (records.empty()) return nodes;
  const Names names = names_of(records);
  std::vector<std::vector<NodeRef>> contents(nodes.size());
  for (const auto& name : names) {
    std::vector<NodeRef> present;
    for (const auto& c : cores) {
      check<ValueError>(c.node->kind == NodeKind::record || c.node->kind == NodeKind::unknown,
                        "broadcast_fields: if any array has records, all must, got {}",
                        type_text(*c.node));
      if (c.node->kind == NodeKind::record && field_index(*c.node, name) >= 0)
        present.push_back(field_or_missing(*c.node, name));
    }
    present = same_fields(present);
    size_t next = 0;
    for (size_t i = 0; i < nodes.size(); i++) {
      const Node& r = *cores[i].node;
      if (r.kind != NodeKind::record) continue;
      contents[i].push_back(field_index(r, name) >= 0 ? present[next++] : missing());
    }
  }
  std::vector<NodeRef> out;
  for (size_t i = 0; i < nodes.size(); i++) {
    const Node& r = *cores[i].node;
    if (r.kind != NodeKind::record)
      out.push_back(nodes[i]);
    else
      out.push_back(cores[i].with(record_node(names, contents[i], r.parameters)));
  }
  return out;
}

}  // namespace

Array merge_union_of_records(const Array& x, int axis) {
  const graph::Operation operation;
  return Array(AtItems("merge_union_of_records", axis, merge_union)(unit(), input(x)));
}

Array merge_option_of_records(const Array& x, int axis) {
  const graph::Operation operation;
  auto merge = [](const SpaceRef&, const NodeRef& n) -> NodeRef {
    if (n->kind != NodeKind::option || n->contents[0]->kind != NodeKind::record) return {};
    const Node& r = *n->contents[0];
    std::vector<NodeRef> contents;
    for (const auto& c : r.contents) contents.push_back(option_node(n->column, c));
    return r.is_tuple ? tuple_node(contents) : record_node(*r.fields, contents);
  };
  return Array(AtItems("merge_option_of_records", axis, merge)(unit(), input(x)));
}

std::vector<Array> broadcast_fields(const std::vector<Array>& arrays) {
  const graph::Operation operation;
  std::vector<NodeRef> nodes;
  for (const auto& a : arrays) {
    NodeRef n = input(a);
    // A record is an array of one.
    if (n->kind == NodeKind::record) {
      const SpaceRef one = rows(1);
      n = list_node(one, rebase_lift(n, unit(), one));
    }
    nodes.push_back(n);
  }
  std::vector<Array> out;
  for (auto& n : same_fields(nodes)) out.push_back(Array(n));
  return out;
}

}  // namespace serrate
