// The rows of the table for steps and loops: their expressions, with the functions that those call,
// and the types of items.
#pragma once

#include "cpu/isa/vec.h"
#include "cpu/isa/vec_math.h"

// Behind the functions that the expressions call: those of vectors are not looked up by argument.
#include "cpu/isa/expressions.h"

namespace serrate::cpu::SERRATE_ISA {

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
