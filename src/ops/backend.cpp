// Moving arrays between devices.
#include <algorithm>

#include "cuda/device.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/operation.h"
#include "ops/input.h"
#include "serrate/ops.h"

namespace serrate {

Array to_backend(const Array& x, Device to) {
  const graph::Operation operation;
  if (to == Device::cuda) cuda::gpu();  // says what is missing, whatever x is
  if (x.device() == to) return x;
  return Array(graph::move_stored(x.evaluate().node(), to));
}

namespace ops {

std::vector<graph::NodeRef> inputs(const std::vector<Array>& operands) {
  std::vector<graph::NodeRef> out;
  out.reserve(operands.size());
  for (const Array& a : operands) out.push_back(input(a));
  const auto may_move = [](const graph::NodeRef& n) {
    return !is_list(*n) && !graph::is_everywhere(*n);
  };
  const auto on_gpu = [](const Array& a) { return a.device() == Device::cuda; };
  if (!cuda::gpu_in_use() || std::none_of(out.begin(), out.end(), may_move) ||
      std::none_of(operands.begin(), operands.end(), on_gpu))
    return out;
  for (size_t i = 0; i < out.size(); i++) {
    if (may_move(out[i])) out[i] = to_backend(operands[i], Device::cuda).node();
  }
  return out;
}

}  // namespace ops
}  // namespace serrate
