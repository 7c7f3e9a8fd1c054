// One instruction set's steps, gathered from the files beside this one.
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstring>

#include "cpu/isa/steps/steps.h"

namespace serrate::cpu::SERRATE_ISA {

const MoveSteps& moves();
Step find_cast(DType from, DType to);

#if defined(__AVX2__) && !defined(__AVX512F__)
/// All ones where bytes of a mask are 0, for each item of T.
template <class T>
static __m256i zeros_of(const uint8_t* mask) {
  const auto bytes = [mask](auto word) {
    memcpy(&word, mask, sizeof word);
    return word;
  };
  const __m256i zero = _mm256_setzero_si256();
  if constexpr (sizeof(T) == 8)
    return _mm256_cmpeq_epi64(_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes(int32_t{}))), zero);
  else if constexpr (sizeof(T) == 4)
    return _mm256_cmpeq_epi32(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bytes(int64_t{}))), zero);
  else if constexpr (sizeof(T) == 2)
    return _mm256_cmpeq_epi16(_mm256_cvtepu8_epi16(bytes(__m128i{})), zero);
  else
    return _mm256_cmpeq_epi8(bytes(__m256i{}), zero);
}
#endif

// Works on bits: the size is all that matters, and a choice would be a branch where no instruction
// stores under a mask.
template <class T>
static void where(const Instruction* ip, char* const* mem) {
  const uint8_t* choose = reinterpret_cast<const uint8_t*>(mem[ip->a]);
  const T* x = reinterpret_cast<const T*>(mem[ip->b]);
  const T* y = reinterpret_cast<const T*>(mem[ip->c]);
  T* out = reinterpret_cast<T*>(mem[ip->out]);
#if defined(__AVX2__) && !defined(__AVX512F__)
  for (int i = 0; i < kItems; i += kLanes<T>) {
    const auto raw = [](const T* p) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    };
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_blendv_epi8(raw(x + i), raw(y + i), zeros_of<T>(choose + i)));
  }
#else
#pragma GCC ivdep
  for (int i = 0; i < kItems; i++) {
    const T keep = static_cast<T>(-static_cast<T>(choose[i] != 0));
    out[i] = static_cast<T>((x[i] & keep) | (y[i] & ~keep));
  }
#endif
  return next_loop(ip, mem);
}

static Step find_where(int log2_size) {
  switch (log2_size) {
    case 0:
      return as_step(&where<uint8_t>);
    case 1:
      return as_step(&where<uint16_t>);
    case 2:
      return as_step(&where<uint32_t>);
    default:
      return as_step(&where<uint64_t>);
  }
}

static const OpSteps* of_type(DType t) {
  switch (t) {
    case DType::int8:
      return int8_rows();
    case DType::int16:
      return int16_rows();
    case DType::int32:
      return int32_rows();
    case DType::int64:
      return int64_rows();
    case DType::uint8:
      return uint8_rows();
    case DType::uint16:
      return uint16_rows();
    case DType::uint32:
      return uint32_rows();
    case DType::uint64:
      return uint64_rows();
    case DType::float32:
      return float32_rows();
    case DType::float64:
      return float64_rows();
    case DType::datetime64:
    case DType::timedelta64:
      return time_rows();
    case DType::complex64:
      return complex64_rows();
    case DType::complex128:
      return complex128_rows();
    default:
      return nullptr;
  }
}

static int64_t alike(const char* bools, int64_t steps, bool& is_any) {
  const auto any_at = [&](int64_t i) { return any(load<uint8_t>(bools + i * kItems) != 0); };
  is_any = any_at(0);
  int64_t end = 1;
  while (end < steps && any_at(end) == is_any) end++;
  return end;
}

extern const Steps steps;
constinit const Steps steps = {kItems, of_type, find_where, find_cast, moves, alike};

}  // namespace serrate::cpu::SERRATE_ISA
