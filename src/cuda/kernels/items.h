// What is done at one item of a walk's frames: values, folds, filters, sinks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuda/kernels/histograms.h"

namespace serrate::cuda {

class Items : protected Part {
 protected:
  Items(Writing& writing, Walk& walk) : Part(writing), walk_(&walk), histograms_(writing) {}

  const Frame& root_of(const Walk& w) const { return frame(w.group.root); }
  Cursor& any_item(const SpaceRef& space, Cursor& owner);
  /// What is known of a kernel is forgotten where the next one begins.
  void begin_kernel(int counting = -1);
  /// Does this kernel only count, items of a level?
  bool counts() const { return counting_ >= 0; }
  /// Is it known where the items of this level begin?
  bool is_begun(int level) const { return !counts() || level < counting_; }

  /// What is folded into frame `into` by frame f and the frames inside it.
  std::vector<const Column*> folds_into(int f, int into);
  /// The same as a struct; indexes of the lists of frame f itself are ints, if `narrow`.
  const FoldStruct& struct_of(int f, int into, bool narrow);
  const Accumulator* find_fold(const Column* c, int into) const;
  bool is_walked(int f) const { return walk_->group.walks[static_cast<size_t>(f)]; }
  bool is_ours(int f) const;

  /// What is done at one item of a frame.
  void body(int f, Cursor& k, Scope& s);
  void sinks(int f, Cursor& k, Scope& s, const Text& q);
  std::string* position_of(int f);
  Text balanced_length(int f, Cursor& k);

  Walk* walk_;
  int counting_ = -1;
  std::vector<std::pair<int, Accumulator>> folds_;      // into frame
  std::vector<std::pair<int, std::string>> positions_;  // appended frames
  std::vector<const Column*> unfolded_;  // lengths that the appended items' offsets tell
  Histograms histograms_;

 private:
  void collect(int f, int into, std::vector<const Column*>& out);
  /// All lanes see the outermost items, and what filters choose of them; they share what is inside.
  bool is_seen_by_all(int f) const;
  const Append* append_of(int f) const;
  bool leads_to_append(int f);
  bool is_known(const Column* c) const;
  void child(int c, int f, Cursor& k, Scope& s, bool shares);
  void shared_child(int c, int f, Cursor& k, Scope& s);
  /// Variables that count the items of filters inside frame c, whose lists begin with those of f.
  void count_filters(int c, int f, Scope& s);
  Text counter_of(int f) const;
  void filtered(int c, Cursor& k, Scope& s);
  /// In one block: offsets of the lists whose items are counted, at the item that has them.
  void begin_lists(int f, Cursor& k, Scope& s);
  void end_lists(int f, Scope& s);

  std::vector<std::pair<int, std::string>> counters_;  // filters
};

}  // namespace serrate::cuda
