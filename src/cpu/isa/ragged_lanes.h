// Lists as 64-byte rows of lanes: how sums, products, minima and maxima walk over them.
//
// Item k of a list goes to lane k % lanes, lanes are added as a tree. A row is cut into vectors of
// the machine's size, which changes neither lanes nor tree: results are the same bits for every
// instruction set.
#pragma once

#include <type_traits>

#include "cpu/isa/converted.h"
#include "cpu/isa/expressions.h"
#include "cpu/isa/ragged_parts.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace serrate::cpu::SERRATE_ISA {

template <int bytes>
struct SignedOf;
template <>
struct SignedOf<1> {
  using type = int8_t;
};
template <>
struct SignedOf<2> {
  using type = int16_t;
};
template <>
struct SignedOf<4> {
  using type = int32_t;
};
template <>
struct SignedOf<8> {
  using type = int64_t;
};

template <class T>
inline constexpr T kLargest =
    static_cast<T>(T(-1) < T(0) ? static_cast<T>((uint64_t{1} << (8 * sizeof(T) - 1)) - 1)
                                : static_cast<T>(~uint64_t{0}));
template <>
inline constexpr float kLargest<float> = __builtin_inff();
template <>
inline constexpr double kLargest<double> = __builtin_inf();
template <class T>
inline constexpr T kSmallest = static_cast<T>(-kLargest<T> - 1);
template <>
inline constexpr float kSmallest<float> = -__builtin_inff();
template <>
inline constexpr double kSmallest<double> = -__builtin_inf();

// One step of a reducer: item x, state a (both vectors or both scalars).
template <Reducer r>
struct StepOf {
  using enum ReducerInfo::Identity;
  template <class A>
  static constexpr A identity = info(r).identity == zero      ? A(0)
                                : info(r).identity == one     ? A(1)
                                : info(r).identity == highest ? kLargest<A>
                                                              : kSmallest<A>;
  template <class V>
  [[gnu::always_inline]] static V step(V x, V a) {
    return Row<info(r).join>::of(a, x);
  }
};

// Where the table's expression is not what vectors should do. Integers wrap around.
template <>
struct StepOf<Reducer::sum> {
  template <class A>
  static constexpr A identity = A(0);
  template <class V>
  [[gnu::always_inline]] static V step(V x, V a) {
    if constexpr (std::is_integral_v<V>) {
      __builtin_add_overflow(a, x, &a);
      return a;
    } else {
      return a + x;
    }
  }
};
template <>
struct StepOf<Reducer::prod> {
  template <class A>
  static constexpr A identity = A(1);
  template <class V>
  [[gnu::always_inline]] static V step(V x, V a) {
    if constexpr (std::is_integral_v<V>) {
      __builtin_mul_overflow(a, x, &a);
      return a;
    } else {
      return a * x;
    }
  }
};
// NaN compares false, so it is never taken.
template <>
struct StepOf<Reducer::min> {
  template <class A>
  static constexpr A identity = kLargest<A>;
  template <class V>
  [[gnu::always_inline]] static V step(V x, V a) {
    return x < a ? x : a;
  }
};
template <>
struct StepOf<Reducer::max> {
  template <class A>
  static constexpr A identity = kSmallest<A>;
  template <class V>
  [[gnu::always_inline]] static V step(V x, V a) {
    return x > a ? x : a;
  }
};
using Sum = StepOf<Reducer::sum>;
using Prod = StepOf<Reducer::prod>;
using Min = StepOf<Reducer::min>;
using Max = StepOf<Reducer::max>;

#if defined(__AVX2__) && !defined(__AVX512F__)
// Small integers as 8-byte ones: GCC 12 widens them one by one, but stops at some of these
// instructions behind a mask of AVX-512.
template <class To, class V>
[[gnu::always_inline]] inline To widened(const V* p) {
  constexpr bool is_signed = V(-1) < V(0);
  __m128i v{};
  __builtin_memcpy(&v, p, sizeof(V) * (sizeof(To) / 8));
  if constexpr (sizeof(V) == 1)
    return (To)(is_signed ? _mm256_cvtepi8_epi64(v) : _mm256_cvtepu8_epi64(v));
  else
    return (To)(is_signed ? _mm256_cvtepi16_epi64(v) : _mm256_cvtepu16_epi64(v));
}
#endif

// Values of type V folded into accumulators of type A.
template <class Op, class V, class A>
struct Lanes {
  static constexpr int kRow = sizeof(A) >= 4 ? 64 / sizeof(A) : 16;
  static constexpr int kVectorBytes = least<int>(kNative, kRow * sizeof(A));
  static constexpr int kLanes = kVectorBytes / sizeof(A);  // of one vector
  static constexpr int kVectors = kRow / kLanes;           // of one row
  using Vector = Vec<A, kVectorBytes>;
  // Lists that fit in 32 bytes are reduced there: a step of the tree less.
  static constexpr int kShortBytes = least<int>(32, kVectorBytes);
  static constexpr int kShortLanes = kShortBytes / sizeof(A);
  using Short = Vec<A, kShortBytes>;
  using ShortIndexes = Vec<typename SignedOf<sizeof(A)>::type, kShortBytes>;
  using Index = typename SignedOf<sizeof(A)>::type;
  using Indexes = Vec<Index, kVectorBytes>;
  static constexpr A kIdentity = Op::template identity<A>;
  static constexpr Iota<Index, kLanes> kIota{};
  struct Row {
    Vector v[kVectors];
  };

