// Steps that move items between memory and the accumulator; they need to know only the size of an
// item.
#include "cpu/isa/vec.h"

namespace serrate::cpu::SERRATE_ISA {

#if defined(__AVX512F__)
#ifndef __clang__
// GCC 12 takes the undefined register that its own unmasked intrinsics begin with for a mistake.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
/// 32 items of two bytes that lie close together, as a filter leaves them, from two registers: one
/// by one they cost two shuffles each. False where they are too far apart.
static bool gather_near(const uint16_t* from, const int32_t* index, Vec<uint16_t>& out) {
  const int32_t base = index[0];
  const auto span = static_cast<uint32_t>(index[kLanes<uint16_t> - 1] - base);
  if (span >= 64) return false;
  const __m512i first = _mm512_set1_epi32(base), most = _mm512_set1_epi32(int(span));
  const __m512i low = _mm512_sub_epi32(_mm512_loadu_si512(index), first);
  const __m512i high = _mm512_sub_epi32(_mm512_loadu_si512(index + 16), first);
  const __mmask16 inside = _mm512_cmple_epu32_mask(low, most) & _mm512_cmple_epu32_mask(high, most);
  if (inside != 0xffff) return false;
  const __m512i relative = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(low)),
                                              _mm512_cvtepi32_epi16(high), 1);
  // Of what is behind the last item nothing is read.
  const uint64_t there = ~uint64_t{0} >> (63 - span);
  const __m512i a = _mm512_maskz_loadu_epi16(static_cast<__mmask32>(there), from + base);
  const __m512i b = _mm512_maskz_loadu_epi16(static_cast<__mmask32>(there >> 32), from + base + 32);
  out = reinterpret_cast<Vec<uint16_t>>(_mm512_permutex2var_epi16(a, relative, b));
  return true;
}

/// Eight places one behind the other, as of what filters leave where most is true: a load.
static bool gather_run(const uint64_t* from, const int32_t* index, Vec<uint64_t>& out) {
  const __m256i run =
      _mm256_add_epi32(_mm256_set1_epi32(index[0]), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
  if (_mm256_cmpneq_epi32_mask(at, run) != 0) return false;
  out = reinterpret_cast<Vec<uint64_t>>(_mm512_loadu_si512(from + index[0]));
  return true;
}
/// The same place eight times, as of a table's ends, where what is outside looks.
static bool gather_same(const uint64_t* from, const int64_t* index, Vec<uint64_t>& out) {
  const __m512i at = _mm512_loadu_si512(index);
  if (_mm512_cmpneq_epi64_mask(at, _mm512_set1_epi64(index[0])) != 0) return false;
  out = reinterpret_cast<Vec<uint64_t>>(_mm512_set1_epi64(static_cast<int64_t>(from[index[0]])));
  return true;
}
#endif

#if defined(__AVX2__) && !defined(__AVX512F__)
/// The same place for a whole block, as of a table's ends. Looked at closely only where its ends
/// are the same: items are read one by one else, which takes three times as long as the look.
template <class I>
static bool are_same(const I* index) {
  if (index[0] != index[kItems - 1]) return false;
  const char* p = reinterpret_cast<const char*>(index);
  const Vec<I> first = Vec<I>{} + index[0];
  Vec<I> others = {};
  for (int i = 0; i < int(sizeof(I)); i++) others |= load<I>(p + i * kBytes) ^ first;
  return !any(others);
}
#endif

template <class T, class R = Registers<T>>
struct Moves;
template <class T, size_t... R>
struct Moves<T, std::index_sequence<R...>> {
  using Acc = AccOf<T>;
  template <size_t>
  using V = Vec<T>;

  static void load_block(const Instruction* ip, char* const* mem) {
    return Acc::next_from(ip, mem, mem[ip->a]);
  }
  static void load_one(const Instruction* ip, char* const* mem) {
    const Vec<T> x = splat<T>(mem[ip->a]);
    return Acc::next(ip, mem, (void(R), x)...);
  }
  /// A number and those behind it.
  static void iota(const Instruction* ip, char* const* mem) {
    const Vec<T> first = splat<T>(mem[ip->a]) + [&]<size_t... L>(std::index_sequence<L...>) {
      return Vec<T>{T(L)...};
    }
    (std::make_index_sequence<kLanes<T>>());
    return Acc::next(ip, mem, (first + T(R * kLanes<T>))...);
  }
  static void save_block(const Instruction* ip, char* const* mem, V<R>... v) {
    char* p = mem[ip->out];
    (save(p + R * kBytes, v), ...);
    return Acc::next(ip, mem, v...);
  }
  static void stream_block(const Instruction* ip, char* const* mem, V<R>... v) {
    char* p = mem[ip->out];
    (stream(p + R * kBytes, v), ...);
    return Acc::next(ip, mem, v...);
  }
  template <class I>
  static Vec<T> gather_one(const T* from, const I* index) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 2 && sizeof(I) == 4) {
      Vec<T> near;
      if (gather_near(from, index, near)) return near;
    }
    if constexpr (sizeof(T) == 8) {
      Vec<T> found;
      if constexpr (sizeof(I) == 4) {
        if (gather_run(from, index, found)) return found;
      } else {
        if (gather_same(from, index, found)) return found;
      }
    }
#endif
    return [&]<size_t... L>(std::index_sequence<L...>) { return Vec<T>{from[index[L]]...}; }
    (std::make_index_sequence<kLanes<T>>());
  }
  template <class I>
  static void gather(const Instruction* ip, char* const* mem) {
    const T* from = reinterpret_cast<const T*>(mem[ip->a]);
    const I* index = reinterpret_cast<const I*>(mem[ip->b]);
#if defined(__AVX2__) && !defined(__AVX512F__)
    if (are_same(index)) {
      const Vec<T> x = splat<T>(reinterpret_cast<const char*>(from + index[0]));
      return Acc::next(ip, mem, (void(R), x)...);
    }
#endif
    return Acc::next(ip, mem, gather_one(from, index + R * kLanes<T>)...);
  }
