// Exact sums of doubles, the same whatever the order, in a superaccumulator (Kulisch, 2013; Neal,
// Fast Exact Summation Using Small and Large Superaccumulators, 2015): digits of 30 bits in words
// of 64, so that 2^33 numbers are added without carrying; the lowest bit of the first digit is
// 2^-1074. The word behind the digits has flags: NaN, infinity, -infinity.
constexpr int sr_digits = 72;

SERRATE_FN void sr_exact_add(unsigned long long* sum, double x) {
  const unsigned long long bits = (unsigned long long)__double_as_longlong(x);
  const int e = (int)(bits >> 52 & 2047);
  unsigned long long m = bits & ((1ull << 52) - 1);
  const bool negative = (bits >> 63) != 0;
  if (e == 2047) {
    atomicOr(&sum[sr_digits], m != 0 ? 1ull : negative ? 4ull : 2ull);
    return;
  }
  if (e != 0) m |= 1ull << 52;
  const int place = e > 0 ? e - 1 : 0, digit = place / 30, shift = place % 30;
  const unsigned long long all = (1ull << 30) - 1;
  const unsigned long long parts[3] = {(m << shift) & all, (m >> (30 - shift)) & all,
                                       m >> (60 - shift)};
  for (int k = 0; k < 3; k++) {
    if (parts[k] != 0) atomicAdd(&sum[digit + k], negative ? 0 - parts[k] : parts[k]);
  }
}

// In a block's shared memory a sum has six words of 32 bits from 2^-114 on, and carries; what does
// not fit there goes to `sum`. Each word begins at sr_exact_bias, so that a sum that changes its
// sign borrows from the next word only, not from all.
constexpr unsigned sr_exact_bias = 0x80000000u;

SERRATE_FN void sr_exact_add_block(unsigned* words, unsigned long long* sum, double x) {
  const unsigned long long bits = (unsigned long long)__double_as_longlong(x);
  if (bits << 1 == 0) return;
  const int place = (int)(bits >> 52 & 2047) - 961;
  if (place < 0 || place > 107) {
    sr_exact_add(sum, x);
    return;
  }
  const unsigned long long m = (bits & ((1ull << 52) - 1)) | 1ull << 52;
  const bool negative = (bits >> 63) != 0;
  const int shift = place % 32;
  unsigned long long low = m << shift;
  unsigned high = shift > 11 ? (unsigned)(m >> (64 - shift)) : 0;
  unsigned carry = 0;
  for (int k = place / 32; k < 6; k++) {
    const unsigned long long part = (low & 0xffffffffull) + carry;
    const unsigned now = (unsigned)part;
    carry = (unsigned)(part >> 32);
    if (now != 0) {
      const unsigned before = atomicAdd(&words[k], negative ? 0u - now : now);
      carry += negative ? before < now : before > ~now;
    }
    low = low >> 32 | (unsigned long long)high << 32;
    high = 0;
    if (low == 0 && carry == 0) break;
  }
}

// Adds what `copies` sums in shared memory have, which stand `step` words apart.
SERRATE_FN void sr_exact_flush(const unsigned* words, int copies, int step,
                               unsigned long long* sum) {
  long long total[7] = {0, 0, 0, 0, 0, 0, 0};
  for (int c = 0; c < copies; c++) {
    unsigned w[6];
    long long carry = 0;
#pragma unroll
    for (int k = 0; k < 6; k++) {
      carry += (long long)words[c * step + k] - sr_exact_bias;
      w[k] = (unsigned)carry;
      carry >>= 32;
    }
#pragma unroll
    for (int digit = 0; digit < 6; digit++) {
      const int k = digit * 30 / 32, shift = digit * 30 % 32;
      unsigned part = w[k] >> shift;
      if (shift > 2) part |= w[k + 1] << (32 - shift);
      total[digit] += part & 0x3fffffffu;
    }
    total[6] += (int)w[5] >> 20;
  }
#pragma unroll
  for (int digit = 0; digit < 7; digit++) {
    if (total[digit] != 0) atomicAdd(&sum[32 + digit], (unsigned long long)total[digit]);
  }
}

// The sum as the nearest double.
SERRATE_FN double sr_exact_value(const unsigned long long* sum) {
  const unsigned long long flags = sum[sr_digits];
  const double infinity = __longlong_as_double(0x7ff0000000000000ll);
  if ((flags & 1) != 0 || (flags & 6) == 6) return infinity - infinity;
  if (flags != 0) return flags == 2 ? infinity : -infinity;
  long long carry = 0;
  for (int k = 0; k < sr_digits; k++) carry = ((long long)sum[k] + carry) >> 30;
  const bool negative = carry < 0;
  carry = 0;
  // The four highest digits that are not 0 from the top on, and whether there is more.
  unsigned long long last[4] = {0, 0, 0, 0}, found[4] = {0, 0, 0, 0};
  bool rest = false, more = false;
  int top = -1;
  for (int k = 0; k < sr_digits; k++) {
    const long long v = (negative ? -(long long)sum[k] : (long long)sum[k]) + carry;
    carry = v >> 30;
    more = more || last[3] != 0;
    last[3] = last[2];
    last[2] = last[1];
    last[1] = last[0];
    last[0] = (unsigned long long)v & 0x3fffffffull;
    if (last[0] == 0) continue;
    top = k;
    rest = more;
    for (int i = 0; i < 4; i++) found[i] = last[i];
  }
  if (top < 0) return 0;
  int bits = 30;  // of the highest digit
  while ((found[0] >> (bits - 1)) == 0) bits--;
  const int up = 30 - bits;
  const unsigned long long lower = (found[2] & 0x3ffffff) << 30 | found[3];
  const unsigned long long high =
      (found[0] << 34 | found[1] << 4 | found[2] >> 26) << up | lower >> (56 - up);
  rest = rest || (lower & ((1ull << (56 - up)) - 1)) != 0;
  const unsigned long long half = high & 2047;
  unsigned long long m = high >> 11;
  if (half > 1024 || (half == 1024 && (rest || (m & 1) != 0))) m++;
  const double value = scalbn((double)m, 30 * top + bits - 53 - 1074);
  return negative ? -value : value;
}
