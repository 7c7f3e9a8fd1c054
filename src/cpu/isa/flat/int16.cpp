// Inner loops of int16 and uint16.
#include "cpu/isa/flat/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

const LoopRow* int16_loops() { return loop_rows<int16_t>(); }
const LoopRow* uint16_loops() { return loop_rows<uint16_t>(); }

}  // namespace serrate::cpu::SERRATE_ISA
