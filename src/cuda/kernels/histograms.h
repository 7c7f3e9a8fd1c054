// Histograms: each block counts in shared memory, several copies of it, and adds up what it has at
// the end. Sums of doubles are exact ones (prelude/exact.h), so that the order of threads does not
// matter.
#pragma once

#include <string>
#include <vector>

#include "cuda/kernels/part.h"

namespace serrate::cuda {

class Histograms : Part {
 public:
  explicit Histograms(Writing& w) : Part(w) {}

  /// In a kernel of no more blocks than fit, as each must add up all its bins.
  void declare(const Walk& w, Scope& s);
  /// One item more. `one_lane`: all lanes of a list are here.
  void fill(size_t output, Cursor& k, Scope& s, bool one_lane);
  void add_up(Scope& s);
  /// Kernels that make doubles of exact sums.
  void join_sums();

 private:
  /// A histogram in shared memory; the names of a warp's copy, the number of copies, their size.
  struct SharedBins {
    size_t output;
    std::string name, copies, size, words;  // words: of one copy
  };
  std::string bins_in_block(size_t output) const;

  std::vector<SharedBins> shared_bins_;
};

}  // namespace serrate::cuda
