// What owns a buffer on the GPU: gives the memory back, and knows what may be wrong about it.
#pragma once

#include <memory>

#include "cuda/device.h"
#include "cuda/runtime/checks.h"
#include "cuda/runtime/shown.h"

namespace serrate::cuda {

/// The deleter of our buffers' owners, by which they are known from foreign ones.
struct GpuMemory {
  int64_t bytes = 0;
  ChecksList checks = {};                                 // of the run that wrote it
  std::shared_ptr<const class ListLengths> lengths = {};  // of lists whose offsets it begins with
  Shown shown = {};                                       // of single values
  void operator()(const void* p) const noexcept { gpu().release(const_cast<void*>(p), bytes); }
};

}  // namespace serrate::cuda
