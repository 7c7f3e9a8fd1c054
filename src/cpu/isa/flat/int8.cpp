// Inner loops of int8 and uint8.
#include "cpu/isa/flat/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

const LoopRow* int8_loops() { return loop_rows<int8_t>(); }
const LoopRow* uint8_loops() { return loop_rows<uint8_t>(); }

}  // namespace serrate::cpu::SERRATE_ISA
