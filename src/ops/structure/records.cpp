// Records: zip, unzip, and adding, removing and naming fields.
#include <algorithm>
#include <unordered_set>

#include "core/lazy_text.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/merge.h"
#include "ops/tree/share_offsets.h"
#include "serrate/ops.h"

namespace serrate::ops {

using namespace graph;

bool has_records(const Node& n) {
  if (n.kind == NodeKind::record) return true;
  return n.kind != NodeKind::categorical &&
         std::any_of(n.contents.begin(), n.contents.end(),
                     [](const NodeRef& c) { return has_records(*c); });
}

}  // namespace serrate::ops

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

using Names = std::vector<std::string>;

/// Lists of the same spaces down to numbers need no broadcasting: null for others.
template <class Record>
NodeRef zip_alike(const std::vector<NodeRef>& nodes, const Record& record) {
  std::vector<const Node*> lists;  // of the first array, from outside
  std::vector<NodeRef> inside = nodes;
  while (is_list(*inside[0])) {
    const NodeRef first = inside[0];
    for (NodeRef& n : inside) {
      if (!is_list(*n) || n->size != first->size || !n->parameters.empty() ||
          !same(n->space, first->space))
        return {};
      n = n->contents[0];
    }
    lists.push_back(first.get());
  }
  if (lists.empty()) return {};
  for (const auto& n : inside)
    if (n->kind != NodeKind::leaf) return {};
  NodeRef out = record(std::move(inside));
  for (size_t i = lists.size(); i-- > 0;)
    out = list_node(lists[i]->space, std::move(out), lists[i]->size);
  return out;
}

NodeRef zip_nodes(const std::vector<NodeRef>& nodes, const Names* names, const ZipOptions& o) {
  check<ValueError>(!nodes.empty(), "zip: expected at least one array");
  check<ValueError>(!o.depth_limit || *o.depth_limit > 0,
                    "zip: depth_limit must be at least 1, got {}", o.depth_limit.value_or(0));
  Parameters parameters = o.parameters;
  if (!o.with_name.empty()) {
    std::erase_if(parameters, [](const auto& p) { return p.first == "__record__"; });
    parameters.emplace_back("__record__", json_quote(o.with_name));
  }
  const auto record = [&](std::vector<NodeRef> n) {
    return names ? record_node(*names, std::move(n), parameters)
                 : tuple_node(std::move(n), parameters);
  };
  if (!o.depth_limit) {
    if (NodeRef alike = zip_alike(nodes, record)) return alike;
  }
  BroadcastOptions options;
  options.where = "zip";
  options.right_broadcast = o.right_broadcast;
  options.allow_records = true;
  return broadcast_apply(
      unit(), nodes, options,
      [&](const SpaceRef& space, const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
        const bool leaves = std::all_of(n.begin(), n.end(),
                                        [](const NodeRef& x) { return purelist_depth(*x) == 1; });
        if (!leaves && space->depth != o.depth_limit.value_or(-1)) return std::nullopt;
        if (o.optiontype_outside_record && std::any_of(n.begin(), n.end(), [](const NodeRef& x) {
              return x->kind == NodeKind::option;
            }))
          return std::nullopt;
        return record(n);
      });
}

}  // namespace

Array zip(const std::vector<std::pair<std::string, Array>>& fields, ZipOptions o) {
  const graph::Operation operation;
  Names names;
  std::vector<Array> arrays;
  std::unordered_set<std::string_view> known;
  for (const auto& [name, array] : fields) {
    check<ValueError>(known.insert(name).second, "zip: the field \"{}\" is given twice", name);
    names.push_back(name);
    arrays.push_back(array);
  }
  return Array(zip_nodes(inputs(std::move(arrays)), &names, o));
}

Array zip(const std::vector<Array>& slots, ZipOptions o) {
  const graph::Operation operation;
  return Array(zip_nodes(inputs(slots), nullptr, o));
}

