// Checks of offsets and indexes: blocks without branches, a closer look only at a block that is
// bad.
#include "cpu/isa/ragged_parts.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

constexpr int64_t kBlock = 1024;

// The first k in [0, n) for which bad(k), or -1. T: the type compared, as GCC 12 makes vectors of
// flags of that size only.
template <class T, class Bad>
[[gnu::always_inline]] inline int64_t first_bad(int64_t n, Bad bad) {
  for (int64_t from = 0; from < n; from += kBlock) {
    const int64_t end = least(n, from + kBlock);
    T any = 0;
    for (int64_t k = from; k < end; k++) any |= static_cast<T>(bad(k));
    if (any == T(0)) continue;
    for (int64_t k = from; k < end; k++)
      if (bad(k)) return k;
  }
  return -1;
}

// `bound` as a T: the largest T when it is larger.
template <class T>
T at_most(int64_t bound) {
  constexpr int64_t largest =
      sizeof(T) == 8 ? kMaxInt64 : (T(-1) < T(0) ? kMaxInt32 : int64_t{4294967295});
  return static_cast<T>(bound > largest ? largest : bound);
}

template <class T>
int64_t validate_offsets_as(const T* offsets, int64_t lists, int64_t content) {
  if (content < 0 || offsets[0] < T(0)) return 0;
  const T end = at_most<T>(content);
  if (offsets[0] > end) return 0;
  const int64_t k = first_bad<T>(
      lists, [=](int64_t p) { return (offsets[p + 1] < offsets[p]) | (offsets[p + 1] > end); });
  return k < 0 ? -1 : k + 1;
}

int64_t validate_offsets(IndexType type, const void* offsets, int64_t lists, int64_t content) {
  return with_index_type(type, [&](auto t) {
    return validate_offsets_as(static_cast<const decltype(t)*>(offsets), lists, content);
  });
}

template <class T>
int64_t validate_pairs_as(const T* starts, const T* stops, int64_t lists, int64_t content) {
  const T end = at_most<T>(content < 0 ? 0 : content);
  return first_bad<T>(lists, [=](int64_t p) {
    const T a = starts[p], b = stops[p];
    return (b < a) | ((a != b) & ((a < T(0)) | (b > end)));
  });
}

int64_t validate_pairs(IndexType type, const void* starts, const void* stops, int64_t lists,
                       int64_t content) {
  return with_index_type(type, [&](auto t) {
    using T = decltype(t);
    return validate_pairs_as(static_cast<const T*>(starts), static_cast<const T*>(stops), lists,
                             content);
  });
}

template <class T>
int64_t validate_index_as(const T* index, int64_t n, int64_t lo, int64_t hi) {
  if (hi <= lo) return n > 0 ? 0 : -1;
  // The bounds as values of T, so that vectors keep its size.
  constexpr int64_t least_t = T(-1) > T(0) ? 0 : sizeof(T) == 4 ? -kMaxInt32 - 1 : -kMaxInt64 - 1;
  const int64_t last_value = hi - 1;
  if (last_value < least_t) return n > 0 ? 0 : -1;
  const int64_t largest = static_cast<int64_t>(at_most<T>(kMaxInt64));
  if (lo > largest) return n > 0 ? 0 : -1;
  const T first = static_cast<T>(lo < least_t ? least_t : lo), last = at_most<T>(last_value);
  return first_bad<T>(n, [=](int64_t k) { return (index[k] < first) | (index[k] > last); });
}

int64_t validate_index(IndexType type, const void* index, int64_t n, int64_t lo, int64_t hi) {
  return with_index_type(type, [&](auto t) {
    return validate_index_as(static_cast<const decltype(t)*>(index), n, lo, hi);
  });
}

int64_t lengths_equal(const int32_t* a, const int32_t* b, int64_t lists) {
  // Both begin at 0, so the first other length is at the first other offset.
  return first_bad<int32_t>(lists, [=](int64_t p) { return a[p + 1] != b[p + 1]; });
}

int64_t offsets_equal(IndexType a_type, const void* a, IndexType b_type, const void* b,
                      int64_t lists) {
  return with_index_type(a_type, [&](auto s) {
    return with_index_type(b_type, [&](auto t) {
      const auto* x = static_cast<const decltype(s)*>(a);
      const auto* y = static_cast<const decltype(t)*>(b);
      const int64_t shift = static_cast<int64_t>(x[0]) - static_cast<int64_t>(y[0]);
      return first_bad<int64_t>(lists, [=](int64_t p) {
        return static_cast<int64_t>(x[p + 1]) - static_cast<int64_t>(y[p + 1]) != shift;
      });
    });
  });
}

}  // namespace

void add_check_kernels(RaggedKernels& table) {
  table.validate_offsets = validate_offsets;
  table.validate_pairs = validate_pairs;
  table.validate_index = validate_index;
  table.lengths_equal = lengths_equal;
  table.offsets_equal = offsets_equal;
}

}  // namespace serrate::cpu::SERRATE_ISA
