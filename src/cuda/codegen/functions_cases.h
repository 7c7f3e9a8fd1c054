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

inline std::string op_expression(const OpCase& c) {
  const std::string_view names[] = {"a", "b", "c"};
  const size_t arity = info(c.op).arity;
  std::string out;
  append_op(out, c.op, {c.types.data(), arity}, {names, arity});
  return out;
}
inline std::string cast_expression(const CastCase& c) {
  std::string out;
  append_cast(out, c.from, c.to, "a");
  return out;
}

}  // namespace serrate::cuda
