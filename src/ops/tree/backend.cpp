// Moving arrays between devices.
#include "graph/backend.h"

#include <algorithm>

#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/operation.h"
#include "ops/tree/input.h"
#include "serrate/ops.h"

namespace serrate {

Array to_backend(const Array& x, Device to) {
  const graph::Operation operation;
  graph::backend(to).require();  // says what is missing, whatever x is
  if (x.device() == to) return x;
  const graph::NodeRef moved = graph::move_stored(x.evaluate().node(), to);
  graph::Operation::set_device(to);
  return Array(moved);
}

namespace ops {

std::vector<graph::NodeRef> inputs(std::span<const Array> operands) {
  std::vector<graph::NodeRef> out;
  out.reserve(operands.size());
  for (const Array& a : operands) out.push_back(input(a));
  const auto may_move = [](const graph::NodeRef& n) {
    return !is_list(*n) && !graph::is_everywhere(*n);
  };
  if (!graph::other_memory_in_use() || std::none_of(out.begin(), out.end(), may_move)) return out;
  const auto far = std::find_if(operands.begin(), operands.end(),
                                [](const Array& a) { return !is_host(a.device()); });
  if (far == operands.end()) return out;
  const Device there = far->device();
  for (size_t i = 0; i < out.size(); i++) {
    if (may_move(out[i])) out[i] = to_backend(operands[i], there).node();
  }
  return out;
}

}  // namespace ops
}  // namespace serrate