#if defined(__AVX512F__)
  /// The same by the processor's own instructions, for CPUs whose gathers are fast.
  template <class I>
  static Vec<T> gather_at_once(const T* from, const I* index) {
    const auto as_vector = [](auto found) { return reinterpret_cast<Vec<T>>(found); };
    constexpr int kSize = sizeof(T);
    if constexpr (kSize == 8 && sizeof(I) == 8) {
      return as_vector(_mm512_i64gather_epi64(_mm512_loadu_si512(index), from, kSize));
    } else if constexpr (kSize == 8) {
      if (Vec<T> found; gather_run(from, index, found)) return found;
      const auto* at = reinterpret_cast<const __m256i*>(index);
      return as_vector(_mm512_i32gather_epi64(_mm256_loadu_si256(at), from, kSize));
    } else if constexpr (sizeof(I) == 4) {
      return as_vector(_mm512_i32gather_epi32(_mm512_loadu_si512(index), from, kSize));
    } else {
      const auto half = [&](int k) {
        return _mm512_i64gather_epi32(_mm512_loadu_si512(index + k), from, kSize);
      };
      return as_vector(_mm512_inserti64x4(_mm512_castsi256_si512(half(0)), half(8), 1));
    }
  }
  template <class I>
  static void gather_by_instruction(const Instruction* ip, char* const* mem) {
    const T* from = reinterpret_cast<const T*>(mem[ip->a]);
    const I* index = reinterpret_cast<const I*>(mem[ip->b]);
    return Acc::next(ip, mem, gather_at_once(from, index + R * kLanes<T>)...);
  }
#endif
  /// Every second number: 0 real parts, 1 imaginary ones.
  template <int first>
  static Vec<T> every_second(const char* p) {
    return [&]<size_t... L>(std::index_sequence<L...>) {
      return __builtin_shufflevector(load<T>(p), load<T>(p + kBytes), (2 * L + first)...);
    }
    (std::make_index_sequence<kLanes<T>>());
  }
  template <int first>
  static void part(const Instruction* ip, char* const* mem) {
    const char* p = mem[ip->a];
    return Acc::next(ip, mem, every_second<first>(p + 2 * R * kBytes)...);
  }
};

#if defined(__AVX512F__)
/// Indexes of tuples and of filtered items lie close together: 16 of them are relative to the
/// smallest, and what they point into is read by two loads. Masks say what of it may be read.
struct Windows {
  int32_t relative[kItems];
  struct {
    int32_t base;
    uint16_t low, high;  // no low: the indexes are too far apart
  } of[kItems / 16];
};
static_assert(sizeof(Windows) <= size_t{kItems} * 8);  // a place in scratch memory

typedef int32_t Ints __attribute__((vector_size(64)));
typedef int32_t HalfInts __attribute__((vector_size(32)));

