// Numbers of a launch, read from the trees at hand.
#pragma once

#include <cstdint>
#include <span>

#include "cuda/schedule/source.h"

namespace serrate::cuda {

uint64_t value_of(const Source& s, std::span<const void* const> objects);
inline int64_t value_of(const Amount& a, std::span<const void* const> objects) {
  return a.each * ((static_cast<int64_t>(value_of(a.of, objects)) + a.per - 1) / a.per + a.more);
}

}  // namespace serrate::cuda
