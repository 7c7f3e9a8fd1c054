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
  Halves(DType t, const void* values, bool descending, int64_t* words)
      : type_(t),
        values_(static_cast<const int64_t*>(values)),
        descending_(descending),
        words_(words) {}

  void sort(int64_t n) {
    ScratchScope scope;
    auto* keys = scope.get<int64_t>(kBlock);
    auto* room = scope.get<int64_t>(static_cast<size_t>(n));  // touched where vectors do not sort
    const int64_t ends[2] = {0, n};
    if (make_narrow(n, keys)) {
      sort_kernels().wide.sort(words_, room, ends, nullptr, 1, kPositions);
      for (int64_t i = 0; i < n; i++) words_[i] = position(words_[i]);
      return;
    }
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t size = std::min(kBlock, n - i);
      sort_kernels().to_keys(type_, values_ + i, size, descending_, keys);
      for (int64_t k = 0; k < size; k++) words_[i + k] = upper(keys[k]) | (i + k);
    }
    sort_kernels().wide.sort(words_, room, ends, nullptr, 1, kPositions);
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

 private:
  /// Words of keys that span less than 32 bits, which need no second half; false: they span more.
  bool make_narrow(int64_t n, int64_t* keys) {
    int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t size = std::min(kBlock, n - i);
      sort_kernels().to_keys(type_, values_ + i, size, descending_, keys);
      for (int64_t k = 0; k < size; k++) {
        low = std::min(low, keys[k]);
        high = std::max(high, keys[k]);
      }
      // Those of most floating-point numbers do at once.
      if (static_cast<uint64_t>(high) - static_cast<uint64_t>(low) > UINT32_MAX) return false;
    }
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t size = std::min(kBlock, n - i);
      sort_kernels().to_keys(type_, values_ + i, size, descending_, keys);
      for (int64_t k = 0; k < size; k++)
        words_[i + k] = lower(static_cast<int64_t>(static_cast<uint64_t>(keys[k]) -
                                                   static_cast<uint64_t>(low))) |
                        (i + k);
    }
    return true;
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
  bool descending_;
  int64_t* words_;
  int64_t runs_ = 0;
};

}  // namespace

void argsort_by_halves(DType t, const void* values, int64_t n, bool descending, int64_t* order) {
  Halves(t, values, descending, order).sort(n);
}

}  // namespace serrate::cpu
