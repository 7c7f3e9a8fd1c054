// Offsets of lists from their lengths, on the GPU.
#pragma once

#include <utility>

#include "cuda/device.h"
#include "graph/store.h"

namespace serrate::cuda {

/// Waits for the total, which the next allocation needs.
graph::KnownOffsets offsets_of(const Buffer& counts, int64_t n);

/// Two numbers of type int32, uint32 or int64, looked at together.
std::pair<int64_t, int64_t> two_integers(DType t, const Buffer& a, const Buffer& b);

/// Offsets in the making, with the numbers that the host needs to go on.
class Offsets {
 public:
  Offsets(const int64_t* counts, int64_t n);
  /// Room for those of n lists, which somebody else makes, and for the longest length behind them.
  explicit Offsets(int64_t n);
  void look_behind(int64_t n);
  ~Offsets();
  Offsets(Offsets&& o) noexcept;
  Offsets(const Offsets&) = delete;
  Offsets& operator=(const Offsets&) = delete;
  const Buffer& buffer() const { return buffer_; }
  /// Once the GPU has made them.
  graph::KnownOffsets known() {
    is_done_ = true;
    return {buffer_, seen_->total, seen_->longest};
  }

 private:
  Buffer buffer_;
  Lengths* seen_;
  bool is_done_ = false;
};

}  // namespace serrate::cuda
