// One instruction set's inner loops, gathered from the files beside this one.
#include "cpu/isa/flat/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

static const LoopRow* loops_of(DType t) {
  switch (t) {
    case DType::int8:
      return int8_loops();
    case DType::int16:
      return int16_loops();
    case DType::int32:
      return int32_loops();
    case DType::int64:
      return int64_loops();
    case DType::uint8:
      return uint8_loops();
    case DType::uint16:
      return uint16_loops();
    case DType::uint32:
      return uint32_loops();
    case DType::uint64:
      return uint64_loops();
    case DType::float16:
      return float16_loops();
    case DType::float32:
      return float32_loops();
    case DType::float64:
      return float64_loops();
    case DType::datetime64:
    case DType::timedelta64:
      return time_loops();
    case DType::complex64:
      return complex64_loops();
    case DType::complex128:
      return complex128_loops();
    default:
      return nullptr;
  }
}

StepsLoop steps_loop(Op op, DType type, Operands operands);
StepsLoop steps_loop(Op op, DType type, Operands operands) {
  const LoopRow* rows = loops_of(type);
  return rows == nullptr ? nullptr : rows[int(op)].of[int(operands)];
}

}  // namespace serrate::cpu::SERRATE_ISA
