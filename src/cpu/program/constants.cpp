// Constants as programs read them.
#include <array>
#include <cstring>

#include "cpu/program/program.h"

namespace serrate::cpu {

namespace {
#include "cpu/program/half.h"
}  // namespace

void store_scalar(const Scalar& s, std::byte* out) {
  const auto put = [out](const auto& v) { std::memcpy(out, &v, sizeof v); };
  const auto re = static_cast<float>(s.f), im = static_cast<float>(s.im);
  switch (s.dtype) {
    case DType::float16:
      return put(to_half(s.f));
    case DType::float32:
      return put(re);
    case DType::complex64:
      return put(std::array{re, im});
    case DType::complex128:
      return put(std::array{s.f, s.im});
    default:
      // Little-endian: the low bytes are the narrow integer; float64 shares the bits.
      return put(s.i);
  }
}

}  // namespace serrate::cpu
