// What tests of inner loops share: programs of one operation, and results to compare.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "cpu/lists/ragged_testing.h"
#include "cpu/program/program.h"

namespace serrate::cpu::testing {

/// An operation on slots 0 and 1, of which the second (1), the first (2) or none (0) is one item,
/// that of slot 2, stored in slot 3.
inline ProgramBuilder program_of(Op op, DType t, int operands, DType& result) {
  ProgramBuilder b;
  const int x = operands == 2 ? b.scalar(t, 2) : b.load(t, 0);
  std::array args = {x, x};
  if (info(op).arity == 2) args[1] = operands == 1 ? b.scalar(t, 2) : b.load(t, 1);
  const int v = b.op(op, t, std::span(args).first(static_cast<size_t>(info(op).arity)));
  result = b.type(v);
  b.store(v, 3);
  return b;
}

/// Which NaN, and of what sign, is nobody's promise.
template <class T>
void make_nans_equal(Guarded<uint8_t>& bytes) {
  T x = 0;
  for (size_t i = 0; i + sizeof x <= bytes.vector().size(); i += sizeof x) {
    std::memcpy(&x, bytes.data() + i, sizeof x);
    if (std::isnan(x)) x = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(bytes.data() + i, &x, sizeof x);
  }
}

}  // namespace serrate::cpu::testing
