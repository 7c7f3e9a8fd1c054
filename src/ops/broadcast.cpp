// Broadcasting: one recursive walk over several trees; each level is one of Awkward's cases.
#include "ops/broadcast.h"

#include <algorithm>

#include "graph/type_text.h"
#include "ops/contents.h"
#include "ops/input.h"
#include "ops/levels.h"
#include "ops/merge.h"
#include "ops/share_offsets.h"
#include "serrate/error.h"

namespace serrate::ops {
namespace {

using namespace graph;

constexpr int64_t kVar = -1;           // lists of variable length
constexpr int64_t kRegularLater = -2;  // axis 0 of a length that only the data tell

/// Axis 0 counts as a regular dimension.
int64_t regular_size(const Node& n) {
  if (n.size >= 0) return n.size;
  if (n.space->parent->kind != SpaceKind::unit) return kVar;
  const ColumnRef c = count(n.space);
  return c->kind == ColumnKind::constant ? c->scalar.i : kRegularLater;
}

bool purelist_isregular(const Node& n) {
  switch (n.kind) {
    case NodeKind::list:
      return n.size >= 0 || (!is_string(n) && n.space->parent->kind == SpaceKind::unit)
                 ? purelist_isregular(*n.contents[0])
                 : false;
    case NodeKind::option:
    case NodeKind::union_:
      return std::all_of(n.contents.begin(), n.contents.end(),
                         [](const NodeRef& c) { return purelist_isregular(*c); });
    default:
      return true;
  }
}

bool is_constant(const Node& n) {
  return n.kind == NodeKind::leaf && n.column->kind == ColumnKind::constant;
}

/// Drops the parameters that a node does not have.
void keep_common(Parameters& common, const Node& n) {
  std::erase_if(common, [&](const auto& p) {
    return std::find(n.parameters.begin(), n.parameters.end(), p) == n.parameters.end();
  });
}

using Rule = BroadcastOptions::Rule;

/// Parameters of result i, from those operands that count.
template <class Counts>
Parameters result_parameters(const std::vector<NodeRef>& nodes, Counts&& counts, Rule rule,
                             size_t i) {
  if (rule == Rule::none) return {};
  if (rule == Rule::one_to_one)
    return i < nodes.size() && counts(*nodes[i]) ? nodes[i]->parameters : Parameters{};
  std::optional<Parameters> common;
  for (const auto& n : nodes) {
    if (!counts(*n)) continue;
    const Parameters& own = n->parameters;
    if (!common) common = own;
    const size_t before = common->size();
    keep_common(*common, *n);
    const bool equal = common->size() == before && own.size() == before;
    if (rule == Rule::all_or_nothing && !equal) return {};
  }
  return common.value_or(Parameters{});
}

/// The same from the lists (or records) only.
Parameters result_parameters(const std::vector<NodeRef>& nodes, NodeKind kind, Rule rule,
                             size_t i) {
  return result_parameters(
      nodes, [kind](const Node& n) { return n.kind == kind && !is_string(n); }, rule, i);
}

/// Those of an option around result i: of all operands, without what says what an operand is.
Parameters option_parameters(const std::vector<NodeRef>& nodes, Rule rule, size_t i) {
  Parameters out = result_parameters(
      nodes, [](const Node& n) { return !is_constant(n); }, rule, i);
  std::erase_if(out,
                [](const auto& p) { return p.first == "__array__" || p.first == "__record__"; });
  return out;
}

class Walk {
 public:
  Walk(const BroadcastOptions& options, const BroadcastLeaves& leaf)
      : options_(options), leaf_(leaf) {}

  /// `guard`: where it is false nobody looks at the result, so lists may differ in length there.
  std::vector<NodeRef> step(const SpaceRef& space, std::vector<NodeRef> nodes,
                            const ColumnRef& guard) {
    if (options_.right_broadcast) pad_regular(space, nodes);
    if (options_.guard) *options_.guard = guard;
    if (auto done = leaf_(space, nodes)) return *std::move(done);
    if (any(nodes, [](const Node& n) {
          return n.kind == NodeKind::unknown || n.kind == NodeKind::categorical;
        })) {
      for (auto& n : nodes) {
        if (n->kind == NodeKind::unknown) n = leaf(constant(Scalar::of(0.0)));
        n = project_categorical(space, n);
      }
      return step(space, std::move(nodes), guard);
    }
    auto of_kind = [](NodeKind kind) { return [kind](const Node& n) { return n.kind == kind; }; };
    if (any(nodes, of_kind(NodeKind::union_))) return unions(space, nodes, guard);
    if (any(nodes, of_kind(NodeKind::option))) return options(space, nodes, guard);
    if (any(nodes, is_list)) return lists(space, nodes, guard);
    if (any(nodes, of_kind(NodeKind::record))) return records(space, nodes, guard);
    std::string types;
    for (const auto& n : nodes) types += (types.empty() ? "" : ", ") + type_of(*n).str();
    throw ValueError(fmt::format("cannot broadcast: {}{}", types, in_function()));
  }

