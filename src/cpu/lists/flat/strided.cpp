// The loops of strided copies of each instruction set.
#include "cpu/lists/flat/strided.h"

#include "cpu/machine/isa_table.h"
#include "serrate/error.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                                         \
  namespace isa {                                                                    \
  void copy_strided(int size, const void* from, int64_t step, int64_t n, void* out); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

CopyStrided copy_strided(Isa isa) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return &isa::copy_strided;
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) default : break; }
#undef SERRATE_CASE
  throw ValueError("copy_strided: no such instruction set");
}

}  // namespace serrate::cpu
