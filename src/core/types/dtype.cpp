// Promotion of element types (NumPy 2's table as rules) and conversion of single values.
#include "serrate/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "serrate/error.h"

namespace serrate {
namespace {

/// The smallest float that NumPy lets hold this integer or boolean; a float itself.
DType as_floating(DType t) {
  if (is_floating(t)) return t;
  if (itemsize(t) == 1) return DType::float16;
  return itemsize(t) == 2 ? DType::float32 : DType::float64;
}

DType promote_integers(DType a, DType b) {
  if (is_signed_integer(a) == is_signed_integer(b)) return std::max(a, b);
  const DType s = is_signed_integer(a) ? a : b;
  const DType u = is_signed_integer(a) ? b : a;
  if (itemsize(u) < itemsize(s)) return s;
  switch (u) {
    case DType::uint8:
      return DType::int16;
    case DType::uint16:
      return DType::int32;
    case DType::uint32:
      return DType::int64;
    default:
      return DType::float64;
  }
}

DType complex_of(DType real) {
  return real == DType::float64 ? DType::complex128 : DType::complex64;
}

/// Rounds to the nearest half-precision value, ties to even.
double round_to_half(double v) {
  if (v == 0 || !std::isfinite(v)) return v;
  if (std::abs(v) >= 65520.0) return std::copysign(std::numeric_limits<double>::infinity(), v);
  const double step = std::ldexp(1.0, std::max(std::ilogb(v), -14) - 10);
  return std::nearbyint(v / step) * step;
}

/// C++ leaves these undefined out of range; here they give the lowest value, as x86 does.
int64_t to_int64(double v) {
  if (v >= -0x1p63 && v < 0x1p63) return static_cast<int64_t>(v);
  return std::numeric_limits<int64_t>::min();
}

uint64_t to_uint64(double v) {
  if (v >= 0x1p63 && v < 0x1p64) return static_cast<uint64_t>(v);
  return static_cast<uint64_t>(to_int64(v));
}

/// Keeps the low `itemsize` bytes, as a narrowing C++ conversion does.
int64_t narrow_signed(uint64_t bits, DType t) {
  switch (t) {
    case DType::int8:
      return static_cast<int8_t>(bits);
    case DType::int16:
      return static_cast<int16_t>(bits);
    case DType::int32:
      return static_cast<int32_t>(bits);
    default:
      return static_cast<int64_t>(bits);
  }
}

uint64_t narrow_unsigned(uint64_t bits, DType t) {
  switch (t) {
    case DType::uint8:
      return static_cast<uint8_t>(bits);
    case DType::uint16:
      return static_cast<uint16_t>(bits);
    case DType::uint32:
      return static_cast<uint32_t>(bits);
    default:
      return bits;
  }
}

double narrow_floating(double v, DType t) {
  if (t == DType::float16) return round_to_half(v);
  if (t == DType::float32 || t == DType::complex64) return static_cast<float>(v);
  return v;
}

bool holds_floating(DType t) { return is_floating(t) || is_complex(t); }

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  check<TypeError>(!is_time(a) && !is_time(b), "promote: no common type of {} and {}", name(a),
                   name(b));
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  if (is_complex(a) || is_complex(b)) {
    if (a == DType::complex128 || b == DType::complex128) return DType::complex128;
    if (is_complex(a) && is_complex(b)) return DType::complex64;
    return complex_of(as_floating(is_complex(a) ? b : a));
  }
  return std::max(as_floating(a), as_floating(b));
}

DType promote_weak(DType array, DType scalar_kind) {
  check<TypeError>(!is_time(array), "promote_weak: no common type of {} and a Python number",
                   name(array));
  switch (scalar_kind) {
    case DType::boolean:
      return array;
    case DType::int64:
      return array == DType::boolean ? DType::int64 : array;
    case DType::float64:
      return holds_floating(array) ? array : DType::float64;
    case DType::complex128:
      if (is_complex(array)) return array;
      return is_floating(array) ? complex_of(array) : DType::complex128;
    default:
      throw TypeError(fmt::format(
          "promote_weak: expected bool, int64, float64 or complex128 as a scalar's kind, got {}",
          name(scalar_kind)));
  }
}

Scalar Scalar::of(int64_t v, DType t) {
  Scalar out;
  out.i = v;
  return out.as(t);
}

Scalar Scalar::of(double v, DType t) {
  Scalar out;
  out.dtype = DType::float64;
  out.f = v;
  return out.as(t);
}

Scalar Scalar::boolean(bool v) {
  Scalar out;
  out.dtype = DType::boolean;
  out.i = v ? 1 : 0;
  return out;
}

Scalar Scalar::as(DType t) const {
  const bool from_float = holds_floating(dtype);
  const bool from_unsigned = is_unsigned_integer(dtype);
  Scalar out;
  out.dtype = t;
  if (t == DType::boolean) {
    out.i = from_float ? (f != 0 || im != 0) : from_unsigned ? u != 0 : i != 0;
  } else if (is_unsigned_integer(t)) {
    out.u = narrow_unsigned(from_float      ? to_uint64(f)
                            : from_unsigned ? u
                                            : static_cast<uint64_t>(i),
                            t);
  } else if (holds_floating(t)) {
    // Straight from the integer: through double it would be rounded twice on the way to float.
    const auto convert = [&](auto v) {
      return t == DType::float32 || t == DType::complex64
                 ? static_cast<double>(static_cast<float>(v))
                 : narrow_floating(static_cast<double>(v), t);
    };
    out.f = from_float ? narrow_floating(f, t) : from_unsigned ? convert(u) : convert(i);
    if (is_complex(t) && is_complex(dtype)) out.im = narrow_floating(im, t);
  } else {
    out.i = narrow_signed(from_float      ? static_cast<uint64_t>(to_int64(f))
                          : from_unsigned ? u
                                          : static_cast<uint64_t>(i),
                          t);
  }
  return out;
}

/// Same type and same bits: NaN equals itself and 0.0 differs from -0.0, so that equal means
/// interchangeable.
bool Scalar::operator==(const Scalar& other) const {
  if (dtype != other.dtype) return false;
  const auto bits = [](double v) { return std::bit_cast<uint64_t>(v); };
  if (holds_floating(dtype)) {
    return bits(f) == bits(other.f) && (!is_complex(dtype) || bits(im) == bits(other.im));
  }
  return is_unsigned_integer(dtype) ? u == other.u : i == other.i;
}

}  // namespace serrate
