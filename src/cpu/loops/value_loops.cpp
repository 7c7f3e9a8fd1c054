// Operations on complex numbers and on times: the table's expressions on the types of
// core/math/complex.h and core/math/times.h, which kernels use too. Plain loops, one item after the
// other.
#define SERRATE_ISA values
#include "cpu/isa/rows.h"

namespace serrate::cpu {

namespace values {

namespace sr = values;  // as the texts call the namespace of what stands before them

// Each uses what stands before it.
// clang-format off
#include "core/math/real.h"
#include "core/math/complex.h"
#include "core/math/complex_math.h"
#include "core/math/complex_trig.h"
#include "core/math/times.h"
// clang-format on

}  // namespace values

namespace {

using namespace values;  // NOLINT

/// What a row gives, as it is stored.
template <Op O, class... X>
using Stored =
    std::conditional_t<info(O).result == ResultRule::boolean, bool, decltype(Row<O>::of(X()...))>;

template <Op O, class X>
void unary(const Instruction* ip, char* const* mem) {
  const X* x = reinterpret_cast<const X*>(mem[ip->a]);
  auto* out = reinterpret_cast<Stored<O, X>*>(mem[ip->out]);
  for (int i = 0; i < ip->items; i++) out[i] = Stored<O, X>(Row<O>::of(x[i]));
  return next_loop(ip, mem);
}
template <Op O, class X, class Y>
void binary(const Instruction* ip, char* const* mem) {
  const X* x = reinterpret_cast<const X*>(mem[ip->a]);
  const Y* y = reinterpret_cast<const Y*>(mem[ip->b]);
  auto* out = reinterpret_cast<Stored<O, X, Y>*>(mem[ip->out]);
  for (int i = 0; i < ip->items; i++) out[i] = Stored<O, X, Y>(Row<O>::of(x[i], y[i]));
  return next_loop(ip, mem);
}

/// The loop of a row, on values of one type.
template <Op O, class T>
Step row_step() {
  if constexpr (info(O).arity == 1) return as_step(&unary<O, T>);
  if constexpr (info(O).arity == 2) return as_step(&binary<O, T, T>);
  return nullptr;
}

/// Calls find<O>() of this operation, if it accepts one of these kinds.
template <uint8_t kinds, class F>
Step of_row(Op op, F find) {
  return [&]<size_t... O>(std::index_sequence<O...>) {
    Step found = nullptr;
    const auto look = [&]<Op R>() {
      if constexpr ((info(R).accepts & kinds) != 0)
        if (op == R) found = find.template operator()<R>();
    };
    (look.template operator()<Op(O)>(), ...);
    return found;
  }
  (std::make_index_sequence<kOpCount>());
}

// Numbers that times are multiplied with and divided by.
template <Op O, bool reversed = false>
Step by_number(DType number) {
  using X = std::conditional_t<reversed, long long, time64>;
  using Y = std::conditional_t<reversed, time64, long long>;
  using U = std::conditional_t<reversed, double, time64>;
  using V = std::conditional_t<reversed, time64, double>;
  return number == DType::float64 ? as_step(&binary<O, U, V>) : as_step(&binary<O, X, Y>);
}

}  // namespace

Step complex_loop(Op op, DType type) {
  return of_row<kAcceptsComplex>(op, [type]<Op O>() {
    return type == DType::complex64 ? row_step<O, complex<float>>()
                                    : row_step<O, complex<double>>();
  });
}

Step time_loop(Op op, DType first, DType second) {
  return of_row<kAcceptsDatetime | kAcceptsTimedelta>(op, [=]<Op O>() -> Step {
    if constexpr (O == Op::multiply)
      return is_time(first) ? by_number<O>(second) : by_number<O, true>(first);
    if constexpr (O == Op::divide || O == Op::floor_divide)
      if (!is_time(second)) return by_number<O>(second);
    if constexpr (O != Op::multiply) return row_step<O, time64>();
  });
}

}  // namespace serrate::cpu
