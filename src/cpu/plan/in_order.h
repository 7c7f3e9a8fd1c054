// What the tasks of a walk append, put in its place in the order of the tasks.
#pragma once

#include <mutex>
#include <vector>

#include "cpu/plan/run_state.h"

namespace serrate::cpu {

/// Each task has outputs of its own. Where they begin in the whole is known once all tasks before
/// have ended. Whoever did a task then copies what it left while that is still in its cache, after
/// another task or two; the rest is copied at the end by all threads.
class InOrder {
 public:
  /// `whole`: the outputs of unknown size.
  InOrder(std::vector<Grow*> whole, int64_t tasks);
  /// Outputs for a task, one for each of the whole.
  std::vector<Grow>& parts_of(int64_t task);
  /// The task has ended, on this worker.
  void ended(int64_t task, int worker);
  /// All tasks have ended.
  void finish();

 private:
  struct Part {
    std::vector<Grow> outputs;
    std::vector<int64_t> begins;
    bool has_ended = false;
  };
  void find_begins();
  void copy(Part& part);

  std::vector<Grow*> whole_;
  std::mutex lock_;
  std::vector<Part> parts_;
  std::vector<int64_t> most_;               // items of a part so far: others are likely as large
  std::vector<int64_t> totals_;             // items of the whole, as far as begins are known
  std::vector<std::vector<int64_t>> mine_;  // per worker: tasks that ended and are not copied
  int64_t known_ = 0;                       // of so many tasks begins are known, and there is room
};

}  // namespace serrate::cpu
