// Makes the plan of a nest: see schedule.h. Everything in it is a function of the nest and of the
// rounded facts of its spaces (facts.h).
#pragma once

#include <optional>
#include <vector>

#include "cuda/schedule/demands.h"
#include "cuda/schedule/schedule.h"

namespace serrate::cuda {

class Planner {
 public:
  Planner(graph::Nest& nest, const Forced& forced);
  Plan plan();
  /// Of a plan: see stored_before_walks.
  std::vector<graph::ColumnRef> stored_before(const Plan& p) const;

 private:
  /// A group and what is known by now of how it can be walked.
  struct Draft {
    Group group;
    int kept = -1;             // output: see AppendPerWarp::lengths
    Group whole{};             // what is walked if that is not enough
    bool keeps_order = false;  // a thread walks each list from its beginning
  };
  /// The walks of a group, and the reductions of everything that it makes and they read.
  struct Walks {
    std::vector<graph::Fold> folds;
    std::vector<WalkPlan> walks;
    std::vector<graph::ColumnRef> reads;
  };

  const graph::Frame& frame(int f) const { return nest_.frames()[static_cast<size_t>(f)]; }
  const graph::Frame& root_of(const Group& g) const { return frame(g.root); }
  static bool walks(const Group& g, int f) { return g.walks[static_cast<size_t>(f)]; }
  static bool has(const Group& g, int f);

  // -- groups
  Walks plan_group(Group g);
  WalkPlan plan_walk(Draft d, std::vector<graph::ColumnRef>& reads);
  void keep_order(Draft& d) const;
  void leave_appended(Group& g) const;
  static void find_levels(std::vector<Counted>& counted, const std::vector<std::vector<int>>& asks);
  /// Are counting and writing better balanced each by itself?
  bool split(const Group& g);
  /// The output that is the lengths of the lists of kept items, if that is all that `lists` is for.
  int kept_lengths(const Group& lists, const std::vector<Group>& all_items) const;

  // -- what is counted: plan_appends.cpp
  /// Frames of the group with outputs of unknown size.
  std::vector<int> appended_frames(const Group& g) const;
  /// Is the index among what this filter leaves, along axis 0, counted in the walk?
  static bool is_counted(const Draft& d, const graph::Frame& f);
  bool are_filtered_rows(const Draft& d, int appended) const;
  std::vector<Counted> counted_frames(const Draft& d) const;
  /// Offsets that take the place of outputs which are lengths.
  void use_offsets(const Draft& d, std::vector<Counted>& counted) const;
  void use_offsets_in_block(const Draft& d, std::vector<Counted>& counted) const;
  bool can_balance(const Draft& d, const std::vector<Counted>& counted, bool in_block) const;
  Schedule choose_append(const Draft& d, std::vector<Counted>& counted) const;

  // -- schedules: choose.cpp
  Schedule choose(const Draft& d, std::vector<Counted>& counted) const;
  bool is_few(const Group& g) const;
  bool reads_few() const;
  bool folds_in_any_order(const Draft& d) const;
  /// Are stored lists all that is walked, regular ones or others, and folded in any order?
  bool folds_stored_lists(const Draft& d) const;
  bool can_bin(const Draft& d) const;
  /// Is some list much longer than the others?
  bool is_skewed(const Group& g, int lanes) const;
  /// Would a few threads walk all of the items, each for long?
  bool is_starved(const Group& g, double longest, int lanes) const;
  bool has_lists(const Group& g, int f) const;
  bool can_share_tuples(const Draft& d) const;
  /// Are there few of the lists' owners, whose number is known?
  bool has_few(const Group& g) const;
  /// Are these lists long enough to be split, as far as is known?
  bool are_long(const graph::SpaceRef& lists) const;
  int split_frame(const Draft& d) const;
  void add_folds(int f, int into, std::vector<graph::ColumnRef>& out) const;
  /// Reductions of long lists inside of the lists that are walked.
  void nested_before(const Group& g, std::vector<graph::ColumnRef>& out) const;
  /// Reductions of few long lists that say how many items are appended.
  void lengths_before(const Group& g, std::vector<graph::ColumnRef>& out) const;

  graph::Nest& nest_;
  const Forced forced_;
  std::vector<bool> is_known_;  // the size of each output
  mutable std::optional<bool> reads_few_;
};

}  // namespace serrate::cuda
