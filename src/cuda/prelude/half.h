// float16 as its 16 bits: computed in float32, rounded to nearest, ties to even.

struct half {
  unsigned short bits;
};
#ifdef __CUDACC_RTC__
SERRATE_FN float half_to_float(half h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
  return f;
}
#else
SERRATE_FN float half_to_float(half h) {
  const unsigned sign = (h.bits & 0x8000u) << 16, magnitude = (h.bits & 0x7fffu) << 13;
  // The multiplication moves the exponent and normalises subnormal numbers.
  const float f = __builtin_bit_cast(float, magnitude) * 5192296858534827628530496329220096.0f;
  const unsigned special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, f) | special | sign);
}
#endif
SERRATE_FN bool operator<(half x, half y) { return half_to_float(x) < half_to_float(y); }
SERRATE_FN bool operator!=(half x, half y) { return half_to_float(x) != half_to_float(y); }

#ifdef __CUDACC_RTC__
SERRATE_FN half float_to_half(float x) {
  half h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
  return h;
}
#else
SERRATE_FN half float_to_half(float x) {
  const unsigned f = __builtin_bit_cast(unsigned, x), sign = (f >> 16) & 0x8000u;
  const unsigned a = f & 0x7fffffffu;
  const unsigned normal = (a + 0xc8000fffu + ((a >> 13) & 1u)) >> 13;
  const unsigned small =
      __builtin_bit_cast(unsigned, __builtin_bit_cast(float, a) + 0.5f) - 0x3f000000u;
  const unsigned large = a > 0x7f800000u ? 0x7e00u : 0x7c00u;
  const unsigned bits = a >= 0x47800000u ? large : a < 0x38800000u ? small : normal;
  return half{(unsigned short)(sign | bits)};
}
#endif

#ifdef __CUDACC_RTC__
SERRATE_FN half double_to_half(double x) {
  half h;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h.bits) : "d"(x));
  return h;
}
#else
// By way of a float32 rounded to odd, so that rounding twice gives what rounding once would.
SERRATE_FN half double_to_half(double x) {
  const float f = float(x);
  unsigned b = __builtin_bit_cast(unsigned, f);
  const double back = double(f);
  if (fabs(back) > fabs(x)) b--;
  if (back < x || back > x) b |= 1u;
  return float_to_half(__builtin_bit_cast(float, b));
}
#endif

SERRATE_FN half half_nextafter(half x, half y) {
  const float fx = half_to_float(x), fy = half_to_float(y);
  if (fx != fx) return x;
  if (fy != fy) return y;
  if (fx == fy) return y;
  if (fx == 0.0f) return half{(unsigned short)(fy < 0.0f ? 0x8001 : 1)};
  const bool grows = (fy > fx) == (fx > 0.0f);
  return half{(unsigned short)(x.bits + (grows ? 1 : -1))};
}

// Infinity and NaN give NaN; the last finite numbers give infinity.
SERRATE_FN half half_spacing(half x) {
  if ((x.bits & 0x7c00) == 0x7c00) return half{0x7e00};
  if ((x.bits & 0x7fff) == 0) return half{1};
  const half away{(unsigned short)(x.bits + 1)};
  return float_to_half(half_to_float(away) - half_to_float(x));
}