namespace {

/// zip at this depth, if all arrays are lists of numbers alike.
ZipOptions without_broadcast(const std::vector<Array>& arrays, const std::string& with_name,
                             Parameters parameters) {
  int depth = 0;
  for (const auto& a : arrays) {
    const NodeRef n = a.node();
    check<ValueError>(is_list(*n), "zip_no_broadcast: expected arrays, got a single {}",
                      type_text(*n));
    check<ValueError>(a.size() == arrays[0].size(),
                      "zip_no_broadcast: all arrays must have the same length, found {} and {}",
                      arrays[0].size(), a.size());
    const Node& c = *n->contents[0];
    const bool lists = is_list(c) && c.size < 0;
    const Node& leaf = lists ? *c.contents[0] : c;
    const bool plain = leaf.kind == NodeKind::leaf || (is_list(leaf) && leaf.size >= 0);
    check<ValueError>(plain && (depth == 0 || depth == 1 + lists),
                      "zip_no_broadcast: expected numbers or lists of numbers alike, got {}",
                      lazily([&] { return a.type().str(); }));
    depth = 1 + lists;
  }
  const auto lists = [](const Array& a) { return a.node()->contents[0]->space; };
  for (size_t i = 1; depth == 2 && i < arrays.size(); i++)
    check<ValueError>(have_equal_lists(lists(arrays[0]), lists(arrays[i])) ||
                          array_equal(num(arrays[0]), num(arrays[i])),
                      "zip_no_broadcast: all lists must have the same lengths");
  return {.depth_limit = depth, .with_name = with_name, .parameters = std::move(parameters)};
}

}  // namespace

Array zip_no_broadcast(const std::vector<std::pair<std::string, Array>>& fields,
                       const std::string& with_name, Parameters parameters) {
  const graph::Operation operation;
  std::vector<Array> arrays;
  for (const auto& [name, array] : fields) arrays.push_back(array);
  return zip(fields, without_broadcast(arrays, with_name, std::move(parameters)));
}

Array zip_no_broadcast(const std::vector<Array>& slots, const std::string& with_name,
                       Parameters parameters) {
  const graph::Operation operation;
  return zip(slots, without_broadcast(slots, with_name, std::move(parameters)));
}

namespace {

/// ValueError where members of a union have different fields.
void check_alike(const Node& n) {
  if (n.kind == NodeKind::union_) {
    for (const auto& c : n.contents)
      check<ValueError>(field_names(*c) == field_names(*n.contents[0]),
                        "unzip: records of different fields: {}", type_text(n));
  }
  if (n.kind == NodeKind::list || n.kind == NodeKind::option) check_alike(*n.contents[0]);
}

}  // namespace

std::vector<Array> unzip(const Array& x) {
  const graph::Operation operation;
  const NodeRef n = input(x);
  check_alike(*n);
  const Names names = field_names(*n);
  if (names.empty()) return {x};
  std::vector<Array> parts;
  for (const auto& name : names) parts.emplace_back(get_field(unit(), n, name));
  return parts;
}

namespace {

/// Applies f to the outermost records on every path; ValueError where there are none.
NodeRef map_records(const SpaceRef& space, const NodeRef& n, const NodeMap& f) {
  if (n->kind == NodeKind::record) return f(space, n);
  return map_contents(space, n,
                      [&](const SpaceRef& s, const NodeRef& c) { return map_records(s, c, f); });
}

NodeRef rebuilt(const Node& record, Names names, std::vector<NodeRef> contents, bool tuple) {
  return tuple ? tuple_node(std::move(contents), record.parameters)
               : record_node(std::move(names), std::move(contents), record.parameters);
}

NodeRef set_field(const SpaceRef& space, const NodeRef& base, const NodeRef& what,
                  const std::string& name) {
  BroadcastOptions options;
  options.where = "with_field";
  options.right_broadcast = false;
  options.allow_records = true;
  // A single value, which may be missing, is one for each record, however deep.
  const bool single = !is_list(*what) && space->kind == SpaceKind::unit;
  const std::vector<NodeRef> operands = single ? std::vector{base} : std::vector{base, what};
  return broadcast_apply(
      space, operands, options,
      [&](const SpaceRef& at, std::vector<NodeRef> n) -> std::optional<NodeRef> {
        if (single) n.push_back(rebase_lift(what, space, at));
        const Node& r = *n[0];
        if (r.kind != NodeKind::record) {
          // Missing values of the new field stay inside the record.
          const bool above =
              r.kind == NodeKind::list || r.kind == NodeKind::option || r.kind == NodeKind::union_;
          check<ValueError>(above, "with_field: no tuples or records in {}; cannot add a field",
                            type_text(r));
          return std::nullopt;
        }
        Names names = field_names(r);
        std::vector<NodeRef> contents = r.contents;
        const int64_t slot = field_index(r, name);
        if (slot >= 0 && !name.empty()) {
          contents[static_cast<size_t>(slot)] = n[1];
          return rebuilt(r, names, contents, false);  // a slot with a name: no longer a tuple
        }
        contents.push_back(n[1]);
        const bool tuple = r.is_tuple && name.empty();
        if (!tuple) names.push_back(name.empty() ? std::to_string(names.size()) : name);
        return rebuilt(r, names, contents, tuple);
      });
}

}  // namespace

