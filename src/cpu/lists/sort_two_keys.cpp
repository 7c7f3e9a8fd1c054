// First keys are sorted as any integers are: see sort_two_keys.h.
#include "cpu/lists/sort_two_keys.h"

#include <algorithm>
#include <vector>

#include "core/seams.h"
#include "core/unsigned_of_size.h"
#include "cpu/lists/list_tasks.h"
#include "cpu/lists/sort_kernels.h"
#include "cpu/machine/pool.h"
#include "cpu/machine/scratch.h"
#include "serrate/buffer.h"

namespace serrate::cpu {
namespace {

constexpr int64_t kBlock = 1024;
constexpr int64_t kFew = 16;  // items that are sorted by insertion

/// f(begin, end) for chunks of n items.
template <class F>
void in_chunks(int64_t n, F&& f) {
  const int64_t chunk = seams().sorted;
  parallel_for((n + chunk - 1) / chunk,
               [&](int64_t c, int) { f(c * chunk, std::min(n, (c + 1) * chunk)); });
}

template <class T>
T* allocated(int64_t n, Buffer& keep) {
  void* p = nullptr;
  keep = Buffer::allocate(n * int64_t{sizeof(T)}, &p);
  return static_cast<T*>(p);
}

/// What insertion leaves of a few positions and their keys.
void insert_all(int64_t* keys, int64_t* positions, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    const int64_t key = keys[i], position = positions[i];
    int64_t k = i;
    for (; k > 0 && keys[k - 1] > key; k--) {
      keys[k] = keys[k - 1];
      positions[k] = positions[k - 1];
    }
    keys[k] = key;
    positions[k] = position;
  }
}

/// Positions in the order of first keys become those in the order of both.
class EqualFirst {
 public:
  EqualFirst(const Bytes16* items, const int64_t* keys, bool descending, int64_t* order)
      : items_(items), keys_(keys), descending_(descending), order_(order) {}

  /// Of n of a list that begins at item `first`.
  void part(int64_t first, int64_t n) const {
    each_equal_run(
        n, [&](int64_t i) { return keys_[first + order_[first + i]]; },
        [&](int64_t begin, int64_t end) { run(first, begin, end); });
  }

  /// The same by all threads, which share runs that are long.
  void giant(int64_t first, int64_t n) const {
    struct Run {
      int64_t begin, end;
    };
    const int64_t chunk = seams().sorted;
    std::vector<std::vector<Run>> all(static_cast<size_t>((n + chunk - 1) / chunk));
    const auto key = [&](int64_t i) { return keys_[first + order_[first + i]]; };
    // Runs are found before any is sorted: first keys stay what they are.
    in_chunks(n, [&](int64_t begin, int64_t end) {
      auto& runs = all[static_cast<size_t>(begin / chunk)];
      while (begin > 0 && begin < end && key(begin) == key(begin - 1)) begin++;
      if (begin == end) return;
      while (end < n && key(end) == key(end - 1)) end++;
      each_equal_run(
          end - begin, [&](int64_t i) { return key(begin + i); },
          [&](int64_t from, int64_t to) {
            runs.push_back({begin + from, begin + to});
          });
    });
    parallel_for(static_cast<int64_t>(all.size()), [&](int64_t c, int) {
      for (const Run& r : all[static_cast<size_t>(c)])
        if (r.end - r.begin <= chunk) run(first, r.begin, r.end);
    });
    for (const auto& runs : all)
      for (const Run& r : runs)
        if (r.end - r.begin > chunk) run(first, r.begin, r.end);
  }

 private:
  void run(int64_t first, int64_t begin, int64_t end) const {
    order_by_second(items_ + first, descending_, order_ + first + begin, end - begin);
  }

  const Bytes16* items_;
  const int64_t* keys_;
  bool descending_;
  int64_t* order_;
};

}  // namespace

void second_keys_at(const void* items, const int64_t* positions, int64_t n, bool descending,
                    int64_t* keys) {
  const auto* all = static_cast<const Bytes16*>(items);
  Bytes16 some[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t size = std::min(kBlock, n - i);
    for (int64_t k = 0; k < size; k++) some[k] = all[positions[i + k]];
    sort_kernels().second_keys(some, size, descending, keys + i);
  }
}

void order_by_second(const void* items, bool descending, int64_t* positions, int64_t n) {
  if (n <= kFew) {
    int64_t keys[kFew];
    second_keys_at(items, positions, n, descending, keys);
    return insert_all(keys, positions, n);
  }
  Buffer keep[3];
  auto* keys = allocated<int64_t>(n, keep[0]);
  auto* order = allocated<int64_t>(n, keep[1]);
  auto* before = allocated<int64_t>(n, keep[2]);
  in_chunks(n, [&](int64_t begin, int64_t end) {
    second_keys_at(items, positions + begin, end - begin, descending, keys + begin);
    std::copy(positions + begin, positions + end, before + begin);
  });
  const int64_t ends[2] = {0, n};
  argsort_lists(DType::int64, keys, nullptr, {ends, 1}, false, order);
  in_chunks(n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) positions[i] = before[order[i]];
  });
}

void argsort_by_two_keys(DType t, const void* items, const uint8_t* valid, const Lists& lists,
                         bool descending, int64_t* order) {
  const auto* all = static_cast<const Bytes16*>(items);
  Buffer keep;
  auto* keys = allocated<int64_t>(lists.items(), keep);
  in_chunks(lists.items(), [&](int64_t begin, int64_t end) {
    sort_kernels().to_keys(t, all + begin, end - begin, descending, keys + begin);
  });
  argsort_lists(DType::int64, keys, valid, lists, false, order);
  const EqualFirst equal(all, keys, descending, order);
  const auto present = [&](int64_t list) {
    const int64_t begin = lists.offsets[list], end = lists.offsets[list + 1];
    if (!valid) return end - begin;
    return static_cast<int64_t>(
        std::count_if(valid + begin, valid + end, [](uint8_t v) { return v != 0; }));
  };
  for_lists(
      lists, [&](int64_t l) { equal.giant(lists.offsets[l], present(l)); },
      [&](ListRange range) {
        for (int64_t l = range.begin; l < range.end; l++) equal.part(lists.offsets[l], present(l));
      });
}

void sort_by_two_keys(DType t, const void* items, const uint8_t* valid, const Lists& lists,
                      bool descending, void* out) {
  Buffer keep;
  auto* order = allocated<int64_t>(lists.items(), keep);
  argsort_by_two_keys(t, items, valid, lists, descending, order);
  const auto* from = static_cast<const Bytes16*>(items);
  auto* to = static_cast<Bytes16*>(out);
  const auto gather = [&](int64_t first, int64_t begin, int64_t end) {
    for (int64_t i = first + begin; i < first + end; i++) to[i] = from[first + order[i]];
  };
  const auto length = [&](int64_t l) { return lists.offsets[l + 1] - lists.offsets[l]; };
  for_lists(
      lists,
      [&](int64_t l) {
        in_chunks(length(l),
                  [&](int64_t begin, int64_t end) { gather(lists.offsets[l], begin, end); });
      },
      [&](ListRange range) {
        for (int64_t l = range.begin; l < range.end; l++) gather(lists.offsets[l], 0, length(l));
      });
}

}  // namespace serrate::cpu
