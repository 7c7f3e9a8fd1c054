// A run that is as long as the list, as natural merge sorts find them (Knuth, TAOCP 3, 5.2.4).
#include "cpu/lists/sort_runs.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cpu/lists/sort_kernels.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kBlock = 1024;

enum class Run : uint8_t { none, rising, falling };

template <class K>
Run run_of(DType t, const std::byte* keys, int64_t n, bool descending) {
  K block[kBlock + 1];  // and the last one before
  bool rises = true, falls = true;
  for (int64_t i = 0; i < n && (rises || falls); i += kBlock) {
    const int64_t size = std::min(kBlock, n - i);
    sort_kernels().to_keys(t, keys + i * itemsize(t), size, descending, block + 1);
    int64_t down = 0, not_down = 0;
    for (int64_t k = i == 0 ? 1 : 0; k < size; k++) {
      down += block[k + 1] < block[k];
      not_down += block[k + 1] >= block[k];
    }
    rises = rises && down == 0;
    falls = falls && not_down == 0;
    block[0] = block[size];
  }
  return rises ? Run::rising : falls ? Run::falling : Run::none;
}

}  // namespace

bool sort_one_run(DType t, const void* keys, int64_t n, bool descending, void* out,
                  int64_t* order) {
  const auto* from = static_cast<const std::byte*>(keys);
  const Run run = has_narrow_keys(t) ? run_of<int32_t>(t, from, n, descending)
                                     : run_of<int64_t>(t, from, n, descending);
  if (run == Run::none) return false;
  if (order) {
    std::iota(order, order + n, 0);
    if (run == Run::falling) std::reverse(order, order + n);
    return true;
  }
  const auto size = static_cast<size_t>(itemsize(t));
  auto* to = static_cast<std::byte*>(out);
  if (run == Run::rising) {
    std::memcpy(to, from, static_cast<size_t>(n) * size);
  } else {
    const auto reverse = [&]<class T>(T) {
      const T* items = reinterpret_cast<const T*>(from);
      std::reverse_copy(items, items + n, reinterpret_cast<T*>(to));
    };
    switch (size) {
      case 1:
        reverse(uint8_t{});
        break;
      case 2:
        reverse(uint16_t{});
        break;
      case 4:
        reverse(uint32_t{});
        break;
      default:
        reverse(uint64_t{});
    }
  }
  return true;
}

}  // namespace serrate::cpu
