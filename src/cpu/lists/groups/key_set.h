// A set of integers of 4 or 8 bytes: open addressing with linear probing, nothing but keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace serrate::cpu {

template <class K>
class KeySet {
 public:
  KeySet() : slots_(size_t{1} << kFewest, kFree) {}

  size_t size() const { return size_; }
  bool is_large() const { return slots_.size() * sizeof(K) > kInCache; }

  [[gnu::always_inline]] void add(K key) {
    if (key == kFree) {
      has_free_ = true;
      return;
    }
    K& slot = slots_[find(key)];
    size_ += slot == kFree;
    slot = key;
  }

  [[gnu::always_inline]] bool has(K key) const {
    return key == kFree ? has_free_ : slots_[find(key)] == key;
  }

  /// Room for so many more: a quarter of the slots, at least, stays free.
  void reserve(size_t more) {
    if (4 * (size_ + more) <= 3 * slots_.size()) return;
    size_t n = slots_.size();
    while (4 * (size_ + more) > 3 * n) n *= 2;
    std::vector<K> old(n, kFree);
    old.swap(slots_);
    mask_ = n - 1;
    shift_ = __builtin_clzll(mask_);
    for (const K key : old) {
      if (key != kFree) slots_[find(key)] = key;
    }
  }

  /// Asks for the memory of a key that is looked for soon.
  [[gnu::always_inline]] void prefetch(K key) const { __builtin_prefetch(&slots_[place(key)], 1); }

 private:
  static constexpr K kFree = std::numeric_limits<K>::max();
  static constexpr int kFewest = 8;
  static constexpr size_t kInCache = size_t{1} << 18;

  /// The slot of a key, or the free one where it would be.
  [[gnu::always_inline]] size_t find(K key) const {
    size_t i = place(key);
    while (slots_[i] != key && slots_[i] != kFree) i = (i + 1) & mask_;
    return i;
  }

  size_t place(K k) const {
    const auto key = static_cast<uint64_t>(static_cast<int64_t>(k));
    return ((key ^ key >> 32) * 0x9E3779B97F4A7C15) >> shift_;  // 2^64 divided by the golden ratio
  }

  std::vector<K> slots_;
  size_t size_ = 0, mask_ = slots_.size() - 1;
  int shift_ = __builtin_clzll(mask_);
  bool has_free_ = false;  // the key that marks free slots
};

}  // namespace serrate::cpu
