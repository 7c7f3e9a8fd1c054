// Maths functions of one instruction set by their addresses, for code that is made at run time.
#include "cpu/isa/vec_math.h"
#include "serrate/function.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

template <class T>
Vec<T> spread(T x) {
  Vec<T> v;
  for (int i = 0; i < kLanes<T>; i++) v[i] = x;
  return v;
}

// Of one number: the first lane, so that what is left of a block has the bits that it has in it.
#define UNARY(name)            \
  template <class T>           \
  T one_##name(T x) {          \
    return name(spread(x))[0]; \
  }                            \
  template <class T>           \
  constexpr auto* kOf_##name = +[](Vec<T> x) { return name(x); };
#define BINARY(name)                      \
  template <class T>                      \
  T one_##name(T x, T y) {                \
    return name(spread(x), spread(y))[0]; \
  }                                       \
  template <class T>                      \
  constexpr auto* kOf_##name = +[](Vec<T> x, Vec<T> y) { return name(x, y); };

#define SERRATE_TRIGONOMETRIC(m) m(sin) m(cos) m(tan) m(asin) m(acos) m(atan)
#define SERRATE_HYPERBOLIC(m) m(sinh) m(cosh) m(tanh) m(asinh) m(acosh) m(atanh)
#define SERRATE_EXPONENTIAL(m) m(exp) m(exp2) m(expm1) m(log) m(log2) m(log10) m(log1p) m(cbrt)
#define SERRATE_UNARY(m) SERRATE_TRIGONOMETRIC(m) SERRATE_HYPERBOLIC(m) SERRATE_EXPONENTIAL(m)
#define SERRATE_BINARY(m) m(pow) m(atan2) m(hypot)
SERRATE_UNARY(UNARY)
SERRATE_BINARY(BINARY)
#undef UNARY
#undef BINARY

template <class F>
const void* address(F* f) {
  return reinterpret_cast<const void*>(f);
}

}  // namespace

VectorFunctions vector_functions() {
#define ROW(name, arity, T, dtype) \
  {#name, DType::dtype, arity, kLanes<T>, address(kOf_##name<T>), address(&one_##name<T>)},
#define UNARY(name) ROW(name, 1, double, float64) ROW(name, 1, float, float32)
#define BINARY(name) ROW(name, 2, double, float64) ROW(name, 2, float, float32)
  static const VectorFunction rows[] = {SERRATE_UNARY(UNARY) SERRATE_BINARY(BINARY)};
  return {rows, int(sizeof rows / sizeof rows[0])};
}

}  // namespace serrate::cpu::SERRATE_ISA
