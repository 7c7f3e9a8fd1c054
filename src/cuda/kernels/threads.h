// Kernels whose threads share the items of the outermost loop: the frame of a walk's main kernel,
// and the schedules LanesPerList and ThreadPerItem.
#pragma once

#include <string>
#include <vector>

#include "cuda/kernels/items.h"

namespace serrate::cuda {

class Threads : protected Items {
 public:
  Threads(Writing& writing, Walk& walk) : Items(writing, walk) {}
  virtual ~Threads() = default;
  void write() { add_main(); }

 protected:
  void add_main() { writing_.code.push_back(kernel(walk_->name, -1)); }
  /// counting: the level of what this kernel counts, or -1 for the one that does all else.
  KernelCode kernel(const std::string& name, int counting);
  /// The walk over what the threads share, as a function that a failed check leaves.
  void threads_walk(Cursor& unit, Scope& s);

  // What schedules do otherwise.
  virtual void walk_items(Cursor& unit, Scope& s);
  virtual void begin(int, Cursor&, Scope&) {}
  virtual void end(Scope&) {}
  virtual int blocks_that_fit() const { return 1; }

 private:
  Share share_of_thread(Scope& s);
  void share_items(Cursor& unit, Scope& s);
  /// A thread, or several lanes, an item of a stored list. Who owns it is searched for only if
  /// somebody asks.
  void stored_items(Cursor& unit, Scope& s);
  /// Joins the threads of a block; and the block that comes last joins the parts of all.
  const FoldStruct* unit_fold();
  void join_unit_folds(const FoldStruct& fold, const std::string& seen, Scope& s);
};

}  // namespace serrate::cuda
