// What the parts of the generator share: the text that is being written, and how to name places in
// stored lists.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "cuda/codegen/folds.h"
#include "cuda/kernels/generate.h"

namespace serrate::cuda {

using namespace graph;

/// The kernels of one nest while they are written.
struct Writing {
  Writing(Nest& n, const Forced& f) : nest(n), forced(f) {}

  Nest& nest;
  Forced forced;
  Kernels kernels;
  Arguments arguments;
  Emitter emitter{nest, arguments};
  std::deque<FoldStruct> folds;
  std::vector<KernelCode> code;
  Symbol symbols = 0;  // so many are there
};

/// Owners of an item that are searched for only if the text names them; the nearest last.
struct Asked {
  Symbol name;
  Text line;
  bool by_warp = false;  // among the owners of the warp's items: owner0 ... owner1 - 1
};

class Part {
 protected:
  explicit Part(Writing& w)
      : writing_(w), nest_(w.nest), out_(&w.kernels), a_(w.arguments), e_(w.emitter) {}

  const Frame& frame(int f) const { return nest_.frames()[static_cast<size_t>(f)]; }
  /// One kernel more. `blocks`: how many should fit a multiprocessor at once.
  void add_kernel(std::string name, Scope& s, int threads = kThreads, int blocks = 1) {
    writing_.code.push_back({std::move(name), threads, blocks, std::move(s.code)});
  }
  /// The struct of these accumulators: one for all that are alike.
  const FoldStruct& fold_of(const std::vector<Folded>& folded);
  /// A variable of it, and its members.
  std::vector<Accumulator> declare_fold(const FoldStruct& fold, const std::string& name, Scope& s);

  /// Number of items before this one, where that is known without counting.
  Text ordinal(Cursor& k);
  std::string first_item(const Space& s);
  /// The item at `domain` of a stored list. `by_warp`: the space whose items a warp has side by
  /// side.
  Cursor& stored_cursor(const SpaceRef& space, const Text& domain, Cursor& unit, Scope& s,
                        std::vector<Asked>& asked, const Space* by_warp = nullptr);
  /// Items of each list of a regular space.
  Text size_of(const Space& fixed);
  /// Owners of a space's items: the first one, and the one behind the last.
  std::string owners_of(const Space& s);
  /// True if owners of the warp's items must be known for that.
  static bool add_asked(const std::vector<Asked>& asked, Scope& s);
  /// A function of the text that says where list `r` begins or ends.
  Text bound_function(const char* name, const ColumnRef& c);
  Text bound(const ColumnRef& c, const Text& r);
  /// Words that kernels count the blocks by that have come to their end.
  const std::string& arrivals();
  /// Only the threads of the block that comes last go on.
  void last_arrived(const std::string& word, const std::string& blocks, Scope& s);

  Writing& writing_;
  Nest& nest_;
  Kernels* const out_;
  Arguments& a_;
  Emitter& e_;
};

}  // namespace serrate::cuda
