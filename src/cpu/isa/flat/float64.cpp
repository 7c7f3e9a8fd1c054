// Inner loops of float64.
#include "cpu/isa/flat/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

const LoopRow* float64_loops() { return loop_rows<double>(); }

}  // namespace serrate::cpu::SERRATE_ISA
