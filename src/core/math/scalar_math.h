// Functions of one item that C's maths lacks, as NumPy defines them. Compiled by the host and by
// the GPU's run-time compiler, so it includes nothing: <math.h> and this file's namespace are the
// including text's business.

// The host may include this in several namespaces, once each.
#ifndef SERRATE_FN
#define SERRATE_FN inline
#endif

template <class T>
constexpr bool is_float_type = T(0.5) != T(0);
template <class T>
constexpr bool is_signed_type = T(-1) < T(0);

typedef unsigned long long wide_uint;  // arithmetic in it wraps around without undefined behaviour

// Unsigned integers of as many bytes. What has 64 bits without need takes twice the registers, and
// divisions twice the time.
template <unsigned long size>
struct UnsignedOf {
  typedef unsigned type;
};
template <>
struct UnsignedOf<1> {
  typedef unsigned char type;
};
template <>
struct UnsignedOf<2> {
  typedef unsigned short type;
};
template <>
struct UnsignedOf<8> {
  typedef wide_uint type;
};
template <class T>
using own_uint = typename UnsignedOf<sizeof(T)>::type;
// Those that C computes in.
template <class T>
using near_uint = typename UnsignedOf<(sizeof(T) > 4 ? 8 : 4)>::type;

template <class T>
SERRATE_FN T absolute(T x) {
  if constexpr (is_float_type<T>)
    return fabs(x);
  else if constexpr (is_signed_type<T>)
    return x < 0 ? T(wide_uint(0) - wide_uint(x)) : x;
  else
    return x;
}

template <class T>
SERRATE_FN T sign(T x) {
  return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
}

// C's fmod; 0 where an integer is divided by 0.
template <class T>
SERRATE_FN T truncated_remainder(T x, T y) {
  if constexpr (is_float_type<T>) {
    return fmod(x, y);
  } else {
    if (y == 0) return T(0);
    if constexpr (is_signed_type<T>)
      if (y == T(-1)) return T(0);  // the lowest integer % -1 traps
    return T(x % y);
  }
}

// Python's %: the sign of y.
template <class T>
SERRATE_FN T remainder(T x, T y) {
  T r = truncated_remainder(x, y);
  if constexpr (is_float_type<T>) {
    if (y == 0) return r;
    if (r == 0) return copysign(T(0), y);
  }
  return r != 0 && (y < 0) != (r < 0) ? T(r + y) : r;
}

template <class T>
SERRATE_FN T floor_divide(T x, T y) {
  if constexpr (is_float_type<T>) {
    if (y == 0) return x / y;
    T r = fmod(x, y);
    T q = (x - r) / y;
    if (r != 0 && (y < 0) != (r < 0)) q -= T(1);
    if (q == 0) return copysign(T(0), x / y);
    T f = floor(q);
    return q - f > T(0.5) ? f + T(1) : f;
  } else {
    if (y == 0) return T(0);
    if constexpr (is_signed_type<T>)
      if (y == T(-1)) return T(wide_uint(0) - wide_uint(x));
    T q = T(x / y);
    return T(q - (T(x % y) != 0 && (x < 0) != (y < 0)));
  }
}

// Integers wrap around; a negative exponent gives the truncated quotient (0 unless x is 1 or -1).
template <class T>
SERRATE_FN T power(T x, T y) {
  if constexpr (is_float_type<T>) {
    return pow(x, y);
  } else {
    if (y < 0) return T(x == 1 ? 1 : x == T(-1) ? (y % 2 != 0 ? -1 : 1) : 0);
    wide_uint base = wide_uint(x), r = 1;
    for (wide_uint e = wide_uint(y); e != 0; e >>= 1, base *= base)
      if (e & 1) r *= base;
    return T(r);
  }
}

template <class T>
SERRATE_FN T reciprocal(T x) {
  if constexpr (is_float_type<T>)
    return T(1) / x;
  else
    return T(x == 1 ? 1 : x == T(-1) && is_signed_type<T> ? -1 : 0);
}

template <class T>
SERRATE_FN T left_shift(T x, T y) {
  return near_uint<T>(y) < sizeof(T) * 8 ? T(near_uint<T>(x) << near_uint<T>(y)) : T(0);
}

