// One instruction set's steps, gathered from the files beside this one.
#include "cpu/isa/steps/steps.h"

namespace serrate::cpu::SERRATE_ISA {

const MoveSteps& moves();
Step find_cast(DType from, DType to);

// Works on bits: the size is all that matters, and a choice would be a branch where no instruction
// stores under a mask.
template <class T>
static void where(const Instruction* ip, char* const* mem) {
  const uint8_t* choose = reinterpret_cast<const uint8_t*>(mem[ip->a]);
  const T* x = reinterpret_cast<const T*>(mem[ip->b]);
  const T* y = reinterpret_cast<const T*>(mem[ip->c]);
  T* out = reinterpret_cast<T*>(mem[ip->out]);
#pragma GCC ivdep
  for (int i = 0; i < kItems; i++) {
    const T keep = static_cast<T>(-static_cast<T>(choose[i] != 0));
    out[i] = static_cast<T>((x[i] & keep) | (y[i] & ~keep));
  }
  return next_loop(ip, mem);
}

static Step find_where(int log2_size) {
  switch (log2_size) {
    case 0:
      return as_step(&where<uint8_t>);
    case 1:
      return as_step(&where<uint16_t>);
    case 2:
      return as_step(&where<uint32_t>);
    default:
      return as_step(&where<uint64_t>);
  }
}

static const OpSteps* of_type(DType t) {
  switch (t) {
    case DType::int8:
      return int8_rows();
    case DType::int16:
      return int16_rows();
    case DType::int32:
      return int32_rows();
    case DType::int64:
      return int64_rows();
    case DType::uint8:
      return uint8_rows();
    case DType::uint16:
      return uint16_rows();
    case DType::uint32:
      return uint32_rows();
    case DType::uint64:
      return uint64_rows();
    case DType::float32:
      return float32_rows();
    case DType::float64:
      return float64_rows();
    case DType::datetime64:
    case DType::timedelta64:
      return time_rows();
    case DType::complex64:
      return complex64_rows();
    case DType::complex128:
      return complex128_rows();
    default:
      return nullptr;
  }
}

static int64_t alike(const char* bools, int64_t steps, bool& is_any) {
  const auto any_at = [&](int64_t i) { return any(load<uint8_t>(bools + i * kItems) != 0); };
  is_any = any_at(0);
  int64_t end = 1;
  while (end < steps && any_at(end) == is_any) end++;
  return end;
}

extern const Steps steps;
constinit const Steps steps = {kItems, of_type, find_where, find_cast, moves, alike};

}  // namespace serrate::cpu::SERRATE_ISA
