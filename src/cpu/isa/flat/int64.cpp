// Inner loops of int64, uint64 and times.
#include "cpu/isa/flat/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

const LoopRow* int64_loops() { return loop_rows<int64_t>(); }
const LoopRow* uint64_loops() { return loop_rows<uint64_t>(); }

template <Op O>
static constexpr LoopRow loops_of_times() {
  if constexpr (has_time_steps(O))
    return cheap_loops<O, int64_t, TimeRow<O>>();
  else
    return {};
}

const LoopRow* time_loops() {
  static const auto rows = []<size_t... O>(std::index_sequence<O...>) {
    return std::array<LoopRow, sizeof...(O)>{loops_of_times<Op(O)>()...};
  }
  (std::make_index_sequence<kOpCount>());
  return rows.data();
}

}  // namespace serrate::cpu::SERRATE_ISA
