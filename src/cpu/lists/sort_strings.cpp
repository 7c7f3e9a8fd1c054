// Sorting strings list by list: by their first eight bytes as one number, then by the rest where
// those are equal. Of long lists the first few are kept as the others go by.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/seams.h"
#include "cpu/lists/list_tasks.h"
#include "cpu/lists/lists.h"
#include "cpu/lists/sort_kernels.h"
#include "cpu/machine/pool.h"
#include "cpu/machine/scratch.h"

namespace serrate::cpu {
namespace {

class Strings {
 public:
  Strings(const uint8_t* bytes, const int64_t* offsets, const uint8_t* valid, const Lists& lists,
          bool descending, int64_t first, int64_t* order)
      : bytes_(bytes),
        offsets_(offsets),
        valid_(valid),
        lists_(lists),
        descending_(descending),
        first_(first),
        end_(offsets[lists.items()]),
        order_(order) {}

  void part(ListRange range) {
    const int64_t first = lists_.offsets[range.begin], n = lists_.offsets[range.end] - first;
    const bool one = range.end - range.begin == 1;
    if (one && first_ > 0 && n >= seams().selected && first_ <= n / 8) return select(first, n);
    if (one && n >= seams().halves && !valid_) return long_list(first, n);
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

  /// Of two different items.
  bool is_before(const KeyAt& a, const KeyAt& b) const {
    if (a.key != b.key) return a.key < b.key;
    if (const int c = compare(a.position, b.position); c != 0) return descending_ ? c > 0 : c < 0;
    return a.position < b.position;
  }

  /// The first few of some items, in any order.
  std::vector<KeyAt> leading(int64_t begin, int64_t end) const {
    // As many again come before the others go, so that each is moved a few times only.
    const auto few = static_cast<size_t>(first_), more = std::max<size_t>(few, 256);
    const auto before = [&](const KeyAt& a, const KeyAt& b) { return is_before(a, b); };
    std::vector<KeyAt> kept;
    kept.reserve(few + more);
    const auto keep_first = [&] {
      if (kept.size() <= few) return;
      std::nth_element(kept.begin(), kept.begin() + first_ - 1, kept.end(), before);
      kept.resize(few);
    };
    bool is_full = false;  // the last one of `few` bounds what may be among them
    KeyAt last{};
    for (int64_t i = begin; i < end; i++) {
      if (valid_ && !valid_[i]) continue;
      const KeyAt item{prefix(i), i};
      if (is_full && (item.key > last.key || !is_before(item, last))) continue;
      kept.push_back(item);
      if (kept.size() < few + (is_full ? more : 0)) continue;
      keep_first();
      last = *std::ranges::max_element(kept, before);
      is_full = true;
    }
    keep_first();
    return kept;
  }

  /// The first few items of a long list; missing ones come behind all others.
  void select(int64_t begin, int64_t n) {
    const int64_t chunks = in_parallel() ? 1 : (n + seams().sorted - 1) / seams().sorted;
    std::vector<std::vector<KeyAt>> parts(static_cast<size_t>(chunks));
    parallel_for(chunks, [&](int64_t c, int) {
      parts[static_cast<size_t>(c)] = leading(begin + n * c / chunks, begin + n * (c + 1) / chunks);
    });
    std::vector<KeyAt> all;
    for (const auto& p : parts) all.insert(all.end(), p.begin(), p.end());
    std::ranges::sort(all, [&](const KeyAt& a, const KeyAt& b) { return is_before(a, b); });
    const int64_t some = std::min(first_, std::ssize(all));
    for (int64_t k = 0; k < some; k++)
      order_[begin + k] = all[static_cast<size_t>(k)].position - begin;
    for (int64_t i = 0, k = some; k < first_; i++)
      if (!valid_[begin + i]) order_[begin + k++] = i;
  }

  int64_t length(int64_t i) const { return offsets_[i + 1] - offsets_[i]; }

  /// The first bytes, so that numbers compare as the bytes do.
  int64_t prefix(int64_t i) const {
    const int64_t n = std::min<int64_t>(8, length(i));
    uint64_t k = 0;
    if (offsets_[i] + 8 <= end_)
      memcpy(&k, bytes_ + offsets_[i], 8);
    else
      memcpy(&k, bytes_ + offsets_[i], static_cast<size_t>(n));
    k = __builtin_bswap64(k);  // little-endian: the first byte is the lowest
    k = n == 0 ? 0 : k & (~uint64_t{0} << (64 - 8 * n));
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
          const int c = compare(position(a), position(b));
          return descending_ ? c > 0 : c < 0;
        });
      }
      i = end;
    }
  }

  int compare(int64_t a, int64_t b) const {
    const int64_t n = length(a), m = length(b);
    const int c =
        memcmp(bytes_ + offsets_[a], bytes_ + offsets_[b], static_cast<size_t>(std::min(n, m)));
    return c != 0 ? c : n < m ? -1 : n > m;
  }

  const uint8_t* bytes_;
  const int64_t* offsets_;
  const uint8_t* valid_;
  const Lists& lists_;
  bool descending_;
  int64_t first_;
  int64_t end_;  // of all bytes
  int64_t* order_;
};

}  // namespace

void argsort_strings(const uint8_t* bytes, const int64_t* offsets, const uint8_t* valid,
                     const Lists& lists, bool descending, int64_t* order, int64_t first) {
  Strings strings(bytes, offsets, valid, lists, descending, first, order);
  for_lists(
      lists,
      [&](int64_t list) {
        strings.part({list, list + 1});
      },
      [&](ListRange range) { strings.part(range); });
}

}  // namespace serrate::cpu
