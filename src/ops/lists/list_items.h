// Operations on the items of whole lists along one axis, whatever lists are inside of them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "graph/ir.h"
#include "serrate/array.h"

namespace serrate::ops {

/// Replaces the items of each list of `space`. `items` over it is a leaf, a string, a union of
/// these, an option of one of them, or unknown; so is the result, over the same space.
using OnItems =
    std::function<graph::NodeRef(const graph::SpaceRef& space, const graph::NodeRef& items)>;

struct ItemsOptions {
  std::string name;                  ///< for messages
  std::optional<int> axis;           ///< none: all leaves are one list
  bool records = false;              ///< each field on its own; else TypeError
  bool positions = false;            ///< the result tells positions in the lists
  bool missing_last = false;         ///< missing lists and records go to the end of the axis
  std::optional<Reducer> scan = {};  ///< the result is that of a scan, with these running results
};

/// Calls f for the lists at an axis. If there are lists inside of those, the j-th items of all
/// lists that have one are a list for f, and results go back in that order.
/// AxisError, TypeError for records, ValueError for unions.
graph::NodeRef map_items(const graph::NodeRef& root, const ItemsOptions& options, const OnItems& f);

/// Replaces the innermost lists: those of numbers, strings, records or unions of these. f gets the
/// owner of the lists and a list node over it, whose items may be options, and gives a node over
/// the same space. axis: that of the innermost lists, or none: all items are one list.
using OnLists =
    std::function<graph::NodeRef(const graph::SpaceRef& space, const graph::NodeRef& list)>;
graph::NodeRef innermost_lists(const graph::NodeRef& root, const std::string& name,
                               std::optional<int> axis, const OnLists& f);

/// The same along any axis. The lists of an outer one hold the j-th items of all lists that have
/// one; what f makes of them stands where a reducer has its result. `place` over the items: their
/// indexes along the axis, if these are asked for, as they are stored beside the items. `numbers`:
/// f gives no lists.
using OnListsAlong = std::function<graph::NodeRef(
    const graph::SpaceRef& space, const graph::NodeRef& list, const graph::ColumnRef& place)>;
graph::NodeRef lists_along(const graph::NodeRef& root, const std::string& name,
                           std::optional<int> axis, bool with_place, const OnListsAlong& f,
                           bool numbers = false);

/// Whether the axis, which is none or may be none of the array's, has lists inside.
bool is_outer_axis(const graph::Node& root, std::optional<int> axis);

/// List levels above the numbers or the outermost records.
int lists_above(const graph::Node& n);

/// Where an item of `space` is not what its predecessor in the list is. NaN are all different, or
/// all the same where items are in order (`in_order`); so are missing items always.
graph::ColumnRef starts_run(const graph::SpaceRef& space, const graph::NodeRef& items,
                            bool in_order);

/// The runs that begin where `starts` holds: positions are runs.
struct Runs {
  graph::SpaceRef space;    // select(items, starts), or lists that say where runs begin
  graph::ColumnRef first;   // index of the first item in its list
  graph::ColumnRef length;  // number of items
};
Runs runs_of(const graph::SpaceRef& items, const graph::ColumnRef& starts);
/// The same where runs begin is stored now.
Runs stored_runs_of(const graph::SpaceRef& items, const graph::ColumnRef& starts);
/// Should where runs begin be stored, as a back end that counts its way to them would walk long
/// lists by a thread each? What `starts` is made of should be stored before, too.
bool should_store_runs(const graph::SpaceRef& items);
/// The same of what a filter leaves of long lists, where indexes in these are asked for: evaluates
/// the array, in its handle.
void store_to_tell_indexes(const Array& x);

}  // namespace serrate::ops
