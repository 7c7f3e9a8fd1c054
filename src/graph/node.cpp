// Making value trees and reading their types.
#include <algorithm>
#include <charconv>

#include "core/types/name_index.h"
#include "graph/ir.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

Node* fresh(NodeKind kind, Parameters p = {}) {
  auto* n = new Node;
  n->kind = kind;
  n->parameters = std::move(p);
  return n;
}

std::string_view parameter(const Node& n, std::string_view key) {
  for (const auto& [k, v] : n.parameters) {
    if (k == key) return v;
  }
  return {};
}

Parameters without_array_parameter(const Parameters& all) {
  Parameters rest;
  for (const auto& p : all) {
    if (p.first != "__array__") rest.push_back(p);
  }
  return rest;
}

}  // namespace

NodeRef leaf(ColumnRef c) {
  auto* n = new Node;
  n->column = std::move(c);
  return n;
}

NodeRef leaf(ColumnRef c, std::string unit, Parameters p) {
  Node* n = fresh(NodeKind::leaf, std::move(p));
  n->column = std::move(c);
  n->unit = std::move(unit);
  return n;
}

NodeRef list_node(const SpaceRef& child, NodeRef content, int64_t size) {
  auto* n = new Node;
  n->kind = NodeKind::list;
  n->space = child;
  n->contents.set(std::move(content));
  n->size = size;
  return n;
}

NodeRef list_node(const SpaceRef& child, NodeRef content, int64_t size, Parameters p) {
  // What slices make of the characters of a string may be no text any more.
  if (!p.empty() && content->kind != NodeKind::leaf)
    std::erase_if(p, [](const auto& x) {
      return x.first == "__array__" && (x.second == "\"string\"" || x.second == "\"bytestring\"");
    });
  NodeRef made = list_node(child, std::move(content), size);
  const_cast<Node&>(*made).parameters = std::move(p);  // nobody else has seen it yet
  return made;
}

NodeRef option_node(ColumnRef valid, NodeRef content) {
  valid = cast(std::move(valid), DType::boolean);
  if (content->kind == NodeKind::option) {
    valid = apply(Op::logical_and, {std::move(valid), content->column});
    content = content->contents[0];
  }
  if (content->kind == NodeKind::union_) {
    // Awkward keeps options inside unions: union[?A, ?B].
    std::vector<NodeRef> contents;
    for (const auto& c : content->contents) contents.push_back(option_node(valid, c));
    return union_node(content->column, std::move(contents), content->parameters);
  }
  Node* n = fresh(NodeKind::option);
  n->column = std::move(valid);
  n->contents.set(std::move(content));
  return n;
}

NodeRef record_node(std::vector<std::string> fields, std::vector<NodeRef> contents, Parameters p) {
  Node* n = fresh(NodeKind::record, std::move(p));
  n->fields = std::make_shared<const std::vector<std::string>>(std::move(fields));
  n->contents = std::move(contents);
  return n;
}

NodeRef tuple_node(std::vector<NodeRef> contents, Parameters p) {
  Node* n = fresh(NodeKind::record, std::move(p));
  n->is_tuple = true;
  n->fields = std::make_shared<const std::vector<std::string>>();
  n->contents = std::move(contents);
  return n;
}

NodeRef union_node(ColumnRef tag, std::vector<NodeRef> contents, Parameters p) {
  Node* n = fresh(NodeKind::union_, std::move(p));
  n->column = cast(std::move(tag), DType::int8);
  n->contents = std::move(contents);
  return n;
}

NodeRef unknown_node() {
  static const NodeRef& n = *new NodeRef(fresh(NodeKind::unknown));
  return n;
}

bool is_string(const Node& n) {
  if (n.kind != NodeKind::list || n.parameters.empty()) return false;
  const std::string_view a = parameter(n, "__array__");
  return a == "\"string\"" || a == "\"bytestring\"";
}

int64_t field_index(const Node& record, std::string_view name) {
  if (record.is_tuple) {
    size_t i = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data(), end, i);
    const bool is_slot = error == std::errc() && stop == end && i < record.contents.size() &&
                         (name.size() == 1 || name[0] != '0');
    return is_slot ? static_cast<int64_t>(i) : -1;
  }
  return index_of_name(record.fields, *record.fields, name);
}

Type type_of(const Node& n) {
  auto with = [&](Type t) { return n.parameters.empty() ? t : t.with_parameters(n.parameters); };
  switch (n.kind) {
    case NodeKind::leaf:
      return with(Type::number(n.column->dtype, n.unit));
    case NodeKind::list: {
      if (is_string(n)) {
        const bool text = parameter(n, "__array__") == "\"string\"";
        Type t = n.size < 0 ? (text ? Type::string() : Type::bytestring())
                            : (text ? Type::string(n.size) : Type::bytestring(n.size));
        const Parameters rest = without_array_parameter(n.parameters);
        return rest.empty() ? t : t.with_parameters(rest);
      }
      Type c = type_of(*n.contents[0]);
      return with(n.size < 0 ? Type::list(std::move(c)) : Type::regular(std::move(c), n.size));
    }
    case NodeKind::option:
      return with(Type::option(type_of(*n.contents[0])));
    case NodeKind::record: {
      std::vector<Type> contents;
      for (const auto& c : n.contents) contents.push_back(type_of(*c));
      return with(n.is_tuple ? Type::tuple(std::move(contents))
                             : Type::record(*n.fields, std::move(contents)));
    }
    case NodeKind::union_: {
      std::vector<Type> contents;
      for (const auto& c : n.contents) contents.push_back(type_of(*c));
      return with(Type::union_(std::move(contents)));
    }
    case NodeKind::categorical:
      return type_of(*n.contents[0]).as_categorical();
    case NodeKind::unknown:
      return with(Type::unknown());
  }
  return Type::unknown();
}

}  // namespace serrate::graph
