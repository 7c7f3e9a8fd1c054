// A hash table of groups: open addressing with linear probing (Knuth, TAOCP 3, 6.4), Fibonacci
// hashing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace serrate::cpu {

/// Groups, numbered as they are first seen.
class GroupTable {
 public:
  struct Slot {
    uint64_t key;
    uint32_t group;
    uint32_t count;  // 0: the slot is free
  };

  GroupTable() : slots_(size_t{1} << kFewest) {}

  size_t size() const { return size_; }

  /// The slot of a key, made if it is new. is_same(group): is it this one of equal keys?
  template <class IsSame>
  [[gnu::always_inline]] Slot& find(uint64_t key, IsSame&& is_same) {
    for (size_t i = place(key);; i = (i + 1) & mask_) {
      Slot& s = slots_[i];
      if (s.count == 0) {
        s.key = key;
        s.group = static_cast<uint32_t>(size_++);
        return s;
      }
      if (s.key == key && is_same(s.group)) return s;
    }
  }

  /// The same of a key that may not be there: null.
  template <class IsSame>
  [[gnu::always_inline]] const Slot* look(uint64_t key, IsSame&& is_same) const {
    for (size_t i = place(key);; i = (i + 1) & mask_) {
      const Slot& s = slots_[i];
      if (s.count == 0) return nullptr;
      if (s.key == key && is_same(s.group)) return &s;
    }
  }

  /// Makes the slots of these keys new: half of them, at least, stay free.
  void reserve(size_t more) {
    if (2 * (size_ + more) <= slots_.size()) return;
    std::vector<Slot> old(slots_.size());
    while (2 * (size_ + more) > old.size()) old.resize(4 * old.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    shift_ = __builtin_clzll(mask_);
    for (const Slot& s : old) {
      if (s.count == 0) continue;
      size_t i = place(s.key);
      while (slots_[i].count != 0) i = (i + 1) & mask_;
      slots_[i] = s;
    }
  }

  /// Asks for the memory of a key that is looked for soon.
  [[gnu::always_inline]] void prefetch(uint64_t key) const {
    __builtin_prefetch(&slots_[place(key)], 1);
  }
  bool is_large() const { return slots_.size() > kInCache; }

  template <class F>
  void each(F&& f) const {
    for (const Slot& s : slots_) {
      if (s.count != 0) f(s);
    }
  }

 private:
  static constexpr int kFewest = 8;
  static constexpr size_t kInCache = size_t{1} << 14;

  size_t place(uint64_t key) const {
    return ((key ^ key >> 32) * 0x9E3779B97F4A7C15) >> shift_;  // 2^64 divided by the golden ratio
  }

  std::vector<Slot> slots_;
  size_t size_ = 0, mask_ = slots_.size() - 1;
  int shift_ = __builtin_clzll(mask_);
};

}  // namespace serrate::cpu
