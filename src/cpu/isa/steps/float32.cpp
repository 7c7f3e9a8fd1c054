// Operations on float32.
#include "cpu/isa/steps/steps.h"

namespace serrate::cpu::SERRATE_ISA {

const OpSteps* float32_rows() { return rows_of<float>(); }

}  // namespace serrate::cpu::SERRATE_ISA
