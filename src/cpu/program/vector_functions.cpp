// Maths functions of this machine's vectors, for code that is made at run time.
#include "cpu/machine/isa_table.h"
#include "serrate/function.h"

namespace serrate {
namespace cpu {
#define SERRATE_DECLARE(isa)          \
  namespace isa {                     \
  VectorFunctions vector_functions(); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE
}  // namespace cpu

VectorFunctions vector_functions() {
#define SERRATE_CASE(isa) \
  case cpu::Isa::isa:     \
    return cpu::isa::vector_functions();
  switch (cpu::best_isa()) {
    SERRATE_EACH_ISA(SERRATE_CASE)
#undef SERRATE_CASE
    default:
      return cpu::baseline::vector_functions();
  }
}

}  // namespace serrate
