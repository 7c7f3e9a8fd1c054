// Most significant half first: see sort_halves.h.
#include "cpu/lists/sort_halves.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "cpu/lists/sort_kernels.h"
#include "cpu/machine/scratch.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kBlock = 4096;
constexpr int kPositions = 4;  // bytes at the low end, in order wherever the others are equal

int64_t upper(int64_t key) { return key & ~int64_t{0xffffffff}; }
/// The lower half as the upper one of a word, signed as words are compared.
int64_t lower(int64_t key) {
  return static_cast<int64_t>((static_cast<uint64_t>(key) << 32) ^ (uint64_t{1} << 63));
}
int64_t position(int64_t word) { return word & 0xffffffff; }

class Halves {
 public:
  Halves(DType t, const void* values, const uint8_t* valid, bool descending, int64_t* words)
      : type_(t),
        values_(static_cast<const int64_t*>(values)),
        valid_(valid),
        descending_(descending),
        words_(words) {}

  void sort(const int64_t all) {
    ScratchScope scope;
    auto* keys = scope.get<int64_t>(kBlock);
    auto* room = scope.get<int64_t>(static_cast<size_t>(all));  // touched where vectors do not sort
    const Range range = range_of(all, keys);
    const int64_t n = range.is_narrow()
                          ? make_words(all, keys,
                                       [&](int64_t key) {
                                         return lower(static_cast<int64_t>(range.above_least(key)));
                                       })
                          : make_words(all, keys, upper);
    const int64_t ends[2] = {0, n};
    sort_kernels().wide.sort(words_, room, ends, nullptr, 1, kPositions);
    if (range.is_narrow()) {
      for (int64_t i = 0; i < n; i++) words_[i] = position(words_[i]);
    } else {
      sort_lower(n, room, keys);
    }
    if (!valid_) return;
    for (int64_t i = 0, k = n; i < all; i++)
      if (!valid_[i]) words_[k++] = i;
  }

 private:
  struct Range {
    int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
    /// Do keys span less than 32 bits? They need no second half then.
    bool is_narrow() const { return high < low || above_least(high) <= UINT32_MAX; }
    uint64_t above_least(int64_t key) const {
      return static_cast<uint64_t>(key) - static_cast<uint64_t>(low);
    }
  };

  /// Of the keys, if it is narrow; else of some.
  Range range_of(int64_t n, int64_t* keys) const {
    Range range;
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t size = std::min(kBlock, n - i);
      sort_kernels().to_keys(type_, values_ + i, size, descending_, keys);
      for (int64_t k = 0; k < size; k++) {
        if (valid_ && !valid_[i + k]) continue;
        range.low = std::min(range.low, keys[k]);
        range.high = std::max(range.high, keys[k]);
      }
      if (!range.is_narrow()) break;  // that of most floating-point numbers is found to be at once
    }
    return range;
  }

  /// A word of each item that is present: the upper half that `half` makes of its key, its index.
  /// Returns how many there are.
  template <class Half>
  int64_t make_words(int64_t n, int64_t* keys, Half&& half) {
    int64_t* const words = words_;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t size = std::min(kBlock, n - i);
      sort_kernels().to_keys(type_, values_ + i, size, descending_, keys);
      if (valid_) {
        for (int64_t k = 0; k < size; k++)
          if (valid_[i + k]) words[count++] = half(keys[k]) | (i + k);
      } else {
        for (int64_t k = 0; k < size; k++) words[i + k] = half(keys[k]) | (i + k);
      }
    }
    return valid_ ? count : n;
  }

  /// Words in the order of upper halves become positions in the order of both.
  void sort_lower(int64_t n, int64_t* room, int64_t* keys) {
    ScratchScope scope;
    auto* raw = scope.get<int64_t>(kBlock);
    auto* runs = scope.get<int64_t>(kBlock + 1);
    for (int64_t begin = 0; begin < n;) {
      const int64_t end = end_of_block(begin, n, runs);
      for (int64_t i = begin; runs_ < end - begin && i < end; i += kBlock)
        take_lower(i, std::min(kBlock, end - i), raw, keys);
      if (runs_ < end - begin)
        sort_kernels().wide.sort(words_ + begin, room + begin, runs, nullptr, runs_, kPositions);
      for (int64_t i = begin; i < end; i++) words_[i] = position(words_[i]);
      begin = end;
    }
  }

  /// The end of whole runs of equal upper halves, about a block or a single run; where they begin.
  int64_t end_of_block(int64_t begin, int64_t n, int64_t* runs) {
    runs_ = 0;
    int64_t end = begin;
    while (end < n && runs_ < kBlock) {
      int64_t next = end + 1;
      while (next < n && upper(words_[next]) == upper(words_[end])) next++;
      if (runs_ > 0 && next - begin > kBlock) break;
      runs[runs_++] = end;
      end = next;
    }
    runs[runs_] = end;
    return end;
  }

  void take_lower(int64_t first, int64_t size, int64_t* raw, int64_t* keys) const {
    for (int64_t k = 0; k < size; k++) raw[k] = values_[position(words_[first + k])];
    sort_kernels().to_keys(type_, raw, size, descending_, keys);
    for (int64_t k = 0; k < size; k++)
      words_[first + k] = lower(keys[k]) | position(words_[first + k]);
  }

  DType type_;
  const int64_t* values_;
  const uint8_t* valid_;
  bool descending_;
  int64_t* words_;
  int64_t runs_ = 0;
};

}  // namespace

void argsort_by_halves(DType t, const void* values, const uint8_t* valid, int64_t n,
                       bool descending, int64_t* order) {
  Halves(t, values, valid, descending, order).sort(n);
}

}  // namespace serrate::cpu
