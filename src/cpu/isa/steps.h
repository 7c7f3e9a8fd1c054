// The steps of operations, as templates over the table's rows and an element type.
#pragma once

#include <array>

#include "cpu/isa/masks.h"
#include "cpu/isa/rows.h"

namespace serrate::cpu::SERRATE_ISA {

/// Steps with the accumulator for one row and type. Results of type bool come back as one register
/// of bytes.
template <Op O, class T, class R = Registers<T>>
struct AccSteps;
template <Op O, class T, size_t... R>
struct AccSteps<O, T, std::index_sequence<R...>> {
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
    return give(ip, mem, Row<O>::of(v)...);
  }
  static void acc_mem(const Instruction* ip, char* const* mem, V<R>... v) {
    const char* p = mem[ip->b];
    return give(ip, mem, Row<O>::of(v, load<T>(p + R * kBytes))...);
  }
  static void mem_acc(const Instruction* ip, char* const* mem, V<R>... v) {
    const char* p = mem[ip->b];
    return give(ip, mem, Row<O>::of(load<T>(p + R * kBytes), v)...);
  }
  static void acc_one(const Instruction* ip, char* const* mem, V<R>... v) {
    const Vec<T> s = splat<T>(mem[ip->b]);
    return give(ip, mem, Row<O>::of(v, s)...);
  }
  static void one_acc(const Instruction* ip, char* const* mem, V<R>... v) {
    const Vec<T> s = splat<T>(mem[ip->b]);
    return give(ip, mem, Row<O>::of(s, v)...);
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

/// How an instruction set's steps do a row. What has none is left to the generic loops.
enum class Way : uint8_t { none, acc_cheap, acc_dear, loop };

template <class T>
constexpr Way way(Op op) {
  constexpr bool floating = std::is_floating_point_v<T>;
  using enum Op;
  switch (op) {
    case add:
    case subtract:
    case multiply:
    case equal:
    case not_equal:
    case less:
    case less_equal:
    case greater:
    case greater_equal:
    case maximum:
    case minimum:
    case fmax:
    case fmin:
    case negative:
    case square:
      return Way::acc_cheap;
    case divide:
    case absolute:
    case fabs:
    case reciprocal:
    case sqrt:
    case rint:
    case floor:
    case ceil:
    case trunc:
    case modf_integer:
    case deg2rad:
    case rad2deg:
    case radians:
    case degrees:
    case isnan:
    case isinf:
    case isfinite:
      return floating ? Way::acc_cheap : op == absolute ? Way::loop : Way::none;
    case bitwise_and:
    case bitwise_or:
    case bitwise_xor:
    case invert:
      return floating ? Way::none : Way::acc_cheap;
    case power:
    case float_power:
    case arctan2:
    case hypot:
    case sin:
    case cos:
    case tan:
    case arcsin:
    case arccos:
    case arctan:
    case sinh:
    case cosh:
    case tanh:
    case arcsinh:
    case arccosh:
    case arctanh:
    case exp:
    case exp2:
    case expm1:
    case log:
    case log2:
    case log10:
    case log1p:
    case cbrt:
    case fmod:
    case remainder:
    case floor_divide:
    case logaddexp:
    case logaddexp2:
      return floating ? Way::acc_dear : Way::none;
    case bitwise_count:
    case left_shift:
    case right_shift:
      return floating ? Way::none : Way::loop;
    case signbit:
    case copysign:
    case heaviside:
    case ldexp:
    case frexp_mantissa:
    case frexp_exponent:
    case modf_fraction:
    case spacing:
    case nextafter:
      return floating ? Way::loop : Way::none;
    case sign:
    case logical_and:
    case logical_or:
    case logical_xor:
    case logical_not:
      return Way::loop;
    default:
      return Way::none;
  }
}

template <Op O, class T>
OpSteps op_steps() {
  constexpr Way w = way<T>(O);
  OpSteps s = {};
  if constexpr (w == Way::loop) {
    s.loop = as_step(&loop<O, T, OutOf<O, T>>);
  } else if constexpr (w != Way::none) {
    using A = AccSteps<O, T>;
    if constexpr (info(O).arity == 1) {
      s.acc = as_step(&A::acc);
    } else {
      constexpr bool swaps = info(O).flags & kCommutative;
      s.acc_mem = as_step(&A::acc_mem);
      s.mem_acc = swaps ? s.acc_mem : as_step(&A::mem_acc);
      if constexpr (w == Way::acc_cheap) {
        s.acc_one = as_step(&A::acc_one);
        s.one_acc = swaps ? s.acc_one : as_step(&A::one_acc);
      }
    }
  }
  return s;
}

/// The kOpCount rows of a type.
template <class T>
const OpSteps* rows_of() {
  static const auto rows = []<size_t... O>(std::index_sequence<O...>) {
    return std::array<OpSteps, sizeof...(O)>{op_steps<Op(O), T>()...};
  }
  (std::make_index_sequence<kOpCount>());
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

}  // namespace serrate::cpu::SERRATE_ISA
