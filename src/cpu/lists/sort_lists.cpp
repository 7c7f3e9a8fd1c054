// Sorting list by list: tasks, giant lists, items that take no part. The loops are in src/cpu/isa.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "core/seams.h"
#include "core/unsigned_of_size.h"
#include "cpu/lists/list_tasks.h"
#include "cpu/lists/sort_counting.h"
#include "cpu/lists/sort_halves.h"
#include "cpu/lists/sort_kernels.h"
#include "cpu/lists/sort_runs.h"
#include "cpu/lists/sort_two_keys.h"
#include "cpu/machine/isa_table.h"
#include "cpu/machine/scratch.h"
#include "serrate/buffer.h"
#include "serrate/error.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                     \
  namespace isa {                                \
  void add_key_kernels(SortKernels& table);      \
  void add_split_kernels(SortKernels& table);    \
  void add_sort_kernels(SortKernels& table);     \
  void add_distinct_kernels(SortKernels& table); \
  static SortKernels make_sort_table() {         \
    SortKernels table{};                         \
    add_key_kernels(table);                      \
    add_split_kernels(table);                    \
    add_sort_kernels(table);                     \
    add_distinct_kernels(table);                 \
    return table;                                \
  }                                              \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

const SortKernels& sort_kernels(Isa isa) {
#define SERRATE_CASE(isa) SERRATE_RETURN_TABLE(isa, make_sort_table)
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) }
#undef SERRATE_CASE
  throw ValueError("sort: no such instruction set");
}

