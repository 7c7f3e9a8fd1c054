// Inner loops of int32 and uint32.
#include "cpu/isa/flat/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

const LoopRow* int32_loops() { return loop_rows<int32_t>(); }
const LoopRow* uint32_loops() { return loop_rows<uint32_t>(); }

}  // namespace serrate::cpu::SERRATE_ISA
