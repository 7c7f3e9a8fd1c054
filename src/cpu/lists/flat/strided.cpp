// The loops of strided copies of each instruction set.
#include "cpu/lists/flat/strided.h"

#include "cpu/machine/isa_table.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                                         \
  namespace isa {                                                                    \
  void copy_strided(int size, const void* from, int64_t step, int64_t n, void* out); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

CopyStrided copy_strided(Isa isa) { SERRATE_RETURN_FUNCTION(isa, copy_strided) }

}  // namespace serrate::cpu