// The smallest and the largest of 16.
static void extremes(Ints v, int32_t& smallest, int32_t& largest) {
  Ints lo = v, hi = v;
  const auto step = [&](Ints a, Ints b) {
    lo = a < lo ? a : lo;
    hi = b > hi ? b : hi;
  };
#define SWAPPED(x, ...) __builtin_shufflevector(x, x, __VA_ARGS__)
#define STEP(...) step(SWAPPED(lo, __VA_ARGS__), SWAPPED(hi, __VA_ARGS__))
  STEP(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  STEP(4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
  STEP(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  STEP(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
#undef STEP
#undef SWAPPED
  smallest = lo[0];
  largest = hi[0];
}

static void window(const Instruction* ip, char* const* mem) {
  char* out = mem[ip->out];
  for (int i = 0; i < kItems / 16; i++) {
    Ints index;
    memcpy(&index, mem[ip->b] + 64 * i, 64);
    int32_t base, last;
    extremes(index, base, last);
    const uint32_t span = static_cast<uint32_t>(last - base);
    const uint64_t mask = span < 32 ? (uint64_t{2} << span) - 1 : 0;
    save(out + 64 * i, index - base);
    auto& w = reinterpret_cast<Windows*>(out)->of[i];
    w = {base, static_cast<uint16_t>(mask), static_cast<uint16_t>(mask >> 16)};
  }
  return next_loop(ip, mem);
}

template <class T, int V>
static Vec<T> permuted(const Instruction* ip, char* const* mem) {
  constexpr int kFirst = V * kLanes<T>;
  const auto& all = *reinterpret_cast<const Windows*>(mem[ip->c]);
  const auto& w = all.of[kFirst / 16];
  const T* from = reinterpret_cast<const T*>(mem[ip->a]) + w.base;
  if constexpr (sizeof(T) == 4) {
    if (w.low != 0) [[likely]] {
      const __m512i relative = _mm512_loadu_si512(all.relative + kFirst);
      return (Vec<T>)_mm512_permutex2var_epi32(_mm512_maskz_loadu_epi32(w.low, from), relative,
                                               _mm512_maskz_loadu_epi32(w.high, from + 16));
    }
  } else {
    if (w.low != 0 && w.high == 0) [[likely]] {
      HalfInts relative;
      memcpy(&relative, all.relative + kFirst, 32);
      return (Vec<T>)_mm512_permutex2var_epi64(
          _mm512_maskz_loadu_epi64(static_cast<__mmask8>(w.low), from),
          (__m512i) __builtin_convertvector(relative, Vec<int64_t>),
          _mm512_maskz_loadu_epi64(static_cast<__mmask8>(w.low >> 8), from + 8));
    }
  }
  const auto* index = reinterpret_cast<const int32_t*>(mem[ip->b]) + kFirst;
  return Moves<T>::gather_one(reinterpret_cast<const T*>(mem[ip->a]), index);
}

template <class T, class R = Registers<T>>
struct Permuted;
template <class T, size_t... R>
struct Permuted<T, std::index_sequence<R...>> {
  static void gather(const Instruction* ip, char* const* mem) {
    return AccOf<T>::next(ip, mem, permuted<T, int(R)>(ip, mem)...);
  }
};
#define WINDOWS                                                                                  \
  as_step(&window), {                                                                            \
    nullptr, nullptr, as_step(&Permuted<uint32_t>::gather), as_step(&Permuted<uint64_t>::gather) \
  }
#else
#define WINDOWS \
  nullptr, {}
#endif

static void end(const Instruction*, char* const*) {}

static void stop(const Instruction* ip, char* const* mem, Vec<uint8_t> v) {
  if (any(v != 0)) return AccOf<uint8_t>::next(ip, mem, v);
  save(mem[ip->out], v + static_cast<uint8_t>(ip->c));
  const int32_t looked_at = ip->b;
  memcpy(mem[ip->a], &looked_at, sizeof looked_at);
}

#define EACH(f)                                                                            \
  as_step(&Moves<uint8_t>::f), as_step(&Moves<uint16_t>::f), as_step(&Moves<uint32_t>::f), \
      as_step(&Moves<uint64_t>::f)
#define PARTS(first) \
  { as_step(&Moves<uint32_t>::part<first>), as_step(&Moves<uint64_t>::part<first>) }
static MoveSteps all_moves() {
  MoveSteps all = {{EACH(load_block)},
                   {EACH(load_one)},
                   {EACH(save_block)},
                   {EACH(stream_block)},
                   {EACH(gather<int32_t>)},
                   {EACH(gather<int64_t>)},
                   as_step(&Moves<uint64_t>::iota),
                   as_step(&end),
                   as_step(&stop),
                   WINDOWS,
                   {PARTS(0), PARTS(1)}};
#if defined(__AVX512F__)
  if (has_fast_gathers()) {
    all.gather32[2] = as_step(&Moves<uint32_t>::gather_by_instruction<int32_t>);
    all.gather64[2] = as_step(&Moves<uint32_t>::gather_by_instruction<int64_t>);
    all.gather32[3] = as_step(&Moves<uint64_t>::gather_by_instruction<int32_t>);
    all.gather64[3] = as_step(&Moves<uint64_t>::gather_by_instruction<int64_t>);
  }
#endif
  return all;
}

// Filled by the first who asks: when the library is loaded, the processor may not have the
// instructions that fill it.
const MoveSteps& moves() {
  static const MoveSteps all = all_moves();
  return all;
}

}  // namespace serrate::cpu::SERRATE_ISA
