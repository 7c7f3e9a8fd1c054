// Groups of equal items of lists: by hashing where a back end does that, else by sorts.
#pragma once

#include <deque>

#include "graph/ir.h"
#include "serrate/ops.h"

namespace serrate::ops {

/// The groups of each list, in the order of their keys; missing items are the last one.
struct Groups {
  graph::SpaceRef items;    ///< of the lists
  graph::SpaceRef space;    ///< positions are groups
  graph::NodeRef keys;      ///< over `space`: an item of each, the first one
  graph::ColumnRef length;  ///< over `space`: number of items
  graph::ColumnRef first;   ///< over `space`: the index of the first item in its list
  graph::ColumnRef begin;   ///< over `space`: where in `order` the group begins
  graph::ColumnRef order;   ///< over `items`: their indexes, group by group
  graph::ColumnRef number;  ///< over `items`: which group of its list it is in
  graph::SpaceRef members;  ///< lists over `space`, of which item i is that at place i of `order`,
                            ///< of a whole array; null: of others
  graph::SpaceRef stored;   ///< the same lists of other arrays, where they are stored; or null

  /// Lists of what the groups have of `n`, a tree over `items`.
  graph::NodeRef lists_of(const graph::NodeRef& n) const;
};

/// What is asked of groups besides their keys and lengths.
struct GroupsAsked {
  bool members = false;  ///< numbers of items, or their order
};

Groups groups_of(const graph::SpaceRef& items, const graph::NodeRef& keys, GroupsAsked asked);

/// The groups of each list, made once for all parts of a result.
class GroupsOnce {
 public:
  explicit GroupsOnce(GroupsAsked asked) : asked_(asked) {}
  const Groups& operator()(const graph::SpaceRef& items, const graph::NodeRef& keys);

 private:
  struct Known {
    graph::NodeRef keys;
    Groups groups;
  };
  GroupsAsked asked_;
  std::deque<Known> known_;
};

/// The different numbers of one list of them, as a list; null where groups are to find them.
graph::NodeRef distinct_numbers(const graph::NodeRef& list);

/// unique(x, axis).values alone, for which no item needs a number.
Array unique_values(const Array& x, Axis axis);

}  // namespace serrate::ops
