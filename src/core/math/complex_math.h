// Functions of complex numbers that need no trigonometry of their own, by the names that the
// expressions of elementwise.def use: powers, square root, exponential and logarithm. Special
// values are those of C's annex G, as NumPy's.

template <class T>
SERRATE_FN bool is_infinite(complex<T> x) {
  return fabs(x.re) == sr::infinity<T> || fabs(x.im) == sr::infinity<T>;
}

template <class T>
SERRATE_FN T absolute(complex<T> x) {
  return hypot(x.re, x.im);
}

template <class T>
SERRATE_FN T real(complex<T> x) {
  return x.re;
}

template <class T>
SERRATE_FN T imag(complex<T> x) {
  return x.im;
}

template <class T>
SERRATE_FN T angle(complex<T> x) {
  return atan2(x.im, x.re);
}

template <class To, class T>
SERRATE_FN complex<To> complex_cast(complex<T> x) {
  return {To(x.re), To(x.im)};
}

template <class T>
SERRATE_FN complex<T> conjugate(complex<T> x) {
  return {x.re, -x.im};
}

template <class T>
SERRATE_FN complex<T> rint(complex<T> x) {
  return {rint(x.re), rint(x.im)};
}

template <class T>
SERRATE_FN complex<T> reciprocal(complex<T> x) {
  if (fabs(x.im) <= fabs(x.re)) {
    const T ratio = x.im / x.re, size = x.re + x.im * ratio;
    return {T(1) / size, -ratio / size};
  }
  const T ratio = x.re / x.im, size = x.re * ratio + x.im;
  return {ratio / size, T(-1) / size};
}

template <class T>
SERRATE_FN complex<T> sign(complex<T> x) {
  const T length = hypot(x.re, x.im);
  if (length != length) return {length, length};
  if (length == 0) return {T(0), T(0)};
  if (length == sr::infinity<T>) {
    if (fabs(x.re) == length && fabs(x.im) == length) return {sr::nan<T>, sr::nan<T>};
    const bool real = fabs(x.re) == sr::infinity<T>;
    return {real ? copysign(T(1), x.re) : T(0), real ? T(0) : copysign(T(1), x.im)};
  }
  return {x.re / length, x.im / length};
}

template <class T>
SERRATE_FN complex<T> sqrt(complex<T> x) {
  const T inf = sr::infinity<T>;
  if (fabs(x.im) == inf) return {inf, x.im};
  if (x.re == inf) return {inf, x.im == x.im ? copysign(T(0), x.im) : x.im};
  if (x.re == -inf) return {x.im == x.im ? T(0) : x.im, copysign(inf, x.im)};
  if ((x != x)) return {sr::nan<T>, sr::nan<T>};
  const T size = fmax(fabs(x.re), fabs(x.im));
  if (size == 0) return {T(0), x.im};
  // By powers of 4 away from overflow and underflow.
  const bool large = size > T(1e38), tiny = size < T(1e-30);
  const T scale = large ? T(0.0625) : tiny ? T(18014398509481984.0) : T(1);
  const T back = large ? T(4) : tiny ? T(1) / T(134217728.0) : T(1);
  const T a = fabs(x.re) * scale, b = fabs(x.im) * scale;
  const T root = sqrt((a + hypot(a, b)) * T(0.5)), other = b / (T(2) * root) * back;
  if (x.re >= 0) return {root * back, copysign(other, x.im)};
  return {other, copysign(root * back, x.im)};
}

template <class T>
SERRATE_FN complex<T> exp(complex<T> x) {
  if (x.im == 0) return {exp(x.re), x.im};
  if (fabs(x.re) == sr::infinity<T> && !(fabs(x.im) < sr::infinity<T>)) {
    if (x.re < 0) return {T(0), T(0)};
    return {x.re, sr::nan<T>};
  }
  // Where exp alone overflows, in two factors.
  const T limit = sizeof(T) == 4 ? T(88) : T(709);
  if (x.re > limit && x.re < 2 * limit) {
    const T e = exp(x.re - limit), scale = exp(limit);
    return {e * cos(x.im) * scale, e * sin(x.im) * scale};
  }
  const T e = exp(x.re);
  return {e * cos(x.im), e * sin(x.im)};
}

