// The rows of the table for steps and loops: their expressions, with the functions that those call,
// and the types of items.
#pragma once

#include <array>
#include <limits>

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

/// What is made of each row, in the order of the table: make.operator()<O>().
template <class R, class F>
std::array<R, kOpCount> of_each_row(F make) {
  return [&]<size_t... O>(std::index_sequence<O...>) {
    return std::array<R, kOpCount>{make.template operator()<Op(O)>()...};
  }
  (std::make_index_sequence<kOpCount>());
}

// -- datetime64 and timedelta64: integers of which the lowest, NaT, spreads as NaN does

using Ticks = Vec<int64_t>;

/// Rows whose operands and results are times, or truths of times.
constexpr bool has_time_steps(Op op) {
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::negative:
    case Op::absolute:
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::maximum:
    case Op::minimum:
    case Op::fmax:
    case Op::fmin:
    case Op::isnan:
    case Op::isnat:
    case Op::isfinite:
      return true;
    default:
      return false;
  }
}

/// What the table's expressions give for items of time64 (core/math/times.h), of vectors.
template <Op O>
struct TimeRow {
  static constexpr int64_t kNat = std::numeric_limits<int64_t>::min();
  [[gnu::always_inline]] static Ticks wrapped(Vec<uint64_t> x) { return (Ticks)x; }

  [[gnu::always_inline]] static auto of(Ticks x) {
    if constexpr (O == Op::isnan || O == Op::isnat) return x == kNat;
    if constexpr (O == Op::isfinite) return x != kNat;
    const Ticks minus = wrapped(Vec<uint64_t>{} - (Vec<uint64_t>)x);  // of NaT: NaT
    if constexpr (O == Op::absolute) return x < 0 ? minus : x;
    if constexpr (O == Op::negative) return minus;
  }

  [[gnu::always_inline]] static auto of(Ticks x, Ticks y) {
    // NaT is the lowest: where it is not on the side that must be less, integers are compared.
    if constexpr (O == Op::equal) return (x == y) & (x != kNat);
    if constexpr (O == Op::not_equal) return (x != y) | (x == kNat);
    if constexpr (O == Op::less) return (x < y) & (x != kNat);
    if constexpr (O == Op::less_equal) return (x <= y) & (x != kNat);
    if constexpr (O == Op::greater) return (x > y) & (y != kNat);
    if constexpr (O == Op::greater_equal) return (x >= y) & (y != kNat);
    const Ticks lower = x < y ? x : y, higher = x < y ? y : x;
    if constexpr (O == Op::minimum) return lower;
    if constexpr (O == Op::fmax) return higher;
    if constexpr (O == Op::maximum) return lower == kNat ? lower : higher;
    if constexpr (O == Op::fmin) return lower == kNat ? higher : lower;
    const auto a = (Vec<uint64_t>)x, b = (Vec<uint64_t>)y;
    if constexpr (O == Op::add) return lower == kNat ? lower : wrapped(a + b);
    if constexpr (O == Op::subtract) return lower == kNat ? lower : wrapped(a - b);
  }
};

}  // namespace serrate::cpu::SERRATE_ISA
