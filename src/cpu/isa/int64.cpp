// Operations on int64 and uint64.
#include "cpu/isa/steps.h"

namespace serrate::cpu::SERRATE_ISA {

const OpSteps* int64_rows() { return rows_of<int64_t>(); }
const OpSteps* uint64_rows() { return rows_of<uint64_t>(); }

}  // namespace serrate::cpu::SERRATE_ISA
