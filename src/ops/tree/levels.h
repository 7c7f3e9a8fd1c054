// Finding the list level that axis= means, and the small looks at data that some types depend on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/ir.h"

namespace serrate::ops {

/// List levels below a node, itself included (0: a number, a string, a record of numbers): the
/// fewest and the most over all fields and union contents.
struct Levels {
  int min = 0, max = 0;
  bool operator==(const Levels&) const = default;
};
Levels levels(const graph::Node& n);

/// `axis` counted from the outermost list, seen from a node with `level` lists above. None where a
/// negative axis means different levels in different fields: ask again further in.
std::optional<int> positive_axis(const graph::Node& n, int axis, int level);

/// `guard` is a column over the parent of the list's space, or null: where it is false nobody
/// looks.
using OnList =
    std::function<graph::NodeRef(const graph::NodeRef& list, const graph::ColumnRef& guard)>;
struct AxisOptions {
  bool simplify = false;  ///< unions of what then has one type become that type
  bool strings = false;   ///< strings are lists too, for axes counted from the outside
  bool unknown = false;   ///< arrays of unknown type stay as they are, at any axis
  bool skip = false;      ///< fields that are not deep enough for a negative axis stay, too
};
/// Replaces every list node at `axis` by what `f` makes of it; AxisError where there is none.
graph::NodeRef at_axis(const graph::NodeRef& root, int axis, std::string_view where,
                       const OnList& f, AxisOptions options = {});
[[noreturn]] void axis_too_large(std::string_view where, int axis, int depth);

/// a and b; either may be null (always true).
graph::ColumnRef both(const graph::ColumnRef& a, const graph::ColumnRef& b);
/// Where a union has its member k.
graph::ColumnRef is_member(const graph::Node& u, size_t k);

/// Integers side by side in the host's memory, and what keeps them.
struct HostIntegers {
  graph::NodeRef stored;
  std::vector<int64_t> same;  // where all are one number
  const int64_t* data = nullptr;
  int64_t size = 0;
};
/// Values of an integer list over the unit space, computed now; and a copy of them.
HostIntegers integers_on_host(const graph::NodeRef& list);
std::vector<int64_t> look_at_integers(const graph::NodeRef& list);
/// Length that the type shows: of regular lists and of whole arrays (looked at if need be); -1 for
/// var lists.
int64_t shown_size(const graph::Node& list);
/// n over `from` repeated for every position of `to`; whole arrays become regular lists.
graph::NodeRef lift_node(const graph::NodeRef& n, const graph::SpaceRef& from,
                         const graph::SpaceRef& to);
/// Lists 0 .. size-1 over `parent`: rows for the unit space.
graph::SpaceRef fresh_lists(const graph::SpaceRef& parent, int64_t size);
/// The same with lengths from a column over `parent`.
graph::SpaceRef fresh_lists(const graph::SpaceRef& parent, const graph::ColumnRef& size);

/// The same, one behind the other where `parent` has positions: stored as they are.
graph::SpaceRef adjacent_lists(const graph::SpaceRef& parent, int64_t size);

/// What tuples of the items of a list are made of: the list; one over axis 0 that nothing of is
/// stored is evaluated if it is on a GPU, whose threads share its tuples and could not tell which.
graph::NodeRef tuple_base(const graph::NodeRef& list);

/// Lists over `space` as regular ones (ValueError if their lengths differ): looks at the lengths.
graph::NodeRef regular_list(const graph::SpaceRef& space, const graph::NodeRef& list,
                            const graph::ColumnRef& guard);

}  // namespace serrate::ops
