// One value read from memory.
#include "core/types/load_scalar.h"

#include <array>
#include <cstring>

#include "serrate/error.h"

namespace serrate {
namespace {

template <class T>
T read(const void* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

}  // namespace

Scalar load_scalar(const void* p, DType t) {
  switch (t) {
    case DType::boolean:
      return Scalar::boolean(read<uint8_t>(p) != 0);
    case DType::int8:
      return Scalar::of(int64_t{read<int8_t>(p)}, t);
    case DType::int16:
      return Scalar::of(int64_t{read<int16_t>(p)}, t);
    case DType::int32:
      return Scalar::of(int64_t{read<int32_t>(p)}, t);
    case DType::uint8:
      return Scalar::of(int64_t{read<uint8_t>(p)}, t);
    case DType::uint16:
      return Scalar::of(int64_t{read<uint16_t>(p)}, t);
    case DType::uint32:
      return Scalar::of(int64_t{read<uint32_t>(p)}, t);
    case DType::float32:
      return Scalar::of(double{read<float>(p)}, t);
    case DType::float64:
      return Scalar::of(read<double>(p), t);
    case DType::complex64: {
      Scalar s = Scalar::of(double{read<float>(p)}, t);
      s.im = double{read<float>(static_cast<const float*>(p) + 1)};
      return s;
    }
    case DType::complex128: {
      Scalar s = Scalar::of(read<double>(p), t);
      s.im = read<double>(static_cast<const double*>(p) + 1);
      return s;
    }
    case DType::float16:
      throw TypeError("item: float16 has no C++ type; convert with values_astype first");
    default: {  // 64 bits; unsigned ones too
      Scalar s;
      s.dtype = t;
      s.i = read<int64_t>(p);
      return s;
    }
  }
}

void store_scalar(const Scalar& s, void* p) {
  const auto put = [p](const auto& v) { std::memcpy(p, &v, sizeof v); };
  switch (s.dtype) {
    case DType::float16:
      throw TypeError("store_scalar: float16 has no C++ type");
    case DType::float32:
      return put(static_cast<float>(s.f));
    case DType::complex64:
      return put(std::array{static_cast<float>(s.f), static_cast<float>(s.im)});
    case DType::complex128:
      return put(std::array{s.f, s.im});
    default:
      // Little-endian: the low bytes are the narrow integer; float64 shares the bits.
      std::memcpy(p, &s.i, static_cast<size_t>(itemsize(s.dtype)));
  }
}

}  // namespace serrate
