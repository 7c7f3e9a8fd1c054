// Constants as programs read them.
#include <cstring>

#include "core/types/load_scalar.h"
#include "cpu/program/program.h"

namespace serrate::cpu {

namespace {
#include "cpu/program/half.h"
}  // namespace

void store_scalar(const Scalar& s, std::byte* out) {
  if (s.dtype != DType::float16) return serrate::store_scalar(s, out);
  const auto half = to_half(s.f);
  std::memcpy(out, &half, sizeof half);
}

}  // namespace serrate::cpu
