// Inner loops of float32.
#include "cpu/isa/flat/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

const LoopRow* float32_loops() { return loop_rows<float>(); }

}  // namespace serrate::cpu::SERRATE_ISA
