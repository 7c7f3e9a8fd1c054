// The kernels of a nest: their text, and what to launch in which order. They hold nothing of the
// arrays they were made for, whose spaces and columns they name by number.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/codegen/arguments.h"
#include "cuda/codegen/emit.h"
#include "cuda/schedule/block_memory.h"
#include "cuda/schedule/schedule.h"
#include "cuda/schedule/sums.h"
#include "graph/nest.h"

namespace serrate::cuda {

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
  int owner =
      -1;  // in one block: the appended frame whose items have the lists of these, if there is one
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

/// Reductions of everything: each block leaves its part, the last one joins them. Fields.
struct UnitFold {
  std::string parts;                 // a struct per block, or "": there are none
  int64_t bytes = 0;                 // of one
  std::vector<std::string> results;  // one value each
};

struct Walk {
  Group group;
  Schedule schedule;
  bool keeps_order = false;  // a thread walks each list from its beginning, and counts
  Source items;              // that the threads share
  int lists = -1;            // object: space of the lists that items are written in, if it is asked
  std::string name;          // of the kernel
  std::vector<std::string> counts;  // kernels that count what is appended, level by level
  std::vector<Append> appends;
  UnitFold unit_fold;
  // In one block: fields. 1 if the host must know first how many there are; pinned words for it, or
  // 0.
  std::string only_counts, totals;
  /// Lists of what a filter of stored lists leaves: where the items of one begin is the number of
  /// those kept before its first. Blocks of their own look that up. Fields: which items are kept,
  /// as bits, or ""; offsets; pinned Lengths; the number of the other blocks.
  struct Kept {
    std::string bits, offsets, seen, others;
    Source lists;
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

  template <class S>
  bool is() const {
    return std::holds_alternative<S>(schedule);
  }
  int lanes() const { return lanes_of(schedule); }
  int unroll() const { return unroll_of(schedule); }
  bool resident() const { return is_resident(schedule); }
  bool reduces_all() const { return !unit_fold.parts.empty(); }
  bool by_warps() const { return is<AppendPerWarp>(); }
  bool in_one_block() const { return is<AppendInOneBlock>(); }
  /// What is appended is shared out among blocks, whatever lists it is of.
  bool balanced() const {
    const auto* const one = std::get_if<AppendInOneBlock>(&schedule);
    return is<AppendLoadBalanced>() || (one != nullptr && one->balanced);
  }
  /// It is counted for each item of the outermost loop.
  bool per_item() const { return is<AppendPerList>() || is<AppendLoadBalanced>(); }
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
  std::string text;                       // without prelude
  std::vector<std::string_view> prelude;  // what it uses of it
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

}  // namespace serrate::cuda
