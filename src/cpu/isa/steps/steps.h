// The steps of operations, as templates over the table's rows and an element type.
#pragma once

#include <array>

#include "cpu/isa/masks.h"
#include "cpu/isa/rows.h"
#include "cpu/isa/steps/bit_counts.h"
#include "cpu/isa/steps/by_each.h"
#include "cpu/isa/steps/by_scalar.h"

namespace serrate::cpu::SERRATE_ISA {

/// Steps with the accumulator for one row, whose expression is Of::of(), and type. Results of type
/// bool come back as one register of bytes.
template <Op O, class T, class R = Registers<T>, class Of = Row<O>>
struct AccSteps;
template <Op O, class T, size_t... R, class Of>
struct AccSteps<O, T, std::index_sequence<R...>, Of> {
  using Acc = AccOf<T>;
  template <size_t>
  using V = Vec<T>;

  template <class... V>
  [[gnu::always_inline]] static void give(const Instruction* ip, char* const* mem, V... v) {
    if constexpr (info(O).result == ResultRule::boolean) {
      return AccOf<uint8_t>::next(ip, mem, bytes_of(v...));
    } else {
      return Acc::next(ip, mem, (Vec<T>)v...);
    }
  }
  static void acc(const Instruction* ip, char* const* mem, V<R>... v) {
    return give(ip, mem, Of::of(v)...);
  }
  static void acc_mem(const Instruction* ip, char* const* mem, V<R>... v) {
    const char* p = mem[ip->b];
    return give(ip, mem, Of::of(v, load<T>(p + R * kBytes))...);
  }
  static void mem_acc(const Instruction* ip, char* const* mem, V<R>... v) {
    const char* p = mem[ip->b];
    return give(ip, mem, Of::of(load<T>(p + R * kBytes), v)...);
  }
  static void acc_one(const Instruction* ip, char* const* mem, V<R>... v) {
    const Vec<T> s = splat<T>(mem[ip->b]);
    return give(ip, mem, Of::of(v, s)...);
  }
  static void one_acc(const Instruction* ip, char* const* mem, V<R>... v) {
    const Vec<T> s = splat<T>(mem[ip->b]);
    return give(ip, mem, Of::of(s, v)...);
  }
};

#if defined(__AVX512F__)
/// x times 2 to the power n is one instruction. (With masks of ones: GCC 12 warns of its own plain
/// forms.)
inline Vec<double> scaled(const double* x, const int32_t* n) {
  const __m256i powers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(n));
  return (Vec<double>)_mm512_maskz_scalef_pd(0xff, _mm512_loadu_pd(x),
                                             _mm512_maskz_cvtepi32_pd(0xff, powers));
}
inline Vec<float> scaled(const float* x, const int32_t* n) {
  const __m512i powers = _mm512_loadu_si512(n);
  return (Vec<float>)_mm512_maskz_scalef_ps(0xffff, _mm512_loadu_ps(x),
                                            _mm512_maskz_cvtepi32_ps(0xffff, powers));
}
#endif

/// A loop over the items of a block that the compiler vectorises; the result may be an argument's
/// block.
template <Op O, class T, class Out>
void loop(const Instruction* ip, char* const* mem) {
  const T* x = reinterpret_cast<const T*>(mem[ip->a]);
  Out* out = reinterpret_cast<Out*>(mem[ip->out]);
  if constexpr (info(O).arity == 1) {
#pragma GCC ivdep
    for (int i = 0; i < kItems; i++) out[i] = Out(Row<O>::of(x[i]));
  } else {
    const auto* y = reinterpret_cast<const SecondOf<O, T>*>(mem[ip->b]);
#if defined(__AVX512F__)
    if constexpr (O == Op::ldexp) {
      for (int i = 0; i < kItems; i += kLanes<T>)
        save(reinterpret_cast<char*>(out + i), scaled(x + i, y + i));
      return next_loop(ip, mem);
    }
#endif
#pragma GCC ivdep
    for (int i = 0; i < kItems; i++) out[i] = Out(Row<O>::of(x[i], y[i]));
  }
  return next_loop(ip, mem);
}

/// Those that A, an AccSteps, has of a row that is computed in registers.
template <Op O, class A>
OpSteps acc_steps() {
  OpSteps s = {};
  if constexpr (info(O).arity == 1) {
    s.acc = as_step(&A::acc);
  } else {
    constexpr bool swaps = info(O).flags & kCommutative;
    s.acc_mem = as_step(&A::acc_mem);
    s.mem_acc = swaps ? s.acc_mem : as_step(&A::mem_acc);
    s.acc_one = as_step(&A::acc_one);
    s.one_acc = swaps ? s.acc_one : as_step(&A::one_acc);
  }
  return s;
}

template <Op O, class T>
OpSteps op_steps() {
  constexpr Way w = std::is_floating_point_v<T> ? info(O).floats : info(O).integers;
  OpSteps s = {};
  if constexpr (w == Way::loop) {
    s.loop = as_step(&loop<O, T, OutOf<O, T>>);
  } else if constexpr (w == Way::cheap) {
    s = acc_steps<O, AccSteps<O, T>>();
  } else if constexpr (w == Way::dear) {
    using A = AccSteps<O, T>;
    if constexpr (info(O).arity == 1) {
      s.acc = as_step(&A::acc);
    } else {
      s.acc_mem = as_step(&A::acc_mem);
      s.mem_acc = info(O).flags & kCommutative ? s.acc_mem : as_step(&A::mem_acc);
      if constexpr (kByScalar<O, T>) s.acc_one = as_step(&PowerOf<T>::acc_one);
    }
  }
  if constexpr (kByEach<O, T>) s.loop = as_step(&step_by_each<O, T>);
  if constexpr (kCountsBits<O, T>) s.loop = as_step(&bit_counts_step<T>);
  if constexpr (std::is_integral_v<T> && kByScalar<O, T>) s.loop_one = as_step(&loop_one<O, T>);
  return s;
}

/// The kOpCount rows of a type.
template <class T>
const OpSteps* rows_of() {
  static const auto rows = of_each_row<OpSteps>([]<Op O>() { return op_steps<O, T>(); });
  return rows.data();
}

// One source file per width, so that they compile side by side.
const OpSteps* float64_rows();
const OpSteps* float32_rows();
const OpSteps* int8_rows();
const OpSteps* int16_rows();
const OpSteps* int32_rows();
const OpSteps* int64_rows();
const OpSteps* uint8_rows();
const OpSteps* uint16_rows();
const OpSteps* uint32_rows();
const OpSteps* uint64_rows();
const OpSteps* time_rows();
const OpSteps* complex64_rows();
const OpSteps* complex128_rows();

}  // namespace serrate::cpu::SERRATE_ISA
