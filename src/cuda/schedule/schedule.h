// How the threads of a kernel share its items: what is decided before anything is written.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cuda/schedule/groups.h"
#include "graph/nest.h"

namespace serrate::cuda {

inline constexpr int kThreads = 256;

// Where the number of all that is written is known beforehand. `resident`: no more blocks than run
// at once, as each has something to add up at its end. `unroll`: items a thread, far apart.

/// 1, 2, 4 ... 32 lanes walk the list of each item of the outermost loop.
struct LanesPerList {
  int lanes = 1, unroll = 1;
  bool resident = false;
};
/// A thread an item of a stored list, which has no lists itself; its owners are found by bisection,
/// if somebody asks.
struct ThreadPerItem {
  int unroll = 1;
  bool resident = false;
};
/// A warp has 64 lists, whose tuples its lanes share out evenly.
struct TuplesPerWarp {
  bool resident = false;
};
/// As many threads a list as its length asks for.
struct BinnedByLength {};
/// Few long lists, those of one frame, each split among many blocks.
struct SplitLists {
  int frame = -1;
};

// Where that is not known: a kernel that counts comes first, and a scan of the counts.

/// Counts for each item of the outermost loop.
struct AppendPerList {};
/// The same; in the second kernel each block has equally many of the items that are written.
struct AppendLoadBalanced {};
/// Counts for each block, whose threads have ranges of items in their order, or `chunk` items of a
/// stored list.
struct AppendPerBlock {
  int chunk = 1;
};
/// Counts for each warp, of 256 items of a stored list.
struct AppendPerWarp {
  int lengths = -1;  // output: of the lists that a filter leaves something of, looked up in bits
};
/// So few items that each block counts all of them itself before it writes.
struct AppendInOneBlock {
  bool balanced = false;  // blocks share out what they write
};

using Schedule = std::variant<LanesPerList, ThreadPerItem, TuplesPerWarp, BinnedByLength,
                              SplitLists, AppendPerList, AppendLoadBalanced, AppendPerBlock,
                              AppendPerWarp, AppendInOneBlock>;

/// Lanes that share what is inside an item of the outermost loop.
int lanes_of(const Schedule& s);
int unroll_of(const Schedule& s);
bool is_resident(const Schedule& s);
/// Items of the outermost loop a thread, where blocks are not limited.
int items_per_thread(const Schedule& s);

/// A frame whose items are counted before anything is written, or along the way.
struct Counted {
  int frame = 0;
  int level = 0;  // of the kernel that counts it: later ones know where earlier ones' items begin
  int lengths = -1;  // output that is the lengths of its lists: their offsets are written instead
  int owner = -1;    // in one block: the counted frame whose items have these lists, if one does
};

/// What one group's kernels do.
struct WalkPlan {
  Group group;
  Schedule schedule;
  bool keeps_order = false;  // a thread walks each list from its beginning, and counts
  std::vector<Counted> counted;
};

/// What SERRATE_CUDA_SCHEDULE asks for, wherever it can be: "lanes", "lanes8", "binned", "cut",
/// "warps"; "memory": arguments in memory; "many": as for more items than one block counts.
struct Forced {
  int lanes = 0;
  bool binned = false, cut = false, warps = false, memory = false, many = false;
};
Forced forced_schedule();

/// The walks of a nest in their order. `missing`: a reduction of everything that something reads
/// and no walk makes; then it must be added to the nest.
struct Plan {
  std::vector<WalkPlan> walks;
  graph::ColumnRef missing;
};
Plan plan(graph::Nest& nest, const Forced& forced = forced_schedule());

/// Reductions that later walks over the same few long lists wait for: stored before, each walk is
/// shared by many blocks (SplitLists).
std::vector<graph::ColumnRef> stored_before_walks(graph::Nest& nest);

/// Threads per list that suit lists of about this many items.
int lanes_for(double items);
/// The frames from a walk's items down to those of the lists that are appended: filters of the
/// walk's items or these as one list, then lists of which each is as long as the others of its
/// owner. Empty where there is more between them, so that only a walk tells an item's place.
std::vector<int> balanced_path(const graph::Nest& nest, int root, int appended);
/// Items of a group's outermost loop, rounded; 0 where they are not known.
double walked_items(const Group& g, const graph::SpaceRef& root);
/// Items of each list, where they are equally many, as its facts have it; else -1.
double equal_lengths(const graph::SpaceRef& s);
/// The same, and of tuples their average number, of slices of lists what is likely: 0 of short
/// ones, infinity where nothing is known.
double expected_length(const graph::SpaceRef& s);

}  // namespace serrate::cuda
