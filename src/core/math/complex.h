// Complex numbers: the type, its arithmetic and its order, as NumPy defines them. Like
// scalar_math.h for the host and for kernels; it and the files complex_math.h and complex_trig.h
// follow real.h, whose namespace is called sr here.

template <class T>
struct complex {
  T re, im;
};
template <class T>
SERRATE_FN complex<T> operator-(complex<T> x) {
  return {-x.re, -x.im};
}
template <class T>
SERRATE_FN complex<T> operator+(complex<T> x, complex<T> y) {
  return {x.re + y.re, x.im + y.im};
}
template <class T>
SERRATE_FN complex<T> operator-(complex<T> x, complex<T> y) {
  return {x.re - y.re, x.im - y.im};
}
// Without C99's recovery of infinities.
template <class T>
SERRATE_FN complex<T> operator*(complex<T> x, complex<T> y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <class T>
SERRATE_FN bool operator==(complex<T> x, complex<T> y) {
  return x.re == y.re && x.im == y.im;
}
template <class T>
SERRATE_FN bool operator!=(complex<T> x, complex<T> y) {
  return x.re != y.re || x.im != y.im;
}
template <class T>
SERRATE_FN bool operator==(complex<T> x, int y) {
  return x.re == T(y) && x.im == T(0);
}
template <class T>
SERRATE_FN bool operator!=(complex<T> x, int y) {
  return x.re != T(y) || x.im != T(0);
}
// The order of pairs; nothing is less than a pair with a NaN.
template <class T>
SERRATE_FN bool operator<(complex<T> x, complex<T> y) {
  return (x.re < y.re && x.im == x.im && y.im == y.im) || (x.re == y.re && x.im < y.im);
}
template <class T>
SERRATE_FN bool operator<=(complex<T> x, complex<T> y) {
  return (x.re < y.re && x.im == x.im && y.im == y.im) || (x.re == y.re && x.im <= y.im);
}
template <class T>
SERRATE_FN bool operator>(complex<T> x, complex<T> y) {
  return y < x;
}
template <class T>
SERRATE_FN bool operator>=(complex<T> x, complex<T> y) {
  return y <= x;
}
// Smith's algorithm (1962).
template <class T>
SERRATE_FN complex<T> operator/(complex<T> x, complex<T> y) {
  const T a = fabs(y.re), b = fabs(y.im);
  if (a >= b) {
    if (a == 0 && b == 0) return {x.re / a, x.im / a};
    const T ratio = y.im / y.re, scale = T(1) / (y.re + y.im * ratio);
    return {(x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale};
  }
  const T ratio = y.re / y.im, scale = T(1) / (y.im + y.re * ratio);
  return {(x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale};
}