 private:
  template <class F>
  static bool any(const std::vector<NodeRef>& nodes, F&& f) {
    return std::any_of(nodes.begin(), nodes.end(), [&](const NodeRef& n) { return f(*n); });
  }
  std::string in_function() const {
    return options_.where.empty() ? "" : fmt::format(" in `{}`", options_.where);
  }

  /// NumPy's rule: where everything is regular, shallower operands get dimensions of 1 in front.
  void pad_regular(const SpaceRef& space, std::vector<NodeRef>& nodes) {
    if (!any(nodes, is_list)) return;
    int deepest = 0;
    bool scalars = space->kind == SpaceKind::unit;
    for (const auto& n : nodes) {
      if (scalars && !is_list(*n)) continue;  // repeated for every item anyway
      if (!purelist_isregular(*n)) return;
      deepest = std::max(deepest, purelist_depth(*n));
    }
    for (auto& n : nodes) {
      if (scalars && !is_list(*n)) continue;
      for (int d = purelist_depth(*n); d > 0 && d < deepest; d++) n = pad(space, n);
    }
  }

  NodeRef pad(const SpaceRef& space, const NodeRef& n) {
    if (space->kind != SpaceKind::unit) {
      const SpaceRef one = adjacent_lists(space, 1);
      return list_node(one, rebase_lift(n, space, one), 1);
    }
    // The rows become the second dimension.
    const SpaceRef one = rows(1);
    const ColumnRef c = count(n->space);
    check<ValueError>(c->kind == ColumnKind::constant,
                      "cannot broadcast an array of unevaluated length as one row{}: evaluate it",
                      in_function());
    const SpaceRef inner = fixed(one, constant(0), c->scalar.i, true);
    NodeRef content = rebase_pick(n->contents[0], inner, n->space, local(inner));
    return list_node(one, list_node(inner, content, c->scalar.i));
  }

  std::vector<NodeRef> unions(const SpaceRef& space, const std::vector<NodeRef>& nodes,
                              const ColumnRef& guard) {
    int64_t combos = 1;
    ColumnRef tag;
    for (const auto& n : nodes) {
      if (n->kind != NodeKind::union_) continue;
      const auto k = static_cast<int64_t>(n->contents.size());
      ColumnRef t = cast(n->column, DType::int64);
      tag = tag ? apply(Op::add, {apply(Op::multiply, {tag, constant(k)}), t}) : t;
      combos *= k;
    }
    std::vector<std::vector<NodeRef>> results;
    for (int64_t combo = 0; combo < combos; combo++) {
      std::vector<NodeRef> inner = nodes;
      int64_t rest = combo;
      for (size_t i = nodes.size(); i-- > 0;) {
        if (nodes[i]->kind != NodeKind::union_) continue;
        const auto k = static_cast<int64_t>(nodes[i]->contents.size());
        inner[i] = nodes[i]->contents[rest % k];
        rest /= k;
      }
      auto here = both(guard, apply(Op::equal, {tag, constant(combo)}));
      results.push_back(step(space, std::move(inner), here));
    }
    std::vector<NodeRef> out;
    for (size_t i = 0; i < results[0].size(); i++) {
      std::vector<NodeRef> contents;
      for (const auto& r : results) contents.push_back(r[i]);
      out.push_back(simplified_union(space, tag, contents));
    }
    return out;
  }

  std::vector<NodeRef> options(const SpaceRef& space, const std::vector<NodeRef>& operands,
                               const ColumnRef& guard) {
    ColumnRef valid;
    std::vector<NodeRef> nodes = operands;
    for (auto& n : nodes) {
      if (n->kind != NodeKind::option) continue;
      valid = both(valid, n->column);
      n = n->contents[0];
    }
    auto out = step(space, std::move(nodes), both(guard, valid));
    for (size_t i = 0; i < out.size(); i++) {
      out[i] = option_node(valid, out[i]);
      Parameters p = option_parameters(operands, options_.rule, i);
      if (!p.empty() && out[i]->kind == NodeKind::option)
        out[i] = with_parameters(out[i], std::move(p));
    }
    return out;
  }

  /// The space of the lists if there is only one, which all of them share; else null.
  static SpaceRef only_space(const std::vector<NodeRef>& nodes) {
    const Node* first = nullptr;
    for (const auto& n : nodes) {
      if (!is_list(*n)) continue;
      if (first == nullptr) first = n.get();
      if (n->size != first->size || !same(n->space, first->space)) return {};
    }
    return first->space;
  }