  [[gnu::always_inline]] static Vector same(A value) { return Vector{} + value; }
  template <class To>
  [[gnu::always_inline]] static To get_as(const V* values) {
    if constexpr (sizeof(V) == sizeof(A)) {
      return load<To>(values);
#if defined(__AVX2__) && !defined(__AVX512F__)
    } else if constexpr (sizeof(A) == 8 && sizeof(V) <= 2 && sizeof(To) == 32) {
      return widened<To>(values);
#endif
    } else {
      constexpr int lanes = sizeof(To) / sizeof(A);
      return converted<To>(load<Vec<V, lanes * sizeof(V)>>(values));
    }
  }
  [[gnu::always_inline]] static Vector get(const V* values) { return get_as<Vector>(values); }
  // The first `count` lanes folded into `a`.
  template <class To>
  [[gnu::always_inline]] static To masked(const V* values, int count, To a) {
    using In = Vec<Index, sizeof(To)>;
    const In in = load<In>(kIota.value) < static_cast<Index>(count);
    // GCC 12 has no instruction for what it makes of a masked minimum of 16-bit lanes, and stops:
    // so these mask the items.
    if constexpr (sizeof(A) < 4)
      return Op::step(in ? get_as<To>(values) : To{} + kIdentity, a);
    else
      return in ? Op::step(get_as<To>(values), a) : a;
  }
  // The tree: the upper half of the lanes is folded into the lower half until one is left.
  template <int lanes>
  [[gnu::always_inline]] static A reduce(const Vec<A, lanes * sizeof(A)>& v) {
    if constexpr (lanes == 1) {
      return v[0];
    } else {
      constexpr int half = lanes / 2;
      using Half = Vec<A, half * sizeof(A)>;
      Half low, high;
      if constexpr (half == 8) {
        low = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
        high = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
      } else if constexpr (half == 4) {
        low = __builtin_shufflevector(v, v, 0, 1, 2, 3);
        high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
      } else if constexpr (half == 2) {
        low = __builtin_shufflevector(v, v, 0, 1);
        high = __builtin_shufflevector(v, v, 2, 3);
      } else {
        return Op::step(A(v[1]), A(v[0]));
      }
      return reduce<half>(Op::step(high, low));
    }
  }
  [[gnu::always_inline]] static A reduce(Row row) {
    for (int half = kVectors / 2; half > 0; half /= 2)
      for (int i = 0; i < half; i++) row.v[i] = Op::step(row.v[i + half], row.v[i]);
    return reduce<kLanes>(row.v[0]);
  }

  [[gnu::always_inline]] static void add_row(const V* values, Row& row) {
    for (int i = 0; i < kVectors; i++) row.v[i] = Op::step(get(values + i * kLanes), row.v[i]);
  }
  [[gnu::always_inline]] static Row identity_row() {
    Row row;
    for (int i = 0; i < kVectors; i++) row.v[i] = same(kIdentity);
    return row;
  }

  // A multiple of kMany, kBlock at most, of integers of 8 or 16 bits, added up in lanes of 32: sums
  // of integers are the same in any order.
  [[gnu::always_inline]] static A small_sum(const V* values, int64_t count) {
    using Wide = Vec<int32_t, kNative>;
    constexpr bool kSigned = V(-1) < V(0);
    using Lane = std::conditional_t<kSigned, Wide, Vec<uint32_t, kNative>>;
    constexpr int kBits = 8 * sizeof(V), kOnce = kNative / int(sizeof(V));
    static_assert(kMany % kOnce == 0);
    Wide sums[2] = {};
    for (int64_t i = 0; i < count; i += kOnce) {
      const Lane x = load<Lane>(values + i);
      for (int at = 0; at < 32; at += kBits)
        sums[at / kBits % 2] += (Wide)(x << (32 - kBits - at) >> (32 - kBits));
    }
    const Wide both = sums[0] + sums[1];
    int64_t sum = 0;
    for (int i = 0; i < kNative / 4; i++) sum += both[i];
    return A(sum);
  }

  // Extremes of as many integers of 8 or 16 bits as there are whole registers, whose rows are
  // shorter.
  [[gnu::always_inline]] static int64_t small_extremes(const V* values, int64_t count, Row& total) {
    using Whole = Vec<V, kNative>;
    constexpr int kOnce = kNative / int(sizeof(V)), kSets = 4;
    Whole best[kSets];
    for (Whole& b : best) b = Whole{} + kIdentity;
    int64_t k = 0;
    for (; k + kSets * kOnce <= count; k += kSets * kOnce)
      for (int i = 0; i < kSets; i++)
        best[i] = Op::step(load<Whole>(values + k + i * kOnce), best[i]);
    alignas(kNative) V items[kOnce];
    store(items, Op::step(Op::step(best[0], best[1]), Op::step(best[2], best[3])));
    for (int i = 0; i < kOnce; i += kRow) add_row(items + i, total);
    return k;
  }

