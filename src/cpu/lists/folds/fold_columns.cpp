// The choice of an instruction set for folds along the outer axis: see fold_columns.h.
#include "cpu/lists/folds/fold_columns.h"

#include "cpu/machine/isa_table.h"
#include "serrate/error.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                      \
  namespace isa {                                                 \
  void fold_columns(Reducer reducer, const ColumnFoldArgs& args); \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

void fold_columns(Reducer reducer, const ColumnFoldArgs& args, Isa isa) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return isa::fold_columns(reducer, args);
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) }
#undef SERRATE_CASE
  throw ValueError("no such instruction set");
}

}  // namespace serrate::cpu
