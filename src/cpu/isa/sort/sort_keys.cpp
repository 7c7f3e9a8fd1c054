// Values as integers in the same order, and back: see cpu/lists/sort_kernels.h.
#include <cstring>
#include <limits>

#include "cpu/lists/sort_kernels.h"
#include "cpu/machine/subnormals.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

/// Integers: the value itself, of unsigned ones with the top bit flipped.
template <class V, class K>
struct Integers {
  static constexpr bool kSigned = V(-1) < V(0);
  static constexpr K kFlip =
      kSigned || sizeof(V) < sizeof(K) ? K(0) : std::numeric_limits<K>::min();
  static bool to(const V* v, int64_t n, bool descending, K* k) {
    const K down = descending ? K(-1) : K(0);
    for (int64_t i = 0; i < n; i++) k[i] = K((K(v[i]) ^ kFlip) ^ down);
    return true;
  }
  static void from(const K* k, int64_t n, bool descending, V* v) {
    const K down = descending ? K(-1) : K(0);
#pragma GCC ivdep  // v may be k
    for (int64_t i = 0; i < n; i++) v[i] = V((k[i] ^ down) ^ kFlip);
  }
};

/// Floating-point numbers by their bits: of negative ones all but the sign are flipped.
template <class Bits, class K, Bits kInf, Bits kNan>
struct Floats {
  static constexpr Bits kRest = std::numeric_limits<Bits>::max();
  static constexpr Bits kZero = std::numeric_limits<Bits>::min();  // -0.0
  static constexpr K kLast = std::numeric_limits<K>::max();
  static Bits ordered(Bits b) { return b < 0 ? Bits(b ^ kRest) : b; }
  static bool to(const Bits* v, int64_t n, bool descending, K* k) {
    const K down = descending ? K(-1) : K(0);
    Bits zeros = 0;
    for (int64_t i = 0; i < n; i++) {
      const Bits b = v[i];
      zeros |= b == kZero ? Bits(1) : Bits(0);
      const K key = K(K(ordered(b == kZero ? Bits(0) : b)) ^ down);
      k[i] = Bits(b & kRest) > kInf ? kLast : key;
    }
    return zeros == 0;
  }
  static void from(const K* k, int64_t n, bool descending, Bits* v) {
    const K down = descending ? K(-1) : K(0);
#pragma GCC ivdep  // v may be k
    for (int64_t i = 0; i < n; i++) v[i] = k[i] == kLast ? kNan : ordered(Bits(k[i] ^ down));
  }
};

/// Times: NaT, the smallest integer, becomes the largest.
struct Times {
  static bool to(const int64_t* v, int64_t n, bool descending, int64_t* k) {
    for (int64_t i = 0; i < n; i++) {
      const auto key = int64_t(uint64_t(v[i]) - 1);
      const auto down = int64_t(uint64_t(-2) - uint64_t(key));
      k[i] = descending && key != INT64_MAX ? down : key;
    }
    return true;
  }
  static void from(const int64_t* k, int64_t n, bool descending, int64_t* v) {
#pragma GCC ivdep  // v may be k
    for (int64_t i = 0; i < n; i++) {
      const auto up = int64_t(uint64_t(-2) - uint64_t(k[i]));
      v[i] = int64_t(uint64_t(descending && k[i] != INT64_MAX ? up : k[i]) + 1);
    }
  }
};

/// Complex numbers in the order of NumPy: those without NaN, with NaN as the imaginary part, as the
/// real one, as both; then by the parts that are numbers, the real one first. Of the first part the
/// last keys say which kind it is; the second one is that of the imaginary part, or of the real one
/// if it alone is a number.
template <int64_t kInf,
          int64_t kRest>  // all bits of a part but the sign; lower ones are none of it
