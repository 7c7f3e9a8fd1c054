// Operations on complex64 and complex128: plain loops, compiled once for every instruction set.
#include <concepts>
#include <cstring>
#include <limits>

#include "cpu/complex_math.h"
#include "cpu/kernels.h"

namespace serrate::cpu {

namespace {

namespace m = complex_math;
using m::C;
using LoopFn = void (*)(const Instruction*, char* const*);

// A captureless lambda over one item or two becomes a step.
template <class T, class F>
void unary(const Instruction* ip, char* const* mem) {
  const C<T>* x = reinterpret_cast<const C<T>*>(mem[ip->a]);
  auto* out = reinterpret_cast<decltype(F()(*x))*>(mem[ip->out]);
  for (int i = 0; i < ip->items; i++) out[i] = F()(x[i]);
  return reinterpret_cast<LoopFn>(ip[1].run)(ip + 1, mem);
}
template <class T, class F>
void binary(const Instruction* ip, char* const* mem) {
  const C<T>*x = reinterpret_cast<const C<T>*>(mem[ip->a]),
        *y = reinterpret_cast<const C<T>*>(mem[ip->b]);
  auto* out = reinterpret_cast<decltype(F()(*x, *y))*>(mem[ip->out]);
  for (int i = 0; i < ip->items; i++) out[i] = F()(x[i], y[i]);
  return reinterpret_cast<LoopFn>(ip[1].run)(ip + 1, mem);
}
template <class T, class F>
Step step(F) {
  if constexpr (std::invocable<F, C<T>>)
    return reinterpret_cast<Step>(&unary<T, F>);
  else
    return reinterpret_cast<Step>(&binary<T, F>);
}

template <class T>
Step find(Op op) {
#define ONE(name, ...) \
  case Op::name:       \
    return step<T>([](C<T> x) { return __VA_ARGS__; });
#define TWO(name, ...) \
  case Op::name:       \
    return step<T>([](C<T> x, C<T> y) { return __VA_ARGS__; });
  switch (op) {
    TWO(add, x + y)
    TWO(subtract, x - y)
    TWO(multiply, m::multiply(x, y))
    TWO(divide, m::divide(x, y))
    TWO(power, m::power(x, y))
    TWO(float_power, m::power(x, y))
    ONE(negative, -x)
    ONE(absolute, std::hypot(x.real(), x.imag()))
    ONE(sign, m::sign(x))
    ONE(square, m::multiply(x, x))
    ONE(sqrt, std::sqrt(x))
    ONE(reciprocal, m::reciprocal(x))
    TWO(equal, x.real() == y.real() && x.imag() == y.imag())
    TWO(not_equal, x.real() != y.real() || x.imag() != y.imag())
    TWO(less, m::less(x, y))
    TWO(less_equal, m::less_equal(x, y))
    TWO(greater, m::less(y, x))
    TWO(greater_equal, m::less_equal(y, x))
    TWO(maximum, m::is_nan(x) || m::less_equal(y, x) ? x : y)
    TWO(minimum, m::is_nan(x) || m::less_equal(x, y) ? x : y)
    TWO(fmax, m::is_nan(y) || m::less_equal(y, x) ? x : y)
    TWO(fmin, m::is_nan(y) || m::less_equal(x, y) ? x : y)
    TWO(logical_and, x != T(0) && y != T(0))
    TWO(logical_or, x != T(0) || y != T(0))
    TWO(logical_xor, (x != T(0)) != (y != T(0)))
    ONE(logical_not, x == T(0))
    ONE(sin, std::sin(x))
    ONE(cos, std::cos(x))
    ONE(tan, std::tan(x))
    ONE(arcsin, std::asin(x))
    ONE(arccos, std::acos(x))
    ONE(arctan, std::atan(x))
    ONE(sinh, std::sinh(x))
    ONE(cosh, std::cosh(x))
    ONE(tanh, std::tanh(x))
    ONE(arcsinh, std::asinh(x))
    ONE(arccosh, std::acosh(x))
    ONE(arctanh, std::atanh(x))
    ONE(exp, std::exp(x))
    ONE(exp2, std::exp(x * T(0.693147180559945309417)))
    ONE(expm1, m::expm1(x))
    ONE(log, std::log(x))
    ONE(log2, std::log(x) * T(1.44269504088896340736))
    ONE(log10, std::log(x) * T(0.434294481903251827651))
    ONE(log1p, m::log1p(x))
    ONE(rint, C<T>(std::rint(x.real()), std::rint(x.imag())))
    ONE(isnan, m::is_nan(x))
    ONE(isinf, std::isinf(x.real()) || std::isinf(x.imag()))
    ONE(isfinite, std::isfinite(x.real()) && std::isfinite(x.imag()))
    ONE(conjugate, std::conj(x))
    ONE(real, x.real())
    ONE(imag, x.imag())
    ONE(angle, std::atan2(x.imag(), x.real()))
    default:
      return nullptr;
  }
#undef ONE
#undef TWO
}

template <class From, class To>
void to_complex(const Instruction* ip, char* const* mem) {
  const From* x = reinterpret_cast<const From*>(mem[ip->a]);
  To* out = reinterpret_cast<To*>(mem[ip->out]);
  for (int i = 0; i < ip->items; i++) {
    if constexpr (std::is_same_v<From, C<float>> || std::is_same_v<From, C<double>>)
      out[i] = To(x[i]);
    else
      out[i] = To(static_cast<typename To::value_type>(x[i]));
  }
  return reinterpret_cast<LoopFn>(ip[1].run)(ip + 1, mem);
}
template <class T>
void is_true(const Instruction* ip, char* const* mem) {
  const C<T>* x = reinterpret_cast<const C<T>*>(mem[ip->a]);
  bool* out = reinterpret_cast<bool*>(mem[ip->out]);
  for (int i = 0; i < ip->items; i++) out[i] = x[i] != T(0);
  return reinterpret_cast<LoopFn>(ip[1].run)(ip + 1, mem);
}

template <class To>
Step cast_to(DType from) {
#define FROM(name, T) \
  case DType::name:   \
    return reinterpret_cast<Step>(&to_complex<T, To>);
  switch (from) {
    FROM(boolean, bool)
    FROM(int8, int8_t)
    FROM(int16, int16_t)
    FROM(int32, int32_t)
    FROM(int64, int64_t)
    FROM(uint8, uint8_t)
    FROM(uint16, uint16_t)
    FROM(uint32, uint32_t)
    FROM(uint64, uint64_t)
    FROM(float32, float)
    FROM(float64, double)
    FROM(complex64, C<float>)
    FROM(complex128, C<double>)
    default:
      return nullptr;
  }
#undef FROM
}

}  // namespace

Step complex_loop(Op op, DType type) {
  return type == DType::complex64 ? find<float>(op) : find<double>(op);
}

Step generic_cast(DType from, DType to) {
  if (to == DType::complex64) return cast_to<C<float>>(from);
  if (to == DType::complex128) return cast_to<C<double>>(from);
  if (to == DType::boolean && from == DType::complex64)
    return reinterpret_cast<Step>(&is_true<float>);
  if (to == DType::boolean && from == DType::complex128)
    return reinterpret_cast<Step>(&is_true<double>);
  return nullptr;
}

}  // namespace serrate::cpu
