// Operations on int64, uint64 and times.
#include "cpu/isa/steps/steps.h"

namespace serrate::cpu::SERRATE_ISA {

const OpSteps* int64_rows() { return rows_of<int64_t>(); }
const OpSteps* uint64_rows() { return rows_of<uint64_t>(); }

const OpSteps* time_rows() {
  static const auto rows = of_each_row<OpSteps>([]<Op O>() {
    if constexpr (has_time_steps(O))
      return acc_steps<O, AccSteps<O, int64_t, Registers<int64_t>, TimeRow<O>>>();
    else
      return OpSteps{};
  });
  return rows.data();
}

}  // namespace serrate::cpu::SERRATE_ISA
