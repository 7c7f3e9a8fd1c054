// The kernels of a nest: their text, and what to launch in which order. They hold nothing of the
// arrays they were made for, whose spaces and columns they name by number.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "cuda/arguments.h"
#include "cuda/emit.h"
#include "cuda/groups.h"
#include "cuda/sums.h"
#include "graph/nest.h"

namespace serrate::cuda {

inline constexpr int kThreads = 256;

/// Floats in up to so many cells are added exactly, and thus the same from run to run.
inline constexpr int64_t kMostExactCells = int64_t{1} << 20;

/// Items of stored lists over a space, whose offsets two columns load, or so many for each list.
struct Summed {
  int starts = -1, stops = -1;  // objects
  Source number;
  int sign = 1;
};

/// A frame whose items are written one behind the other: a first kernel counts them, per block or
/// per item of the outermost loop.
struct Append {
  int frame = 0;
  std::string counts, begins;  // fields: items; items before it
  int owner = -1;  // alone: the appended frame whose items have the lists of these, if there is one
  int lengths = -1;  // output that is the lengths of its lists: `begins` are their offsets
  std::string seen;  // field: pinned Lengths where the kernel that counts adds up as well, or 0
  int level = 0;  // of the kernel that counts it: later ones know where earlier ones' items begin
  bool needs_room = false;        // there are outputs of as many items
  std::vector<Summed> sums;       // parts of their number, if lists' lengths are such sums,
  std::vector<LengthPart> parts;  // while it is written
  std::string total;              // field: their sum
  // Lists of lists that are written together: output that is the inner ones' lengths, fields of
  // their offsets and numbers, how many there are.
  int inner = -1;
  std::string inner_offsets, inner_seen;
  Source inner_lists;
  Source most;  // items, if that is all the room that is asked for
};

/// A reduction of everything: each block leaves its part, the last one joins them.
struct UnitFold {
  const graph::Column* column = nullptr;
  std::string parts, part_indexes;  // fields: per block
  std::string result;               // field: one value
};

/// How the threads of a kernel share its items.
enum class Schedule : uint8_t {
  lanes,   // a list is walked by 1, 2, 4 ... 32 threads
  items,   // a thread an item of a stored list, owners found by search
  binned,  // as many threads a list as its length asks for
  cut,     // few long lists, each cut into parts for many blocks
  warps    // 64 lists a warp, their tuples shared out evenly
};

/// What SERRATE_CUDA_SCHEDULE asks for, wherever it can be: "lanes", "lanes8", "binned", "cut",
/// "warps"; "memory": arguments in memory; "many": as for more items than one block counts.
struct Forced {
  int lanes = 0;
  bool binned = false, cut = false, warps = false, memory = false, many = false;
};
Forced forced_schedule();

struct Walk {
  Group group;
  Schedule schedule = Schedule::lanes;
  int lanes = 1;          // threads per item of the outermost loop
  int chunk = 1;          // items of it per thread, one after the other
  int unroll = 1;         // items of it per thread, far apart
  bool per_item = false;  // appended items are counted per item of the outermost loop
  Source items;           // that the threads share
  int lists = -1;         // object: space of the lists that items are written in, if it is asked
  std::string name;       // of the kernel
  std::vector<std::string> counts;  // kernels that count what is appended, level by level
  bool resident = false;            // no more blocks than run at once
  std::vector<Append> appends;
  std::vector<UnitFold> unit_folds;
  bool balanced = false;     // appended items are shared out, whatever lists they are of
  bool by_warps = false;     // appended items are counted per 256 items of a warp
  bool is_crowded = false;   // warps' memory of their own does not hold all its folds
  bool keeps_order = false;  // counts all filtered walks over axis 0
  bool alone = false;        // so few items that a block counts them itself before it writes them
  int levels = 1;            // alone: see Append::level
  // alone: fields. 1 if the host must know first how many there are; pinned words for it, or 0.
  std::string only_counts, totals;
  /// Lists of what a filter of stored lists leaves: where the items of one begin is the number of
  /// those kept before its first. Blocks of their own look that up. Fields: which items are kept,
  /// as bits, or ""; offsets; pinned Lengths; the number of the other blocks.
  struct Kept {
    std::string bits, offsets, seen, others;
    Source lists;
    int lengths = -1;  // output
    Group whole;       // what is walked if that is not enough
  } kept;
  struct Temporary {
    std::string field;
    Amount bytes;
    bool zero = false;  // filled with zeros first
  };
  struct Step {
    std::string kernel;
    Amount blocks;
    int threads = kThreads;
  };
  std::vector<Temporary> temporaries;  // binned
  std::vector<Step> steps;
};

/// Where an output of the nest goes.
struct Place {
  std::string field;
  int frame = 0, itemsize = 0;
  bool histogram = false;
  uint64_t nothing = 0;   // histogram: a cell before anything is added to it
  bool is_known = false;  // its size, beforehand
  Source size;
  std::string sums, join;   // histogram: field of the exact sums, kernel that makes doubles of them
  bool is_offsets = false;  // lengths of lists whose offsets are known: not written
  int shown = -1;           // number among the values that are in pinned memory, too
};

struct Kernels {
  std::string text;  // without prelude
  std::deque<Walk> walks;
  std::string unit;                 // kernel that writes what is computed over unit, or ""
  std::vector<Place> places;        // per nest output
  std::vector<Source> words;        // of the arguments
  bool is_in_memory = false;        // they are not the parameter itself
  std::string error;                // field
  std::string arrived;              // field: counts blocks that have come to their end, or ""
  std::string seen;                 // field: pinned memory with values of `unit`, or ""
  int shown = 0;                    // their number
  std::vector<int> checks;          // objects: columns that check
  std::vector<int> aligned;         // objects: spaces
  bool tells_error = true;          // what a failed check says is what the CPU finds first
  struct Module* module = nullptr;  // of the text, once it is loaded
};

/// Kernels with the objects of the nest they were made from.
struct NewKernels {
  Kernels kernels;
  std::vector<const void*> objects;
};

NewKernels generate(graph::Nest& nest, const Forced& forced = forced_schedule());

/// A histogram of doubles whose sums are exact, and the bytes of one of them (prelude/exact.h).
bool is_exact(const graph::Column& histogram);
inline constexpr int64_t kExactBytes = 73 * 8;

/// Threads per list that suit lists of about this many items.
int lanes_for(double items);

}  // namespace serrate::cuda
