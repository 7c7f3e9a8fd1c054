// datetime64 and timedelta64: long long whose lowest value is NaT, which spreads as NaN does.

constexpr long long time_nat = -9223372036854775807ll - 1;

SERRATE_FN long long time_add(long long x, long long y) {
  return x == time_nat || y == time_nat ? time_nat : sr::add(x, y);
}

SERRATE_FN long long time_subtract(long long x, long long y) {
  return x == time_nat || y == time_nat ? time_nat : sr::subtract(x, y);
}

SERRATE_FN long long time_multiply(long long x, long long y) {
  return x == time_nat ? time_nat : sr::multiply(x, y);
}
SERRATE_FN long long time_multiply(long long x, double y) {
  return x == time_nat ? time_nat : sr::to_int64(double(x) * y);
}

SERRATE_FN long long time_divide(long long x, long long y) {
  return x == time_nat || y == 0 ? time_nat : y == -1 ? sr::negative(x) : x / y;
}
SERRATE_FN long long time_divide(long long x, double y) {
  return x == time_nat ? time_nat : sr::to_int64(double(x) / y);
}

SERRATE_FN double time_ratio(long long x, long long y) {
  return x == time_nat || y == time_nat ? sr::nan<double> : double(x) / double(y);
}

SERRATE_FN long long time_floor_ratio(long long x, long long y) {
  return x == time_nat || y == time_nat ? 0 : sr::floor_divide(x, y);
}

SERRATE_FN long long time_remainder(long long x, long long y) {
  return x == time_nat || y == time_nat || y == 0 ? time_nat : sr::remainder(x, y);
}

// NaT is the lowest: for fmax and minimum the order of integers is right.
SERRATE_FN long long time_maximum(long long x, long long y) {
  return x == time_nat || y == time_nat ? time_nat : x > y ? x : y;
}

SERRATE_FN long long time_fmin(long long x, long long y) {
  return y == time_nat || (x != time_nat && x < y) ? x : y;
}

SERRATE_FN bool time_equal(long long x, long long y) { return x == y && x != time_nat; }

SERRATE_FN bool time_less(long long x, long long y) { return x < y && x != time_nat; }

SERRATE_FN bool time_less_equal(long long x, long long y) { return x <= y && x != time_nat; }

SERRATE_FN long long time_sign(long long x) { return x == time_nat ? x : sr::sign(x); }
