// datetime64 and timedelta64 as a type with the operators and functions that the expressions of
// elementwise.def use: an integer whose lowest value is NaT, which spreads as NaN does. Like
// scalar_math.h for the host and for kernels; it follows real.h, whose namespace is called sr here.

struct time64 {
  long long ticks;
};
constexpr long long time_nat = -9223372036854775807ll - 1;
SERRATE_FN bool is_nat(time64 x) { return x.ticks == time_nat; }
SERRATE_FN bool operator==(time64 x, time64 y) { return x.ticks == y.ticks && !is_nat(x); }
SERRATE_FN bool operator!=(time64 x, time64 y) { return !(x == y); }
// NaT is the lowest, so nothing is less than it.
SERRATE_FN bool operator<(time64 x, time64 y) { return x.ticks < y.ticks && !is_nat(x); }
SERRATE_FN bool operator<=(time64 x, time64 y) { return x.ticks <= y.ticks && !is_nat(x); }
SERRATE_FN bool operator>(time64 x, time64 y) { return y < x; }
SERRATE_FN bool operator>=(time64 x, time64 y) { return y <= x; }
SERRATE_FN time64 operator-(time64 x) { return {sr::negative(x.ticks)}; }  // of NaT: NaT
SERRATE_FN time64 operator+(time64 x, time64 y) {
  return {is_nat(x) || is_nat(y) ? time_nat : sr::add(x.ticks, y.ticks)};
}
SERRATE_FN time64 operator-(time64 x, time64 y) {
  return {is_nat(x) || is_nat(y) ? time_nat : sr::subtract(x.ticks, y.ticks)};
}
SERRATE_FN time64 operator*(time64 x, long long y) {
  return {is_nat(x) ? time_nat : sr::multiply(x.ticks, y)};
}
SERRATE_FN time64 operator*(long long x, time64 y) { return y * x; }
// What does not fit is NaT: C leaves it open, x86 answers with the lowest integer.
SERRATE_FN time64 operator*(time64 x, double y) {
  return {is_nat(x) ? time_nat : sr::to_int64(double(x.ticks) * y)};
}
SERRATE_FN time64 operator*(double x, time64 y) { return y * x; }
SERRATE_FN double operator/(time64 x, time64 y) {
  return is_nat(x) || is_nat(y) ? sr::nan<double> : double(x.ticks) / double(y.ticks);
}
SERRATE_FN time64 operator/(time64 x, long long y) {
  return {is_nat(x) || y == 0 ? time_nat : y == -1 ? sr::negative(x.ticks) : x.ticks / y};
}
SERRATE_FN time64 operator/(time64 x, double y) {
  return {is_nat(x) ? time_nat : sr::to_int64(double(x.ticks) / y)};
}

SERRATE_FN long long floor_divide(time64 x, time64 y) {
  return is_nat(x) || is_nat(y) ? 0 : sr::floor_divide(x.ticks, y.ticks);
}
// Towards zero, whether the quotient is asked for or its floor: as NumPy.
SERRATE_FN time64 floor_divide(time64 x, long long y) { return x / y; }
SERRATE_FN time64 floor_divide(time64 x, double y) { return x / y; }
SERRATE_FN time64 remainder(time64 x, time64 y) {
  const bool none = is_nat(x) || is_nat(y) || y.ticks == 0;
  return {none ? time_nat : sr::remainder(x.ticks, y.ticks)};
}

SERRATE_FN time64 absolute(time64 x) { return {sr::absolute(x.ticks)}; }
SERRATE_FN time64 sign(time64 x) { return {is_nat(x) ? time_nat : sr::sign(x.ticks)}; }
SERRATE_FN bool is_infinite(time64) { return false; }