  /// Lists of one space, with what is repeated for their items: the usual case, done quickly.
  std::vector<NodeRef> same_lists(const SpaceRef& space, const std::vector<NodeRef>& nodes,
                                  const SpaceRef& child, const ColumnRef& guard) {
    std::vector<NodeRef> contents;
    contents.reserve(nodes.size());
    const Node* first = nullptr;
    Parameters parameters;
    for (const auto& n : nodes) {
      contents.push_back(is_list(*n) ? n->contents[0] : rebase_lift(n, space, child));
      if (!is_list(*n)) continue;
      if (first == nullptr) {
        first = n.get();
        parameters = n->parameters;
      } else {
        keep_common(parameters, *n);
      }
    }
    auto out = step(child, std::move(contents), guard ? parent(child, guard) : guard);
    const int64_t shown = space->kind == SpaceKind::unit ? -1 : first->size;
    for (auto& n : out) n = list_node(child, n, shown, parameters);
    return out;
  }

  /// Regular dimensions of which one is empty: so is the result.
  std::vector<NodeRef> no_lists(const SpaceRef& space, const std::vector<NodeRef>& nodes) {
    const SpaceRef child = fresh_lists(space, 0);
    const ColumnRef nowhere = constant(Scalar::boolean(false));
    std::vector<NodeRef> contents;
    for (const auto& n : nodes)
      contents.push_back(is_list(*n)
                             ? rebase_pick(n->contents[0], child, n->space, constant(0), nowhere)
                             : rebase_lift(n, space, child));
    auto out = step(child, std::move(contents), nowhere);
    for (size_t i = 0; i < out.size(); i++)
      out[i] = list_node(child, out[i], space->kind == SpaceKind::unit ? -1 : 0,
                         result_parameters(nodes, NodeKind::list, options_.rule, i));
    return out;
  }

  std::vector<NodeRef> lists(const SpaceRef& space, const std::vector<NodeRef>& nodes,
                             ColumnRef guard) {
    const bool usual = options_.rule == Rule::intersect && options_.left_broadcast;
    if (const SpaceRef child = usual ? only_space(nodes) : SpaceRef())
      return same_lists(space, nodes, child, guard);
    std::vector<int64_t> sizes(nodes.size(), 1);
    bool variable = false;
    for (size_t i = 0; i < nodes.size(); i++) {
      if (!is_list(*nodes[i])) {
        const bool repeats =
            options_.left_broadcast || space->kind == SpaceKind::unit || is_constant(*nodes[i]);
        if (repeats) continue;
        throw ValueError(fmt::format("cannot broadcast {} to lists without left_broadcast{}",
                                     type_of(*nodes[i]).str(), in_function()));
      }
      sizes[i] = regular_size(*nodes[i]);
      variable |= sizes[i] == kVar;
    }
    int64_t size = kVar;
    if (!variable) size = common_size(nodes, sizes);
    if (size == 0) return no_lists(space, nodes);
    // The lists that others follow; a dimension of 1 repeats, unless all are.
    auto stretches = [&](size_t i) { return sizes[i] == 1 && (variable || size != 1); };
    std::vector<SpaceRef> spaces(nodes.size()), distinct;
    for (size_t i = 0; i < nodes.size(); i++) {
      if (!is_list(*nodes[i]) || stretches(i)) continue;
      spaces[i] = nodes[i]->space;
      if (std::none_of(distinct.begin(), distinct.end(),
                       [&](const SpaceRef& d) { return same(d, spaces[i]); }))
        distinct.push_back(spaces[i]);
    }
    std::vector<NodeRef> contents(nodes.size());
    for (size_t i = 0; i < nodes.size(); i++) {
      contents[i] = is_list(*nodes[i]) ? nodes[i]->contents[0] : nodes[i];
    }
    if (distinct.size() > kFewLists) share_offsets(spaces, contents);
    if (distinct.size() > 1 && guard && size == kVar) {
      // Lists that nobody looks at may differ: make them empty first.
      for (size_t i = 0; i < nodes.size(); i++) {
        if (!spaces[i]) continue;
        const SpaceRef looked_at = select(spaces[i], parent(spaces[i], guard));
        contents[i] = rebase_at(contents[i], spaces[i], looked_at);
        spaces[i] = looked_at;
      }
      guard = {};
    }
    std::vector<SpaceRef> parts;
    for (const auto& s : spaces) {
      if (s) parts.push_back(s);
    }
    const SpaceRef child = align(parts, options_.where);
    for (size_t i = 0; i < nodes.size(); i++) {
      if (spaces[i]) {
        if (!same(spaces[i], child)) contents[i] = rebase_at(contents[i], spaces[i], child);
      } else if (!is_list(*nodes[i])) {
        contents[i] = rebase_lift(contents[i], space, child);
      } else {
        contents[i] = rebase_pick(contents[i], child, nodes[i]->space, constant(0));
      }
    }
    auto out = step(child, std::move(contents), guard ? parent(child, guard) : guard);
    const int64_t shown = space->kind == SpaceKind::unit || size < 0 ? -1 : size;
    for (size_t i = 0; i < out.size(); i++)
      out[i] = list_node(child, out[i], shown,
                         result_parameters(nodes, NodeKind::list, options_.rule, i));
    return out;
  }

