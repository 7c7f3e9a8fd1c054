// Combinations of k items of each list, in itertools order, a bounded number per call.
#include "cpu/isa/tuple_chunk.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

__extension__ typedef unsigned __int128 Wide128;

// n over k, saturated to 2^63 - 1.
int64_t binomial(int64_t n, int64_t k) {
  if (n < k) return 0;
  if (k == 2) return n * (n - 1) / 2;  // n <= 2^32
  k = least(k, n - k);
  // The partial results n - k + i over i only grow, so the first that is too large decides.
  Wide128 r = 1;
  for (int64_t i = 1; i <= k; i++) {
    r = r * static_cast<uint64_t>(n - k + i) / static_cast<uint64_t>(i);
    if (r > static_cast<Wide128>(kMaxInt64)) return kMaxInt64;
  }
  return static_cast<int64_t>(r);
}

int64_t tuples_of(int64_t count, int k, bool replacement) {
  if (count == 0) return 0;
  return binomial(replacement ? count + k - 1 : count, k);
}

// Numbers of tuples of short lists, each worked out when first needed.
class TupleCounts {
 public:
  TupleCounts(int k, bool replacement) : k_(k), replacement_(replacement) {
    for (auto& known : known_) known = -1;
  }
  int64_t operator()(int64_t count) {
    if (k_ == 2) return count * (count + (replacement_ ? 1 : -1)) / 2;
    if (count >= kKnown) return tuples_of(count, k_, replacement_);
    int64_t& known = known_[count];
    if (known < 0) known = tuples_of(count, k_, replacement_);
    return known;
  }

 private:
  static constexpr int kKnown = 64;
  int k_;
  bool replacement_;
  int64_t known_[kKnown];
};

int64_t count_combinations(int k, bool replacement, const int32_t* off, int64_t lists,
                           int64_t* counts) {
  int64_t sum = 0;
  if (k == 2) {
    // Cannot overflow: the squares of counts sum up to at most the square of 2^31.
    const int64_t less = replacement ? -1 : 1;
    for (int64_t p = 0; p < lists; p++) {
      const int64_t count = off[p + 1] - off[p], n = count * (count - less) / 2;
      if (counts) counts[p] = n;
      sum += n;
    }
    return sum;
  }
  TupleCounts tuples(k, replacement);
  for (int64_t p = 0; p < lists; p++) {
    const int64_t n = tuples(off[p + 1] - off[p]);
    if (counts) counts[p] = n;
    if (__builtin_add_overflow(sum, n, &sum)) sum = kMaxInt64;
  }
  return sum;
}

// The pairs of all lists of up to kMaxCount items, one list length after the other.
constexpr int kMaxCount = 16;
template <bool replacement>
struct PairTable {
  static constexpr int kEntries = replacement ? 816 : 680;
  alignas(64) int32_t first[kEntries + 16];
  alignas(64) int32_t second[kEntries + 16];
  int32_t begin[kMaxCount + 1];
  constexpr PairTable() : first(), second(), begin() {
    int at = 0;
    for (int c = 0; c <= kMaxCount; c++) {
      begin[c] = at;
      for (int i = 0; i < c; i++)
        for (int j = replacement ? i : i + 1; j < c; j++) {
          first[at] = i;
          second[at++] = j;
        }
    }
  }
};
template <bool replacement>
inline constexpr PairTable<replacement> kPairs;

// The tuple of a list of `count` items at place `rank` of the order: each item in turn is the
// largest that has no more than `rank` tuples before it.
void tuple_at(int k, bool replacement, int64_t count, int64_t rank, int64_t* tuple) {
  int64_t from = 0;
  for (int d = 0; d < k; d++) {
    const int rest = k - d;
    const int64_t all = tuples_of(count - from, rest, replacement);
    int64_t low = from, high = count - 1;
    while (low < high) {
      const int64_t middle = low + (high - low + 1) / 2;
      if (all - tuples_of(count - middle, rest, replacement) <= rank)
        low = middle;
      else
        high = middle - 1;
    }
    tuple[d] = low;
    rank -= all - tuples_of(count - low, rest, replacement);
    from = replacement ? low : low + 1;
  }
}

