// Folds to the position of the smallest or the largest item.
//
// The first item of a list is taken whatever it is, then strictly better ones. So a NaN in front
// stays, others are never taken. Without missing items: of many, lanes note where their best ones
// are; of few, or of 1 or 2 bytes, the extreme of the part, then the first item equal to it.
#include "cpu/isa/ragged_argument.h"
#include "cpu/isa/ragged_find.h"
#include "cpu/isa/ragged_groups.h"
#include "cpu/isa/ragged_short.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace serrate::cpu::SERRATE_ISA {
namespace {

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

// Lists without missing items. Items of 1 and 2 bytes are looked through twice, in blocks that stay
// in the cache.
template <class Op, class T>
void long_list(const T* values, int64_t count, int64_t first_index, bool started, T& best,
               int64_t& index) {
  using L = Lanes<Op, T, T>;
  constexpr bool kAtOnce = sizeof(T) >= 4;
  constexpr int64_t kBlock = kAtOnce ? Argument<Op, T>::kMost : 16384 / int64_t{sizeof(T)};
  for (int64_t k = 0; k < count; k += kBlock) {
    const int64_t n = least(kBlock, count - k);
    const T* block = values + k;
    if (index < 0 && block[0] != block[0]) {
      scan<Op>(block, nullptr, n, first_index + k, started, best, index);
      continue;
    }
    T extreme;
    [[maybe_unused]] int64_t at = 0;
    if constexpr (kAtOnce)
      at = Argument<Op, T>::of(block, n, extreme);
    else
      extreme = L::template list<false>(block, n);
    if (index < 0 || better<Op>(extreme, best)) {
      if constexpr (!kAtOnce) at = find<L>(block, n, extreme);
      best = extreme;
      index = first_index + k + at;
    }
  }
}

// Lists that stay in the cache between two looks and that whole rows may be read of: the extreme
// item, then the first one that equals it. False: the first item is a NaN that is to be taken.
constexpr int64_t kMedium = 2048;
template <class Op, class T>
[[gnu::always_inline]] inline bool medium_list(const T* values, int64_t count, T& best,
                                               int64_t& index) {
  using L = Lanes<Op, T, T>;
  if (values[0] != values[0]) [[unlikely]]
    return false;
  using A = Argument<Op, T>;
  if (count >= 4 * A::kStep) {
    index = A::of(values, count, best);
    return true;
  }
  best = L::template list<true>(values, count);
  const auto same = L::same(best);
  int64_t passed;
  if (find_in_64(values, count, best, passed)) {
    index = passed;
    return true;
  }
  // 64 items at a time, as most lists end in the first ones.
  for (int64_t from = passed; from < count; from += 64) {
    const int64_t to = least(count, from + 64);
    uint64_t equal = 0;
    for (int64_t k = from; k < to; k += L::kLanes)
      equal |= uint64_t{lane_bits<L::kLanes>(L::get(values + k) == same)} << (k - from);
    if (equal == 0) continue;
    index = from + __builtin_ctzll(equal);
    break;
  }
  return true;
}

// a if `first`, else b, by bits: which it is can't be predicted, and GCC would branch.
template <class T>
[[gnu::always_inline]] inline T choose(bool first, T a, T b) {
  using Bits = typename SignedOf<sizeof(T)>::type;
  const Bits keep = static_cast<Bits>(-static_cast<Bits>(first));
  return __builtin_bit_cast(T, static_cast<Bits>((__builtin_bit_cast(Bits, a) & keep) |
                                                 (__builtin_bit_cast(Bits, b) & ~keep)));
}

// One short vector of items, of which `count` belong to the list. False: its first item is a NaN
// that is to be taken.
template <class L, class Op, class T>
[[gnu::always_inline]] inline bool short_part(const T* values, const uint8_t* valid, int64_t count,
                                              int64_t first_index, T& best, int64_t& index) {
  using In = typename L::ShortIndexes;
  constexpr int lanes = L::kShortLanes;
  const auto v = load<typename L::Short>(values);
  In in = load<In>(L::kIota.value) < static_cast<typename L::Index>(count);
  if (valid) {
    // As bits, as bytes are widened slowly by GCC 12.
    const uint64_t bytes = lanes == 8   ? load<uint64_t>(valid)
                           : lanes == 4 ? load<uint32_t>(valid)
                                        : load<uint16_t>(valid);
    In valid_lanes;
    for (int i = 0; i < lanes; i++)
      valid_lanes[i] = static_cast<typename L::Index>(bytes >> (8 * i) & 255);
    in &= valid_lanes != 0;
  }
  const auto identity = typename L::Short{} + L::kIdentity;
  const T extreme = L::template reduce<lanes>(in ? Op::step(v, identity) : identity);
  const unsigned any = lane_bits<lanes>(in);
  const unsigned equal = lane_bits<lanes>(in & (v == typename L::Short{} + extreme));
  if constexpr (T(0.5) != T(0)) {
    const unsigned nan = lane_bits<lanes>(in & (v != v));
    if ((index < 0) & ((any & -any & nan) != 0)) [[unlikely]]
      return false;
  }
  const bool take = (any != 0) & ((index < 0) | better<Op>(extreme, best));
  best = choose(take, extreme, best);
  index = choose<int64_t>(take, first_index + __builtin_ctz(equal | 0x10000u), index);
  return true;
}

#if defined(__AVX2__)
// Lists [from, to), a multiple of 8: those that have items, some side by side.
template <class Op, class T, class Other>
void fold_groups(const T* values, const int32_t* off, const int32_t* ends, int64_t from, int64_t to,
                 const FoldArgs& args, T* acc, int64_t* index, Other other) {
  using G = Groups<Op, T, T>;
  Chosen chosen;
  chosen.set(off, ends, from, to);
  for (int k = 0; k < chosen.size; k += G::kLists) {
    const int lists = least(G::kLists, chosen.size - k);
    if (G::is_long(chosen.count + k)) {
      for (int i = k; i < k + lists; i++) other(chosen.list[i]);
      continue;
    }
    fetch_values<8192>(args, values + chosen.begin[k], values + chosen.begin[k + lists - 1]);
    alignas(64) T best[8];
    alignas(64) typename G::L::Index at[8];
    G::argument(values, chosen.begin + k, chosen.count + k, best, at);
    if (G::are_adjacent(chosen.list + k, lists)) {
      int64_t* const first = index + chosen.list[k];
      int64_t known = -1;
      for (int i = 0; i < G::kLists; i++) known &= first[i];
      if (known < 0) {  // nothing yet, of all of them
        __builtin_memcpy(acc + chosen.list[k], best, G::kLists * sizeof(T));
        for (int i = 0; i < G::kLists; i++) first[i] = at[i];
        continue;
      }
    }
    for (int i = 0; i < lists; i++) {
      const int32_t p = chosen.list[k + i];
      const bool take = (index[p] < 0) | better<Op>(best[i], acc[p]);
      acc[p] = choose(take, best[i], acc[p]);
      index[p] = choose<int64_t>(take, at[i], index[p]);
    }
  }
}
#endif

template <class Op, class T>
void fold(const FoldArgs& args) {
  const T* values = static_cast<const T*>(args.values);
  T* acc = static_cast<T*>(args.acc);
  const int32_t *off = args.off, *ends = ends_of(args);
  const uint8_t* valid = args.valid;
  int64_t* index = args.index;
  if (args.lists == 0) return;
  const auto single = [&](int64_t p, int64_t first_index, bool started) {
    const int64_t count = ends[p] - off[p];
    if (valid)
      scan<Op>(values + off[p], valid + off[p], count, first_index, started, acc[p], index[p]);
    else
      long_list<Op>(values + off[p], count, first_index, started, acc[p], index[p]);
  };
  single(0, args.first_index, args.first_started);
  int64_t p = 1;
  if constexpr (sizeof(T) >= 4) {
    using L = Lanes<Op, T, T>;
    constexpr int64_t kPart = L::kShortLanes;
    const int64_t n = off[args.lists];
    int64_t safe = args.lists;
    const int64_t readable = args.scratch ? n : n - int64_t{L::kRow};
    while (safe > 0 && ends[safe - 1] > readable) safe--;
    const auto one = [&](auto masked, int64_t p) {
      const int64_t from = off[p], count = ends[p] - from;
      if (!masked() && count > kPart) {
        const bool medium = count <= kMedium && index[p] < 0;
        // While they are looked through again memory would rest.
        if (count >= 4 * L::kRow) fetch_values(args, values + from, values + from + count);
        if (medium && medium_list<Op>(values + from, count, acc[p], index[p])) return;
        return single(p, 0, false);
      }
      // Empty lists take the way of the others: nothing of them is better.
      T best = acc[p];
      int64_t at = index[p], k = 0;
      bool done;
      do {
        done = short_part<L, Op>(values + from + k, masked() ? valid + from + k : nullptr,
                                 count - k < kPart ? count - k : kPart, k, best, at);
      } while (done && (k += kPart) < count);
      acc[p] = best;
      index[p] = at;
      // Only a NaN in front stops: nothing was taken yet, so the whole list can be scanned.
      if (!done) single(p, 0, false);
    };
    if (valid) {
      for (; p < safe; p++) one([] { return true; }, p);
    }
    const auto plain = [&](int64_t list) { one([] { return false; }, list); };
#if defined(__AVX2__)
    GroupLooks looks{p, false};
    const auto in_groups = [&] {
      const int64_t stop = valid ? p : looks.end(off, ends, p, safe);
      if (stop == p) return false;
      fold_groups<Op>(values, off, ends, p, stop, args, acc, index, plain);
      p = stop;
      return true;
    };
    using S = ShortLists<Op, T>;
    while (p + S::kLists <= safe) {
      if (in_groups()) continue;
      if (off[p + S::kLists] - off[p] < S::kLists * 4 * L::kRow)
        fetch_values(args, values + off[p], values + off[p + S::kLists]);
      if (S::argument(values, off + p, ends + p, acc + p, index + p, [&](int i) { plain(p + i); }))
        p += S::kLists;
      else
        for (const int64_t to = p + S::kLists; p < to; p++) plain(p);
    }
    while (p < safe)
      if (!in_groups())
        for (const int64_t stop = p < looks.next ? looks.next : safe; p < stop; p++) plain(p);
#endif
    for (; p < safe; p++) plain(p);
  }
  for (; p < args.lists; p++) single(p, 0, false);
}

/// The first one that is true (argmax) or false (argmin) is the best there can be.
template <class Op>
void fold_booleans(const FoldArgs& args) {
  constexpr bool wanted = __is_same(Op, Max);
  const uint8_t* values = static_cast<const uint8_t*>(args.values);
  uint8_t* acc = static_cast<uint8_t*>(args.acc);
  const int32_t *off = args.off, *ends = ends_of(args);
  const int64_t readable = off[args.lists] - (args.scratch ? 0 : 8);
  for (int64_t p = 0; p < args.lists; p++) {
    const int64_t count = ends[p] - off[p], first = p == 0 ? args.first_index : 0;
    if (count == 0 || (args.index[p] >= 0 && (acc[p] != 0) == wanted)) continue;
    const uint8_t* v = values + off[p];
    if (args.valid) {
      scan<Op>(v, args.valid + off[p], count, first, false, acc[p], args.index[p]);
      continue;
    }
    int64_t at = -1;
    if (count <= 8 && off[p] <= readable) {
      const uint64_t bytes = load<uint64_t>(v) ^ (wanted ? 0 : 0x0101010101010101u);
      const uint64_t bits = bytes & (~uint64_t{0} >> (64 - 8 * count));
      if (bits != 0) at = __builtin_ctzll(bits) >> 3;
    } else if (const void* found = __builtin_memchr(v, wanted, static_cast<size_t>(count))) {
      at = static_cast<const uint8_t*>(found) - v;
    }
    if (at < 0 && args.index[p] >= 0) continue;
    acc[p] = at < 0 ? !wanted : wanted;
    args.index[p] = first + (at < 0 ? 0 : at);
  }
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
      return fold_booleans<Op>;
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
