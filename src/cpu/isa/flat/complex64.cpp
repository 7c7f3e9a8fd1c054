// Operations on complex64: inner loops, and steps that run them.
#include "cpu/isa/flat/complex_loops.h"

namespace serrate::cpu::SERRATE_ISA {

const LoopRow* complex64_loops() { return complex_loop_rows<float>(); }
const OpSteps* complex64_rows() { return complex_op_rows<float>(); }

}  // namespace serrate::cpu::SERRATE_ISA