  // Many rows: four at a time, so that additions don't wait for each other; in blocks, so that
  // rounding errors grow slowly.
  static constexpr int kMany = 16 * kRow, kBlock = 16384;
  [[gnu::noinline]] static int64_t add_many(const V* values, int64_t count, Row& total) {
    int64_t k = 0;
    if constexpr (std::is_same_v<Op, Sum> && std::is_integral_v<V> && sizeof(V) <= 2 &&
                  sizeof(A) == 8) {
      const int64_t end = count / kMany * kMany;
      while (k < end) {
        const int64_t n = least<int64_t>(end - k, kBlock);
        total.v[0] += Vector{small_sum(values + k, n)};
        k += n;
      }
      return k;
    }
    constexpr bool kExtreme = std::is_same_v<Op, Min> || std::is_same_v<Op, Max>;
    if constexpr (kExtreme && std::is_integral_v<V> && std::is_same_v<V, A> && sizeof(V) <= 2 &&
                  kRow * sizeof(V) <= kNative)
      return small_extremes(values, count, total);
    while (k + kMany <= count) {
      const int64_t end = least<int64_t>(count, k + kBlock);
      Row rows[4] = {identity_row(), identity_row(), identity_row(), identity_row()};
      for (; k + 4 * kRow <= end; k += 4 * kRow)
        for (int r = 0; r < 4; r++) add_row(values + k + r * kRow, rows[r]);
      for (int i = 0; i < kVectors; i++) {
        const Vector a = Op::step(rows[1].v[i], rows[0].v[i]);
        const Vector b = Op::step(rows[3].v[i], rows[2].v[i]);
        total.v[i] = Op::step(Op::step(b, a), total.v[i]);
      }
    }
    return k;
  }

  // The fold of one list. `readable`: a whole row may be read at its end.
  template <bool readable>
  [[gnu::always_inline]] static A list(const V* values, int64_t count) {
    if (count <= kShortLanes) {
      const Short identity = Short{} + kIdentity;
      if constexpr (readable) {
        return reduce<kShortLanes>(masked(values, static_cast<int>(count), identity));
      } else {
        V copy[kRow] = {};
        for (int64_t i = 0; i < count; i++) copy[i] = values[i];
        return reduce<kShortLanes>(masked(copy, static_cast<int>(count), identity));
      }
    }
    Row row = identity_row();
    int64_t k = count >= kMany ? add_many(values, count, row) : 0;
    for (; k + kRow <= count; k += kRow) add_row(values + k, row);
    const int rest = static_cast<int>(count - k);
    V copy[kRow];
    const V* tail = values + k;
    if constexpr (!readable) {
      __builtin_memset(copy, 0, sizeof(copy));
      for (int i = 0; i < rest; i++) copy[i] = tail[i];
      tail = copy;
    }
    for (int i = 0; i < kVectors; i++)
      row.v[i] = masked(tail + i * kLanes, rest - i * kLanes, row.v[i]);
    return reduce(row);
  }
};

/// Eight vectors of eight lanes, each folded to one: the upper half of its lanes into the lower,
/// two vectors becoming one. v is overwritten.
template <class Op, class Vector>
[[gnu::always_inline]] inline Vector tree_of_8(Vector* v) {
#pragma GCC unroll 8
  for (int i = 0; i < 4; i++)
    v[i] = Op::step(__builtin_shufflevector(v[2 * i], v[2 * i + 1], 4, 5, 6, 7, 12, 13, 14, 15),
                    __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 1, 2, 3, 8, 9, 10, 11));
#pragma GCC unroll 8
  for (int i = 0; i < 2; i++)
    v[i] = Op::step(__builtin_shufflevector(v[2 * i], v[2 * i + 1], 2, 3, 6, 7, 10, 11, 14, 15),
                    __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 1, 4, 5, 8, 9, 12, 13));
  v[0] = Op::step(__builtin_shufflevector(v[0], v[1], 1, 9, 3, 11, 5, 13, 7, 15),
                  __builtin_shufflevector(v[0], v[1], 0, 8, 2, 10, 4, 12, 6, 14));
  return __builtin_shufflevector(v[0], v[0], 0, 2, 4, 6, 1, 3, 5, 7);
}

/// The same of four vectors of four lanes.
template <class Op, class Vector>
[[gnu::always_inline]] inline Vector tree_of_4(Vector* v) {
#pragma GCC unroll 8
  for (int i = 0; i < 2; i++)
    v[i] = Op::step(__builtin_shufflevector(v[2 * i], v[2 * i + 1], 2, 3, 6, 7),
                    __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 1, 4, 5));
  return Op::step(__builtin_shufflevector(v[0], v[1], 1, 3, 5, 7),
                  __builtin_shufflevector(v[0], v[1], 0, 2, 4, 6));
}

}  // namespace serrate::cpu::SERRATE_ISA
