// Small buffers that come to the host together: one wait for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "serrate/buffer.h"

namespace serrate::cuda {

class Downloads {
 public:
  Downloads() = default;
  ~Downloads();
  Downloads(const Downloads&) = delete;
  Downloads& operator=(const Downloads&) = delete;
  /// The bytes of a buffer, in memory of the host. Few of them are there once finish() has
  /// returned.
  Buffer add(const Buffer& device);
  /// Throws what went wrong where one of the buffers was written.
  void finish();

 private:
  struct Part {
    Buffer from;
    std::byte* to;
    int64_t at;  // in the slot
  };
  std::byte* slot_ = nullptr;  // pinned
  int64_t used_ = 0;
  std::vector<Part> parts_;
};

}  // namespace serrate::cuda
