// Bits of the integers of a set, and each instruction set's loop that looks them up.
#include "cpu/lists/groups/member_table.h"

#include <algorithm>

#include "core/types/with_number.h"
#include "cpu/machine/isa_table.h"

namespace serrate::cpu {
namespace {

/// No more than these bits for each item of the set, and some: 16 bytes, as an item of a hash table
/// that is half full.
constexpr uint64_t kBitsOfItem = 128, kBits = 1024;

template <class T>
std::optional<MemberTable> table_of(const T* set, int64_t n) {
  if (n == 0) return {};
  auto lowest = static_cast<int64_t>(set[0]), highest = lowest;
  for (int64_t i = 0; i < n; i++) {
    lowest = std::min(lowest, static_cast<int64_t>(set[i]));
    highest = std::max(highest, static_cast<int64_t>(set[i]));
  }
  const uint64_t range = static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest);
  if (range >= kBitsOfItem * static_cast<uint64_t>(n) + kBits) return {};
  MemberTable out{lowest, range + 1, std::vector<uint32_t>((range + 1) / 32 + 1)};
  for (int64_t i = 0; i < n; i++) {
    const uint64_t at =
        static_cast<uint64_t>(static_cast<int64_t>(set[i])) - static_cast<uint64_t>(lowest);
    out.bits[at / 32] |= uint32_t{1} << at % 32;
  }
  return out;
}

}  // namespace

#define SERRATE_DECLARE(isa)                                                                    \
  namespace isa {                                                                               \
  void look_up_members(DType type, const void* items, int64_t n, int64_t lowest, uint64_t size, \
                       const uint32_t* bits, uint8_t* out);                                     \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

std::optional<MemberTable> member_table(DType type, const void* set, int64_t n) {
  if (is_floating(type)) return {};
  return with_integer(type, [&]<class T>(T) { return table_of(static_cast<const T*>(set), n); });
}

LookUpMembers look_up_members(Isa isa) { SERRATE_RETURN_FUNCTION(isa, look_up_members) }

}  // namespace serrate::cpu
