// One value written to items under a mask: see cpu/lists/flat/put.h.
#include <cstdint>
#include <cstring>

namespace serrate::cpu::SERRATE_ISA {

void fill_where(int itemsize, const uint8_t* mask, int64_t n, const void* value, void* out);

namespace {

/// Items of `parts` words each.
template <int parts, class T>
void fill(const uint8_t* __restrict mask, int64_t n, const void* value, T* __restrict out) {
  T words[parts];
  memcpy(words, value, sizeof words);
  for (int64_t i = 0; i < n; i++)
    for (int k = 0; k < parts; k++)
      out[parts * i + k] = mask[i] != 0 ? words[k] : out[parts * i + k];
}

}  // namespace

void fill_where(int itemsize, const uint8_t* mask, int64_t n, const void* value, void* out) {
  switch (itemsize) {
    case 1:
      return fill<1>(mask, n, value, static_cast<uint8_t*>(out));
    case 2:
      return fill<1>(mask, n, value, static_cast<uint16_t*>(out));
    case 4:
      return fill<1>(mask, n, value, static_cast<uint32_t*>(out));
    case 8:
      return fill<1>(mask, n, value, static_cast<uint64_t*>(out));
    default:
      return fill<2>(mask, n, value, static_cast<uint64_t*>(out));
  }
}

}  // namespace serrate::cpu::SERRATE_ISA
