// Operations on int64, uint64 and times.
#include "cpu/isa/steps.h"

namespace serrate::cpu::SERRATE_ISA {

const OpSteps* int64_rows() { return rows_of<int64_t>(); }
const OpSteps* uint64_rows() { return rows_of<uint64_t>(); }

template <Op O>
static OpSteps steps_of_times() {
  if constexpr (has_time_steps(O))
    return acc_steps<O, AccSteps<O, int64_t, Registers<int64_t>, TimeRow<O>>>();
  else
    return {};
}

const OpSteps* time_rows() {
  static const auto rows = []<size_t... O>(std::index_sequence<O...>) {
    return std::array<OpSteps, sizeof...(O)>{steps_of_times<Op(O)>()...};
  }
  (std::make_index_sequence<kOpCount>());
  return rows.data();
}

}  // namespace serrate::cpu::SERRATE_ISA
