// Vectors that are joined of several coordinate systems, as concatenate leaves them: unions of
// records, seen in one system.
#include <algorithm>

#include "graph/operation.h"
#include "ops/tree/merge.h"
#include "ops/vectors/coordinates.h"

namespace serrate::vectors {
namespace {

using namespace graph;

/// The content of lists and options; null of other nodes.
const Node* inside(const Node& n) {
  const bool list = n.kind == NodeKind::list && !is_string(n);
  return list || n.kind == NodeKind::option ? n.contents[0].get() : nullptr;
}

const Node* union_in(const Node& top) {
  const Node* n = &top;
  while (const Node* next = inside(*n)) n = next;
  return n->kind == NodeKind::union_ ? n : nullptr;
}

NodeRef without_option(const NodeRef& n) {
  return n->kind == NodeKind::option ? n->contents[0] : n;
}

/// The same tree with one member of the union in its place, missing where another one is meant.
NodeRef member(const NodeRef& n, size_t j) {
  if (n->kind == NodeKind::union_) {
    const ColumnRef here = apply(Op::equal, {n->column, constant(static_cast<int64_t>(j))});
    return option_node(here, n->contents[j]);
  }
  const NodeRef content = member(n->contents[0], j);
  return n->kind == NodeKind::option ? option_node(n->column, content)
                                     : list_node(n->space, content, n->size, n->parameters);
}

/// A column of each member as one, down to the union in `like`. What made the others missing in a
/// member is dropped: tags tell.
NodeRef joined(const SpaceRef& space, const Node& like, std::vector<NodeRef> columns) {
  if (like.kind == NodeKind::union_) {
    for (size_t j = 0; j < columns.size(); j++)
      if (like.contents[j]->kind != NodeKind::option) columns[j] = without_option(columns[j]);
    return ops::simplified_union(space, like.column, columns);
  }
  const NodeRef& content = like.contents[0];
  if (like.kind == NodeKind::option) {
    for (NodeRef& c : columns) c = without_option(c);
    return option_node(like.column, joined(space, *content, std::move(columns)));
  }
  for (NodeRef& c : columns) c = c->contents[0];
  return list_node(like.space, joined(like.space, *content, std::move(columns)), like.size,
                   like.parameters);
}

/// Where all agree on a coordinate it stays, else vectors become Cartesian there.
System common_system(const std::vector<Vector>& members) {
  System out = members[0].system();
  for (const Vector& v : members) {
    const System s = v.system();
    if (s.azimuthal != out.azimuthal) out.azimuthal = Azimuthal::xy;
    if (s.longitudinal != out.longitudinal) out.longitudinal = Longitudinal::z;
    if (s.temporal != out.temporal) out.temporal = Temporal::t;
  }
  return out;
}

bool has_field(const Array& records, const std::string& field) {
  return std::ranges::count(records.fields(), field) > 0;
}

}  // namespace

bool is_union(const Array& records) { return union_in(*records.node()) != nullptr; }

Array of_one_system(const Array& records) {
  const Operation operation;
  const NodeRef top = records.node();
  std::vector<Vector> members;
  for (size_t j = 0; j < union_in(*top)->contents.size(); j++)
    members.emplace_back(Array(member(top, j)));
  bool momentum = false;
  for (const Vector& v : members) {
    check_alike(members[0], v, "a union of vectors");
    momentum = momentum || v.momentum();
  }
  const System system = common_system(members);
  const auto column = [&](const std::string& name) {
    std::vector<NodeRef> columns;
    for (const Vector& v : members) {
      const Coordinate* c = coordinate_named(name);
      columns.push_back((c ? to_system(v, system)[name] : v.records()[name]).node());
    }
    return Array(joined(graph::unit(), *top, std::move(columns)));
  };
  Columns columns;
  for (int place = 0; place < system.dimension(); ++place) {
    const std::string name(name_of(system, place));
    columns.emplace_back(name, column(name));
  }
  // Other fields that all of them have.
  for (const std::string& field : members[0].records().fields()) {
    const bool all = std::ranges::all_of(
        members, [&](const Vector& v) { return has_field(v.records(), field); });
    if (all && !coordinate_named(field)) columns.emplace_back(field, column(field));
  }
  const bool alike =
      std::ranges::all_of(members, [&](const Vector& v) { return v.name() == members[0].name(); });
  const std::string name = alike && !members[0].name().empty()
                               ? members[0].name()
                               : name_of(Kind{system.dimension(), momentum});
  const int depth = std::ranges::max(members, {}, &Vector::depth).depth();
  ZipOptions o{.with_name = name, .optiontype_outside_record = true};
  if (depth > 0) o.depth_limit = depth;
  return serrate::zip(columns, o);
}

}  // namespace serrate::vectors
