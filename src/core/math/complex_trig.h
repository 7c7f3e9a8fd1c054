// Trigonometric and hyperbolic functions of complex numbers and their inverses, with the special
// values of C's annex G. The circular ones come from the hyperbolic ones: sin(z) = -i sinh(iz).

// cosh and sinh of a real number, halved and scaled where they overflow: {cosh, sinh} * scale.
template <class T>
struct cosh_sinh {
  T c, s, scale;
};

template <class T>
SERRATE_FN cosh_sinh<T> scaled_cosh_sinh(T x) {
  const T limit = sizeof(T) == 4 ? T(88) : T(709), size = fabs(x);
  if (!(size > limit && size < 2 * limit)) return {cosh(x), sinh(x), T(1)};
  const T e = T(0.5) * exp(size - limit);
  return {e, copysign(e, x), exp(limit)};
}

template <class T>
SERRATE_FN complex<T> sinh(complex<T> x) {
  const T inf = sr::infinity<T>;
  if (x.im == 0) return {sinh(x.re), x.im};
  // The sign of an infinity without direction is C's choice; it is glibc's here.
  if (!(fabs(x.im) < inf) && (x.re == 0 || fabs(x.re) == inf)) return {fabs(x.re), sr::nan<T>};
  const cosh_sinh<T> h = scaled_cosh_sinh(x.re);
  return {h.s * cos(x.im) * h.scale, h.c * sin(x.im) * h.scale};
}

template <class T>
SERRATE_FN complex<T> cosh(complex<T> x) {
  const T inf = sr::infinity<T>;
  if (x.im == 0) return {cosh(x.re), x.im * copysign(T(1), x.re)};
  if (!(fabs(x.im) < inf)) {
    if (x.re == 0) return {sr::nan<T>, T(0)};
    if (fabs(x.re) == inf) return {inf, sr::nan<T>};
  }
  if (x.re == 0) return {cos(x.im), x.re * sin(x.im)};
  const cosh_sinh<T> h = scaled_cosh_sinh(x.re);
  return {h.c * cos(x.im) * h.scale, h.s * sin(x.im) * h.scale};
}

template <class T>
SERRATE_FN complex<T> tanh(complex<T> x) {
  const T inf = sr::infinity<T>;
  if (!(fabs(x.im) < inf)) {
    if (fabs(x.re) == inf) return {copysign(T(1), x.re), copysign(T(0), x.im)};
    return {x.re == 0 ? x.re : sr::nan<T>, sr::nan<T>};
  }
  if (x.im == 0) return {tanh(x.re), x.im};
  const T c = cos(x.im), s = sin(x.im);
  if (fabs(x.re) > T(22))  // 4 / (e^x + e^-x)^2 is 4 e^-2x here
    return {copysign(T(1), x.re), 4 * s * c * exp(-2 * fabs(x.re))};
  const T sh = sinh(x.re), denominator = sh * sh + c * c;
  return {sh * cosh(x.re) / denominator, s * c / denominator};
}

template <class T>
SERRATE_FN complex<T> sin(complex<T> x) {
  const complex<T> h = sinh(complex<T>{-x.im, x.re});
  return {h.im, h.im == h.im ? -h.re : h.re};
}

template <class T>
SERRATE_FN complex<T> cos(complex<T> x) {
  return cosh(complex<T>{-x.im, x.re});
}

template <class T>
SERRATE_FN complex<T> tan(complex<T> x) {
  const complex<T> h = tanh(complex<T>{-x.im, x.re});
  return {h.im, -h.re};
}

// Beyond this |z| the inverse functions are logarithms of 2z.
template <class T>
constexpr T complex_large = sizeof(T) == 4 ? T(1e8) : T(1e17);

// Kahan's formulas (1987), which cancel nowhere.
template <class T>
SERRATE_FN complex<T> asinh(complex<T> x) {
  const T inf = sr::infinity<T>, pi = T(3.14159265358979323846);
  const T a = fabs(x.re), b = fabs(x.im);
  if (a == inf || b == inf) {
    if ((x != x)) return {copysign(inf, x.re), sr::nan<T>};
    return {copysign(inf, x.re), copysign(b < inf ? T(0) : a < inf ? pi / 2 : pi / 4, x.im)};
  }
  if ((x != x)) return {sr::nan<T>, x.im == 0 ? x.im : sr::nan<T>};
  if (a > complex_large<T> || b > complex_large<T>)
    return {copysign(complex_log_abs(x) + T(0.693147180559945309417), x.re), atan2(x.im, a)};
  const complex<T> u = sqrt(complex<T>{1 + x.im, -x.re});
  const complex<T> v = sqrt(complex<T>{1 - x.im, x.re});
  return {asinh(u.re * v.im - v.re * u.im), atan2(x.im, u.re * v.re - u.im * v.im)};
}

template <class T>
SERRATE_FN complex<T> asin(complex<T> x) {
  const complex<T> h = asinh(complex<T>{-x.im, x.re});
  return {h.im, -h.re};
}

template <class T>
SERRATE_FN complex<T> acos(complex<T> x) {
  const T inf = sr::infinity<T>, pi = T(3.14159265358979323846);
  const T a = fabs(x.re), b = fabs(x.im);
  if (a == inf || b == inf) {
    if ((x != x)) return {sr::nan<T>, b == inf ? copysign(inf, -x.im) : -inf};
    const T angle = a < inf ? pi / 2 : b < inf ? T(0) : pi / 4;
    return {x.re < 0 && a == inf ? pi - angle : angle, copysign(inf, -x.im)};
  }
  if ((x != x)) return {x.re == 0 ? pi / 2 : sr::nan<T>, sr::nan<T>};
  if (a > complex_large<T> || b > complex_large<T>)
    return {atan2(b, x.re), -copysign(complex_log_abs(x) + T(0.693147180559945309417), x.im)};
  const complex<T> u = sqrt(complex<T>{1 - x.re, -x.im});
  const complex<T> v = sqrt(complex<T>{1 + x.re, x.im});
  return {2 * atan2(u.re, v.re), asinh(v.re * u.im - v.im * u.re)};
}

template <class T>
SERRATE_FN complex<T> acosh(complex<T> x) {
  const complex<T> c = acos(x);
  return {fabs(c.im), copysign(c.re, x.im)};
}

template <class T>
SERRATE_FN complex<T> atanh(complex<T> x) {
  const T inf = sr::infinity<T>, half_pi = T(1.57079632679489661923);
  const T a = fabs(x.re), b = fabs(x.im);
  if (a == inf || b == inf)
    return {copysign(T(0), x.re), x.im != x.im ? x.im : copysign(half_pi, x.im)};
  if ((x != x)) return {x.re == 0 ? x.re : sr::nan<T>, sr::nan<T>};
  if (a > complex_large<T> || b > complex_large<T>) {
    const T h = hypot(a / 2, b / 2);
    return {x.re / 2 / h / h / 2, copysign(half_pi, x.im)};
  }
  T re;
  if (a == 1 && b < 1 / complex_large<T>)
    re = b == 0 ? inf : (T(0.693147180559945309417) - log(b)) / 2;
  else
    re = log1p(4 * a / ((1 - a) * (1 - a) + b * b)) / 4;
  return {copysign(re, x.re), atan2(2 * x.im, (1 - a) * (1 + a) - b * b) / 2};
}

template <class T>
SERRATE_FN complex<T> atan(complex<T> x) {
  const complex<T> h = atanh(complex<T>{-x.im, x.re});
  return {h.im, -h.re};
}