Array with_field(const Array& x, const Array& what, const std::vector<std::string>& path) {
  const graph::Operation operation;
  check<ValueError>(!path.empty(), "with_field: expected the name of a field");
  const std::vector<NodeRef> operands = inputs({x, what});
  const NodeRef& base = operands[0];
  if (path.size() > 1) {
    const Array inner(get_field(unit(), base, path[0]));
    return with_field(x, with_field(inner, what, {path.begin() + 1, path.end()}), {path[0]});
  }
  check<ValueError>(has_records(*base),
                    "with_field: no tuples or records in {}; cannot add a field",
                    lazily([&] { return x.type().str(); }));
  return Array(set_field(unit(), base, operands[1], path[0]));
}

Array without_field(const Array& x, const std::vector<std::string>& path) {
  const graph::Operation operation;
  check<ValueError>(!path.empty(), "without_field: expected the name of a field");
  const std::function<NodeRef(const SpaceRef&, const NodeRef&, size_t)> remove =
      [&](const SpaceRef& space, const NodeRef& n, size_t depth) -> NodeRef {
    return map_records(space, n, [&](const SpaceRef& s, const NodeRef& r) {
      get_field(s, r, path[depth]);  // FieldError
      Names names = field_names(*r);
      std::vector<NodeRef> contents = r->contents;
      const int64_t at = field_index(*r, path[depth]);
      if (depth + 1 < path.size()) {
        contents[static_cast<size_t>(at)] = remove(s, contents[static_cast<size_t>(at)], depth + 1);
      } else {
        contents.erase(contents.begin() + at);
        names.erase(names.begin() + at);
      }
      return rebuilt(*r, names, contents, r->is_tuple);
    });
  };
  return Array(remove(unit(), input(x), 0));
}

Array project(const Array& x, const std::vector<std::string>& fields) {
  const graph::Operation operation;
  const NodeRef n = input(x);
  for (const auto& f : fields) get_field(unit(), n, f);  // FieldError
  const std::string first = fields.empty() ? "" : fields[0];
  return Array(at_records(unit(), n, first, [&](const SpaceRef&, const NodeRef& r) {
    std::vector<NodeRef> contents;
    for (const auto& f : fields)
      contents.push_back(r->contents[static_cast<size_t>(field_index(*r, f))]);
    // As in Awkward, some of the fields are no longer the named record.
    return r->is_tuple ? tuple_node(contents) : record_node(fields, contents);
  }));
}

namespace {

Parameters replaced(Parameters all, const std::string& key, const std::string& json) {
  std::erase_if(all, [&](const auto& p) { return p.first == key; });
  if (json != "null") all.emplace_back(key, json);
  return all;
}

NodeRef stripped(const SpaceRef& space, const NodeRef& n) {
  if (n->kind == NodeKind::categorical) return stripped(space, project_categorical(space, n));
  auto* copy = new Node(*n);
  const NodeRef out(copy);
  copy->parameters.clear();
  for (auto& c : copy->contents) c = stripped(n->kind == NodeKind::list ? n->space : space, c);
  return n->kind == NodeKind::union_ ? simplified_union(space, n->column, copy->contents) : out;
}

}  // namespace

Array with_name(const Array& x, const std::string& name) {
  const graph::Operation operation;
  return Array(map_records(unit(), input(x), [&](const SpaceRef&, const NodeRef& r) {
    return with_parameters(
        r, replaced(r->parameters, "__record__", name.empty() ? "null" : json_quote(name)));
  }));
}

Array with_record_parameters(const Array& x, const Parameters& more) {
  const graph::Operation operation;
  if (more.empty()) return x;
  return Array(map_records(unit(), input(x), [&](const SpaceRef&, const NodeRef& r) {
    Parameters all = r->parameters;
    for (const auto& [key, json] : more) all = replaced(all, key, json);
    return with_parameters(r, all);
  }));
}

Array with_parameter(const Array& x, const std::string& key, const std::string& json) {
  const graph::Operation operation;
  const NodeRef n = input(x);
  if (!is_list(*n)) return Array(with_parameters(n, replaced(n->parameters, key, json)));
  const NodeRef& c = n->contents[0];
  if (c->kind == NodeKind::unknown) return x;
  const NodeRef inner = with_parameters(c, replaced(c->parameters, key, json));
  return Array(list_node(n->space, inner, n->size, n->parameters));
}

Array without_parameters(const Array& x) {
  const graph::Operation operation;
  return Array(stripped(unit(), input(x)));
}

}  // namespace serrate
