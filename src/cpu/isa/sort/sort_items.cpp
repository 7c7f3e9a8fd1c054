// Sorting keys in lists of any length without branches that depend on them: see sort_kernels.h.
//
// With AVX2 and AVX-512 keys go through networks of registers, and long lists are partitioned by
// registers. Else, and with positions beside them, up to kRanked items the place of each is found
// by comparing it with all others; longer lists are merged from such parts, from both ends at once;
// long ones go digit by digit.
#include <cstring>
#include <type_traits>

#include "core/seams.h"
#include "cpu/isa/sort/select_quick.h"
#include "cpu/lists/sort_kernels.h"
#include "cpu/lists/sort_vectors.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
constexpr int kRanked = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
constexpr int kRanked = 32;
#else
constexpr int kVectorBytes = 16;
constexpr int kRanked = 16;
#endif

template <class T>
struct Item {
  using Key = T;
  static T key(T x) { return x; }
};
template <>
struct Item<KeyAt> {
  using Key = int64_t;
  static int64_t key(const KeyAt& x) { return x.key; }
};
template <class T>
using KeyOf = typename Item<T>::Key;

/// N items, all comparisons unrolled.
template <int N, class T>
inline void sort_few(T* a) {
  T x[N];
  int rank[N];
  for (int i = 0; i < N; i++) x[i] = a[i], rank[i] = i;
#pragma GCC unroll 8
  for (int i = 0; i < N; i++) {
#pragma GCC unroll 8
    for (int j = i + 1; j < N; j++) {
      const int after = Item<T>::key(x[j]) < Item<T>::key(x[i]);
      rank[i] += after;
      rank[j] -= after;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < N; i++) a[rank[i]] = x[i];
}

template <int N, class K>
inline void order_few(const K* x, int64_t* order) {
  int rank[N];
  for (int i = 0; i < N; i++) rank[i] = i;
#pragma GCC unroll 8
  for (int i = 0; i < N; i++) {
#pragma GCC unroll 8
    for (int j = i + 1; j < N; j++) {
      const int after = x[j] < x[i];
      rank[i] += after;
      rank[j] -= after;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < N; i++) order[rank[i]] = i;
}

/// Places of n <= kRanked keys, vectors of them against one key after the other. There is room for
/// a vector behind keys and ranks.
template <class K>
inline void find_ranks(const K* keys, int n, K* rank) {
  typedef K V __attribute__((vector_size(kVectorBytes)));
  constexpr int kLanes = kVectorBytes / int{sizeof(K)};
  V lane;
  for (int i = 0; i < kLanes; i++) lane[i] = K(i);
  for (int b = 0; b < n; b += kLanes) {
    V k, r{};
    memcpy(&k, keys + b, sizeof k);
    const int end = b + kLanes < n ? b + kLanes : n;
    for (int j = 0; j < b; j++) r -= V(keys[j] <= k);
    for (int j = b; j < end; j++) r -= V(keys[j] < k) | (V(keys[j] == k) & V(K(j - b) < lane));
    for (int j = end; j < n; j++) r -= V(keys[j] < k);
    memcpy(rank + b, &r, sizeof r);
  }
}

template <class T>
void sort_ranked(const T* a, int n, T* out) {
  using K = KeyOf<T>;
  constexpr int kLanes = kVectorBytes / int{sizeof(K)};
  alignas(64) K keys[kRanked + kLanes];
  alignas(64) K rank[kRanked + kLanes];
  for (int i = 0; i < n; i++) keys[i] = Item<T>::key(a[i]);
  find_ranks(keys, n, rank);
  for (int i = 0; i < n; i++) out[rank[i]] = a[i];
}

/// Two sorted runs whose lengths differ by at most one, from both ends at once.
template <class T>
void merge_halves(const T* a, int64_t n, const T* b, int64_t m, T* out) {
  const int64_t half = (n + m) / 2;
  const T *x = a, *y = b, *u = a + n - 1, *v = b + m - 1;
  T *first = out, *last = out + n + m - 1;
  for (int64_t i = 0; i < half; i++) {
    const bool right = Item<T>::key(*y) < Item<T>::key(*x);
    *first++ = right ? *y : *x;
    y += right;
    x += !right;
    const bool left = Item<T>::key(*v) < Item<T>::key(*u);
    *last-- = left ? *u : *v;
    u -= left;
    v -= !left;
  }
  if ((n + m) % 2 != 0) *first = x <= u ? *x : *y;
}

template <class T>
void merge(const T* a, int64_t n, const T* b, int64_t m, T* out) {
  const T *a_end = a + n, *b_end = b + m;
  while (a < a_end && b < b_end) {
    const int64_t left = a_end - a, right = b_end - b;
    for (int64_t i = left < right ? left : right; i > 0; i--) {
      const bool take = Item<T>::key(*b) < Item<T>::key(*a);
      *out++ = take ? *b : *a;
      b += take;
      a += !take;
    }
  }
  memcpy(static_cast<void*>(out), a, size_t(a_end - a) * sizeof(T));
  out += a_end - a;
  memcpy(static_cast<void*>(out), b, size_t(b_end - b) * sizeof(T));
}

/// Parts of about kRanked items, merged two by two.
template <class T>
void sort_merging(T* a, int64_t n, T* room) {
  int levels = 0;
  while (((n + (int64_t{1} << levels) - 1) >> levels) > kRanked) levels++;
  const auto bound = [n](int64_t k, int level) { return n * k >> level; };
  T* from = levels % 2 == 0 ? a : room;
  T* to = levels % 2 == 0 ? room : a;
  for (int64_t k = 0; k < int64_t{1} << levels; k++) {
    const int64_t begin = bound(k, levels);
    const auto size = int(bound(k + 1, levels) - begin);
    if (from == a) {
      T part[kRanked];
      memcpy(static_cast<void*>(part), a + begin, size_t(size) * sizeof(T));
      sort_ranked(part, size, a + begin);
    } else {
      sort_ranked(a + begin, size, room + begin);
    }
  }
  for (int level = levels; level > 0; level--) {
    for (int64_t k = 0; k < int64_t{1} << level; k += 2) {
      const int64_t begin = bound(k, level), middle = bound(k + 1, level),
                    end = bound(k + 2, level);
      merge_halves(from + begin, middle - begin, from + middle, end - middle, to + begin);
    }
    T* t = from;
    from = to;
    to = t;
  }
}

/// Digits of 8 bits from the lowest up. Those that are the same everywhere are passed over.
template <class T>
void sort_digits(T* a, int64_t n, T* room, int skipped) {
  using K = KeyOf<T>;
  constexpr int kDigits = sizeof(K);
  int64_t counts[kDigits][256];
  memset(counts, 0, sizeof counts);
  const auto digit = [](const T& x, int d) {
    // The sign is the highest digit's top bit, and comes first where it is set.
    return unsigned(Item<T>::key(x) >> (8 * d) & 0xff) ^ (d == kDigits - 1 ? 0x80u : 0u);
  };
  for (int64_t i = 0; i < n; i++) {
#pragma GCC unroll 8
    for (int d = 0; d < kDigits; d++) counts[d][digit(a[i], d)]++;
  }
  T *from = a, *to = room;
  for (int d = skipped; d < kDigits; d++) {
    int64_t* begin = counts[d];
    if (begin[digit(from[0], d)] == n) continue;
    int64_t sum = 0;
    for (int k = 0; k < 256; k++) {
      const int64_t c = begin[k];
      begin[k] = sum;
      sum += c;
    }
    for (int64_t i = 0; i < n; i++) to[begin[digit(from[i], d)]++] = from[i];
    T* t = from;
    from = to;
    to = t;
  }
  if (from != a) memcpy(static_cast<void*>(a), from, size_t(n) * sizeof(T));
}

/// By registers: a network as long as the list fits some of them, then a quicksort of ours, then,
/// with AVX-512, the library, whose calls cost more and its splits less; with AVX2 that sorts what
/// ours divides badly. False: others are to sort it.
template <class T>
bool sort_by_registers([[maybe_unused]] T* a, [[maybe_unused]] int64_t n,
                       [[maybe_unused]] T* room) {
#if defined(__AVX2__)
  if (n <= kMostSorted<T>) {
    sort_network(a, n, a);
    return true;
  }
  if constexpr (sizeof(T) == 2 || std::is_floating_point_v<T>) {
    return sort_quick(a, n, a, room, n);
  } else {
#if defined(__AVX512F__)
    const bool is_slow = sizeof(T) == 4 && has_slow_compressing_stores();
    const bool ours = is_slow || n <= seams().quick / (sizeof(T) == 8 ? 16 : 1);
#else
    constexpr bool is_slow = false, ours = true;
#endif
    if (ours && sort_quick(a, n, a, room, n)) return true;
    return !is_slow && (sort_by_vectors(a, n) || (!ours && sort_quick(a, n, a, room, n)));
  }
#else
  return false;  // vectors of 16 bytes are no faster than digits
#endif
}

/// Items that registers do not sort.
template <class T>
void sort_by_parts(T* a, int64_t n, T* room, int skipped) {
  if (n <= seams().by_merging) return sort_merging(a, n, room);
  sort_digits(a, n, room, skipped);
}

/// Floating numbers, none of them NaN or -0.0, are integers in the same order: of negative ones all
/// bits but the sign are flipped.
template <class T>
void sort_by_bits(T* a, int64_t n, T* room) {
  using Bits = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  static_assert(sizeof(T) == sizeof(Bits));
  auto* const bits = reinterpret_cast<Bits*>(a);
  const auto turn = [&] {
    for (int64_t i = 0; i < n; i++) {
      Bits b;
      memcpy(&b, a + i, sizeof b);
      b = b < 0 ? Bits(b ^ std::numeric_limits<Bits>::max()) : b;
      memcpy(bits + i, &b, sizeof b);
    }
  };
  turn();
  sort_by_parts(bits, n, reinterpret_cast<Bits*>(room), 0);
  turn();
}

/// Lists of more than a few items.
template <class T>
void sort_long(T* a, int64_t n, T* room, int skipped) {
  if constexpr (std::is_arithmetic_v<T>)
    if (sort_by_registers(a, n, room)) return;
  if constexpr (std::is_floating_point_v<T>)
    sort_by_bits(a, n, room);
  else
    sort_by_parts(a, n, room, skipped);
}

template <class T>
void sort_list(T* a, int64_t n, T* room, int skipped) {
  switch (n) {
    case 0:
    case 1:
      return;
    case 2:
      return sort_few<2>(a);
    case 3:
      return sort_few<3>(a);
    case 4:
      return sort_few<4>(a);
    case 5:
      return sort_few<5>(a);
    case 6:
      return sort_few<6>(a);
    default:
      return sort_long(a, n, room, skipped);
  }
}

template <class T>
void sort_lists(T* items, T* room, const int64_t* offsets, const int64_t* counts, int64_t lists,
                int skipped) {
  const int64_t first = offsets[0];
  for (int64_t i = 0; i < lists; i++) {
    const int64_t begin = offsets[i] - first;
    sort_list(items + begin, counts ? counts[i] : offsets[i + 1] - offsets[i], room + begin,
              skipped);
  }
}

int64_t make_item(int32_t key, int64_t i, int64_t*) {
  return int64_t{key} * (int64_t{1} << 32) + i;
}
KeyAt make_item(int64_t key, int64_t i, KeyAt*) { return {key, i}; }
int64_t position_of(int64_t x) { return x & 0xffffffff; }
int64_t position_of(const KeyAt& x) { return x.position; }

template <class K, class T>
void order_list(const K* keys, T* items, T* room, int64_t n, int64_t* order) {
  constexpr int kLanes = kVectorBytes / int{sizeof(K)};
  if (n <= kRanked) {
    alignas(64) K copy[kRanked + kLanes];
    alignas(64) K rank[kRanked + kLanes];
    memcpy(copy, keys, size_t(n) * sizeof(K));
    find_ranks(copy, int(n), rank);
    for (int64_t i = 0; i < n; i++) order[rank[i]] = i;
    return;
  }
  for (int64_t i = 0; i < n; i++) items[i] = make_item(keys[i], i, items);
  sort_list(items, n, room, sizeof(T) == 8 ? 4 : 0);
  for (int64_t i = 0; i < n; i++) order[i] = position_of(items[i]);
}

template <class K, class T>
void order_lists(const K* keys, T* items, T* room, const int64_t* offsets, int64_t lists,
                 int64_t* order) {
  const int64_t first = offsets[0];
  for (int64_t i = 0; i < lists; i++) {
    const int64_t n = offsets[i + 1] - offsets[i];
    const K* k = keys + (offsets[i] - first);
    int64_t* o = order + (offsets[i] - first);
    switch (n) {
      case 0:
        break;
      case 1:
        o[0] = 0;
        break;
      case 2:
        order_few<2>(k, o);
        break;
      case 3:
        order_few<3>(k, o);
        break;
      case 4:
        order_few<4>(k, o);
        break;
      case 5:
        order_few<5>(k, o);
        break;
      case 6:
        order_few<6>(k, o);
        break;
      default:
        order_list(k, items, room, n, o);
    }
  }
}

template <class T>
SortItems<T> items() {
  SortItems<T> out{&sort_lists<T>, &merge<T>, nullptr, nullptr, nullptr};
#if defined(__AVX2__)
  if constexpr (std::is_arithmetic_v<T>) out.quick = &sort_quick<T>;
  if constexpr (std::is_integral_v<T>) {
    out.split = &split_apart<T>;
    out.select = &select_quick<T>;
  }
#endif
  return out;
}

}  // namespace

void add_sort_kernels(SortKernels& table) {
#if defined(__AVX512F__)
  if (compresses_16_bits()) table.shorts = items<int16_t>();
#endif
#if defined(__AVX2__)
  table.floats = items<float>();
  table.doubles = items<double>();
#endif
  table.narrow = items<int32_t>();
  table.wide = items<int64_t>();
  table.pairs = items<KeyAt>();
  table.order_narrow = &order_lists<int32_t, int64_t>;
  table.order_wide = &order_lists<int64_t, KeyAt>;
}

}  // namespace serrate::cpu::SERRATE_ISA
