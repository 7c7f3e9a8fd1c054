// Items of unknown number: they are counted before they are written, so that each thread knows
// where its own begin.
//
// Count, scan, write: a first kernel counts, for each item of the outermost loop, each warp or each
// block; the counts are added up; a second one writes. What is counted may depend on positions
// among items that are counted too: those are counted in a kernel before (find_levels in plan.cpp).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cuda/kernels/threads.h"

namespace serrate::cuda {

class Appends : public Threads {
 public:
  Appends(Writing& writing, Walk& walk) : Threads(writing, walk) {}
  void write(const std::vector<Counted>& counted);

 protected:
  void begin(int counting, Cursor& unit, Scope& s) override;
  void end(Scope& s) override;
  void walk_items(Cursor& unit, Scope& s) override;

  /// What is appended of the frames, and where their items begin.
  void append_all(const std::vector<Counted>& counted);
  /// The kernels that count, in levels, one behind the other.
  void count_kernels();
  int levels() const;
  /// Where the items of this thread begin, of what was counted in kernels before.
  void find_begins(Cursor& unit, Scope& s, int levels);
  /// The length that an output has is told by offsets.
  void finish_lists(Scope& s);
  void say_totals(Scope& s);

 private:
  // -- by warps, of stored items
  void keep_bits();
  void kept_lists(Scope& s);
  void warp_items(Cursor& unit, Scope& s);
  void add_up_counts(Scope& s);
  void append(const Counted& counted);
  /// In one block: each thread learns where its own items of a level begin.
  void begin_alone(int level, Scope& s);
};

/// Load-balanced writes of the items of lists whose lengths need no walk: see balanced.cpp.
class Balanced : Appends {
 public:
  Balanced(Writing& writing, Walk& walk) : Appends(writing, walk) {}
  void write(const std::vector<Counted>& counted);

 private:
  void sum_lengths();
  void use_inner_offsets();
  void main_kernel();
  void count_alone(const std::string& lists, Scope& s);
  void add_begin(Scope& s);
  void item_of_lists(std::span<const int> path, Cursor& owner, const std::string& index, Scope& s);
  void add_item(Scope& s);
  void inner_offsets_kernel();
};

}  // namespace serrate::cuda
