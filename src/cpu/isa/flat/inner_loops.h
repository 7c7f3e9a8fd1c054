// Inner loops of the table's rows: the expressions of steps, from memory to memory.
#pragma once

#include <array>

#include "cpu/isa/masks.h"
#include "cpu/isa/rows.h"
#include "cpu/isa/steps/bit_counts.h"
#include "cpu/isa/steps/by_each.h"
#include "cpu/isa/steps/by_scalar.h"
#include "cpu/program/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

/// The expression Of::of() of what x and y read, or of the one that all have.
template <Op O, Operands F, class Of, class V, class X, class Y>
[[gnu::always_inline]] inline auto of_operands(X x, Y y, [[maybe_unused]] V one) {
  if constexpr (F == Operands::first_is_one)
    return Of::of(one, y());
  else if constexpr (F == Operands::second_is_one)
    return Of::of(x(), one);
  else if constexpr (info(O).arity == 1)
    return Of::of(x());
  else
    return Of::of(x(), y());
}

/// As many items as a step has at a time, in registers: bit by bit what the steps give.
/// The row's expression is Of::of().
template <Op O, class T, Operands F, class Of = Row<O>, class R = Registers<T>>
struct LoopOf;
template <Op O, class T, Operands F, class Of, size_t... R>
struct LoopOf<O, T, F, Of, std::index_sequence<R...>> {
  [[gnu::always_inline]] static auto result(const char* x, const char* y, Vec<T> one) {
    return of_operands<O, F, Of>([&] { return load<T>(x); }, [&] { return load<T>(y); }, one);
  }
  static void run(const char* x, const char* y, char* out, int64_t steps) {
    Vec<T> one = {};
    if constexpr (F == Operands::first_is_one) one = splat<T>(x);
    if constexpr (F == Operands::second_is_one) one = splat<T>(y);
    constexpr int64_t kStep = int64_t{kBytes} * int64_t{sizeof(T)};
    for (; steps > 0; steps--, x += kStep, y += kStep) {
      if constexpr (info(O).result == ResultRule::boolean) {
        // In braces they are read in order: arguments would be from the last to the first, which
        // the processor does not fetch ahead as well.
        const decltype(result(x, y, one)) masks[] = {
            result(x + R * kBytes, y + R * kBytes, one)...};
        save(out, bytes_of(masks[R]...));
        out += kItems;
      } else {
        (save(out + R * kBytes, (Vec<T>)result(x + R * kBytes, y + R * kBytes, one)), ...);
        out += kStep;
      }
    }
  }
};

/// Up to which size of x steps of their own do, without a look at each register; 0: of any size.
template <Op O, class T>
inline constexpr T kMostOf = 0;
template <Op O, class T>
[[gnu::always_inline]] inline Vec<T> up_to_most(Vec<T> x) {
  return x;
}
#if defined(__AVX512F__)
template <>
inline constexpr double kMostOf<Op::tan, double> = tables::kTanMost;
template <>
inline constexpr float kMostOf<Op::tan, float> = single::kTanMost;
template <>
[[gnu::always_inline]] inline Vec<double> up_to_most<Op::tan, double>(Vec<double> x) {
  return tables::tan(x);
}
template <>
[[gnu::always_inline]] inline Vec<float> up_to_most<Op::tan, float>(Vec<float> x) {
  return single::tan(x);
}
#endif

