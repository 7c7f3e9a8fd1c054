// Inner loops of int64, uint64 and times.
#include "cpu/isa/flat/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

const LoopRow* int64_loops() { return loop_rows<int64_t>(); }
const LoopRow* uint64_loops() { return loop_rows<uint64_t>(); }

const LoopRow* time_loops() {
  static const auto rows = of_each_row<LoopRow>([]<Op O>() {
    if constexpr (has_time_steps(O))
      return cheap_loops<O, int64_t, TimeRow<O>>();
    else
      return LoopRow{};
  });
  return rows.data();
}

}  // namespace serrate::cpu::SERRATE_ISA
