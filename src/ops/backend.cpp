// Moving arrays between devices.
#include <algorithm>

#include "cuda/device.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "ops/input.h"
#include "serrate/ops.h"

namespace serrate {

Array to_backend(const Array& x, Device to) {
  if (to == Device::cuda) cuda::gpu();  // says what is missing, whatever x is
  if (x.device() == to) return x;
  return Array(graph::move_stored(x.evaluate().node(), to));
}

namespace ops {

std::vector<graph::NodeRef> inputs(std::vector<Array> operands) {
  const auto on_gpu = [](const Array& a) { return a.device() == Device::cuda; };
  if (cuda::gpu_in_use() && std::any_of(operands.begin(), operands.end(), on_gpu)) {
    for (Array& a : operands) {
      if (a.is_scalar() && !graph::is_everywhere(*a.node())) a = to_backend(a, Device::cuda);
    }
  }
  std::vector<graph::NodeRef> out;
  for (const Array& a : operands) out.push_back(input(a));
  return out;
}

}  // namespace ops
}  // namespace serrate
