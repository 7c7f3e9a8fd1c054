// Small buffers that go to a GPU together: one block of its memory and one copy for all of them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "serrate/buffer.h"

namespace serrate::cuda {

class Uploads {
 public:
  /// Memory of the GPU; what is in it is there once finish() has returned.
  Buffer add(const Buffer& host);
  void finish();

 private:
  std::shared_ptr<const void> block_;
  std::byte* there_ = nullptr;
  std::vector<std::byte> here_;  // what the block begins with
};

}  // namespace serrate::cuda
