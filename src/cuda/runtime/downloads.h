// Buffers that come to the host together: one wait for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/device.h"
#include "serrate/buffer.h"

namespace serrate::cuda {

class Downloads {
 public:
  Downloads() = default;
  ~Downloads();
  Downloads(const Downloads&) = delete;
  Downloads& operator=(const Downloads&) = delete;
  /// Memory of the host, whose bytes are there once finish() has returned.
  Buffer add(const Buffer& device);
  /// Throws what went wrong where one of the buffers was written.
  void finish();

 private:
  void finish_large();

  struct Part {
    Buffer from;
    std::byte* to;
    int64_t at;  // in the slot
  };
  std::byte* slot_ = nullptr;  // pinned
  int64_t used_ = 0;
  std::vector<Part> parts_;
  std::vector<Buffer> large_;
  std::vector<Transfer> transfers_;
};

}  // namespace serrate::cuda
