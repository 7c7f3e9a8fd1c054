// The loops over places of each instruction set.
#include "cpu/lists/flat/places.h"

#include "cpu/machine/isa_table.h"
#include "serrate/error.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                                        \
  namespace isa {                                                                   \
  unsigned look_at_places(DType type, const void* places, int64_t n, int64_t size); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

LookAtPlaces look_at_places(Isa isa) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return &isa::look_at_places;
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) default : break; }
#undef SERRATE_CASE
  throw ValueError("look_at_places: no such instruction set");
}

}  // namespace serrate::cpu
