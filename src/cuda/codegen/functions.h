// CUDA text for types, element-wise operations and casts, and the prelude that defines what they
// call.
//
// Results of one operation are the CPU's: to the bit where it is exact, else within the sum of both
// sides' errors (no fast-math; but products fuse with sums of them). CUDA documents, in
// ULP: float32 sin, cos, cosh, tanh, atan, exp, exp2, log10 2; sinh, asinh, atanh, atan2, hypot,
// acos 3; tan, asin, acosh 4; pow 8; cbrt, expm1, log, log2, log1p 1; float64 1 to 2. So
// elementwise.def's 3.5 ULP hold for its five float32 functions; its 1.0 ULP of the others are the
// CPU's alone.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cuda/codegen/code.h"
#include "serrate/dtype.h"
#include "serrate/op.h"

namespace serrate::cuda {

/// The C++ type of one value in a kernel: "bool", "signed char", ..., "half", "complex<float>";
/// times are "long long".
std::string_view type_text(DType t);
/// What a variable of this type uses of the prelude.
void use_type(Uses& uses, DType t);
/// A call like "sr::floor_divide(x, y)" or an expression like "(x + y)" for operands of these
/// types; what it gives has the type that resolve() says.
Text op_text(Op op, std::span<const DType> types, std::span<const Text> arguments);
Text cast_text(DType from, DType to, const Text& value);
/// The literal of a constant: only where a number is part of the structure; others are arguments.
Text literal(const Scalar& s);
/// The literal of no value.
Text zero(DType t);

}  // namespace serrate::cuda
