// Operations on int16 and uint16.
#include "cpu/isa/steps/steps.h"

namespace serrate::cpu::SERRATE_ISA {

const OpSteps* int16_rows() { return rows_of<int16_t>(); }
const OpSteps* uint16_rows() { return rows_of<uint16_t>(); }

}  // namespace serrate::cpu::SERRATE_ISA
