// Single values that a kernel leaves in pinned memory besides the GPU's: looked at without a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "serrate/buffer.h"

namespace serrate::cuda {

/// Those of one run: one of pinned_slots(), whose first word becomes 0 when all are there.
class ShownValues {
 public:
  /// `are_last`: when they are there, so is all else that their run does.
  ShownValues(uint64_t* slot, bool are_last) : slot_(slot), are_last_(are_last) {}
  ~ShownValues();
  ShownValues(const ShownValues&) = delete;
  ShownValues& operator=(const ShownValues&) = delete;
  /// Waits for them.
  uint64_t look(int number) const;
  bool are_last() const { return are_last_; }

 private:
  mutable std::mutex mutex_;
  mutable uint64_t* slot_;
  mutable uint64_t values_[7] = {};
  const bool are_last_;
};

struct Shown {
  std::shared_ptr<const ShownValues> values;
  int number = 0;
};

/// Says that the value at the beginning of this memory, which nobody else has seen yet, is shown.
void show(const Buffer& b, Shown shown);
/// Null: it is not.
const Shown* shown_value(const Buffer& b);

/// Until the word is there: a kernel's words are seen before its end is. Of a GPU that is busy for
/// longer, until it is done.
void await(const uint64_t& word);

}  // namespace serrate::cuda
