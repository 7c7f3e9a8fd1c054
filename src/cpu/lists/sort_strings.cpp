// Sorting strings list by list: by their first eight bytes as one number, then by the rest where
// those are equal.
#include <algorithm>
#include <cstring>

#include "core/seams.h"
#include "cpu/lists/list_tasks.h"
#include "cpu/lists/lists.h"
#include "cpu/lists/sort_kernels.h"
#include "cpu/machine/scratch.h"

namespace serrate::cpu {
namespace {

class Strings {
 public:
  Strings(const uint8_t* bytes, const int64_t* offsets, const uint8_t* valid, const Lists& lists,
          bool descending, int64_t* order)
      : bytes_(bytes),
        offsets_(offsets),
        valid_(valid),
        lists_(lists),
        descending_(descending),
        order_(order) {}

  void part(ListRange range) {
    const int64_t first = lists_.offsets[range.begin], n = lists_.offsets[range.end] - first;
    if (range.end - range.begin == 1 && n >= seams().halves && !valid_) return long_list(first, n);
    ScratchScope scope;
    auto* items = scope.get<KeyAt>(static_cast<size_t>(n));
    auto* room = scope.get<KeyAt>(static_cast<size_t>(n));
    auto* counts = scope.get<int64_t>(static_cast<size_t>(range.end - range.begin));
    for (int64_t l = range.begin; l < range.end; l++)
      counts[l - range.begin] =
          fill(items + lists_.offsets[l] - first, lists_.offsets[l], lists_.offsets[l + 1]);
    sort_kernels().pairs.sort(items, room, lists_.offsets + range.begin, counts,
                              range.end - range.begin, 0);
    for (int64_t l = range.begin; l < range.end; l++) {
      const int64_t begin = lists_.offsets[l];
      KeyAt* list = items + begin - first;
      settle(
          list, counts[l - range.begin], [](const KeyAt& x) { return x.key; },
          [](const KeyAt& x) { return x.position; });
      for (int64_t i = begin; i < lists_.offsets[l + 1]; i++)
        order_[i] = list[i - begin].position - begin;
    }
  }

 private:
  /// Numbers are ordered in less memory without pairs of them and positions.
  void long_list(int64_t begin, int64_t n) {
    ScratchScope scope;
    auto* keys = scope.get<int64_t>(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; i++) keys[i] = prefix(begin + i);
    const int64_t ends[2] = {0, n};
    int64_t* order = order_ + begin;
    argsort_lists(DType::int64, keys, nullptr, {ends, 1}, false, order);
    settle(
        order, n, [&](int64_t i) { return keys[i]; }, [&](int64_t i) { return begin + i; });
  }

  int64_t length(int64_t i) const { return offsets_[i + 1] - offsets_[i]; }

  /// The first bytes, so that numbers compare as the bytes do.
  int64_t prefix(int64_t i) const {
    uint64_t k = 0;
    memcpy(&k, bytes_ + offsets_[i], static_cast<size_t>(std::min<int64_t>(8, length(i))));
    k = __builtin_bswap64(k);  // little-endian: the first byte is the lowest
    return static_cast<int64_t>((descending_ ? ~k : k) ^ (uint64_t{1} << 63));
  }

  int64_t fill(KeyAt* items, int64_t begin, int64_t end) const {
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++) {
      if (!valid_ || valid_[i]) items[count++] = {prefix(i), i};
    }
    if (!valid_) return count;
    for (int64_t i = begin, k = count; i < end; i++) {
      if (!valid_[i]) items[k++] = {0, i};
    }
    return count;
  }

  /// Orders the runs of equal first bytes, key(item), of the strings at position(item).
  template <class T, class Key, class Position>
  void settle(T* items, int64_t n, Key&& key, Position&& position) const {
    for (int64_t i = 0; i < n;) {
      int64_t end = i + 1;
      const int64_t shortest = length(position(items[i])), of_run = key(items[i]);
      bool equal = shortest <= 8;
      for (; end < n && key(items[end]) == of_run; end++)
        equal = equal && length(position(items[end])) == shortest;
      if (!equal) {
        std::stable_sort(items + i, items + end, [&](const T& a, const T& b) {
          return descending_ ? less(position(b), position(a)) : less(position(a), position(b));
        });
      }
      i = end;
    }
  }

  bool less(int64_t a, int64_t b) const {
    const int64_t n = length(a), m = length(b);
    const int c =
        memcmp(bytes_ + offsets_[a], bytes_ + offsets_[b], static_cast<size_t>(std::min(n, m)));
    return c != 0 ? c < 0 : n < m;
  }

  const uint8_t* bytes_;
  const int64_t* offsets_;
  const uint8_t* valid_;
  const Lists& lists_;
  bool descending_;
  int64_t* order_;
};

}  // namespace

void argsort_strings(const uint8_t* bytes, const int64_t* offsets, const uint8_t* valid,
                     const Lists& lists, bool descending, int64_t* order) {
  Strings strings(bytes, offsets, valid, lists, descending, order);
  for_lists(
      lists,
      [&](int64_t list) {
        strings.part({list, list + 1});
      },
      [&](ListRange range) { strings.part(range); });
}

}  // namespace serrate::cpu
