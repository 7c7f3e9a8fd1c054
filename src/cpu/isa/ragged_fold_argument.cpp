// Folds to the position of the smallest or the largest item.
//
// The first item of a list is taken whatever it is, then strictly better ones. So a NaN in front
// stays, others are never taken. Without missing items: the extreme of the part, then the first
// item equal to it.
#include "cpu/isa/ragged_lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace serrate::cpu::SERRATE_ISA {
namespace {

template <class Op, class T>
[[gnu::always_inline]] inline bool better(T x, T than) {
  return __is_same(Op, Min) ? x < than : x > than;
}

// One item after the other: for missing items, and for lists that begin with NaN.
template <class Op, class T>
void scan(const T* values, const uint8_t* valid, int64_t count, int64_t first_index, bool started,
          T& best, int64_t& index) {
  T b = best;
  int64_t at = index;
  for (int64_t k = 0; k < count; k++) {
    const T x = values[k];
    if (valid && !valid[k]) continue;
    if (at < 0 ? !(started && x != x) : better<Op>(x, b)) {
      b = x;
      at = first_index + k;
    }
  }
  best = b;
  index = at;
}

// One bit for each lane that is all ones. kVectorBytes: 16, 32 or 64; lanes of 4 or 8 bytes.
template <int lanes, class Mask>
[[gnu::always_inline]] inline unsigned lane_bits(Mask mask) {
  [[maybe_unused]] constexpr int size = sizeof(Mask) / lanes;
#if defined(__AVX512F__)
  if constexpr (sizeof(Mask) == 64)
    return size == 4 ? _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask))
                     : _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(Mask) == 32)
    return static_cast<unsigned>(size == 4 ? _mm256_movemask_ps(reinterpret_cast<__m256>(mask))
                                           : _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
#endif
  unsigned bits = 0;
  for (int i = 0; i < lanes; i++) bits |= static_cast<unsigned>(mask[i] & 1) << i;
  return bits;
}

// The first item equal to `value`; there is one.
template <class L, class T>
[[gnu::always_inline]] inline int64_t find(const T* values, int64_t count, T value) {
  int64_t k = 0;
  const auto same = L::same(value);
  for (; k + L::kLanes <= count; k += L::kLanes) {
    const unsigned bits = lane_bits<L::kLanes>(L::get(values + k) == same);
    if (bits) return k + __builtin_ctz(bits);
  }
  while (values[k] != value) k++;
  return k;
}

// Lists without missing items. A list is looked through in blocks that stay in the cache between
// the two looks.
template <class Op, class T>
void long_list(const T* values, int64_t count, int64_t first_index, bool started, T& best,
               int64_t& index) {
  using L = Lanes<Op, T, T>;
  constexpr int64_t kBlock = 2048;
  for (int64_t k = 0; k < count; k += kBlock) {
    const int64_t n = least(kBlock, count - k);
    const T* block = values + k;
    if (index < 0 && block[0] != block[0]) {
      scan<Op>(block, nullptr, n, first_index + k, started, best, index);
      continue;
    }
    const T extreme = L::template list<false>(block, n);
    if (index < 0 || better<Op>(extreme, best)) {
      best = extreme;
      index = first_index + k + find<L>(block, n, extreme);
    }
  }
}

template <class Op, class T>
void fold(const FoldArgs& args) {
  const T* values = static_cast<const T*>(args.values);
  T* acc = static_cast<T*>(args.acc);
  const int32_t* off = args.off;
  int64_t* index = args.index;
  if (args.lists == 0) return;
  const auto single = [&](int64_t p, int64_t first_index, bool started) {
    const int64_t count = off[p + 1] - off[p];
    if (args.valid)
      scan<Op>(values + off[p], args.valid + off[p], count, first_index, started, acc[p], index[p]);
    else
      long_list<Op>(values + off[p], count, first_index, started, acc[p], index[p]);
  };
  single(0, args.first_index, args.first_started);
  int64_t p = 1;
  if constexpr (sizeof(T) >= 4) {
    using L = Lanes<Op, T, T>;
    const int64_t n = off[args.lists];
    int64_t safe = args.valid ? 0 : args.lists;
    while (safe > 0 && off[safe] + int64_t{L::kRow} > n) safe--;
    for (; p < safe; p++) {
      const T* list = values + off[p];
      const int64_t count = off[p + 1] - off[p];
      // Empty lists take the way of the others: nothing of them is better.
      if (count > L::kLanes || (list[0] != list[0] && index[p] < 0)) {
        single(p, 0, false);
        continue;
      }
      const auto v = L::get(list);
      const typename L::Indexes in =
          load<typename L::Indexes>(L::kIota.value) < static_cast<typename L::Index>(count);
      const auto identity = L::same(L::kIdentity);
      const T extreme = L::template reduce<L::kLanes>(in ? Op::step(v, identity) : identity);
      const unsigned bits = lane_bits<L::kLanes>(in & (v == L::same(extreme)));
      const bool take = (count > 0) & ((index[p] < 0) | better<Op>(extreme, acc[p]));
      acc[p] = take ? extreme : acc[p];
      index[p] = take ? __builtin_ctz(bits | 0x10000u) : index[p];
    }
  }
  for (; p < args.lists; p++) single(p, 0, false);
}

template <class Op>
FoldFn of_type(DType values) {
  switch (values) {
    case DType::int8:
      return fold<Op, int8_t>;
    case DType::int16:
      return fold<Op, int16_t>;
    case DType::int32:
      return fold<Op, int32_t>;
    case DType::int64:
    case DType::datetime64:
    case DType::timedelta64:
      return fold<Op, int64_t>;
    case DType::boolean:
    case DType::uint8:
      return fold<Op, uint8_t>;
    case DType::uint16:
      return fold<Op, uint16_t>;
    case DType::uint32:
      return fold<Op, uint32_t>;
    case DType::uint64:
      return fold<Op, uint64_t>;
    case DType::float32:
      return fold<Op, float>;
    case DType::float64:
      return fold<Op, double>;
    default:
      return nullptr;
  }
}

}  // namespace

FoldFn fold_argument(Reducer reducer, DType values) {
  return reducer == Reducer::argmin ? of_type<Min>(values) : of_type<Max>(values);
}

}  // namespace serrate::cpu::SERRATE_ISA
