// Items as 64-bit keys for a hash table, and the order of groups.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "cpu/lists/groups/group_lists.h"
#include "cpu/lists/sort_kernels.h"

namespace serrate::cpu {

/// Items whose keys are made together, in the first level of the caches.
inline constexpr int64_t kKeysAtOnce = 1024;

/// Numbers: their keys are those of sorts, so equal keys are equal items.
class NumberKeys {
 public:
  explicit NumberKeys(const GroupedItems& items) : items_(items) {}

  /// Of items begin .. begin + n - 1, at most kKeysAtOnce.
  void make(int64_t begin, int64_t n, uint64_t* keys) const {
    const auto* from = static_cast<const std::byte*>(items_.keys) + begin * itemsize(items_.type);
    const auto to_keys = sort_kernels().to_keys;
    if (has_narrow_keys(items_.type)) {
      int32_t narrow[kKeysAtOnce];
      to_keys(items_.type, from, n, items_.descending, narrow);
      for (int64_t i = 0; i < n; i++) keys[i] = static_cast<uint64_t>(int64_t{narrow[i]});
    } else {
      to_keys(items_.type, from, n, items_.descending, keys);
    }
  }
  /// The same as keys of their own size.
  template <class K>
  void make(int64_t begin, int64_t n, K* keys) const {
    const auto* from = static_cast<const std::byte*>(items_.keys) + begin * itemsize(items_.type);
    sort_kernels().to_keys(items_.type, from, n, items_.descending, keys);
  }
  bool is_same(int64_t /*a*/, int64_t /*b*/) const { return true; }
  /// NaN, which is equal to nothing outside of groups.
  bool is_nan(int64_t key) const {
    const int64_t last = has_narrow_keys(items_.type) ? INT32_MAX : INT64_MAX;
    return is_floating(items_.type) && key == last;
  }
  /// Of groups with these keys, whose first items are known, those that come at each place.
  std::vector<int64_t> order(const std::vector<uint64_t>& keys,
                             const std::vector<int64_t>& firsts) const;

 private:
  const GroupedItems& items_;
};

/// Strings: the keys are hashes of their bytes, which are compared where hashes are equal.
class StringKeys {
 public:
  explicit StringKeys(const GroupedItems& items)
      : items_(items), bytes_(static_cast<const uint8_t*>(items.keys)) {}

  void make(int64_t begin, int64_t n, uint64_t* keys) const {
    for (int64_t i = 0; i < n; i++)
      keys[i] = hash(bytes_ + items_.ends[begin + i], size(begin + i));
  }
  bool is_same(int64_t a, int64_t b) const { return is_same(a, *this, b); }
  /// Item a, and item b of others.
  bool is_same(int64_t a, const StringKeys& of, int64_t b) const {
    const size_t n = size(a);
    return n == of.size(b) &&
           (n == 0 || std::memcmp(bytes_ + items_.ends[a], of.bytes_ + of.items_.ends[b], n) == 0);
  }
  std::vector<int64_t> order(const std::vector<uint64_t>& keys,
                             const std::vector<int64_t>& firsts) const;

 private:
  size_t size(int64_t i) const { return static_cast<size_t>(items_.ends[i + 1] - items_.ends[i]); }

  /// Multiplies words to 128 bits and folds these (as wyhash and its kin do).
  static uint64_t mix(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
  static uint64_t word(const uint8_t* p, size_t bytes) {
    uint64_t w = 0;
    std::memcpy(&w, p, bytes);
    return w;
  }
  static uint64_t hash(const uint8_t* p, size_t n) {
    constexpr uint64_t kFirst = 0xA0761D6478BD642F, kSecond = 0xE7037ED1A0B428DB;
    uint64_t h = n ^ kSecond;
    for (; n > 16; p += 16, n -= 16) h = mix(word(p, 8) ^ kFirst, word(p + 8, 8) ^ h);
    if (n >= 8) return mix(word(p, 8) ^ kFirst, word(p + n - 8, 8) ^ h);
    if (n >= 4) return mix(word(p, 4) ^ kFirst, word(p + n - 4, 4) ^ h);
    // The first, the middle and the last byte are all that there are.
    const uint64_t few = n > 0 ? uint64_t{p[0]} << 16 | uint64_t{p[n / 2]} << 8 | p[n - 1] : 0;
    return mix(few ^ kFirst, h);
  }

  const GroupedItems& items_;
  const uint8_t* bytes_;
};

}  // namespace serrate::cpu
