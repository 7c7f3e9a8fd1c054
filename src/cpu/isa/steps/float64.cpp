// Operations on float64.
#include "cpu/isa/steps/steps.h"

namespace serrate::cpu::SERRATE_ISA {

const OpSteps* float64_rows() { return rows_of<double>(); }

}  // namespace serrate::cpu::SERRATE_ISA
