// Buffers that go to a GPU together: through the same pinned memory.
#pragma once

#include <vector>

#include "cuda/device.h"
#include "serrate/buffer.h"

namespace serrate::cuda {

class Uploads {
 public:
  /// Memory of the GPU; what is in it is there once finish() has returned.
  Buffer add(const Buffer& host);
  void finish();

 private:
  std::vector<Buffer> from_;
  std::vector<Transfer> transfers_;
};

}  // namespace serrate::cuda
