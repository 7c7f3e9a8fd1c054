// Operations on int32 and uint32.
#include "cpu/isa/steps/steps.h"

namespace serrate::cpu::SERRATE_ISA {

const OpSteps* int32_rows() { return rows_of<int32_t>(); }
const OpSteps* uint32_rows() { return rows_of<uint32_t>(); }

}  // namespace serrate::cpu::SERRATE_ISA
