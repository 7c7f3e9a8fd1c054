// The folds of extremes of each instruction set.
#include "cpu/lists/folds/fold_extremes.h"

#include "cpu/machine/isa_table.h"
#include "serrate/error.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                               \
  namespace isa {                                                          \
  FoldExtreme extreme_beside(Reducer r, DType values, bool looks_for_nan); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

FoldExtreme fold_extreme(Reducer r, DType values, Beside beside, Isa isa) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return isa::extreme_beside(r, values, beside == Beside::nan);
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) default : break; }
#undef SERRATE_CASE
  throw ValueError("fold_extreme: no such instruction set");
}

}  // namespace serrate::cpu
