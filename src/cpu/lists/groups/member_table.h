// Integers that are close together as bits, which are looked up, not searched for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/machine/isa.h"
#include "serrate/dtype.h"

namespace serrate::cpu {

/// Bit i of the table: is lowest + i in the set? The bit at `size` is zero: that of all others.
struct MemberTable {
  int64_t lowest = 0;
  uint64_t size = 0;
  std::vector<uint32_t> bits;
};

/// Of `n` integers or booleans, if they are so close together that the table stays small. uint64
/// as int64 of the same bits.
std::optional<MemberTable> member_table(DType type, const void* set, int64_t n);

/// Which of `n` integers or booleans have their bit set.
using LookUpMembers = void (*)(DType type, const void* items, int64_t n, int64_t lowest,
                               uint64_t size, const uint32_t* bits, uint8_t* out);
LookUpMembers look_up_members(Isa isa = best_isa());

}  // namespace serrate::cpu
