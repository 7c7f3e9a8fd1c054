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

/// Properties of an operation, as bits; elementwise.def explains them.
enum OpFlags : uint16_t {
  kCommutative = 1,
  kAssociative = 2,
  kCompares = 4,
  kWraps = 8,
  kNumeric = 16,
  kBoolOr = 32,
  kBoolAnd = 64,
  kBoolXor = 128,
  kBoolNot = 256,
  kKeepsAll = 512,
  kKeepsReal = 1024,
  kKeepsIntegers = 2048,
  kKeepsUnsigned = 4096,
  kOwnHalf = 8192,
};

/// How the CPU's SIMD steps do an operation.
enum class Way : uint8_t { none, cheap, dear, loop };

/// One row of the table.
struct OpInfo {
  std::string_view name;
  std::string_view numpy_name;
  std::string_view doc;
  std::string_view expression;  // of x, y, z; C++ and CUDA text
  uint8_t arity;
  uint8_t accepts;  // Accepts, or-ed
  ResultRule result;
  uint16_t flags;  // OpFlags, or-ed
  uint16_t cost;   // in float64 additions
  Way floats, integers;
};

/// The table, in the order of Op.
inline constexpr auto kOps = [] {
  [[maybe_unused]] constexpr uint8_t B = kAcceptsBool, I = kAcceptsInteger, F = kAcceptsFloating,
                                     C = kAcceptsComplex, D = kAcceptsDatetime,
                                     T = kAcceptsTimedelta;
  [[maybe_unused]] constexpr uint16_t commutative = kCommutative, associative = kAssociative,
                                      compares = kCompares, wraps = kWraps, numeric = kNumeric,
                                      bool_or = kBoolOr, bool_and = kBoolAnd, bool_xor = kBoolXor,
                                      bool_not = kBoolNot, keeps_all = kKeepsAll,
                                      keeps_real = kKeepsReal, keeps_integers = kKeepsIntegers,
                                      keeps_unsigned = kKeepsUnsigned, own_half = kOwnHalf;
  struct Table {
    OpInfo rows[1
#define SERRATE_ELEMENTWISE(...) +1
#include "serrate/elementwise.def"
                - 1];
  };
  return Table{{
#define SERRATE_ELEMENTWISE(name, arity, accepted, result, flags, cost, floats, integers, \
                            expression, numpy, doc)                                       \
  {                                                                                       \
      #name,                                                                              \
      numpy,                                                                              \
      doc,                                                                                \
      #expression,                                                                        \
      arity,                                                                              \
      uint8_t(accepted),                                                                  \
      ResultRule::result,                                                                 \
      uint16_t(flags),                                                                    \
      cost,                                                                               \
      Way::floats,                                                                        \
      Way::integers},
#include "serrate/elementwise.def"
  }};
}();
inline constexpr int kOpCount = sizeof(kOps.rows) / sizeof(OpInfo);

/// The row of an operation: info(Op::add).arity == 2.
constexpr const OpInfo& info(Op op) { return kOps.rows[static_cast<int>(op)]; }

/// Does it compute natively with values of this type?
constexpr bool accepts(Op op, DType t) {
  const uint8_t kind = t == DType::boolean      ? kAcceptsBool
                       : is_integer(t)          ? kAcceptsInteger
                       : is_floating(t)         ? kAcceptsFloating
                       : is_complex(t)          ? kAcceptsComplex
                       : t == DType::datetime64 ? kAcceptsDatetime
                                                : kAcceptsTimedelta;
  return info(op).accepts & kind;
}

/// Does it give its argument as it is?
constexpr bool keeps(Op op, DType t) {
  const uint16_t flags = info(op).flags;
  const bool whole = t <= DType::uint64,
             is_unsigned = t == DType::boolean || is_unsigned_integer(t);
  return (flags & kKeepsAll) || ((flags & kKeepsReal) && (whole || is_floating(t))) ||
         ((flags & kKeepsIntegers) && whole) || ((flags & kKeepsUnsigned) && is_unsigned);
}

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
