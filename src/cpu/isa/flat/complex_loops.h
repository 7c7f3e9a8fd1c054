// Inner loops of the table's rows of complex numbers, and steps of programs that run them: what a
// step gives and what a loop gives are the same by construction.
#pragma once

#include "cpu/isa/flat/complex.h"
#include "cpu/isa/flat/inner_loops.h"
#include "cpu/isa/steps/steps.h"

namespace serrate::cpu::SERRATE_ISA {

/// Which rows have loops in registers: those that real numbers have without a call, and a few that
/// are nothing of real numbers.
template <Op O, class T>
constexpr bool is_in_registers() {
  if (!(info(O).accepts & kAcceptsComplex) || O == Op::sqrt) return false;
  if (O == Op::absolute) return false;  // never computed: it is hypot of both parts
  // By the length that C's hypot gives, of which float64 has none in registers.
  if (O == Op::sign && sizeof(T) == 8) return false;
  return O == Op::conjugate || O == Op::real || O == Op::imag || info(O).floats == Way::cheap ||
         info(O).floats == Way::loop;
}

/// What is done to real and imaginary parts alike.
template <Op O>
inline constexpr bool kByParts =
    O == Op::add || O == Op::subtract || O == Op::negative || O == Op::rint || O == Op::conjugate;

template <Op O, class T, Operands F>
struct ComplexLoop {
  static constexpr int64_t kRegisters = sizeof(T);  // of either part, in a step
  static constexpr bool kHasFirst = F != Operands::first_is_one;
  static constexpr bool kHasSecond = F == Operands::arrays && info(O).arity == 2;

  /// The row's expression, but for its choices by C's operator, which wants registers.
  SERRATE_INLINE static auto of(Complex<T> x, Complex<T> y) {
    if constexpr (O == Op::maximum)
      return chosen((x > y) | (x != x), x, y);
    else if constexpr (O == Op::minimum)
      return chosen((x < y) | (x != x), x, y);
    else if constexpr (O == Op::fmax)
      return chosen((x >= y) | (y != y), x, y);
    else if constexpr (O == Op::fmin)
      return chosen((x <= y) | (y != y), x, y);
    else if constexpr (info(O).arity == 1)
      return Row<O>::of(x);
    else
      return Row<O>::of(x, y);
  }

  /// Numbers x and y on, or the one that all have.
  template <Lanes lanes>
  SERRATE_INLINE static auto result(const char* x, const char* y, Complex<T> one) {
    if constexpr (F == Operands::first_is_one)
      return of(one, load_complex<T, lanes>(y));
    else if constexpr (kHasSecond)
      return of(load_complex<T, lanes>(x), load_complex<T, lanes>(y));
    else
      return of(load_complex<T, lanes>(x), one);
  }
  /// Of a register of pairs.
  SERRATE_INLINE static Vec<T> parts(const char* x, const char* y, Vec<T> one) {
    if constexpr (O == Op::conjugate)
      return (Vec<T>)((MaskOf<T>)load<T>(x) ^ (MaskOf<T>)one);
    else if constexpr (info(O).arity == 1)
      return Row<O>::of(load<T>(x));
    else
      return Row<O>::of(kHasFirst ? load<T>(x) : one, kHasSecond || !kHasFirst ? load<T>(y) : one);
  }
  /// A number again and again; of conjugate the signs of imaginary parts.
  static Vec<T> pairs(const char* p) {
    T pair[2] = {0, -T(0)};
    if (p != nullptr) memcpy(pair, p, sizeof pair);
    Vec<T> all = {};
    for (int i = 0; i < kLanes<T>; i++) all[i] = pair[i % 2];
    return all;
  }

  template <size_t... R>
  SERRATE_INLINE static Vec<uint8_t> bytes(const char* x, const char* y, Complex<T> one,
                                           std::index_sequence<R...>) {
    const MaskOf<T> masks[] = {
        result<Lanes::in_order>(x + 2 * R * kBytes, y + 2 * R * kBytes, one)...};
    return bytes_of(masks[R]...);
  }

  static void run(const char* x, const char* y, char* out, int64_t steps) {
    const char* single = F == Operands::first_is_one    ? x
                         : F == Operands::second_is_one ? y
                                                        : nullptr;
    if constexpr (kByParts<O>) {
      const Vec<T> one = pairs(single);
      for (int64_t i = 0, end = 2 * kRegisters * steps * kBytes; i < end; i += kBytes)
        save(out + i, parts(x + i, y + i, one));
    } else {
      const Complex<T> one = single != nullptr ? splat_complex<T>(single) : Complex<T>{};
      whole(x, y, out, steps, one);
    }
  }

