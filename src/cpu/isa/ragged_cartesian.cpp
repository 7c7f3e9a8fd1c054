// The product of the items of several bases, list by list; the last varies fastest; a bounded
// number per call.
#include "cpu/isa/tuple_chunk.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

int64_t product(int m, const int32_t* const* offs, int64_t p) {
  int64_t n = 1;
  bool large = false;
  for (int b = 0; b < m; b++) {
    const int64_t count = offs[b][p + 1] - offs[b][p];
    if (count == 0) return 0;
    large |= __builtin_mul_overflow(n, count, &n);
  }
  return large ? kMaxInt64 : n;
}

int64_t count_cartesian(int m, const int32_t* const* offs, int64_t lists, int64_t* counts) {
  int64_t sum = 0;
  if (m == 2) {
    // Cannot overflow: they are at most 2^62, the product of the numbers of all items.
    const int32_t *a = offs[0], *b = offs[1];
    for (int64_t p = 0; p < lists; p++) {
      const int64_t n = int64_t{a[p + 1] - a[p]} * int64_t{b[p + 1] - b[p]};
      if (counts) counts[p] = n;
      sum += n;
    }
    return sum;
  }
  for (int64_t p = 0; p < lists; p++) {
    const int64_t n = product(m, offs, p);
    if (counts) counts[p] = n;
    if (__builtin_add_overflow(sum, n, &sum)) sum = kMaxInt64;
  }
  return sum;
}

// t / c and t % c for t < kMaxPairs, and c up to kMaxCount.
constexpr int kMaxCount = 8, kMaxPairs = 64;
struct DivisionTable {
  alignas(64) int32_t quotient[kMaxCount + 1][kMaxPairs];
  alignas(64) int32_t remainder[kMaxCount + 1][kMaxPairs];
  constexpr DivisionTable() : quotient(), remainder() {
    for (int c = 1; c <= kMaxCount; c++)
      for (int t = 0; t < kMaxPairs; t++) {
        quotient[c][t] = t / c;
        remainder[c][t] = t % c;
      }
  }
};
inline constexpr DivisionTable kDivision;

// Writes `n` tuples of list p from `tuple` on, which is moved ahead.
void write_tuples(int m, const int32_t* const* offs, int64_t p, int64_t* tuple, int64_t n,
                  int32_t* const* out, int64_t at) {
  const int last = m - 1;
  const int32_t last_base = offs[last][p];
  const int64_t last_count = offs[last][p + 1] - last_base;
  for (;;) {
    const int64_t run = least(n, last_count - tuple[last]);
    for (int b = 0; b < last; b++)
      write_same(out[b] + at, offs[b][p] + static_cast<int32_t>(tuple[b]), run);
    write_ramp(out[last] + at, last_base + static_cast<int32_t>(tuple[last]), run);
    at += run;
    n -= run;
    if (n == 0) return;
    tuple[last] = 0;
    int b = last - 1;
    while (++tuple[b] == offs[b][p + 1] - offs[b][p]) tuple[b--] = 0;
  }
}

// Whole lists from p on while they fit in `cap`; returns the first list that doesn't. `at` is moved
// ahead.
int64_t whole_pairs(const int32_t* const* offs, int64_t p, int64_t lists, int64_t cap,
                    int32_t* const* out, int32_t* out_off, int64_t& at) {
  const int32_t *a = offs[0], *b = offs[1];
  int32_t *first = out[0], *second = out[1];
  int64_t k = at;
  for (; p < lists; p++) {
    const int32_t a_base = a[p], b_base = b[p];
    const int64_t a_count = a[p + 1] - a_base, b_count = b[p + 1] - b_base;
    const int64_t n = a_count * b_count;
    if (n > cap - k) break;
    if (b_count <= kMaxCount && n <= kMaxPairs) {
      const int32_t* q = kDivision.quotient[b_count];
      const int32_t* r = kDivision.remainder[b_count];
      int64_t t = 0;
      do {
        store(first + k + t, load<Int32s>(q + t) + a_base);
        store(second + k + t, load<Int32s>(r + t) + b_base);
      } while ((t += kWide32) < n);
    } else if (n > 0) {
      for (int64_t i = 0; i < a_count; i++) {
        write_same(first + k + i * b_count, a_base + static_cast<int32_t>(i), b_count);
        write_ramp(second + k + i * b_count, b_base, b_count);
      }
    }
    k += n;
    *++out_off = static_cast<int32_t>(k);
  }
  at = k;
  return p;
}

int64_t whole_tuples(int m, const int32_t* const* offs, int64_t p, int64_t lists, int64_t cap,
                     int32_t* const* out, int32_t* out_off, int64_t& at) {
  int64_t tuple[kMaxTuple];
  for (; p < lists; p++) {
    const int64_t n = product(m, offs, p);
    if (n > cap - at) break;
    if (n > 0) {
      for (int b = 0; b < m; b++) tuple[b] = 0;
      write_tuples(m, offs, p, tuple, n, out, at);
    }
    at += n;
    *++out_off = static_cast<int32_t>(at);
  }
  return p;
}

TupleChunk cartesian(int m, const int32_t* const* offs, int64_t lists, TupleCursor& cursor,
                     int64_t cap, int32_t* const* out, int32_t* out_off) {
  const auto part = [&](int64_t p, int64_t rank, int64_t n, int64_t at) {
    int64_t tuple[kMaxTuple];
    for (int b = m - 1; b >= 0; b--) {
      const int64_t count = offs[b][p + 1] - offs[b][p];
      tuple[b] = rank % count;
      rank /= count;
    }
    write_tuples(m, offs, p, tuple, n, out, at);
  };
  return tuple_chunk(
      lists, cursor, cap, out_off, [&](int64_t p) { return product(m, offs, p); }, part,
      [&](int64_t p, int32_t* offsets, int64_t& at) {
        return m == 2 ? whole_pairs(offs, p, lists, cap, out, offsets, at)
                      : whole_tuples(m, offs, p, lists, cap, out, offsets, at);
      });
}

}  // namespace

void add_cartesian_kernels(RaggedKernels& table) {
  table.count_cartesian = count_cartesian;
  table.cartesian = cartesian;
}

}  // namespace serrate::cpu::SERRATE_ISA
