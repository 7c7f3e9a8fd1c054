// Operations on int8 and uint8.
#include "cpu/isa/steps/steps.h"

namespace serrate::cpu::SERRATE_ISA {

const OpSteps* int8_rows() { return rows_of<int8_t>(); }
const OpSteps* uint8_rows() { return rows_of<uint8_t>(); }

}  // namespace serrate::cpu::SERRATE_ISA
