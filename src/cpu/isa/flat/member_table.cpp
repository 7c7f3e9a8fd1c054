// Which integers have their bit set in a table? See cpu/lists/groups/member_table.h.
#include <algorithm>
#include <cstdint>

#include "core/types/with_number.h"
#include "serrate/dtype.h"

namespace serrate::cpu::SERRATE_ISA {

void look_up_members(DType type, const void* items, int64_t n, int64_t lowest, uint64_t size,
                     const uint32_t* bits, uint8_t* out);

namespace {

struct Bits {
  uint64_t lowest, size;
  const uint32_t* bits;

  template <class T>
  uint64_t place(T item) const {
    return static_cast<uint64_t>(static_cast<int64_t>(item)) - lowest;
  }
  template <class T>
  [[gnu::always_inline]] uint8_t has(T item) const {
    const uint64_t at = std::min(place(item), size);
    return static_cast<uint8_t>(bits[at / 32] >> at % 32 & 1);
  }
};

/// Groups of which no item is in the table's range are not looked up.
template <class T>
void look_up(const T* items, int64_t n, const Bits& table, uint8_t* out) {
  constexpr int64_t kGroup = 16;
  int64_t k = 0;
  for (; k + kGroup <= n; k += kGroup) {
    uint64_t some = 0;
    for (int64_t i = 0; i < kGroup; i++) some |= table.place(items[k + i]) < table.size ? 1 : 0;
    if (some == 0) {
      std::fill_n(out + k, kGroup, uint8_t{0});
    } else {
      for (int64_t i = 0; i < kGroup; i++) out[k + i] = table.has(items[k + i]);
    }
  }
  for (; k < n; k++) out[k] = table.has(items[k]);
}

}  // namespace

void look_up_members(DType type, const void* items, int64_t n, int64_t lowest, uint64_t size,
                     const uint32_t* bits, uint8_t* out) {
  const Bits table{static_cast<uint64_t>(lowest), size, bits};
  with_integer(type, [&]<class T>(T) { look_up(static_cast<const T*>(items), n, table, out); });
}

}  // namespace serrate::cpu::SERRATE_ISA
