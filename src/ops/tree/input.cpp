// Operands as trees, and small walks over trees that several operations need.
#include "ops/tree/input.h"

#include <algorithm>
#include <optional>

#include "core/host.h"
#include "core/seams.h"
#include "core/types/load_scalar.h"
#include "core/where.h"
#include "graph/absent.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/list_views.h"
#include "graph/inputs.h"
#include "graph/known.h"
#include "graph/materialise.h"
#include "graph/signature.h"
#include "graph/type_text.h"
#include "ops/tree/categories.h"
#include "ops/tree/contents.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

namespace {

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& n : names) text += (text.empty() ? "\"" : ", \"") + n + "\"";
  return text.empty() ? "none" : text;
}

}  // namespace

NodeRef input(const Array& a) {
  NodeRef n = a.node();
  std::optional<std::string> why = reason_to_store(*n);
  if (!why) return n;
  materialise(a, *std::move(why));
  return a.node();
}

NodeRef repeated_input(const Array& a) {
  NodeRef n = input(a);
  if (!has_reductions(*n)) return n;
  materialise(a, current_where("materialised") +
                     ": its lists would be reduced again for each time that an item is taken");
  return a.node();
}

namespace {

/// Lists down to one column of numbers, perhaps missing: the space of these. Null of others.
SpaceRef space_of_one_column(const NodeRef& n) {
  SpaceRef s = unit();
  const Node* at = n.get();
  for (; at->kind == NodeKind::list || at->kind == NodeKind::option; at = at->contents[0].get()) {
    if (at->kind == NodeKind::list) s = at->space;
  }
  return at->kind == NodeKind::leaf ? s : SpaceRef();
}

/// Of what filters leave of stored lists, and of lists in these: the items that there were before.
/// Of other spaces nothing is known.
std::optional<StoredExtent> before_filters(const SpaceRef& s) {
  if (is_stored(s)) return stored_extent(s);
  if (s->kind != SpaceKind::list) return {};
  const Column *first = s->starts.get(), *last = s->stops.get();
  while (first->kind == ColumnKind::at && last->kind == ColumnKind::at &&
         first->space == last->space && first->space->kind == SpaceKind::select) {
    first = first->args[0].get();
    last = last->args[0].get();
  }
  // The next list begins where one ends.
  const bool are_offsets = first->kind == ColumnKind::load && last->kind == ColumnKind::load &&
                           first->args[0]->kind == ColumnKind::position &&
                           same(first->args[0], last->args[0]) && first->dtype == last->dtype &&
                           on_host(first->buffer) &&
                           first->buffer.data() + itemsize(first->dtype) == last->buffer.data();
  const auto owners = are_offsets ? before_filters(first->space) : std::nullopt;
  if (!owners || owners->size == 0) return owners;
  const auto offset = [&](int64_t i) {
    return load_scalar(first->buffer.data() + i * itemsize(first->dtype), first->dtype).i;
  };
  const int64_t begin = offset(owners->first), end = offset(owners->first + owners->size);
  return StoredExtent{.first = begin, .size = end - begin};
}

/// Has a space no more positions than that? They are counted, from the outermost lists on, where
/// lists may be longer than those that they are made of.
bool has_at_most(const SpaceRef& s, int64_t most) {
  switch (s->kind) {
    case SpaceKind::unit:
      return true;
    case SpaceKind::rows:
      return s->size <= most;
    case SpaceKind::select:
    case SpaceKind::flat:
    case SpaceKind::aligned:
      return has_at_most(s->bases[0], most);
    default:
      break;
  }
  if (const auto before = before_filters(s)) {
    if (before->size <= most) return true;
    if (is_stored(s)) return false;
  }
  if (!has_at_most(s->parent, most)) return false;
  for (const SpaceRef& b : s->bases) {
    if (!has_at_most(b, most)) return false;
  }
  ColumnRef n = count(s);
  for (SpaceRef p = s->parent; p->kind != SpaceKind::unit; p = p->parent)
    n = reduce(Reducer::sum, p, n);
  return Array(leaf(n)).item_scalar().i <= most;
}

}  // namespace

bool are_worth_storing(const std::vector<NodeRef>& nodes) {
  if (looks_of_thread != nullptr) return false;
  if (std::ranges::all_of(nodes, [](const NodeRef& n) { return is_stored(*n); })) return false;
  std::vector<SpaceRef> spaces;
  for (const NodeRef& n : nodes) {
    SpaceRef s = space_of_one_column(n);
    if (!s) return false;
    if (std::ranges::find(spaces, s) == spaces.end()) spaces.push_back(std::move(s));
  }
  if (!absent_paths(nodes).empty()) return false;
  const Signature s(nodes);
  const int64_t most = s.most_bytes();
  if (!s.is_complete() || s.is_mixed() || most <= seams().stored ||
      !is_host(s.device().value_or(surrounding_device())))
    return false;
  return std::ranges::all_of(spaces, [&](const SpaceRef& of) { return has_at_most(of, most); });
}

NodeRef stored_input(const Array& a, Walks walks) {
  const NodeRef n = input(a);
  if (is_stored(*n)) return n;
  if (walks == Walks::few && (is_view(*n) || without_items(n))) return n;
  if (may_fail(n) || !are_worth_storing({n})) return n;  // which may have to count items
  materialise(a, current_where("materialised") +
                     ": its items would be computed again for each walk that takes them");
  return a.node();
}

