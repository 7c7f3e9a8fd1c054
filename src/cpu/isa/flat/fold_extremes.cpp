// Extremes of floating numbers that also tell whether NaN, or a number, is among the items.
#include "cpu/lists/folds/fold_extremes.h"

#include "cpu/isa/ragged_lanes.h"
#include "cpu/isa/ragged_parts.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace serrate::cpu::SERRATE_ISA {
namespace {

// Whether a lane of the vectors that were added was NaN. Two vectors are one comparison.
template <class T, int bytes>
struct Unordered {
  using Vector = Vec<T, bytes>;
#if defined(__AVX512F__)
  static_assert(bytes == 64);
  unsigned seen = 0;
  [[gnu::always_inline]] void add(Vector x, Vector y) {
    if constexpr (sizeof(T) == 4)
      seen |= _mm512_cmp_ps_mask((__m512)x, (__m512)y, _CMP_UNORD_Q);
    else
      seen |= _mm512_cmp_pd_mask((__m512d)x, (__m512d)y, _CMP_UNORD_Q);
  }
  [[gnu::always_inline]] bool any() const { return seen != 0; }
#else
  using Bits = Vec<typename SignedOf<sizeof(T)>::type, bytes>;
  Bits seen{};
  [[gnu::always_inline]] void add(Vector x, Vector y) {
#if defined(__AVX2__)
    if constexpr (sizeof(T) == 4)
      seen |= (Bits)_mm256_cmp_ps((__m256)x, (__m256)y, _CMP_UNORD_Q);
    else
      seen |= (Bits)_mm256_cmp_pd((__m256d)x, (__m256d)y, _CMP_UNORD_Q);
#elif defined(__SSE2__)
    if constexpr (sizeof(T) == 4)
      seen |= (Bits)_mm_cmpunord_ps((__m128)x, (__m128)y);
    else
      seen |= (Bits)_mm_cmpunord_pd((__m128d)x, (__m128d)y);
#else
    seen |= (x != x) | (y != y);
#endif
  }
  [[gnu::always_inline]] bool any() const {
#if defined(__AVX2__)
    return _mm256_movemask_epi8((__m256i)seen) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_epi8((__m128i)seen) != 0;
#else
    bool some = false;
    for (unsigned i = 0; i < bytes / sizeof(T); i++) some |= seen[i] != 0;
    return some;
#endif
  }
#endif
};

// Whether one of the items is NaN, or is a number.
template <class T, bool nan>
bool has(const T* values, int64_t n) {
  constexpr int64_t kLook = 256;
  int64_t k = 0;
  bool some = false;
  for (; k + kLook <= n; k += kLook) {
    using Bits = typename SignedOf<sizeof(T)>::type;
    Bits found = 0;
    for (int64_t i = k; i < k + kLook; i++)
      found |= static_cast<Bits>(nan ? values[i] != values[i] : values[i] == values[i]);
    if (found != 0) return true;
  }
  for (; k < n; k++) some |= nan ? values[k] != values[k] : values[k] == values[k];
  return some;
}

// The fold of many rows as Lanes::add_many has it; sets `found` if there is NaN.
template <class Op, class T>
[[gnu::noinline]] int64_t add_many(const T* values, int64_t count,
                                   typename Lanes<Op, T, T>::Row& total, uint8_t& found) {
  using L = Lanes<Op, T, T>;
  Unordered<T, L::kVectorBytes> nan;
  int64_t k = 0;
  while (k + L::kMany <= count) {
    const int64_t end = least<int64_t>(count, k + L::kBlock);
    typename L::Row rows[4] = {L::identity_row(), L::identity_row(), L::identity_row(),
                               L::identity_row()};
    for (; k + 4 * L::kRow <= end; k += 4 * L::kRow) {
      for (int r = 0; r < 4; r += 2) {
        for (int i = 0; i < L::kVectors; i++) {
          const T* from = values + k + r * L::kRow + i * L::kLanes;
          const auto x = L::get(from), y = L::get(from + L::kRow);
          rows[r].v[i] = Op::step(x, rows[r].v[i]);
          rows[r + 1].v[i] = Op::step(y, rows[r + 1].v[i]);
          nan.add(x, y);
        }
      }
    }
    for (int i = 0; i < L::kVectors; i++) {
      const auto a = Op::step(rows[1].v[i], rows[0].v[i]);
      const auto b = Op::step(rows[3].v[i], rows[2].v[i]);
      total.v[i] = Op::step(Op::step(b, a), total.v[i]);
    }
  }
  found |= static_cast<uint8_t>(nan.any());
  return k;
}

// Lanes::list with that.
template <class Op, class T>
T extreme(const T* values, int64_t count, uint8_t& found) {
  using L = Lanes<Op, T, T>;
  if (count < L::kMany) {
    found |= static_cast<uint8_t>(has<T, true>(values, count));
    return L::template list<false>(values, count);
  }
  typename L::Row row = L::identity_row();
  int64_t k = add_many<Op>(values, count, row, found);
  found |= static_cast<uint8_t>(has<T, true>(values + k, count - k));
  for (; k + L::kRow <= count; k += L::kRow) L::add_row(values + k, row);
  T rest[L::kRow];
  for (int i = 0; i < L::kRow; i++) rest[i] = L::kIdentity;
  for (int i = 0; k + i < count; i++) rest[i] = values[k + i];
  L::add_row(rest, row);
  return L::reduce(row);
}

// found[p] |= whether list p has NaN, or a number; some item is NaN. Truth values are folded a tile
// at a time.
template <class T, bool nan>
void find(const FoldArgs& args, uint8_t* found) {
  constexpr int64_t kTile = 4096;
  const T* const values = static_cast<const T*>(args.values);
  const int32_t *const off = args.off, *const ends = ends_of(args);
  alignas(64) uint8_t tile[kTile + 64];
  FoldArgs tests;
  tests.scratch = true;
  for (int64_t p = 0, to = 0; p < args.lists; p = to) {
    const int64_t first = off[p];
    while (!args.ends && to < args.lists && off[to + 1] - first <= kTile) to++;
    if (to == p) {  // longer, or what is behind it belongs to nobody
      to = p + 1;
      found[p] |= static_cast<uint8_t>(has<T, nan>(values + first, ends[p] - first));
      continue;
    }
    const int64_t n = off[to] - first;
    for (int64_t k = 0; k < n; k++) {
      const T x = values[first + k];
      tile[k] = static_cast<uint8_t>(nan ? x != x : x == x);
    }
    tests.values = tile - first;
    tests.off = off + p;
    tests.lists = to - p;
    tests.acc = found + p;
    fold_count(Reducer::any, DType::boolean)(tests);
  }
}

// Short lists are folded together, as ever; most blocks have no NaN.
template <class T, bool looks_for_nan>
void fold_short(Reducer r, DType t, const FoldArgs& args, uint8_t* found) {
  fold_arithmetic(r, t)(args);
  const T* const values = static_cast<const T*>(args.values);
  const int32_t* const ends = ends_of(args);
  const int64_t first = args.off[0];
  if (has<T, true>(values + first, ends[args.lists - 1] - first)) {
    find<T, looks_for_nan>(args, found);
  } else if (!looks_for_nan) {
    for (int64_t p = 0; p < args.lists; p++) found[p] |= ends[p] > args.off[p];
  }
}

template <class Op, class T, bool looks_for_nan>
void fold(const FoldArgs& args, uint8_t* found) {
  using L = Lanes<Op, T, T>;
  constexpr int64_t kLong = 64;
  if (args.lists == 0) return;
  const int32_t* const ends = ends_of(args);
  if (ends[args.lists - 1] - args.off[0] < kLong * args.lists) {
    constexpr Reducer r = __is_same(Op, Min) ? Reducer::min : Reducer::max;
    constexpr DType t = sizeof(T) == 4 ? DType::float32 : DType::float64;
    fold_short<T, looks_for_nan>(r, t, args, found);
    return;
  }
  const T* const values = static_cast<const T*>(args.values);
  T* const acc = static_cast<T*>(args.acc);
  for (int64_t p = 0; p < args.lists; p++) {
    const T* const items = values + args.off[p];
    const int64_t n = ends[p] - args.off[p];
    if constexpr (looks_for_nan) {
      acc[p] = Op::step(extreme<Op>(items, n, found[p]), acc[p]);
    } else {
      const T most = L::template list<false>(items, n);
      acc[p] = Op::step(most, acc[p]);
      // What is beyond the extreme of nothing is a number.
      found[p] |= static_cast<uint8_t>(most != L::kIdentity || has<T, false>(items, n));
    }
  }
}

template <class T>
FoldExtreme of_type(bool least, bool nan) {
  if (least) return nan ? fold<Min, T, true> : fold<Min, T, false>;
  return nan ? fold<Max, T, true> : fold<Max, T, false>;
}

}  // namespace

FoldExtreme extreme_beside(Reducer r, DType values, bool looks_for_nan);
FoldExtreme extreme_beside(Reducer r, DType values, bool looks_for_nan) {
  const bool least = r == Reducer::min;
  return values == DType::float32 ? of_type<float>(least, looks_for_nan)
                                  : of_type<double>(least, looks_for_nan);
}

}  // namespace serrate::cpu::SERRATE_ISA
