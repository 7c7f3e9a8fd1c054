// What libraries that are built for fast maths set for whole processes.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace serrate::cpu {

/// Does this thread read subnormal numbers as zeros (DAZ)? Comparisons and extremes of floating
/// numbers lose them then, and integers whose bits are seen as such.
inline bool reads_subnormals_as_zeros() {
#if defined(__SSE2__)
  constexpr unsigned kDenormalsAreZeros = 1 << 6;  // of MXCSR
  return (_mm_getcsr() & kDenormalsAreZeros) != 0;
#else
  return false;
#endif
}

}  // namespace serrate::cpu
