// Extremes of floating numbers and, in the same pass, whether there is NaN, or a number, among
// them.
#pragma once

#include <cstdint>

#include "cpu/lists/ragged.h"

namespace serrate::cpu {

/// What is asked of the items beside their extreme: whether one of them is NaN, or is not.
enum class Beside : uint8_t { nothing, nan, number };

/// Folds as min or max does (see FoldArgs; all items are valid), and sets found[p] to 1 where list
/// p has such an item. The extreme is that of RaggedKernels::fold, bit for bit.
using FoldExtreme = void (*)(const FoldArgs& args, uint8_t* found);

/// Of float32 and float64. `r` is min or max, `beside` not nothing.
FoldExtreme fold_extreme(Reducer r, DType values, Beside beside, Isa isa = best_isa());

}  // namespace serrate::cpu
