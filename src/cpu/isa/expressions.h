// The table's expressions as functions of vectors and of scalars, for one instruction set. The
// functions that they call are declared before, but those of classes, which are found by argument.
#pragma once

#include "serrate/op.h"

namespace serrate::cpu::SERRATE_ISA {

template <Op>
struct Row;
// Named by the enumerator: a struct called sqrt would hide the function of that name inside its own
// body.
#define SERRATE_ELEMENTWISE(name, arity, accepted, result, flags, cost, floats, integers,          \
                            expression, ...)                                                       \
  template <>                                                                                      \
  struct Row<Op::name> {                                                                           \
    template <class X, class Y = X, class Z = X>                                                   \
    [[gnu::always_inline]] static inline auto of([[maybe_unused]] X x, [[maybe_unused]] Y y = Y(), \
                                                 [[maybe_unused]] Z z = Z()) {                     \
      return expression;                                                                           \
    }                                                                                              \
  };
#include "serrate/elementwise.def"

}  // namespace serrate::cpu::SERRATE_ISA
