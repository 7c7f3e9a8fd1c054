// Few long lists whose columns are folded.
#pragma once

#include "cpu/lists/matrices/fold_rows.h"
#include "cpu/lists/matrices/list_columns.h"

namespace serrate::cpu {

/// As fold_rows() of the items that each column of an owner's has, in the order of its lists; first
/// rows are numbers of these. Lists with places_of, first columns or items that take no part are
/// not asked for. `fold` says how items are folded and where they are; `itemsize`: of a result.
void fold_lists(const RowFold& fold, const ListsInColumns& lists, int64_t itemsize, void* out);

}  // namespace serrate::cpu
