// The loops over places of each instruction set.
#include "cpu/lists/flat/places.h"

#include "cpu/machine/isa_table.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                                        \
  namespace isa {                                                                   \
  unsigned look_at_places(DType type, const void* places, int64_t n, int64_t size); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

LookAtPlaces look_at_places(Isa isa) { SERRATE_RETURN_FUNCTION(isa, look_at_places) }

}  // namespace serrate::cpu
