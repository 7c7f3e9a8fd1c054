// Inner loops of int64 and uint64.
#include "cpu/isa/flat/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

const LoopRow* int64_loops() { return loop_rows<int64_t>(); }
const LoopRow* uint64_loops() { return loop_rows<uint64_t>(); }

}  // namespace serrate::cpu::SERRATE_ISA
