// Values as integers in the same order, and back: see cpu/lists/sort_kernels.h.
#include <limits>
#include <type_traits>

#include "cpu/lists/sort_kernels.h"

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
    for (int64_t i = 0; i < n; i++) k[i] = (K(v[i]) ^ kFlip) ^ down;
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
      const K key = K(ordered(b == kZero ? Bits(0) : b)) ^ down;
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

using Float16 = Floats<int16_t, int32_t, 0x7c00, 0x7e00>;
using Float32 = Floats<int32_t, int32_t, 0x7f800000, 0x7fc00000>;
using Float64 = Floats<int64_t, int64_t, 0x7ff0000000000000, 0x7ff8000000000000>;

/// f(values of their type, keys of theirs, the scheme).
template <class Void, class F>
bool by_type(DType t, Void* values, F&& f) {
  auto call = [&]<class Scheme, class V, class K>() {
    if constexpr (std::is_const_v<Void>)
      return f.template operator()<Scheme, K>(static_cast<const V*>(values));
    else
      return f.template operator()<Scheme, K>(static_cast<V*>(values));
  };
  switch (t) {
    case DType::boolean:
    case DType::uint8:
      return call.template operator()<Integers<uint8_t, int32_t>, uint8_t, int32_t>();
    case DType::int8:
      return call.template operator()<Integers<int8_t, int32_t>, int8_t, int32_t>();
    case DType::int16:
      return call.template operator()<Integers<int16_t, int32_t>, int16_t, int32_t>();
    case DType::uint16:
      return call.template operator()<Integers<uint16_t, int32_t>, uint16_t, int32_t>();
    case DType::int32:
      return call.template operator()<Integers<int32_t, int32_t>, int32_t, int32_t>();
    case DType::uint32:
      return call.template operator()<Integers<uint32_t, int32_t>, uint32_t, int32_t>();
    case DType::int64:
      return call.template operator()<Integers<int64_t, int64_t>, int64_t, int64_t>();
    case DType::uint64:
      return call.template operator()<Integers<uint64_t, int64_t>, uint64_t, int64_t>();
    case DType::float16:
      return call.template operator()<Float16, int16_t, int32_t>();
    case DType::float32:
      return call.template operator()<Float32, int32_t, int32_t>();
    case DType::float64:
      return call.template operator()<Float64, int64_t, int64_t>();
    default:
      return call.template operator()<Times, int64_t, int64_t>();
  }
}

bool to_keys(DType t, const void* values, int64_t n, bool descending, void* keys) {
  return by_type(t, values, [&]<class Scheme, class K>(const auto* v) {
    return Scheme::to(v, n, descending, static_cast<K*>(keys));
  });
}

void from_keys(DType t, const void* keys, int64_t n, bool descending, void* values) {
  by_type(t, values, [&]<class Scheme, class K>(auto* v) {
    Scheme::from(static_cast<const K*>(keys), n, descending, v);
    return true;
  });
}

}  // namespace

void add_key_kernels(SortKernels& table) {
  table.to_keys = &to_keys;
  table.from_keys = &from_keys;
}

}  // namespace serrate::cpu::SERRATE_ISA
