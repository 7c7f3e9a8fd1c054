// The tables of vector steps of each instruction set.
#include "cpu/program/kernels.h"

namespace serrate::cpu {

namespace baseline {
extern const Steps steps;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Steps steps;
}
namespace avx512 {
extern const Steps steps;
}
#endif

const Steps& steps([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::steps;
  if (isa == Isa::avx2) return avx2::steps;
#endif
  return baseline::steps;
}

}  // namespace serrate::cpu
