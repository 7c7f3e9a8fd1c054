// float16 as IEEE 754 binary16 in a struct, and its conversions without branches, so that loops
// over them vectorise. Includes nothing but string.h and is included inside a namespace per
// instruction set.

struct Half {
  uint16_t bits;
};

template <class To, class From>
inline To bits_as(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}

inline float to_float(Half h) {
  const uint32_t sign = uint32_t(h.bits & 0x8000) << 16, magnitude = h.bits & 0x7fff;
  // The multiplication moves the exponent and normalises subnormal numbers.
  uint32_t f = bits_as<uint32_t>(bits_as<float>(magnitude << 13) * 0x1p112f);
  f |= magnitude >= 0x7c00 ? 0x7f800000u : 0u;
  return bits_as<float>(f | sign);
}

inline Half to_half(float x) {
  const uint32_t f = bits_as<uint32_t>(x), sign = (f >> 16) & 0x8000, a = f & 0x7fffffff;
  const uint32_t normal = (a + 0xc8000fff + ((a >> 13) & 1)) >> 13;  // to nearest, ties to even
  const uint32_t small = bits_as<uint32_t>(bits_as<float>(a) + 0.5f) - 0x3f000000;
  const uint32_t nan = 0x7e00 | ((a >> 13) & 0x3ff);
  const uint32_t large = a > 0x7f800000 ? nan : 0x7c00;
  return {uint16_t(sign | (a >= 0x47800000 ? large : a < 0x38800000 ? small : normal))};
}

// By way of a float32 rounded to odd, so that rounding twice gives what rounding once would.
inline Half to_half(double x) {
  const float f = float(x);
  uint32_t b = bits_as<uint32_t>(f);
  const double back = double(f);
  b -= __builtin_fabs(back) > __builtin_fabs(x) ? 1 : 0;
  b |= (back < x || back > x) ? 1 : 0;
  return to_half(bits_as<float>(b));
}
