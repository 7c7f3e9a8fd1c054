// The text for CUDA compiled by the host's compiler: a generated table for the tests.
#pragma once

#include "cuda/codegen/functions_cases.h"
#include "graph/ir.h"

namespace serrate::cuda {

/// in[k] points at n arguments k, out at n results.
using HostFunction = void (*)(const void* const* in, void* out, long long n);

struct HostOp {
  OpCase op;
  HostFunction run;
};
struct HostCast {
  CastCase cast;
  HostFunction run;
};
// sr_min or sr_max of two items.
struct HostReducer {
  Reducer reducer;
  DType type;
  HostFunction run;
};
const std::vector<HostOp>& host_ops();
const std::vector<HostCast>& host_casts();
const std::vector<HostReducer>& host_reducers();

}  // namespace serrate::cuda