template <class T>
SERRATE_FN T right_shift(T x, T y) {
  return near_uint<T>(y) < sizeof(T) * 8 ? T(x >> y) : T(x < 0 ? -1 : 0);
}

// Of the magnitude, as NumPy counts. Sums of neighbouring fields, so that loops vectorise.
template <class T>
SERRATE_FN unsigned char count_bits(T x) {
  typedef own_uint<T> U;
  const U twos = U(0x5555555555555555ull), fours = U(0x3333333333333333ull);
  U n = U(absolute(x));
  n = U(n - (U(n >> 1) & twos));
  n = U(U(n & fours) + U(U(n >> 2) & fours));
  n = U(U(n + U(n >> 4)) & U(0x0f0f0f0f0f0f0f0full));
  if constexpr (sizeof(T) > 1) n = U(n + U(n >> 8));
  if constexpr (sizeof(T) > 2) n = U(n + U(n >> 16));
  if constexpr (sizeof(T) > 4) n = U(n + U(n >> 32));
  return (unsigned char)(n & 0x7f);
}

template <class T>
SERRATE_FN T gcd(T x, T y) {
  near_uint<T> a = near_uint<T>(x), b = near_uint<T>(y);
  if constexpr (is_signed_type<T>) {
    a = x < 0 ? 0 - a : a;
    b = y < 0 ? 0 - b : b;
  }
  while (b != 0) {
    near_uint<T> r = a % b;
    a = b;
    b = r;
  }
  return T(a);
}

template <class T>
SERRATE_FN T lcm(T x, T y) {
  T g = gcd(x, y);
  if (g == 0) return T(0);
  return T(wide_uint(absolute(T(x / g))) * wide_uint(absolute(y)));
}

template <class T>
SERRATE_FN T degrees_to_radians(T x) {
  return x * T(3.14159265358979323846 / 180);
}
template <class T>
SERRATE_FN T radians_to_degrees(T x) {
  return x * T(180 / 3.14159265358979323846);
}

template <class T>
SERRATE_FN T logaddexp(T x, T y) {
  if (x == y) return x + T(0.693147180559945309417);  // also infinities of one sign
  T d = x - y;
  return d > 0 ? x + log1p(exp(-d)) : d <= 0 ? y + log1p(exp(d)) : d;
}
template <class T>
SERRATE_FN T logaddexp2(T x, T y) {
  constexpr T log2_e = T(1.44269504088896340736);
  if (x == y) return x + T(1);
  T d = x - y;
  return d > 0 ? x + log2_e * log1p(exp2(-d)) : d <= 0 ? y + log2_e * log1p(exp2(d)) : d;
}

template <class T>
SERRATE_FN bool sign_bit(T x) {
  return copysign(T(1), x) < 0;
}

// The bits of a floating-point number of this many bytes: sign, exponent, fraction.
template <int bytes>
struct FloatLayout {
  typedef int type;
  static constexpr int fraction = 23, bias = 127;
};
template <>
struct FloatLayout<8> {
  typedef long long type;
  static constexpr int fraction = 52, bias = 1023;
};
template <class T>
struct FloatBits : FloatLayout<sizeof(T)> {};

// The number whose bits are by `step` more than those of x.
template <class T>
SERRATE_FN T neighbour(T x, int step) {
  typedef typename FloatBits<T>::type I;
  typedef unsigned long long Bits;  // of -0 there are none below
  return __builtin_bit_cast(T, I(Bits(__builtin_bit_cast(I, x)) + Bits(step)));
}

// C's nextafter.
template <class T>
SERRATE_FN T next_after(T x, T y) {
  const T least = neighbour(T(0), 1);
  const T next = neighbour(x, (y > x) == (x > 0) ? 1 : -1);
  return x != x || y != y ? x + y : x == y ? y : x == 0 ? copysign(least, y) : next;
}

template <class T>
SERRATE_FN T spacing(T x) {
  const T away = neighbour(x, 1);
  return x == 0 ? neighbour(T(0), 1) : x - x == 0 ? away - x : x - x;
}

