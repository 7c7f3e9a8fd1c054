// Runs plans of flat arrays, and of folds of these, without the tables and tasks of a walk.
#pragma once

#include <span>

#include "cpu/plan/plan.h"
#include "graph/backend.h"

namespace serrate::cpu {

/// What is known of a plan when it is made.
class FlatRun {
 public:
  explicit FlatRun(const CpuPlan& plan);

  /// Is so much one task of such a plan, or are there no threads to share it and nothing that
  /// tells tasks apart? `shortly`: in a few microseconds.
  bool takes(int64_t rows, bool shortly) const;
  /// Writes the one output; the same bits as run() does. `strided`: of objects whose items do not
  /// lie side by side, where they are (Executable::run_strided).
  void operator()(const CpuPlan& plan, std::span<const void* const> objects, int64_t rows,
                  void* out, std::span<const graph::StridedItems* const> strided = {}) const;

 private:
  bool is_flat_ = false;
  bool is_simple_ = true;        // its programs are inner loops
  bool folds_booleans_ = false;  // that are stored, and does nothing else
  bool folds_exactly_ = false;   // stored integers, the same in any parts, and does nothing else
  int64_t item_bytes_ = 0;       // of the output, if there are no folds
  int64_t read_bytes_ = 0;       // of a row of the columns
};

}  // namespace serrate::cpu