struct ComplexParts {
  static constexpr int64_t kZero = INT64_MIN;  // -0.0
  static constexpr int64_t kUnit = kRest & -kRest;
  static constexpr int64_t kNan = kRest, kNanReal = kRest - kUnit, kNanImag = kRest - 2 * kUnit;
  static int64_t down(bool descending) { return descending ? -kUnit : 0; }
  /// By bits: GCC would branch.
  static int64_t chosen(bool first, int64_t a, int64_t b) {
    const int64_t keep = -int64_t{first};
    return (a & keep) | (b & ~keep);
  }
  static int64_t ordered(int64_t b) { return b ^ (-int64_t{b < 0} & kRest); }
  static bool is_nan(int64_t b) { return (b & kRest) > kInf; }
  static int64_t key(int64_t b, int64_t down) { return ordered(b & -int64_t{b != kZero}) ^ down; }

  static int64_t first(int64_t re, int64_t im, int64_t down) {
    return chosen(is_nan(re), chosen(is_nan(im), kNan, kNanReal),
                  chosen(is_nan(im), kNanImag, key(re, down)));
  }
  static int64_t second(int64_t re, int64_t im, int64_t down) {
    return chosen(is_nan(im), chosen(is_nan(re), 0, key(re, down)), key(im, down));
  }
};

/// Both keys in one. Numbers are words, too, with the real part in the lower half; parts are upper
/// halves, as registers compare and choose words only by words.
struct Complex64 {
  using P = ComplexParts<int64_t{0x7f800000} << 32, int64_t{0x7fffffff} << 32>;
  static constexpr uint64_t kUpper = ~uint64_t{0} << 32, kTop = uint64_t{1} << 31;
  static bool to(const int64_t* v, int64_t n, bool descending, int64_t* k) {
    const int64_t down = P::down(descending);
    int64_t zeros = 0;
#pragma GCC ivdep  // k may be v
    for (int64_t i = 0; i < n; i++) {
      const auto re = int64_t(uint64_t(v[i]) << 32), im = int64_t(uint64_t(v[i]) & kUpper);
      zeros |= -int64_t{re == P::kZero} | -int64_t{im == P::kZero};
      const auto low = uint64_t(P::second(re, im, down)) >> 32 ^ kTop;
      k[i] = int64_t(uint64_t(P::first(re, im, down)) | low);
    }
    return zeros == 0;
  }
  static void from(const int64_t* k, int64_t n, bool descending, int64_t* v) {
    constexpr int64_t kNan = int64_t{0x7fc00000} << 32;
    const int64_t down = P::down(descending);
#pragma GCC ivdep  // v may be k
    for (int64_t i = 0; i < n; i++) {
      const auto first = int64_t(uint64_t(k[i]) & kUpper);
      const int64_t second = P::ordered(int64_t((uint64_t(k[i]) ^ kTop) << 32) ^ down);
      const int64_t re = P::chosen(first < P::kNanImag, P::ordered(first ^ down),
                                   P::chosen(first < P::kNanReal, second, kNan));
      const int64_t im = P::chosen((first < P::kNanImag) | (first == P::kNanReal), second, kNan);
      v[i] = int64_t(uint64_t(im) | uint64_t(re) >> 32);
    }
  }
};

/// The first key alone; values are never made of it.
struct Complex128 {
  using P = ComplexParts<0x7ff0000000000000, INT64_MAX>;
  static bool to(const int64_t* v, int64_t n, bool descending, int64_t* k) {
    const int64_t down = P::down(descending);
    for (int64_t i = 0; i < n; i++) k[i] = P::first(v[2 * i], v[2 * i + 1], down);
    return false;
  }
  static void from(const int64_t*, int64_t, bool, int64_t*) {}
};
void second_keys(const void* values, int64_t n, bool descending, int64_t* k) {
  const auto* v = static_cast<const int64_t*>(values);
  const int64_t down = Complex128::P::down(descending);
  for (int64_t i = 0; i < n; i++) k[i] = Complex128::P::second(v[2 * i], v[2 * i + 1], down);
}

