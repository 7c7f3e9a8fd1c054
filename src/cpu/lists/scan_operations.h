// What running sums, products and extremes are made of, and the types that they are made with.
//
// Included within a namespace of the file that scans: see scan_lists.cpp and scan_rows.cpp.

#include "cpu/program/half.h"

struct Add {
  static constexpr bool kInAnyOrder = true;
  template <class A>
  static A identity() {
    return A(0);
  }
  template <class A>
  static A apply(A a, A b) {
    return a + b;
  }
};
struct Multiply {
  static constexpr bool kInAnyOrder = false;  // 0 * (huge * huge) is not 0
  template <class A>
  static A identity() {
    return A(1);
  }
  template <class A>
  static A apply(A a, A b) {
    return a * b;
  }
  /// As `multiply` and NumPy do: std::complex makes infinities of some NaN (C11, G.5.1).
  template <class T>
  static std::complex<T> apply(std::complex<T> a, std::complex<T> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
};
template <bool smaller>
struct Extreme {
  static constexpr bool kInAnyOrder = true;
  template <class A>
  static A identity() {
    using L = std::numeric_limits<A>;
    if constexpr (L::has_infinity) return smaller ? L::infinity() : -L::infinity();
    return smaller ? L::max() : L::lowest();
  }
  template <class A>
  static A apply(A a, A b) {
    const A x = (smaller ? b < a : a < b) ? b : a;
    if constexpr (std::is_floating_point_v<A>) return b != b ? b : x;
    return x;
  }
};
/// Times: once NaT, always NaT.
template <class Op>
struct OfTimes {
  static constexpr bool kInAnyOrder = true;
  template <class A>
  static A identity() {
    // NaT is the smallest integer.
    const A i = Op::template identity<A>();
    return i == std::numeric_limits<A>::min() ? i + 1 : i;
  }
  template <class A>
  static A apply(A a, A b) {
    constexpr A kNat = std::numeric_limits<A>::min();
    if (a == kNat || b == kNat) return kNat;
    if constexpr (std::is_same_v<Op, Add>) return A(uint64_t(a) + uint64_t(b));
    return Op::apply(a, b);
  }
};

/// Booleans: bytes that are 0 or 1, where nothing has come yet, too.
template <class Op>
struct OfBooleans : Op {
  template <class A>
  static A identity() {
    return A(Op::template identity<A>() != 0);
  }
};

/// float16 is added up as float32.
template <class To>
To load(Half h) {
  return To(to_float(h));
}
template <class To, class From>
To load(From x) {
  return To(x);
}
template <class To, class From>
To round_to(From x) {
  if constexpr (std::is_same_v<To, Half>) {
    return to_half(x);
  } else {
    return To(x);
  }
}

/// f of a number of the items' type; false for complex numbers and times.
template <class F>
bool of_real_type(DType t, F&& f) {
  switch (t) {
    case DType::boolean:
    case DType::uint8:
      return f(uint8_t{}), true;
    case DType::int8:
      return f(int8_t{}), true;
    case DType::int16:
      return f(int16_t{}), true;
    case DType::uint16:
      return f(uint16_t{}), true;
    case DType::int32:
      return f(int32_t{}), true;
    case DType::uint32:
      return f(uint32_t{}), true;
    case DType::int64:
      return f(int64_t{}), true;
    case DType::uint64:
      return f(uint64_t{}), true;
    case DType::float16:
      return f(Half{}), true;
    case DType::float32:
      return f(float{}), true;
    case DType::float64:
      return f(double{}), true;
    default:
      return false;
  }
}

/// f.template operator()<Op, In, A, Out>() of the types of items, of what is computed with, and of
/// results.
template <class Op, class F>
void sums(DType t, F&& f) {
  const bool real = of_real_type(t, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, Half>)
      f.template operator()<Op, Half, float, Half>();
    else if constexpr (std::is_floating_point_v<T>)
      f.template operator()<Op, T, T, T>();
    else
      f.template
      operator()<Op, T, uint64_t, uint64_t>();  // unsigned, so that overflow wraps around
  });
  if (real) return;
  const auto each_complex = [&]<class T>() {
    using C = std::complex<T>;
    f.template operator()<Op, C, C, C>();
  };
  if (t == DType::complex64) return each_complex.template operator()<float>();
  if (t == DType::complex128) return each_complex.template operator()<double>();
  if constexpr (std::is_same_v<Op, Add>)
    return f.template operator()<OfTimes<Add>, int64_t, int64_t, int64_t>();
  throw TypeError("scan: times have no product");
}

template <class Op, class F>
void extremes(DType t, F&& f) {
  if (t == DType::boolean)
    return f.template operator()<OfBooleans<Op>, uint8_t, uint8_t, uint8_t>();
  const bool real = of_real_type(t, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, Half>)
      f.template operator()<Op, Half, float, Half>();
    else
      f.template operator()<Op, T, T, T>();
  });
  if (real) return;
  check<TypeError>(is_time(t), "scan: complex numbers have no order");
  f.template operator()<OfTimes<Op>, int64_t, int64_t, int64_t>();
}

/// The same of a running reducer.
template <class F>
void scan_as(Reducer r, DType t, F&& f) {
  switch (r) {
    case Reducer::sum:
      return sums<Add>(t, f);
    case Reducer::prod:
      return sums<Multiply>(t, f);
    case Reducer::min:
      return extremes<Extreme<true>>(t, f);
    case Reducer::max:
      return extremes<Extreme<false>>(t, f);
    default:
      throw ValueError(fmt::format("scan: no running {}", info(r).name));
  }
}