// 2 to the power n, which a normal number must be.
template <class T>
SERRATE_FN T power_of_two(int n) {
  typedef typename FloatBits<T>::type I;
  return __builtin_bit_cast(T, I(I(n + FloatBits<T>::bias) << FloatBits<T>::fraction));
}

// C's ldexp without branches. What becomes subnormal on the way is so small that rounding it again
// can't matter; a float16 comes as the float that it is.
template <class T>
SERRATE_FN T scale_by_power(T x, int n) {
  constexpr int most = FloatBits<T>::bias, least = FloatBits<T>::fraction + 2 - most;
  const int first = n > most ? most : n < 1 - most ? least : n;
  x *= power_of_two<T>(first);
  n -= first;
  const int second = n > most ? most : n < 1 - most ? least : n;
  x *= power_of_two<T>(second);
  n -= second;
  return x * power_of_two<T>(n > most ? most : n < 1 - most ? 1 - most : n);
}

// x as a normal number, if it is smaller than all of these: its exponent is `moved` too large.
template <class T>
SERRATE_FN T as_normal(T x, int& moved) {
  constexpr int fraction = FloatBits<T>::fraction, bias = FloatBits<T>::bias;
  const bool small = fabs(x) < power_of_two<T>(1 - bias);
  moved = small ? fraction + 1 : 0;
  return small ? x * power_of_two<T>(fraction + 1) : x;
}

template <class T>
SERRATE_FN int frexp_exponent(T x) {
  typedef typename FloatBits<T>::type I;
  constexpr int fraction = FloatBits<T>::fraction, bias = FloatBits<T>::bias;
  int moved = 0;
  const T normal = as_normal(x, moved);
  const int e = int(__builtin_bit_cast(I, fabs(normal)) >> fraction);
  return x == 0 || e > 2 * bias ? 0 : e - bias + 1 - moved;
}

// Its fraction with the exponent of [0.5, 1).
template <class T>
SERRATE_FN T frexp_mantissa(T x) {
  typedef typename FloatBits<T>::type I;
  constexpr int fraction = FloatBits<T>::fraction, bias = FloatBits<T>::bias;
  int moved = 0;
  const T normal = as_normal(x, moved);
  constexpr I exponent = I(I(2 * bias + 1) << fraction), half = I(I(bias - 1) << fraction);
  const I bits = I(I(__builtin_bit_cast(I, normal) & I(~exponent)) | half);
  return x == 0 || x - x != 0 ? x : __builtin_bit_cast(T, bits);
}

template <class T>
SERRATE_FN T modf_fraction(T x) {
  const T rest = x - trunc(x);  // NaN of infinities
  return copysign(fabs(x) == T(1) / T(0) ? T(0) : rest, x);
}

template <class T>
SERRATE_FN T heaviside(T x, T y) {
  return x > 0 ? T(1) : x < 0 ? T(0) : x == 0 ? y : x;
}

template <class T>
SERRATE_FN auto is_infinite(T x) {  // of a vector: of each lane
  return (x == x) & (x - x != x - x);
}

template <class T>
SERRATE_FN bool is_nat(T x) {
  return wide_uint(x) == wide_uint(1) << 63;
}

// Real numbers as complex ones.
template <class T>
SERRATE_FN T conjugate(T x) {
  return x;
}
template <class T>
SERRATE_FN T real(T x) {
  return x;
}
template <class T>
SERRATE_FN T imag(T) {
  return T(0);
}
template <class T>
SERRATE_FN T angle(T x) {
  return x != x ? x : x < 0 ? T(3.14159265358979323846) : T(0);
}

// Floating to integer. Out of range the result is that of x86's conversions for every instruction
// set, as in NumPy; in C++ it would be undefined and vary with how a loop was vectorised.
template <class T, class F>
SERRATE_FN T truncate_to(F x) {
  if constexpr (!is_signed_type<T> && sizeof(T) == 8) {
    constexpr F top = F(9223372036854775808.0);
    return x < top ? T((long long)x) : T((long long)(x - top)) ^ (T(1) << 63);
  } else if constexpr (sizeof(T) == 8 || (sizeof(T) == 4 && !is_signed_type<T>)) {
    return T((long long)x);
  } else {
    return T((int)x);
  }
}