/// Copies floating numbers, if there is room; false if one of them is NaN or -0.0, or minima of
/// floating numbers lose some.
template <class Bits, Bits kInf>
bool copy_floats(const void* values, int64_t n, void* copy) {
  constexpr int64_t kBlock = 4096;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t size = begin + kBlock < n ? kBlock : n - begin;
    const auto* v = static_cast<const Bits*>(values) + begin;
    Bits others = 0;
    for (int64_t i = 0; i < size; i++) {
      const bool is_nan = Bits(v[i] & std::numeric_limits<Bits>::max()) > kInf;
      others |= is_nan | (v[i] == std::numeric_limits<Bits>::min()) ? Bits(1) : Bits(0);
    }
    if (others != 0) return false;
    if (copy) memcpy(static_cast<Bits*>(copy) + begin, v, size_t(size) * sizeof(Bits));
  }
  return true;
}
bool copy_numbers(DType t, const void* values, int64_t n, bool, void* copy) {
  if (reads_subnormals_as_zeros()) return false;
  return t == DType::float64 ? copy_floats<int64_t, 0x7ff0000000000000>(values, n, copy)
                             : copy_floats<int32_t, 0x7f800000>(values, n, copy);
}

template <class K>
using Float16 = Floats<int16_t, K, 0x7c00, 0x7e00>;
using Float32 = Floats<int32_t, int32_t, 0x7f800000, 0x7fc00000>;
using Float64 = Floats<int64_t, int64_t, 0x7ff0000000000000, 0x7ff8000000000000>;

template <class Scheme, class V, class K>
struct Keys {
  static bool to(const void* values, int64_t n, bool descending, void* keys) {
    return Scheme::to(static_cast<const V*>(values), n, descending, static_cast<K*>(keys));
  }
  static bool from(const void* keys, int64_t n, bool descending, void* values) {
    Scheme::from(static_cast<const K*>(keys), n, descending, static_cast<V*>(values));
    return true;
  }
};
template <class V, class K>
using IntegerKeys = Keys<Integers<V, K>, V, K>;

/// f(the keys) of a type of up to 16 bits.
template <class K, class F>
bool by_small_type(DType t, F&& f) {
  switch (t) {
    case DType::boolean:
    case DType::uint8:
      return f(IntegerKeys<uint8_t, K>{});
    case DType::int8:
      return f(IntegerKeys<int8_t, K>{});
    case DType::int16:
      return f(IntegerKeys<int16_t, K>{});
    case DType::uint16:
      return f(IntegerKeys<uint16_t, K>{});
    default:
      return f(Keys<Float16<K>, int16_t, K>{});
  }
}

template <class F>
bool by_type(DType t, F&& f) {
  if (may_have_short_keys(t)) return by_small_type<int32_t>(t, f);
  switch (t) {
    case DType::int32:
      return f(IntegerKeys<int32_t, int32_t>{});
    case DType::uint32:
      return f(IntegerKeys<uint32_t, int32_t>{});
    case DType::int64:
      return f(IntegerKeys<int64_t, int64_t>{});
    case DType::uint64:
      return f(IntegerKeys<uint64_t, int64_t>{});
    case DType::float32:
      return f(Keys<Float32, int32_t, int32_t>{});
    case DType::float64:
      return f(Keys<Float64, int64_t, int64_t>{});
    case DType::complex64:
      return f(Keys<Complex64, int64_t, int64_t>{});
    case DType::complex128:
      return f(Keys<Complex128, int64_t, int64_t>{});
    default:
      return f(Keys<Times, int64_t, int64_t>{});
  }
}

bool to_keys(DType t, const void* values, int64_t n, bool descending, void* keys) {
  return by_type(t, [&](auto of) { return of.to(values, n, descending, keys); });
}
void from_keys(DType t, const void* keys, int64_t n, bool descending, void* values) {
  by_type(t, [&](auto of) { return of.from(keys, n, descending, values); });
}
bool to_shorts(DType t, const void* values, int64_t n, bool descending, void* keys) {
  return by_small_type<int16_t>(t, [&](auto of) { return of.to(values, n, descending, keys); });
}
void from_shorts(DType t, const void* keys, int64_t n, bool descending, void* values) {
  by_small_type<int16_t>(t, [&](auto of) { return of.from(keys, n, descending, values); });
}

}  // namespace

void add_key_kernels(SortKernels& table) {
  table.to_keys = &to_keys;
  table.from_keys = &from_keys;
  table.second_keys = &second_keys;
  table.copy_numbers = &copy_numbers;
  table.to_shorts = &to_shorts;
  table.from_shorts = &from_shorts;
}

}  // namespace serrate::cpu::SERRATE_ISA
