// Which back ends there are: the one place that knows.
#include <array>

#include "cpu/backend.h"
#include "cuda/runtime/backend.h"
#include "reference/backend.h"

namespace serrate::graph {

std::span<Backend* const> backends() {
  // By Device.
  static const std::array<Backend*, 3> all{&cpu::cpu_backend(), &cuda::cuda_backend(),
                                           &reference::reference_backend()};
  return all;
}

Backend& backend(Device d) { return *backends()[static_cast<size_t>(d)]; }

}  // namespace serrate::graph
