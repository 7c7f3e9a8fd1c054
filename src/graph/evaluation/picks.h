// Picks from derived lists that are stored before: see picks.cpp.
#pragma once

#include "graph/ir.h"

namespace serrate::graph {

/// A column that looks at items of a derived list by their index: a pick, or what an `aligned`
/// position sees of a derived base. Nothing of a derived list is stored, so a GPU counts its way to
/// each of these items. The list is stored first where that is too slow: where lists may be long,
/// or where what is looked at counts its way, too, as text and work would multiply with the depth.
/// What an argmin or argmax carries along (graph/extremes.h) is not looked for.
struct LongPick {
  SpaceRef over;     // null: it is no such column
  ColumnRef column;  // over it
  ColumnRef index, guard;
};
LongPick long_pick(const Column& c);
/// The same of a column that looks at items of a derived list, however long that may be.
LongPick looked_at(const Column& c);

/// The tree that must be stored before.
NodeRef picked_input(const LongPick& p);
/// A column over `space` that loads what is picked from the stored tree.
ColumnRef picked(const LongPick& p, const SpaceRef& space, const NodeRef& stored);

}  // namespace serrate::graph
