// Broadcasting of lists: see broadcast_walk.h.
#include <algorithm>

#include "core/seams.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/materialise.h"
#include "graph/type_text.h"
#include "ops/tree/broadcast_parameters.h"
#include "ops/tree/broadcast_walk.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/share_offsets.h"
#include "ops/tree/trimmed.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

namespace {

constexpr int64_t kVar = -1;        // lists of variable length
constexpr int64_t kOneLength = -2;  // axis 0 of all operands has the same length, whichever it is

/// Axis 0 counts as a regular dimension, whose size says what repeats: see length_of().
int64_t regular_size(const Node& n) {
  if (n.size >= 0) return n.size;
  return n.space->parent->kind == SpaceKind::unit ? length_of(n.space) : kVar;
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

/// The space of the lists if there is only one, which all of them share; else null.
SpaceRef only_space(const std::vector<NodeRef>& nodes) {
  const Node* first = nullptr;
  for (const auto& n : nodes) {
    if (!is_list(*n)) continue;
    if (first == nullptr) first = n.get();
    if (n->size != first->size || !same(n->space, first->space)) return {};
  }
  return first->space;
}

/// Regular lists of this size in different spaces as lists of one of these: item i of each is at
/// its own place, and there is nothing to compare.
void share_regular(const SpaceRef& space, int64_t size, std::vector<SpaceRef>& spaces,
                   std::vector<NodeRef>& contents) {
  const auto is_regular = [&](const SpaceRef& s) {
    return !s || (s->kind == SpaceKind::fixed && s->size == size);
  };
  if (!std::ranges::all_of(spaces, is_regular)) return;
  const auto found =
      std::ranges::find_if(spaces, [](const SpaceRef& s) { return s && is_stored(s); });
  const SpaceRef one = found != spaces.end() ? *found : adjacent_lists(space, size);
  for (size_t i = 0; i < spaces.size(); i++) {
    if (!spaces[i] || same(spaces[i], one)) continue;
    contents[i] = rebase_pick(contents[i], one, spaces[i], local(one));
    spaces[i] = one;
  }
}

/// Lists of one item that are about to be repeated. What is reduced inside of these lists would be
/// reduced again for each of the repetitions.
NodeRef repeated(const SpaceRef& space, const NodeRef& n) {
  const bool outermost = space->kind == SpaceKind::unit;
  if (!has_reductions(*n->contents[0]) || (!outermost && !is_list(*n->contents[0]))) return n;
  if (outermost) return evaluate(n);
  return is_stored(space) ? stored_items(space, n).items : n;
}

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

void BroadcastWalk::pad_regular(const SpaceRef& space, Nodes& nodes) const {
  if (std::none_of(nodes.begin(), nodes.end(), [](const NodeRef& n) { return is_list(*n); }))
    return;
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

NodeRef BroadcastWalk::pad(const SpaceRef& space, const NodeRef& n) const {
  if (space->kind != SpaceKind::unit) {
    const SpaceRef one = adjacent_lists(space, 1);
    return list_node(one, rebase_lift(n, space, one), 1);
  }
  // The rows become the second dimension.
  const SpaceRef one = rows(1);
  const int64_t length = length_of(n->space);
  const SpaceRef inner = fixed(one, constant(0), length, true);
  NodeRef content = rebase_pick(n->contents[0], inner, n->space, local(inner));
  return list_node(one, list_node(inner, content, length));
}

BroadcastWalk::Nodes BroadcastWalk::under_lists(const SpaceRef& space, const SpaceRef& child,
                                                int64_t size, const Nodes& operands,
                                                Nodes results) const {
  const int64_t shown = space->kind == SpaceKind::unit || size < 0 ? -1 : size;
  for (size_t i = 0; i < results.size(); i++)
    results[i] = list_node(child, results[i], shown,
                           result_parameters(operands, NodeKind::list, options_.rule, i));
  return results;
}

BroadcastWalk::Nodes BroadcastWalk::same_lists(const SpaceRef& space, const Nodes& nodes,
                                               const SpaceRef& child, const Guard& guard) {
  Nodes contents;
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

BroadcastWalk::Nodes BroadcastWalk::no_lists(const SpaceRef& space, const Nodes& nodes) {
  const SpaceRef child = fresh_lists(space, 0);
  const ColumnRef nowhere = constant(Scalar::boolean(false));
  Nodes contents;
  for (const auto& n : nodes)
    contents.push_back(is_list(*n)
                           ? rebase_pick(n->contents[0], child, n->space, constant(0), nowhere)
                           : rebase_lift(n, space, child));
  return under_lists(space, child, 0, nodes, step(child, std::move(contents), nowhere));
}

BroadcastWalk::Dimension BroadcastWalk::dimension(const SpaceRef& space, const Nodes& nodes) const {
  Dimension d;
  d.sizes.assign(nodes.size(), 1);
  const bool one_length = space->kind == SpaceKind::unit && only_space(nodes);
  for (size_t i = 0; i < nodes.size(); i++) {
    if (is_list(*nodes[i])) {
      d.sizes[i] = one_length ? kOneLength : regular_size(*nodes[i]);
      d.variable |= d.sizes[i] == kVar;
      continue;
    }
    const bool repeats =
        options_.left_broadcast || space->kind == SpaceKind::unit || is_everywhere(*nodes[i]);
    if (!repeats)
      throw ValueError(fmt::format("cannot broadcast {} to lists without left_broadcast{}",
                                   type_text(*nodes[i]), in_function()));
  }
  d.size = d.variable ? kVar : common_size(nodes, d.sizes);
  return d;
}

BroadcastWalk::Nodes BroadcastWalk::lists(const SpaceRef& space, const Nodes& nodes, Guard guard) {
  const bool usual = options_.rule == BroadcastOptions::Rule::intersect && options_.left_broadcast;
  if (const SpaceRef child = usual ? only_space(nodes) : SpaceRef())
    return same_lists(space, nodes, child, guard);
  const Dimension d = dimension(space, nodes);
  if (d.size == 0) return no_lists(space, nodes);
  // The lists that others follow.
  std::vector<SpaceRef> spaces(nodes.size()), distinct;
  Nodes contents = nodes;
  for (size_t i = 0; i < nodes.size(); i++) {
    if (!is_list(*nodes[i])) continue;
    contents[i] = nodes[i]->contents[0];
    if (!d.stretches(i)) spaces[i] = nodes[i]->space;
  }
  share_trimmed(spaces, contents);
  for (size_t i = 0; i < nodes.size(); i++) {
    if (!spaces[i]) continue;
    if (std::none_of(distinct.begin(), distinct.end(),
                     [&](const SpaceRef& s) { return same(s, spaces[i]); }))
      distinct.push_back(spaces[i]);
  }
  // A GPU compares few while they are walked; of a hundred columns each expression would walk a
  // hundred offsets for its three, and a compiler of kernels take seconds.
  if (distinct.size() > 1)
    share_offsets(spaces, contents, distinct.size() > static_cast<size_t>(seams().aligned));
  if (distinct.size() > 1 && !guard && d.size > 0) share_regular(space, d.size, spaces, contents);
  if (distinct.size() > 1 && guard && d.size == kVar) {
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
      const NodeRef n = repeated(space, nodes[i]);
      contents[i] = rebase_pick(n->contents[0], child, n->space, constant(0));
    }
  }
  return under_lists(space, child, d.size, nodes,
                     step(child, std::move(contents), guard ? parent(child, guard) : guard));
}

int64_t BroadcastWalk::common_size(const Nodes& nodes, const std::vector<int64_t>& sizes) const {
  int64_t size = 1;
  for (size_t i = 0; i < nodes.size(); i++) {
    if (!is_list(*nodes[i])) continue;
    if (sizes[i] == 0) return 0;
    if (sizes[i] == kOneLength) return kOneLength;
    if (sizes[i] > 1) size = std::max(size, sizes[i]);
  }
  for (size_t i = 0; i < nodes.size(); i++) {
    const bool fits = !is_list(*nodes[i]) || sizes[i] <= 1 || sizes[i] == size;
    check<ValueError>(fits, "cannot broadcast a regular dimension of size {} with one of {}{}",
                      sizes[i], size, in_function());
  }
  return size;
}

}  // namespace serrate::ops
