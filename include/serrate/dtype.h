// The element types of flat columns: the enumerator, its size, its name, and NumPy 2's promotion.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>

namespace serrate {

/// Element type of a column. datetime64 and timedelta64 are stored as int64; their unit is in the
/// Type.
enum class DType : uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  complex64,
  complex128,
  datetime64,
  timedelta64
};
inline constexpr int kDTypeCount = 16;

/// Bytes of one element.
constexpr int itemsize(DType t) {
  constexpr int sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16, 8, 8};
  return sizes[static_cast<int>(t)];
}

/// NumPy's name: "bool", "int8", ..., "complex128", "datetime64", "timedelta64".
constexpr std::string_view name(DType t) {
  constexpr std::string_view names[] = {"bool",      "int8",       "int16",      "int32",
                                        "int64",     "uint8",      "uint16",     "uint32",
                                        "uint64",    "float16",    "float32",    "float64",
                                        "complex64", "complex128", "datetime64", "timedelta64"};
  return names[static_cast<int>(t)];
}

constexpr bool is_signed_integer(DType t) { return t >= DType::int8 && t <= DType::int64; }
constexpr bool is_unsigned_integer(DType t) { return t >= DType::uint8 && t <= DType::uint64; }
constexpr bool is_integer(DType t) { return t >= DType::int8 && t <= DType::uint64; }
constexpr bool is_floating(DType t) { return t >= DType::float16 && t <= DType::float64; }
constexpr bool is_complex(DType t) { return t == DType::complex64 || t == DType::complex128; }
constexpr bool is_time(DType t) { return t >= DType::datetime64; }

/// The type both operands convert to, by NumPy 2's table (int64 with uint64 gives float64, ...).
/// Defined for all pairs of numbers; datetime64 and timedelta64 promote only with themselves
/// (throws TypeError otherwise).
DType promote(DType a, DType b);

/// The type of `array op python_scalar`: Python's numbers are weak (NEP 50), so int with float32
/// stays float32, float with int8 gives float64, complex with float32 gives complex64.
/// `scalar_kind` is boolean, int64, float64 or complex128. Throws TypeError for another kind and
/// for times.
DType promote_weak(DType array, DType scalar_kind);

/// C++ type to DType.
template <class T>
struct dtype_of;
template <>
struct dtype_of<bool> {
  static constexpr DType value = DType::boolean;
};
template <>
struct dtype_of<int8_t> {
  static constexpr DType value = DType::int8;
};
template <>
struct dtype_of<int16_t> {
  static constexpr DType value = DType::int16;
};
template <>
struct dtype_of<int32_t> {
  static constexpr DType value = DType::int32;
};
template <>
struct dtype_of<int64_t> {
  static constexpr DType value = DType::int64;
};
template <>
struct dtype_of<uint8_t> {
  static constexpr DType value = DType::uint8;
};
template <>
struct dtype_of<uint16_t> {
  static constexpr DType value = DType::uint16;
};
template <>
struct dtype_of<uint32_t> {
  static constexpr DType value = DType::uint32;
};
template <>
struct dtype_of<uint64_t> {
  static constexpr DType value = DType::uint64;
};
template <>
struct dtype_of<float> {
  static constexpr DType value = DType::float32;
};
template <>
struct dtype_of<double> {
  static constexpr DType value = DType::float64;
};
template <>
struct dtype_of<std::complex<float>> {
  static constexpr DType value = DType::complex64;
};
template <>
struct dtype_of<std::complex<double>> {
  static constexpr DType value = DType::complex128;
};

/// One value of any DType. Which member is meant follows from the type: boolean, signed and times
/// use i; unsigned u; floating f; complex f and im.
struct Scalar {
  DType dtype = DType::int64;
  union {
    int64_t i = 0;
    uint64_t u;
    double f;
  };
  double im = 0;

  static Scalar of(int64_t v, DType t = DType::int64);
  static Scalar of(double v, DType t = DType::float64);
  static Scalar boolean(bool v);
  /// The same value as another type (as a C++ conversion would give it).
  Scalar as(DType t) const;
  bool operator==(const Scalar&) const;
};

}  // namespace serrate
