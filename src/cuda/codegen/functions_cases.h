// What the tests of CUDA text go through: every operation with the types it computes with, and
// every conversion.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cuda/codegen/functions.h"
#include "serrate/error.h"

namespace serrate::cuda {

struct OpCase {
  Op op;
  std::array<DType, 3> types;  // as many as the operation's arity count
  DType result;
};

inline std::vector<OpCase> op_cases() {
  std::vector<OpCase> cases;
  const auto add = [&](Op op, std::array<DType, 3> types) {
    const std::span args(types.data(), info(op).arity);
    try {
      const OpTypes r = resolve(op, args);
      for (size_t i = 0; i < args.size(); i++)
        if (r.compute[i] != args[i]) return;  // a conversion comes first
      cases.push_back({op, types, r.result});
    } catch (const TypeError&) {
      // Not defined for these.
    }
  };
  for (int o = 0; o < kOpCount; o++)
    for (int x = 0; x < kDTypeCount; x++)
      for (int y = 0; y < (info(Op(o)).arity == 2 ? kDTypeCount : 1); y++) {
        const DType tx = DType(x), ty = DType(y);
        if (Op(o) == Op::where)
          add(Op(o), {DType::boolean, tx, tx});
        else
          add(Op(o), {tx, ty, DType::boolean});
      }
  return cases;
}

struct CastCase {
  DType from, to;
};
inline std::vector<CastCase> cast_cases() {
  std::vector<CastCase> cases;
  for (int x = 0; x < kDTypeCount; x++)
    for (int y = 0; y < kDTypeCount; y++) cases.push_back({DType(x), DType(y)});
  return cases;
}

/// The expression, which also uses what its operands a, b, c and its result do.
inline Text op_expression(const OpCase& c) {
  const Text names[] = {"a", "b", "c"};
  const size_t arity = info(c.op).arity;
  Uses uses;
  for (size_t i = 0; i < arity; i++) use_type(uses, c.types[i]);
  use_type(uses, c.result);
  return op_text(c.op, {c.types.data(), arity}, {names, arity}) + Text("", uses);
}
inline Text cast_expression(const CastCase& c) {
  Uses uses;
  for (const DType t : {c.from, c.to}) use_type(uses, t);
  return cast_text(c.from, c.to, "a") + Text("", uses);
}

}  // namespace serrate::cuda
