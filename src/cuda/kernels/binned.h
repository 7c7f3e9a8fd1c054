// Folds over lists of any lengths, each by as many threads as suit it: prelude/binned.h says how,
// and prelude/staged.h where their items are brought to shared memory first. Walks that need
// results of earlier ones come as further kernels.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuda/kernels/items.h"

namespace serrate::cuda {

class Binned : Items {
 public:
  Binned(Writing& writing, Walk& walk) : Items(writing, walk) {}
  void write();

 private:
  /// One walk over the lists.
  struct Lists {
    int frame = 0;
    bool last = false;  // the owner's own work is done with its results
    std::string name;   // of its kernel
    const FoldStruct* fold = nullptr;
    std::string results;  // field: a struct per list, for later kernels
    // Fields, if there may be long lists, which are cut into segments: see prelude/binned.h.
    std::string number, segments, arrived, parts;
    bool cuts() const { return !number.empty(); }
  };
  /// How the lists of a block come to shared memory.
  struct Staging {
    int lists = 0;     // of a block
    int room = 0;      // for so many items at once
    size_t lines = 0;  // that an item asks for
  };

  Lists lists_of(int frame, bool last, int number);
  const Space& space_of(const Lists& b) const { return *frame(b.frame).space; }
  std::string lists_before() { return first_item(*root_of(*walk_).space); }

  Cursor& owner_cursor(Cursor& unit, Scope& s, std::vector<Asked>& asked);
  Cursor& begin_list(const Lists& b, Scope& s, std::vector<Asked>& asked);
  /// A function of list r from `start` to `stop`: the fold of what the items give that `walk`
  /// visits.
  using WalkItems = std::function<void(Cursor& owner, Scope& s)>;
  void add_fold(const Lists& b, const std::string& head, const WalkItems& walk, Scope& s);
  WalkItems shared(const Lists& b, const Share& share);
  size_t add_staged_fold(const Lists& b, const std::string& head, const std::string& loop,
                         Scope& s);
  /// The function that does the owner's own work with what the folds gave, or keeps it.
  void add_leave(const Lists& b, Scope& s);
  Text segments_of(const Lists& b);
  void add_bounds(const Lists& b, Scope& s);

  void lists_kernel(const Lists& b, int64_t per_block);
  /// The same in shared memory; false if that cannot be.
  bool staged_kernel(const Lists& b, Walk::Step& step);
  void bring_items(const Staging& g, Scope& s);
  void segments_kernel(const Lists& b);

  std::vector<Lists> finished_;  // by earlier kernels of this walk
};

}  // namespace serrate::cuda