// Writes `n` tuples of one list from `tuple` on, which is moved ahead.
void write_tuples(int k, bool replacement, int64_t count, int32_t base, int64_t* tuple, int64_t n,
                  int32_t* const* out, int64_t at) {
  const int last = k - 1;
  for (;;) {
    const int64_t run = least(n, count - tuple[last]);
    for (int d = 0; d < last; d++)
      write_same(out[d] + at, base + static_cast<int32_t>(tuple[d]), run);
    write_ramp(out[last] + at, base + static_cast<int32_t>(tuple[last]), run);
    at += run;
    n -= run;
    if (n == 0) return;
    int d = last - 1;
    while (tuple[d] >= (replacement ? count - 1 : count - (k - d))) d--;
    tuple[d]++;
    for (int e = d + 1; e < k; e++) tuple[e] = replacement ? tuple[e - 1] : tuple[e - 1] + 1;
  }
}

// Whole lists from p on while they fit in `cap`; returns the first list that doesn't. `at` is moved
// ahead.
template <bool replacement>
int64_t whole_pairs(const int32_t* off, int64_t p, int64_t lists, int64_t cap, int32_t* const* out,
                    int32_t* out_off, int64_t& at) {
  const PairTable<replacement>& table = kPairs<replacement>;
  int32_t *first = out[0], *second = out[1];
  int64_t k = at;
  for (; p < lists; p++) {
    const int32_t base = off[p];
    const int64_t count = off[p + 1] - base;
    const int64_t n = count * (count + (replacement ? 1 : -1)) / 2;
    if (k + n > cap) break;
    const int32_t* i = table.first + table.begin[count <= kMaxCount ? count : 0];
    const int32_t* j = table.second + table.begin[count <= kMaxCount ? count : 0];
    if (n <= 8) {  // wide stores that cross lines are dear
      using Few = Vec<int32_t, 32>;
      store(first + k, load<Few>(i) + base);
      store(second + k, load<Few>(j) + base);
    } else if (count <= kMaxCount) {
      int64_t t = 0;
      do {
        store(first + k + t, load<Int32s>(i + t) + base);
        store(second + k + t, load<Int32s>(j + t) + base);
      } while ((t += kWide32) < n);
    } else {
      int64_t tuple[2] = {0, replacement ? 0 : 1};
      write_tuples(2, replacement, count, base, tuple, n, out, k);
    }
    k += n;
    *++out_off = static_cast<int32_t>(k);
  }
  at = k;
  return p;
}

int64_t whole_tuples(TupleCounts& tuples, int size, bool replacement, const int32_t* off, int64_t p,
                     int64_t lists, int64_t cap, int32_t* const* out, int32_t* out_off,
                     int64_t& at) {
  int64_t tuple[kMaxTuple];
  for (; p < lists; p++) {
    const int64_t count = off[p + 1] - off[p];
    const int64_t n = tuples(count);
    if (n > cap - at) break;
    if (n > 0) {
      for (int d = 0; d < size; d++) tuple[d] = replacement ? 0 : d;
      write_tuples(size, replacement, count, off[p], tuple, n, out, at);
    }
    at += n;
    *++out_off = static_cast<int32_t>(at);
  }
  return p;
}

TupleChunk combinations(int k, bool replacement, const int32_t* off, int64_t lists,
                        TupleCursor& cursor, int64_t cap, int32_t* const* out, int32_t* out_off) {
  TupleCounts tuples(k, replacement);
  const auto part = [&](int64_t p, int64_t rank, int64_t n, int64_t at) {
    int64_t tuple[kMaxTuple];
    const int64_t count = off[p + 1] - off[p];
    tuple_at(k, replacement, count, rank, tuple);
    write_tuples(k, replacement, count, off[p], tuple, n, out, at);
  };
  return tuple_chunk(
      lists, cursor, cap, out_off, [&](int64_t p) { return tuples(off[p + 1] - off[p]); }, part,
      [&](int64_t p, int32_t* offsets, int64_t& at) {
        if (k != 2)
          return whole_tuples(tuples, k, replacement, off, p, lists, cap, out, offsets, at);
        return replacement ? whole_pairs<true>(off, p, lists, cap, out, offsets, at)
                           : whole_pairs<false>(off, p, lists, cap, out, offsets, at);
      });
}

}  // namespace

void add_combination_kernels(RaggedKernels& table) {
  table.count_combinations = count_combinations;
  table.combinations = combinations;
}

}  // namespace serrate::cpu::SERRATE_ISA
