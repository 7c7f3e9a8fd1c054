// What computing the values of a walk asks of the places where they are computed, found from the
// nest before anything is written.
//
// The rules are those of the emitter (emit.h), on places instead of text: which items know their
// index in their list, which reductions have been done by a frame, what is recomputed in a loop.
#pragma once

#include <vector>

#include "cuda/schedule/groups.h"
#include "graph/nest.h"

namespace serrate::cuda {

/// What of a walk's schedule these depend on.
struct WalkShape {
  const Group& group;
  bool shares_root = false;   // the root's loop is divided among threads, whatever its space
  int lanes = 1;              // threads that share what is inside an item of the root
  bool counts_items = false;  // one thread walks a list in order, and counts what filters leave
  std::vector<int> appended;  // frames whose items know how many are before them
};

struct Demands {
  bool order = false;  // an item's index that is known only where items come one after the other
  std::vector<graph::ColumnRef> unit;  // reductions of everything
  std::vector<int> positions;          // appended frames: how many items are before one
};

/// Of all that the walk writes.
Demands demands_of(const graph::Nest& nest, const WalkShape& walk);
/// Of the kernel that only counts the items of one appended frame.
Demands demands_of_count(const graph::Nest& nest, const WalkShape& walk, int frame);
/// Of what is computed over the unit space.
Demands demands_of_unit(const graph::Nest& nest);

}  // namespace serrate::cuda