/// Maths functions, four registers at a time: what they call is compiled into the loop, where the
/// steps of one register fill the waits of another's, and coefficients stay in registers.
template <Op O, class T, Operands F>
[[gnu::flatten]] void function_loop(const char* x, const char* y, char* out, int64_t steps) {
  constexpr int kOnce = 4;
  static_assert(sizeof(T) % kOnce == 0);
  Vec<T> one = {};
  if constexpr (F == Operands::first_is_one) one = splat<T>(x);
  if constexpr (F == Operands::second_is_one) one = splat<T>(y);
  for (int64_t end = steps * int64_t{kBytes} * int64_t{sizeof(T)}, i = 0; i < end;
       i += kOnce * kBytes) {
    Vec<T> r[kOnce];
    if constexpr (kMostOf<O, T> != 0) {
      auto large = Vec<T>{} > Vec<T>{};
      for (int k = 0; k < kOnce; k++) {
        const Vec<T> v = load<T>(x + i + k * kBytes);
        large |= absolute(v) > kMostOf<O, T>;
        r[k] = up_to_most<O, T>(v);
      }
      if (any(large)) [[unlikely]]
        for (int k = 0; k < kOnce; k++) r[k] = Row<O>::of(load<T>(x + i + k * kBytes));
    } else {
      for (int k = 0; k < kOnce; k++)
        r[k] = LoopOf<O, T, F>::result(x + i + k * kBytes, y + i + k * kBytes, one);
    }
    for (int k = 0; k < kOnce; k++) save(out + i + k * kBytes, r[k]);
  }
}

/// What steps leave to the compiler, too.
template <Op O, class T, Operands F>
void item_loop(const char* from, const char* second, char* to, int64_t steps) {
  const T* x = reinterpret_cast<const T*>(from);
  [[maybe_unused]] const T* y = reinterpret_cast<const T*>(second);
  auto* out = reinterpret_cast<OutOf<O, T>*>(to);
  [[maybe_unused]] T one = {};
  if constexpr (F != Operands::arrays)
    memcpy(&one, F == Operands::first_is_one ? from : second, sizeof one);
#pragma GCC ivdep
  for (int64_t i = 0; i < steps * kItems; i++) {
    if constexpr (F == Operands::first_is_one)
      out[i] = OutOf<O, T>(Row<O>::of(one, y[i]));
    else if constexpr (F == Operands::second_is_one)
      out[i] = OutOf<O, T>(Row<O>::of(x[i], one));
    else if constexpr (info(O).arity == 1)
      out[i] = OutOf<O, T>(Row<O>::of(x[i]));
    else
      out[i] = OutOf<O, T>(Row<O>::of(x[i], y[i]));
  }
}

/// By one number that is known when a block begins, see by_scalar.h.
template <Op O, class T>
struct ByScalar {
  static constexpr int64_t kRegisters = sizeof(T);  // of a step

  template <class F>
  [[gnu::always_inline]] static void each(const char* x, char* out, int64_t steps, F f) {
    for (int64_t i = 0; i < steps * kRegisters; i++)
      save(out + i * kBytes, (Vec<T>)f(load<T>(x + i * kBytes)));
  }
  static void powers_of_floats(const char* x, T y, char* out, int64_t steps) {
    if (y == 2) return each(x, out, steps, [](auto v) { return v * v; });
    if (y == T(0.5)) return each(x, out, steps, [](auto v) { return square_root(v); });
    if (y == -1) return each(x, out, steps, [](auto v) { return 1 / v; });
    if (y == 1) return each(x, out, steps, [](auto v) { return v; });
    if (y == 0) return each(x, out, steps, [](auto) { return 1 - Vec<T>{}; });
    if constexpr (kHasFma)
      if (y == 3) return each(x, out, steps, [](auto v) { return cubed(v); });
    const char* exponent = reinterpret_cast<const char*>(&y);
    function_loop<O, T, Operands::second_is_one>(x, exponent, out, steps);
  }
  static void run(const char* x, const char* second, char* out, int64_t steps) {
    T y;
    memcpy(&y, second, sizeof y);
    if constexpr (std::is_floating_point_v<T>)
      powers_of_floats(x, y, out, steps);
    else
      integers_by<O>(reinterpret_cast<const T*>(x), y, reinterpret_cast<T*>(out), steps * kItems);
  }
};

