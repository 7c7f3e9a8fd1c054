// Tuples of short lists: a warp takes 64 lists and shares out their tuples evenly.
#pragma once

#include <string>
#include <vector>

#include "cuda/kernels/threads.h"

namespace serrate::cuda {

class Tuples : public Threads {
 public:
  Tuples(Writing& writing, Walk& walk) : Threads(writing, walk) {}

 private:
  /// The tuples of one frame; names of shared memory.
  struct Of {
    struct Base {
      SpaceRef space;
      std::string starts, lengths;  // starts: as ints, or ""
    };
    int frame = 0;
    bool narrow = false;  // an int counts a warp's tuples
    std::string number() const { return narrow ? "int" : "long long"; }
    std::string counts;          // variable: tuples of a lane's own lists
    std::string owners, firsts;  // of lists with tuples: their number; their first tuple
    std::vector<Base> bases;     // of these, too
    const FoldStruct* fold = nullptr;
    std::string known;  // what is known of each list
  };

  void walk_items(Cursor& unit, Scope& s) override;
  // Of the warps that tuples keep busy, more hide the wait for memory.
  int blocks_that_fit() const override { return 5; }

  /// Memory of a warp for something of each of its lists.
  std::string memory(const std::string& type, Extent at, const char* prefix, Scope& s);
  Of tuples_of(int frame, Scope& s);
  void add_function(const std::string& head, Scope& own, const std::vector<Asked>& asked,
                    const Text& gives, Scope& s);
  Cursor& list(bool own, Cursor& unit, Scope& s, std::vector<Asked>& asked);
  void all_tuples(const Of& t, Cursor& unit, Scope& s);
  void count(const Of& t, Cursor& unit, Scope& s, std::vector<Asked>& asked);
  void one_tuple(const Of& t, Cursor& unit, Scope& s);
  void own_lists(Cursor& unit, Scope& s);

  int bytes_ = 0;         // of shared memory, for a warp
  std::vector<Of> done_;  // of the warp's lists, by now
};

}  // namespace serrate::cuda
