// Functions of real numbers that complex numbers, times and kernels need besides those of
// scalar_math.h; in a kernel both are in namespace sr.
//
// How the prelude's files are read: a section is what stands between two blank lines. A kernel's
// text gets the sections that declare a name it uses, in the order of the files, and those that
// they need, which stand before them.

template <class T>
constexpr T infinity = T(__builtin_bit_cast(double, 0x7ff0000000000000ull));

template <class T>
constexpr T nan = T(__builtin_bit_cast(double, 0x7ff8000000000000ull));

// Integers of any size wrap around; signed overflow would be undefined.
template <class T>
SERRATE_FN T add(T x, T y) {
  return T(wide_uint(x) + wide_uint(y));
}

template <class T>
SERRATE_FN T subtract(T x, T y) {
  return T(wide_uint(x) - wide_uint(y));
}

template <class T>
SERRATE_FN T multiply(T x, T y) {
  return T(wide_uint(x) * wide_uint(y));
}

template <class T>
SERRATE_FN T negative(T x) {
  return T(wide_uint(0) - wide_uint(x));
}

// A device's conversion would saturate; x86 gives the lowest integer for what does not fit.
template <class F>
SERRATE_FN int to_int32(F x) {
  return x >= F(-2147483648.0) && x < F(2147483648.0) ? int(x) : -2147483647 - 1;
}

template <class F>
SERRATE_FN long long to_int64(F x) {
  typedef long long wide_int;
  return x >= F(-9223372036854775808.0) && x < F(9223372036854775808.0)
             ? wide_int(x)
             : -9223372036854775807ll - 1;
}

// Floating to integer with the results of scalar_math.h's truncate_to on x86, for every value.
template <class T, class F>
SERRATE_FN T truncated(F x) {
  if constexpr (!is_signed_type<T> && sizeof(T) == 8) {
    const F top = F(9223372036854775808.0);
    return x < top ? T(to_int64(x)) : T(to_int64(x - top)) ^ (T(1) << 63);
  } else if constexpr (sizeof(T) == 8 || (sizeof(T) == 4 && !is_signed_type<T>)) {
    return T(to_int64(x));
  } else {
    return T(to_int32(x));
  }
}
