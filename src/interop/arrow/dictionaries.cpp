// Chunks whose dictionaries differ: see dictionaries.h.
#include "interop/arrow/dictionaries.h"

#include <algorithm>

#include "graph/evaluate.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate::interop::arrow {

using graph::ColumnRef;
using graph::Node;
using graph::NodeKind;
using graph::NodeRef;
using graph::SpaceRef;

namespace {

constexpr const char* kMark = "__dictionary__";  // of numbers that stand for categories

bool is_all(const std::vector<NodeRef>& nodes, NodeKind kind) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [kind](const NodeRef& n) { return n->kind == kind; });
}

Array categories_of(const Node& n) { return Array(graph::list_node(n.space, n.contents[0])); }

/// All distinct categories, and for each chunk the number of its categories among them; no numbers
/// where all chunks have the same ones.
struct Unified {
  Array categories;
  std::vector<Array> numbers;
};

Unified unified(const std::vector<NodeRef>& nodes) {
  std::vector<Array> parts, different;
  std::vector<size_t> which;
  for (const NodeRef& n : nodes) {
    parts.push_back(categories_of(*n));
    size_t k = 0;
    while (k < different.size() && !array_equal(different[k], parts.back(), {.equal_nan = true}))
      ++k;
    if (k == different.size()) different.push_back(parts.back());
    which.push_back(k);
  }
  if (different.size() == 1) return {different[0], {}};
  const Array all = concatenate(different);
  const UniqueParts u = unique(all, none);
  const Array order = argsort(u.index);
  const Array first = getitem(u.index, {order});
  Unified out{getitem(all, {first}).evaluate(), {}};
  const Array place = getitem(argsort(order), {u.inverse}).evaluate();
  std::vector<Array> numbers;
  int64_t begin = 0;
  for (const Array& d : different) {
    const int64_t end = begin + d.size();
    numbers.push_back(getitem(place, {Slice{begin, end, {}}}).evaluate());
    begin = end;
  }
  for (const size_t k : which) out.numbers.push_back(numbers[k]);
  return out;
}

bool can_be_unified(const Node& n) {
  const Node& c = *n.contents[0];
  const bool plain = c.kind == NodeKind::leaf && !is_complex(c.column->dtype);
  return plain || (c.kind == NodeKind::list && graph::is_string(c));
}

bool same_type(const std::vector<NodeRef>& nodes) {
  const Type t = graph::type_of(*nodes[0]->contents[0]);
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](const NodeRef& n) { return graph::type_of(*n->contents[0]) == t; });
}

}  // namespace

Dictionaries::Nodes Dictionaries::number(const Nodes& nodes, const Spaces& spaces) {
  const bool can =
      std::all_of(nodes.begin(), nodes.end(), [](const NodeRef& n) { return can_be_unified(*n); });
  if (!can || !same_type(nodes)) return nodes;
  const Unified u = unified(nodes);
  const NodeRef root = u.categories.node();
  Nodes out;
  for (size_t i = 0; i < nodes.size(); ++i) {
    ColumnRef at = graph::cast(nodes[i]->column, DType::int64);
    if (!u.numbers.empty()) {
      const NodeRef numbers = u.numbers[i].node();
      at = graph::rebase_pick(numbers->contents[0], spaces[i], numbers->space, at)->column;
    }
    out.push_back(graph::leaf(at, {}, {{kMark, std::to_string(found_.size())}}));
  }
  found_.push_back({root->space, root->contents[0], nodes[0]->parameters});
  return out;
}

Dictionaries::Nodes Dictionaries::walk(const Nodes& nodes, const Spaces& spaces) {
  if (is_all(nodes, NodeKind::categorical)) return number(nodes, spaces);
  Nodes inside = nodes;
  // Of the outermost values only those chunks that miss some are options.
  for (NodeRef& n : inside) {
    if (n->kind == NodeKind::option) n = n->contents[0];
  }
  if (!is_all(nodes, NodeKind::option) &&
      std::any_of(nodes.begin(), nodes.end(),
                  [](const NodeRef& n) { return n->kind == NodeKind::option; })) {
    const Nodes made = walk(inside, spaces);
    Nodes out;
    for (size_t i = 0; i < nodes.size(); ++i)
      out.push_back(nodes[i]->kind == NodeKind::option
                        ? graph::option_node(nodes[i]->column, made[i])
                        : made[i]);
    return out;
  }
  const size_t count = nodes[0]->contents.size();
  const bool alike = std::all_of(nodes.begin(), nodes.end(), [&](const NodeRef& n) {
    return n->kind == nodes[0]->kind && n->contents.size() == count;
  });
  if (!alike || count == 0 || nodes[0]->kind == NodeKind::categorical ||
      graph::is_string(*nodes[0]))
    return nodes;
  std::vector<Node*> copies;
  Nodes out;
  Spaces below = spaces;
  for (size_t i = 0; i < nodes.size(); ++i) {
    copies.push_back(new Node(*nodes[i]));
    out.emplace_back(copies.back());
    if (nodes[i]->kind == NodeKind::list) below[i] = nodes[i]->space;
  }
  for (size_t k = 0; k < count; ++k) {
    Nodes column;
    for (const NodeRef& n : nodes) column.push_back(n->contents[k]);
    const Nodes made = walk(column, below);
    for (size_t i = 0; i < nodes.size(); ++i) copies[i]->contents[k] = made[i];
  }
  return out;
}

std::vector<Array> Dictionaries::numbered(const std::vector<Array>& pieces) {
  Nodes roots;
  Spaces spaces;
  for (const Array& p : pieces) {
    roots.push_back(p.node());
    spaces.push_back(graph::unit());
  }
  const Nodes made = walk(roots, spaces);
  if (found_.empty()) return pieces;
  std::vector<Array> out;
  for (const NodeRef& n : made) out.emplace_back(n);
  return out;
}

NodeRef Dictionaries::restore(const NodeRef& n) const {
  auto* copy = new Node(*n);
  NodeRef out(copy);
  if (n->kind == NodeKind::leaf) {
    for (const auto& [key, number] : n->parameters) {
      if (key != kMark) continue;
      const Dictionary& d = found_[std::stoul(number)];
      copy->kind = NodeKind::categorical;
      copy->parameters = d.parameters;
      copy->space = d.rows;
      copy->contents = {d.content};
      return out;
    }
    return n;
  }
  if (n->kind == NodeKind::categorical) return n;
  for (size_t k = 0; k < copy->contents.size(); ++k) copy->contents[k] = restore(n->contents[k]);
  return out;
}

Array Dictionaries::restored(const Array& joined) const {
  return found_.empty() ? joined : Array(restore(joined.node()));
}

}  // namespace serrate::interop::arrow
