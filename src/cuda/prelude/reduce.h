// Steps of the reducers min and max, as the CPU's: an item that is NaN is never taken, so a list of
// NaNs gives the identity. Times compare as int64: NaT is the lowest. Complex numbers compare as
// pairs. argmin and argmax: the first item whatever it is (a NaN in front stays), then strictly
// smaller or larger ones.

template <class T>
SERRATE_FN T sr_min(T a, T b) {
  return b < a || (a != a && !(b != b)) ? b : a;
}
SERRATE_FN float sr_min(float a, float b) { return fmin(a, b); }
SERRATE_FN double sr_min(double a, double b) { return fmin(a, b); }

template <class T>
SERRATE_FN T sr_max(T a, T b) {
  return a < b || (a != a && !(b != b)) ? b : a;
}
SERRATE_FN float sr_max(float a, float b) { return fmax(a, b); }
SERRATE_FN double sr_max(double a, double b) { return fmax(a, b); }
