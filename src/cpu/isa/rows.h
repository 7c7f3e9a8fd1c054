// The table's expressions as functions of vectors and of scalars, for one instruction set.
#pragma once

#include "cpu/isa/vec.h"
#include "cpu/isa/vec_math.h"

namespace serrate::cpu::SERRATE_ISA {

template <Op>
struct Row;
// Named by the enumerator: a struct called sqrt would hide the function of that name inside its own
// body.
#define SERRATE_ELEMENTWISE(name, arity, accepted, result, cost, expression, ...)                  \
  template <>                                                                                      \
  struct Row<Op::name> {                                                                           \
    template <class X, class Y = X, class Z = X>                                                   \
    [[gnu::always_inline]] static inline auto of([[maybe_unused]] X x, [[maybe_unused]] Y y = Y(), \
                                                 [[maybe_unused]] Z z = Z()) {                     \
      return expression;                                                                           \
    }                                                                                              \
  };
#include "serrate/elementwise.def"

/// What a row gives for items of T.
template <Op O, class T>
using OutOf = std::conditional_t<
    info(O).result == ResultRule::boolean, bool,
    std::conditional_t<info(O).result == ResultRule::byte, uint8_t,
                       std::conditional_t<info(O).result == ResultRule::exponent, int32_t, T>>>;
/// The second argument of a row.
template <Op O, class T>
using SecondOf = std::conditional_t<O == Op::ldexp, int32_t, T>;

}  // namespace serrate::cpu::SERRATE_ISA
