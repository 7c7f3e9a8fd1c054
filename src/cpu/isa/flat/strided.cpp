// Items that are equally far apart: see cpu/lists/flat/strided.h. The other way round, and each
// other one, they go vector by vector, chosen in registers.
#include <cstdint>
#include <utility>

#include "core/unsigned_of_size.h"
#include "cpu/isa/ragged_parts.h"

namespace serrate::cpu::SERRATE_ISA {

void copy_strided(int size, const void* from, int64_t step, int64_t n, void* out);

namespace {

template <class T, size_t... L>
[[gnu::always_inline]] inline Vec<T, kNative> reversed(Vec<T, kNative> v,
                                                       std::index_sequence<L...>) {
  return __builtin_shufflevector(v, v, (sizeof...(L) - 1 - L)...);
}

/// `from` is the last item.
template <class T>
void reverse(const T* from, int64_t n, T* out) {
  int64_t i = 0;
  if constexpr (sizeof(T) <= 8) {
    constexpr int64_t lanes = kNative / int64_t{sizeof(T)};
    for (; i + lanes <= n; i += lanes)
      store(out + i, reversed<T>(load<Vec<T, kNative>>(from - i - (lanes - 1)),
                                 std::make_index_sequence<lanes>()));
  }
  for (; i < n; i++) out[i] = from[-i];
}

template <class T, size_t... L>
[[gnu::always_inline]] inline Vec<T, kNative> even_ones(Vec<T, kNative> a, Vec<T, kNative> b,
                                                        std::index_sequence<L...>) {
  return __builtin_shufflevector(a, b, (2 * L)...);
}

/// Each other item: of two vectors those of even places. Nothing behind the last one is read.
template <class T>
void each_other(const T* from, int64_t n, T* out) {
  int64_t i = 0;
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    constexpr int64_t lanes = kNative / int64_t{sizeof(T)};
    for (; i + lanes < n; i += lanes)
      store(out + i, even_ones<T>(load<Vec<T, kNative>>(from + 2 * i),
                                  load<Vec<T, kNative>>(from + 2 * i + lanes),
                                  std::make_index_sequence<lanes>()));
  }
  for (; i < n; i++) out[i] = from[2 * i];
}

#if defined(__AVX512F__)
/// Lane l of a register of each S-th item, of which `k` vectors of memory have been looked at: from
/// the first operand, or, behind its lanes, from vector k.
template <int S, int lanes>
constexpr int source(int k, int l) {
  const int place = S * l;
  if (k == 1) return place < 2 * lanes ? place : 0;
  return place / lanes == k ? lanes + place % lanes : l;
}

template <int S, class V, class T, size_t... L>
[[gnu::always_inline]] inline V each_nth(const T* from, std::index_sequence<L...>) {
  constexpr int lanes = sizeof...(L);
  V found = load<V>(from);
  const auto look_at = [&]<int k>(std::integral_constant<int, k>) {
    found =
        __builtin_shufflevector(found, load<V>(from + k * lanes), source<S, lanes>(k, int(L))...);
  };
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (look_at(std::integral_constant<int, K + 1>{}), ...);
  }
  (std::make_integer_sequence<int, S - 1>());
  return found;
}

/// Each S-th item. Nothing behind the last one is read.
template <int S, class T>
void each_nth(const T* from, int64_t n, T* out) {
  int64_t i = 0;
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    constexpr int64_t lanes = kNative / int64_t{sizeof(T)};
    for (; i + lanes < n; i += lanes)
      store(out + i, each_nth<S, Vec<T, kNative>>(from + S * i, std::make_index_sequence<lanes>()));
  }
  for (; i < n; i++) out[i] = from[S * i];
}
#endif

/// The last vector may overlap the one before.
template <class T>
void fill(T value, int64_t n, T* out) {
  if constexpr (sizeof(T) <= 8) {
    constexpr int64_t lanes = kNative / int64_t{sizeof(T)};
    if (n >= lanes) {
      const Vec<T, kNative> v = Vec<T, kNative>{} + value;
      for (int64_t i = 0; i + lanes < n; i += lanes) store(out + i, v);
      return store(out + n - lanes, v);
    }
  }
  for (int64_t i = 0; i < n; i++) out[i] = value;
}

template <class T>
void copy(const T* from, int64_t step, int64_t n, T* out) {
  if (step == 0) return n > 0 ? fill(*from, n, out) : void();
  if (step == -1) return reverse(from, n, out);
  if (step == 2) return each_other(from, n, out);
#if defined(__AVX512F__)
  if (step == 3) return each_nth<3>(from, n, out);
  if (step == 4) return each_nth<4>(from, n, out);
#endif
  if (step == 1) {
    __builtin_memcpy(out, from, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; i++) out[i] = from[i * step];
}

}  // namespace

void copy_strided(int size, const void* from, int64_t step, int64_t n, void* out) {
  with_bytes(size,
             [&]<class T>(T) { copy(static_cast<const T*>(from), step, n, static_cast<T*>(out)); });
}

}  // namespace serrate::cpu::SERRATE_ISA
