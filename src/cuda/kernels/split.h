// Few long lists, of derived spaces too (sums along axis 0): each is split into as many parts as
// keep all blocks busy; the block that comes last to a list's parts joins them in order.
#pragma once

#include "cuda/kernels/items.h"

namespace serrate::cuda {

class Split : Items {
 public:
  Split(Writing& writing, Walk& walk) : Items(writing, walk) {}
  /// The lists of one frame.
  void write(int frame);

 private:
  int64_t parts_of(int frame) const;
  Cursor& owner_of_list(Scope& whole, Scope& s, std::vector<Asked>& asked);
  void add_part(int frame, const FoldStruct& fold, const std::string& parts, Scope& s);
  void add_leave(const FoldStruct& fold, Scope& s);
};

}  // namespace serrate::cuda