namespace {

/// How many of a come first where k items of a and b are merged.
template <class T, class Less>
int64_t split_at(const T* a, int64_t n, const T* b, int64_t m, int64_t k, Less less) {
  int64_t low = std::max<int64_t>(0, k - m), high = std::min(k, n);
  while (low < high) {
    const int64_t i = (low + high) / 2;
    if (less(b[k - i - 1], a[i])) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  return low;
}

bool less(int16_t a, int16_t b) { return a < b; }
bool less(int32_t a, int32_t b) { return a < b; }
bool less(int64_t a, int64_t b) { return a < b; }
bool less(float a, float b) { return a < b; }
bool less(double a, double b) { return a < b; }
bool less(const KeyAt& a, const KeyAt& b) { return a.key < b.key; }

/// Are n items of a list sorted by one thread?
bool is_alone(int64_t n) { return n <= seams().giant || num_threads() == 1 || in_parallel(); }

/// n items, by all threads. Returns where they are then: `items` or `room`.
template <class T>
T* sort_giant(const SortItems<T>& kernels, T* items, T* room, int64_t n, int skipped) {
  int levels = 0;
  while (!is_alone(n) && (n >> levels) > seams().sorted) levels++;
  const auto bound = [n](int64_t k, int level) { return n * k >> level; };
  parallel_for(int64_t{1} << levels, [&](int64_t k, int) {
    const int64_t ends[2] = {bound(k, levels), bound(k + 1, levels)};
    kernels.sort(items + ends[0], room + ends[0], ends, nullptr, 1, skipped);
  });
  struct Piece {
    int64_t begin, middle, end, first;
  };
  for (int level = levels; level > 0; level--) {
    std::vector<Piece> pieces;
    for (int64_t k = 0; k < int64_t{1} << level; k += 2) {
      const Piece p{bound(k, level), bound(k + 1, level), bound(k + 2, level), 0};
      for (int64_t i = p.begin; i < p.end; i += seams().merged)
        pieces.push_back({p.begin, p.middle, p.end, i - p.begin});
    }
    parallel_for(static_cast<int64_t>(pieces.size()), [&](int64_t task, int) {
      const Piece& p = pieces[static_cast<size_t>(task)];
      const T *a = items + p.begin, *b = items + p.middle;
      const int64_t n = p.middle - p.begin, m = p.end - p.middle;
      const auto order = [](const T& x, const T& y) { return less(x, y); };
      const int64_t last = std::min(p.first + seams().merged, n + m);
      const int64_t i = split_at(a, n, b, m, p.first, order);
      const int64_t end = split_at(a, n, b, m, last, order);
      const int64_t j = p.first - i;
      kernels.merge(a + i, end - i, b + j, last - end - j, room + p.begin + p.first);
    });
    std::swap(items, room);
  }
  return items;
}

/// Memory of a giant list.
template <class T>
T* allocate(int64_t n, std::vector<Buffer>& keep) {
  void* p = nullptr;
  keep.push_back(Buffer::allocate(n * int64_t{sizeof(T)}, &p));
  return static_cast<T*>(p);
}

struct Request {
  DType type;
  const std::byte* keys;
  const uint8_t* valid;
  const Lists& lists;
  bool descending;
  std::byte* out;  // sorted keys, or
  int64_t* order;  // indexes in the lists
  int size() const { return itemsize(type); }
  const std::byte* at(int64_t i) const { return keys + i * size(); }
};

/// Positions as well as keys: packed into the low half, or beside.
struct Packed {
  using Key = int32_t;
  using T = int64_t;
  static constexpr int kSkipped = 4;
  static constexpr int64_t kMostItems = int64_t{1} << 32;
  static T make(int32_t key, int64_t i) { return int64_t{key} * (int64_t{1} << 32) + i; }
  static int64_t position(T x) { return x & 0xffffffff; }
  static const SortItems<T>& kernels() { return sort_kernels().wide; }
  static OrderLists<Key, T> order() { return sort_kernels().order_narrow; }
};
struct Beside {
  using Key = int64_t;
  using T = KeyAt;
  static constexpr int kSkipped = 0;
  static constexpr int64_t kMostItems = INT64_MAX;
  static T make(int64_t key, int64_t i) { return {key, i}; }
  static int64_t position(const T& x) { return x.position; }
  static const SortItems<T>& kernels() { return sort_kernels().pairs; }
  static OrderLists<Key, T> order() { return sort_kernels().order_wide; }
};

template <class P>
class Positions {
 public:
  using T = typename P::T;
  using Key = typename P::Key;
  explicit Positions(const Request& r) : r_(r) {}

  void part(ListRange range) {
    const int64_t* offsets = r_.lists.offsets;
    const int64_t first = offsets[range.begin], n = offsets[range.end] - first;
    ScratchScope scope;
    auto* keys = scope.get<Key>(static_cast<size_t>(n));
    auto* items = scope.get<T>(static_cast<size_t>(n));
    auto* room = scope.get<T>(static_cast<size_t>(n));
    sort_kernels().to_keys(r_.type, r_.at(first), n, r_.descending, keys);
    int64_t* counts = nullptr;
    if (r_.order && !r_.valid)
      return P::order()(keys, items, room, offsets + range.begin, range.end - range.begin,
                        r_.order + first);
    if (r_.valid) {
      counts = scope.get<int64_t>(static_cast<size_t>(range.end - range.begin));
      for (int64_t l = range.begin; l < range.end; l++)
        counts[l - range.begin] =
            fill_valid(keys, items, offsets[l] - first, offsets[l + 1] - first, first);
    } else {
      for (int64_t i = 0; i < n; i++) items[i] = P::make(keys[i], i);
    }
    P::kernels().sort(items, room, offsets + range.begin, counts, range.end - range.begin,
                      P::kSkipped);
    if (r_.out) return gather(items, 0, n, first);
    for (int64_t l = range.begin; l < range.end; l++) {
      const int64_t shift = offsets[l] - first;
      for (int64_t i = offsets[l]; i < offsets[l + 1]; i++)
        r_.order[i] = P::position(items[i - first]) - shift;
    }
  }

  void giant(int64_t list) {
    const int64_t first = r_.lists.offsets[list], n = r_.lists.offsets[list + 1] - first;
    check<ValueError>(n <= P::kMostItems, "sort: a list of {} items is too long", n);
    std::vector<Buffer> keep;
    // Positions have room for the pairs of their size that they are taken out of.
    T* items = r_.order && sizeof(T) == sizeof(int64_t) ? reinterpret_cast<T*>(r_.order) + first
                                                        : allocate<T>(n, keep);
    T* room = allocate<T>(n, keep);
    int64_t count = n;
    if (r_.valid) {
      Key keys[kBlock];
      count = 0;
      for (int64_t i = 0; i < n; i += kBlock) {
        const int64_t size = std::min(kBlock, n - i);
        sort_kernels().to_keys(r_.type, r_.at(first + i), size, r_.descending, keys);
        count = fill_present(keys, items, count, i, size, first);
      }
      fill_missing(items, count, 0, n, first);
    } else {
      in_chunks(n, [&](int64_t begin, int64_t size) {
        ScratchScope scope;
        auto* keys = scope.get<Key>(static_cast<size_t>(size));
        sort_kernels().to_keys(r_.type, r_.at(first + begin), size, r_.descending, keys);
        for (int64_t i = 0; i < size; i++) items[begin + i] = P::make(keys[i], begin + i);
      });
    }
    const T* sorted = sort_giant(P::kernels(), items, room, count, P::kSkipped);
    in_chunks(n, [&](int64_t begin, int64_t size) {
      const int64_t middle = std::clamp<int64_t>(count - begin, 0, size);
      emit(sorted, begin, middle, first);
      emit(items, begin + middle, size - middle, first);
    });
  }

  template <class F>
  static void in_chunks(int64_t n, F&& f) {
    const int64_t chunk = seams().sorted;
    parallel_for((n + chunk - 1) / chunk,
                 [&](int64_t k, int) { f(k * chunk, std::min(chunk, n - k * chunk)); });
  }

 private:
  static constexpr int64_t kBlock = 1024;

  /// Valid items first, the others after them; all are counted from `first`.
  int64_t fill_valid(const Key* keys, T* items, int64_t begin, int64_t end, int64_t first) {
    const int64_t place = fill_present(keys + begin, items, begin, begin, end - begin, first);
    fill_missing(items, place, begin, end, first);
    return place - begin;
  }
  /// Those of n items with these keys that are valid, from a place on. Returns the next one.
  int64_t fill_present(const Key* keys, T* items, int64_t place, int64_t begin, int64_t n,
                       int64_t first) {
    const uint8_t* valid = r_.valid + first + begin;
    for (int64_t i = 0; i < n; i++)
      if (valid[i]) items[place++] = P::make(keys[i], begin + i);
    return place;
  }
  void fill_missing(T* items, int64_t place, int64_t begin, int64_t end, int64_t first) {
    const uint8_t* valid = r_.valid + first;
    for (int64_t i = begin; i < end; i++)
      if (!valid[i]) items[place++] = P::make(0, i);
  }

  void emit(const T* items, int64_t begin, int64_t size, int64_t first) {
    if (r_.out) return gather(items, begin, size, first);
    for (int64_t i = begin; i < begin + size; i++) r_.order[first + i] = P::position(items[i]);
  }

  /// The values at the positions of items begin .. begin + size - 1.
  void gather(const T* items, int64_t begin, int64_t size, int64_t first) {
    auto copy = [&]<class V>(V) {
      const V* from = reinterpret_cast<const V*>(r_.keys) + first;
      V* to = reinterpret_cast<V*>(r_.out) + first;
      for (int64_t i = begin; i < begin + size; i++) to[i] = from[P::position(items[i])];
    };
    with_unsigned(r_.size(), copy);
  }

  const Request& r_;
};

/// Keys alone, or floating numbers as they are. False where that would lose which zeros are
/// negative, or some of them are NaN.
template <class K>
class Values {
 public:
  explicit Values(const Request& r) : r_(r) {}

  bool part(ListRange range) {
    const int64_t first = r_.lists.offsets[range.begin], n = r_.lists.offsets[range.end] - first;
    ScratchScope scope;
    if (range.end - range.begin == 1)
      if (const auto done = from_where_it_is(first, n)) return *done;
    K* keys = are_in_place() ? place(first) : scope.get<K>(static_cast<size_t>(n));
    auto* room = scope.get<K>(static_cast<size_t>(n));
    if (!to_keys_of<K>()(r_.type, r_.at(first), n, r_.descending, keys)) return false;
    kernels_.sort(keys, room, r_.lists.offsets + range.begin, nullptr, range.end - range.begin, 0);
    if (are_values()) return true;
    from_keys_of<K>()(r_.type, keys, n, r_.descending, r_.out + first * r_.size());
    return true;
  }

  bool giant(int64_t list) {
    const int64_t first = r_.lists.offsets[list], n = r_.lists.offsets[list + 1] - first;
    if (is_alone(n))
      if (const auto done = from_where_it_is(first, n)) return *done;
    std::vector<Buffer> keep;
    K* keys = are_in_place() ? place(first) : allocate<K>(n, keep);
    K* room = allocate<K>(n, keep);
    std::atomic<bool> kept = true;
    const auto in_chunks = [&](auto f) { Positions<Beside>::in_chunks(n, f); };
    in_chunks([&](int64_t i, int64_t size) {
      if (!to_keys_of<K>()(r_.type, r_.at(first + i), size, r_.descending, keys + i)) kept = false;
    });
    if (!kept) return false;
    const K* sorted = sort_giant(kernels_, keys, room, n, 0);
    if (are_values() && sorted == keys) return true;
    in_chunks([&](int64_t i, int64_t size) {
      std::byte* const to = r_.out + (first + i) * r_.size();
      if (are_values())
        std::memcpy(to, sorted + i, static_cast<size_t>(size) * sizeof(K));
      else
        from_keys_of<K>()(r_.type, sorted + i, size, r_.descending, to);
    });
    return true;
  }

 private:
  /// One list of keys that are values, without a copy of it: what part() gives, or nothing where it
  /// is to be copied.
  std::optional<bool> from_where_it_is(int64_t first, int64_t n) {
    constexpr bool kFloating = std::is_floating_point_v<K>;
    const bool ours = kFloating || sizeof(K) == 2 || n <= seams().quick / (sizeof(K) == 8 ? 16 : 1);
    if (!are_values() || !kernels_.quick || !ours) return {};
    if (kFloating && !to_keys_of<K>()(r_.type, r_.at(first), n, false, nullptr)) return false;
    const K* const items = reinterpret_cast<const K*>(r_.at(first));
    // Of long lists room for a part of them.
    constexpr int64_t kParts = 16;
    const int64_t most = std::min(n, std::max(seams().sorted, n / kParts));
    ScratchScope scope;
    auto* room = scope.get<K>(static_cast<size_t>(most));
    return kernels_.quick(items, n, place(first), room, most) ? std::optional(true) : std::nullopt;
  }
  /// Results have room for keys of their size, which they become in place.
  bool are_in_place() const { return r_.size() == sizeof(K); }
  K* place(int64_t first) const { return reinterpret_cast<K*>(r_.out) + first; }
  /// Results in their place whose keys are their values.
  bool are_values() const {
    if (std::is_floating_point_v<K>) return true;
    constexpr DType kSame = sizeof(K) == 8   ? DType::int64
                            : sizeof(K) == 4 ? DType::int32
                                             : DType::int16;
    return r_.type == kSame && !r_.descending;
  }

  const Request& r_;
  const SortItems<K>& kernels_ = sort_kernels_of<K>();
};

/// A long list that is in order, or of integers that take few values, or of which one thread finds
/// the order without pairs of keys and positions.
bool is_easy(const Request& r, ListRange range) {
  const int64_t first = r.lists.offsets[range.begin], n = r.lists.offsets[range.end] - first;
  if (range.end - range.begin != 1) return false;
  const bool is_long = n >= seams().counted;
  if (is_long && !r.valid &&
      sort_one_run(r.type, r.at(first), n, r.descending, r.out ? r.out + first * r.size() : nullptr,
                   r.order ? r.order + first : nullptr))
    return true;
  if (is_long && sort_by_counting({r.type, r.at(first), r.valid ? r.valid + first : nullptr, n,
                                   r.descending, r.order ? r.order + first : nullptr,
                                   r.out ? r.out + first * r.size() : nullptr}))
    return true;
  const bool by_halves =
      r.order && !has_narrow_keys(r.type) && n < kMostHalves && n >= seams().halves && is_alone(n);
  if (by_halves)
    argsort_by_halves(r.type, r.at(first), r.valid ? r.valid + first : nullptr, n, r.descending,
                      r.order + first);
  return by_halves;
}

template <class Giant, class Part>
void sort_tasks(const Request& r, Giant&& giant, Part&& part) {
  for_lists(
      r.lists,
      [&](int64_t list) {
        if (!is_easy(r, {list, list + 1})) giant(list);
      },
      [&](ListRange range) {
        if (!is_easy(r, range)) part(range);
      });
}

template <class P>
void sort_positions(const Request& r) {
  Positions<P> positions(r);
  sort_tasks(
      r, [&](int64_t list) { positions.giant(list); },
      [&](ListRange range) { positions.part(range); });
}

/// As the first of these that loses nothing, else as positions.
template <class P, class... K>
void sort_values(const Request& r) {
  Positions<P> positions(r);
  sort_tasks(
      r,
      [&](int64_t list) {
        if (!(Values<K>(r).giant(list) || ...)) positions.giant(list);
      },
      [&](ListRange range) {
        if (!(Values<K>(r).part(range) || ...)) positions.part(range);
      });
}

}  // namespace

void sort_lists(DType t, const void* keys, const uint8_t* valid, const Lists& lists,
                bool descending, void* out) {
  if (has_two_keys(t)) return sort_by_two_keys(t, keys, valid, lists, descending, out);
  const Request r{t,          static_cast<const std::byte*>(keys), valid,  lists,
                  descending, static_cast<std::byte*>(out),        nullptr};
  const bool narrow = has_narrow_keys(t);
  if (valid) return narrow ? sort_positions<Packed>(r) : sort_positions<Beside>(r);
  if (may_have_short_keys(t) && sort_kernels().shorts.sort) return sort_values<Packed, int16_t>(r);
  if (t == DType::float64 && !descending && sort_kernels().doubles.sort)
    return sort_values<Beside, double, int64_t>(r);
  if (t == DType::float32 && !descending && sort_kernels().floats.sort)
    return sort_values<Packed, float, int32_t>(r);
  narrow ? sort_values<Packed, int32_t>(r) : sort_values<Beside, int64_t>(r);
}

void argsort_lists(DType t, const void* keys, const uint8_t* valid, const Lists& lists,
                   bool descending, int64_t* order) {
  if (has_two_keys(t)) return argsort_by_two_keys(t, keys, valid, lists, descending, order);
  const Request r{t, static_cast<const std::byte*>(keys), valid, lists, descending, nullptr, order};
  has_narrow_keys(t) ? sort_positions<Packed>(r) : sort_positions<Beside>(r);
}

void invert_lists(const int64_t* order, const Lists& lists, int64_t* out) {
  const auto part = [&](ListRange range) {
    for (int64_t l = range.begin; l < range.end; l++) {
      const int64_t begin = lists.offsets[l], n = lists.offsets[l + 1] - begin;
      for (int64_t i = 0; i < n; i++) out[begin + order[begin + i]] = i;
    }
  };
  for_lists(
      lists,
      [&](int64_t list) {
        part({list, list + 1});
      },
      part);
}

}  // namespace serrate::cpu