Array settle_missing(const Array& a) {
  const NodeRef n = a.node();
  if (n->kind != NodeKind::option || !is_list(*n->contents[0])) return a;
  const bool valid = Array(leaf(n->column)).item_scalar().i != 0;
  return valid ? Array(n->contents[0]) : a;
}

bool is_list(const Node& n) { return n.kind == NodeKind::list && !is_string(n); }

bool is_weak_scalar(const Node& n) {
  return n.kind == NodeKind::leaf && n.column->kind == ColumnKind::constant && n.column->weak;
}

NodeRef constant_string(const SpaceRef& space, std::string_view text, const NodeRef& like) {
  const auto size = static_cast<int64_t>(text.size());
  const SpaceRef bytes = list(space, constant(0), constant(size));
  const NodeRef beside_this =
      like ? like : list_node(space, leaf(constant(0)));  // its lists say where it is
  const Buffer buffer = beside(Buffer::copy_of(text.data(), size), {beside_this});
  return list_node(
      bytes, leaf(load(buffer, DType::uint8, position(bytes)), {}, {{"__array__", "\"char\""}}), -1,
      {{"__array__", "\"string\""}});
}

NodeRef with_categories(const SpaceRef& space, const NodeRef& n, const NodeRef& made) {
  if (made->kind == NodeKind::option)  // categories are values; what is missing has none
    return option_node(rebase_pick(leaf(made->column), space, n->space, n->column)->column,
                       with_categories(space, n, made->contents[0]));
  const NodeRef stored = evaluate(list_node(n->space, made));
  auto* copy = new Node(*n);
  copy->space = stored->space;
  copy->contents = stored->contents;
  return copy;
}

namespace {

NodeRef map_values(const SpaceRef& space, const NodeRef& n, const NodeMap& f, bool keep) {
  const auto inside = [&](const SpaceRef& s, const NodeRef& c) {
    return map_values(s, c, f, keep);
  };
  if (n->kind == NodeKind::categorical)
    return keep ? with_categories(space, n, inside(n->space, n->contents[0]))
                : inside(space, project_categorical(space, n));
  const bool value = n->kind == NodeKind::leaf || n->kind == NodeKind::unknown || is_string(*n);
  return value ? f(space, n) : map_contents(space, n, inside);
}

}  // namespace

NodeRef map_leaves(const SpaceRef& space, const NodeRef& n, const NodeMap& f) {
  return map_values(space, n, f, false);
}

NodeRef map_categories(const SpaceRef& space, const NodeRef& n, const NodeMap& f) {
  return map_values(space, n, f, true);
}

bool has_field(const Node& n, std::string_view name) {
  auto has = [&](const NodeRef& c) { return has_field(*c, name); };
  switch (n.kind) {
    case NodeKind::record:
      return field_index(n, name) >= 0;
    case NodeKind::list:
    case NodeKind::option:
      return has(n.contents[0]);
    case NodeKind::union_:
      return std::all_of(n.contents.begin(), n.contents.end(), has);
    default:
      return false;
  }
}

std::vector<std::string> field_names(const Node& n) {
  switch (n.kind) {
    case NodeKind::record: {
      if (!n.is_tuple) return *n.fields;
      std::vector<std::string> slots;
      for (size_t i = 0; i < n.contents.size(); i++) slots.push_back(std::to_string(i));
      return slots;
    }
    case NodeKind::list:
    case NodeKind::option:
      return field_names(*n.contents[0]);
    case NodeKind::union_: {
      auto names = field_names(*n.contents[0]);
      for (const auto& c : n.contents)
        std::erase_if(names, [&](const std::string& name) { return !has_field(*c, name); });
      return names;
    }
    default:
      return {};
  }
}

NodeRef at_records(const SpaceRef& space, const NodeRef& n, std::string_view name,
                   const NodeMap& f) {
  const auto inside = [&](const SpaceRef& s, const NodeRef& c) {
    return at_records(s, c, name, f);
  };
  if (n->kind == NodeKind::record) return f(space, n);
  if (is_list(*n)) return list_node(n->space, inside(n->space, n->contents[0]), n->size);
  if (n->kind == NodeKind::option || n->kind == NodeKind::union_)
    return map_contents(space, n, inside);
  throw FieldError(
      fmt::format("getitem: no field {:?}: {} is not an array of records", name, type_text(*n)));
}

NodeRef field_of(const SpaceRef& space, const NodeRef& n, std::string_view name) {
  return at_records(space, n, name, [&](const SpaceRef&, const NodeRef& r) {
    return r->contents[static_cast<size_t>(field_index(*r, name))];
  });
}

NodeRef find_field(const SpaceRef& space, const NodeRef& n, std::string_view name) {
  if (is_list(*n)) {
    NodeRef inner = find_field(n->space, n->contents[0], name);
    return inner ? list_node(n->space, std::move(inner), n->size) : inner;
  }
  if (n->kind != NodeKind::record)
    return has_field(*n, name) ? field_of(space, n, name) : NodeRef();
  const int64_t i = field_index(*n, name);
  return i < 0 ? NodeRef() : n->contents[static_cast<size_t>(i)];
}

NodeRef get_field(const SpaceRef& space, const NodeRef& n, const std::string& name) {
  if (NodeRef found = find_field(space, n, name)) return found;
  const auto known = field_names(*n);
  throw FieldError(
      fmt::format("no field \"{}\" in {}; {}", name, type_text(*n),
                  known.empty() ? "it has no records" : "the fields are " + quoted(known)));
}

}  // namespace serrate::ops
