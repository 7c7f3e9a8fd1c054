// Broadcasting: one recursive walk over several trees; each level is one of Awkward's cases.
#include "ops/tree/broadcast.h"

#include <algorithm>

#include "graph/type_text.h"
#include "ops/tree/broadcast_parameters.h"
#include "ops/tree/broadcast_walk.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

namespace {

template <class F>
bool any(const std::vector<NodeRef>& nodes, F&& f) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const NodeRef& n) { return f(*n); });
}

}  // namespace

BroadcastWalk::Nodes BroadcastWalk::step(const SpaceRef& space, Nodes nodes,
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

std::string BroadcastWalk::in_function() const {
  return options_.where.empty() ? "" : fmt::format(" in `{}`", options_.where);
}

BroadcastWalk::Nodes BroadcastWalk::unions(const SpaceRef& space, const Nodes& nodes,
                                           const Guard& guard) {
  int64_t combos = 1;
  ColumnRef tag;
  for (const auto& n : nodes) {
    if (n->kind != NodeKind::union_) continue;
    const auto k = static_cast<int64_t>(n->contents.size());
    ColumnRef t = cast(n->column, DType::int64);
    tag = tag ? apply(Op::add, {apply(Op::multiply, {tag, constant(k)}), t}) : t;
    combos *= k;
  }
  std::vector<Nodes> results;
  for (int64_t combo = 0; combo < combos; combo++) {
    Nodes inner = nodes;
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
  Nodes out;
  for (size_t i = 0; i < results[0].size(); i++) {
    Nodes contents;
    for (const auto& r : results) contents.push_back(r[i]);
    out.push_back(simplified_union(space, tag, contents));
  }
  return out;
}

BroadcastWalk::Nodes BroadcastWalk::options(const SpaceRef& space, const Nodes& operands,
                                            const Guard& guard) {
  ColumnRef valid;
  Nodes nodes = operands;
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

BroadcastWalk::Nodes BroadcastWalk::records(const SpaceRef& space, const Nodes& nodes,
                                            const Guard& guard) {
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
  std::vector<Nodes> columns;  // [result][field]
  for (size_t f = 0; f < first.contents.size(); f++) {
    const std::string name = first.is_tuple ? std::to_string(f) : (*first.fields)[f];
    Nodes inner = nodes;
    for (auto& n : inner) {
      if (n->kind == NodeKind::record) n = n->contents[field_index(*n, name)];
    }
    auto r = step(space, std::move(inner), guard);
    columns.resize(r.size());
    for (size_t i = 0; i < r.size(); i++) columns[i].push_back(r[i]);
  }
  if (columns.empty()) columns.resize(1);
  Nodes out;
  for (size_t i = 0; i < columns.size(); i++) {
    Parameters p = result_parameters(nodes, NodeKind::record, options_.rule, i);
    out.push_back(first.is_tuple ? tuple_node(std::move(columns[i]), std::move(p))
                                 : record_node(*first.fields, std::move(columns[i]), std::move(p)));
  }
  return out;
}

std::vector<NodeRef> broadcast_many(const SpaceRef& space, const std::vector<NodeRef>& nodes,
                                    const BroadcastOptions& options, const BroadcastLeaves& leaf) {
  return BroadcastWalk(options, leaf).step(space, nodes, {});
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