  SERRATE_INLINE static void whole(const char* x, const char* y, char* out, int64_t steps,
                                   Complex<T> one) {
    constexpr int64_t kPair = 2 * int64_t{kBytes};
    if constexpr (info(O).result == ResultRule::boolean) {
      for (; steps > 0; steps--, out += kItems) {
        save(out, bytes(x, y, one, Registers<T>()));
        x += kRegisters * kPair, y += kRegisters * kPair;
      }
    } else if constexpr (info(O).result == ResultRule::real) {
      for (int64_t i = 0; i < kRegisters * steps; i++)
        save(out + i * kBytes, result<Lanes::in_order>(x + i * kPair, y + i * kPair, one));
    } else {
      for (int64_t i = 0, end = kRegisters * steps * kPair; i < end; i += kPair)
        save_complex<T>(out + i, result<Lanes::by_seams>(x + i, y + i, one));
    }
  }
};

/// By one exponent: small whole ones multiply.
template <Op O, class T>
struct ComplexPower {
  static void run(const char* x, const char* second, char* out, int64_t steps) {
    T y[2];
    memcpy(y, second, sizeof y);
    const bool is_whole = y[1] == 0 && y[0] > -100 && y[0] < 100 && y[0] == T(int(y[0]));
    if (!is_whole || y[0] == 0) return general(x, second, out, steps);
    const int exponent = int(y[0]);
    const Vec<T> at_zero = Vec<T>{} + (exponent > 0 ? T(0) : std::numeric_limits<T>::quiet_NaN());
    constexpr int64_t kPair = 2 * int64_t{kBytes};
    for (int64_t i = 0, end = int64_t{sizeof(T)} * steps * kPair; i < end; i += kPair) {
      const Complex<T> v = load_complex<T>(x + i);
      const Complex<T> r = exponent == 1 ? v : to_whole_power(v, exponent);
      save_complex<T>(out + i, chosen(v == 0, {at_zero, at_zero}, r));
    }
  }
  /// The loop of one item at a time, whose exponents are in memory.
  static void general(const char* x, const char* second, char* out, int64_t steps) {
    constexpr DType t = sizeof(T) == 8 ? DType::complex128 : DType::complex64;
    constexpr size_t kSize = 2 * sizeof(T);
    alignas(64) char exponents[kItems * kSize];
    for (size_t i = 0; i < kItems; i++) memcpy(exponents + i * kSize, second, kSize);
    const LoopFn end = [](const Instruction*, char* const*) {};
    Instruction code[2] = {};
    code[0].run = complex_loop(O, t);
    code[0].a = 0, code[0].b = 1, code[0].out = 2;
    code[0].items = kItems;
    code[1].run = as_step(end);
    for (; steps > 0; steps--, x += kItems * kSize, out += kItems * kSize) {
      char* mem[] = {const_cast<char*>(x), exponents, out};
      reinterpret_cast<LoopFn>(code[0].run)(code, mem);
    }
  }
};

template <Op O, class T>
constexpr LoopRow complex_loop_row() {
  LoopRow r = {};
  if constexpr (is_in_registers<O, T>()) {
    r.of[0] = &ComplexLoop<O, T, Operands::arrays>::run;
    if constexpr (info(O).arity == 2) {
      r.of[1] = &ComplexLoop<O, T, Operands::second_is_one>::run;
      r.of[2] = &ComplexLoop<O, T, Operands::first_is_one>::run;
    }
  }
  if constexpr (O == Op::power || O == Op::float_power) r.of[1] = &ComplexPower<O, T>::run;
  return r;
}

/// A step of a program.
template <Op O, class T, Operands F>
void complex_step(const Instruction* ip, char* const* mem) {
  constexpr StepsLoop run = complex_loop_row<O, T>().of[int(F)];
  run(mem[ip->a], mem[ip->b], mem[ip->out], 1);
  return next_loop(ip, mem);
}

template <Op O, class T>
OpSteps complex_op_steps() {
  constexpr LoopRow row = complex_loop_row<O, T>();
  OpSteps s = {};
  if constexpr (row.of[0] != nullptr) s.loop = as_step(&complex_step<O, T, Operands::arrays>);
  if constexpr (row.of[1] != nullptr)
    s.loop_one = as_step(&complex_step<O, T, Operands::second_is_one>);
  return s;
}

/// The kOpCount rows of a type.
template <class T>
const LoopRow* complex_loop_rows() {
  static const auto rows = of_each_row<LoopRow>([]<Op O>() { return complex_loop_row<O, T>(); });
  return rows.data();
}
template <class T>
const OpSteps* complex_op_rows() {
  static const auto rows = of_each_row<OpSteps>([]<Op O>() { return complex_op_steps<O, T>(); });
  return rows.data();
}

}  // namespace serrate::cpu::SERRATE_ISA
