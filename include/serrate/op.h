// The element-wise operations as data: the enumerator, one constexpr row per operation, and NumPy's
// type rule.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "serrate/dtype.h"

namespace serrate {

/// One element-wise operation. The enumerators are the names in elementwise.def.
enum class Op : uint16_t {
#define SERRATE_ELEMENTWISE(name, ...) name,
#include "serrate/elementwise.def"
};

/// Kinds of element types an operation computes natively, as bits.
enum Accepts : uint8_t {
  kAcceptsBool = 1,
  kAcceptsInteger = 2,
  kAcceptsFloating = 4,
  kAcceptsComplex = 8,
  kAcceptsDatetime = 16,
  kAcceptsTimedelta = 32
};

/// What an operation gives: the computed type, bool, the computed type with complex replaced by its
/// parts' type, uint8 (a number of bits), or int32 (a binary exponent).
enum class ResultRule : uint8_t { same, boolean, real, byte, exponent };

enum OpFlags : uint8_t {
  kCommutative = 1,  // op(x, y) is op(y, x), bit for bit (but for which NaN or zero is returned)
  kCompares = 2,     // an order or equality test of two values
  kWraps = 4,        // signed integers give the bits that unsigned ones give
};

/// One row of the table.
struct OpInfo {
  std::string_view name;
  std::string_view numpy_name;
  std::string_view doc;
  std::string_view expression;  // of x, y, z; C++ and CUDA text
  uint8_t arity;
  uint8_t accepts;  // Accepts, or-ed
  ResultRule result;
  uint8_t flags;  // OpFlags, or-ed
  uint16_t cost;  // in float64 additions
};

namespace detail {
constexpr uint8_t op_flags(Op op) {
  switch (op) {
    case Op::add:
    case Op::multiply:
      return kCommutative | kWraps;
    case Op::subtract:
    case Op::negative:
    case Op::square:
    case Op::positive:
      return kWraps;
    case Op::equal:
    case Op::not_equal:
      return kCommutative | kCompares | kWraps;
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return kCompares;
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
      return kCommutative | kWraps;
    case Op::invert:
    case Op::logical_not:
      return kWraps;
    case Op::maximum:
    case Op::minimum:
    case Op::fmax:
    case Op::fmin:
    case Op::hypot:
    case Op::gcd:
    case Op::lcm:
      return kCommutative;
    default:
      return 0;
  }
}
}  // namespace detail

/// The table, in the order of Op.
inline constexpr auto kOps = [] {
  constexpr uint8_t B = kAcceptsBool, I = kAcceptsInteger, F = kAcceptsFloating,
                    C = kAcceptsComplex, D = kAcceptsDatetime, T = kAcceptsTimedelta;
  struct Table {
    OpInfo rows[1
#define SERRATE_ELEMENTWISE(...) +1
#include "serrate/elementwise.def"
                - 1];
  };
  (void)B, (void)I, (void)F, (void)C, (void)D, (void)T;
  return Table{{
#define SERRATE_ELEMENTWISE(name, arity, accepted, result, cost, expression, numpy, doc) \
  {#name,                                                                                \
   numpy,                                                                                \
   doc,                                                                                  \
   #expression,                                                                          \
   arity,                                                                                \
   uint8_t(accepted),                                                                    \
   ResultRule::result,                                                                   \
   detail::op_flags(Op::name),                                                           \
   cost},
#include "serrate/elementwise.def"
  }};
}();
inline constexpr int kOpCount = sizeof(kOps.rows) / sizeof(OpInfo);

/// The row of an operation: info(Op::add).arity == 2.
constexpr const OpInfo& info(Op op) { return kOps.rows[static_cast<int>(op)]; }

/// The types one application computes with. Arguments convert to compute[i] first; compute[i] past
/// the arity is boolean and means nothing.
struct OpTypes {
  DType compute[3];
  DType result;
  bool operator==(const OpTypes&) const = default;
};

/// NumPy 2's type resolution: resolve(Op::sqrt, {int8}) is {float16} -> float16. Throws TypeError
/// where NumPy does. The units of times are the caller's: both arguments of add, compare, ... must
/// already have the same one.
OpTypes resolve(Op op, std::span<const DType> args);

/// The type an operation gives for arguments that already have the compute types.
DType result_type(Op op, std::span<const DType> compute);

}  // namespace serrate