  /// The size that regular dimensions have in common; 0 wins, then 1 stretches.
  int64_t common_size(const std::vector<NodeRef>& nodes, const std::vector<int64_t>& sizes) {
    int64_t size = 1;
    bool later = false;
    for (size_t i = 0; i < nodes.size(); i++) {
      if (!is_list(*nodes[i])) continue;
      if (sizes[i] == 0) return 0;
      if (sizes[i] == kRegularLater) later = true;
      if (sizes[i] > 1) size = std::max(size, sizes[i]);
    }
    if (later) size = kRegularLater;
    for (size_t i = 0; i < nodes.size(); i++) {
      const bool fits = !is_list(*nodes[i]) || sizes[i] <= 1 || size < 0 || sizes[i] == size;
      check<ValueError>(fits, "cannot broadcast a regular dimension of size {} with one of {}{}",
                        sizes[i], size, in_function());
    }
    return size;
  }

  std::vector<NodeRef> records(const SpaceRef& space, const std::vector<NodeRef>& nodes,
                               const ColumnRef& guard) {
    check<ValueError>(options_.allow_records, "cannot broadcast records{}", in_function());
    std::vector<const Node*> list;
    for (const auto& n : nodes) {
      if (n->kind == NodeKind::record) list.push_back(n.get());
    }
    const Node& first = *list[0];
    for (const Node* r : list) {
      check<TypeError>(r->is_tuple == first.is_tuple, "cannot broadcast a tuple against a record{}",
                       in_function());
      bool match = r->contents.size() == first.contents.size();
      for (const auto& f : *first.fields) match = match && field_index(*r, f) >= 0;
      check<ValueError>(match, "cannot broadcast records because fields don't match{}: {} and {}",
                        in_function(), type_text(first), type_text(*r));
    }
    std::vector<std::vector<NodeRef>> columns;  // [result][field]
    for (size_t f = 0; f < first.contents.size(); f++) {
      const std::string name = first.is_tuple ? std::to_string(f) : (*first.fields)[f];
      std::vector<NodeRef> inner = nodes;
      for (auto& n : inner) {
        if (n->kind == NodeKind::record) n = n->contents[field_index(*n, name)];
      }
      auto r = step(space, std::move(inner), guard);
      columns.resize(r.size());
      for (size_t i = 0; i < r.size(); i++) columns[i].push_back(r[i]);
    }
    if (columns.empty()) columns.resize(1);
    std::vector<NodeRef> out;
    for (size_t i = 0; i < columns.size(); i++) {
      Parameters p = result_parameters(nodes, NodeKind::record, options_.rule, i);
      out.push_back(first.is_tuple
                        ? tuple_node(std::move(columns[i]), std::move(p))
                        : record_node(*first.fields, std::move(columns[i]), std::move(p)));
    }
    return out;
  }

  const BroadcastOptions& options_;
  const BroadcastLeaves& leaf_;
};

}  // namespace

int purelist_depth(const graph::Node& n) {
  switch (n.kind) {
    case NodeKind::list:
      if (is_string(n)) return 1;
      {
        const int below = purelist_depth(*n.contents[0]);
        return below <= 0 ? below : below + 1;
      }
    case NodeKind::option:
      return purelist_depth(*n.contents[0]);
    case NodeKind::union_: {
      const int first = purelist_depth(*n.contents[0]);
      for (const auto& c : n.contents) {
        if (purelist_depth(*c) != first) return -1;
      }
      return first;
    }
    default:
      return 1;
  }
}

std::vector<NodeRef> broadcast_many(const SpaceRef& space, const std::vector<NodeRef>& nodes,
                                    const BroadcastOptions& options, const BroadcastLeaves& leaf) {
  return Walk(options, leaf).step(space, nodes, {});
}

NodeRef broadcast_apply(const SpaceRef& space, const std::vector<NodeRef>& nodes,
                        const BroadcastOptions& options, const BroadcastLeaf& leaf) {
  return broadcast_many(
      space, nodes, options,
      [&](const SpaceRef& s, const std::vector<NodeRef>& n) -> std::optional<std::vector<NodeRef>> {
        if (auto r = leaf(s, n)) return std::vector<NodeRef>{*std::move(r)};
        return std::nullopt;
      })[0];
}

}  // namespace serrate::ops