/// Shifts by one number, of registers: of 8 bits the compiler has none in its own loops.
template <Op O, class T>
void shift_loop(const char* x, const char* second, char* out, int64_t steps) {
  std::make_unsigned_t<T> y;
  memcpy(&y, second, sizeof y);
  if (y >= 8 * sizeof y) return item_loop<O, T, Operands::second_is_one>(x, second, out, steps);
  const int bits = y;
  for (int64_t i = 0; i < steps * int64_t{sizeof(T)}; i++) {
    const Vec<T> v = load<T>(x + i * kBytes);
    save(out + i * kBytes, (Vec<T>)(O == Op::left_shift ? v << bits : v >> bits));
  }
}

/// By Operands.
struct LoopRow {
  StepsLoop of[3];
};

template <Op O, class T, class Of = Row<O>>
constexpr LoopRow cheap_loops() {
  LoopRow r = {};
  r.of[0] = &LoopOf<O, T, Operands::arrays, Of>::run;
  if constexpr (info(O).arity == 2) {
    r.of[1] = &LoopOf<O, T, Operands::second_is_one, Of>::run;
    // As the steps: x op 2 for 2 op x, which tells one zero, or NaN, from another.
    if constexpr (!(info(O).flags & kCommutative))
      r.of[2] = &LoopOf<O, T, Operands::first_is_one, Of>::run;
  }
  return r;
}

template <Op O, class T>
constexpr LoopRow loop_row() {
  constexpr Way w = std::is_floating_point_v<T> ? info(O).floats : info(O).integers;
  LoopRow r = {};
  if constexpr (w == Way::loop) {
    if constexpr (std::is_same_v<SecondOf<O, T>, T>) {
      r.of[0] = &item_loop<O, T, Operands::arrays>;
      if constexpr (info(O).arity == 2) {
        r.of[1] = &item_loop<O, T, Operands::second_is_one>;
        if constexpr (!(info(O).flags & kCommutative))
          r.of[2] = &item_loop<O, T, Operands::first_is_one>;
      }
    }
  } else if constexpr (w == Way::cheap) {
    r = cheap_loops<O, T>();
  } else if constexpr (w == Way::dear) {
    r.of[0] = &function_loop<O, T, Operands::arrays>;
    if constexpr (info(O).arity == 2) {
      r.of[1] = &function_loop<O, T, Operands::second_is_one>;
      if constexpr (!(info(O).flags & kCommutative))
        r.of[2] = &function_loop<O, T, Operands::first_is_one>;
    }
  }
  if constexpr (kByEach<O, T>)
    r = {{&loop_by_each<O, T, Operands::arrays>, &loop_by_each<O, T, Operands::second_is_one>,
          &loop_by_each<O, T, Operands::first_is_one>}};
  if constexpr (kByScalar<O, T>) r.of[1] = &ByScalar<O, T>::run;
  if constexpr (kCountsBits<O, T>) r.of[0] = &bit_counts_loop<T>;
  if constexpr (std::is_integral_v<T> && (O == Op::left_shift || O == Op::right_shift))
    r.of[1] = &shift_loop<O, T>;
  return r;
}

/// The kOpCount rows of a type.
template <class T>
const LoopRow* loop_rows() {
  static const auto rows = of_each_row<LoopRow>([]<Op O>() { return loop_row<O, T>(); });
  return rows.data();
}

// One source file per width, so that they compile side by side.
const LoopRow* float64_loops();
const LoopRow* float32_loops();
const LoopRow* float16_loops();  // or null
const LoopRow* int8_loops();
const LoopRow* int16_loops();
const LoopRow* int32_loops();
const LoopRow* int64_loops();
const LoopRow* uint8_loops();
const LoopRow* uint16_loops();
const LoopRow* uint32_loops();
const LoopRow* uint64_loops();
const LoopRow* time_loops();
const LoopRow* complex64_loops();
const LoopRow* complex128_loops();

}  // namespace serrate::cpu::SERRATE_ISA