template <class T>
SERRATE_FN complex<T> exp2(complex<T> x) {
  const T ln2 = T(0.693147180559945309417);
  return exp(complex<T>{x.re * ln2, x.im * ln2});
}

template <class T>
SERRATE_FN complex<T> expm1(complex<T> x) {
  const T half = sin(x.im / 2);
  return {expm1(x.re) * cos(x.im) - 2 * half * half, exp(x.re) * sin(x.im)};
}

// The logarithm of the magnitude. Near 1 from the exact squares, whose sum less 1 may cancel.
template <class T>
SERRATE_FN T complex_log_abs(complex<T> x) {
  const T a = fmax(fabs(x.re), fabs(x.im)), b = fmin(fabs(x.re), fabs(x.im));
  if (a > T(0.5) && a < T(2) && !(x != x)) {
    const T p = a * a, p_rest = fma(a, a, -p), q = b * b, q_rest = fma(b, b, -q);
    const T s = p - T(1), sum = s + q, part = sum - s;
    const T rest = (p - (s + T(1))) + (s - (sum - part)) + (q - part);
    return T(0.5) * log1p(sum + (rest + (p_rest + q_rest)));
  }
  if (4 * a == sr::infinity<T> && a < sr::infinity<T>)
    return log(hypot(a * T(0.5), b * T(0.5))) + T(0.693147180559945309417);
  return log(hypot(x.re, x.im));
}

template <class T>
SERRATE_FN complex<T> log(complex<T> x) {
  return {complex_log_abs(x), atan2(x.im, x.re)};
}

template <class T>
SERRATE_FN complex<T> log2(complex<T> x) {
  const complex<T> l = log(x);
  return {l.re * T(1.44269504088896340736), l.im * T(1.44269504088896340736)};
}

template <class T>
SERRATE_FN complex<T> log10(complex<T> x) {
  const complex<T> l = log(x);
  return {l.re * T(0.434294481903251827651), l.im * T(0.434294481903251827651)};
}

template <class T>
SERRATE_FN complex<T> log1p(complex<T> x) {
  return {log(hypot(x.re + 1, x.im)), atan2(x.im, x.re + 1)};
}

// With C99's recovery of infinities, which C's cpow relies on.
template <class T>
SERRATE_FN complex<T> complex_product(complex<T> x, complex<T> y) {
  const complex<T> plain = x * y;
  if (plain.re == plain.re || plain.im == plain.im) return plain;
  const auto unit = [](T v) { return copysign(fabs(v) == sr::infinity<T> ? T(1) : T(0), v); };
  const auto finite = [](T v) { return v == v ? v : copysign(T(0), v); };
  bool recover = false;
  if (is_infinite(x)) {
    x = {unit(x.re), unit(x.im)};
    y = {finite(y.re), finite(y.im)};
    recover = true;
  }
  if (is_infinite(y)) {
    y = {unit(y.re), unit(y.im)};
    x = {finite(x.re), finite(x.im)};
    recover = true;
  }
  if (!recover) return plain;
  const complex<T> r = x * y;
  return {r.re * sr::infinity<T>, r.im * sr::infinity<T>};
}

template <class T>
SERRATE_FN complex<T> pow(complex<T> x, complex<T> y) {
  if (y == 0) return {T(1), T(0)};
  if (x == 0) {
    if (y.re > 0) return {T(0), T(0)};
    return {sr::nan<T>, sr::nan<T>};
  }
  if (y.im == 0 && y.re == T(0.5)) return sqrt(x);
  // Small whole exponents by multiplication.
  if (y.im == 0 && fabs(y.re) < 100 && y.re == trunc(y.re)) {
    if (y.re == 1) return x;
    complex<T> r{T(1), T(0)}, base = x;
    for (int n = int(fabs(y.re)); n != 0; n >>= 1, base = base * base)
      if (n & 1) r = r * base;
    return y.re < 0 ? complex<T>{T(1), T(0)} / r : r;
  }
  return exp(complex_product(y, log(x)));
}

template <class T>
SERRATE_FN complex<T> power(complex<T> x, complex<T> y) {
  return pow(x, y);
}
