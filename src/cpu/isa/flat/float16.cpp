// Inner loops of float16: operations on float32 between two conversions, all in registers.
#include "cpu/isa/flat/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

#if defined(__F16C__)

typedef int64_t Halves __attribute__((vector_size(kBytes / 2)));

[[gnu::always_inline]] static inline Vec<float> widened(Halves x) {
#if defined(__AVX512F__)
  return (Vec<float>)_mm512_maskz_cvtph_ps(0xffff, (__m256i)x);
#else
  return (Vec<float>)_mm256_cvtph_ps((__m128i)x);
#endif
}
[[gnu::always_inline]] static inline Vec<float> load_halves(const char* p) {
  Halves x;
  memcpy(&x, p, sizeof x);
  return widened(x);
}
[[gnu::always_inline]] static inline void save_halves(char* p, Vec<float> v) {
#if defined(__AVX512F__)
  const auto x = (Halves)_mm512_maskz_cvtps_ph(0xffff, (__m512)v, _MM_FROUND_TO_NEAREST_INT);
#else
  const auto x = (Halves)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
#endif
  memcpy(p, &x, sizeof x);
}
[[gnu::always_inline]] static inline Vec<float> splat_half(const char* p) {
  uint16_t x;
  memcpy(&x, p, sizeof x);
  return _cvtsh_ss(x) - Vec<float>{};  // as splat, which keeps the sign of -0.0
}

/// A step of programs has four registers, as function_loop has them under way.
template <Op O, Operands F>
[[gnu::flatten]] static void half_loop(const char* x, const char* y, char* out, int64_t steps) {
  constexpr int64_t kStep = 2 * kItems, kSize = sizeof(Halves);
  Vec<float> one = {};
  if constexpr (F == Operands::first_is_one) one = splat_half(x);
  if constexpr (F == Operands::second_is_one) one = splat_half(y);
  for (int64_t end = steps * kStep, i = 0; i < end; i += kStep) {
    Vec<float> r[4];
    for (int k = 0; k < 4; k++) {
      const int64_t at = i + k * kSize;
      r[k] = of_operands<O, F, Row<O>>([&] { return load_halves(x + at); },
                                       [&] { return load_halves(y + at); }, one);
    }
    for (int k = 0; k < 4; k++) save_halves(out + i + k * kSize, r[k]);
  }
}

template <Op O>
constexpr LoopRow half_row() {
  LoopRow r = {};
  if constexpr ((info(O).floats == Way::cheap || info(O).floats == Way::dear) &&
                info(O).result != ResultRule::boolean) {
    r.of[0] = &half_loop<O, Operands::arrays>;
    if constexpr (info(O).arity == 2) {
      // As the steps by one number, which decides how they compute.
      if constexpr (!kByScalar<O, float>) r.of[1] = &half_loop<O, Operands::second_is_one>;
      r.of[2] = &half_loop<O, Operands::first_is_one>;
    }
  }
  return r;
}

const LoopRow* float16_loops() {
  static const auto rows = of_each_row<LoopRow>([]<Op O>() { return half_row<O>(); });
  return rows.data();
}

#else
// Conversions are loops of their own here.
const LoopRow* float16_loops() { return nullptr; }
#endif

}  // namespace serrate::cpu::SERRATE_ISA
