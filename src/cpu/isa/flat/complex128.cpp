// Operations on complex128: inner loops, and steps that run them.
#include "cpu/isa/flat/complex_loops.h"

namespace serrate::cpu::SERRATE_ISA {

const LoopRow* complex128_loops() { return complex_loop_rows<double>(); }
const OpSteps* complex128_rows() { return complex_op_rows<double>(); }

}  // namespace serrate::cpu::SERRATE_ISA
